/* rule_best.h - the rule of the highest lift that was seen, for a word to the user
 *
 * Of several, the one of the highest support, then the shortest, then the first by items, so that
 * the same data always give the same rule.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_BEST_H
#define LODE_WRITE_RULES_RULE_BEST_H

#include "write/rules/rule_sink.h"

typedef struct rule_best {
    double ratio; /* its lift / total; 0: there is no rule yet */
    lode_rule rule;
    vec_u32 items; /* of both sides: ids */
} rule_best;

void rule_best_free(rule_best *b, mem *m);

/* Lift / total: what rules of the same data can be compared by. */
static inline double rule_best_ratio(uint64_t both, uint64_t body, uint64_t head) {
    return (double)both / ((double)body * (double)head);
}

/* Keeps the rule, if it is better than the best so far. */
LODE_NODISCARD lode_status rule_best_keep(rule_best *b, mem *m, const lode_rule *rule);

static inline LODE_NODISCARD lode_status rule_best_note(rule_best *b, mem *m,
                                                        const lode_rule *rule) {
    const lode_counts *c = &rule->counts;
    bool worse = rule_best_ratio(c->both, c->body, c->head) < b->ratio;
    return worse ? LODE_OK : rule_best_keep(b, m, rule);
}

LODE_NODISCARD lode_status rule_best_note_batch(rule_best *b, mem *m, const rule_batch *batch,
                                                uint64_t total);

#endif
