/* popcounts.c - population counts as the papers did them, to be compared with the native one
 *
 *   table16   a table of 65,536 bytes, 16 bits a look-up; constant16 is the same on a CPU
 *   shift     remainder by two, shift, until nothing is left
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/bits.h"
#include "papers/cpu/cpu_papers.h"

static uint8_t table16[65536];
static pthread_once_t table16_once = PTHREAD_ONCE_INIT;

static void table16_fill(void) {
    for (uint32_t i = 1; i < 65536; i++) table16[i] = (uint8_t)(table16[i / 2] + i % 2);
}

static inline void table16_begin(void) {
    pthread_once(&table16_once, table16_fill);
}

static inline uint32_t table16_word(uint64_t x) {
    return (uint32_t)table16[x & 0xffff] + table16[x >> 16 & 0xffff] + table16[x >> 32 & 0xffff] +
           table16[x >> 48];
}

static inline void shift_begin(void) {}

static inline uint32_t shift_word(uint64_t x) {
    uint32_t n = 0;
    for (; x; x >>= 1) n += x % 2;
    return n;
}

/* The kernels, once for both ways of counting a word. */
#define POPCOUNT_KERNELS(way)                                                                      \
    uint32_t cpu_count_word_##way(uint64_t x) {                                                    \
        way##_begin();                                                                             \
        return way##_word(x);                                                                      \
    }                                                                                              \
    static uint64_t way##_and_count(const uint64_t *a, const uint64_t *b, size_t words) {          \
        uint64_t n = 0;                                                                            \
        way##_begin();                                                                             \
        for (size_t i = 0; i < words; i++) n += way##_word(a[i] & b[i]);                           \
        return n;                                                                                  \
    }                                                                                              \
    static uint64_t way##_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b,           \
                                    size_t words) {                                                \
        uint64_t n = 0;                                                                            \
        way##_begin();                                                                             \
        for (size_t i = 0; i < words; i++) {                                                       \
            dst[i] = a[i] & b[i];                                                                  \
            n += way##_word(dst[i]);                                                               \
        }                                                                                          \
        return n;                                                                                  \
    }                                                                                              \
    static uint64_t way##_and_count_lines(const uint64_t *a, const uint64_t *b,                    \
                                          const uint32_t *lines, size_t n_lines) {                 \
        uint64_t n = 0;                                                                            \
        for (size_t i = 0; i < n_lines; i++) {                                                     \
            size_t at = (size_t)lines[i] * BACKEND_LINE_WORDS;                                     \
            n += way##_and_count(a + at, b + at, BACKEND_LINE_WORDS);                              \
        }                                                                                          \
        return n;                                                                                  \
    }                                                                                              \
    const cpu_kernels cpu_kernels_##way = {                                                        \
        .name = #way,                                                                              \
        .and_count = way##_and_count,                                                              \
        .and_store = way##_and_store,                                                              \
        .and_count_lines = way##_and_count_lines,                                                  \
    }

POPCOUNT_KERNELS(table16);
POPCOUNT_KERNELS(shift);

/* ---- counts of the words of a row, added up by a tree as in the papers ----------------------- */

/* Every 32-bit word gives a partial count; rounds of additions fold the upper half of the partial
 * counts onto the lower one. The papers give each partial count to a thread of a GPU, of which a
 * block has 1024 at the most; on longer rows each of these adds up several words first. */

#define TREE_PARTIALS    1024
#define TREE_SLICE_LEAST 1024 /* candidates that pay for starting a thread */

/* What one slice has done. */
typedef struct tree_figures {
    uint64_t adds, idle, rows_written;
} tree_figures;

/* In an odd round the middle waits for the next one. */
static void tree_fold_any(uint32_t *partial, size_t n, tree_figures *f) {
    while (n > 1) {
        size_t half = n / 2, rest = n - half;
        for (size_t i = 0; i < half; i++) partial[i] += partial[i + rest];
        f->adds += half;
        n = rest;
    }
}

/* Over the next power of two, padded with zeros. */
static void tree_fold_pow2(uint32_t *partial, size_t n, tree_figures *f) {
    for (size_t half = (size_t)bits_next_power_of_two(n) / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < half; i++) {
            f->idle += i + half >= n; /* the partner is padding */
            partial[i] += i + half < n ? partial[i + half] : 0;
        }
        f->adds += half;
        n = n < half ? n : half;
    }
}

/* |a AND b| */
static uint32_t tree_count_row(const backend_papers *p, const uint64_t *a, const uint64_t *b,
                               tree_figures *f) {
    uint32_t partial[TREE_PARTIALS] = {0};
    size_t n_words = (size_t)((p->config.n_columns + 31) / 32);
    size_t n = n_words < TREE_PARTIALS ? n_words : TREE_PARTIALS;
    if (n == 0) return 0;
    for (size_t w = 0; w < n_words; w++) {
        uint64_t word = (a[w / 2] & b[w / 2]) >> (w % 2 * 32) & UINT32_MAX;
        partial[w % TREE_PARTIALS] += p->count_word(word);
    }
    if (p->config.reduce == LODE_REDUCE_POW2) {
        tree_fold_pow2(partial, n, f);
    } else {
        tree_fold_any(partial, n, f);
    }
    return partial[0];
}

typedef struct tree_call {
    backend_papers *p;
    const backend_work *work;
    uint32_t min_count;
    uint32_t *counts;
    tree_figures figures[CPU_MAX_THREADS];
} tree_call;

static lode_status tree_slice(void *arg, unsigned slice, size_t first, size_t end) {
    tree_call *call = arg;
    const backend_device *d = call->p->device;
    tree_figures *f = &call->figures[slice];
    for (size_t i = first; i < end; i++) {
        backend_work w = call->work[i];
        const uint64_t *a = cpu_row(d, w.a), *b = cpu_row(d, w.b);
        call->counts[i] = tree_count_row(call->p, a, b, f);
        if (w.dst == BACKEND_NO_ROW || call->counts[i] < call->min_count) continue;
        d->kernels->and_store(cpu_list(d, w.dst), a, b, d->words);
        f->rows_written++;
    }
    return LODE_OK;
}

lode_status cpu_tree_count(backend_papers *p, const backend_work *work, size_t n,
                           uint32_t min_count, uint32_t *counts) {
    backend_device *d = p->device;
    tree_call call = {.p = p, .work = work, .min_count = min_count, .counts = counts};
    lode_status status = cpu_for_slices(d, n, TREE_SLICE_LEAST, tree_slice, &call);
    d->counters.rows_read += 2 * n;
    for (unsigned i = 0; i < d->threads; i++) {
        d->counters.rows_written += call.figures[i].rows_written;
        p->counters.reduce_adds += call.figures[i].adds;
        p->counters.reduce_idle += call.figures[i].idle;
    }
    return status;
}
