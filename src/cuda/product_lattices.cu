/* product_cubes.cu - rows with few partners: the supports of all sets of partners at once
 *
 * A block takes a row. Each of its columns is a number, with a bit for every partner that has the
 * column, and is counted in a histogram in shared memory; adding up what has a bit more, bit by
 * bit, turns it into supports:
 *
 *     columns of the row    101 111 001 101 …        histogram[101]++ …
 *     for each bit p        h[s] += h[s | p]  for every s without p
 *
 * A set is not closed if a watched row has all of its columns. How many it has need not be counted:
 * of each number it is noted which watched rows have all columns of this number, and what has a bit
 * more takes away from that, bit by bit as above. So any number of them can be looked at, some at a
 * time, and mostly a few columns tell that none has all:
 *
 *     columns of the row    101 111 001 101 …        watchers[101] &= {watched rows that have it} …
 *     for each bit p        w[s] &= w[s | p]  for every s without p
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_scan.cuh>

#include "cuda/product_columns.cuh"

#define BLOCK    256
#define WARPS    (BLOCK / WARP_THREADS)
#define SETS     (1 << CUDA_CUBE_DIMS)
#define OWN_DIMS 8 /* up to here, each warp has a histogram of its own */

/* A cube, unpacked; the same in all threads. */
struct cube_view {
    class_view c;
    uint32_t number; /* its class */
    uint32_t local, support;
    uint32_t dims;    /* partners that are not perfect, without those beside */
    uint32_t watched; /* of them, in front */
    uint32_t perfect;
    uint32_t n_beside;    /* watched partners, which are looked at beside the cube … */
    uint64_t beside;      /* … and where they begin among all partners */
    const uint32_t *rows; /* local, by partner: shared memory */

    __device__ cube_view(const cuda_frame &f, const cuda_found &found, uint32_t cube, bool beside,
                         uint32_t *rows);
};

/* How many of n partners, the first ones, are in front of a row. All threads. */
__device__ uint32_t count_watched(const uint32_t *partners, uint32_t n, uint32_t row) {
    uint32_t watched = 0;
    for (uint32_t i = threadIdx.x;; i += BLOCK) {
        uint32_t some = (uint32_t)__syncthreads_count(i < n && partners[i] < row);
        watched += some;
        if (some < BLOCK) return watched;
    }
}

__device__ cube_view::cube_view(const cuda_frame &f, const cuda_found &found, uint32_t cube,
                                bool watches, uint32_t *list)
    : c(f, f.row_class[found.cube_row[cube]]), number(f.row_class[found.cube_row[cube]]),
      local(found.cube_row[cube] - c.first), support(f.row_support[found.cube_row[cube]]), dims(0),
      watched(0), perfect(0), n_beside(0), beside(found.cube_at[cube]), rows(list) {
    uint64_t at = beside;
    uint32_t n = found.cube_partners[cube];
    if (watches) n_beside = count_watched(found.partners + at, n, c.first + local);
    for (uint32_t i = n_beside; i < n; i++) { /* a few at most, unless many are perfect */
        uint32_t row = found.partners[at + i] - c.first;
        if (found.supports[at + i] == support) {
            perfect++;
            continue;
        }
        if (row < local) watched++;
        if (threadIdx.x == 0) list[dims] = row;
        dims++;
    }
    __syncthreads();
}

/* ---- the histogram ------------------------------------------------------------------------- */

/* Adds the histograms of the warps up in the first. */
__device__ void join_histograms(uint32_t *histogram, uint32_t n_sets) {
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) {
        uint32_t sum = 0;
        for (uint32_t w = 0; w < WARPS; w++) sum += histogram[w * n_sets + s];
        histogram[s] = sum; /* nobody else looks at place s of the first */
    }
}

/* The same from lists: a warp takes a column and looks for partners among its rows. */
__device__ void count_lists(const cube_view &v, const cuda_lists &lists, uint32_t *histogram,
                            uint32_t first, uint32_t end) {
    const uint32_t *columns = lists.columns + lists.row_at[v.local];
    for (uint32_t p = first + threadIdx.x / WARP_THREADS; p < end; p += WARPS) {
        uint32_t set = 0;
        uint64_t i = lists.starts[columns[p]], stop = lists.starts[columns[p] + 1];
        for (i += lane_id(); i < stop; i += WARP_THREADS) {
            for (uint32_t k = 0; k < v.dims; k++) set |= (lists.items[i] == v.rows[k]) << k;
        }
        set = __reduce_or_sync(ALL_LANES, set);
        if (lane_id() == 0) count_set(histogram_words{histogram}, set);
    }
}

