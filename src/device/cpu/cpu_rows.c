/* cpu_rows.c - the CPU backend's operations on rows of bits
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

#include "device/cpu/device.h"

#define CPU_SPARSE_MIN_RUN 4    /* candidates per left row that pay for scanning it */
#define CPU_SLICE_LEAST    1024 /* candidates that pay for starting a thread */

/* What one slice of and_count() works with and adds up. */
typedef struct and_slice {
    backend_device *d;
    uint32_t *lines;
    uint32_t min_count;
    bool late; /* store in a second pass */
    uint64_t passed;
    uint64_t rows_read, rows_written;
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
    if (s->d->words == 0) return; /* there is no memory after lists of no width */
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
        s->rows_written++;
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
        s->rows_written += store;
    }
}

static void run_left(and_slice *s, const backend_work *work, size_t n, uint32_t *counts) {
    const backend_device *d = s->d;
    size_t n_lines = d->words / BACKEND_LINE_WORDS, used = n_lines;
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
    s->rows_read += 2 * (end - first);
    return LODE_OK;
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
        d->counters.rows_read += call.slices[i].rows_read;
        d->counters.rows_written += call.slices[i].rows_written;
    }
    while (d->n_counted > 1024) { /* a memory of about the last thousand */
        d->n_counted /= 2;
        d->n_passed /= 2;
    }
    return status;
}

/* ---- more than two rows -------------------------------------------------------------------- */

typedef struct rows_call {
    backend_device *d;
    const uint32_t *rows, *dst;
    uint32_t k;
} rows_call;

static lode_status and_rows_slice(void *arg, unsigned slice, size_t first, size_t end) {
    (void)slice;
    const rows_call *call = arg;
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
    rows_call call = {.d = d, .rows = rows, .dst = dst, .k = k};
    d->counters.rows_read += n * k;
    d->counters.rows_written += n;
    return cpu_for_slices(d, n, CPU_SLICE_LEAST, and_rows_slice, &call);
}
