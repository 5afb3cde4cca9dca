/* stream.h - rules with consequents of one item, made while a search finds antecedents
 *
 * The engine finds antecedents, their consequents, and perfect extensions, which may join the
 * antecedent or be consequents (engine_antecedents). Accepted rules go to the sink at once, so
 * nothing is stored. A family
 *
 *     antecedent B, perfect p q, consequents h (17 of 20)
 *
 * stands for B → h, B → p, B → q, Bp → h, Bp → q, Bq → h, Bq → p and Bpq → h. All antecedents of a
 * family have the same counts, so confidence and measures are computed once per consequent. For a
 * sink that only counts, families are counted by binomials, and groups with a required item by
 * inclusion and exclusion. Other sinks get every antecedent with all its consequents.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STREAM_H
#define LODE_RULES_STREAM_H

#include "rules/rule_list.h"

/* A search that streams rules. */
typedef struct stream {
    rule_out *out;
    const wants *wants;
    uint32_t item_bound;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    uint64_t total;             /* weight of these */
    uint64_t min_count;
} stream;

/* The callbacks for the engine. `s` is lent until the search has ended. */
engine_rules stream_rules(stream *s);

#endif
