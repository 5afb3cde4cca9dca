/* products.h - the interface of a device for the tensor miner: Eclat by products of bit matrices
 *
 * An equivalence class is a prefix together with the items that are frequent with it. On a device
 * it is a bit matrix: a row for each of these items, a column for each transaction that contains
 * the prefix. (Some columns are padding: all zero, they count nothing.) The supports of all
 * two-item extensions of the prefix are one product of this matrix with its transpose, with AND for
 * times and population count for plus.
 *
 * Classes of one depth are stored together in a frame, class by class; their rows are numbered
 * consecutively. Frames form a stack. Frame 0 is the root: one class, with a row for every frequent
 * item.
 *
 *     class       0              1          2
 *     rows        0 1 2 3        4 5        6 7 8          a frame with three classes
 *
 * The miner processes the rows of the top frame in four steps:
 *
 *     count      Pairs each row i with the rows after it in its class. The rows that are frequent
 *                together with i are its partners. If their common support is that of i, the
 *                partner is a perfect extension: it is in every column of i. It is not searched any
 *                further, but is `free` to be in or out of every set below i.
 *     lattices   For a row with few partners that are not perfect: the supports of all subsets of
 *                them. Every column of the row is a number with one bit per partner. A histogram
 *                of these numbers, summed over supersets, is the subset lattice with all supports.
 *                Nothing is left to do below such a row.
 *     push       For a row with more partners (a `child`): the rows of its partners, restricted to
 *                the columns of row i, become a class of the next frame.
 *     pop        Removes the next frame when all of its rows are done.
 *
 * The device decides how many partners a lattice may have, and whether earlier partners (see below)
 * are among these. Each count() reports both, so that the host can tell by itself which rows have a
 * lattice and which become children.
 *
 * The targets closed and maximal need a closure check against the earlier items. These are the
 * items that come before the item of row i in the fixed order of items (rarest first), whether or
 * not they have been searched yet. For these targets, row i also has earlier partners: rows before
 * row i in its class. Earlier partners take part in lattices and children, as the first rows, but
 * are never added to a set: in a child, the row of an earlier item has no partners of its own and
 * is not a result. If an earlier partner is perfect, row i is `subsumed`: no set at row i or below
 * is closed, and row i is not searched.
 *
 *     target     row i itself is a result if                 a set of its lattice is a result if
 *     all        always                                      it is frequent
 *     closed     it is not subsumed                          it is frequent and no further partner
 *                                                            keeps its support
 *     maximal    it is not subsumed and all its partners     it is frequent and no further partner
 *                are perfect                                 keeps it frequent
 *
 * For closed and maximal, the free items belong to every result.
 *
 * Files: device/cpu/cpu_products.c; device/cuda/products.c, product_plan.cu and others there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_PRODUCTS_H
#define LODE_DEVICE_API_PRODUCTS_H

#include "runtime/job.h"

#define PRODUCT_LATTICE_ITEMS 16 /* maximum number of partners of a lattice, on any device */
#define PRODUCT_SIZES         64 /* a tally has entries for 0 … 63 chosen and 0 … 63 free items */
#define PRODUCT_DEPTHS        64 /* depths reported separately */

/* The root, in host memory. Rows are in ascending order of support or in the order of
 * lode_dataset.order: devices rely on neither. The caller keeps the root unchanged until
 * close(). */
typedef struct product_root {
    uint32_t n_rows;
    const uint32_t *supports; /* by row */
    uint64_t n_columns;
    /* Either bit rows, one after the other, each a whole number of 64-byte lines … */
    const uint64_t *rows; /* NULL = lists */
    size_t row_words;
    /* … or, for sparse data, lists: column c is in the rows items[starts[c]] … items[starts[c + 1]
     * - 1], in ascending order. */
    const uint64_t *starts; /* n_columns + 1 entries; NULL = bit rows */
    const uint32_t *items;
} product_root;

/* The kernel that counts pairs. */
typedef enum product_kernel {
    PRODUCT_AUTO,  /* the fastest of the device, found by trial */
    PRODUCT_POPC,  /* AND and population count, tile by tile */
    PRODUCT_MMA,   /* binary tensor cores, per warp: compute capability 8.0 and later */
    PRODUCT_WGMMA, /* binary tensor cores, per warp group: 9.0a */
} product_kernel;

