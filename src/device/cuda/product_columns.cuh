/* product_columns.cuh - histograms: each column of a few rows is a number, with one bit per row
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_COLUMNS_CUH
#define LODE_DEVICE_CUDA_PRODUCT_COLUMNS_CUH

#include "device/cuda/product_code.cuh"

/* Some rows of a class, up to DIMS. Only the columns of the key count; without a key, all do. */
template <int DIMS> struct column_rows {
    const uint32_t *key, *rows[DIMS];

    __device__ column_rows(const class_view &c, const uint32_t *key, const uint32_t *locals,
                           uint32_t n)
        : key(key) {
#pragma unroll
        for (int p = 0; p < DIMS; p++) rows[p] = p < n ? c.words(locals[p]) : nullptr;
    }
    __device__ __forceinline__ bool has(int p) const {
        return rows[p] != nullptr;
    }
    __device__ __forceinline__ uint32_t word(int p, uint32_t w) const {
        return __ldg(rows[p] + w);
    }
};

/* A histogram with a word for each set … */
struct histogram_words {
    uint32_t *at;
    __device__ __forceinline__ void add(uint32_t set, uint32_t n) const {
        atomicAdd(&at[set], n);
    }
};
/* … or with 16 bits, two sets to a word. */
struct histogram_halves {
    uint32_t *at;
    __device__ __forceinline__ void add(uint32_t set, uint32_t n) const {
        atomicAdd(&at[set >> 1], n << (set & 1) * 16);
    }
};

/* Swaps bits between two words: those of `low` that `mask` shifted left has, and those of `high`
 * that it has. */
template <int SHIFT, uint32_t MASK>
__device__ __forceinline__ void swap_bits(uint32_t &low, uint32_t &high) {
    uint32_t differ = (low >> SHIFT ^ high) & MASK;
    high ^= differ;
    low ^= differ << SHIFT;
}

/* Transposes 8 rows of 32 columns: afterwards, byte b of x[r] holds the 8 bits of column 8 b +
 * r. */
__device__ __forceinline__ void turn(uint32_t (&x)[8]) {
#pragma unroll
    for (int r = 0; r < 8; r += 2) swap_bits<1, 0x55555555>(x[r], x[r + 1]);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        if ((r & 2) == 0) swap_bits<2, 0x33333333>(x[r], x[r + 2]);
    }
#pragma unroll
    for (int r = 0; r < 4; r++) swap_bits<4, 0x0f0f0f0f>(x[r], x[r + 4]);
}

/* Rows become columns: bit r of x[c] is what bit c of x[r] was. */
__device__ __forceinline__ void turn_square(uint32_t (&x)[32]) {
#pragma unroll
    for (int r = 0; r < 16; r++) swap_bits<16, 0x0000ffff>(x[r], x[r + 16]);
#pragma unroll
    for (int r = 0; r < 32; r++) {
        if ((r & 8) == 0) swap_bits<8, 0x00ff00ff>(x[r], x[r + 8]);
    }
#pragma unroll
    for (int r = 0; r < 32; r++) {
        if ((r & 4) == 0) swap_bits<4, 0x0f0f0f0f>(x[r], x[r + 4]);
    }
#pragma unroll
    for (int r = 0; r < 32; r++) {
        if ((r & 2) == 0) swap_bits<2, 0x33333333>(x[r], x[r + 2]);
    }
#pragma unroll
    for (int r = 0; r < 32; r += 2) swap_bits<1, 0x55555555>(x[r], x[r + 1]);
}

template <class HISTOGRAM>
__device__ __forceinline__ void count_set(const HISTOGRAM &histogram, uint32_t set) {
    if (set) histogram.add(set, 1);
}

/* Counts 32 columns at once. x is zero in columns that do not count. */
template <int DIMS, class HISTOGRAM>
__device__ __forceinline__ void count_turned(const HISTOGRAM &histogram,
                                             const uint32_t (&x)[DIMS]) {
    uint32_t low[8], high[8];
#pragma unroll
    for (int r = 0; r < 8; r++) {
        low[r] = r < DIMS ? x[r < DIMS ? r : 0] : 0;
        high[r] = r + 8 < DIMS ? x[r + 8 < DIMS ? r + 8 : 0] : 0;
    }
    turn(low);
    if (DIMS > 8) turn(high);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        uint32_t first = __byte_perm(low[r], high[r], 0x5140); /* columns r and 8 + r … */
        uint32_t last = __byte_perm(low[r], high[r], 0x7362);  /* … 16 + r and 24 + r */
        count_set(histogram, first & 0xffff);
        count_set(histogram, first >> 16);
        count_set(histogram, last & 0xffff);
        count_set(histogram, last >> 16);
    }
}

