/* device.h - device/api/backend.h on a GPU: a consumer with its own lists, buffers and streams
 *
 * Which file calls which (only downwards):
 *
 *     cuda_backend.c     the table of operations, the number of GPUs, memory of lists
 *      ├ row_kernels.cu     the kernels of the operations on rows
 *      ├ ring.c             sends records to the GPU and fetches counts, through pinned memory
 *      └ card.c             what the consumers share: one budget, one copy of the rows
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_DEVICE_H
#define LODE_DEVICE_CUDA_DEVICE_H

#include "device/api/backend.h"
#include "device/cuda/call.h"
#include "device/cuda/card.h"
#include "device/cuda/kernels.h"

#define CUDA_SLOTS        4                   /* chunks of a batch in flight at the same time */
#define CUDA_SLOT_BYTES   ((size_t)768 << 10) /* most bytes of records in a chunk */
#define CUDA_SLOT_RESULTS ((size_t)64 << 10)  /* most counts of a chunk */

/* A slot of the ring (see ring.c): holds one chunk of a batch at a time. The host_ arrays are in
 * pinned host memory; `up` and `counts` are the corresponding arrays in device memory. */
typedef struct cuda_slot {
    cudaStream_t stream;
    /* recorded in the stream: before the kernels, after them, and after the counts are back */
    cudaEvent_t started, computed, done;
    uint8_t *host_up, *up;          /* records; CUDA_SLOT_BYTES */
    uint32_t *host_counts, *counts; /* CUDA_SLOT_RESULTS entries */
    size_t first, n;                /* the chunk: records first … first + n - 1; n = 0: free */
} cuda_slot;

/* Device memory that grows as needed. */
typedef struct cuda_buffer {
    void *data;
    size_t bytes;
} cuda_buffer;

struct backend_device {
    lode_job *job;
    cuda_card *card;
    backend_counters counters;
    cuda_count_config config; /* for the next launch of and_count() */
    /* How many of the last hundred thousand or so candidates were frequent. While these are few,
     * long rows are stored in a second launch, after counting (a late store; see row_code.cuh). */
    uint64_t n_counted, n_passed;

    bool shares_rows; /* set_rows() succeeded: rows.items is the card's copy of the item rows */
    cuda_rows rows;
    size_t row_bytes;  /* of each row */
    unsigned n_slabs;  /* slabs of lists that have memory */
    size_t slab_bytes; /* of each slab */

    cuda_slot slots[CUDA_SLOTS];

    cuda_buffer and_dst, and_lists; /* the arguments of and_rows(), in device memory */
};

/* ---- buffers (cuda_backend.c) ---- */

/* Makes the GPU the current device of this thread. */
LODE_NODISCARD lode_status cuda_bind(backend_device *d);

/* Makes a buffer at least `bytes` large. If it has to grow, its contents are lost. */
LODE_NODISCARD lode_status cuda_buffer_need(backend_device *d, cuda_buffer *buffer, size_t bytes);
/* Queues a copy from host memory to a buffer, on the stream of slot 0, and makes the buffer large
 * enough. `host` may change when this returns. */
LODE_NODISCARD lode_status cuda_buffer_fill(backend_device *d, cuda_buffer *buffer,
                                            const void *host, size_t bytes);
void cuda_buffer_free(backend_device *d, cuda_buffer *buffer);

/* ---- the ring (ring.c) ---- */

LODE_NODISCARD lode_status cuda_ring_open(backend_device *d);
void cuda_ring_close(backend_device *d);

/* Launches, on slot->stream, the kernels for the slot->n records in slot->up; they must write one
 * count for each to slot->counts. */
typedef cudaError_t (*cuda_chunk_fn)(void *arg, cuda_slot *slot);

/* Records that the ring sends to the device in chunks; each record gives one count. */
typedef struct cuda_batch {
    const void *records;
    size_t width; /* bytes of a record */
    size_t n;
    cuda_chunk_fn launch; /* called for each chunk … */
    void *arg;            /* … with this */
    uint32_t *counts;     /* receives the results */
} cuda_batch;

/* Sends a batch through the ring; returns when all counts are on the host. */
LODE_NODISCARD lode_status cuda_ring_run(backend_device *d, const cuda_batch *batch);
/* For work that was queued on the stream of slot 0, between its events `started` and `computed`:
 * waits for it, and adds the time between the events to counters.kernel_seconds. */
LODE_NODISCARD lode_status cuda_ring_settle(backend_device *d);

/* ---- operations ---- */

/* Operations of the tensor miner; see product_device.h. */
extern const backend_products cuda_products;

/* and_count() and and_rows() of backend.h. */
LODE_NODISCARD lode_status cuda_and_count(backend_device *d, const backend_work *work, size_t n,
                                          uint32_t min_count, uint32_t *counts);
LODE_NODISCARD lode_status cuda_and_rows(backend_device *d, const uint32_t *dst,
                                         const uint32_t *rows, uint32_t k, size_t n);

/* The arguments of and_count(). */
typedef struct cuda_counting {
    const backend_work *work;
    size_t n;
    uint32_t min_count;
    uint32_t *counts;
} cuda_counting;
/* Does and_count() with other kernels: sends the work through the ring and calls launch(arg, slot)
 * for each chunk. */
LODE_NODISCARD lode_status cuda_count_work(backend_device *d, const cuda_counting *c,
                                           cuda_chunk_fn launch, void *arg);

/* Operations of the algorithms of the papers; see src/papers/cuda. */
extern const struct backend_paper_ops cuda_paper_ops;

#endif
