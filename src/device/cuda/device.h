/* device.h - device/api/backend.h on a GPU: a consumer with its own lists, buffers and streams
 *
 * Which file calls which (only downwards):
 *
 *     cuda_backend.c     the table of operations, GPUs, memory of lists; operations on rows
 *      ├ row_kernels.cu     their kernels
 *      ├ ring.c             records up, counts down, through a small pinned buffer
 *      └ card.c             a GPU as its consumers share it: one budget, one copy of the rows
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_DEVICE_H
#define LODE_DEVICE_CUDA_DEVICE_H

#include "device/api/backend.h"
#include "device/cuda/call.h"
#include "device/cuda/card.h"
#include "device/cuda/kernels.h"

#define CUDA_SLOTS        4 /* chunks in flight at the same time */
#define CUDA_SLOT_BYTES   ((size_t)768 << 10)
#define CUDA_SLOT_RESULTS ((size_t)64 << 10) /* counts of one slot */

/* A slot of the ring: pinned memory, its counterpart on the device, and a stream. */
typedef struct cuda_slot {
    cudaStream_t stream;
    cudaEvent_t started, computed, done; /* around the kernels, and after the counts are back */
    uint8_t *host_up, *up;               /* CUDA_SLOT_BYTES */
    uint32_t *host_counts, *counts;      /* CUDA_SLOT_RESULTS */
    size_t first, n;                     /* the records of the batch in this slot; n = 0: free */
} cuda_slot;

typedef struct cuda_buffer {
    void *data;
    size_t bytes;
} cuda_buffer;

struct backend_device {
    lode_job *job;
    cuda_card *card;
    backend_counters counters;
    cuda_count_config config;
    uint64_t n_counted, n_passed; /* recent candidates, to decide about late stores */

    bool shares_rows; /* uses the card's copy of the rows */
    cuda_rows rows;
    size_t row_bytes;
    unsigned n_slabs;
    size_t slab_bytes;

    cuda_slot slots[CUDA_SLOTS];

    cuda_buffer and_dst, and_lists; /* of and_rows() */
};

/* ---- buffers (cuda_backend.c) ---- */

/* Makes the device current for the CUDA calls of this thread. */
LODE_NODISCARD lode_status cuda_bind(backend_device *d);

/* Makes a buffer at least `bytes` large; its contents are lost. */
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

/* Records sent to the device in chunks; each has one count as its result. */
typedef struct cuda_batch {
    const void *records;
    size_t width; /* bytes of a record */
    size_t n;
    cuda_chunk_fn launch; /* called for each chunk … */
    void *arg;            /* … with this */
    uint32_t *counts;     /* receives the results */
} cuda_batch;

/* Sends a batch through the ring: chunks overlap, and the host waits once, at the end. */
LODE_NODISCARD lode_status cuda_ring_run(backend_device *d, const cuda_batch *batch);
/* Waits for the first slot, and adds the time between its two events to the clock. */
LODE_NODISCARD lode_status cuda_ring_settle(backend_device *d);

/* ---- operations ---- */

/* Operations of the tensor miner; see product_device.h. */
extern const backend_products cuda_products;

LODE_NODISCARD lode_status cuda_and_count(backend_device *d, const backend_work *work, size_t n,
                                          uint32_t min_count, uint32_t *counts);
LODE_NODISCARD lode_status cuda_and_rows(backend_device *d, const uint32_t *dst,
                                         const uint32_t *rows, uint32_t k, size_t n);

/* A call of and_count(), which goes through the ring, with any kernel. */
typedef struct cuda_counting {
    const backend_work *work;
    size_t n;
    uint32_t min_count;
    uint32_t *counts;
} cuda_counting;
LODE_NODISCARD lode_status cuda_count_work(backend_device *d, const cuda_counting *c,
                                           cuda_chunk_fn launch, void *arg);

/* Operations of the algorithms of the papers; see papers/cuda. */
extern const struct backend_paper_ops cuda_paper_ops;

#endif
