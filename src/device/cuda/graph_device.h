/* graph_device.h - a GPU that holds graphs
 *
 * All work is queued on one stream. So later work sees what earlier work has written, and memory
 * may be freed while a kernel still reads it. The host waits for results only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_GRAPH_DEVICE_H
#define LODE_DEVICE_CUDA_GRAPH_DEVICE_H

#include "device/api/graph_ops.h"
#include "device/cuda/call.h"
#include "device/cuda/card.h"

/* Tables in transit to the device: pinned memory and its counterpart there, both as large as the
 * largest so far. */
typedef struct graph_stage {
    uint8_t *host, *device;
    size_t bytes;
    cudaEvent_t started, computed, done; /* around the kernels, and after the results are back */
    bool busy;
} graph_stage;

/* Results in transit to the host, in pinned memory. */
typedef struct graph_results {
    uint8_t *host;
    size_t bytes;
    uint32_t n_slots;
} graph_results;

struct backend_graph_device {
    lode_job *job;
    cuda_card *card;
    cudaStream_t stream;
    backend_graphs graphs; /* on the device */
    void *block;           /* their memory */
    size_t block_bytes;
    graph_stage lanes[BACKEND_GRAPH_LANES], build;
    graph_results results[BACKEND_GRAPH_LANES];
    backend_counters counters;
};

extern const backend_graph_ops cuda_graph_ops;

LODE_NODISCARD lode_status graph_bind(backend_graph_device *d);
/* Makes room for `bytes` of tables, once the earlier tables are no longer in use. */
LODE_NODISCARD lode_status graph_stage_need(backend_graph_device *d, graph_stage *s, size_t bytes);
/* Puts an array into a stage at *at, and returns its future address on the device. */
void *graph_stage_put(graph_stage *s, size_t *at, const void *array, size_t bytes);
LODE_NODISCARD lode_status graph_stage_send(backend_graph_device *d, graph_stage *s, size_t bytes);
/* Waits for the results of a stage, and adds its kernels to the clock. */
LODE_NODISCARD lode_status graph_stage_settle(backend_graph_device *d, graph_stage *s);
LODE_NODISCARD lode_status graph_results_need(backend_graph_device *d, graph_results *r,
                                              size_t bytes);

static inline size_t graph_round_up(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

#endif
