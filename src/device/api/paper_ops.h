/* paper_ops.h - the interface of a device for the algorithms of the papers
 *
 * The level-wise miners of src/papers open a device as every miner does (backend.h), set its rows,
 * reserve its lists, and then open a backend_papers on top of it. Other miners use nothing of this
 * header. As in backend.h, each operation processes a whole batch, and results are the same on
 * every device. Array arguments are in host memory.
 *
 * pgm, the miner of subgraphs in src/papers, has its own table (pgm_ops, below).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_PAPER_OPS_H
#define LODE_DEVICE_API_PAPER_OPS_H

#include "device/api/backend.h"
#include "device/api/graph_ops.h"
#include "device/api/grid_shape.h"
#include "device/api/pgm_shapes.h"

/* What a miner of src/papers opens on top of a backend_device. */
typedef struct backend_papers backend_papers;

/* How bits are counted; see lode/papers.h. */
typedef struct backend_paper_config {
    lode_popcount popcount;
    bool trees;         /* and_count() adds up the counts of a row's words by a tree */
    lode_reduce reduce; /* the kind of tree */
    uint64_t n_columns; /* columns of a row, without padding; for the trees */
} backend_paper_config;

/* Figures of a device since open(). */
typedef struct backend_paper_counters {
    uint64_t work_items;  /* places in the grids of or_pairs(), with or without a pair */
    uint64_t blocks;      /* blocks started for these places; a CPU counts one per place */
    uint64_t idle_blocks; /* places without a pair */
    uint64_t intersected; /* pairs of which or_pairs() also intersected the rows */
    double grid_seconds;  /* time of these grids alone: on a GPU by the device's clock */
    uint64_t reduce_adds; /* additions of the trees: all … */
    uint64_t reduce_idle; /* … and those that added padding */
    uint64_t cache_rows;  /* most cache lists used by and_count_classes() at the same time */
} backend_paper_counters;

/* Itemsets as a bit table: set i has the words from data[i * words] on, in which bit r stands for
 * the item of rank r. (A row of backend.h is a set of transactions; this is a set of items.) */
typedef struct backend_sets {
    const uint64_t *data;
    size_t n, words; /* number of sets; words of each */
} backend_sets;

/* Two sets of a level, by number. */
typedef struct backend_pair {
    uint32_t a, b;
} backend_pair;

/* The result of join_sets(), join_count(), or join() of backend_level_ops. The caller owns the
 * arrays. */
typedef struct backend_joined {
    backend_pair *pairs;        /* in order of a, then b */
    uint32_t *counts;           /* join_count(): their supports */
    size_t n;                   /* pairs */
    uint64_t generated, pruned; /* joins that were done; joins whose union is no candidate */
    double count_seconds;       /* join_count(): the part of the kernel time spent counting */
} backend_joined;

/* A bit that marks the last member of each class. */
#define BACKEND_LAST_MEMBER 0x80000000u

/* Candidates that are intersections of n_prefix + 1 rows, by class: the candidates of a class have
 * the same prefix, all rows but the last. */
typedef struct backend_classes {
    /* n_prefix row numbers for each class; the last row number of each candidate, class by class */
    const uint32_t *prefixes, *members;
    uint32_t n_prefix;
    size_t n_classes, n_members;
} backend_classes;

/* Whether fewer rows are moved if the k - 1 prefix rows of a class are intersected first. This
 * reads k - 1 rows and writes 1, and then reads 2 rows for each of the m members. Otherwise, k rows
 * are read for each member. */
static inline bool backend_class_pays(uint32_t k, size_t m) {
    return k > 2 && m * (k - 2) > k;
}

/* The input of or_pairs(): a tile (which may be all) of the grid over all pairs of the sets
 * (grid_shape.h). */
typedef struct backend_grid_part {
    lode_grid grid;
    uint32_t k; /* items that a union must have */
    backend_grid_tile tile;
} backend_grid_part;

