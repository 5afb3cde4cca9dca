/* product_closure.cuh - which sets of a joint or large lattice are closed
 *
 * The columns of a set are those that all rows of the set have. A set is not closed if a further
 * row covers it, that is, has all columns of the set. If that row is in the histogram, the supports
 * show it: the set with the row added has the same support. All other rows that may cover a set
 * come before the rows of the histogram in the class; they are `outside`. The histogram has no
 * supports for the rows outside, so these rows are compared with the columns of the sets. This is
 * done for one slice of 2^13 sets at a time. Beyond the first 13 rows, the sets of a slice have the
 * same rows.
 *
 *     many sets    Each set has a mask of 16 bits, one for each of 16 rows outside: bit i is set as
 *                  long as row i has every column of the set that has been read. 32 columns at a
 *                  time are read from the 13 rows and from these 16 rows, and are turned into a
 *                  word for each column, as for single lattices (product_lattices.cu). This goes
 *                  on, part by part, until few sets have a mask that is not empty.
 *     few sets     A warp reads the columns of one set until each row outside that may still cover
 *                  the set has turned out to lack one of them:
 *
 *     columns of a set    0 1 1 0 1 1 0 …      32 words at a time
 *     row outside         1 1 0 1 1 …          lacks the third column: does not cover the set
 *
 * As a rule, the first part of the columns rules out all rows outside, so the cost of a slice
 * hardly depends on the number of columns. A row that covers a frequent set is a partner of each
 * row of the set. So if there are few sets to begin with, as in sparse data, only the partners of
 * the lattice's row are compared.
 *
 * Neighbouring columns are often alike, because transactions that follow each other in a file are.
 * Therefore a warp does not go through the columns in order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_CLOSURE_CUH
#define LODE_DEVICE_CUDA_PRODUCT_CLOSURE_CUH

#include "device/cuda/product_histograms.cuh"

#define CLOSURE_BLOCK 256         /* threads */
#define CLOSURE_HOP   2654435761u /* a prime above any number of steps, near 2^32 / 1.618 */
#define SLICE_ROWS    13
#define SLICE_SETS    (1u << SLICE_ROWS)
#define MASK_ROWS     16 /* rows outside at a time */

/* Checking a single set costs a warp at least two steps, which wait for memory. Computing masks for
 * a part of the columns costs as much, and about ten barriers more. So masks pay only if there are
 * more than one or two sets per warp (an estimate). Both constants are numbers of threads that have
 * a set to check; each thread looks at 32 sets. */
#define MASKED_LEAST 16 /* use masks if this many threads start with a set … */
#define MASKED_LEFT  8  /* … and until only this many have a set that may be covered */

/* The state of the check of a slice, in shared memory. */
struct closure_memory {
    uint32_t closed[SLICE_SETS / 32];  /* a bit for each set that may still be closed */
    uint32_t covering[SLICE_SETS / 2]; /* entry i has the masks of sets 2 i and 2 i + 1 */
    uint32_t rows[MASK_ROWS];          /* by bit of a mask: the local row */
};

/* n rows outside: the rows listed in `partners` or, if that is NULL, the first rows of the
 * class. */
struct outside_rows {
    const uint32_t *partners;
    uint32_t n, origin; /* origin: the first row of the class, in the frame */

    __device__ __forceinline__ uint32_t local(uint32_t i) const {
        return partners ? __ldg(partners + i) - origin : i;
    }
};

/* The columns of the sets of a histogram, and the rows outside. */
struct closure_rows {
    class_view c;
    const cuda_found &found;
    const uint32_t *key;    /* words of the key row; NULL = all columns count */
    const uint32_t *locals; /* by bit of a set: the local row */

