/* spill_part.h - parts, which are mined one at a time (spill.h), and the common data of all parts
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_PART_H
#define LODE_PIPELINE_SPILL_SPILL_PART_H

#include "pipeline/engine/item_task.h"
#include "pipeline/spill/spill_tuning.h"
#include "write/itemsets/item_filter.h"

/* One run of spill_run(). */
typedef struct spill_job {
    engine_task *task;
    const lode_engine *engine;
    lode_job *job;
    mem *mem;                  /* of the job */
    const lode_dataset *whole; /* all transactions */
    uint32_t n;                /* frequent items */
    uint32_t *order;           /* by number, from the most frequent on: the id */
    uint32_t *numbers;         /* by id: its number, or SPILL_NONE */
    uint32_t *same;            /* by number: the number itself, as item order of parts in memory */
    uint8_t *roots;            /* by number, see spill_is_root(); NULL = all items are roots */
    bool cut;                  /* rarer items than those of a group are not needed */
    bool weighted;             /* transactions have weights */
    uint32_t *prefix;          /* ids of the items that all sets of the current part contain */
    uint32_t n_prefix;
    item_filter filter;     /* of the sink: adds the prefix to sets, and converts numbers to ids */
    mem_kept kept;          /* owns these arrays */
    double first, part;     /* the progress of the run goes from `first` to `first` + `part` */
    uint64_t n_groups;      /* so far */
    uint64_t written, read; /* bytes of closed files */
    unsigned depth;         /* the largest depth of a part so far */
    bool told;              /* the number of groups was logged … */
    uint64_t told_groups;   /* … and this was the last value */
} spill_job;

#define SPILL_NONE UINT32_MAX

/* A part: the sets whose rarest item outside of the prefix is in [first, end), and where their
 * transactions are. */
typedef struct spill_part {
    spool *run;          /* a file with rows of numbers; NULL = the whole data set */
    uint32_t first, end; /* numbers of items */
    bool hits; /* the file was written for this part: every row has an item in [first, end), and has
                * only needed items */
    uint64_t n_rows, n_items; /* if `hits`: rows of the file, and items in all rows; else 0 */
    uint32_t n_kinds;         /* if `hits`: the number of distinct items is at most this */
    uint64_t total;  /* the support of the prefix, if the prefix must still be reported; else 0 */
    unsigned depth;  /* how often the data were divided to get this part */
    bool merge;      /* merge equal transactions in memory */
    double from, to; /* its share of the progress of the run, from 0 to 1 */
} spill_part;

/* Counts of a pass over a part. */
typedef struct spill_counts {
    uint32_t *supports;             /* by number; 0 = the item is not needed, or not frequent */
    uint32_t n_items;               /* needed items … */
    uint32_t n_within;              /* … how many of them are in [first, end) … */
    uint32_t n_roots;               /* … and how many of these are searched as roots */
    uint64_t n_rows, n_occurrences; /* rows of the part; upper bound of needed items in all rows */
} spill_counts;

/* The current threshold: the smallest support that is still accepted. */
static inline uint64_t spill_least(const spill_job *s) {
    uint64_t now = job_threshold(s->job);
    return now > s->task->min_count ? now : s->task->min_count;
}

/* The bytes that mining a group may take; UINT64_MAX = there is no memory budget. */
static inline uint64_t spill_room(const spill_job *s) {
    size_t left = mem_left(s->mem);
    return left == SIZE_MAX ? UINT64_MAX : (uint64_t)((double)left * SPILL_FILL);
}

/* Estimates the bytes that mining data of this size takes, including the data. */
uint64_t spill_need(const spill_job *s, uint64_t n_rows, uint64_t n_occurrences, uint32_t n_items);

/* Counts the items of a part. */
LODE_NODISCARD lode_status spill_count(spill_job *s, const spill_part *part, spill_counts *out);
void spill_counts_free(spill_job *s, spill_counts *c);

/* Loads the items of a part that `c` counts (NULL = all items) into memory, and mines them. Sets
 * *again if there was too little memory but no pattern was found yet, so that the part can be
 * divided instead. */
LODE_NODISCARD lode_status spill_mine(spill_job *s, const spill_part *part, const spill_counts *c,
                                      bool *again);

/* Makes the task's sink add the current prefix to all sets, and convert numbers to ids. */
void spill_set_prefix(spill_job *s);
/* Emits the prefix itself, if it is a pattern. `total`: its support; `c`: the counts of the other
 * items. */
LODE_NODISCARD lode_status spill_emit_prefix(spill_job *s, const spill_counts *c, uint64_t total);

#endif
