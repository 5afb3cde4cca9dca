/* cpu_rows.c - the CPU backend's operations on bit rows
 *
 * Two things make and_count() faster than a loop over the kernels:
 *   Sparse left rows. Work comes in runs of equal `a`. If most lines of that row are empty, only
 *     its other lines are looked at: a row of retail has 173 lines and often 20 bits.
 *   Late stores. A candidate that fails the threshold needs no row. While fewer than a third of the
 *     candidates pass, counting first and storing the survivors in a second pass moves fewer bytes
 *     (2 + 3f lines for a survival rate f, against 3 for the fused loop).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "cpu/device.h"

#define CPU_SPARSE_MIN_RUN 4    /* candidates per left row that pay for scanning it */
#define CPU_SLICE_LEAST    1024 /* candidates that pay for starting a thread */
#define CPU_PIECE_WORDS    256  /* of an intermediate result */
#define CPU_TREE_PARTIALS  1024 /* threads of a block in the papers; longer rows are strided over */

/* What one slice of and_count() works with and adds up. */
typedef struct and_slice {
    backend_device *d;
    uint32_t *lines;
    uint32_t min_count;
    bool late; /* store in a second pass */
    uint64_t passed;
    backend_counters counters;
} and_slice;

static bool line_is_empty(const uint64_t *line) {
    uint64_t any = 0;
    for (size_t i = 0; i < BACKEND_LINE_WORDS; i++) any |= line[i];
    return any == 0;
}

size_t cpu_find_lines(const backend_device *d, const uint64_t *row, uint32_t *lines) {
    size_t n_lines = d->words / BACKEND_LINE_WORDS, n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        lines[n] = (uint32_t)i;
        n += !line_is_empty(row + i * BACKEND_LINE_WORDS);
    }
    return n;
}

static void store_lines(const and_slice *s, uint64_t *dst, const uint64_t *a, const uint64_t *b,
                        size_t n_lines) {
    if (s->d->words == 0) return; /* there is no memory behind lists of no width */
    memset(dst, 0, s->d->words * sizeof *dst);
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)s->lines[i] * BACKEND_LINE_WORDS;
        for (size_t w = at; w < at + BACKEND_LINE_WORDS; w++) dst[w] = a[w] & b[w];
    }
}

/* One left row against many, looking only at the lines that hold a bit of it. */
static void run_sparse(and_slice *s, const backend_work *work, size_t n, size_t n_lines,
                       uint32_t *counts) {
    backend_device *d = s->d;
    const uint64_t *a = cpu_row(d, work[0].a);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *b = cpu_row(d, work[i].b);
        counts[i] = (uint32_t)d->kernels->and_count_lines(a, b, s->lines, n_lines);
        if (work[i].dst == BACKEND_NO_ROW || counts[i] < s->min_count) continue;
        store_lines(s, cpu_list(d, work[i].dst), a, b, n_lines);
        s->counters.rows_written++;
    }
}

static void run_dense(and_slice *s, const backend_work *work, size_t n, uint32_t *counts) {
    backend_device *d = s->d;
    const cpu_kernels *k = d->kernels;
    const uint64_t *a = cpu_row(d, work[0].a);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *b = cpu_row(d, work[i].b);
        bool store = work[i].dst != BACKEND_NO_ROW;
        if (store && !s->late) {
            counts[i] = (uint32_t)k->and_store(cpu_list(d, work[i].dst), a, b, d->words);
        } else {
            counts[i] = (uint32_t)k->and_count(a, b, d->words);
            store = store && counts[i] >= s->min_count;
            if (store) k->and_store(cpu_list(d, work[i].dst), a, b, d->words);
        }
        s->counters.rows_written += store;
    }
}