typedef struct product_config {
    lode_target target; /* ALL, CLOSED or MAXIMAL */
    product_kernel kernel;
    bool fetch;       /* deliver each result; false = only count them, see tally() */
    unsigned sharers; /* consumers that share the memory of the device; 0 and 1 = only this one */
    /* For tests: a call stops after about this many partners, sets or rows; 0 = automatic. A GPU
     * also cuts the root into slices if this is below 100. */
    uint32_t step;
    uint32_t lattice_items; /* for tests: maximum partners of a lattice, at least 12 on a GPU; 0 =
                             * automatic */
    size_t slab_bytes;      /* for tests: size of the first slab of device memory; 0 = automatic */
    /* For benchmarks: bytes that a GPU clears before it counts pairs. The time is measured from
     * then on, when the counting kernels are already queued, so launch times are not included. */
    size_t warmup_bytes;
} product_config;

/* The input of count(). */
typedef struct product_request {
    uint32_t first, end; /* rows of the top frame; count() may stop early, after at least one row */
    uint32_t min_count;
    /* The maximum number of items that may be added to the set of a row.
     *     0     nothing is counted: every row is a result and has no partners
     *     1     each partner that is not perfect is one more result of count(); there are no
     *           lattices and no children
     *     more  lattices and children as above; a lattice delivers only sets of at most so many
     *           partners
     * For closed and maximal it must be UINT32_MAX. */
    uint32_t max_added;
} product_request;

/* The result of count() for rows [first, end). The arrays only exist with `fetch`, and are valid
 * until the next call. The entry of row r in `ends` has the index r - first. */
typedef struct product_counted {
    uint32_t first, end;
    uint64_t n_partners, n_subsumed; /* partners of all these rows; how many rows are subsumed */
    uint32_t n_lattices, n_children; /* rows left for lattices() and for push() */
    uint32_t lattice_items;   /* a row with at most this many partners that are not perfect … */
    bool excludes_earlier;    /* … gets a lattice; true: earlier partners do not count for this */
    const uint64_t *ends;     /* where a row's partners end; those of the first row start at 0 */
    const uint32_t *partners; /* row numbers, ascending, so earlier ones come first; also listed for
                               * subsumed rows */
    const uint32_t *supports; /* of row and partner together */
} product_counted;

/* A counted row with its partners. */
typedef struct product_row {
    uint32_t row, support;
    const uint32_t *partners, *supports; /* as in product_counted */
    uint32_t n;                          /* partners */
    uint32_t n_perfect;                  /* how many of them are perfect … */
    uint32_t n_earlier;                  /* … and how many of the others are earlier */
    bool subsumed;
} product_row;

/* Makes a product_row, which points to the same arrays: counts the partners of each kind. */
static inline product_row product_row_of(uint32_t row, uint32_t support, const uint32_t *partners,
                                         const uint32_t *supports, uint32_t n) {
    product_row r = {
        .row = row, .support = support, .partners = partners, .supports = supports, .n = n};
    for (uint32_t i = 0; i < n; i++) {
        bool perfect = supports[i] == support, earlier = partners[i] < row;
        r.n_perfect += perfect;
        r.n_earlier += earlier && !perfect;
        r.subsumed = r.subsumed || (earlier && perfect);
    }
    return r;
}

/* Whether the row itself is a result; see the table above. */
static inline bool product_row_is_result(const product_row *r, lode_target target) {
    switch (target) {
    case LODE_TARGET_CLOSED: return !r->subsumed;
    case LODE_TARGET_MAXIMAL: return !r->subsumed && r->n == r->n_perfect;
    default: return true;
    }
}

/* Whether the row has a lattice or becomes a child. */
static inline bool product_row_leads_on(const product_row *r, uint32_t max_added) {
    return !r->subsumed && max_added >= 2 && r->n - r->n_perfect > r->n_earlier;
}

/* The result of lattices(): lattices [first, end) of the last count(), in the order of their rows.
 * The arrays only exist with `fetch`, and are valid until the next call. */
