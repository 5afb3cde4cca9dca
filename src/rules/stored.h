/* stored.h - rules from all frequent itemsets, held in memory
 *
 * For what cannot be decided as antecedents come by: consequents of several items, and comparisons
 * with the more general rules. The sets are mined by any engine, on any device; then each is
 * divided into antecedent and consequent in every way that the options allow. What moves from the
 * antecedent to the consequent makes the antecedent more frequent and so the confidence lower:
 * consequents grow only as long as they have enough.
 *
 * An item that every rule must have, on whatever side, is the pivot: only the transactions that
 * have it are mined. The supports of what does not have it are counted afterwards, in one pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STORED_H
#define LODE_RULES_STORED_H

#include "rules/rule_list.h"

/* A search that stores. */
typedef struct stored {
    rule_out *out;
    const wants *wants;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    uint64_t total;             /* weight of these */
    const lode_dataset *whole;  /* these themselves, … */
    bool has_pivot; /* … where the task's data are those with an item that every rule */
    uint32_t pivot; /* has, without it: then rules are made of these sets and it */
} stored;

/* Mines the sets by the engine of the task, and makes the rules. The task's sink gets none of the
 * sets. Errors: those of the engine; BUDGET, with a message that says what would be enough. */
LODE_NODISCARD lode_status stored_run(stored *s, engine_task *task, const lode_engine *engine);

#endif