/* Counts the columns of `rest`, one by one. */
template <int DIMS, class HISTOGRAM>
__device__ __forceinline__ void count_few(const HISTOGRAM &histogram, const uint32_t (&x)[DIMS],
                                          uint32_t rest) {
    for (; rest; rest &= rest - 1) {
        uint32_t shift = (uint32_t)__clz((int)(rest & (0 - rest))), set = 0;
#pragma unroll
        for (int p = DIMS - 1; p >= 0; p--) set = __funnelshift_l(x[p] << shift, set, 1);
        histogram.add(set, 1);
    }
}

#define FEW 6 /* up to this many columns of 32, counting one by one is faster */

/* Counts the columns of word w. Columns that no row has are not needed. Columns that all rows have
 * are not added to the histogram either: in dense data they are so many that all threads would wait
 * for the same entry. Their number is returned. All lanes of a warp call this together. */
template <int DIMS, class ROWS, class HISTOGRAM>
__device__ __forceinline__ uint32_t count_word(const ROWS &from, const HISTOGRAM &histogram,
                                               uint32_t w, uint32_t end) {
    uint32_t key = w >= end ? 0 : from.key ? __ldg(from.key + w) : ~0u, any = 0, every = key;
    uint32_t x[DIMS];
#pragma unroll
    for (int p = 0; p < DIMS; p++) {
        x[p] = from.has(p) && key ? from.word(p, w) : 0;
        any |= x[p];
        every &= from.has(p) ? x[p] : key;
    }
    uint32_t rest = key & any & ~every;
    if (__reduce_max_sync(ALL_LANES, (uint32_t)__popc(rest)) <= FEW) {
        count_few<DIMS>(histogram, x, rest);
    } else {
#pragma unroll
        for (int p = 0; p < DIMS; p++) x[p] &= rest;
        count_turned<DIMS>(histogram, x);
    }
    return (uint32_t)__popc(every);
}

/* Counts words [first, end) of the rows, by a block of N threads. `all`: the set of all rows. */
template <int DIMS, int N, class ROWS, class HISTOGRAM>
__device__ __forceinline__ void count_columns(const ROWS &from, const HISTOGRAM &histogram,
                                              uint32_t all, uint32_t first, uint32_t end) {
    uint32_t n_all = 0;
    for (uint32_t w = first; w < end; w += N) {
        n_all += count_word<DIMS>(from, histogram, w + threadIdx.x, end);
    }
    n_all = warp_sum(n_all);
    if (lane_id() == 0 && n_all > 0) histogram.add(all, n_all);
}

/* Adds a part of a histogram to one in device memory. The last block to do so gets the sum of all
 * parts, and true. */
template <int N>
__device__ bool join_parts(uint32_t *histogram, uint32_t n_sets, uint32_t *shared_histogram,
                           uint32_t *arrived, uint32_t n_parts, uint32_t *ticket) {
    for (uint32_t s = threadIdx.x; s < n_sets; s += N) {
        if (histogram[s]) atomicAdd(&shared_histogram[s], histogram[s]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *ticket = atomicAdd(arrived, 1u);
    __syncthreads();
    bool last = *ticket + 1 == n_parts;
    __syncthreads(); /* before the ticket is written again */
    if (!last) return false;
    __threadfence();
    for (uint32_t s = threadIdx.x; s < n_sets; s += N) {
        histogram[s] = __ldcg(&shared_histogram[s]);
    }
    __syncthreads();
    return true;
}

/* Turns what belongs to each exact set into what belongs to the set and all its supersets.
 * take(one, other) adds other to one. All threads. */
template <int N, class TAKE>
__device__ __forceinline__ void take_supersets(uint32_t *of, uint32_t dims, TAKE take) {
    for (uint32_t p = 0; p < dims; p++) {
        for (uint32_t i = threadIdx.x; i < 1u << (dims - 1); i += N) {
            uint32_t low = i & ((1u << p) - 1), set = (i - low) * 2 + low;
            take(of[set], of[set | 1u << p]);
        }
        __syncthreads();
    }
}

/* The same for numbers of columns: a histogram becomes supports. */
template <int N> __device__ void sum_supersets(uint32_t *histogram, uint32_t dims) {
    take_supersets<N>(histogram, dims, [](uint32_t &n, uint32_t more) { n += more; });
}

#endif
