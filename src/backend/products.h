/* products.h - classes of rows, searched by products: what a device does for the tensor miner
 *
 * A class is a prefix of the search with the rows of the items that are frequent with it: a column
 * is a transaction that holds the prefix, or a hole (a column of zeros, which counts nothing). The
 * supports of all two-step extensions of the prefix are one product of the rows with themselves,
 * over (AND, population count).
 *
 * Classes of one depth lie together in a frame, class by class; frames form a stack. Frame 0 is
 * the root: one class, with a row for every frequent item.
 *
 *     frame 1    class {a}: rows b c d e     class {b}: rows c e     …       row numbers go on
 *                                                                            through the frame
 * Rows in turn are worked off in four steps:
 *
 *     count    row i of a class with the rows behind it: which pairs are frequent. These are the
 *              partners of i. A partner with the support of i itself is perfect: it is in every
 *              column of i, is set aside, and is `free` to be in or out of any set below.
 *     cubes    rows with few partners: every column of the row is a number of a bit per partner;
 *              a histogram over them, summed over supersets, holds the supports of all sets of
 *              partners. Nothing below such a row is left to do.
 *     push     rows with more partners, the `children`: the rows of the partners, restricted to
 *              the columns of row i, are a class of the next frame.
 *     pop      when the next frame is done with.
 *
 * A row that has a partner to add is left for cubes() if it has few partners that are not perfect,
 * else for push(). How many a cube takes, and whether watched ones (below) are among these, is the
 * choice of the device, which tells it with each count(); so whoever has the partners knows.
 *
 * Targets closed and maximal also need to know of the items that were added elsewhere before: there
 * a row also has partners in front of it. Those are watched: they go along into cubes and children,
 * in front, but nothing is added from them: a watched row has no partners and is no result. A
 * perfect watched partner makes row i `subsumed`: nothing at or below it is closed, and nothing is
 * left to do.
 *
 *     target     row itself is in the result                 set S of a cube is in the result
 *     all        always                                      if frequent
 *     closed     unless subsumed; free items belong to it    … and no partner more keeps its
 *                                                            support
 *     maximal    unless subsumed, if it has no partner but   … and no partner more leaves it
 *                free ones, which belong to it               frequent
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BACKEND_PRODUCTS_H
#define LODE_BACKEND_PRODUCTS_H

#include "runtime/job.h"

#define PRODUCT_CUBE   16 /* partners of a row that a cube may take */
#define PRODUCT_SIZES  64 /* of tallies: sizes, and numbers of free items, below this */
#define PRODUCT_DEPTHS 64

/* The root, in the memory of the host. Rows are numbered from the rarest item. The caller keeps all
 * of it unchanged until close(). */
typedef struct product_root {
    uint32_t n_rows;
    const uint32_t *supports; /* by row */
    uint64_t n_columns;
    /* Either rows of bits, whole 64-byte lines … */
    const uint64_t *rows;
    size_t row_words;
    /* … or, for sparse data, of each column the rows that have it, ascending: items[starts[c]] … */
    const uint64_t *starts; /* n_columns + 1 */
    const uint32_t *items;
} product_root;

/* How to count. */
typedef enum product_kernel {
    PRODUCT_AUTO,  /* the fastest of those that the device has, by trial */
    PRODUCT_POPC,  /* AND and population count, tile by tile */
    PRODUCT_MMA,   /* binary tensor cores of a warp, compute capability 8.0 on */
    PRODUCT_WGMMA, /* those of a warp group, 9.0a */
} product_kernel;

typedef struct product_how {
    lode_target target; /* ALL, CLOSED or MAXIMAL */
    product_kernel kernel;
    bool fetch;       /* results are wanted one by one, not only their numbers */
    unsigned sharers; /* that divide the memory of the device among them; 0 and 1: nobody does */
    /* For tests: calls stop after about so many partners, sets or rows; 0: when it is best. A GPU
     * takes the root in slices below 100. */
    uint32_t step;
    uint32_t cube; /* for tests: what a cube takes, at least 12 for a GPU; 0: what is best */
    /* For measurements: bytes that a GPU clears before it counts pairs. Its clock starts behind
     * that, when what counts has been launched, so that launching is not counted. */
    size_t lead;
} product_how;

