/* rule_memory.h - a sink that keeps rules by columns, as other sinks use it
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_MEMORY_H
#define LODE_WRITE_RULES_RULE_MEMORY_H

#include "write/rules/rule_columns.h"

/* As lode_rule_sink_memory(), for a sink that it is nested in. Items stay ids of the data set.
 * Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status rule_memory_nested(lode_job *job, lode_sink **out);

/* What such a sink holds; NULL: the budget had no room for it. Workers must be closed. */
rule_columns *rule_memory_columns(lode_sink *sink);

#endif
