/* cpu_backend.c - a virtual device: one thread, one kernel table, its own lists
 *
 * Permanent rows are borrowed from the caller, so any number of virtual devices share them. Lists
 * lie in reserved address space; memory is used, and counted, only as far as lists have been handed
 * out.
 *
 * Two things make and_count() faster than a loop over the kernels:
 *   Sparse left rows. Work comes in runs of equal `a`. If most lines of that row are empty, only
 *     its other lines are looked at: on retail, where a row of 173 lines holds 20 bits, that is the
 *     difference between 32 M and 3 M lines a run.
 *   Late stores. A candidate that fails the threshold needs no row. While fewer than a third of the
 *     candidates pass, counting first and storing the survivors in a second pass moves fewer bytes
 *     (2 + 3f lines for a survival rate f, against 3 for the fused loop).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "base/os.h"
#include "cpu/kernels.h"

/* Results of one batch stay in the second-level cache. */
#define CPU_BATCH_BYTES    ((size_t)1 << 20)
#define CPU_BATCH_MIN      64
#define CPU_BATCH_MAX      65536
#define CPU_BACKING_BYTES  ((size_t)256 << 10) /* lists are counted in steps of this size */
#define CPU_SPARSE_MIN_RUN 4 /* candidates per left row that pay for scanning it */

struct backend_device {
    lode_ctx *ctx;
    const cpu_kernels *kernels;
    const uint64_t *rows;
    uint32_t n_rows;
    size_t words;
    uint64_t *lists;
    size_t space_bytes;  /* address space of the lists */
    size_t backed_bytes; /* the part that is counted in the budget */
    uint32_t *lines;     /* non-empty lines of the left row in work */
    size_t lines_bytes;
    uint64_t n_counted, n_passed; /* recent candidates, for the choice of late stores */
};

static unsigned cpu_probe(char *detail, size_t detail_bytes) {
    const cpu_kernels *kernels = cpu_kernels_pick();
    if (!kernels) {
        snprintf(detail, detail_bytes,
                 "LODE_CPU names a kernel table that cannot run on this processor");
        return 0;
    }
    snprintf(detail, detail_bytes, "%s", kernels->name);
    return 1;
}

static unsigned cpu_count(void) {
    return 1;
}

static unsigned cpu_consumers(const lode_ctx *ctx) {
    return ctx->threads < BACKEND_MAX_SLOTS ? ctx->threads : BACKEND_MAX_SLOTS;
}

static lode_status cpu_open(lode_ctx *ctx, unsigned index, backend_device **out) {
    (void)index;
    backend_device *device = NULL;
    lode_status status = mem_zalloc(&ctx->mem, (void **)&device, sizeof *device);
    if (status != LODE_OK) return status;
    device->ctx = ctx;
    device->kernels = cpu_kernels_pick();
    *out = device;
    return LODE_OK;
}

static void cpu_close(backend_device *device) {
    if (!device) return;
    mem *m = &device->ctx->mem;
    if (device->lists) os_pages_free(device->lists, device->space_bytes);
    mem_discharge(m, device->backed_bytes);
    mem_free(m, device->lines, device->lines_bytes);
    mem_free(m, device, sizeof *device);
}

static uint64_t cpu_fill(const backend_device *device, size_t row_words) {
    (void)device;
    size_t row_bytes = row_words * sizeof(uint64_t);
    size_t n = row_bytes ? CPU_BATCH_BYTES / row_bytes : CPU_BATCH_MAX;
    return n < CPU_BATCH_MIN ? CPU_BATCH_MIN : n > CPU_BATCH_MAX ? CPU_BATCH_MAX : n;
}

static lode_status cpu_set_rows(backend_device *device, const uint64_t *rows, uint32_t n_rows,
                                size_t row_words) {
    size_t lines_bytes = row_words / BACKEND_LINE_WORDS * sizeof *device->lines;
    lode_status status =
        mem_resize(&device->ctx->mem, (void **)&device->lines, device->lines_bytes, lines_bytes);
    if (status != LODE_OK) return status;
    device->lines_bytes = lines_bytes;
    device->rows = rows;
    device->n_rows = n_rows;
    device->words = row_words;
    return LODE_OK;
}

static lode_status cpu_reserve_lists(backend_device *device, uint32_t wanted, uint32_t *granted) {
    size_t list_bytes = device->words * sizeof(uint64_t);
    *granted = 0;
    if (list_bytes == 0) { /* rows without columns need no memory */
        *granted = wanted;
        return LODE_OK;
    }
    for (; wanted > 0; wanted /= 2) {
        size_t bytes = wanted * list_bytes;
        device->lists = bytes / list_bytes == wanted ? os_space_reserve(bytes) : NULL;
        if (device->lists) {
            device->space_bytes = bytes;
            *granted = wanted;
            os_pages_prefer_huge(device->lists, bytes);
            break;
        }
    }
    return LODE_OK;
}

static lode_status cpu_back_lists(backend_device *device, uint32_t n_lists) {
    size_t needed = n_lists * device->words * sizeof(uint64_t);
    if (needed <= device->backed_bytes) return LODE_OK;
    size_t target = needed + CPU_BACKING_BYTES < device->space_bytes ? needed + CPU_BACKING_BYTES
                                                                     : device->space_bytes;
    lode_status status = mem_charge(&device->ctx->mem, target - device->backed_bytes);
    if (status == LODE_OK) device->backed_bytes = target;
    return status;
}

