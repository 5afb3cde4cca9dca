/* stream.h - rules with heads of one item, as a search hands their bodies over
 *
 * The engine finds bodies, the heads that go with each, and perfect extensions, which may join the
 * body or be heads (engine_bodies). What is wanted goes on at once, so nothing is stored. A family
 *
 *     body B, perfect p q, heads h (17 of 20)
 *
 * stands for B → h, B → p, B → q, Bp → h, Bp → q, Bq → h, Bq → p and Bpq → h. All bodies of a
 * family have the same counts: confidence and measures are asked once for each head. For a sink
 * that only counts, families are counted by binomials; groups of which an item must be there, by
 * inclusion and exclusion. Other sinks get every body with all its heads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_STREAM_H
#define LODE_RULES_STREAM_H

#include "rules/rule_out.h"

/* A search that streams. */
typedef struct stream {
    rule_out *out;
    const wants *wants;
    uint32_t item_bound;
    const uint64_t *head_counts; /* by id, in all transactions that are searched */
    uint64_t total;              /* weight of these */
    uint64_t min_count;
} stream;

/* What the engine is to call. `s` is lent until the search has ended. */
engine_rules stream_rules(stream *s);

#endif
