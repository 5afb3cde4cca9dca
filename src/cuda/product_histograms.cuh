/* product_tails.cuh - whose results the sets of a histogram are that serves several cubes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_PRODUCT_TAILS_CUH
#define LODE_CUDA_PRODUCT_TAILS_CUH

#include "cuda/product_columns.cuh"

/* A cube, by its row: what tells its results from other sets. */
struct tail_row {
    uint32_t cube;     /* UINT32_MAX: the row has none */
    uint32_t partners; /* that are not perfect, as a set of the histogram */
    uint32_t perfect;  /* how many more */
};

/* In shared memory. A set of a tail belongs to the cube of its first row; all sets of a large cube
 * belong to that, which is at row 0. */
template <int ROWS> struct tail_memory {
    uint32_t locals[ROWS]; /* rows of the histogram */
    uint32_t n;            /* how many */
    bool alone;            /* a large cube */
    tail_row rows[ROWS];
    uint32_t sizes[ROWS][ROWS + 1]; /* results by row of the cube, then by further items */
    uint64_t places[ROWS];          /* by row of the cube: where its next results go */

    __device__ uint32_t row_of(uint32_t set) const {
        return alone ? 0 : (uint32_t)__ffs((int)set) - 1;
    }
    /* What a set adds to the row of its cube. */
    __device__ uint32_t rest_of(uint32_t set) const {
        return alone ? set : set & (set - 1);
    }
    __device__ __forceinline__ bool is_result(const cuda_ask &ask, uint32_t set,
                                              uint32_t support) const {
        uint32_t rest = rest_of(set);
        if (rest == 0 || support < ask.min_count) return false;
        const tail_row &r = rows[row_of(set)];
        return r.cube != UINT32_MAX && (rest & ~r.partners) == 0 &&
               (uint32_t)__popc(rest) <= ask.more;
    }
};

/* The partners of a cube that are not perfect, in turn: tell(i, row of the frame). Returns how many
 * there are. A warp. */
template <class TELL>
__device__ __forceinline__ uint32_t each_partner(const cuda_frame &f, const cuda_found &found,
                                                 uint32_t cube, TELL tell) {
    uint32_t n_partners = found.cube_partners[cube], n = 0;
    uint32_t support = f.row_support[found.cube_row[cube]];
    uint64_t at = found.cube_at[cube];
    for (uint32_t first = 0; first < n_partners; first += WARP_THREADS) {
        uint32_t i = first + lane_id();
        bool is = i < n_partners && found.supports[at + i] != support;
        uint32_t those = __ballot_sync(ALL_LANES, is);
        if (is) {
            tell(n + (uint32_t)__popc(those & ((1u << lane_id()) - 1)), found.partners[at + i]);
        }
        n += (uint32_t)__popc(those);
    }
    return n;
}

/* The rows of the histogram: the last ones of the class, or the partners of a large cube. All
 * threads; several warps. */
template <int ROWS>
__device__ void read_tail_rows(const cuda_frame &f, const class_view &c, const cuda_found &found,
                               const cuda_tail &tail, tail_memory<ROWS> &m) {
    uint32_t n = c.n < ROWS ? c.n : ROWS;
    bool alone = tail.key != CUDA_NO_KEY;
    if (alone && threadIdx.x < WARP_THREADS) {
        n = each_partner(f, found, tail.first_cube,
                         [&](uint32_t i, uint32_t row) { m.locals[i] = row - c.first; });
    } else if (!alone && threadIdx.x < n) {
        m.locals[threadIdx.x] = c.n - n + threadIdx.x;
    }
    if (threadIdx.x == 0) {
        m.n = n;
        m.alone = alone;
    }
    __syncthreads();
}

