/* graph_kernels.h - C interface of the graph kernels: one launch function each
 *
 * As in kernels.h: a launch function queues work on a stream and returns what cudaGetLastError()
 * says; pointers are to device memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_GRAPH_KERNELS_H
#define LODE_DEVICE_CUDA_GRAPH_KERNELS_H

#include <cuda_runtime_api.h>

#include "device/api/graph_shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts the extensions of a batch, whose tables are on the device and whose slots are zero. */
cudaError_t cuda_launch_extend(const backend_graphs *graphs, const backend_graph_batch *batch,
                               cudaStream_t stream);

/* Bytes of scratch memory that cuda_launch_build() needs. */
cudaError_t cuda_build_work(uint32_t n_tiles, uint32_t n_rows, size_t *bytes);
cudaError_t cuda_launch_build(const backend_graphs *graphs, const backend_build *build,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
