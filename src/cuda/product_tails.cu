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
#include "cuda/product_columns.cuh"

#define BLOCK       256
#define WARPS       (BLOCK / WARP_THREADS)
#define DIMS        CUDA_TAIL_ROWS
#define SETS        (1 << DIMS)
#define LEAST_CUBES 3 /* that make a tail worth while */

/* ---- which classes ------------------------------------------------------------------------- */

/* Lists classes with several cubes in their tails, and marks these. A warp per class. */
__global__ void __launch_bounds__(BLOCK)
    find_kernel(const cuda_frame f, const cuda_ask ask, const cuda_row_plan *plans,
                const cuda_found found, const cuda_tails tails) {
    uint32_t number = ask.first_class + blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    if (number >= ask.end_class) return;
    class_view c(f, number);
    uint32_t n = c.n < DIMS ? c.n : DIMS, first = c.first + c.n - n;
    if (first < ask.first || c.first + c.n > ask.end) return; /* not asked for as a whole */
    const cuda_row_plan *plan = plans + (first - ask.first);
    uint32_t n_cubes = plan[n].cubes - plan[0].cubes;
    if (n_cubes < LEAST_CUBES) return;
    if (lane_id() == 0) {
        tails.list[atomicAdd(tails.n, 1u)] = {number, plan[0].cubes, n_cubes};
    }
    for (uint32_t i = lane_id(); i < n_cubes; i += WARP_THREADS) {
        found.cube_partners[plan[0].cubes + i] |= CUDA_IN_TAIL;
    }
}

cudaError_t cuda_launch_find_tails(const cuda_frame *frame, const cuda_ask *ask,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   const cuda_tails *tails, cudaStream_t stream) {
    unsigned blocks = blocks_for(ask->end_class - ask->first_class, WARPS);
    find_kernel<<<blocks, BLOCK, 0, stream>>>(*frame, *ask, plans, *found, *tails);
    return cudaGetLastError();
}

/* ---- a tail -------------------------------------------------------------------------------- */

/* A cube of the tail: what tells its results from the sets of the tail. */
struct tail_row {
    uint32_t cube;     /* UINT32_MAX: the row has none */
    uint32_t partners; /* that are not perfect, as a set of the tail */
    uint32_t perfect;  /* likewise */
};

struct tail_memory {
    uint32_t histogram[SETS];
    uint32_t locals[DIMS];
    tail_row rows[DIMS];
    uint32_t sizes[DIMS][DIMS + 1]; /* results by first row, then by further items; or how many */
    uint32_t taken;
};

/* The rows and their cubes. All threads; the first of them writes. */
__device__ void read_tail(const cuda_frame &f, const class_view &c, const cuda_found &found,
                          const cuda_tail &tail, uint32_t n, tail_memory &m) {
    uint32_t first = c.n - n;
    if (threadIdx.x < DIMS) {
        m.locals[threadIdx.x] = first + threadIdx.x;
        m.rows[threadIdx.x] = {UINT32_MAX, 0, 0};
    }
    __syncthreads();
    if (threadIdx.x < tail.n_cubes) {
        uint32_t cube = tail.first_cube + threadIdx.x, row = found.cube_row[cube];
        uint32_t n_partners = found.cube_partners[cube] & ~CUDA_IN_TAIL;
        uint64_t at = found.cube_at[cube];
        tail_row r = {cube, 0, 0};
        for (uint32_t i = 0; i < n_partners; i++) {
            uint32_t bit = 1u << (found.partners[at + i] - c.first - first);
            bool same = found.supports[at + i] == f.row_support[row];
            *(same ? &r.perfect : &r.partners) |= bit;
        }
        m.rows[row - c.first - first] = r;
    }
    __syncthreads();
}

/* Whether a set of the tail is a result of the cube of its first row. */
__device__ __forceinline__ bool is_result(const tail_memory &m, const cuda_ask &ask, uint32_t set) {
    uint32_t rest = set & (set - 1);
    if (rest == 0 || m.histogram[set] < ask.min_count) return false;
    const tail_row &r = m.rows[__ffs((int)set) - 1];
    return r.cube != UINT32_MAX && (rest & ~r.partners) == 0 && (uint32_t)__popc(rest) <= ask.more;
}