/* The cubes; after that. A warp for each. */
template <int ROWS>
__device__ void read_tail_cubes(const cuda_frame &f, const class_view &c, const cuda_found &found,
                                const cuda_tail &tail, tail_memory<ROWS> &m) {
    uint32_t first = c.first + m.locals[0]; /* row of the frame; of a tail */
    for (uint32_t i = threadIdx.x; i < ROWS * (ROWS + 1); i += blockDim.x) (&m.sizes[0][0])[i] = 0;
    if (threadIdx.x < ROWS) m.rows[threadIdx.x] = {UINT32_MAX, 0, 0};
    __syncthreads();
    for (uint32_t i = threadIdx.x / WARP_THREADS; i < tail.n_cubes;
         i += blockDim.x / WARP_THREADS) {
        uint32_t cube = tail.first_cube + i, mine = 0;
        uint32_t n = each_partner(f, found, cube, [&](uint32_t at, uint32_t row) {
            mine |= 1u << (m.alone ? at : row - first);
        });
        tail_row r = {cube, __reduce_or_sync(ALL_LANES, mine), found.cube_partners[cube] - n};
        if (lane_id() == 0) m.rows[m.alone ? 0 : found.cube_row[cube] - first] = r;
    }
    __syncthreads();
}

/* Counts the results of `number` of a histogram's sets by size; set s is first + s. All threads. */
template <int ROWS>
__device__ void tally_tail(const cuda_frame &f, uint32_t number, const cuda_ask &ask,
                           const uint32_t *histogram, uint32_t first, uint32_t n_sets,
                           tail_memory<ROWS> &m, uint64_t *tally) {
    for (uint32_t s = threadIdx.x; s < n_sets; s += blockDim.x) {
        uint32_t set = first + s;
        if (!m.is_result(ask, set, histogram[s])) continue;
        atomicAdd(&m.sizes[m.row_of(set)][__popc(m.rest_of(set))], 1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < ROWS * (ROWS + 1); i += blockDim.x) {
        uint32_t row = i / (ROWS + 1), more = i % (ROWS + 1), count = m.sizes[row][more];
        uint32_t free = f.class_free[number] + m.rows[row].perfect;
        if (count) add_tally(tally, f.items + more, free, count);
    }
}

/* The bits of a set at the places of `of`, moved together. */
__device__ __forceinline__ uint32_t compress(uint32_t set, uint32_t of) {
    uint32_t packed = 0;
    for (uint32_t bit = 1; of; of &= of - 1, bit <<= 1) {
        if (set & of & (0 - of)) packed |= bit;
    }
    return packed;
}

/* Writes results to the places of their cubes, as far as these are among [begin, end). Several
 * blocks may write those of one cube, so each asks for places first. All threads. */
template <int ROWS>
__device__ void list_tail(const cuda_ask &ask, const cuda_found &found,
                          const cuda_cube_results &results, uint32_t begin, uint32_t end,
                          const uint32_t *histogram, uint32_t first, uint32_t n_sets,
                          tail_memory<ROWS> &m) {
    for (uint32_t s = threadIdx.x; s < n_sets; s += blockDim.x) {
        uint32_t set = first + s;
        if (m.is_result(ask, set, histogram[s])) atomicAdd(&m.sizes[m.row_of(set)][0], 1u);
    }
    __syncthreads();
    if (threadIdx.x < ROWS) {
        uint32_t cube = m.rows[threadIdx.x].cube, n = m.sizes[threadIdx.x][0];
        m.places[threadIdx.x] = UINT64_MAX;
        if (cube >= begin && cube < end && n > 0) {
            uint64_t *taken = &results.n[cube - begin];
            m.places[threadIdx.x] = found.cube_sets_at[cube] - results.sets0 +
                                    atomicAdd((unsigned long long *)taken, (unsigned long long)n);
        }
        m.sizes[threadIdx.x][0] = 0;
    }
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < n_sets; s += blockDim.x) {
        uint32_t set = first + s, row = set ? m.row_of(set) : 0;
        if (!m.is_result(ask, set, histogram[s]) || m.places[row] == UINT64_MAX) continue;
        uint64_t place = m.places[row] + atomicAdd(&m.sizes[row][0], 1u);
        results.sets[place] = compress(set, m.rows[row].partners);
        results.supports[place] = histogram[s];
    }
}

#endif
