/* plan.h - assigns the items of the root to workers, each with its share of the progress
 *
 * The root divides the whole progress among its items, but only knows how often each occurs, not
 * how they co-occur. In real data items are correlated, and rare ones have far more below them than
 * if items were independent (span.h). So, as the search goes on, some of the remaining items are
 * probed: what is below them is counted as if they were searched, and its work estimated. Between
 * two probed items the others are interpolated, and the rest of the progress is divided again.
 * Probing takes less than a hundredth of the time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_PLAN_H
#define LODE_ITEMSETS_ADAPTIVE_PLAN_H

#include "base/bits.h"
#include "itemsets/adaptive/adaptive.h"
#include "itemsets/adaptive/root.h"

typedef struct adaptive_plan {
    pthread_mutex_t lock;
    bool open;
    uint32_t n;
    double *weights;       /* by item: the work expected below it */
    double *prior;         /* the same if items were independent */
    double *probed;        /* log(work by probing / prior); NAN = not probed */
    const uint8_t *wanted; /* by item: its branch is searched; NULL = all are */
    uint32_t next;         /* the first item not taken yet */
    uint32_t stop;         /* items from here on are left to other processes */
    double left;           /* span not assigned yet */
    double sum;            /* weights of the items from `next` on */
    double start;          /* of the search */
    double spent;          /* seconds spent on probing */
    uint64_t turn;         /* number of the next probe */
    uint32_t n_probes;     /* of the items from `next` on */
    uint32_t n_weighed;    /* number of these probes used for the weights */
    size_t bytes;
} adaptive_plan;

LODE_NODISCARD lode_status plan_open(adaptive_plan *plan, const adaptive_root *root,
                                     const engine_task *task);
void plan_close(adaptive_plan *plan, mem *m);

/* Restricts the plan to the selected items of the root, with a share of the progress; the rest
 * belongs to branches with a prefix. */
void plan_narrow(adaptive_plan *plan, const adaptive_root *root, double share);

/* Probes this many items, evenly spread, and computes all weights from them: independent of
 * time. */
LODE_NODISCARD lode_status plan_survey(adaptive_plan *plan, adaptive *a, const adaptive_root *root,
                                       uint32_t probes);

/* Takes about half of the remaining items for another process; false: there are none. */
bool plan_cut(adaptive_plan *plan, const adaptive_root *root, uint32_t *first, uint32_t *end);

/* Begins a slice with this item. */
void plan_begin(adaptive_plan *plan, uint32_t first);
/* Whether the worker has items that nobody else can take. */
static inline bool plan_has_taken(const adaptive *a) {
    return a->root.block.next < a->root.block.end;
}

/* Takes the next item of the slice, and its span; false: there is none. */
bool plan_take(adaptive_plan *plan, adaptive *a, const adaptive_root *root, uint32_t *item);

/* Random samples (engine_sample): which branches are searched, and their parts. */

/* Begins the part of a branch, by the mixed bits of its items; false: skip it. */
static inline bool part_begin(adaptive *a, uint64_t branch) {
    uint64_t bits = bits_mix(branch ^ bits_mix(a->wanted.sample->seed));
    uint32_t part = (uint32_t)(bits >> 32) & (a->wanted.sample->of - 1);
    if (part >= a->wanted.sample->parts) return false;
    a->out->part = part + 1;
    return true;
}

/* Before the branch of an item of the root, and before one below that; false: skip it. */
static inline bool part_enter_root(adaptive *a, uint32_t id) {
    a->path.root_id = id;
    return !a->wanted.sample->by_root || part_begin(a, id);
}

static inline bool part_enter(adaptive *a, uint32_t id) {
    return a->wanted.sample->by_root || part_begin(a, (uint64_t)a->path.root_id << 32 | id);
}

/* After a branch below an item of the root. */
static inline void part_leave(adaptive *a) {
    if (!a->wanted.sample->by_root) a->out->part = 0;
}

#endif
