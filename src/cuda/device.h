/* device.h - backend/backend.h on a GPU: a consumer with lists, buffers and streams of its own
 *
 * Which file calls which (only downwards):
 *
 *     cuda_backend.c     the table of operations: what GPUs there are, where lists lie
 *      ├ cuda_rows.c        operations on rows       row_kernels.cu tree_kernels.cu
 *      class_kernels.cu └ cuda_sets.c        operations on itemsets   set_kernels.cu
 *         ├ ring.c             records up, counts down, through a little pinned memory
 *         ├ cuda_buffers.c     device memory that grows
 *         └ card.c             a GPU as its consumers share it: one budget, one copy of the rows
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_DEVICE_H
#define LODE_CUDA_DEVICE_H

#include "backend/backend.h"
#include "cuda/call.h"
#include "cuda/card.h"
#include "cuda/kernels.h"

#define CUDA_SLOTS        4 /* chunks on their way at the same time */
#define CUDA_SLOT_BYTES   ((size_t)768 << 10)
#define CUDA_SLOT_RESULTS ((size_t)64 << 10) /* counts of one slot */

/* A slot of the ring: pinned memory, its counterpart on the device, and a stream. */
typedef struct cuda_slot {
    cudaStream_t stream;
    cudaEvent_t started, computed, done; /* around the kernels, and after the counts are back */
    uint8_t *host_up, *up;               /* CUDA_SLOT_BYTES */
    uint32_t *host_counts, *counts;      /* CUDA_SLOT_RESULTS */
    size_t first, n;                     /* records of the batch that it has; n = 0: free */
} cuda_slot;

/* A device buffer that grows. */
typedef struct cuda_buffer {
    void *data;
    size_t bytes;
} cuda_buffer;

struct backend_device {
    lode_job *job;
    cuda_card *card;
    backend_counters counters;
    cuda_config config;
    uint64_t n_counted, n_passed; /* recent candidates, for the choice of late stores */

    bool shares_rows; /* of the card */
    cuda_rows rows;
    size_t row_bytes;
    unsigned n_slabs;
    size_t slab_bytes;
    cuda_buffer table; /* for CUDA_POPCOUNT_TABLE16 */

    cuda_slot slots[CUDA_SLOTS];

    /* operations on classes, then those on sets */
    cuda_buffer prefixes, members, class_of, cached, build_dst, scratch;
    cuda_buffer sets, group_end, set_rows, places, all, keep, pairs, pair_counts, kept_counts;
    cuda_buffer totals;
    backend_sets level; /* use_sets(): on the host, borrowed */
    const uint32_t *host_group_end;
};

/* ---- buffers (cuda_buffers.c) ---- */

/* Makes the device the one that CUDA calls of this thread go to. */
LODE_NODISCARD lode_status cuda_bind(backend_device *d);

/* Makes a buffer at least so many bytes large; its contents are lost. */
LODE_NODISCARD lode_status cuda_buffer_need(backend_device *d, cuda_buffer *buffer, size_t bytes);
/* Fills a buffer from host memory, on the first stream. */
LODE_NODISCARD lode_status cuda_buffer_fill(backend_device *d, cuda_buffer *buffer,
                                            const void *host, size_t bytes);
void cuda_buffer_free(backend_device *d, cuda_buffer *buffer);

/* ---- the ring (ring.c) ---- */

LODE_NODISCARD lode_status cuda_ring_open(backend_device *d);
void cuda_ring_close(backend_device *d);

/* Launches the kernels of a chunk; slot->up has its records. */
typedef cudaError_t (*cuda_chunk_fn)(void *arg, cuda_slot *slot);

/* Records that are sent to the device in chunks; each has one count as its result. */
typedef struct cuda_batch {
    const void *records;
    size_t width; /* bytes of a record */
    size_t n;
    cuda_chunk_fn launch; /* called for each chunk … */
    void *arg;            /* … with this */
    uint32_t *counts;     /* where results go */
} cuda_batch;

/* Sends a batch through the ring: chunks overlap, and the host waits once, at the end. */
LODE_NODISCARD lode_status cuda_ring_run(backend_device *d, const cuda_batch *batch);
/* An array of the device to be fetched. */
typedef struct cuda_result {
    void *host;
    const void *from;
    size_t width; /* bytes of an entry */
} cuda_result;

/* Numbers on the device, the last of which says how many entries of some arrays are wanted. */
typedef struct cuda_totals {
    const uint32_t *from;
    uint32_t *host;
    size_t n;
    size_t most; /* the last number is at most this */
} cuda_totals;

/* Fetches the totals and so many entries of each array: in one round trip, unless they are very
 * many. */
LODE_NODISCARD lode_status cuda_fetch_counted(backend_device *d, const cuda_totals *totals,
                                              const cuda_result *arrays, size_t n_arrays);
/* Fetches bytes through the pinned memory of the first slot, whose stream it waits for. */
LODE_NODISCARD lode_status cuda_fetch(backend_device *d, void *host, const void *from,
                                      size_t bytes);
/* Waits for the first slot and adds the kernels between its two events to the clock. */
LODE_NODISCARD lode_status cuda_ring_settle(backend_device *d);

/* ---- operations ---- */

/* Classes of rows; see product_device.h. */
extern const backend_products cuda_products;

LODE_NODISCARD lode_status cuda_and_count(backend_device *d, const backend_work *work, size_t n,
                                          uint32_t min_count, uint32_t *counts);
LODE_NODISCARD lode_status cuda_and_count_lists(backend_device *d, const uint32_t *rows, uint32_t k,
                                                size_t n, uint32_t *counts);
LODE_NODISCARD lode_status cuda_and_count_classes(backend_device *d, const backend_classes *classes,
                                                  const uint32_t *cache, size_t n_cache,
                                                  uint32_t *counts);
LODE_NODISCARD lode_status cuda_and_rows(backend_device *d, const uint32_t *dst,
                                         const uint32_t *rows, uint32_t k, size_t n);
LODE_NODISCARD lode_status cuda_use_sets(backend_device *d, const backend_sets *sets,
                                         const uint32_t *group_end, const uint32_t *rows);
LODE_NODISCARD lode_status cuda_join_sets(backend_device *d, size_t first, size_t end,
                                          backend_joined *out);
LODE_NODISCARD lode_status cuda_join_count(backend_device *d, size_t first, size_t end,
                                           uint32_t min_count, backend_joined *out);
LODE_NODISCARD lode_status cuda_or_pairs(backend_device *d, uint32_t k, backend_grid grid,
                                         uint64_t first, uint64_t end, backend_pair *pairs,
                                         size_t *n_pairs);

#endif
