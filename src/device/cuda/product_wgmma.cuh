/* product_wgmma.cuh - binary products by a warp group (128 threads), as PTX
 *
 * For each of 64 rows of a and each of N rows of b, a step adds |row of a AND row of b| to d, over
 * 256 columns. Both operands are in shared memory, in the layout that descriptor() describes: rows
 * of 128 bytes in groups of 8, one after the other; the 16-byte piece p of row r is at place p XOR
 * (r % 8) of the row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_WGMMA_CUH
#define LODE_DEVICE_CUDA_PRODUCT_WGMMA_CUH

#include <stdint.h>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define HAS_WGMMA
#endif

/* The descriptor of a matrix in shared memory, at an address that is a multiple of 1,024: swizzled
 * rows of 128 bytes, 1,024 bytes for every 8 rows. */
__device__ __forceinline__ uint64_t descriptor(uint32_t address) {
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)1 << 62;
}

/* Begins a group of steps, after the registers d were written; warpgroup_commit() ends it. */
__device__ __forceinline__ void warpgroup_begin(void) {
#ifdef HAS_WGMMA
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void warpgroup_commit(void) {
#ifdef HAS_WGMMA
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

/* Waits until at most N of the committed groups of steps are unfinished. */
template <int N> __device__ __forceinline__ void warpgroup_wait(void) {
#ifdef HAS_WGMMA
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
#endif
}

/* Makes shared memory that was written in the ordinary way visible to the tensor cores. */
__device__ __forceinline__ void warpgroup_see(void) {
#ifdef HAS_WGMMA
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* The sums d[i], d[i + 1] … as operands of the instruction. */
#define WGMMA_4(i)  "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define WGMMA_16(i) WGMMA_4(i), WGMMA_4(i + 4), WGMMA_4(i + 8), WGMMA_4(i + 12)
#define WGMMA_64(i) WGMMA_16(i), WGMMA_16(i + 16), WGMMA_16(i + 32), WGMMA_16(i + 48)

/* clang-format off */
template <int N> struct warpgroup_mma;
template <> struct warpgroup_mma<128> {
    static __device__ __forceinline__ void step(uint32_t (&d)[64], uint64_t a, uint64_t b) {
#ifdef HAS_WGMMA
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k256.s32.b1.b1.and.popc "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, 1;"
                 : WGMMA_64(0)
                 : "l"(a), "l"(b));
#endif
    }
};
template <> struct warpgroup_mma<256> {
    static __device__ __forceinline__ void step(uint32_t (&d)[128], uint64_t a, uint64_t b) {
#ifdef HAS_WGMMA
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, 1;"
                 : WGMMA_64(0), WGMMA_64(64)
                 : "l"(a), "l"(b));
#endif
    }
};
/* clang-format on */
#undef WGMMA_64
#undef WGMMA_16
#undef WGMMA_4

#endif
