/* verdict.h - tests, filters and orders a list of rules before they go to the sink
 *
 *     count in the part held out → p-values → adjust them for the family of tests → filter by all
 *     these → sort, keep the best K → the sink
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_VERDICT_H
#define LODE_RULES_VERDICT_H

#include "rules/family.h"
#include "rules/holdout.h"

typedef struct verdict {
    const wants *wants;
    const holdout *held;
    const lode_dataset *data; /* the data that were searched; used for their ids */
    family family;
} verdict;

/* Does all these steps except sending rules to the sink, and adds the number of tests to the
 * report. */
LODE_NODISCARD lode_status verdict_give(const verdict *v, engine_task *task,
                                        const lode_engine *engine, rule_list *list);

#endif
