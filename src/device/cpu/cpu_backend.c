/* cpu_backend.c - a virtual device: a kernel table, lists of its own, usually one thread
 *
 * Permanent rows are borrowed from the caller, so any number of virtual devices share them. Lists
 * lie in reserved address space; memory is used, and counted, only as far as lists have been handed
 * out. The operations on rows are in cpu_rows.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/os.h"
#include "base/poison.h"
#include "device/cpu/cpu_graphs.h"
#include "device/cpu/device.h"
#include "runtime/parallel.h"

#define CPU_BATCH_BYTES   ((size_t)1 << 20) /* results of a batch stay in the level-2 cache */
#define CPU_BATCH_MIN     64
#define CPU_BATCH_MAX     65536
#define CPU_BACKING_BYTES ((size_t)256 << 10) /* lists are counted in steps of this size */

static bool cpu_probe(char *detail, size_t detail_bytes) {
    const cpu_kernels *kernels = cpu_kernels_pick();
    if (!kernels) {
        snprintf(detail, detail_bytes, "LODE_CPU names kernels that cannot run on this processor");
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

/* Bytes after the backed lists that are poisoned, so that a sanitizer catches whoever touches
 * them. Not all that is reserved: that may be a thousand times more than is ever used. */
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
