/* product_lattices.cu - rows with few partners: the supports of all sets of their partners at once
 *
 * A block takes a row. Each column of the row is a number, with one bit for every partner, which is
 * set if the partner has the column. The numbers are counted in a histogram in shared memory. Bit
 * by bit, the entry with this bit is added to the one without it. This turns the histogram into
 * supports:
 *
 *     columns of the row    101 111 001 101 …        histogram[101]++ …
 *     for each bit p        h[s] += h[s | p]  for every s without p
 *
 * Closure check. A set is not closed if an earlier row covers it, that is, has all of its columns.
 * This takes no supports of earlier rows. For each number, a mask says which earlier rows have all
 * columns of this number seen so far. Bit by bit as above, the rows that are missing in the masks
 * of supersets are removed from the mask of a set:
 *
 *     columns of the row    101 111 001 101 …        covering[101] &= {earlier rows that have it} …
 *     for each bit p        c[s] &= c[s | p]  for every s without p
 *
 * So any number of earlier rows can be checked, EARLIER_ROWS at a time. As a rule, the first few
 * columns show that no row covers any set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_scan.cuh>

#include "device/cuda/product_histograms.cuh"

#define BLOCK    256
#define WARPS    (BLOCK / WARP_THREADS)
#define SETS     (1 << CUDA_LATTICE_DIMS)
#define OWN_DIMS 8 /* up to here, each warp has a histogram of its own */

/* A lattice, unpacked; the same in all threads. */
struct lattice_view {
    class_view c;
    uint32_t number; /* its class */
    uint32_t local, support;
    uint32_t dims;    /* its partners: one bit of a set each */
    uint32_t earlier; /* how many of these, the lowest bits, are earlier rows */
    uint32_t perfect;
    uint32_t n_checked;   /* earlier partners that are not in it, but checked apart … */
    uint64_t checked_at;  /* … and where they begin among all partners */
    const uint32_t *rows; /* local rows of the partners: shared memory */

    /* checks: earlier partners are checked apart */
    __device__ lattice_view(const cuda_frame &f, const cuda_found &found, uint32_t lattice,
                            bool checks, uint32_t *rows);
};

/* How many of n partners are in front of a row; they are the first ones. All threads. */
__device__ uint32_t count_earlier(const uint32_t *partners, uint32_t n, uint32_t row) {
    uint32_t earlier = 0;
    for (uint32_t i = threadIdx.x;; i += BLOCK) {
        uint32_t some = (uint32_t)__syncthreads_count(i < n && partners[i] < row);
        earlier += some;
        if (some < BLOCK) return earlier;
    }
}

__device__ lattice_view::lattice_view(const cuda_frame &f, const cuda_found &found,
                                      uint32_t lattice, bool checks, uint32_t *list)
    : c(f, f.row_class[found.lattice_row[lattice]]),
      number(f.row_class[found.lattice_row[lattice]]), local(found.lattice_row[lattice] - c.first),
      support(f.row_support[found.lattice_row[lattice]]), dims(0), earlier(0), perfect(0),
      n_checked(0), checked_at(found.lattice_at[lattice]), rows(list) {
    uint64_t at = checked_at;
    uint32_t n = found.lattice_partners[lattice];
    if (checks) n_checked = count_earlier(found.partners + at, n, c.first + local);
    for (uint32_t i = n_checked; i < n; i++) { /* a few at most, unless many are perfect */
        uint32_t row = found.partners[at + i] - c.first;
        if (found.supports[at + i] == support) {
            perfect++;
            continue;
        }
        if (row < local) earlier++;
        if (threadIdx.x == 0) list[dims] = row;
        dims++;
    }
    __syncthreads();
}

/* ---- the histogram ------------------------------------------------------------------------- */

/* Adds the histograms of all warps to that of the first. */
__device__ void join_histograms(uint32_t *histogram, uint32_t n_sets) {
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) {
        uint32_t sum = 0;
        for (uint32_t w = 0; w < WARPS; w++) sum += histogram[w * n_sets + s];
        histogram[s] = sum; /* no other thread reads place s of the first */
    }
}

