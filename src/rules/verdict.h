/* verdict.h - what happens to a list of rules before it is handed on: tests, filters, order
 *
 *     counts in the part held out → p-values → adjusted for the family → filters by these →
 *     order, the best K → the sink
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_VERDICT_H
#define LODE_RULES_VERDICT_H

#include "rules/family.h"
#include "rules/holdout.h"

typedef struct verdict {
    const wants *wants;
    const holdout *held;
    const lode_dataset *data; /* that was searched, for its ids */
    family family;
} verdict;

/* All but the last step; the report gets the number of tests. */
LODE_NODISCARD lode_status verdict_give(const verdict *v, engine_task *task,
                                        const lode_engine *engine, rule_list *list);

#endif
