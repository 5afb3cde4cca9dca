/* spill_part.h - what is mined at a time, and what all parts share
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
    uint32_t *same;            /* by number: itself, the order of parts in memory */
    uint8_t *roots;            /* by number: spill_is_root(); NULL: all of them are */
    bool cut;                  /* rarer items than those of a group are not needed */
    bool weighted;
    uint32_t *prefix; /* ids that all sets have which are searched now … */
    uint32_t n_prefix;
    item_filter filter; /* … and how the sink adds them, and turns numbers into ids */
    mem_kept kept;      /* these arrays */
    double first, part; /* the share of the progress that the run has */
    uint64_t n_groups;
    uint64_t written, read; /* bytes of files that are closed */
    unsigned depth;
    bool told;            /* how many groups there are … */
    uint64_t told_groups; /* … when it was said the last time */
} spill_job;

#define SPILL_NONE UINT32_MAX

/* The sets whose rarest item, of those beside the prefix, is in [first, end), and where the
 * transactions that hold them are. */
typedef struct spill_part {
    spool *run;          /* rows of numbers; NULL: the whole data set */
    uint32_t first, end; /* numbers */
    bool hits; /* the run was written for it: every row has an item in [first, end), and none that
                * is not needed … */
    uint64_t n_rows, n_items; /* … and so many there are; else 0 */
    uint32_t n_kinds;         /* different ones, at the most */
    uint64_t total; /* the support of the prefix, if that is still to be reported; else 0 */
    unsigned depth;
    bool merge;      /* equal transactions become one, in memory */
    double from, to; /* its share of the progress of the run, from 0 to 1 */
} spill_part;

/* What a pass over a part has counted. */
typedef struct spill_counts {
    uint32_t *supports; /* by number; 0: the item is not needed, or not frequent */
    uint32_t n_items;   /* that are needed … */
    uint32_t n_within;  /* … those of them in [first, end) … */
    uint32_t n_roots;   /* … and of these, the ones that are searched */
    uint64_t n_rows, n_occurrences;
} spill_counts;

/* The smallest support that is still wanted. */
static inline uint64_t spill_least(const spill_job *s) {
    uint64_t now = job_threshold(s->job);
    return now > s->task->min_count ? now : s->task->min_count;
}

/* Bytes that a group may take: what is left now, and will be left then. */
static inline uint64_t spill_room(const spill_job *s) {
    size_t left = mem_left(s->mem);
    return left == SIZE_MAX ? UINT64_MAX : (uint64_t)((double)left * SPILL_FILL);
}

/* Bytes that mining so much takes, with the data. */
uint64_t spill_need(const spill_job *s, uint64_t n_rows, uint64_t n_occurrences, uint32_t n_items);

/* Counts the items of a part. */
LODE_NODISCARD lode_status spill_count(spill_job *s, const spill_part *part, spill_counts *out);
void spill_counts_free(spill_job *s, spill_counts *c);

/* Brings the part into memory and mines it; c NULL: with all its items. *again: there was too
 * little memory, but nothing was found yet, so that it can be tried in smaller parts. */
LODE_NODISCARD lode_status spill_mine(spill_job *s, const spill_part *part, const spill_counts *c,
                                      bool *again);

/* Gives the task's sink the prefix, which it adds to all sets, and the ids of numbers. */
void spill_set_prefix(spill_job *s);
/* The prefix itself, if the target asks for it; `total`: its support, c: what else is there. */
LODE_NODISCARD lode_status spill_emit_prefix(spill_job *s, const spill_counts *c, uint64_t total);

#endif
