/* rule_sorted.h - a sorted result of rules on its way to a file
 *
 * A format that is no text, and text that goes to a function of the program, is written by one
 * thread, the caller's; see write/core/sort_output.h for the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_SORTED_H
#define LODE_WRITE_RULES_RULE_SORTED_H

#include "write/rules/rule_file.h"

/* Writes all that is in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled before. `stop` (NULL: nothing stops it) is asked on
 * the way, by one thread at a time: CANCELLED if it ends the writing. */
LODE_NODISCARD lode_status rule_sorted_write(rule_file *sink, const sort_stop *stop, bool *partial);

#endif
