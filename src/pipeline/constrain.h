/* constrain.h - itemsets under constraints: what is searched instead, and what is filtered
 *
 *     exclude …         the items are removed from the data
 *     include X         X is an item, or all items of a group: the transactions with X are searched
 *                       without X, and X is added to each pattern found (and is a pattern itself)
 *     include one of …  the transactions with at least one of the items are searched, and patterns
 *                       are filtered; if only one item is frequent, this is the same as include X
 *     at most n of …    patterns are filtered; if n is 0, the items are removed from the data,
 *                       provided that the target allows that
 *     at most support   patterns are filtered
 *     classes           the items that define them are removed from the data
 *     measures          patterns are filtered; supports of items are those in the original data
 *
 * A set with X, and each superset of the set, is only in transactions with X. So the set is closed,
 * or maximal, in the searched data if and only if it is so in all data. This does not hold for
 * generators, which depend on subsets. For generators, only `exclude` narrows the search, and all
 * other constraints are filters.
 *
 * Engines know nothing about constraints: they get a task with other data and sizes, and a sink
 * with a filter at its entrance (write/itemsets/item_filter.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_CONSTRAIN_H
#define LODE_PIPELINE_CONSTRAIN_H

#include "groups/contrast.h"
#include "pipeline/engine/item_task.h"

typedef struct item_constraints {
    const lode_dataset *whole;      /* the original data … */
    const lode_mine_options *asked; /* … and options */
    lode_dataset *part;             /* the data to search instead; NULL = the whole */
    lode_mine_options searched;     /* options for the engine; sizes do not count fixed items */
    bool nothing_more;              /* the sizes allow only the set of the fixed items */
    bool hopeless;                  /* no pattern can meet the constraints */
    uint64_t min_count;             /* the lowest support that is accepted */
    double seconds;                 /* time taken by narrowing the task */
    item_filter filter;             /* which items the sink adds, and which patterns it drops */
    item_bounds bounds;             /* of measures */
    lode_class_options classes;     /* .classes NULL = none */
    group_contrast *contrast;       /* of these classes */
    bool owns_contrast;             /* it was not given to a sink */
    select_groups include, exclude, counted; /* as in the options */
    select_groups needed;                    /* transactions must have items of each group */
    uint32_t *fixed; /* ids of the items that all patterns have (filter.n_fixed) */
    uint8_t *drop;   /* by id: not 0 = removed from the data to search */
    mem_kept kept;   /* owns the arrays of this struct */
} item_constraints;

/* Whether the options have a constraint. */
bool constrain_wanted(const lode_mine_options *o);

/* Reads the constraints of a task whose options are checked, and narrows the task: its data and
 * options become those of the search. The caller must hold a lease. Errors: INVALID, NOTFOUND, IO
 * (about names and files), those of job_check(); NOMEM, BUDGET. On failure the task is
 * unchanged. */
LODE_NODISCARD lode_status constrain_begin(engine_task *task);
/* Restores the task, and frees the constraints; does nothing without constraints. */
void constrain_end(engine_task *task);

/* The filter for sinks that receive the engine's patterns; NULL = none. */
const item_filter *constrain_filter(const engine_task *task);

/* Whether the sizes allow only the set of the fixed items. */
bool constrain_leaves_nothing(const engine_task *task);
/* Emits the set of the fixed items, if it is a pattern to be reported. */
LODE_NODISCARD lode_status constrain_add_fixed(engine_task *task);

#endif
