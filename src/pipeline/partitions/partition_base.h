/* partition_base.h - what dividing and searching have in common: ranks of items, supports below a
 * prefix, expected work; see partitions.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_PARTITIONS_PARTITION_BASE_H
#define LODE_PIPELINE_PARTITIONS_PARTITION_BASE_H

#include "pipeline/engine/branches.h"
#include "pipeline/engine/item_task.h"

#define PARTITION_NONE UINT32_MAX

/* Data about a data set. Ranks number its frequent items from the most frequent. */
typedef struct partition_base {
    const engine_task *task;
    mem *mem;
    const lode_dataset *data;
    bool cut;         /* items with ranks above the range of the branch are not needed */
    uint32_t n;       /* frequent items */
    uint32_t *order;  /* by rank: the id */
    uint32_t *ranks;  /* by id: the rank, or PARTITION_NONE */
    uint64_t *starts; /* by rank: where its transactions begin in `rows`; NULL = not made yet */
    uint32_t *rows;   /* the transactions with each item, ascending */
    uint8_t *marks;   /* by rank: the item is in the prefix being counted; zero otherwise */
    /* For the prefix counted last: */
    uint64_t *supports; /* by rank: the support with the prefix; 0 for the items of the prefix */
    uint64_t total;     /* the support of the prefix */
    vec_u32 held;       /* transactions with the prefix; not filled in for the empty prefix */
    double *weights;    /* by rank: the work expected below it; set by partition_weigh() */
    double *found;      /* scratch of partition_weigh(): work below the members of a class … */
    uint32_t *members;  /* … and their supports, from the rarest item on */
    mem_kept kept;      /* owns the arrays */
} partition_base;

/* Estimates the bytes of a base. */
uint64_t partition_base_bytes(const lode_dataset *data);

/* Ranks the items of the task's data. Call partition_base_close() also after a failure. */
LODE_NODISCARD lode_status partition_base_open(partition_base *b, const engine_task *task);
void partition_base_close(partition_base *b);

/* FINE: the items of the prefix are frequent, and their ranks descend. GONE: an item is no longer
 * frequent. NONSENSE: the ranks do not descend. */
typedef enum partition_sense { PARTITION_FINE, PARTITION_GONE, PARTITION_NONSENSE } partition_sense;
partition_sense partition_check(const partition_base *b, const engine_branch *branch);

/* Counts all items in the transactions with the prefix of a branch. */
LODE_NODISCARD lode_status partition_count(partition_base *b, const engine_branch *of);

/* Returns the rank below which items can be added to the prefix of a branch. */
uint32_t partition_bound(const partition_base *b, const engine_branch *of);

/* Whether neither the counted prefix nor any set below it can be closed, because all transactions
 * with the prefix have an item that cannot be added. */
bool partition_is_subsumed(const partition_base *b, const engine_branch *of);

/* Sets weights[rank] for all ranks below `end`: the expected work below the rank, or 0 if the
 * support of its item with the counted prefix is below `least`. */
void partition_weigh(partition_base *b, const engine_branch *of, uint32_t end, uint64_t least);

/* ---- constants that were measured or guessed ------------------------------------------------- */

/* If other processes may ask for work, each piece of the search is done in this many runs of the
 * engine, because the rest of the piece can be handed out between two runs. More runs would open a
 * device more often, and give it less work at a time. [guess] */
#define PARTITION_RUNS 4

/* The minimum expected work of a run, in sets: some milliseconds of a CPU. A piece with less work
 * is searched in one run, and a single root with less work is not divided. [guess] */
#define PARTITION_LEAST 1e4

#endif
