/* partition_base.h - what dividing and searching share: ranks, supports below a prefix, work
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_PARTITIONS_PARTITION_BASE_H
#define LODE_PIPELINE_PARTITIONS_PARTITION_BASE_H

#include "pipeline/engine/branches.h"
#include "pipeline/engine/item_task.h"

#define PARTITION_NONE UINT32_MAX

/* What is known of a data set. Ranks count its frequent items from the most frequent. */
typedef struct partition_base {
    const engine_task *task;
    mem *mem;
    const lode_dataset *data;
    bool cut;         /* items of higher ranks than the range's are not needed */
    uint32_t n;       /* frequent items */
    uint32_t *order;  /* by rank: the id */
    uint32_t *ranks;  /* by id: the rank, or PARTITION_NONE */
    uint64_t *starts; /* by rank, where it begins in `rows`; NULL: these are not made yet … */
    uint32_t *rows;   /* … the transactions that hold the item, ascending */
    uint8_t *marks;   /* by rank: in the prefix that is being counted */
    /* Of the prefix that was counted last: */
    uint64_t *supports; /* by rank, together with the prefix; 0 for its own items */
    uint64_t total;     /* the support of the prefix */
    vec_u32 held;       /* the transactions that hold it; not for the empty prefix */
    double *weights;    /* by rank: the work expected below it; partition_weigh() */
    double *found;      /* of the class, from the rarest item on … */
    uint32_t *members;  /* … and their supports: scratch of partition_weigh() */
    mem_kept kept;
} partition_base;

/* Bytes that all of it takes. */
uint64_t partition_base_bytes(const lode_dataset *data);

LODE_NODISCARD lode_status partition_base_open(partition_base *b, const engine_task *task);
void partition_base_close(partition_base *b);

/* Whether the prefix can be followed: its items are frequent, and their ranks fall. */
typedef enum partition_sense { PARTITION_FINE, PARTITION_GONE, PARTITION_NONSENSE } partition_sense;
partition_sense partition_check(const partition_base *b, const engine_branch *branch);

/* Counts all items in the transactions that hold the prefix. */
LODE_NODISCARD lode_status partition_count(partition_base *b, const engine_branch *of);

/* Ranks that can be added to the prefix are below this. */
uint32_t partition_bound(const partition_base *b, const engine_branch *of);

/* Whether no set below the counted prefix can be closed, nor the prefix: an item that is not added
 * there is in all of its transactions. */
bool partition_is_subsumed(const partition_base *b, const engine_branch *of);

/* The work expected below each rank under `end` that reaches `least` with the counted prefix. */
void partition_weigh(partition_base *b, const engine_branch *of, uint32_t end, uint64_t least);

/* ---- every number of this folder that was measured or guessed -------------------------------- */

/* Where others may ask for work, a piece is searched in so many runs of the engine: what is left
 * of it can be handed out between two of them. More runs would open a device more often, and give
 * it less to do at a time. [guess] */
#define PARTITION_RUNS 4

/* A run has at least so much expected work, in sets: some milliseconds of a CPU. Pieces of less are
 * searched at once, and a single root of less is not looked below. [guess] */
#define PARTITION_LEAST 1e4

#endif