template <int DIMS>
__device__ void count_cube(const cube_view &v, uint32_t *histogram, uint32_t first, uint32_t end) {
    column_rows<DIMS> rows(v.c, v.c.words(v.local), v.rows, v.dims);
    count_columns<DIMS, BLOCK>(rows, histogram_words{histogram}, (1u << v.dims) - 1, first, end);
}

/* One of n_parts parts of the columns. */
__device__ void count_part(const cuda_frame &f, const cube_view &v, uint32_t *histogram,
                           uint32_t part, uint32_t n_parts) {
    uint32_t n = f.lists.items ? v.support : v.c.vectors * 4;
    uint32_t each = (n + n_parts - 1) / n_parts, first = part * each;
    uint32_t end = first + each < n ? first + each : n;
    if (first >= end) return;
    if (f.lists.items) {
        count_lists(v, f.lists, histogram, first, end);
    } else if (v.dims <= 4) {
        count_cube<4>(v, histogram, first, end);
    } else if (v.dims <= 8) {
        count_cube<8>(v, histogram, first, end);
    } else {
        count_cube<CUDA_CUBE_DIMS>(v, histogram, first, end);
    }
}

__device__ void make_histogram(const cuda_frame &f, const cube_view &v, uint32_t *histogram,
                               uint32_t part, uint32_t n_parts) {
    uint32_t n_sets = 1u << v.dims;
    uint32_t copies = v.dims <= OWN_DIMS ? WARPS : 1;
    for (uint32_t s = threadIdx.x; s < n_sets * copies; s += BLOCK) histogram[s] = 0;
    __syncthreads();
    uint32_t *own = histogram + (copies > 1 ? threadIdx.x / WARP_THREADS * n_sets : 0);
    count_part(f, v, own, part, n_parts);
    if (copies > 1) join_histograms(histogram, n_sets);
    __syncthreads();
}

/* ---- watched rows beside a cube ------------------------------------------------------------ */

__device__ __forceinline__ bool has_bit(const uint32_t *bits, uint32_t i) {
    return bits[i / 32] >> i % 32 & 1;
}

#define WATCHED (32 - CUDA_CUBE_DIMS) /* rows at a time: a column is a word, first its number */

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

/* Takes the watched rows that a column of word w lacks from those of its number. Returns them for
 * the columns that have all partners: these are many, and need not be turned. */
__device__ uint32_t watch_word(const cube_view &v, const uint32_t *watched, uint32_t n,
                               uint32_t *watchers, uint32_t w) {
    uint32_t x[32], any = 0, every = __ldg(v.c.words(v.local) + w), rest = every, lacks = 0;
    if (every == 0) return 0;
#pragma unroll
    for (int p = 0; p < CUDA_CUBE_DIMS; p++) {
        x[p] = p < v.dims ? __ldg(v.c.words(v.rows[p]) + w) : 0;
        any |= x[p];
        every &= p < v.dims ? x[p] : ~0u;
    }
    rest &= any & ~every;
#pragma unroll
    for (int i = 0; i < WATCHED; i++) {
        uint32_t word = i < n ? __ldg(v.c.words(watched[i]) + w) : ~0u;
        x[CUDA_CUBE_DIMS + i] = word;
        lacks |= (every & ~word ? 1u : 0u) << i;
    }
    if (rest == 0) return lacks;
    turn_square(x);
#pragma unroll
    for (int c = 0; c < 32; c++) {
        uint32_t *those = &watchers[x[c] & (SETS - 1)], has = x[c] >> CUDA_CUBE_DIMS;
        bool takes = rest >> c & 1 && *(volatile uint32_t *)those & ~has; /* mostly not */
        if (takes) atomicAnd(those, has);
    }
    return lacks;
}

/* Notes which of the n watched rows have all columns of each set, until all columns were looked at
 * or, which is much earlier as a rule, no set that is not `out` is left with one. Returns whether
 * any is. All threads. */
