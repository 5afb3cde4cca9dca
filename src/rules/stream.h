/* stream.h - generates rules with consequents of one item while a search finds antecedents
 *
 * The engine finds antecedents, their consequents, and their perfect extensions
 * (engine_antecedents). A perfect extension may be added to the antecedent or be a consequent.
 * Accepted rules go to the sink at once, so no rule is stored. A family
 *
 *     antecedent B, perfect p q, consequents h (17 of 20)
 *
 * stands for B → h, B → p, B → q, Bp → h, Bp → q, Bq → h, Bq → p and Bpq → h. All antecedents of a
 * family have the same counts, so confidence and measures are computed once per consequent. For a
 * sink that only counts, the rules of a family are counted by binomials or, if rules must have an
 * item from each of several groups, by inclusion and exclusion. Other sinks get every antecedent
 * with all its consequents.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STREAM_H
#define LODE_RULES_STREAM_H

#include "rules/rule_list.h"

/* The state of a search that streams rules. */
typedef struct stream {
    rule_out *out;
    const wants *wants;
    uint32_t item_bound;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    uint64_t total;             /* weight of these transactions */
    uint64_t min_count;
} stream;

/* Returns the callbacks for the engine. `s` is lent until the search has ended. */
engine_rules stream_rules(stream *s);

#endif