/* ---- levels that stay on the device ----------------------------------------------------------
 *
 *     start ─▶ level of 1 item ─▶ join, keep; join, keep; … ─▶ advance ─▶ level of 2 items ─▶ …
 *
 * From the pairs that were kept, advance() makes the next level on the device: the table of its
 * sets (in lexicographic order), their groups (sets that differ in the last item only), and the
 * numbers of their rows. All of this stays on the device; the host receives only totals. If the
 * host must write the sets, or takes over the search because the device runs out of memory,
 * found(), table() and kept() copy the data to the host. All row numbers are as in backend.h.
 */

/* A level, as the host sees it: the number of its sets, and the number of joins among them (pairs
 * of sets of the same group). */
typedef struct backend_level {
    uint32_t n_sets;
    uint64_t n_joins;
} backend_level;

/* The row number of set i of a level whose sets have `size` items, in a search that starts with
 * n_items single items. Single items use the permanent rows. Sets of even size use the lists with
 * even numbers, and sets of odd size those with odd numbers, so that the rows of consecutive levels
 * never overlap. */
static inline uint32_t backend_level_row(uint32_t n_items, uint32_t size, uint32_t i) {
    return size == 1 ? i : n_items + 2 * i + size % 2;
}

typedef struct backend_level_ops {
    /* Starts with the level of single items: set i is item i. The table has `words` words for each
     * set. */
    LODE_NODISCARD lode_status (*start)(backend_papers *papers, uint32_t n_items, size_t words,
                                        backend_level *level);
    /* The maximum number of joins for one call of join(). */
    uint64_t (*most)(const backend_papers *papers);
    /* Does the joins [first, end) of the current level, which are numbered by their left set, then
     * by their right set. A union is a candidate if all its subsets with one item less are in the
     * level. The support of a candidate is counted from the rows of its two sets. The candidate is
      * found if its support is at least min_count. `out` receives numbers only, no pairs or counts.
      * */
    LODE_NODISCARD lode_status (*join)(backend_papers *papers, uint64_t first, uint64_t end,
                                       uint32_t min_count, backend_joined *out);
    /* Copies what the last join() found to the host: out->n pairs, in order, and their counts. */
    LODE_NODISCARD lode_status (*found)(backend_papers *papers, backend_pair *pairs,
                                        uint32_t *counts);
    /* Keeps what the last join() found, after what was kept before. Pair i of all that is kept will
     * be set i of the next level. Of the sets that this call adds, the rows of the first n_rows are
     * stored, in the lists that backend_level_row() names; the caller must have allocated memory
     * for these lists before. BUDGET, without a message: there is no room, and nothing has changed.
     * */
    LODE_NODISCARD lode_status (*keep)(backend_papers *papers, uint32_t n_rows);
    /* Turns everything that was kept into the next level, which becomes the current level. All of
     * its sets must have stored rows. BUDGET, without a message: there is no room, and the current
     * level is still the old one. */
    LODE_NODISCARD lode_status (*advance)(backend_papers *papers, backend_level *level);
    /* Copies the table of the current level to the host: `words` words for each set. */
    LODE_NODISCARD lode_status (*table)(backend_papers *papers, uint64_t *data);
    /* Copies the pairs that were kept so far to the host. */
    LODE_NODISCARD lode_status (*kept)(backend_papers *papers, backend_pair *pairs);
    /* Frees the memory of the levels, except what use_sets() will use again. close() frees all of
     * it. */
    void (*stop)(backend_papers *papers);
} backend_level_ops;