static inline const uint64_t *cpu_row(const backend_device *d, uint32_t row) {
    return row < d->n_rows ? d->rows + (size_t)row * d->words
                           : d->lists + (size_t)(row - d->n_rows) * d->words;
}

static inline uint64_t *cpu_list(const backend_device *d, uint32_t row) {
    return d->lists + (size_t)(row - d->n_rows) * d->words;
}

static bool cpu_line_is_empty(const uint64_t *line) {
    uint64_t any = 0;
    for (size_t i = 0; i < BACKEND_LINE_WORDS; i++) any |= line[i];
    return any == 0;
}

/* Lists the lines of a row that hold a bit. */
static size_t cpu_find_lines(backend_device *d, const uint64_t *row) {
    size_t n_lines = d->words / BACKEND_LINE_WORDS, n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        d->lines[n] = (uint32_t)i;
        n += !cpu_line_is_empty(row + i * BACKEND_LINE_WORDS);
    }
    return n;
}

static void cpu_store_lines(const backend_device *d, uint64_t *dst, const uint64_t *a,
                            const uint64_t *b, size_t n_lines) {
    memset(dst, 0, d->words * sizeof *dst);
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)d->lines[i] * BACKEND_LINE_WORDS;
        for (size_t w = at; w < at + BACKEND_LINE_WORDS; w++) dst[w] = a[w] & b[w];
    }
}

/* One left row against many, looking only at the lines that hold a bit of it. */
static void cpu_run_sparse(backend_device *d, const backend_work *work, size_t n,
                           uint32_t min_count, size_t n_lines, uint32_t *counts) {
    const uint64_t *a = cpu_row(d, work[0].a);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *b = cpu_row(d, work[i].b);
        counts[i] = (uint32_t)d->kernels->and_count_lines(a, b, d->lines, n_lines);
        if (work[i].dst != BACKEND_NO_ROW && counts[i] >= min_count) {
            cpu_store_lines(d, cpu_list(d, work[i].dst), a, b, n_lines);
        }
    }
}

static void cpu_run_dense(backend_device *d, const backend_work *work, size_t n, uint32_t min_count,
                          uint32_t *counts) {
    const cpu_kernels *k = d->kernels;
    const uint64_t *a = cpu_row(d, work[0].a);
    bool late = d->n_passed * 3 < d->n_counted;
    uint64_t passed = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *b = cpu_row(d, work[i].b);
        bool store = work[i].dst != BACKEND_NO_ROW;
        if (store && !late) {
            counts[i] = (uint32_t)k->and_store(cpu_list(d, work[i].dst), a, b, d->words);
        } else {
            counts[i] = (uint32_t)k->and_count(a, b, d->words);
            if (store && counts[i] >= min_count) {
                k->and_store(cpu_list(d, work[i].dst), a, b, d->words);
            }
        }
        passed += counts[i] >= min_count;
    }
    /* A memory of about the last thousand candidates. */
    d->n_counted += n;
    d->n_passed += passed;
    if (d->n_counted > 1024) {
        d->n_counted /= 2;
        d->n_passed /= 2;
    }
}

static lode_status cpu_and_count(backend_device *d, const backend_work *work, size_t n,
                                 uint32_t min_count, uint32_t *counts) {
    size_t n_lines = d->words / BACKEND_LINE_WORDS;
    if (n_lines == 0) { /* rows without columns have no memory either */
        for (size_t i = 0; i < n; i++) counts[i] = 0;
        return LODE_OK;
    }
    for (size_t i = 0; i < n;) {
        size_t run = 1;
        while (i + run < n && work[i + run].a == work[i].a) run++;
        size_t used = n_lines;
        if (run >= CPU_SPARSE_MIN_RUN && n_lines > 2)
            used = cpu_find_lines(d, cpu_row(d, work[i].a));
        if (used * 2 <= n_lines) {
            cpu_run_sparse(d, work + i, run, min_count, used, counts + i);
        } else {
            cpu_run_dense(d, work + i, run, min_count, counts + i);
        }
        i += run;
    }
    return LODE_OK;
}

static lode_status cpu_and_rows(backend_device *d, uint32_t dst, const uint32_t *rows, size_t n) {
    uint64_t *out = cpu_list(d, dst);
    if (d->words == 0) return LODE_OK;
    if (n == 1) {
        memcpy(out, cpu_row(d, rows[0]), d->words * sizeof *out);
        return LODE_OK;
    }
    d->kernels->and_store(out, cpu_row(d, rows[0]), cpu_row(d, rows[1]), d->words);
    for (size_t i = 2; i < n; i++) d->kernels->and_store(out, out, cpu_row(d, rows[i]), d->words);
    return LODE_OK;
}

const lode_backend lode_backend_cpu = {
    .api_version = BACKEND_API_VERSION,
    .name = "cpu",
    .probe = cpu_probe,
    .count = cpu_count,
    .consumers = cpu_consumers,
    .open = cpu_open,
    .close = cpu_close,
    .fill = cpu_fill,
    .set_rows = cpu_set_rows,
    .reserve_lists = cpu_reserve_lists,
    .back_lists = cpu_back_lists,
    .and_count = cpu_and_count,
    .and_rows = cpu_and_rows,
};
