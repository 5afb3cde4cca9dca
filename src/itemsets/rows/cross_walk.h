/* cross_walk.h - one thread of the search, and its memory
 *
 * The nodes from the root down to the present one are levels. Each has room for the columns of its
 * children's parent, so that a level is allocated once or twice in a whole search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_CROSS_WALK_H
#define LODE_ITEMSETS_ROWS_CROSS_WALK_H

#include "itemsets/rows/cross_kernels.h"
#include "runtime/tasks.h"

typedef struct cross_level {
    cross_node node;
    double span; /* of the progress: what is left for the children */
    void *block; /* the memory of the list; NULL: it is lent, or there is none */
    size_t block_bytes;
} cross_level;

typedef struct cross_walker {
    engine_task *task;
    lode_job *job;
    const cross_table *table;
    const cross_kernels *kernels;
    sink_worker *out;
    lode_target target;
    bool numbers; /* the sink wants to know how many sets of each size there are, and no more */
    uint32_t min_size, max_size;
    uint32_t n_levels;   /* one for each row, the root, and one for a child that is tried */
    cross_level *levels; /* the first one is the root, or what was taken from another thread */
    uint32_t *ids;       /* room for a set */
    size_t ids_bytes;
    tasks *tasks; /* where branches change hands; NULL: this is the only thread */
    bool owner;   /* runs on the thread that called lode, and reports progress */
    unsigned until_check, until_tick;
    uint64_t nodes;
    progress_local told;
} cross_walker;

/* Bytes that a walker takes at most, beside the worker of its sink. */
uint64_t cross_walker_need(uint32_t n_rows, uint32_t n_items);

/* Takes the memory of a walker whose other fields are set. */
LODE_NODISCARD lode_status cross_walker_open(cross_walker *w);
void cross_walker_close(cross_walker *w);

/* Makes room in a level for up to n columns. What it held is lost. */
LODE_NODISCARD lode_status cross_level_reserve(cross_walker *w, cross_level *level, uint32_t n);

/* The node of all columns. */
void cross_make_root(const cross_table *table, cross_node *root);
/* Whether there may be sets below a node that are wanted. */
bool cross_leads_on(const cross_walker *w, const cross_node *node, uint64_t min);

/* Searches the whole tree, whose root has this span. */
LODE_NODISCARD lode_status cross_walk_all(cross_walker *w, double span);
/* Searches below the node of the first level, which has been reported. */
LODE_NODISCARD lode_status cross_walk_below(cross_walker *w);

#endif