    template <int ROWS>
    __device__ closure_rows(const class_view &c, const cuda_found &found, const cuda_histogram &h,
                            const histogram_memory<ROWS> &m)
        : c(c), found(found), key(m.alone ? c.words(h.key) : nullptr), locals(m.locals) {}
    /* Word w of the columns of a set. */
    __device__ __forceinline__ uint32_t columns(uint32_t set, uint32_t w) const {
        uint32_t word = key ? __ldg(key + w) : ~0u;
        for (; set; set &= set - 1) word &= __ldg(c.words(locals[__ffs((int)set) - 1]) + w);
        return word;
    }
    /* The rows outside that may cover sets of a lattice: the first of its partners. */
    __device__ __forceinline__ outside_rows outside_of(const lattice_row &l) const {
        return {found.partners + found.lattice_at[l.lattice], l.outside, c.first};
    }
    /* The rows outside that may cover sets of any lattice of the histogram. */
    template <int ROWS>
    __device__ __forceinline__ outside_rows outside_all(const histogram_memory<ROWS> &m) const {
        return m.alone ? outside_of(m.rows[0]) : outside_rows{nullptr, m.front - c.first, c.first};
    }
};

/* ---- set by set ---------------------------------------------------------------------------- */

/* Bit i of `left` stands for row first + i of `outside`. Returns the bits of the rows that have all
 * columns of the set. A whole warp calls it. */
__device__ __forceinline__ uint32_t find_covering_rows(const closure_rows &r,
                                                       const outside_rows &outside, uint32_t set,
                                                       uint32_t first, uint32_t left) {
    uint32_t n_words = r.c.vectors * 4, n_steps = (n_words + WARP_THREADS - 1) / WARP_THREADS;
    for (uint32_t step = 0; step < n_steps && left; step++) {
        uint32_t place = (uint32_t)((uint64_t)step * CLOSURE_HOP % n_steps);
        uint32_t w = place * WARP_THREADS + lane_id(), lacks = 0;
        uint32_t columns = w < n_words ? r.columns(set, w) : 0;
        for (uint32_t rest = left; columns && rest; rest &= rest - 1) {
            uint32_t i = (uint32_t)__ffs((int)rest) - 1;
            uint32_t word = __ldg(r.c.words(outside.local(first + i)) + w);
            lacks |= (columns & ~word ? 1u : 0u) << i;
        }
        left &= ~__reduce_or_sync(ALL_LANES, lacks);
    }
    return left;
}

/* Whether any of the rows outside has all columns of the set. A whole warp calls it. */
__device__ __forceinline__ bool is_covered_outside(const closure_rows &r,
                                                   const outside_rows &outside, uint32_t set) {
    for (uint32_t first = 0; first < outside.n; first += 32) {
        uint32_t n = outside.n - first;
        if (find_covering_rows(r, outside, set, first, n < 32 ? (1u << n) - 1 : ~0u)) return true;
    }
    return false;
}

/* Unmarks (in memory.closed) the marked sets of a slice for which is_covered(s) is true, where s is
 * the number of the set in the slice. A whole warp calls is_covered(); all threads call
 * drop_covered(). */
template <class COVERED>
__device__ __forceinline__ void drop_covered(closure_memory &memory, COVERED is_covered) {
    for (uint32_t i = threadIdx.x / WARP_THREADS; i < SLICE_SETS / 32;
         i += CLOSURE_BLOCK / WARP_THREADS) {
        uint32_t those = memory.closed[i];
        for (uint32_t rest = those; rest; rest &= rest - 1) {
            uint32_t set = i * 32 + (uint32_t)__ffs((int)rest) - 1;
            if (is_covered(set)) those &= ~(rest & (0 - rest));
        }
        __syncwarp();
        if (lane_id() == 0) memory.closed[i] = those;
    }
    __syncthreads();
}

/* ---- masks --------------------------------------------------------------------------------- */

__device__ __forceinline__ uint32_t mask_of(const closure_memory &memory, uint32_t set) {
    return memory.covering[set >> 1] >> (set & 1) * 16 & 0xffff;
}

/* Given one column of a set: removes from the mask of the set the rows that lack this column.
 * `has`: the rows that have the column. */
