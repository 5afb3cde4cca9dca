/* device.h - the CPU implementation of device/api/backend.h: a virtual device
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CPU_DEVICE_H
#define LODE_DEVICE_CPU_DEVICE_H

#include "base/check.h"
#include "device/api/backend.h"
#include "device/cpu/kernels.h"

#define CPU_MAX_THREADS 64

struct backend_device {
    lode_job *job;
    unsigned threads; /* host threads that an operation may use: 1 … CPU_MAX_THREADS */
    const cpu_kernels *kernels;
    backend_counters counters;
    const uint64_t *rows; /* the permanent rows, which belong to the caller of set_rows() */
    uint32_t n_rows;
    size_t words; /* of each row */
    uint64_t *lists;
    size_t space_bytes;  /* address space of the lists */
    size_t backed_bytes; /* how much of that space, from its start, has memory (in the budget) */
    uint32_t *lines;     /* for each thread, room for the numbers of all lines of a row */
    size_t lines_bytes;
    /* How many of the last thousand or so candidates were frequent. While these are few, rows are
     * stored in a second pass, after counting (a late store; see cpu_backend.c). */
    uint64_t n_counted, n_passed;
};

/* The words of a row: a permanent one or a list. */
static inline const uint64_t *cpu_row(const backend_device *d, uint32_t row) {
    return row < d->n_rows ? d->rows + (size_t)row * d->words
                           : d->lists + (size_t)(row - d->n_rows) * d->words;
}

/* The words of a list, to write to. It must have memory. */
static inline uint64_t *cpu_list(const backend_device *d, uint32_t row) {
    size_t end = ((size_t)row - d->n_rows + 1) * d->words * sizeof *d->lists;
    LODE_DEBUG_CHECK(row >= d->n_rows && end <= d->backed_bytes,
                     "list %u ends at byte %zu, but only %zu bytes are allocated", row - d->n_rows,
                     end, d->backed_bytes);
    return d->lists + (size_t)(row - d->n_rows) * d->words;
}

/* A function that processes [first, end), which is slice number `slice`, on some thread. */
typedef lode_status (*cpu_slice_fn)(void *arg, unsigned slice, size_t first, size_t end);

/* Runs fn over [0, n) in one slice per thread of the device, or in a single slice if slices would
 * be shorter than `least`. */
LODE_NODISCARD lode_status cpu_for_slices(backend_device *d, size_t n, size_t least,
                                          cpu_slice_fn fn, void *arg);

/* and_count() and and_rows() of backend.h. */
LODE_NODISCARD lode_status cpu_and_count(backend_device *d, const backend_work *work, size_t n,
                                         uint32_t min_count, uint32_t *counts);
LODE_NODISCARD lode_status cpu_and_rows(backend_device *d, const uint32_t *dst,
                                        const uint32_t *rows, uint32_t k, size_t n);

/* Operations of the tensor miner; see product.h. */
extern const backend_products cpu_products;

/* Operations of the algorithms of the papers; see src/papers/cpu. */
extern const struct backend_paper_ops cpu_paper_ops;

/* Writes the numbers of the 64-byte lines of a row that have at least one bit set to `lines`, which
 * must have room for all lines. Returns how many there are. */
size_t cpu_find_lines(const backend_device *d, const uint64_t *row, uint32_t *lines);

#endif
