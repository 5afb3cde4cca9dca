/* plan.h - assigns the items of the root to workers, each with its share of the progress
 *
 * The root divides the whole progress among its items, but only knows how often each item occurs,
 * not which items occur together. In real data items are correlated, and rare ones have far more
 * below them than if items were independent (span.h). So, as the search goes on, some of the
 * remaining items are probed: the items below them are counted as in a search, and the counts give
 * an estimate of the work. The work of the items between two probed ones is interpolated, and the
 * rest of the progress is divided again. Probing takes less than a hundredth of the time of the
 * search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_PLAN_H
#define LODE_ITEMSETS_ADAPTIVE_PLAN_H

#include "base/bits.h"
#include "itemsets/adaptive/adaptive.h"
#include "itemsets/adaptive/root.h"

typedef struct adaptive_plan {
    pthread_mutex_t lock;
    bool open;             /* plan_open() has succeeded */
    uint32_t n;            /* items of the root up to the last one to be searched */
    double *weights;       /* by item: the work expected below it */
    double *prior;         /* by item: the work expected if items were independent */
    double *probed;        /* by item: log(work by probing / prior); NAN = not probed */
    const uint8_t *wanted; /* by item: its branch is searched; NULL = all are */
    uint32_t next;         /* the first item not taken yet */
    uint32_t stop;         /* items from here on are left to other processes */
    double left;           /* share of the progress not assigned yet */
    double sum;            /* of the weights of the items from `next` on */
    double start;          /* time at which the search began, in seconds */
    double spent;          /* seconds spent on probing */
    uint64_t turn;         /* number of probes so far */
    uint32_t n_probes;     /* number of probed items from `next` on */
    uint32_t n_weighed;    /* probed items that the weights take into account */
    size_t bytes;          /* of the three arrays of double, which are one block */
} adaptive_plan;

/* Computes the weights of the items as if they were independent. */
LODE_NODISCARD lode_status plan_open(adaptive_plan *plan, const adaptive_root *root,
                                     const engine_task *task);
void plan_close(adaptive_plan *plan, mem *m);

/* Restricts the plan to the items that are selected in root->wanted. These items get the
 * fraction `share` of the progress; the rest is left for the branches that have a prefix. */
void plan_narrow(adaptive_plan *plan, const adaptive_root *root, double share);

/* Probes `probes` items, evenly spread, and computes all weights from them. The result does not
 * depend on timing. */
LODE_NODISCARD lode_status plan_survey(adaptive_plan *plan, adaptive *a, const adaptive_root *root,
                                       uint32_t probes);

/* Takes about half of the remaining work, as a range of the last items, for another process.
 * Returns false if no item is left. */
bool plan_cut(adaptive_plan *plan, const adaptive_root *root, uint32_t *first, uint32_t *end);

/* Begins the slice whose first item is `first`. */
void plan_begin(adaptive_plan *plan, uint32_t first);
/* Whether the worker has taken items that it has not searched yet; no other worker can take
 * these. */
static inline bool plan_has_taken(const adaptive *a) {
    return a->root.block.next < a->root.block.end;
}

/* Takes the next item of the slice, and sets a->progress.span to its share of the progress. Returns
 * false if the slice has no item left. */
bool plan_take(adaptive_plan *plan, adaptive *a, const adaptive_root *root, uint32_t *item);

/* Random samples (engine_sample): these functions decide whether a branch is in the sample, and to
 * which part of the sample it belongs. */

/* Assigns a branch to a part of the sample, by a hash of its items, and begins that part. Returns
 * false if the branch is to be skipped. */
static inline bool part_begin(adaptive *a, uint64_t branch) {
    uint64_t bits = bits_mix(branch ^ bits_mix(a->wanted.sample->seed));
    uint32_t part = (uint32_t)(bits >> 32) & (a->wanted.sample->of - 1);
    if (part >= a->wanted.sample->parts) return false;
    a->out->part = part + 1;
    return true;
}

/* Call part_enter_root() before the branch of an item of the root, and part_enter() before a branch
 * directly below it. They return false if the branch is to be skipped. */
static inline bool part_enter_root(adaptive *a, uint32_t id) {
    a->path.root_id = id;
    return !a->wanted.sample->by_root || part_begin(a, id);
}

static inline bool part_enter(adaptive *a, uint32_t id) {
    return a->wanted.sample->by_root || part_begin(a, (uint64_t)a->path.root_id << 32 | id);
}

/* Call it after each branch for which part_enter() has returned true. */
static inline void part_leave(adaptive *a) {
    if (!a->wanted.sample->by_root) a->out->part = 0;
}

#endif
