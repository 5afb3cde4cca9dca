/* rule_sink.h - sinks for rules: functions for miners, and the interface of a kind of sink
 *
 * A miner's thread opens a worker, emits rules into the worker and closes it. Rules must be
 * filtered before: every emitted rule is accepted. The worker counts rules by size (items of
 * antecedent and consequent), and applies the limit on the number of rules. Items are ids of the
 * data set (dataset.h), ascending on each side.
 *
 * Add:   for a kind of sink, write a sink_kind with rule_ops. For a text format, write a file and
 *        add a line to formats.def (rule_text.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_SINK_H
#define LODE_WRITE_RULES_RULE_SINK_H

#include "data/transactions/dataset.h"
#include "data/transactions/verify.h"
#include "write/core/sink.h"

/* Rules with the same antecedent and consequents of one item, as a search finds them. Rule i has
 * the consequent consequents[i]; its counts are both[i], `count` and of_rhs[i]. */
typedef struct rule_batch {
    const uint32_t *lhs;
    uint32_t n_lhs;
    uint64_t count; /* count of the antecedent */
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
    /* Takes many rules at once; NULL = rules come one by one. */
    LODE_NODISCARD lode_status (*emit_batch)(sink_worker *worker, const rule_batch *batch);
    /* Passes on the rules that the worker holds, and frees its memory, even after a failure. */
    LODE_NODISCARD lode_status (*close)(sink_worker *worker);
} rule_ops;

/* The common part of workers for rules. */
typedef struct rule_worker {
    sink_worker base;
    const rule_ops *ops;
    verify_batch unverified;
} rule_worker;

/* Opens a worker for a miner. A worker belongs to one thread, and must be closed with
 * sink_close_worker(). */
LODE_NODISCARD lode_status rule_sink_open_worker(lode_sink *sink, sink_worker **out);
/* Emits a rule into a worker. */
LODE_NODISCARD lode_status rule_sink_emit(sink_worker *worker, const lode_rule *rule);
/* Emits all rules of a batch into a worker. */
LODE_NODISCARD lode_status rule_sink_emit_batch(sink_worker *worker, const rule_batch *batch);
/* Announces that all rules will come from one worker, in a requested order. The sink keeps this
 * order, unless the sink itself sorts. Must be called before workers are opened. */
void rule_sink_keep_order(lode_sink *sink);
/* Returns the figures that a miner must compute for every rule in addition to counts, because the
 * sink shows a measure that needs these figures: bits 1 << lode_measure_needs. */
unsigned rule_sink_needs(const lode_sink *sink);
/* Returns whether the sink keeps rules or passes them on, so that their order and figures matter.
 * Returns false if the sink only counts or hashes rules. */
bool rule_sink_keeps_rules(const lode_sink *sink);
/* Returns whether the sink only keeps the number of rules by size, and has no limit. Then the miner
 * may pass numbers with rule_sink_add(). */
bool rule_sink_takes_numbers(const lode_sink *sink);
/* Ends the job because the limit on the number of rules is reached. The rules found so far are
 * kept. */
LODE_NODISCARD lode_status rule_sink_full(lode_job *job);
/* Counts n rules of a size. */
LODE_NODISCARD lode_status rule_sink_add(sink_worker *worker, uint32_t size, uint64_t n);

/* ---- for kinds of sinks ---------------------------------------------------------------------- */

/* Returns rule i of a batch, found among `total` transactions. */
lode_rule rule_batch_at(const rule_batch *batch, uint32_t i, uint64_t total);

/* Converts the ids of a side to items of lode.h. Ids and items differ only if item numbers are
 * large; both have the same order. */
void rule_side_items(const lode_dataset *data, const uint32_t *ids, uint32_t n, uint32_t *items);

/* ---- the rule with the highest lift, for the short report ------------------------------------ */

/* Of rules with the same lift, the rule with the highest support is the best, then the shortest
 * rule, then the first rule by items. So the same data always give the same rule. */

typedef struct rule_best {
    double ratio; /* the lift of the rule / total; 0 = no rule yet */
    lode_rule rule;
    vec_u32 items; /* the ids of both sides */
} rule_best;

void rule_best_free(rule_best *b, mem *m);

/* Returns lift / total, by which rules of the same data can be compared. */
static inline double rule_best_ratio(uint64_t both, uint64_t lhs, uint64_t rhs) {
    return (double)both / ((double)lhs * (double)rhs);
}

/* Keeps the rule if it is better than the best rule so far. */
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