__device__ __forceinline__ void narrow_mask(closure_memory &memory, uint32_t set, uint32_t has) {
    uint32_t *two = &memory.covering[set >> 1], shift = (set & 1) * 16;
    bool takes = *(volatile uint32_t *)two >> shift & 0xffff & ~has; /* mostly not */
    if (takes) atomicAnd(two, has << shift | 0xffffu << (16 - shift));
}

/* Narrows the masks of the sets of a slice by columns of word w: by those that all rows of `high`
 * have, which are the rows common to all sets of the slice. In dense data, many of these columns
 * are in all 13 other rows, too. Such columns are not turned into words; instead, the function
 * returns which of the n rows outside lack one of them. */
__device__ __forceinline__ uint32_t cover_slice_word(const closure_rows &r, uint32_t high,
                                                     uint32_t n, closure_memory &memory,
                                                     uint32_t w) {
    uint32_t x[32], columns = r.columns(high, w), any = high ? ~0u : 0, every = columns, lacks = 0;
    if (columns == 0) return 0;
#pragma unroll
    for (int p = 0; p < SLICE_ROWS; p++) {
        x[p] = __ldg(r.c.words(r.locals[p]) + w);
        any |= x[p];
        every &= x[p];
    }
#pragma unroll
    for (int i = 0; i < 32 - SLICE_ROWS; i++) {
        uint32_t word = i < n ? __ldg(r.c.words(memory.rows[i]) + w) : i < MASK_ROWS ? ~0u : 0;
        x[SLICE_ROWS + i] = word;
        if (i < MASK_ROWS) lacks |= (every & ~word ? 1u : 0u) << i;
    }
    uint32_t rest = columns & any & ~every;
    if (rest == 0) return lacks;
    turn_square(x);
#pragma unroll
    for (int c = 0; c < 32; c++) {
        if (rest >> c & 1) narrow_mask(memory, x[c] & (SLICE_SETS - 1), x[c] >> SLICE_ROWS);
    }
    return lacks;
}

/* Removes from the mask of every set the rows that are not in the masks of its supersets: the
 * columns of a superset are also columns of the set. All threads call it. */
__device__ __forceinline__ void narrow_by_supersets(closure_memory &memory) {
    take_supersets<CLOSURE_BLOCK>(memory.covering, SLICE_ROWS - 1,
                                  [](uint32_t &rows, uint32_t others) { rows &= others; });
    for (uint32_t i = threadIdx.x; i < SLICE_SETS / 2; i += CLOSURE_BLOCK) {
        memory.covering[i] &= memory.covering[i] >> 16 | 0xffff0000u;
    }
    __syncthreads();
}

/* How many threads have a marked set whose mask is not empty. All threads call it. */
__device__ __forceinline__ uint32_t count_left(const closure_memory &memory) {
    bool left = false;
    for (uint32_t s = threadIdx.x; s < SLICE_SETS; s += CLOSURE_BLOCK) {
        left |= (memory.closed[s / 32] >> s % 32 & 1) && mask_of(memory, s);
    }
    return (uint32_t)__syncthreads_count(left);
}

/* Finds which of n rows outside may cover each set of a slice. Stops when few sets have a mask that
 * is not empty. Returns count_left(). *sure: all columns were read, so a row that is left in the
 * mask of a set does cover the set. All threads call it. */
__device__ __forceinline__ uint32_t find_masks(const closure_rows &r, uint32_t high, uint32_t n,
                                               closure_memory &memory, bool *sure) {
    uint32_t n_words = r.c.vectors * 4;
    for (uint32_t first = 0, some = CLOSURE_BLOCK;; first += some, some *= 2) {
        uint32_t end = n_words - first < some ? n_words : first + some, lacks = 0;
        for (uint32_t w = first + threadIdx.x; w < end; w += CLOSURE_BLOCK) {
            lacks |= cover_slice_word(r, high, n, memory, w);
        }
        lacks = __reduce_or_sync(ALL_LANES, lacks);
        if (lane_id() == 0) atomicAnd(&memory.covering[SLICE_SETS / 2 - 1], ~(lacks << 16));
        __syncthreads();
        narrow_by_supersets(memory);
        uint32_t left = count_left(memory);
        *sure = end == n_words;
        if (left <= MASKED_LEFT || *sure) return left;
    }
}

