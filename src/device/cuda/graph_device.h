/* graph_device.h - device/api/graph_ops.h on a GPU; also used by pgm on a GPU (src/papers)
 *
 * All work is queued on one stream, so later work sees what earlier work has written. The host
 * waits only for results. Freeing memory waits for the kernels that use it (cuda_card_free()).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_GRAPH_DEVICE_H
#define LODE_DEVICE_CUDA_GRAPH_DEVICE_H

#include "device/api/graph_ops.h"
#include "device/cuda/call.h"
#include "device/cuda/card.h"

/* The tables of one batch, on their way to the device: pinned host memory, and device memory of the
 * same size, for one copy. Both grow to the largest batch so far. */
typedef struct graph_stage {
    uint8_t *host, *device;
    size_t bytes; /* of each */
    /* recorded in the stream: before the kernels, after them, and after the results are back */
    cudaEvent_t started, computed, done;
    bool busy; /* the batch was queued, and graph_stage_settle() has not waited for it yet */
} graph_stage;

/* The results of extend() on the host, in pinned memory: the rows of all slots, then their
 * supports (see backend_graph_slots). */
typedef struct graph_results {
    uint8_t *host;
    size_t bytes;
    uint32_t n_slots;
} graph_results;

struct backend_graph_device {
    lode_job *job;
    cuda_card *card;
    cudaStream_t stream;
    backend_graphs graphs; /* its arrays are in `block` */
    void *block;           /* device memory of block_bytes bytes */
    size_t block_bytes;
    graph_stage lanes[BACKEND_GRAPH_LANES], build; /* of extend(), by lane; of build() */
    graph_results results[BACKEND_GRAPH_LANES];
    backend_counters counters;
};

extern const backend_graph_ops cuda_graph_ops;

/* Makes the GPU the current device of this thread. */
LODE_NODISCARD lode_status graph_bind(backend_graph_device *d);

/* To send tables, call graph_stage_need(), then graph_stage_put() for each table, and then
 * graph_stage_send(). */

/* Waits until the previous batch of the stage is done, and makes room for `bytes` of tables: for
 * each table, its bytes rounded up by graph_round_up(). */
LODE_NODISCARD lode_status graph_stage_need(backend_graph_device *d, graph_stage *s, size_t bytes);
/* Copies a table to the host memory of the stage at *at, and moves *at behind the table. Returns
 * the address that the table will have on the device. */
void *graph_stage_put(graph_stage *s, size_t *at, const void *array, size_t bytes);
/* Queues the copy of the first `bytes` bytes to the device. */
LODE_NODISCARD lode_status graph_stage_send(backend_graph_device *d, graph_stage *s, size_t bytes);
/* Waits for the results of a busy stage, and adds the time of its kernels to the counters. */
LODE_NODISCARD lode_status graph_stage_settle(backend_graph_device *d, graph_stage *s);
/* Makes results at least `bytes` large; their contents are lost. */
LODE_NODISCARD lode_status graph_results_need(backend_graph_device *d, graph_results *r,
                                              size_t bytes);

static inline size_t graph_round_up(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

#endif
