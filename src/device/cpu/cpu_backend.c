/* cpu_backend.c - the CPU backend: virtual devices, which kernels to use, operations on bit rows
 *
 * A virtual device has a table of kernels and lists of its own, and usually one thread. Permanent
 * rows are borrowed from the caller, so that any number of virtual devices can share them. Lists
 * are in reserved address space: only the part of it that back_lists() was called for uses memory
 * and counts in the budget.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os.h"
#include "device/cpu/cpu_graphs.h"
#include "device/cpu/device.h"
#include "device/cpu/kernels.h"
#include "runtime/parallel.h"

#define CPU_BATCH_BYTES   ((size_t)1 << 20) /* results of a batch stay in the level-2 cache */
#define CPU_BATCH_MIN     64
#define CPU_BATCH_MAX     65536
#define CPU_BACKING_BYTES ((size_t)256 << 10) /* lists are counted in steps of this size */

static bool cpu_probe(char *detail, size_t detail_bytes) {
    const cpu_kernels *kernels = cpu_kernels_pick();
    if (!kernels) {
        snprintf(detail, detail_bytes, "LODE_CPU names kernels that this processor cannot run");
        return false;
    }
    snprintf(detail, detail_bytes, "%s", kernels->name);
    return true;
}

static unsigned cpu_count(void) {
    return 1;
}

static unsigned cpu_consumers(const lode_job *job) {
    return job->threads < BACKEND_MAX_SLOTS ? job->threads : BACKEND_MAX_SLOTS;
}

static lode_status cpu_open(lode_job *job, unsigned index, unsigned threads, backend_device **out) {
    (void)index;
    backend_device *device = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&device, sizeof *device);
    if (status != LODE_OK) return status;
    device->job = job;
    device->threads = threads == 0 ? 1 : threads < CPU_MAX_THREADS ? threads : CPU_MAX_THREADS;
    device->kernels = cpu_kernels_pick();
    *out = device;
    return LODE_OK;
}

/* Bytes after the backed lists that are poisoned, so that a sanitizer reports any access to them.
 * Not the whole reserved range, which may be a thousand times larger than what is ever used. */
static size_t cpu_fence(const backend_device *device) {
    size_t left = device->space_bytes - device->backed_bytes;
    return left < CPU_BACKING_BYTES ? left : CPU_BACKING_BYTES;
}

static void cpu_close(backend_device *device) {
    if (!device) return;
    mem *m = &device->job->mem;
    if (device->lists) {
        unpoison((char *)device->lists + device->backed_bytes, cpu_fence(device));
        os_pages_free(device->lists, device->space_bytes);
    }
    mem_discharge(m, device->backed_bytes);
    mem_free(m, device->lines, device->lines_bytes);
    mem_free(m, device, sizeof *device);
}

static backend_counters cpu_counters(const backend_device *device) {
    return device->counters;
}

static uint64_t cpu_fill(const backend_device *device, size_t row_words) {
    (void)device;
    size_t row_bytes = row_words * sizeof(uint64_t);
    size_t n = row_bytes ? CPU_BATCH_BYTES / row_bytes : CPU_BATCH_MAX;
    return n < CPU_BATCH_MIN ? CPU_BATCH_MIN : n > CPU_BATCH_MAX ? CPU_BATCH_MAX : n;
}

static lode_status cpu_set_rows(backend_device *device, const uint64_t *rows, uint32_t n_rows,
                                size_t row_words) {
    size_t lines = row_words / BACKEND_LINE_WORDS * device->threads;
    lode_status status = mem_resize(&device->job->mem, (void **)&device->lines, device->lines_bytes,
                                    lines * sizeof *device->lines);
    if (status != LODE_OK) return status;
    device->lines_bytes = lines * sizeof *device->lines;
    device->rows = rows;
    device->n_rows = n_rows;
    device->words = row_words;
    return LODE_OK;
}

