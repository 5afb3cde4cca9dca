/* graph_ops.h - the interface of a device for the miners of subgraphs
 *
 * As in backend.h, a device sees arrays and shapes (graph_shapes.h), never patterns. A backend that
 * supports graphs has a table of these operations in its `graphs`. Each operation works on a whole
 * batch of patterns: one loop on a CPU, a few launches and at most one round trip on a GPU. Results
 * are the same on every device, bit for bit and in the same order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_GRAPH_OPS_H
#define LODE_DEVICE_API_GRAPH_OPS_H

#include "device/api/backend.h"
#include "device/api/graph_shapes.h"

typedef struct backend_graph_device backend_graph_device;

typedef struct backend_graph_ops {
    bool on_host; /* device memory is host memory */
    /* Starts up the device, if that takes long; NULL = it does not. On any thread. A failure shows
     * when the device is opened. */
    void (*wake)(unsigned index);
    /* Opens device `index` and copies the graphs to it. The caller keeps its arrays until
     * close(). */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, const backend_graphs *graphs,
                                       backend_graph_device **out);
    void (*close)(backend_graph_device *device);
    backend_counters (*counters)(const backend_graph_device *device);

    /* Allocates device memory, aligned to 256 bytes. BUDGET and NOMEM, without a message: there is
     * no more. */
    LODE_NODISCARD lode_status (*alloc)(backend_graph_device *device, size_t bytes, void **out);
    void (*free)(backend_graph_device *device, void *pointer, size_t bytes);
    /* Bytes that can still be allocated. */
    size_t (*left)(backend_graph_device *device);
    /* Copy, after waiting for what was queued before. */
    LODE_NODISCARD lode_status (*upload)(backend_graph_device *device, void *to, const void *host,
                                         size_t bytes);
    LODE_NODISCARD lode_status (*download)(backend_graph_device *device, void *host,
                                           const void *from, size_t bytes);

    /* extend() starts a batch on a lane; the arrays of the batch may change once it returns.
     * found() waits for the batch. */
    LODE_NODISCARD lode_status (*extend)(backend_graph_device *device, unsigned lane,
                                         const backend_graph_batch *batch);
    LODE_NODISCARD lode_status (*found)(backend_graph_device *device, unsigned lane,
                                        backend_graph_found *found);

    /* Bytes of scratch memory (`work`) that build() needs. */
    size_t (*build_work)(backend_graph_device *device, uint32_t n_tiles, uint32_t n_rows);
    /* Builds children. May return before the matrices are written: later operations wait for it. */
    LODE_NODISCARD lode_status (*build)(backend_graph_device *device, const backend_build *build);
} backend_graph_ops;

#endif
