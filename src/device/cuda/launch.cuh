/* launch.cuh - shared by all launches: the size of a warp, and that of a grid
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_LAUNCH_CUH
#define LODE_DEVICE_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>

#define WARP_THREADS 32
#define ALL_LANES    0xffffffffu

/* The number of blocks for n tasks. */
static inline unsigned blocks_for(size_t n, size_t per_block) {
    return (unsigned)((n + per_block - 1) / per_block);
}

#endif
