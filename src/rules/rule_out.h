/* rule_out.h - where the rules that a search finds go: straight into the sink, or into a list
 *
 * A thread has a writer. What it gets is wanted as far as sides, groups, sizes, confidence and the
 * measures of counts go; the writer asks nothing but, for a list of the best, the order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_RULE_OUT_H
#define LODE_RULES_RULE_OUT_H

#include "rules/rule_list.h"

typedef struct rule_out {
    lode_job *job;
    const wants *wants;
    lode_sink *sink;
    rule_list *list;           /* NULL: rules go to the sink */
    bool fills;                /* rules have all that is known of them, not only their counts */
    _Atomic uint64_t filtered; /* rules that only their measures keep out */
    _Atomic uint64_t pruned;   /* branches of heads that were not searched, for the same reason */
} rule_out;

typedef struct rule_writer {
    rule_out *out;
    sink_worker *worker; /* NULL: rules go to the list */
    rule_rows rows;
    uint64_t filtered;
    uint64_t cut; /* rules that are not among the best */
} rule_writer;

LODE_NODISCARD lode_status rule_writer_open(rule_out *out, rule_writer *w);
/* Also after a failure, to free it. */
LODE_NODISCARD lode_status rule_writer_close(rule_writer *w);

LODE_NODISCARD lode_status rule_writer_emit(rule_writer *w, const lode_rule *rule);
/* All rules of a batch. `total`: weight of all transactions. */
LODE_NODISCARD lode_status rule_writer_batch(rule_writer *w, const rule_batch *b, uint64_t total);

/* Whether numbers by size are all that is kept; then rule_sink_add() takes them. */
static inline bool rule_out_takes_numbers(const rule_out *out) {
    return !out->list && rule_sink_takes_numbers(out->sink);
}

/* Whether the limit of rules ends the search, and not only what is written of its result. */
static inline bool rule_out_is_limited(const rule_out *out) {
    return out->list ? atomic_load(&out->list->room) != UINT64_MAX : sink_is_limited(out->sink);
}

/* Adds to a figure of the report, which stays at its maximum. */
static inline void rule_writer_filtered(rule_writer *w, uint64_t n) {
    if (__builtin_add_overflow(w->filtered, n, &w->filtered)) w->filtered = UINT64_MAX;
}

#endif