/* Counts from lists: a warp takes a column and looks for partners among its rows. */
__device__ void count_lists(const lattice_view &v, const cuda_lists &lists, uint32_t *histogram,
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
__device__ void count_lattice(const lattice_view &v, uint32_t *histogram, uint32_t first,
                              uint32_t end) {
    column_rows<DIMS> rows(v.c, v.c.words(v.local), v.rows, v.dims);
    count_columns<DIMS, BLOCK>(rows, histogram_words{histogram}, (1u << v.dims) - 1, first, end);
}

/* One of n_parts parts of the columns. */
__device__ void count_part(const cuda_frame &f, const lattice_view &v, uint32_t *histogram,
                           uint32_t part, uint32_t n_parts) {
    uint32_t n = f.lists.items ? v.support : v.c.vectors * 4;
    uint32_t each = (n + n_parts - 1) / n_parts, first = part * each;
    uint32_t end = first + each < n ? first + each : n;
    if (first >= end) return;
    if (f.lists.items) {
        count_lists(v, f.lists, histogram, first, end);
    } else if (v.dims <= 4) {
        count_lattice<4>(v, histogram, first, end);
    } else if (v.dims <= 8) {
        count_lattice<8>(v, histogram, first, end);
    } else {
        count_lattice<CUDA_LATTICE_DIMS>(v, histogram, first, end);
    }
}

__device__ void make_histogram(const cuda_frame &f, const lattice_view &v, uint32_t *histogram,
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

/* ---- the closure check ----------------------------------------------------------------------- */

__device__ __forceinline__ bool has_bit(const uint32_t *bits, uint32_t i) {
    return bits[i / 32] >> i % 32 & 1;
}

#define EARLIER_ROWS                                                                               \
    (32 - CUDA_LATTICE_DIMS) /* earlier rows at a time: a column is a word of number and mask */

/* For the columns of word w: removes from the mask of each number the earlier rows that lack one of
 * its columns. Dense data have many columns with all partners. These need not be turned: the
 * function returns which earlier rows lack one of them. */
__device__ uint32_t cover_word(const lattice_view &v, const uint32_t *earlier, uint32_t n,
                               uint32_t *covering, uint32_t w) {
    uint32_t x[32], any = 0, every = __ldg(v.c.words(v.local) + w), rest = every, lacks = 0;
    if (every == 0) return 0;
#pragma unroll
    for (int p = 0; p < CUDA_LATTICE_DIMS; p++) {
        x[p] = p < v.dims ? __ldg(v.c.words(v.rows[p]) + w) : 0;
        any |= x[p];
        every &= p < v.dims ? x[p] : ~0u;
    }
    rest &= any & ~every;
#pragma unroll
    for (int i = 0; i < EARLIER_ROWS; i++) {
        uint32_t word = i < n ? __ldg(v.c.words(earlier[i]) + w) : ~0u;
        x[CUDA_LATTICE_DIMS + i] = word;
        lacks |= (every & ~word ? 1u : 0u) << i;
    }
    if (rest == 0) return lacks;
    turn_square(x);
#pragma unroll
    for (int c = 0; c < 32; c++) {
        uint32_t *those = &covering[x[c] & (SETS - 1)], has = x[c] >> CUDA_LATTICE_DIMS;
        bool takes = rest >> c & 1 && *(volatile uint32_t *)those & ~has; /* mostly not */
        if (takes) atomicAnd(those, has);
    }
    return lacks;
}

/* Finds which of n earlier rows cover each set. Stops as soon as every set that is not yet `out` is
 * uncovered, usually long before the last column. Returns whether any set is covered. All threads
 * call it. */
__device__ bool find_covering(const lattice_view &v, const uint32_t *earlier, uint32_t n,
                              const uint32_t *out, uint32_t *covering) {
    uint32_t n_sets = 1u << v.dims, n_words = v.c.vectors * 4;
    for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) covering[s] = (1u << n) - 1;
    __syncthreads();
    for (uint32_t first = 0, some = BLOCK; first < n_words; first += some, some *= 2) {
        uint32_t end = n_words - first < some ? n_words : first + some, lacks = 0;
        for (uint32_t w = first + threadIdx.x; w < end; w += BLOCK) {
            lacks |= cover_word(v, earlier, n, covering, w);
        }
        lacks = __reduce_or_sync(ALL_LANES, lacks);
        if (lane_id() == 0) atomicAnd(&covering[n_sets - 1], ~lacks);
        __syncthreads();
        take_supersets<BLOCK>(covering, v.dims,
                              [](uint32_t &rows, uint32_t others) { rows &= others; });
        bool left = false;
        for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) {
            left |= covering[s] && !has_bit(out, s);
        }
        if (!__syncthreads_or(left)) return false;
    }
    return true;
}

