/* rule_columns.h - rules by columns, as they are stored in memory and sorted
 *
 *     offsets  0   2 3   5 6 …      rule i: lhs = items[offsets[2i]] … items[offsets[2i+1] - 1],
 *     items    3 7|9|1 3|7|…                rhs = the items from there to items[offsets[2i+2] - 1]
 *     both     12    9 …            counts; also those of antecedent and consequent
 *
 * Figures that only some jobs compute get columns with the first rule that has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_COLUMNS_H
#define LODE_WRITE_RULES_RULE_COLUMNS_H

#include "base/sort.h"
#include "write/rules/rule_sink.h"

/* Optional figures of a rule; the first three are doubles, the last is lode_counts. */
typedef enum rule_extra {
    EXTRA_CONFIDENCE,
    EXTRA_LIFT,
    EXTRA_ADJUSTED,
    EXTRA_HELD_OUT,
    N_RULE_EXTRAS
} rule_extra;

typedef struct rule_columns {
    vec_u64 both; /* counts; first, as write/core/sink_memory.h requires */
    vec_u64 lhs, rhs;
    vec_u64 offsets; /* empty, or one more entry than twice the number of rules */
    vec_u32 items;
    uint64_t total; /* of all rules */
    struct rule_extra_column {
        void *data; /* NULL = no rule has it */
        size_t cap;
    } extras[N_RULE_EXTRAS];
} rule_columns;

void rule_columns_free(mem *m, rule_columns *c);

/* Append a rule, all rules of a batch, and all of `from`, which may be empty afterwards. On failure
 * the columns are unchanged. */
LODE_NODISCARD lode_status rule_columns_append(mem *m, rule_columns *c, const lode_rule *rule);
LODE_NODISCARD lode_status rule_columns_append_batch(mem *m, rule_columns *c,
                                                     const rule_batch *batch, uint64_t total);
LODE_NODISCARD lode_status rule_columns_join(mem *m, rule_columns *c, rule_columns *from);

/* Lends rule i. */
lode_rule rule_columns_at(const rule_columns *c, uint64_t i);

typedef enum rule_order {
    RULES_BY_SIZE,      /* then by antecedent, then by consequent */
    RULES_BY_CONFIDENCE /* from the highest, then by support from the highest, then by size … */
} rule_order;

/* Doubles the memory while it works, plus 40 bytes per rule. `stop` may be NULL; CANCELLED: it has
 * ended the sort, and the rules are unchanged. */
LODE_NODISCARD lode_status rule_columns_sort(mem *m, rule_columns *c, rule_order order,
                                             const sort_stop *stop);

/* Bytes of all rules, and of a rule with this many items. */
uint64_t rule_columns_bytes(const rule_columns *c);
static inline uint64_t rule_columns_rule_bytes(uint64_t n_items) {
    return 5 * sizeof(uint64_t) + n_items * sizeof(uint32_t);
}

static inline uint64_t rule_columns_count(const rule_columns *c) {
    return c->both.n;
}

/* Columns have one total: *kept is that of the rules so far, 0 before the first. INVALID, with a
 * message, if a rule has another total. */
LODE_NODISCARD lode_status rule_total_check(lode_job *job, _Atomic uint64_t *kept, uint64_t total);

#endif
