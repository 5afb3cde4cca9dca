/* rule_memory.h - the sink that keeps rules by columns, for use by other sinks
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_MEMORY_H
#define LODE_WRITE_RULES_RULE_MEMORY_H

#include "write/rules/rule_columns.h"

/* Works like lode_rule_sink_memory(), for a sink nested in another sink. Items stay ids of the data
 * set. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status rule_memory_nested(lode_job *job, lode_sink **out);

/* Returns the content of such a sink; NULL = the content did not fit into the budget. All workers
 * must be closed. */
rule_columns *rule_memory_columns(lode_sink *sink);

#endif