static size_t cpu_list_room(const backend_device *device) {
    (void)device;
    return SIZE_MAX;
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
            poison((char *)device->lists + device->backed_bytes, cpu_fence(device));
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
    lode_status status = mem_charge(&device->job->mem, target - device->backed_bytes);
    if (status != LODE_OK) return status;
    unpoison((char *)device->lists + device->backed_bytes, target - device->backed_bytes);
    device->backed_bytes = target;
    poison((char *)device->lists + target, cpu_fence(device));
    return LODE_OK;
}

/* ---- slices -------------------------------------------------------------------------------- */

typedef struct slices {
    cpu_slice_fn fn;
    void *arg;
    size_t n;
    unsigned n_slices;
} slices;

static lode_status run_slice(void *arg, unsigned worker) {
    const slices *s = arg;
    return s->fn(s->arg, worker, s->n * worker / s->n_slices, s->n * (worker + 1) / s->n_slices);
}

lode_status cpu_for_slices(backend_device *d, size_t n, size_t least, cpu_slice_fn fn, void *arg) {
    slices s = {.fn = fn, .arg = arg, .n = n, .n_slices = d->threads};
    if (n / d->threads < least) s.n_slices = 1;
    if (s.n_slices == 1) return fn(arg, 0, 0, n);
    return parallel_run(d->job, s.n_slices, false, run_slice, &s);
}

const lode_backend lode_backend_cpu = {
    .name = "cpu",
    .probe = cpu_probe,
    .count = cpu_count,
    .consumers = cpu_consumers,
    .open = cpu_open,
    .close = cpu_close,
    .counters = cpu_counters,
    .fill = cpu_fill,
    .set_rows = cpu_set_rows,
    .list_room = cpu_list_room,
    .reserve_lists = cpu_reserve_lists,
    .back_lists = cpu_back_lists,
    .and_count = cpu_and_count,
    .and_rows = cpu_and_rows,
    .graphs = &cpu_graph_ops,
    .products = &cpu_products,
    .papers = &cpu_paper_ops,
};

/* ---- which kernels this processor can run ---------------------------------------------------- */

/* Compiled without instruction-set flags, so that asking cannot crash on an old processor. */

extern const cpu_kernels cpu_kernels_scalar;

#if defined(__x86_64__)
extern const cpu_kernels cpu_kernels_avx2, cpu_kernels_avx512;

bool cpu_has_avx512(void);
bool cpu_has_avx2(void);

bool cpu_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
}

bool cpu_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static const cpu_kernels *const kernel_list[] = {&cpu_kernels_avx512, &cpu_kernels_avx2,
                                                 &cpu_kernels_scalar};
#elif defined(__aarch64__)
extern const cpu_kernels cpu_kernels_neon;

static const cpu_kernels *const kernel_list[] = {&cpu_kernels_neon, &cpu_kernels_scalar};
#else
static const cpu_kernels *const kernel_list[] = {&cpu_kernels_scalar};
#endif

#define N_KERNELS (sizeof kernel_list / sizeof *kernel_list)

const cpu_kernels *cpu_kernels_at(size_t i) {
    return i < N_KERNELS ? kernel_list[i] : NULL;
}

const cpu_kernels *cpu_kernels_pick(void) {
    const char *forced = getenv("LODE_CPU");
    for (size_t i = 0; i < N_KERNELS; i++) {
        bool wanted = !forced || strcmp(forced, kernel_list[i]->name) == 0;
        if (wanted && kernel_list[i]->usable()) return kernel_list[i];
    }
    return NULL;
}

/* ---- the CPU backend's operations on rows of bits -------------------------------------------- */

/* Two things make and_count() faster than a loop over the kernels:
 *   Sparse left rows. Work comes in runs of equal `a`. If most lines of that row are empty, only
 *     its other lines are looked at: a row of retail has 173 lines and often 20 bits.
 *   Late stores. A candidate that fails the threshold needs no row. While fewer than a third of the
 *     candidates pass, counting first and storing the survivors in a second pass moves fewer bytes
 *     (2 + 3f lines for a survival rate f, against 3 for the fused loop). */

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
