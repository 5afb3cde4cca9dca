/* stream.h - rules with consequents of one item, as a search hands their antecedents over
 *
 * The engine finds antecedents, the consequents that go with each, and perfect extensions, which
 * may join the antecedent or be consequents (engine_antecedents). What is wanted goes on at once,
 * so nothing is stored. A family
 *
 *     antecedent B, perfect p q, consequents h (17 of 20)
 *
 * stands for B → h, B → p, B → q, Bp → h, Bp → q, Bq → h, Bq → p and Bpq → h. All antecedents of a
 * family have the same counts: confidence and measures are asked once for each consequent. For a
 * sink that only counts, families are counted by binomials; groups of which an item must be there,
 * by inclusion and exclusion. Other sinks get every antecedent with all its consequents.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STREAM_H
#define LODE_RULES_STREAM_H

#include "rules/rule_list.h"

/* A search that streams. */
typedef struct stream {
    rule_out *out;
    const wants *wants;
    uint32_t item_bound;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    uint64_t total;             /* weight of these */
    uint64_t min_count;
} stream;

/* What the engine is to call. `s` is lent until the search has ended. */
engine_rules stream_rules(stream *s);

#endif
