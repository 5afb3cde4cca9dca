/* graph_kernels.h - C interface of the graph kernels (graph_kernels.cu)
 *
 * As in kernels.h, a launch function queues work on a stream and returns the result of
 * cudaGetLastError(). The structs themselves are in host memory, but all arrays that they point to
 * must be in device memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_GRAPH_KERNELS_H
#define LODE_DEVICE_CUDA_GRAPH_KERNELS_H

#include <cuda_runtime_api.h>

#include "device/api/graph_shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts the extensions of a batch into its work memory, which must be zero. */
cudaError_t cuda_launch_extend(const backend_graphs *graphs, const backend_graph_batch *batch,
                               cudaStream_t stream);

/* Sets *bytes to the scratch memory (build->work) that cuda_launch_build() needs. */
cudaError_t cuda_build_work(uint32_t n_tiles, uint32_t n_rows, size_t *bytes);
/* Writes the matrices and the columns segs of the children. */
cudaError_t cuda_launch_build(const backend_graphs *graphs, const backend_build *build,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
