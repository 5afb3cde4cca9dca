/* partition_base.h - common parts of dividing and searching: ranks, supports below a prefix, work
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
    bool cut;         /* items of higher ranks than the range's are not needed */
    uint32_t n;       /* frequent items */
    uint32_t *order;  /* by rank: the id */
    uint32_t *ranks;  /* by id: the rank, or PARTITION_NONE */
    uint64_t *starts; /* by rank: its start in `rows`; NULL = not made yet … */
    uint32_t *rows;   /* … the transactions with the item, ascending */
    uint8_t *marks;   /* by rank: in the prefix being counted */
    /* For the prefix counted last: */
    uint64_t *supports; /* by rank, together with the prefix; 0 for its own items */
    uint64_t total;     /* the support of the prefix */
    vec_u32 held;       /* the transactions with it; not for the empty prefix */
    double *weights;    /* by rank: the work expected below it; partition_weigh() */
    double *found;      /* of the class, from the rarest item on … */
    uint32_t *members;  /* … and their supports: scratch of partition_weigh() */
    mem_kept kept;
} partition_base;

/* The total bytes of a base. */
uint64_t partition_base_bytes(const lode_dataset *data);

LODE_NODISCARD lode_status partition_base_open(partition_base *b, const engine_task *task);
void partition_base_close(partition_base *b);

/* Whether the prefix is valid (its items are frequent, and their ranks descend), gone, or
 * nonsense. */
typedef enum partition_sense { PARTITION_FINE, PARTITION_GONE, PARTITION_NONSENSE } partition_sense;
partition_sense partition_check(const partition_base *b, const engine_branch *branch);

/* Counts all items in the transactions with the prefix. */
LODE_NODISCARD lode_status partition_count(partition_base *b, const engine_branch *of);

/* Items that can be added to the prefix have ranks below this. */
uint32_t partition_bound(const partition_base *b, const engine_branch *of);

/* Whether neither the counted prefix nor any set below it can be closed, because an item that is
 * not added there is in all of its transactions. */
bool partition_is_subsumed(const partition_base *b, const engine_branch *of);

/* The work expected below each rank under `end` that reaches `least` with the counted prefix. */
void partition_weigh(partition_base *b, const engine_branch *of, uint32_t end, uint64_t least);

/* ---- constants that were measured or guessed ------------------------------------------------- */

/* If other processes may request work, a piece is searched in this many runs of the engine: between
 * two of them, the rest can be handed out. More runs would open a device more often, and give it
 * less work at a time. [guess] */
#define PARTITION_RUNS 4

/* The minimum expected work of a run, in sets: some milliseconds of a CPU. Pieces with less are
 * searched at once, and a single root with less is not divided. [guess] */
#define PARTITION_LEAST 1e4

#endif