/* Marks the sets as `out` that an earlier row covers. All threads. */
__device__ void mark_covered(const lattice_view &v, const uint32_t *partners, uint32_t *earlier,
                             uint32_t *covering, uint32_t *out) {
    for (uint32_t first = 0; first < v.n_checked; first += EARLIER_ROWS) {
        uint32_t n = v.n_checked - first < EARLIER_ROWS ? v.n_checked - first : EARLIER_ROWS;
        if (threadIdx.x < n) earlier[threadIdx.x] = partners[first + threadIdx.x] - v.c.first;
        __syncthreads();
        bool any = find_covering(v, earlier, n, out, covering);
        for (uint32_t s = threadIdx.x; any && s < 1u << v.dims; s += BLOCK) {
            if (covering[s]) atomicOr(&out[s / 32], 1u << s % 32);
        }
        __syncthreads();
    }
}

/* ---- results ------------------------------------------------------------------------------- */

/* Whether a set of one more partner has the same support (closed) or is frequent (maximal). */
__device__ bool is_ruled_out(const uint32_t *supports, uint32_t set, uint32_t dims,
                             const cuda_request &request) {
    uint32_t least = request.target == CUDA_CLOSED ? supports[set] : request.min_count;
    for (uint32_t p = 0; p < dims; p++) {
        if (!(set >> p & 1) && supports[set | 1u << p] >= least) return true;
    }
    return false;
}

__device__ bool is_result(const lattice_view &v, const uint32_t *supports, uint32_t set,
                          const cuda_request &request) {
    if (set == 0 || set & ((1u << v.earlier) - 1)) return false;
    if ((uint32_t)__popc(set) > request.max_added || supports[set] < request.min_count)
        return false;
    return request.target == CUDA_ALL || !is_ruled_out(supports, set, v.dims, request);
}

/* The sets of a lattice, in shared memory. */
struct lattice_sets {
    const uint32_t *supports;
    const uint32_t *out; /* a bit for each set that is no result; NULL: is_result() tells */

    __device__ bool wants(const lattice_view &v, uint32_t set, const cuda_request &request) const {
        return out ? !has_bit(out, set) : is_result(v, supports, set, request);
    }
};

/* Marks sets that are not results even without the earlier rows. A warp makes one word. All threads
 * call it. */
__device__ void mark_out(const lattice_view &v, const uint32_t *supports,
                         const cuda_request &request, uint32_t *out) {
    for (uint32_t s = threadIdx.x; s < SETS; s += BLOCK) {
        bool is_out = s >> v.dims || !is_result(v, supports, s, request);
        uint32_t those = __ballot_sync(ALL_LANES, is_out);
        if (lane_id() == 0) out[s / 32] = those;
    }
    __syncthreads();
}

/* Counts results by size. */
__device__ void tally_sets(const cuda_frame &f, const lattice_view &v, const lattice_sets &sets,
                           const cuda_request &request, uint32_t *sizes, uint64_t *tally) {
    if (threadIdx.x <= v.dims) sizes[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << v.dims; set += BLOCK) {
        if (sets.wants(v, set, request)) atomicAdd(&sizes[__popc(set)], 1u);
    }
    __syncthreads();
    if (threadIdx.x > v.dims || sizes[threadIdx.x] == 0) return;
    add_tally(tally, f.items + threadIdx.x, f.class_free[v.number] + v.perfect, sizes[threadIdx.x]);
}

/* Writes the results from place `at` on, and how many there are to *n_results. */
__device__ void list_sets(const lattice_view &v, const lattice_sets &sets,
                          const cuda_request &request, uint32_t *n, uint64_t at,
                          const cuda_lattice_results &results, uint64_t *n_results) {
    if (threadIdx.x == 0) *n = 0;
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << v.dims; set += BLOCK) {
        if (!sets.wants(v, set, request)) continue;
        uint64_t place = at + atomicAdd(n, 1u);
        results.sets[place] = set >> v.earlier;
        results.supports[place] = sets.supports[set];
    }
    __syncthreads();
    if (threadIdx.x == 0) *n_results = *n;
}

