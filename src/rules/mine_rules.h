/* mine_rules.h - rules as a kind of the job runner, for tests with their own engine
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MINE_RULES_H
#define LODE_RULES_MINE_RULES_H

#include "pipeline/run.h"

extern const mine_kind mine_rules;

/* Works like lode_rules_mine(), with a kind such as mine_rules. */
LODE_NODISCARD lode_status mine_rules_by(const mine_kind *kind, engine_task *task,
                                         const lode_rule_options *options);

#endif
