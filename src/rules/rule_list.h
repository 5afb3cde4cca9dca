/* rule_list.h - rules that are stored before they go to the sink: to be sorted, tested, or cut
 *
 * A row has the figures of a rule; the items of all rows are concatenated, those of the antecedent
 * before those of the consequent. Each thread fills its own rows and moves them to the list. If
 * only the best K are requested and their order is known at once, rows that cannot be among them
 * are dropped early: the list has at most a few times as many rows as the best K and their ties.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_RULE_LIST_H
#define LODE_RULES_RULE_LIST_H

#include "rules/wants.h"
#include "write/rules/rule_sink.h"

typedef struct rule_row {
    union {
        uint64_t at;           /* position of its items */
        const uint32_t *items; /* the same, while rows are sorted */
    } where;
    uint32_t n_lhs, n_rhs;
    uint64_t both, lhs, rhs;
    uint64_t held_both, held_lhs, held_rhs; /* in the part held out */
    double best_confidence, best_lift;
    double key;   /* higher comes first */
    double log_p; /* logarithm of the p-value */
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
    bool cuts;             /* drop rows early that cannot be among the best */
    uint64_t total;        /* weight of all transactions that were searched … */
    uint64_t held_total;   /* … and of those held out; 0 = none */
    _Atomic uint64_t room; /* rules until the limit ends the search; UINT64_MAX = no limit */
    pthread_mutex_t lock;
    rule_rows rows;       /* under the lock */
    size_t left;          /* rows left after the last dropping; under the lock */
    _Atomic double least; /* keys below this are not among the best */
    _Atomic uint64_t cut; /* rules dropped early */
} rule_list;

void rule_list_init(rule_list *list, lode_job *job, const wants *w, uint64_t total);
void rule_list_clear(rule_list *list);

/* Keeps the rows for which `keeps` is true. CANCELLED: it has not checked all of them. */
LODE_NODISCARD lode_status rule_list_filter(rule_list *list,
                                            bool (*keeps)(void *user, const lode_rule *rule),
                                            void *user);
/* Sorts by key, then by support, size and items; and keeps the best K, and ties. CANCELLED: all
 * rows are there, in no order. */
LODE_NODISCARD lode_status rule_list_sort(rule_list *list, const sort_stop *stop);

/* Row i as a rule, lent. */
lode_rule rule_list_at(const rule_list *list, size_t i);
/* Sends all rules to a sink. CANCELLED: what was sent is valid, and the others are counted as
 * withheld. */
LODE_NODISCARD lode_status rule_list_replay(const rule_list *list, lode_sink *to,
                                            const sort_stop *stop);

/* ---- the target of a search: the sink, or a list --------------------------------------------- */

/* Each thread has a writer. The rules it gets already meet the conditions on sides, groups, sizes,
 * confidence and measures of counts; for a list of the best, it checks the order. */

typedef struct rule_out {
    lode_job *job;
    const wants *wants;
    lode_sink *sink;
    rule_list *list;           /* NULL = rules go to the sink */
    bool fills;                /* rules have all figures, not only counts */
    _Atomic uint64_t filtered; /* rules excluded only by bounds of measures */
    _Atomic uint64_t pruned;   /* consequents pruned for the same reason */
} rule_out;

typedef struct rule_writer {
    rule_out *out;
    sink_worker *worker; /* NULL = rules go to the list */
    rule_rows rows;
    uint64_t filtered;
    uint64_t cut; /* rules that are not among the best */
} rule_writer;

LODE_NODISCARD lode_status rule_writer_open(rule_out *out, rule_writer *w);
/* Call it even after a failure, to free the writer. */
LODE_NODISCARD lode_status rule_writer_close(rule_writer *w);

LODE_NODISCARD lode_status rule_writer_emit(rule_writer *w, const lode_rule *rule);
/* All rules of a batch. `total`: weight of all transactions. */
LODE_NODISCARD lode_status rule_writer_batch(rule_writer *w, const rule_batch *b, uint64_t total);

/* Whether only numbers by size are kept; rule_sink_add() then takes them. */
static inline bool rule_out_takes_numbers(const rule_out *out) {
    return !out->list && rule_sink_takes_numbers(out->sink);
}

/* Whether the limit of rules ends the search, and not only the output. */
static inline bool rule_out_is_limited(const rule_out *out) {
    return out->list ? atomic_load(&out->list->room) != UINT64_MAX : sink_is_limited(out->sink);
}

/* Adds to a figure of the report, without overflow. */
static inline void rule_writer_filtered(rule_writer *w, uint64_t n) {
    if (__builtin_add_overflow(w->filtered, n, &w->filtered)) w->filtered = UINT64_MAX;
}

#endif