__device__ void tally_tail(const cuda_frame &f, uint32_t number, uint32_t n, const cuda_ask &ask,
                           tail_memory &m, uint64_t *tally) {
    for (uint32_t set = threadIdx.x; set < 1u << n; set += BLOCK) {
        if (is_result(m, ask, set)) {
            atomicAdd(&m.sizes[__ffs((int)set) - 1][__popc(set) - 1], 1u);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < DIMS * (DIMS + 1); i += BLOCK) {
        uint32_t row = i / (DIMS + 1), more = i % (DIMS + 1), count = m.sizes[row][more];
        uint32_t free = f.class_free[number] + (uint32_t)__popc(m.rows[row].perfect);
        if (count) add_tally(tally, f.items + more, free, count);
    }
}

/* The bits of a set at the places of `of`, moved together. */
__device__ uint32_t compress(uint32_t set, uint32_t of) {
    uint32_t packed = 0;
    for (uint32_t bit = 1; of; of &= of - 1, bit <<= 1) {
        if (set & of & (0 - of)) packed |= bit;
    }
    return packed;
}

__device__ void list_tail(uint32_t n, const cuda_ask &ask, const cuda_found &found,
                          const cuda_cube_results &results, uint32_t first, uint32_t end,
                          tail_memory &m) {
    for (uint32_t set = threadIdx.x; set < 1u << n; set += BLOCK) {
        if (!is_result(m, ask, set)) continue;
        uint32_t row = (uint32_t)__ffs((int)set) - 1;
        const tail_row &r = m.rows[row];
        if (r.cube < first || r.cube >= end) continue;
        uint64_t place =
            found.cube_sets_at[r.cube] - results.sets0 + atomicAdd(&m.sizes[row][0], 1u);
        results.sets[place] = compress(set, r.partners);
        results.supports[place] = m.histogram[set];
    }
    __syncthreads();
    if (threadIdx.x >= DIMS) return;
    uint32_t cube = m.rows[threadIdx.x].cube;
    if (cube >= first && cube < end) results.n[cube - first] = m.sizes[threadIdx.x][0];
}

/* ---- tails --------------------------------------------------------------------------------- */

__device__ void count_tail(const class_view &c, uint32_t n, tail_memory &m, uint32_t part,
                           uint32_t n_parts) {
    uint32_t n_words = c.vectors * 4, each = (n_words + n_parts - 1) / n_parts;
    uint32_t from = part * each, to = from + each < n_words ? from + each : n_words;
    for (uint32_t s = threadIdx.x; s < 1u << n; s += BLOCK) m.histogram[s] = 0;
    __syncthreads();
    if (from < to) {
        column_rows<DIMS> rows(c, nullptr, m.locals, n);
        count_columns<DIMS, BLOCK>(rows, m.histogram, (1u << n) - 1, from, to);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK)
    tails_kernel(const cuda_frame f, const cuda_ask ask, const cuda_found found,
                 const cuda_tails tails, uint32_t first, uint32_t end,
                 const cuda_cube_results results, const cuda_cube_work work) {
    __shared__ tail_memory m;
    for (;;) {
        if (threadIdx.x == 0) m.taken = atomicAdd(work.next, 1u);
        __syncthreads();
        uint32_t number = m.taken / work.n_parts, part = m.taken % work.n_parts;
        __syncthreads();
        if (number >= *tails.n) return;
        cuda_tail tail = tails.list[number];
        if (tail.first_cube >= end || tail.first_cube + tail.n_cubes <= first) continue;
        class_view c(f, tail.of);
        uint32_t n = c.n < DIMS ? c.n : DIMS;
        for (uint32_t i = threadIdx.x; i < DIMS * (DIMS + 1); i += BLOCK) (&m.sizes[0][0])[i] = 0;
        read_tail(f, c, found, tail, n, m);
        count_tail(c, n, m, part, work.n_parts);
        bool whole =
            work.n_parts == 1 ||
            join_parts<BLOCK>(m.histogram, 1u << n, work.histograms + (size_t)number * SETS,
                              &work.arrived[number], work.n_parts, &m.taken);
        if (!whole) continue;
        sum_supersets<BLOCK>(m.histogram, n);
        if (results.tally) {
            tally_tail(f, tail.of, n, ask, m, results.tally);
        } else {
            list_tail(n, ask, found, results, first, end, m);
        }
        __syncthreads();
    }
}

cudaError_t cuda_launch_tails(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              const cuda_tails *tails, uint32_t first, uint32_t end,
                              const cuda_cube_results *results, const cuda_cube_work *work,
                              unsigned n_sm, cudaStream_t stream) {
    tails_kernel<<<n_sm * CUDA_TAILS_SM, BLOCK, 0, stream>>>(*frame, *ask, *found, *tails, first,
                                                             end, *results, *work);
    return cudaGetLastError();
}