/* The papers' way: a partial count per word and a tree. */
static void run_tree(and_slice *s, const backend_work *work, size_t n, uint32_t *counts) {
    backend_device *d = s->d;
    const uint64_t *a = cpu_row(d, work[0].a);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *b = cpu_row(d, work[i].b);
        counts[i] = (uint32_t)cpu_tree_count(d, a, b, &s->counters);
        if (work[i].dst == BACKEND_NO_ROW || counts[i] < s->min_count) continue;
        d->kernels->and_store(cpu_list(d, work[i].dst), a, b, d->words);
        s->counters.rows_written++;
    }
}

static void run_left(and_slice *s, const backend_work *work, size_t n, uint32_t *counts) {
    const backend_device *d = s->d;
    size_t n_lines = d->words / BACKEND_LINE_WORDS, used = n_lines;
    if (d->tuning.reduce != BACKEND_REDUCE_SUM) {
        run_tree(s, work, n, counts);
        return;
    }
    if (n >= CPU_SPARSE_MIN_RUN && n_lines > 2)
        used = cpu_find_lines(d, cpu_row(d, work[0].a), s->lines);
    if (used * 2 <= n_lines) {
        run_sparse(s, work, n, used, counts);
    } else {
        run_dense(s, work, n, counts);
    }
}

typedef struct and_call {
    const backend_work *work;
    uint32_t *counts;
    and_slice slices[CPU_MAX_THREADS];
} and_call;

static lode_status and_count_slice(void *arg, unsigned slice, size_t first, size_t end) {
    and_call *call = arg;
    and_slice *s = &call->slices[slice];
    for (size_t i = first; i < end;) {
        size_t run = 1;
        while (i + run < end && call->work[i + run].a == call->work[i].a) run++;
        run_left(s, call->work + i, run, call->counts + i);
        for (size_t j = i; j < i + run; j++) s->passed += call->counts[j] >= s->min_count;
        i += run;
    }
    s->counters.rows_read += 2 * (end - first);
    return LODE_OK;
}

static void add_counters(backend_counters *to, const backend_counters *from) {
    to->rows_read += from->rows_read;
    to->rows_written += from->rows_written;
    to->work_items += from->work_items;
    to->reduce_adds += from->reduce_adds;
    to->reduce_idle += from->reduce_idle;
}

lode_status cpu_and_count(backend_device *d, const backend_work *work, size_t n, uint32_t min_count,
                          uint32_t *counts) {
    and_call call = {.work = work, .counts = counts};
    for (unsigned i = 0; i < d->threads; i++) {
        call.slices[i] = (and_slice){.d = d, .min_count = min_count};
        call.slices[i].lines = d->lines + i * (d->words / BACKEND_LINE_WORDS);
        call.slices[i].late = d->n_passed * 3 < d->n_counted;
    }
    lode_status status = cpu_for_slices(d, n, CPU_SLICE_LEAST, and_count_slice, &call);
    d->n_counted += n;
    for (unsigned i = 0; i < d->threads; i++) {
        d->n_passed += call.slices[i].passed;
        add_counters(&d->counters, &call.slices[i].counters);
    }
    while (d->n_counted > 1024) { /* a memory of about the last thousand */
        d->n_counted /= 2;
        d->n_passed /= 2;
    }
    return status;
}

/* ---- more than two rows -------------------------------------------------------------------- */

typedef struct list_call {
    backend_device *d;
    const uint32_t *rows, *dst;
    uint32_t k;
    uint32_t *counts;
} list_call;

