/* rule_list.h - rules that are stored, to be sorted, tested or selected, before they go to the sink
 *
 * A row has the figures of a rule; the items of all rows are concatenated, those of the antecedent
 * before those of the consequent. Each thread fills its own rows and moves them to the list. If
 * only the best K are requested, and the sort key of a rule can be computed as soon as the rule is
 * found, rows that cannot be among the best K are dropped early. Then the list has at most a few
 * times as many rows as the best K and their ties.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_RULE_LIST_H
#define LODE_RULES_RULE_LIST_H

#include "rules/wants.h"
#include "write/rules/rule_sink.h"

typedef struct rule_row {
    union {
        uint64_t at;           /* position of the rule's items in rule_rows.items */
        const uint32_t *items; /* the rule's items, while rows are sorted */
    } where;
    uint32_t n_lhs, n_rhs;                  /* number of items on each side */
    uint64_t both, lhs, rhs;                /* counts in the data searched */
    uint64_t held_both, held_lhs, held_rhs; /* counts in the part held out */
    double best_confidence, best_lift;      /* of all more general rules */
    double key;                             /* the sort key: rules with a higher key come first */
    double log_p;                           /* logarithm of the p-value */
    double adjusted_p;
} rule_row;

typedef struct rule_rows {
    rule_row *data;
    size_t n, cap;
    vec_u32 items;
} rule_rows;

typedef struct rule_list {
    lode_job *job;
    const wants *wants;
    bool cuts;           /* rows that cannot be among the best are dropped early */
    uint64_t total;      /* weight of all transactions that were searched */
    uint64_t held_total; /* weight of the transactions held out; 0 = none */
    /* number of rules until the limit ends the search; UINT64_MAX = no limit */
    _Atomic uint64_t room;
    pthread_mutex_t lock;
    rule_rows rows;       /* under the lock */
    size_t left;          /* number of rows after rows were last dropped; under the lock */
    _Atomic double least; /* keys below this are not among the best */
    _Atomic uint64_t cut; /* number of rules dropped early */
} rule_list;

void rule_list_init(rule_list *list, lode_job *job, const wants *w, uint64_t total);
void rule_list_clear(rule_list *list);

/* Keeps only the rows for which keeps() returns true. After CANCELLED, some rows were not
 * checked. */
LODE_NODISCARD lode_status rule_list_filter(rule_list *list,
                                            bool (*keeps)(void *user, const lode_rule *rule),
                                            void *user);
/* Sorts rows by key, then by support, size and items, and keeps only the best K and their ties.
 * After CANCELLED, the list has all rows in no particular order. */
LODE_NODISCARD lode_status rule_list_sort(rule_list *list, const sort_stop *stop);

/* Lends row i as a rule. */
lode_rule rule_list_at(const rule_list *list, size_t i);
/* Sends all rules to a sink. After CANCELLED, the rules already sent are valid, and the others are
 * counted as withheld. */
LODE_NODISCARD lode_status rule_list_replay(const rule_list *list, lode_sink *to,
                                            const sort_stop *stop);

/* ---- the target of a search: the sink, or a list --------------------------------------------- */

/* Each thread has a writer. The rules that a writer gets already meet the conditions on sides,
 * groups, sizes and confidence, and on those measures that depend only on the counts of the rule.
 * For a list of the best rules, the writer drops rules that cannot be among the best. */

typedef struct rule_out {
    lode_job *job;
    const wants *wants;
    lode_sink *sink;
    rule_list *list;           /* NULL = rules go to the sink */
    bool fills;                /* rules have all figures, not only counts */
    _Atomic uint64_t filtered; /* rules excluded only by bounds of measures */
    _Atomic uint64_t pruned;   /* consequents pruned by bounds on measures */
} rule_out;

typedef struct rule_writer {
    rule_out *out;
    sink_worker *worker; /* NULL = rules go to the list */
    rule_rows rows;
    uint64_t filtered;
    uint64_t cut; /* number of rules dropped because they are not among the best */
} rule_writer;

LODE_NODISCARD lode_status rule_writer_open(rule_out *out, rule_writer *w);
/* Closes a writer and frees it. Must be called even after a failure. */
LODE_NODISCARD lode_status rule_writer_close(rule_writer *w);

LODE_NODISCARD lode_status rule_writer_emit(rule_writer *w, const lode_rule *rule);
/* Writes all rules of a batch. `total` is the weight of all transactions. */
LODE_NODISCARD lode_status rule_writer_batch(rule_writer *w, const rule_batch *b, uint64_t total);

/* Returns whether only the number of rules by size is kept; rule_sink_add() then takes the
 * numbers. */
static inline bool rule_out_takes_numbers(const rule_out *out) {
    return !out->list && rule_sink_takes_numbers(out->sink);
}

/* Returns whether the limit on the number of rules ends the search, and not only the output. */
static inline bool rule_out_is_limited(const rule_out *out) {
    return out->list ? atomic_load(&out->list->room) != UINT64_MAX : sink_is_limited(out->sink);
}

/* Adds n to the number of filtered rules, without overflow. */
static inline void rule_writer_filtered(rule_writer *w, uint64_t n) {
    if (__builtin_add_overflow(w->filtered, n, &w->filtered)) w->filtered = UINT64_MAX;
}

#endif