/* What is asked of some rows. */
typedef struct product_ask {
    uint32_t first, end; /* rows of the top frame; count() may stop before, never within nothing */
    uint32_t min_count;
    /* Items that may be added to the sets of these rows. 0: nothing is counted, every row is its
     * own only result. 1: the partners that are not perfect are results of count() as well, each
     * for one set of one more item; there are no cubes and no children. More: sets of cubes with
     * more items may be among the results, or not. Closed, maximal: UINT32_MAX. */
    uint32_t more;
} product_ask;

/* What count() found for rows [first, end) of the frame. Arrays are there with `fetch` only and
 * valid until the next call; row r is at r - first. */
typedef struct product_counted {
    uint32_t first, end;
    uint64_t n_partners, n_subsumed;
    uint32_t n_cubes, n_children; /* rows that are left for cubes() and for push() */
    uint32_t cube;            /* partners, not perfect, up to which a row is among the cubes; … */
    bool beside;              /* … without the watched ones, of which there may be any number */
    const uint64_t *ends;     /* of a row's partners; the first row's begin at 0 */
    const uint32_t *partners; /* rows of the frame, ascending: watched ones, then others; all
                                   * of them also for a row that is subsumed */
    const uint32_t *supports; /* of row and partner together */
} product_counted;

/* What cubes() found, for each cube [first, end) in the order of rows; with `fetch` only. */
typedef struct product_cubes {
    uint32_t first, end;
    const uint32_t *rows; /* of the frame */
    const uint64_t *ends; /* of a cube's sets */
    const uint32_t *sets; /* bit p: the p-th partner of the row that is neither perfect nor watched.
                           * Never 0. In no particular order */
    const uint32_t *supports;
} product_cubes;

/* A child, before it is pushed. */
typedef struct product_child {
    uint32_t support;
    uint32_t n; /* partners: watched ones, and perfect ones, among them */
    const uint32_t *supports;
} product_child;

/* What a device did at one depth; that of the root is 0. */
typedef struct product_depth {
    uint64_t classes, rows, pairs; /* that were counted by products */
    double pair_bits;              /* bits of two rows that were compared in them */
    uint64_t cubes, cube_sets;     /* 2^k - 1 for k partners to add */
    double cube_bits;              /* columns times rows looked at */
} product_depth;

typedef struct product_report {
    product_depth depths[PRODUCT_DEPTHS]; /* the last one: all that are deeper */
    uint64_t bytes_up, bytes_down, memory_peak, spilled_bytes, slices;
    double counting, candidate, transfer; /* seconds; a device with a clock of its own uses that */
    char kernel[64];                      /* which was taken, and why */
} product_report;

typedef struct product_device product_device;

typedef struct backend_products {
    /* `threads` of the host may be used. Errors of budget say what is needed. UNSUPPORTED: the
     * device has no such kernel. */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, unsigned threads,
                                       const product_root *root, const product_how *how,
                                       product_device **out);
    void (*close)(product_device *device);

    /* Counts rows [ask->first, ask->end) of the top frame, or as many of the first of them as there
     * is room for. The top frame keeps what was found until the next count() on it. */
    LODE_NODISCARD lode_status (*count)(product_device *device, const product_ask *ask,
                                        product_counted *out);
    /* Works off cubes of what was counted last on the top frame, from `first` on; out->end says how
     * far it came. */
    LODE_NODISCARD lode_status (*cubes)(product_device *device, uint32_t first, product_cubes *out);
    /* Makes a frame of children of what was counted last, from number `first` on; *end says how far
     * it came. The rows of the new frame are the partners of each that are not perfect, in turn;
     * *n_rows says how many. */
    LODE_NODISCARD lode_status (*push)(product_device *device, uint32_t first, uint32_t *end,
                                       uint32_t *n_rows);
    void (*pop)(product_device *device);
    /* Child number i of what was counted last on the frame of this depth, that of the root being 0;
     * for the forecast of its work. Valid until the next count() there. NULL: the device does not
     * know. */
    product_child (*child)(const product_device *device, uint32_t depth, uint32_t i);

    /* Without `fetch`: adds to tally[size * PRODUCT_SIZES + free] how many results of count() and
     * cubes() since the last call have so many items that are chosen, and so many free ones beside
     * them; both at most PRODUCT_SIZES - 1: UNSUPPORTED, now and from now on, if a result had more.
     * For all: each stands for 2^free sets; for closed and maximal: for one, of size + free items.
     */
    LODE_NODISCARD lode_status (*tally)(product_device *device, uint64_t *tally);

    product_report (*report)(const product_device *device);
} backend_products;

#endif