/* Unmarks the sets that a row outside covers, in the slice whose sets all have the rows `high`. All
 * threads call it. */
__device__ __forceinline__ void drop_by_masks(const closure_rows &r, const outside_rows &outside,
                                              uint32_t high, closure_memory &memory) {
    for (uint32_t first = 0; first < outside.n; first += MASK_ROWS) {
        uint32_t n = outside.n - first < MASK_ROWS ? outside.n - first : MASK_ROWS;
        uint32_t all = (1u << n) - 1;
        bool sure;
        if (threadIdx.x < n) memory.rows[threadIdx.x] = outside.local(first + threadIdx.x);
        for (uint32_t i = threadIdx.x; i < SLICE_SETS / 2; i += CLOSURE_BLOCK) {
            memory.covering[i] = all << 16 | all;
        }
        __syncthreads();
        if (find_masks(r, high, n, memory, &sure) == 0) continue;
        drop_covered(memory, [&](uint32_t set) {
            uint32_t mask = mask_of(memory, set);
            return mask && (sure || find_covering_rows(r, outside, high | set, first, mask));
        });
    }
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Whether a further row of the histogram has all columns of a set. The perfect partners of the
 * set's lattice do not matter here, because they belong to every set of the lattice. `supports`: of
 * all sets of the histogram. */
template <int ROWS>
__device__ __forceinline__ bool is_covered_inside(const histogram_memory<ROWS> &m,
                                                  const uint32_t *supports, uint32_t set) {
    uint32_t row = m.row_of(set), support = supports[set];
    uint32_t others = m.rows[row].partners | (m.alone ? 0 : (1u << row) - 1);
    for (others &= ~set; others; others &= others - 1) {
        if (supports[set | (others & (0 - others))] == support) return true;
    }
    return false;
}

/* Marks the frequent sets of a slice that no row of the histogram covers. Returns how many threads
 * have marked a set. All threads call it. */
template <int ROWS>
__device__ uint32_t mark_by_supports(const cuda_request &request, const histogram_memory<ROWS> &m,
                                     const uint32_t *supports, const some_sets &sets,
                                     closure_memory &memory) {
    bool any = false;
    for (uint32_t s = threadIdx.x; s < SLICE_SETS; s += CLOSURE_BLOCK) {
        uint32_t set = sets.first + s;
        bool is = s < sets.n && m.is_result(request, set, supports[set]) &&
                  !is_covered_inside(m, supports, set);
        uint32_t those = __ballot_sync(ALL_LANES, is);
        if (lane_id() == 0) memory.closed[s / 32] = those;
        any |= is;
    }
    return (uint32_t)__syncthreads_count(any);
}

/* Marks the closed sets of a slice in memory.closed. `supports`: of all sets of the histogram. All
 * threads call it. */
template <int ROWS>
__device__ void mark_closed(const cuda_request &request, const histogram_memory<ROWS> &m,
                            const closure_rows &r, const uint32_t *supports, const some_sets &sets,
                            closure_memory &memory) {
    uint32_t n = mark_by_supports(request, m, supports, sets, memory);
    outside_rows outside = r.outside_all(m);
    if (n == 0 || outside.n == 0) return;
    if (n >= MASKED_LEAST) {
        drop_by_masks(r, outside, sets.first, memory);
    } else {
        drop_covered(memory, [&](uint32_t s) {
            uint32_t set = sets.first + s;
            return is_covered_outside(r, r.outside_of(m.rows[m.row_of(set)]), set);
        });
    }
}

/* A condition for deliver_histogram(): results are the sets that mark_closed() has marked. `first`:
 * the first set of the slice. */
struct wants_marked {
    const uint32_t *marks;
    uint32_t first;
    __device__ __forceinline__ bool operator()(uint32_t set, uint32_t) const {
        return marks[(set - first) / 32] >> (set - first) % 32 & 1;
    }
};

#endif