/* |a AND …| over the named lines: the intermediate result is one line. */
static uint64_t count_list_lines(const backend_device *d, const uint32_t *rows, uint32_t k,
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
static uint64_t count_list_pieces(const backend_device *d, const uint32_t *rows, uint32_t k) {
    uint64_t piece[CPU_PIECE_WORDS] __attribute__((aligned(64)));
    uint64_t n = 0;
    for (size_t at = 0; at < d->words; at += CPU_PIECE_WORDS) {
        size_t words = d->words - at < CPU_PIECE_WORDS ? d->words - at : CPU_PIECE_WORDS;
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
    if (k == 1) return d->kernels->count(a, d->words);
    if (k == 2 && lines) {
        return d->kernels->and_count_lines(a, cpu_row(d, rows[1]), lines, n_lines);
    }
    if (k == 2) return d->kernels->and_count(a, cpu_row(d, rows[1]), d->words);
    return lines ? count_list_lines(d, rows, k, lines, n_lines) : count_list_pieces(d, rows, k);
}

static lode_status count_lists_slice(void *arg, unsigned slice, size_t first, size_t end) {
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

lode_status cpu_and_count_lists(backend_device *d, const uint32_t *rows, uint32_t k, size_t n,
                                uint32_t *counts) {
    list_call call = {.d = d, .rows = rows, .k = k, .counts = counts};
    d->counters.rows_read += n * k;
    return cpu_for_slices(d, n, CPU_SLICE_LEAST, count_lists_slice, &call);
}

static lode_status and_rows_slice(void *arg, unsigned slice, size_t first, size_t end) {
    (void)slice;
    const list_call *call = arg;
    const backend_device *d = call->d;
    for (size_t i = first; i < end; i++) {
        const uint32_t *rows = call->rows + i * call->k;
        uint64_t *out = cpu_list(d, call->dst[i]);
        if (d->words == 0) continue;
        if (call->k == 1) {
            memcpy(out, cpu_row(d, rows[0]), d->words * sizeof *out);
            continue;
        }
        d->kernels->and_store(out, cpu_row(d, rows[0]), cpu_row(d, rows[1]), d->words);
        for (uint32_t r = 2; r < call->k; r++) {
            d->kernels->and_store(out, out, cpu_row(d, rows[r]), d->words);
        }
    }
    return LODE_OK;
}

lode_status cpu_and_rows(backend_device *d, const uint32_t *dst, const uint32_t *rows, uint32_t k,
                         size_t n) {
    list_call call = {.d = d, .rows = rows, .dst = dst, .k = k};
    d->counters.rows_read += n * k;
    d->counters.rows_written += n;
    return cpu_for_slices(d, n, CPU_SLICE_LEAST, and_rows_slice, &call);
}

/* ---- trees --------------------------------------------------------------------------------- */

/* Folds the upper half onto the lower one; in an odd round the middle waits for the next. */
static void fold_any(uint32_t *partial, size_t n, backend_counters *counters) {
    while (n > 1) {
        size_t half = n / 2, rest = n - half;
        for (size_t i = 0; i < half; i++) partial[i] += partial[i + rest];
        counters->reduce_adds += half;
        n = rest;
    }
}

static void fold_pow2(uint32_t *partial, size_t n, backend_counters *counters) {
    for (size_t half = (size_t)bits_next_power_of_two(n) / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < half; i++) {
            counters->reduce_idle += i + half >= n; /* the partner is padding */
            partial[i] += i + half < n ? partial[i + half] : 0;
        }
        counters->reduce_adds += half;
        n = n < half ? n : half;
    }
}

uint64_t cpu_tree_count(backend_device *d, const uint64_t *a, const uint64_t *b,
                        backend_counters *counters) {
    uint32_t partial[CPU_TREE_PARTIALS] = {0};
    size_t n_words = (size_t)((d->tuning.n_columns + 31) / 32);
    size_t n = n_words < CPU_TREE_PARTIALS ? n_words : CPU_TREE_PARTIALS;
    if (n == 0) return 0;
    for (size_t w = 0; w < n_words; w++) {
        uint64_t word = (a[w / 2] & b[w / 2]) >> (w % 2 * 32) & UINT32_MAX;
        partial[w % CPU_TREE_PARTIALS] += d->kernels->count_word(word);
    }
    if (d->tuning.reduce == BACKEND_REDUCE_POW2) {
        fold_pow2(partial, n, counters);
    } else {
        fold_any(partial, n, counters);
    }
    return partial[0];
}
