/* product_tails.cu - the last rows of a class: all cubes of theirs at once
 *
 * The last rows of a class are its most frequent items. Their cubes look at the same columns again
 * and again, each time with a row less; so, where several of them are wanted, one cube of all of
 * them serves instead. A set of it belongs to the cube of its first row:
 *
 *     rows    … │ 20  21  22 … 32        a cube of 13
 *     set         ·   1   0  1 …         in the cube of row 21, with the partners 23, …
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda/product_tails.cuh"

#define BLOCK       256
#define WARPS       (BLOCK / WARP_THREADS)
#define DIMS        CUDA_TAIL_ROWS
#define SETS        (1 << DIMS)
#define LEAST_CUBES 3 /* that make a tail worth while */

/* ---- how cubes are served ------------------------------------------------------------------ */

/* Lists classes with several cubes in their tails, and marks these. A warp per class. */
__global__ void __launch_bounds__(BLOCK)
    find_kernel(const cuda_frame f, const cuda_ask ask, const cuda_row_plan *plans,
                const cuda_tails tails, uint8_t *taken) {
    uint32_t number = ask.first_class + blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    if (number >= ask.end_class) return;
    class_view c(f, number);
    uint32_t n = c.n < tails.rows ? c.n : tails.rows, first = c.first + c.n - n;
    if (first < ask.first || c.first + c.n > ask.end) return; /* not asked for as a whole */
    const cuda_row_plan *plan = plans + (first - ask.first);
    uint32_t n_cubes = plan[n].cubes - plan[0].cubes;
    if (n_cubes < LEAST_CUBES) return;
    if (lane_id() == 0) {
        bool large = n > CUDA_TAIL_ROWS;
        uint32_t at = atomicAdd(&tails.n[large ? CUDA_N_LARGE : CUDA_N_TAILS], 1u);
        (large ? tails.large : tails.tails)[at] = {number, CUDA_NO_KEY, plan[0].cubes, n_cubes};
    }
    for (uint32_t i = lane_id(); i < n_cubes; i += WARP_THREADS) taken[plan[0].cubes + i] = 1;
}

/* Lists the cubes that are left. */
__global__ void __launch_bounds__(BLOCK)
    rest_kernel(const cuda_frame f, const cuda_found found, const cuda_tails tails,
                uint32_t n_cubes, const uint8_t *taken) {
    uint32_t cube = blockIdx.x * BLOCK + threadIdx.x;
    if (cube >= n_cubes || taken[cube]) return;
    if (found.cube_sets_at[cube + 1] - found.cube_sets_at[cube] < 1u << CUDA_CUBE_DIMS) {
        tails.loose[atomicAdd(&tails.n[CUDA_N_LOOSE], 1u)] = cube;
    } else {
        uint32_t of = f.row_class[found.cube_row[cube]];
        uint32_t key = found.cube_row[cube] - f.class_first[of];
        tails.large[atomicAdd(&tails.n[CUDA_N_LARGE], 1u)] = {of, key, cube, 1};
    }
}

cudaError_t cuda_launch_find_tails(const cuda_frame *frame, const cuda_ask *ask,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   const cuda_tails *tails, uint32_t n_cubes, uint8_t *taken,
                                   cudaStream_t stream) {
    unsigned blocks = blocks_for(ask->end_class - ask->first_class, WARPS);
    find_kernel<<<blocks, BLOCK, 0, stream>>>(*frame, *ask, plans, *tails, taken);
    rest_kernel<<<blocks_for(n_cubes, BLOCK), BLOCK, 0, stream>>>(*frame, *found, *tails, n_cubes,
                                                                  taken);
    return cudaGetLastError();
}

/* ---- tails --------------------------------------------------------------------------------- */

__device__ void count_tail(const class_view &c, const tail_memory<DIMS> &m, uint32_t *histogram,
                           uint32_t part, uint32_t n_parts) {
    uint32_t n_words = c.vectors * 4, each = (n_words + n_parts - 1) / n_parts;
    uint32_t from = part * each, to = from + each < n_words ? from + each : n_words;
    for (uint32_t s = threadIdx.x; s < 1u << m.n; s += BLOCK) histogram[s] = 0;
    __syncthreads();
    if (from < to) {
        column_rows<DIMS> rows(c, nullptr, m.locals, m.n);
        count_columns<DIMS, BLOCK>(rows, histogram_words{histogram}, (1u << m.n) - 1, from, to);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK)
    tails_kernel(const cuda_frame f, const cuda_ask ask, const cuda_found found,
                 const cuda_tail *tails, uint32_t first, uint32_t end,
                 const cuda_cube_results results, const cuda_cube_work work) {
    __shared__ uint32_t histogram[SETS], taken;
    __shared__ tail_memory<DIMS> m;
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(work.next, 1u);
        __syncthreads();
        uint32_t number = taken / work.n_parts, part = taken % work.n_parts;
        __syncthreads();
        if (number >= work.n) return;
        cuda_tail tail = tails[number];
        if (tail.first_cube >= end || tail.first_cube + tail.n_cubes <= first) continue;
        class_view c(f, tail.of);
        read_tail_rows(f, c, found, tail, m);
        count_tail(c, m, histogram, part, work.n_parts);
        bool whole =
            work.n_parts == 1 ||
            join_parts<BLOCK>(histogram, 1u << m.n, work.histograms + (size_t)number * SETS,
                              &work.arrived[number], work.n_parts, &taken);
        if (!whole) continue;
        read_tail_cubes(f, c, found, tail, m);
        sum_supersets<BLOCK>(histogram, m.n);
        if (results.tally) {
            tally_tail(f, tail.of, ask, histogram, 0, 1u << m.n, m, results.tally);
        } else {
            list_tail(ask, found, results, first, end, histogram, 0, 1u << m.n, m);
        }
        __syncthreads();
    }
}

cudaError_t cuda_launch_tails(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              const cuda_tails *tails, uint32_t first, uint32_t end,
                              const cuda_cube_results *results, const cuda_cube_work *work,
                              unsigned n_sm, cudaStream_t stream) {
    tails_kernel<<<n_sm * CUDA_TAILS_SM, BLOCK, 0, stream>>>(*frame, *ask, *found, tails->tails,
                                                             first, end, *results, *work);
    return cudaGetLastError();
}

cudaError_t cuda_load_tails(void) {
    return load_kernels(find_kernel, rest_kernel, tails_kernel);
}
