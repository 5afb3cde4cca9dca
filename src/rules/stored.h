/* stored.h - generates rules from all frequent itemsets, which are held in memory
 *
 * Some rules cannot be decided while antecedents are found: rules with consequents of several
 * items, and rules that are compared with more general rules. For them, any engine mines the
 * frequent sets, on any device. Then each set is divided into antecedent and consequent in every
 * way that the options allow. Moving an item from the antecedent to the consequent makes the
 * antecedent more frequent and so the confidence lower. Therefore consequents grow only as long as
 * the confidence is high enough.
 *
 * If every rule must have a certain item, on either side, this item is the pivot: only the
 * transactions with the pivot are mined. The supports of sets without the pivot are counted
 * afterwards, in one pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STORED_H
#define LODE_RULES_STORED_H

#include "rules/rule_list.h"

/* A search that stores sets. With a pivot, the task's data are only the transactions with the
 * pivot, without the pivot itself; rules are made from the sets found there, plus the pivot. */
typedef struct stored {
    rule_out *out;
    const wants *wants;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    uint64_t total;             /* weight of these transactions */
    const lode_dataset *whole;  /* all transactions that are searched */
    bool has_pivot;
    uint32_t pivot; /* the id of an item that every rule must have */
} stored;

/* Mines the sets with the engine of the task, and generates the rules. The task's sink receives no
 * sets. Errors: those of the engine; BUDGET, with a message that says how much memory is enough. */
LODE_NODISCARD lode_status stored_run(stored *s, engine_task *task, const lode_engine *engine);

#endif
