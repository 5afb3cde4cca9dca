/* product_code.cuh - shared by the kernels of the tensor miner: classes and their rows
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_CODE_CUH
#define LODE_DEVICE_CUDA_PRODUCT_CODE_CUH

#include "device/cuda/launch.cuh"
#include "device/cuda/product_kernels.h"

/* What the tables of a frame say about a class. */
struct class_view {
    const uint4 *rows;
    uint32_t first;   /* its first row of the frame */
    uint32_t n;       /* rows */
    uint32_t earlier; /* how many of them, the first ones, belong to earlier items */
    uint32_t vectors; /* of a row; if the frame is a sliced root, of a slice of the row */

    __device__ class_view(const cuda_frame &f, uint32_t c)
        : rows(f.base + f.class_at[c]), first(f.class_first[c]),
          n(f.class_first[c + 1] - f.class_first[c]), earlier(f.class_earlier[c]),
          vectors(f.class_vectors[c]) {}
    __device__ class_view(const uint4 *rows, uint32_t n, uint32_t vectors)
        : rows(rows), first(0), n(n), earlier(0), vectors(vectors) {}
    __device__ const uint4 *row(uint32_t local) const {
        return rows + (size_t)local * vectors;
    }
    __device__ const uint32_t *words(uint32_t local) const {
        return (const uint32_t *)row(local);
    }
};

/* Returns the only class of a frame. If the frame is the root, `vectors` is the length of a row, so
 * that no table has to be read first (the root has no earlier items). Otherwise it is 0. */
__device__ __forceinline__ class_view only_class(const cuda_frame &f, uint32_t vectors) {
    return vectors ? class_view(f.base, f.n_rows, vectors) : class_view(f, 0);
}

/* The local rows [first, end) of a class that are to be counted, without those of earlier items. */
struct requested_rows {
    uint32_t first, end;
    __device__ requested_rows(const cuda_request &request, const class_view &c) {
        first = request.first > c.first ? request.first - c.first : 0;
        end = request.end - c.first < c.n ? request.end - c.first : c.n;
        if (first < c.earlier) first = c.earlier;
    }
};

/* Where the counts of a class of n rows begin: the count of local rows i and j is i * n + j entries
 * further on. */
__device__ __forceinline__ uint32_t *counts_of(const cuda_frame &f, const cuda_request &request,
                                               uint32_t c) {
    /* The difference is negative if the class begins in front of the rows to be counted. */
    return request.counts + (int64_t)(f.class_pairs[c] - request.origin);
}

/* Likewise for the only class of a frame. */
__device__ __forceinline__ uint32_t *counts_of_only(const cuda_request &request) {
    return request.counts - (int64_t)request.origin;
}

__device__ __forceinline__ uint32_t lane_id(void) {
    return threadIdx.x % WARP_THREADS;
}

/* The sum over all lanes of a warp; every lane gets it. */
__device__ __forceinline__ uint32_t warp_sum(uint32_t n) {
    return __reduce_add_sync(ALL_LANES, n);
}

/* Adds n results with `size` chosen and `free` free items to a tally. */
__device__ __forceinline__ void add_tally(uint64_t *tally, uint32_t size, uint32_t free,
                                          uint32_t n) {
    bool fits = size < CUDA_TALLY_SIZES && free < CUDA_TALLY_SIZES;
    uint32_t place = fits ? size * CUDA_TALLY_SIZES + free : CUDA_TALLY_MISFITS;
    atomicAdd((unsigned long long *)&tally[place], (unsigned long long)n);
}

__device__ __forceinline__ uint4 zero_vector(void) {
    return make_uint4(0, 0, 0, 0);
}

/* A table of a frame that is being made, to write to. */
template <class T> __device__ __forceinline__ T *writable(const T *table) {
    return const_cast<T *>(table);
}

/* Loads the code of kernels now, so that the first launch of each does not have to. */
template <class... KERNELS> static cudaError_t load_kernels(KERNELS... kernels) {
    cudaFuncAttributes unused;
    cudaError_t error = cudaSuccess;
    ((error = error == cudaSuccess ? cudaFuncGetAttributes(&unused, kernels) : error), ...);
    return error;
}

#endif
