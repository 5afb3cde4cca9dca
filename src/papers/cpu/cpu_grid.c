/* cpu_grid.c - the grid over all pairs of a level's itemsets, on the CPU backend
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cpu/cpu_papers.h"

#define PAIRS_SLICE_LEAST (1 << 18) /* work items that pay for starting a thread */
#define PAIRS_RUN         256       /* unions whose sizes are found at a time */

static const uint64_t *grid_set(const backend_sets *sets, size_t i) {
    return sets->data + i * sets->words;
}

typedef struct pairs_call {
    const backend_papers *p;
    const backend_sets *sets;
    const backend_grid_part *part;
    backend_pair *pairs[CPU_MAX_THREADS];
    size_t n[CPU_MAX_THREADS];
} pairs_call;

/* Set x with the sets [y, end): appends those whose union has k items. */
static void pairs_row(const pairs_call *call, size_t x, size_t y, size_t end, backend_pair *out,
                      size_t *n) {
    const backend_sets *sets = call->sets;
    uint32_t sizes[PAIRS_RUN];
    for (; y < end; y += PAIRS_RUN) {
        size_t run = end - y < PAIRS_RUN ? end - y : PAIRS_RUN;
        call->p->loops->union_sizes(grid_set(sets, x), grid_set(sets, y), run, sets->words, sizes);
        for (size_t i = 0; i < run; i++) {
            if (sizes[i] == call->part->k)
                out[(*n)++] = (backend_pair){(uint32_t)x, (uint32_t)(y + i)};
        }
    }
}

/* Work items [c, end) of row r of the square: those right of the diagonal are pairs. */
static void pairs_square(const pairs_call *call, size_t r, size_t c, size_t end, backend_pair *out,
                         size_t *n) {
    pairs_row(call, r, c > r ? c : r + 1, end, out, n);
}

/* Work items [c, end) of row r of the folded triangle, which is floor(n / 2) wide. Row x of the
 * triangle starts in row x of the rectangle; what does not fit there fills up the row that is as
 * much too short, counted from the other end:
 *
 *     n = 6     01 02 03|04 05     →     01 02 03
 *                  12 13 14|15           12 13 14
 *                     23 24 25           23 24 25
 *                        34 35           34 35 15
 *                           45           45 04 05
 */
static void pairs_folded(const pairs_call *call, size_t r, size_t c, size_t end, backend_pair *out,
                         size_t *n) {
    size_t sets = call->sets->n, width = sets / 2, height = sets % 2 ? sets : sets - 1;
    size_t own = sets - 1 - r; /* length of row r of the triangle */
    size_t cut = end < own ? end : own;
    if (c < cut) pairs_row(call, r, r + 1 + c, r + 1 + cut, out, n);
    if (end <= own) return;
    size_t x = height - 1 - r, from = (c > own ? c : own) - own;
    pairs_row(call, x, x + 1 + width + from, x + 1 + width + (end - own), out, n);
}

static lode_status pairs_slice(void *arg, unsigned slice, size_t first, size_t end) {
    pairs_call *call = arg;
    bool square = call->part->grid == LODE_GRID_SQUARE;
    uint64_t width = square ? call->sets->n : call->sets->n / 2;
    backend_pair *out = call->pairs[slice] + first;
    size_t n = 0;
    for (uint64_t item = call->part->first + first; item < call->part->first + end;) {
        uint64_t row = item / width, column = item % width;
        uint64_t rest = call->part->first + end - item;
        uint64_t stop = column + rest < width ? column + rest : width;
        (square ? pairs_square : pairs_folded)(call, (size_t)row, (size_t)column, (size_t)stop, out,
                                               &n);
        item += stop - column;
    }
    call->pairs[slice] = out;
    call->n[slice] = n;
    return LODE_OK;
}

lode_status cpu_or_pairs(backend_papers *p, const backend_grid_part *part, backend_pair *pairs,
                         size_t *n_pairs) {
    backend_device *d = p->device;
    size_t n = (size_t)(part->end - part->first);
    pairs_call call = {.p = p, .sets = &p->sets, .part = part};
    for (unsigned i = 0; i < d->threads; i++) call.pairs[i] = pairs;
    lode_status status = cpu_for_slices(d, n, PAIRS_SLICE_LEAST, pairs_slice, &call);
    *n_pairs = 0;
    for (unsigned i = 0; i < d->threads && status == LODE_OK; i++) {
        memmove(pairs + *n_pairs, call.pairs[i], call.n[i] * sizeof *pairs);
        *n_pairs += call.n[i];
    }
    p->counters.work_items += n;
    return status;
}
