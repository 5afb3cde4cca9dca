/* rowwise_walk.h - one thread of the search, and its memory
 *
 * The nodes from the root down to the current one are levels. Before a level is filled in, it gets
 * room for as many columns as the level above has. The memory of a level is kept, so a level
 * allocates only a few times in a whole search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_WALK_H
#define LODE_ITEMSETS_ROWS_ROWWISE_WALK_H

#include "itemsets/rows/rowwise_kernels.h"
#include "itemsets/rows/rowwise_tuning.h"
#include "runtime/tasks.h"

typedef struct rowwise_level {
    rowwise_node node;
    double span; /* share of the progress left for the children */
    void *block; /* the memory of node.list; NULL = there is none, or it has another owner */
    size_t block_bytes;
} rowwise_level;

typedef struct rowwise_walker {
    engine_task *task;
    lode_job *job;
    const rowwise_table *table;
    const rowwise_kernels *kernels;
    sink_worker *out;
    lode_target target;
    bool numbers; /* the sink only needs the number of sets of each size */
    uint32_t min_size, max_size;
    uint32_t n_levels;     /* one per row, one for the root, and one for a child that is tried */
    rowwise_level *levels; /* the first one is the root, or a node taken from another thread */
    uint32_t *ids;         /* buffer for the items of a set */
    size_t ids_bytes;
    tasks *tasks; /* exchange of branches; NULL = this is the only thread */
    bool owner;   /* runs on the thread that called lode, and reports progress */
    unsigned until_check, until_tick; /* nodes until the next check for a stop; checks until the
                                       * next look at the clock */
    uint64_t nodes;                   /* searched so far */
    progress_local told;              /* progress not yet added to that of the job */
} rowwise_walker;

/* An upper limit of the bytes of a walker, without those of its sink worker. */
uint64_t rowwise_walker_need(uint32_t n_rows, uint32_t n_items);

/* Allocates the memory of a walker whose other fields are set. */
LODE_NODISCARD lode_status rowwise_walker_open(rowwise_walker *w);
void rowwise_walker_close(rowwise_walker *w);

/* Makes room in a level for up to n columns. The columns that the level had are lost. */
LODE_NODISCARD lode_status rowwise_level_reserve(rowwise_walker *w, rowwise_level *level,
                                                 uint32_t n);

/* Makes the root of the tree: the node with all columns. */
void rowwise_make_root(const rowwise_table *table, rowwise_node *root);
/* Whether there may be sets to report below a node. `min` is the threshold. */
bool rowwise_leads_on(const rowwise_walker *w, const rowwise_node *node, uint64_t min);

/* Searches the whole tree, which has this share of the progress. */
LODE_NODISCARD lode_status rowwise_walk_all(rowwise_walker *w, double span);
/* Searches below the node of the first level, which was reported before. */
LODE_NODISCARD lode_status rowwise_walk_below(rowwise_walker *w);

/* ---- branches given to other threads --------------------------------------------------------- */

/* What:  a node that was reported, as a self-contained record: rows, and a copy of its columns.
 * When:  only while another thread is idle; otherwise checking costs one relaxed load. */

typedef struct rowwise_record rowwise_record;

/* Whether another thread should get the branch of a node. */
static inline bool rowwise_is_wanted(const rowwise_walker *w, const rowwise_node *node) {
    return w->tasks && node->list.n >= ROWWISE_GIVE_COLUMNS && tasks_is_hungry(w->tasks);
}

/* Makes the node of a record the first level of the walker, to be searched by rowwise_walk_below().
 * The record must stay valid until that search has ended. */
void rowwise_take(rowwise_walker *w, rowwise_record *record);
void rowwise_record_free(mem *m, rowwise_record *record);

#endif
