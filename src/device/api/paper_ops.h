/* paper_ops.h - the interface of a device for the algorithms of the papers
 *
 * The level-wise miners of src/papers open a device as every miner does (backend.h), copy rows and
 * lists to it, and then open a backend_papers on top. So other miners do not see any of this. As
 * everywhere, operations are batches, and results are the same on every device.
 *
 * pgm, their miner of graphs, has its own table (pgm_ops, below).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_PAPER_OPS_H
#define LODE_DEVICE_API_PAPER_OPS_H

#include "device/api/backend.h"
#include "device/api/graph_ops.h"
#include "device/api/grid_shape.h"
#include "device/api/pgm_shapes.h"

/* A device that is used by one of the papers' miners. */
typedef struct backend_papers backend_papers;

/* How bits are counted; see lode/papers.h. */
typedef struct backend_paper_config {
    lode_popcount popcount;
    bool trees;         /* and_count() sums the words of a row by a tree */
    lode_reduce reduce; /* the kind of tree */
    uint64_t n_columns; /* bits of a row in use; for the trees */
} backend_paper_config;

typedef struct backend_paper_counters {
    uint64_t work_items;  /* places of the grids of or_pairs(), with a pair or without one */
    uint64_t blocks;      /* that were started for them; a CPU counts one for each place */
    uint64_t idle_blocks; /* places without a pair */
    uint64_t intersected; /* pairs whose rows it also intersected */
    double grid_seconds;  /* for its grids alone: on a GPU by the device's clock */
    uint64_t reduce_adds; /* additions of the trees: total … */
    uint64_t reduce_idle; /* … and those that added padding */
    uint64_t cache_rows;  /* most cache lists used by and_count_classes() at the same time */
} backend_paper_counters;

/* Itemsets as bit rows: row i is data[i * words] …, and its bit r stands for the item of rank r. */
typedef struct backend_sets {
    const uint64_t *data;
    size_t n, words;
} backend_sets;

typedef struct backend_pair {
    uint32_t a, b;
} backend_pair;

/* The result of join_sets(), join_count() or join() of a level. */
typedef struct backend_joined {
    backend_pair *pairs; /* in order of a, then b */
    uint32_t *counts;    /* join_count(): their supports */
    size_t n;
    uint64_t generated, pruned;
    double count_seconds; /* join_count(): the part of the kernel time spent counting */
} backend_joined;

/* Candidates of k rows by class: n_prefix = k - 1 row numbers per class, then the last row number
 * of every candidate, class by class; the last of a class carries BACKEND_LAST_MEMBER. */
#define BACKEND_LAST_MEMBER 0x80000000u

typedef struct backend_classes {
    const uint32_t *prefixes, *members;
    uint32_t n_prefix;
    size_t n_classes, n_members;
} backend_classes;

/* Whether intersecting the prefix rows of a class first (k - 1 in, 1 out, 2 for each of the m
 * members) moves fewer rows than intersecting k rows for each member. */
static inline bool backend_class_pays(uint32_t k, size_t m) {
    return k > 2 && m * (k - 2) > k;
}

/* A tile of the grid over all pairs of the sets (grid_shape.h); may be the whole grid. */
typedef struct backend_grid_part {
    lode_grid grid;
    uint32_t k; /* items that a union must have */
    backend_grid_tile tile;
} backend_grid_part;

/* ---- levels that stay on the device ----------------------------------------------------------
 *
 *     start ─▶ level of 1 item ─▶ join, keep; join, keep; … ─▶ advance ─▶ level of 2 items ─▶ …
 *
 * The sets of a level (a bit table in lexicographic order), their groups and the numbers of their
 * rows are made on the device from what was kept of the previous level, and stay there. The host
 * gets totals. found(), table() and kept() return the rest, for a host that must write the sets, or
 * go on by itself if the device runs out of memory. All row numbers are as in backend.h.
 */

/* A level, as the host sees it: the number of sets, and of their joins. */
typedef struct backend_level {
    uint32_t n_sets;
    uint64_t n_joins;
} backend_level;

/* The row of set i of a level whose sets have `size` items, of a search that starts with n_items:
 * items have the permanent rows; sets of even size have the even lists, and sets of odd size the
 * odd ones, so that consecutive levels never overlap. */
static inline uint32_t backend_level_row(uint32_t n_items, uint32_t size, uint32_t i) {
    return size == 1 ? i : n_items + 2 * i + size % 2;
}

typedef struct backend_level_ops {
    /* Starts with the level of single items: set i is item i. Rows of sets have `words` words. */
    LODE_NODISCARD lode_status (*start)(backend_papers *papers, uint32_t n_items, size_t words,
                                        backend_level *level);
    /* The maximum number of joins for one call of join(). */
    uint64_t (*most)(const backend_papers *papers);
    /* Does the joins [first, end) of the level, which are numbered by their left set, then by their
     * right set. A union is a candidate if all its subsets with one item less are in the level.
     * Candidates are counted by the rows of their two sets; those that reach min_count are found.
     * `out` receives figures only. */
    LODE_NODISCARD lode_status (*join)(backend_papers *papers, uint64_t first, uint64_t end,
                                       uint32_t min_count, backend_joined *out);
    /* Copies the result of the last join() to the host: its out->n pairs, in order, and counts. */
    LODE_NODISCARD lode_status (*found)(backend_papers *papers, backend_pair *pairs,
                                        uint32_t *counts);
    /* Keeps the result of the last join(), after what was kept before, and stores the rows of its
     * first n_rows sets: the row of set i of the next level is backend_level_row(), a list that the
     * caller has backed. BUDGET, without a message: no room, and nothing has changed. */
    LODE_NODISCARD lode_status (*keep)(backend_papers *papers, uint32_t n_rows);
    /* Makes what was kept the current level. All of it must have rows. BUDGET, likewise. */
    LODE_NODISCARD lode_status (*advance)(backend_papers *papers, backend_level *level);
    /* Copy the table of the level, or the pairs that were kept, to the host. */
    LODE_NODISCARD lode_status (*table)(backend_papers *papers, uint64_t *data);
    LODE_NODISCARD lode_status (*kept)(backend_papers *papers, backend_pair *pairs);
    /* Frees the memory, except what use_sets() will use again. close() does it, too. */
    void (*stop)(backend_papers *papers);
} backend_level_ops;

