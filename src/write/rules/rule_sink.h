/* rule_sink.h - sinks for rules: functions for miners, and the interface of a kind of sink
 *
 * A miner's thread opens a worker, emits rules into it and closes it. Filters come before: every
 * emitted rule is accepted. The worker counts by size (items of antecedent and consequent) and
 * applies the limit on the number of rules. Items are ids of the data set (dataset.h), ascending on
 * each side.
 *
 * Add:   a kind of sink is one sink_kind with rule_ops; a text format is a file and a line in
 *        formats.def (rule_text.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_SINK_H
#define LODE_WRITE_RULES_RULE_SINK_H

#include "data/transactions/dataset.h"
#include "write/core/sink.h"

/* Rules with the same antecedent and consequents of one item, as a search finds them: rule i has
 * the consequent consequents[i] and the counts both[i], antecedent, of_rhs[i], total. */
typedef struct rule_batch {
    const uint32_t *lhs;
    uint32_t n_lhs;
    uint64_t count; /* of the antecedent */
    const uint32_t *consequents;
    const uint64_t *both;   /* by consequent */
    const uint64_t *of_rhs; /* counts of the consequents, by consequent */
    uint32_t n;
} rule_batch;

/* How a kind of sink handles rules. Entries may be NULL; without `emit`, rules are counted. */
typedef struct rule_ops {
    size_t worker_bytes; /* size of the kind's worker, which starts with a rule_worker */
    /* Figures that the sink shows in addition to counts: bits 1 << lode_measure_needs. */
    unsigned (*needs)(const lode_sink *sink);
    LODE_NODISCARD lode_status (*open)(sink_worker *worker);
    LODE_NODISCARD lode_status (*emit)(sink_worker *worker, const lode_rule *rule);
    /* The same for many rules, as fast as itemset text; NULL = rules come one by one. */
    LODE_NODISCARD lode_status (*emit_batch)(sink_worker *worker, const rule_batch *batch);
    /* Passes on what the worker holds, also after a failure, to free it. */
    LODE_NODISCARD lode_status (*close)(sink_worker *worker);
} rule_ops;

/* The common part of workers for rules. */
typedef struct rule_worker {
    sink_worker base;
    const rule_ops *ops;
} rule_worker;

/* For miners. A worker belongs to one thread, and ends with sink_close_worker(). */
LODE_NODISCARD lode_status rule_sink_open_worker(lode_sink *sink, sink_worker **out);
LODE_NODISCARD lode_status rule_sink_emit(sink_worker *worker, const lode_rule *rule);
LODE_NODISCARD lode_status rule_sink_emit_batch(sink_worker *worker, const rule_batch *batch);
/* From now on rules come from one worker, in a requested order: the sink keeps that order, unless
 * it was made to sort. Call it before workers are opened. */
void rule_sink_keep_order(lode_sink *sink);
/* The figures that a miner must compute for every rule in addition to counts, because the sink
 * shows a measure that needs them: bits 1 << lode_measure_needs. */
unsigned rule_sink_needs(const lode_sink *sink);
/* Whether it keeps rules or passes them on, so that their order and figures matter; false if it
 * only counts or hashes them. */
bool rule_sink_keeps_rules(const lode_sink *sink);
/* Whether the sink only keeps the number of rules by size, and has no limit: then the miner may
 * pass numbers. */
bool rule_sink_takes_numbers(const lode_sink *sink);
/* The limit of rules is reached: ends the job, keeping what was found. */
LODE_NODISCARD lode_status rule_sink_full(lode_job *job);
LODE_NODISCARD lode_status rule_sink_add(sink_worker *worker, uint32_t size, uint64_t n);

/* ---- for kinds of sinks ---- */

/* Rule i of a batch, found among `total` transactions. */
lode_rule rule_batch_at(const rule_batch *batch, uint32_t i, uint64_t total);

/* Converts the ids of a side to items of lode.h. They only differ if item numbers are large; their
 * order is the same. */
void rule_side_items(const lode_dataset *data, const uint32_t *ids, uint32_t n, uint32_t *items);

/* ---- the rule with the highest lift, for the short report ------------------------------------ */

/* Of equal lift, the one with the highest support, then the shortest, then the first by items, so
 * that the same data always give the same rule. */

typedef struct rule_best {
    double ratio; /* its lift / total; 0 = no rule yet */
    lode_rule rule;
    vec_u32 items; /* of both sides: ids */
} rule_best;

void rule_best_free(rule_best *b, mem *m);

/* Lift / total, by which rules of the same data can be compared. */
static inline double rule_best_ratio(uint64_t both, uint64_t lhs, uint64_t rhs) {
    return (double)both / ((double)lhs * (double)rhs);
}

/* Keeps the rule, if it is better than the best so far. */
LODE_NODISCARD lode_status rule_best_keep(rule_best *b, mem *m, const lode_rule *rule);

static inline LODE_NODISCARD lode_status rule_best_note(rule_best *b, mem *m,
                                                        const lode_rule *rule) {
    const lode_counts *c = &rule->counts;
    bool worse = rule_best_ratio(c->both, c->lhs, c->rhs) < b->ratio;
    return worse ? LODE_OK : rule_best_keep(b, m, rule);
}

LODE_NODISCARD lode_status rule_best_note_batch(rule_best *b, mem *m, const rule_batch *batch,
                                                uint64_t total);

#endif
