/* mine_rules.h - the mine_kind with which the job runner (pipeline/run.h) mines rules
 *
 * Tests include this header to run it with engines of their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MINE_RULES_H
#define LODE_RULES_MINE_RULES_H

#include "pipeline/run.h"

extern const mine_kind mine_rules;

/* Works like lode_rules_mine(), but with `kind`: mine_rules, or a changed copy of it. */
LODE_NODISCARD lode_status mine_rules_by(const mine_kind *kind, engine_task *task,
                                         const lode_rule_options *options);

#endif