typedef struct backend_paper_ops {
    /* The device still belongs to the caller, who must close the backend_papers first. */
    LODE_NODISCARD lode_status (*open)(backend_device *device, const backend_paper_config *config,
                                       backend_papers **out);
    void (*close)(backend_papers *papers);
    backend_paper_counters (*counters)(const backend_papers *papers);

    /* ---- operations on rows ---- */

    /* Like and_count() of backend.h, but bits are counted as the config says. */
    LODE_NODISCARD lode_status (*and_count)(backend_papers *papers, const backend_work *work,
                                            size_t n, uint32_t min_count, uint32_t *counts);
    /* counts[i] = |rows[i * k] AND … AND rows[i * k + k - 1]|. Nothing is stored. */
    LODE_NODISCARD lode_status (*and_count_lists)(backend_papers *papers, const uint32_t *rows,
                                                  uint32_t k, size_t n, uint32_t *counts);
    /* counts[i] = |all prefix rows AND the row of member i|, for each member. The prefix rows are
     * intersected once for each class, into one of the n_cache lists of `cache`. If n_cache is 0, a
     * device with memory of its own keeps this intersection in registers. A CPU needs at least one
     * list, uses no more threads than there are lists, and for small classes intersects all rows
     * for each member instead. */
    LODE_NODISCARD lode_status (*and_count_classes)(backend_papers *papers,
                                                    const backend_classes *classes,
                                                    const uint32_t *cache, size_t n_cache,
                                                    uint32_t *counts);

    /* ---- operations on itemsets ---- */

    /* Passes the sets of a level to the operations below. The caller keeps the arrays unchanged
     * until the next call. The sets are in lexicographic order, so those that differ in the last
     * item only (a group) are consecutive: group_end[i] is the end of the group of set i; NULL if
     * nothing is joined. rows[i] is the row number of set i, for join_count() and or_pairs(); NULL
     * if these need none. */
    LODE_NODISCARD lode_status (*use_sets)(backend_papers *papers, const backend_sets *sets,
                                           const uint32_t *group_end, const uint32_t *rows);
    /* Joins each set i of [first, end) with i + 1, i + 2, … up to the end of its group. A union is
     * a candidate if all its subsets with one item less are sets of the level (found by binary
     * search). `out` receives the candidates; out->pairs must have room for all joins. */
    LODE_NODISCARD lode_status (*join_sets)(backend_papers *papers, size_t first, size_t end,
                                            backend_joined *out);
    /* Like join_sets(), but also counts the candidates by the rows of their two sets: `out`
     * receives those that reach min_count, with their counts. NULL for devices that gain nothing
     * by it. */
    LODE_NODISCARD lode_status (*join_count)(backend_papers *papers, size_t first, size_t end,
                                             uint32_t min_count, backend_joined *out);
    /* Each block of the part unites the two sets of its pair and checks the size of the union.
     * `pairs` receives the pairs whose union has k items, in the order of the blocks, row by row;
     * it must have room for one pair per block. If use_sets() was given rows, a block with such a
     * pair also intersects the two rows (if both sets have one), into memory that nobody reads. The
     * blocks of the paper do so, too, and the point is to measure their time. */
    LODE_NODISCARD lode_status (*or_pairs)(backend_papers *papers, const backend_grid_part *part,
                                           backend_pair *pairs, size_t *n_pairs);

    /* Levels that stay on the device; NULL for devices that gain nothing by it. */
    const backend_level_ops *levels;

    /* Operations on graphs (pgm_ops, below). */
    const struct pgm_ops *pgm;
} backend_paper_ops;

/* ---- pgm: extensions of patterns that keep their occurrences in columns ---------------------- */

/* What pgm opens on top of a graph device: holds the labels, and the extensions that the last
 * search found. */
typedef struct pgm_device pgm_device;

typedef struct pgm_ops {
    /* The graph device and the arrays of `labels` still belong to the caller, who must close the
     * pgm_device first. */
    LODE_NODISCARD lode_status (*open)(backend_graph_device *device, const pgm_labels *labels,
                                       pgm_device **out);
    void (*close)(pgm_device *pgm);
    /* Finds the extensions of the patterns of a batch that occur in at least min_support graphs:
     * forward from every vertex of the right-most path, and backward from the newest vertex to the
     * others of the path. The extensions are sorted by pattern; then backward ones come first; then
     * by the column of the path vertex, which is the end of a backward edge and the start of a
     * forward edge; then by edge label and vertex label. If memory is short, only the first
     * patterns of the batch are searched. `found` is valid until the next call. */
    LODE_NODISCARD lode_status (*search)(pgm_device *pgm, const pgm_batch *batch, pgm_found *found);
    /* Writes the last columns of n extensions that the last search found. The layout of the columns
     * is that of this search. The columns of that search must still exist. May return before the
     * columns are written, but later operations of the device wait until they are. */
    LODE_NODISCARD lode_status (*build)(pgm_device *pgm, const pgm_build *list, uint32_t n);
    /* Waits for all work queued so far, and returns the times. */
    LODE_NODISCARD lode_status (*times)(pgm_device *pgm, pgm_times *out);
} pgm_ops;

#endif
