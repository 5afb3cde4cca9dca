/* rule_columns.h - rules by columns, in the form in which they are stored in memory and sorted
 *
 *     offsets  0   2 3   5 6 …      rule i: lhs = items[offsets[2i]] … items[offsets[2i+1] - 1],
 *     items    3 7|9|1 3|7|…                rhs = the items from there to items[offsets[2i+2] - 1]
 *     both     12    9 …            counts of the rules; lhs and rhs: counts of their sides
 *
 * A figure that only some jobs compute gets a column when the first rule with this figure comes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_COLUMNS_H
#define LODE_WRITE_RULES_RULE_COLUMNS_H

#include "base/sort.h"
#include "write/rules/rule_sink.h"

/* Optional figures of a rule. The first three are doubles, and the last one is a lode_counts. */
typedef enum rule_extra {
    EXTRA_CONFIDENCE,
    EXTRA_LIFT,
    EXTRA_ADJUSTED,
    EXTRA_HELD_OUT,
    N_RULE_EXTRAS
} rule_extra;

typedef struct rule_columns {
    vec_u64 both; /* counts of both sides together; must be the first field: see
                   * write/core/sink_memory.h */
    vec_u64 lhs, rhs;
    vec_u64 offsets; /* empty, or one more entry than twice the number of rules */
    vec_u32 items;
    uint64_t total; /* the total, which all rules share */
    struct rule_extra_column {
        void *data; /* NULL = no rule has this figure */
        size_t cap;
    } extras[N_RULE_EXTRAS];
} rule_columns;

void rule_columns_free(mem *m, rule_columns *c);

/* Appends a rule. On failure the columns are unchanged. */
LODE_NODISCARD lode_status rule_columns_append(mem *m, rule_columns *c, const lode_rule *rule);
/* Appends all rules of a batch. On failure the columns are unchanged. */
LODE_NODISCARD lode_status rule_columns_append_batch(mem *m, rule_columns *c,
                                                     const rule_batch *batch, uint64_t total);
/* Appends all rules of `from`, which may be empty afterwards. On failure both are unchanged. */
LODE_NODISCARD lode_status rule_columns_join(mem *m, rule_columns *c, rule_columns *from);

/* Lends rule i. */
lode_rule rule_columns_at(const rule_columns *c, uint64_t i);

typedef enum rule_order {
    RULES_BY_SIZE, /* by size, then by antecedent, then by consequent */
    /* by confidence and support, both from the highest, then as RULES_BY_SIZE */
    RULES_BY_CONFIDENCE
} rule_order;

/* Sorts the rules. Takes twice the memory while it works, plus 40 bytes per rule. `stop` may be
 * NULL. Returns CANCELLED if `stop` ended the sort; the rules are then unchanged. */
LODE_NODISCARD lode_status rule_columns_sort(mem *m, rule_columns *c, rule_order order,
                                             const sort_stop *stop);

/* Returns the bytes of all rules. */
uint64_t rule_columns_bytes(const rule_columns *c);
/* Returns the bytes of a rule with this many items. */
static inline uint64_t rule_columns_rule_bytes(uint64_t n_items) {
    return 5 * sizeof(uint64_t) + n_items * sizeof(uint32_t);
}

static inline uint64_t rule_columns_count(const rule_columns *c) {
    return c->both.n;
}

/* Checks that all rules have the same total. *kept is the total of the rules so far, and 0 before
 * the first rule. Returns INVALID, with a message, if `total` differs. */
LODE_NODISCARD lode_status rule_total_check(lode_job *job, _Atomic uint64_t *kept, uint64_t total);

#endif