/* CHECKS_EARLIER: earlier partners are not in the lattices but checked apart. */
template <bool CHECKS_EARLIER>
__global__ void __launch_bounds__(BLOCK)
    lattices_kernel(const cuda_frame f, const cuda_request request, const cuda_found found,
                    uint32_t first, uint32_t end, const cuda_lattice_results results,
                    const cuda_lattice_work work) {
    __shared__ uint32_t histogram[SETS];
    __shared__ uint32_t covering[CHECKS_EARLIER ? SETS : 1], out[CHECKS_EARLIER ? SETS / 32 : 1];
    __shared__ uint32_t earlier[EARLIER_ROWS];
    __shared__ uint32_t rows[CUDA_LATTICE_DIMS], sizes[CUDA_LATTICE_DIMS + 1], taken;
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(work.next, 1u);
        __syncthreads();
        uint32_t here = work.sliced ? 1 : work.n_parts; /* parts that this launch does */
        uint32_t number = taken / here, part = taken % here;
        __syncthreads();
        if (number >= work.n) return;
        uint32_t lattice = work.list ? work.list[number] : first + number;
        if (lattice < first || lattice >= end) continue;
        lattice_view v(f, found, lattice, CHECKS_EARLIER, rows);
        make_histogram(f, v, histogram, part, here);
        bool whole =
            work.n_parts == 1 ||
            join_parts<BLOCK>(histogram, 1u << v.dims, work.histograms + (size_t)number * SETS,
                              &work.arrived[number], work.n_parts, &taken);
        if (!whole) continue;
        sum_supersets<BLOCK>(histogram, v.dims);
        lattice_sets sets = {histogram, nullptr};
        if (CHECKS_EARLIER && v.n_checked > 0) {
            mark_out(v, histogram, request, out);
            mark_covered(v, found.partners + v.checked_at, earlier, covering, out);
            sets.out = out;
        }
        if (results.tally) {
            tally_sets(f, v, sets, request, sizes, results.tally);
        } else {
            list_sets(v, sets, request, sizes, found.lattice_sets_at[lattice] - results.set_origin,
                      results, &results.n[lattice - first]);
        }
        __syncthreads();
    }
}

cudaError_t cuda_launch_lattices(const cuda_lattice_call *call, const cuda_lattice_work *work) {
    unsigned blocks = call->n_sm * CUDA_LATTICES_SM;
    auto kernel = call->request->excludes_earlier ? lattices_kernel<true> : lattices_kernel<false>;
    kernel<<<blocks, BLOCK, 0, call->stream>>>(*call->frame, *call->request, *call->found,
                                               call->first, call->end, *call->results, *work);
    return cudaGetLastError();
}

/* ---- moving results together --------------------------------------------------------------- */

__global__ void __launch_bounds__(BLOCK)
    pack_kernel(const cuda_found found, uint32_t first, uint32_t n_lattices,
                const cuda_lattice_results from, const uint64_t *ends, uint32_t *sets,
                uint32_t *supports) {
    uint32_t lattice = blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    if (lattice >= n_lattices) return;
    uint64_t n = from.n[lattice], to = ends[lattice] - n;
    uint64_t at = found.lattice_sets_at[first + lattice] - from.set_origin;
    for (uint64_t i = lane_id(); i < n; i += WARP_THREADS) {
        sets[to + i] = from.sets[at + i];
        supports[to + i] = from.supports[at + i];
    }
}

cudaError_t cuda_launch_lattice_pack(const cuda_lattice_call *call, cuda_lattice_pack *to) {
    uint32_t n = call->end - call->first;
    const cuda_lattice_results *from = call->results;
    cudaError_t error = cub::DeviceScan::InclusiveSum(to->scratch, to->scratch_bytes, from->n,
                                                      to->ends, n, call->stream);
    if (error != cudaSuccess || !to->scratch) return error;
    pack_kernel<<<blocks_for(n, WARPS), BLOCK, 0, call->stream>>>(
        *call->found, call->first, n, *from, to->ends, to->sets, to->supports);
    return cudaGetLastError();
}

cudaError_t cuda_load_lattices(void) {
    return load_kernels(lattices_kernel<false>, lattices_kernel<true>, pack_kernel);
}
