/* graph_ops.h - the interface of a device for the miners of subgraphs
 *
 * As in backend.h, a device sees only arrays (graph_shapes.h), never labels or DFS codes. A backend
 * that supports graphs has a table of these operations in the field `graphs` of its lode_backend.
 * extend() and build() process a whole batch of patterns: in one loop on a CPU, in a few launches
 * and at most one round trip on a GPU. Results are the same on every device, bit for bit and in the
 * same order.
 *
 * Pointers to "device memory" come from alloc(); on a CPU this is host memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_GRAPH_OPS_H
#define LODE_DEVICE_API_GRAPH_OPS_H

#include "device/api/backend.h"
#include "device/api/graph_shapes.h"

/* An open device with the graphs of one job. Only one thread at a time may use it. */
typedef struct backend_graph_device backend_graph_device;

typedef struct backend_graph_ops {
    bool on_host; /* device memory is host memory */
    /* Starts up a device whose first use takes long; NULL = there is no need. Any thread may call
     * it. A failure shows later, when the device is opened. */
    void (*wake)(unsigned index);
    /* Opens device `index` and copies the graphs to it. The caller keeps the arrays of `graphs`
     * unchanged until close(), because a CPU uses them in place. */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, const backend_graphs *graphs,
                                       backend_graph_device **out);
    void (*close)(backend_graph_device *device); /* NULL is allowed */
    backend_counters (*counters)(const backend_graph_device *device);

    /* Allocates device memory, aligned to 64 bytes (256 on a GPU). Returns BUDGET or NOMEM, without
     * a message, if there is not enough left. free() needs the same number of bytes again. */
    LODE_NODISCARD lode_status (*alloc)(backend_graph_device *device, size_t bytes, void **out);
    void (*free)(backend_graph_device *device, void *pointer, size_t bytes);
    /* Bytes that can still be allocated. */
    size_t (*left)(backend_graph_device *device);
    /* Copy between host and device memory. Both wait for the work queued so far, and return when
     * the copy is complete. */
    LODE_NODISCARD lode_status (*upload)(backend_graph_device *device, void *to, const void *host,
                                         size_t bytes);
    LODE_NODISCARD lode_status (*download)(backend_graph_device *device, void *host,
                                           const void *from, size_t bytes);

    /* extend() starts a batch on a lane (0 … BACKEND_GRAPH_LANES - 1), and may return before it is
     * done. The caller may then reuse the host arrays of the batch, but must leave its device
     * memory alone until found(), which waits for the batch and returns its result. */
    LODE_NODISCARD lode_status (*extend)(backend_graph_device *device, unsigned lane,
                                         const backend_graph_batch *batch);
    LODE_NODISCARD lode_status (*found)(backend_graph_device *device, unsigned lane,
                                        backend_graph_found *found);

    /* Bytes of scratch memory (backend_build.work) that build() needs for this many tiles and rows
     * in total. */
    size_t (*build_work)(backend_graph_device *device, uint32_t n_tiles, uint32_t n_rows);
    /* Builds the occurrence matrices of children, that is, of patterns with one more edge
     * (backend_child). May return before the matrices are written, but later operations of the
     * device wait until they are. */
    LODE_NODISCARD lode_status (*build)(backend_graph_device *device, const backend_build *build);
} backend_graph_ops;

#endif
