/* stored.h - rules from all frequent itemsets, held in memory
 *
 * For rules that cannot be decided while antecedents are found: consequents of several items, and
 * comparisons with more general rules. Any engine mines the sets, on any device; then each is
 * divided into antecedent and consequent in every way that the options allow. Moving an item from
 * the antecedent to the consequent makes the antecedent more frequent and so the confidence lower:
 * consequents only grow as long as the confidence is high enough.
 *
 * An item that every rule must have, on either side, is the pivot: only the transactions with it
 * are mined. The supports of sets without it are counted afterwards, in one pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STORED_H
#define LODE_RULES_STORED_H

#include "rules/rule_list.h"

/* A search that stores sets. */
typedef struct stored {
    rule_out *out;
    const wants *wants;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    uint64_t total;             /* weight of these */
    const lode_dataset *whole;  /* all transactions that are searched … */
    bool has_pivot; /* … if the task's data are only those with an item that every rule has, the */
    uint32_t pivot; /* pivot, and without it: rules are then made of their sets plus the pivot */
} stored;

/* Mines the sets with the engine of the task, and makes the rules. The task's sink receives no
 * sets. Errors: those of the engine; BUDGET, with a message that says what would be enough. */
LODE_NODISCARD lode_status stored_run(stored *s, engine_task *task, const lode_engine *engine);

#endif