__device__ bool find_watchers(const cube_view &v, const uint32_t *watched, uint32_t n,
                              const uint32_t *out, uint32_t *watchers) {
    uint32_t n_sets = 1u << v.dims, n_words = v.c.vectors * 4;
    for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) watchers[s] = (1u << n) - 1;
    __syncthreads();
    for (uint32_t first = 0, some = BLOCK; first < n_words; first += some, some *= 2) {
        uint32_t end = n_words - first < some ? n_words : first + some, lacks = 0;
        for (uint32_t w = first + threadIdx.x; w < end; w += BLOCK) {
            lacks |= watch_word(v, watched, n, watchers, w);
        }
        lacks = __reduce_or_sync(ALL_LANES, lacks);
        if (lane_id() == 0) atomicAnd(&watchers[n_sets - 1], ~lacks);
        __syncthreads();
        take_supersets<BLOCK>(watchers, v.dims,
                              [](uint32_t &rows, uint32_t others) { rows &= others; });
        bool left = false;
        for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) {
            left |= watchers[s] && !has_bit(out, s);
        }
        if (!__syncthreads_or(left)) return false;
    }
    return true;
}

/* Marks sets as `out` that a watched row rules out. All threads. */
__device__ void mark_watched(const cube_view &v, const uint32_t *partners, uint32_t *watched,
                             uint32_t *watchers, uint32_t *out) {
    for (uint32_t first = 0; first < v.n_beside; first += WATCHED) {
        uint32_t n = v.n_beside - first < WATCHED ? v.n_beside - first : WATCHED;
        if (threadIdx.x < n) watched[threadIdx.x] = partners[first + threadIdx.x] - v.c.first;
        __syncthreads();
        bool any = find_watchers(v, watched, n, out, watchers);
        for (uint32_t s = threadIdx.x; any && s < 1u << v.dims; s += BLOCK) {
            if (watchers[s]) atomicOr(&out[s / 32], 1u << s % 32);
        }
        __syncthreads();
    }
}

/* ---- results ------------------------------------------------------------------------------- */

/* Whether a larger set rules this one out. */
__device__ bool is_ruled_out(const uint32_t *supports, uint32_t set, uint32_t dims,
                             const cuda_ask &ask) {
    uint32_t least = ask.target == CUDA_CLOSED ? supports[set] : ask.min_count;
    for (uint32_t p = 0; p < dims; p++) {
        if (!(set >> p & 1) && supports[set | 1u << p] >= least) return true;
    }
    return false;
}

__device__ bool is_result(const cube_view &v, const uint32_t *supports, uint32_t set,
                          const cuda_ask &ask) {
    if (set == 0 || set & ((1u << v.watched) - 1)) return false;
    if ((uint32_t)__popc(set) > ask.more || supports[set] < ask.min_count) return false;
    return ask.target == CUDA_ALL || !is_ruled_out(supports, set, v.dims, ask);
}

/* The sets of a cube, in shared memory. */
struct cube_sets {
    const uint32_t *supports;
    const uint32_t *out; /* which are no results, as bits; NULL: see is_result() */

    __device__ bool wants(const cube_view &v, uint32_t set, const cuda_ask &ask) const {
        return out ? !has_bit(out, set) : is_result(v, supports, set, ask);
    }
};

/* Marks what is no result, whatever is watched. Sets of a warp share a word. All threads. */
__device__ void mark_out(const cube_view &v, const uint32_t *supports, const cuda_ask &ask,
                         uint32_t *out) {
    for (uint32_t s = threadIdx.x; s < SETS; s += BLOCK) {
        bool is_out = s >> v.dims || !is_result(v, supports, s, ask);
        uint32_t those = __ballot_sync(ALL_LANES, is_out);
        if (lane_id() == 0) out[s / 32] = those;
    }
    __syncthreads();
}

/* Counts results by size. */
__device__ void tally_sets(const cuda_frame &f, const cube_view &v, const cube_sets &sets,
                           const cuda_ask &ask, uint32_t *sizes, uint64_t *tally) {
    if (threadIdx.x <= v.dims) sizes[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << v.dims; set += BLOCK) {
        if (sets.wants(v, set, ask)) atomicAdd(&sizes[__popc(set)], 1u);
    }
    __syncthreads();
    if (threadIdx.x > v.dims || sizes[threadIdx.x] == 0) return;
    add_tally(tally, f.items + threadIdx.x, f.class_free[v.number] + v.perfect, sizes[threadIdx.x]);
}

/* Writes them to the places of the cube. */
__device__ void list_sets(const cube_view &v, const cube_sets &sets, const cuda_ask &ask,
                          uint32_t *n, uint64_t at, const cuda_cube_results &results,
                          uint32_t cube) {
    if (threadIdx.x == 0) *n = 0;
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << v.dims; set += BLOCK) {
        if (!sets.wants(v, set, ask)) continue;
        uint64_t place = at + atomicAdd(n, 1u);
        results.sets[place] = set >> v.watched;
        results.supports[place] = sets.supports[set];
    }
    __syncthreads();
    if (threadIdx.x == 0) results.n[cube] = *n;
}

