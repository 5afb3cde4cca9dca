/* product_histograms.cuh - histograms of columns, and the results of joint and large lattices
 *
 * In a few rows, each column is a number with one bit for each row, and this number stands for a
 * set of these rows. A histogram counts how many columns have each number. Summed over supersets,
 * it has the support of every set.
 *
 * The first part of this file makes histograms. The second part delivers the results of a
 * cuda_histogram, which may contain several lattices. A set of a joint lattice belongs to the
 * lattice of its first row. A set of a single large lattice belongs to that lattice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_HISTOGRAMS_CUH
#define LODE_DEVICE_CUDA_PRODUCT_HISTOGRAMS_CUH

#include "device/cuda/product_code.cuh"

/* ---- histograms ------------------------------------------------------------------------------ */

/* The words of each row of a histogram, for up to DIMS rows; NULL for rows that do not exist. If
 * `key` is not NULL, only the columns of that row are counted. In the functions below, ROWS is this
 * type or another type with `key`, has() and word(). */
template <int DIMS> struct column_rows {
    const uint32_t *key, *rows[DIMS];

    /* n rows of a class, with these local numbers */
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

/* Swaps the bits of `high` that are in MASK with the bits of `low` that are SHIFT places further
 * left. */
template <int SHIFT, uint32_t MASK>
__device__ __forceinline__ void swap_bits(uint32_t &low, uint32_t &high) {
    uint32_t differ = (low >> SHIFT ^ high) & MASK;
    high ^= differ;
    low ^= differ << SHIFT;
}

/* Turns 8 words, each with 32 columns of one row, into columns: afterwards, byte b of x[r] has the
 * 8 bits of column 8 b + r. */
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

/* Turns 32 rows of 32 columns into columns: the new bit r of x[c] is the old bit c of x[r]. */
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

/* Counts one column, whose number is `set`. Columns that no row has are not needed. */
template <class HISTOGRAM>
__device__ __forceinline__ void count_set(const HISTOGRAM &histogram, uint32_t set) {
    if (set) histogram.add(set, 1);
}

/* Counts 32 columns at once. x has a word of each row; columns that must not be counted are
 * zero. */
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

/* Counts, one by one, the columns whose bit is set in `rest`. */
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

/* Counts the columns of word w. Columns that no row has are skipped. Columns that all rows have are
 * not added to the histogram: dense data have so many of them that all threads would wait for the
 * same entry. Instead, the function returns their number. All lanes of a warp call it together. */
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

/* Adds the part of a histogram that a block has counted to the sum of the parts, in device memory.
 * In the block that comes last, returns true and puts the sum of all n_parts parts into
 * `histogram`. `ticket` is a word of shared memory. All threads call it. */
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

/* Combines the value of each set with those of all its supersets. take(one, other) combines `one`
 * with `other`. All threads call it. */
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

/* Turns a histogram into supports: adds the numbers of columns of all supersets. */
template <int N> __device__ void sum_supersets(uint32_t *histogram, uint32_t dims) {
    take_supersets<N>(histogram, dims, [](uint32_t &n, uint32_t more) { n += more; });
}

/* ---- the results of a cuda_histogram --------------------------------------------------------- */

/* The lattice of one row of a histogram. */
struct lattice_row {
    uint32_t lattice;  /* its number; UINT32_MAX = the row has none */
    uint32_t partners; /* later partners that are not perfect, as a set of rows of the histogram */
    uint32_t perfect;  /* number of perfect partners */
    uint32_t outside;  /* number of partners before the rows of the histogram: the first ones */
};

/* What a block knows about its histogram, in shared memory. */
template <int ROWS> struct histogram_memory {
    uint32_t locals[ROWS];          /* by bit of a set: the local row of the class */
    uint32_t n;                     /* rows of the histogram */
    uint32_t front;                 /* partners before this row of the frame are outside */
    bool alone;                     /* the histogram is a single large lattice, that of rows[0] */
    lattice_row rows[ROWS];         /* by bit: the lattice of the row */
    uint32_t sizes[ROWS][ROWS + 1]; /* number of results: by row, then by items added to the row */
    uint64_t places[ROWS];          /* by row of the lattice: where its next results go */

    /* The row in whose lattice a set is. */
    __device__ uint32_t row_of(uint32_t set) const {
        return alone ? 0 : (uint32_t)__ffs((int)set) - 1;
    }
    /* The items that a set adds to that row. */
    __device__ uint32_t rest_of(uint32_t set) const {
        return alone ? set : set & (set - 1);
    }
    /* Whether the set is frequent, belongs to a lattice of this histogram, and adds 1 to max_added
     * items to the row of this lattice. */
    __device__ __forceinline__ bool is_result(const cuda_request &request, uint32_t set,
                                              uint32_t support) const {
        uint32_t rest = rest_of(set);
        if (rest == 0 || support < request.min_count) return false;
        const lattice_row &r = rows[row_of(set)];
        return r.lattice != UINT32_MAX && (rest & ~r.partners) == 0 &&
               (uint32_t)__popc(rest) <= request.max_added;
    }
};

/* How many partners of each kind the row of a lattice has: outside the histogram, perfect, and the
 * others, which each_partner() passes to tell(). */
struct partner_kinds {
    uint32_t outside, perfect, others;
};

/* Calls tell(i, partner) for each partner of a lattice's row that is neither earlier nor perfect: i
 * is 0, 1, … and `partner` is a row of the frame. (A row with a perfect earlier partner has no
 * lattice.) Partners before row `front` of the frame are outside. A whole warp calls it. */
template <class TELL>
__device__ __forceinline__ partner_kinds each_partner(const cuda_frame &f, const cuda_found &found,
                                                      uint32_t lattice, uint32_t front, TELL tell) {
    partner_kinds n = {0, 0, 0};
    uint32_t n_partners = found.lattice_partners[lattice], row = found.lattice_row[lattice];
    uint32_t support = f.row_support[row];
    uint64_t at = found.lattice_at[lattice];
    for (uint32_t first = 0; first < n_partners; first += WARP_THREADS) {
        uint32_t i = first + lane_id(), partner = i < n_partners ? found.partners[at + i] : row;
        bool perfect = partner > row && found.supports[at + i] == support;
        bool is = partner > row && !perfect;
        uint32_t those = __ballot_sync(ALL_LANES, is);
        if (is) tell(n.others + (uint32_t)__popc(those & ((1u << lane_id()) - 1)), partner);
        n.others += (uint32_t)__popc(those);
        n.perfect += (uint32_t)__popc(__ballot_sync(ALL_LANES, perfect));
        n.outside += (uint32_t)__popc(__ballot_sync(ALL_LANES, partner < front));
    }
    return n;
}

/* Fills in the rows of a histogram: the last rows of the class, or the partners of a single large
 * lattice. All threads call it. */
template <int ROWS>
__device__ void read_histogram_rows(const cuda_frame &f, const class_view &c,
                                    const cuda_found &found, const cuda_histogram &h,
                                    histogram_memory<ROWS> &m) {
    uint32_t n = c.n < ROWS ? c.n : ROWS;
    bool alone = h.key != CUDA_NO_KEY;
    if (alone && threadIdx.x < WARP_THREADS) {
        n = each_partner(f, found, h.first_lattice, 0, [&](uint32_t i, uint32_t row) {
                m.locals[i] = row - c.first;
            }).others;
    } else if (!alone && threadIdx.x < n) {
        m.locals[threadIdx.x] = c.n - n + threadIdx.x;
    }
    if (threadIdx.x == 0) {
        m.n = n;
        m.front = c.first + (alone ? h.key : c.n - n);
        m.alone = alone;
    }
    __syncthreads();
}

/* Fills in the lattices of a histogram, once read_histogram_rows() has filled in its rows. Each
 * warp does some lattices. All threads call it. */
template <int ROWS>
__device__ void read_histogram_lattices(const cuda_frame &f, const cuda_found &found,
                                        const cuda_histogram &h, histogram_memory<ROWS> &m) {
    for (uint32_t i = threadIdx.x; i < ROWS * (ROWS + 1); i += blockDim.x) (&m.sizes[0][0])[i] = 0;
    if (threadIdx.x < ROWS) m.rows[threadIdx.x] = {UINT32_MAX, 0, 0, 0};
    __syncthreads();
    for (uint32_t i = threadIdx.x / WARP_THREADS; i < h.n_lattices;
         i += blockDim.x / WARP_THREADS) {
        uint32_t lattice = h.first_lattice + i, mine = 0;
        partner_kinds n = each_partner(f, found, lattice, m.front, [&](uint32_t at, uint32_t row) {
            mine |= 1u << (m.alone ? at : row - m.front);
        });
        lattice_row r = {lattice, __reduce_or_sync(ALL_LANES, mine), n.perfect, n.outside};
        if (lane_id() == 0) m.rows[m.alone ? 0 : found.lattice_row[lattice] - m.front] = r;
    }
    __syncthreads();
}

/* Sets first … first + n - 1 of a histogram; set `first` has supports[0]. */
struct some_sets {
    const uint32_t *supports;
    uint32_t first, n;
};

/* The functions below take a condition `wants`, which says whether a set is a result. By this
 * condition, all frequent sets are. */
template <int ROWS> struct wants_frequent {
    const cuda_request &request;
    const histogram_memory<ROWS> &m;
    __device__ __forceinline__ bool operator()(uint32_t set, uint32_t support) const {
        return m.is_result(request, set, support);
    }
};

/* Counts results by size and adds them to a tally. `items` and `free`: the chosen and the free
 * items of the class. All threads call it. */
template <int ROWS, class WANTS>
__device__ void tally_histogram(const WANTS &wants, const some_sets &sets,
                                histogram_memory<ROWS> &m, uint32_t items, uint32_t free,
                                uint64_t *tally) {
    for (uint32_t s = threadIdx.x; s < sets.n; s += blockDim.x) {
        uint32_t set = sets.first + s;
        if (!wants(set, sets.supports[s])) continue;
        atomicAdd(&m.sizes[m.row_of(set)][__popc(m.rest_of(set))], 1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < ROWS * (ROWS + 1); i += blockDim.x) {
        uint32_t row = i / (ROWS + 1), added = i % (ROWS + 1), count = m.sizes[row][added];
        if (count) add_tally(tally, items + added, free + m.rows[row].perfect, count);
    }
}

/* Takes the bits of `set` at the positions that are set in `of`, and moves them together: the bit
 * at the i-th of these positions becomes bit i. */
__device__ __forceinline__ uint32_t compress(uint32_t set, uint32_t of) {
    uint32_t packed = 0;
    for (uint32_t bit = 1; of; of &= of - 1, bit <<= 1) {
        if (set & of & (0 - of)) packed |= bit;
    }
    return packed;
}

/* Where the results of lattices [begin, end) go; those of other lattices are not delivered. */
struct lattice_places {
    const cuda_found &found;
    const cuda_lattice_results &results;
    uint32_t begin, end;
};

/* Writes results to the places of their lattices. Several blocks may write results of one lattice,
 * so each block first counts its own results and reserves places for these. All threads call it. */
template <int ROWS, class WANTS>
__device__ void list_histogram(const WANTS &wants, const some_sets &sets, histogram_memory<ROWS> &m,
                               const lattice_places &to) {
    const cuda_lattice_results &results = to.results;
    for (uint32_t s = threadIdx.x; s < sets.n; s += blockDim.x) {
        uint32_t set = sets.first + s;
        if (wants(set, sets.supports[s])) atomicAdd(&m.sizes[m.row_of(set)][0], 1u);
    }
    __syncthreads();
    if (threadIdx.x < ROWS) {
        uint32_t lattice = m.rows[threadIdx.x].lattice, n = m.sizes[threadIdx.x][0];
        m.places[threadIdx.x] = UINT64_MAX;
        if (lattice >= to.begin && lattice < to.end && n > 0) {
            uint64_t *taken = &results.n[lattice - to.begin];
            m.places[threadIdx.x] = to.found.lattice_sets_at[lattice] - results.set_origin +
                                    atomicAdd((unsigned long long *)taken, (unsigned long long)n);
        }
        m.sizes[threadIdx.x][0] = 0;
    }
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < sets.n; s += blockDim.x) {
        uint32_t set = sets.first + s, row = set ? m.row_of(set) : 0;
        if (!wants(set, sets.supports[s]) || m.places[row] == UINT64_MAX) continue;
        uint64_t place = m.places[row] + atomicAdd(&m.sizes[row][0], 1u);
        results.sets[place] = compress(set, m.rows[row].partners);
        results.supports[place] = sets.supports[s];
    }
}

/* Tallies or lists the sets of a histogram that are results. All threads call it. */
template <int ROWS, class WANTS>
__device__ void deliver_histogram(const cuda_frame &f, uint32_t class_index, const WANTS &wants,
                                  const some_sets &sets, histogram_memory<ROWS> &m,
                                  const lattice_places &to) {
    if (to.results.tally) {
        tally_histogram(wants, sets, m, f.items, f.class_free[class_index], to.results.tally);
    } else {
        list_histogram(wants, sets, m, to);
    }
}

#endif