typedef struct product_lattices {
    uint32_t first, end;
    const uint32_t *rows; /* by lattice: its row in the frame */
    const uint64_t *ends; /* by lattice: where its sets end */
    const uint32_t *sets; /* bit p: the p-th partner that is neither perfect nor earlier; never 0;
                           * in no particular order */
    const uint32_t *supports; /* by set */
} product_lattices;

/* A row left for push(). */
typedef struct product_child {
    uint32_t support;
    uint32_t n;               /* all its partners, including earlier and perfect ones */
    const uint32_t *supports; /* of row and partner together */
} product_child;

/* The work that a device has done at one depth; the root has depth 0. */
typedef struct product_depth {
    uint64_t classes, rows, pairs;   /* counted by count() */
    double pair_bits;                /* bits of rows that were compared for these pairs */
    uint64_t lattices, lattice_sets; /* 2^k - 1 sets for k partners that may be added */
    double lattice_bits;             /* columns times rows that were read for lattices */
} product_depth;

/* Figures of a device since open(). */
typedef struct product_report {
    product_depth depths[PRODUCT_DEPTHS]; /* the last one also has all deeper ones */
    /* bytes_up, bytes_down: bytes copied to the device and back. memory_peak: most bytes of device
     * memory in use, by all consumers of the job. spilled_bytes: bytes of frames copied to the host
     * to make room. slices: number of slices copied to the device, if the root is larger than its
     * memory. */
    uint64_t bytes_up, bytes_down, memory_peak, spilled_bytes, slices;
    double start; /* seconds of opening, without copies */
    /* Seconds. counting: of counting (on a GPU, of all kernels, by its clock). candidate: of the
     * rest of the calls. transfer: of copies. */
    double counting, candidate, transfer;
    char kernel[64]; /* the kernel chosen, and why */
} product_report;

typedef struct product_device product_device;

typedef struct backend_products {
    /* Opens device `index` and makes frame 0 from the root. The device may use up to `threads` host
     * threads. The message of a BUDGET error says what is needed. UNSUPPORTED: the device cannot
     * run the kernel that the config asks for. */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, unsigned threads,
                                       const product_root *root, const product_config *config,
                                       product_device **out);
    void (*close)(product_device *device);

    /* Counts rows [request->first, request->end) of the top frame, or only as many of the first
     * ones as there is room for; out->end is the end of the counted rows. The frame keeps the
     * result, for lattices() and push(), until its next count(). */
    LODE_NODISCARD lode_status (*count)(product_device *device, const product_request *request,
                                        product_counted *out);
    /* Computes lattices of the last count() on the top frame, from number `first` (0 …
     * n_lattices - 1) on; out->end is the first one left for a later call. */
    LODE_NODISCARD lode_status (*lattices)(product_device *device, uint32_t first,
                                           product_lattices *out);
    /* Makes a new top frame from children of the last count(), from number `first` (0 …
     * n_children - 1) on. *end receives the first child left for a later call. The rows of the new
     * frame are the partners of each child that are not perfect; *n_rows is their number. */
    LODE_NODISCARD lode_status (*push)(product_device *device, uint32_t first, uint32_t *end,
                                       uint32_t *n_rows);
    /* Removes the top frame; never called for the root. If this fails on a GPU, the next count()
     * returns the error. */
    void (*pop)(product_device *device);
    /* Returns child number i of the last count() on the frame of this depth, so that the caller can
     * predict its work. The result is valid until the next count() on that frame. The function
     * pointer is NULL if the device does not keep these data on the host. */
    product_child (*child)(const product_device *device, uint32_t depth, uint32_t i);

    /* Without `fetch`: adds to tally[chosen * PRODUCT_SIZES + free] the number of results of
     * count() and lattices(), since the last call, that have these numbers of chosen and free
     * items. For target all, one result stands for 2^free sets; for closed and maximal, for one set
     * of chosen + free items. UNSUPPORTED, in this and all later calls: a result had PRODUCT_SIZES
     * or more chosen or free items. */
    LODE_NODISCARD lode_status (*tally)(product_device *device, uint64_t *tally);

    product_report (*report)(const product_device *device);
} backend_products;

#endif