/* BESIDE: there are watched rows beside the cubes. */
template <bool BESIDE>
__global__ void __launch_bounds__(BLOCK)
    cubes_kernel(const cuda_frame f, const cuda_ask ask, const cuda_found found, uint32_t first,
                 uint32_t end, const cuda_cube_results results, const cuda_cube_work work) {
    __shared__ uint32_t histogram[SETS];
    __shared__ uint32_t watchers[BESIDE ? SETS : 1], out[BESIDE ? SETS / 32 : 1];
    __shared__ uint32_t watched[WATCHED];
    __shared__ uint32_t rows[CUDA_CUBE_DIMS], sizes[CUDA_CUBE_DIMS + 1], taken;
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(work.next, 1u);
        __syncthreads();
        uint32_t here = work.sliced ? 1 : work.n_parts; /* parts that this launch does */
        uint32_t number = taken / here, part = taken % here;
        __syncthreads();
        if (number >= work.n) return;
        uint32_t cube = work.list ? work.list[number] : first + number;
        if (cube < first || cube >= end) continue;
        cube_view v(f, found, cube, BESIDE, rows);
        make_histogram(f, v, histogram, part, here);
        bool whole =
            work.n_parts == 1 ||
            join_parts<BLOCK>(histogram, 1u << v.dims, work.histograms + (size_t)number * SETS,
                              &work.arrived[number], work.n_parts, &taken);
        if (!whole) continue;
        sum_supersets<BLOCK>(histogram, v.dims);
        cube_sets sets = {histogram, nullptr};
        if (BESIDE && v.n_beside > 0) {
            mark_out(v, histogram, ask, out);
            mark_watched(v, found.partners + v.beside, watched, watchers, out);
            sets.out = out;
        }
        if (results.tally) {
            tally_sets(f, v, sets, ask, sizes, results.tally);
        } else {
            list_sets(v, sets, ask, sizes, found.cube_sets_at[cube] - results.sets0, results,
                      cube - first);
        }
        __syncthreads();
    }
}

cudaError_t cuda_launch_cubes(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              uint32_t first, uint32_t end, const cuda_cube_results *results,
                              const cuda_cube_work *work, unsigned n_sm, cudaStream_t stream) {
    unsigned blocks = n_sm * CUDA_CUBES_SM;
    if (ask->beside) {
        cubes_kernel<true>
            <<<blocks, BLOCK, 0, stream>>>(*frame, *ask, *found, first, end, *results, *work);
    } else {
        cubes_kernel<false>
            <<<blocks, BLOCK, 0, stream>>>(*frame, *ask, *found, first, end, *results, *work);
    }
    return cudaGetLastError();
}

/* ---- moving results together --------------------------------------------------------------- */

__global__ void __launch_bounds__(BLOCK)
    pack_kernel(const cuda_found found, uint32_t first, uint32_t n_cubes,
                const cuda_cube_results from, const uint64_t *ends, uint32_t *sets,
                uint32_t *supports) {
    uint32_t cube = blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    if (cube >= n_cubes) return;
    uint64_t n = from.n[cube], to = ends[cube] - n;
    uint64_t at = found.cube_sets_at[first + cube] - from.sets0;
    for (uint64_t i = lane_id(); i < n; i += WARP_THREADS) {
        sets[to + i] = from.sets[at + i];
        supports[to + i] = from.supports[at + i];
    }
}

cudaError_t cuda_launch_cube_pack(const cuda_found *found, uint32_t first, uint32_t end,
                                  const cuda_cube_results *from, uint64_t *ends, uint32_t *sets,
                                  uint32_t *supports, void *scratch, size_t *scratch_bytes,
                                  cudaStream_t stream) {
    uint32_t n = end - first;
    cudaError_t error =
        cub::DeviceScan::InclusiveSum(scratch, *scratch_bytes, from->n, ends, n, stream);
    if (error != cudaSuccess || !scratch) return error;
    pack_kernel<<<blocks_for(n, WARPS), BLOCK, 0, stream>>>(*found, first, n, *from, ends, sets,
                                                            supports);
    return cudaGetLastError();
}

cudaError_t cuda_load_cubes(void) {
    return load_kernels(cubes_kernel<false>, cubes_kernel<true>, pack_kernel);
}
