/* cpu_lists.c - candidates as lists of k rows: AND of all of them, and nothing stored
 *
 * Where the first row of a list has few lines with a bit, only these are looked at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cpu/cpu_papers.h"

#define LIST_PIECE_WORDS 256 /* of an intermediate result */

/* |a AND …| over the named lines: the intermediate result is one line. */
static uint64_t list_count_lines(const backend_device *d, const uint32_t *rows, uint32_t k,
                                 const uint32_t *lines, size_t n_lines) {
    uint64_t line[BACKEND_LINE_WORDS] __attribute__((aligned(64)));
    uint64_t n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)lines[i] * BACKEND_LINE_WORDS;
        memcpy(line, cpu_row(d, rows[0]) + at, sizeof line);
        for (uint32_t r = 1; r + 1 < k; r++) {
            const uint64_t *b = cpu_row(d, rows[r]) + at;
            for (size_t w = 0; w < BACKEND_LINE_WORDS; w++) line[w] &= b[w];
        }
        n += d->kernels->and_count(line, cpu_row(d, rows[k - 1]) + at, BACKEND_LINE_WORDS);
    }
    return n;
}

/* |a AND …| over whole rows, in pieces that stay in the first-level cache. */
static uint64_t list_count_pieces(const backend_device *d, const uint32_t *rows, uint32_t k) {
    uint64_t piece[LIST_PIECE_WORDS] __attribute__((aligned(64)));
    uint64_t n = 0;
    for (size_t at = 0; at < d->words; at += LIST_PIECE_WORDS) {
        size_t words = d->words - at < LIST_PIECE_WORDS ? d->words - at : LIST_PIECE_WORDS;
        d->kernels->and_store(piece, cpu_row(d, rows[0]) + at, cpu_row(d, rows[1]) + at, words);
        for (uint32_t r = 2; r + 1 < k; r++) {
            d->kernels->and_store(piece, piece, cpu_row(d, rows[r]) + at, words);
        }
        n += d->kernels->and_count(piece, cpu_row(d, rows[k - 1]) + at, words);
    }
    return n;
}

uint64_t cpu_count_list(const backend_device *d, const uint32_t *rows, uint32_t k,
                        const uint32_t *lines, size_t n_lines) {
    const uint64_t *a = cpu_row(d, rows[0]);
    if (k == 1) return d->kernels->and_count(a, a, d->words);
    if (k == 2 && lines) {
        return d->kernels->and_count_lines(a, cpu_row(d, rows[1]), lines, n_lines);
    }
    if (k == 2) return d->kernels->and_count(a, cpu_row(d, rows[1]), d->words);
    return lines ? list_count_lines(d, rows, k, lines, n_lines) : list_count_pieces(d, rows, k);
}

typedef struct list_call {
    const backend_device *d;
    const uint32_t *rows;
    uint32_t k;
    uint32_t *counts;
} list_call;

static lode_status lists_slice(void *arg, unsigned slice, size_t first, size_t end) {
    const list_call *call = arg;
    const backend_device *d = call->d;
    size_t n_lines = d->words / BACKEND_LINE_WORDS, used = n_lines;
    uint32_t *lines = d->lines + slice * n_lines;
    uint32_t scanned = BACKEND_NO_ROW; /* the row whose lines are listed */
    for (size_t i = first; i < end; i++) {
        const uint32_t *rows = call->rows + i * call->k;
        if (rows[0] != scanned) used = cpu_find_lines(d, cpu_row(d, scanned = rows[0]), lines);
        bool sparse = used * 2 <= n_lines;
        call->counts[i] = (uint32_t)cpu_count_list(d, rows, call->k, sparse ? lines : NULL, used);
    }
    return LODE_OK;
}

lode_status cpu_and_count_lists(backend_papers *p, const uint32_t *rows, uint32_t k, size_t n,
                                uint32_t *counts) {
    list_call call = {.d = p->device, .rows = rows, .k = k, .counts = counts};
    p->device->counters.rows_read += n * k;
    return cpu_for_slices(p->device, n, CPU_LISTS_LEAST, lists_slice, &call);
}