typedef struct backend_paper_ops {
    /* The caller keeps the device, and closes it after this. */
    LODE_NODISCARD lode_status (*open)(backend_device *device, const backend_paper_config *config,
                                       backend_papers **out);
    void (*close)(backend_papers *papers);
    backend_paper_counters (*counters)(const backend_papers *papers);

    /* ---- operations on rows ---- */

    /* As and_count() of backend.h, by the configured method. */
    LODE_NODISCARD lode_status (*and_count)(backend_papers *papers, const backend_work *work,
                                            size_t n, uint32_t min_count, uint32_t *counts);
    /* counts[i] = |rows[i * k] AND … AND rows[i * k + k - 1]|. Nothing is stored. */
    LODE_NODISCARD lode_status (*and_count_lists)(backend_papers *papers, const uint32_t *rows,
                                                  uint32_t k, size_t n, uint32_t *counts);
    /* counts[i] = |prefix rows AND member row| for each member. The prefix rows are intersected
     * once a class, into one of the n_cache lists; a device with memory of its own does it in
     * registers if there are none. A CPU needs a list, and does without for small classes. */
    LODE_NODISCARD lode_status (*and_count_classes)(backend_papers *papers,
                                                    const backend_classes *classes,
                                                    const uint32_t *cache, size_t n_cache,
                                                    uint32_t *counts);

    /* ---- operations on itemsets ---- */

    /* Sets the sets of a level, for the operations below. The caller keeps them unchanged until the
     * next call. group_end[i]: the end of the rows that differ from row i in the last item only
     * (rows are in lexicographic order); NULL if nothing is joined. rows[i]: the bit row of set i,
     * for join_count() and or_pairs(); NULL if these do not need any. */
    LODE_NODISCARD lode_status (*use_sets)(backend_papers *papers, const backend_sets *sets,
                                           const uint32_t *group_end, const uint32_t *rows);
    /* Joins each row i of [first, end) with i + 1, i + 2, … up to group_end[i]. The union is a
     * candidate if all its subsets with one item less are rows (found by binary search).
     * `out->pairs` must have room for all joins. */
    LODE_NODISCARD lode_status (*join_sets)(backend_papers *papers, size_t first, size_t end,
                                            backend_joined *out);
    /* The same, and counts the candidates by the rows of their two sets: `out` receives those that
     * reach min_count, with their counts. NULL for devices that gain nothing by it. */
    LODE_NODISCARD lode_status (*join_count)(backend_papers *papers, size_t first, size_t end,
                                             uint32_t min_count, backend_joined *out);
    /* Writes the pairs of a part whose union has k items to `pairs`, which must have room for as
     * many as the tile has blocks, in the order of these, row by row. A block unites its two sets
     * and checks the size of the union. If use_sets() was given rows, it then intersects the two
     * rows of such a pair, if both exist, into device memory that nobody reads: the blocks of the
     * paper do that, and its time is to be measured. */
    LODE_NODISCARD lode_status (*or_pairs)(backend_papers *papers, const backend_grid_part *part,
                                           backend_pair *pairs, size_t *n_pairs);

    /* Levels that stay on the device; NULL for devices that gain nothing by it. */
    const backend_level_ops *levels;

    /* Operations on graphs (pgm_ops, below). */
    const struct pgm_ops *pgm;
} backend_paper_ops;

/* ---- pgm: extensions of patterns that keep their occurrences in columns ---------------------- */

/* Labels, and the extensions of the last batch; the graphs belong to the device. */
typedef struct pgm_device pgm_device;

typedef struct pgm_ops {
    /* The graph device and the labels stay the caller's: close this first. */
    LODE_NODISCARD lode_status (*open)(backend_graph_device *device, const pgm_labels *labels,
                                       pgm_device **out);
    void (*close)(pgm_device *pgm);
    /* Finds the extensions of the patterns of a batch that are in enough graphs: forward from every
     * vertex of the path, backward from the newest to the others of it; in ascending order of
     * (pattern, backward first, the column other than the newest, edge label, label). If memory is
     * short, searches only the first patterns of the batch. Lent until the next call. */
    LODE_NODISCARD lode_status (*search)(pgm_device *pgm, const pgm_batch *batch, pgm_found *found);
    /* Writes the new last columns of extensions that the last search listed, in its layout. The
     * columns of the search must still exist. May return before they are written: later operations
     * wait. */
    LODE_NODISCARD lode_status (*build)(pgm_device *pgm, const pgm_build *list, uint32_t n);
    /* Waits for what was queued. */
    LODE_NODISCARD lode_status (*times)(pgm_device *pgm, pgm_times *out);
} pgm_ops;

#endif
