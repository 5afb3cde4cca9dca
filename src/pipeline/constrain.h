/* constrain.h - itemsets under constraints: what is searched instead, and what is left to filter
 *
 *     exclude          the items are taken out of the data
 *     include X        one item, or all of a group: the transactions that hold it are searched
 *                      without it, and it is added to what is found (and is a pattern itself)
 *     include one of …  the transactions that hold one are searched, and what is found is filtered;
 *                      if only one of them is frequent, it is that one
 *     at most n of …   filtered; items of which none may be there are taken out of the data where
 *                      the target allows that
 *     at most support  filtered
 *
 * What contains X has its transactions, and those of all its supersets, among those of X: there it
 * is closed, or maximal, if it is in all data. That does not hold for generators, whose subsets
 * decide: for these only exclude narrows the search, and all the rest is filtered.
 *
 * So engines know nothing of constraints: they get a task with other data and sizes, and a sink
 * with a filter at its entrance (write/itemsets/item_filter.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_CONSTRAIN_H
#define LODE_PIPELINE_CONSTRAIN_H

#include "pipeline/engine/item_task.h"

typedef struct item_constraints {
    const lode_dataset *whole;      /* the data that were given … */
    const lode_mine_options *asked; /* … and the options */
    lode_dataset *part;             /* what is searched instead; NULL: the whole */
    lode_mine_options searched; /* what the engine is asked for: sizes without the fixed items */
    bool nothing_more;          /* the fixed items are all that the sizes allow … */
    bool hopeless;              /* … or nothing at all can be found */
    uint64_t min_count;         /* the least support of what is wanted */
    double seconds;             /* that it took to narrow the task */
    item_filter filter;
    select_groups include, exclude, counted; /* as they were given */
    select_groups needed;                    /* of which transactions have items */
    uint32_t *fixed;
    uint8_t *drop; /* by id: not 0 = not in the data that are searched */
    mem_kept kept; /* the arrays of this struct */
} item_constraints;

/* Whether the options have a constraint. */
bool constrain_wanted(const lode_mine_options *o);

/* Reads the constraints of a task whose options are checked, and narrows the task: data and options
 * become those of the search. The caller has entered a lease. Errors: INVALID, NOTFOUND, IO (about
 * names and files), those of job_check(); NOMEM, BUDGET. On failure the task is as it was. */
LODE_NODISCARD lode_status constrain_begin(engine_task *task);
/* The task is as it was; also if there were no constraints. */
void constrain_end(engine_task *task);

/* The filter of sinks that get what the engine finds; NULL: none. */
const item_filter *constrain_filter(const engine_task *task);

/* Whether the set of the fixed items is all that the sizes allow. */
bool constrain_leaves_nothing(const engine_task *task);
/* Emits that set, if it is a pattern that was asked for. */
LODE_NODISCARD lode_status constrain_add_fixed(engine_task *task);

#endif
