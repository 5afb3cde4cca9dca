/* lode/rules.h - association rules: mining and sinks; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_H
#define LODE_RULES_H

#include "lode/measures.h"
#include "lode/sinks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A RULE has an antecedent and a consequent: two disjoint, non-empty sets of items. It says that
 * transactions with the antecedent often have the consequent, too. Its support is that of both
 * together. Rules are mined directly from the data, so no table of itemsets is needed.
 *
 * MEMORY. Rules with a consequent of one item are delivered as they are found, and take no memory.
 * For some options, the search first loads all frequent itemsets into memory (with limit_patterns,
 * only those of few items). These options are consequents of more than one item; `include`; and, if
 * antecedents may have more than one item, `productive` and measures that compare a rule with more
 * general rules. With sort_by, adjusted p-values or holdout, all rules (with `top`, the best and
 * ties) are kept in memory, unless the sink only counts or hashes them. If that exceeds the budget,
 * the message says how much would be enough.
 *
 * limit_patterns ends the search. With `top`, `adjust` or `holdout`, which need all rules, it only
 * ends their delivery.
 *
 * P-VALUES are those of Fisher's one-sided exact test: the probability that antecedent and
 * consequent occur together this often by chance. They are adjusted for the number of tests that
 * are possible before it is known which items occur together: all pairs of a frequent antecedent
 * and a consequent of frequent items that the options allow (sides, groups, sizes). The report has
 * this number: "rules.tests". Rules excluded by bounds of measures count as tests with p = 1. With
 * `holdout`, the rules found are tested on the held-out part, and only these rules count as tests.
 * If a limit ends the search, there are no adjusted p-values, and no rules if the options need such
 * p-values.
 *
 * Mines the rules of `data` into `sink`; lode_job_report() then has the report. Does not call
 * lode_sink_finish(). Errors: as lode_mine(), and UNSUPPORTED for 2^128 tests or more and for more
 * than 64 groups in one option. */
LODE_API LODE_NODISCARD lode_status lode_rules_mine(lode_job *job, const lode_dataset *data,
                                                    const lode_rule_options *options,
                                                    lode_sink *sink);

/* ---- sinks for rules ------------------------------------------------------------------------- */

/* lode_sink_count() accepts rules, too. The SIZE of a rule is its number of items, of antecedent
 * and consequent together. */

/* Return non-zero to stop the job. For threads and permitted calls, see lode_batch_fn. The rule is
 * lent for the call. */
typedef int (*lode_rule_fn)(void *user, const lode_rule *rule);

/* Calls a function with every rule. */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_callback(lode_job *job, lode_sink **out,
                                                            lode_rule_fn function, void *user);
/* As lode_sink_hash(): equal rules (by name) with equal counts give the same hash. */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_hash(lode_job *job, lode_sink **out,
                                                        const lode_dataset *data);
/* As lode_sink_file() and lode_sink_write(). By default, up to 10,000 rules are ordered by
 * confidence from the highest, then by support from the highest, then by size, antecedent and
 * consequent. A job that sorts (sort_by, top) sets its own order. `sort` and the drawings dot and
 * svg keep all rules in memory until lode_sink_finish(); if that exceeds the budget, the search
 * still runs to its end, so that the message of LODE_BUDGET says how much would be enough. */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_file(lode_job *job, lode_sink **out,
                                                        const lode_dataset *data, const char *path,
                                                        const lode_rule_write_options *options);
LODE_API LODE_NODISCARD lode_status lode_rule_sink_write(lode_job *job, lode_sink **out,
                                                         const lode_dataset *data,
                                                         lode_write_fn write, void *user,
                                                         const lode_rule_write_options *options);
/* The rule with the highest lift that a text sink has written; of those with equal lift, the one
 * with the highest support. Lent until the sink is freed. Before lode_sink_finish(), if there are
 * no rules, and for any other sink, fills *out with zeros and returns false. */
LODE_API bool lode_rule_sink_best(const lode_sink *sink, lode_rule *out);

/* Keeps all rules in memory, as lode_sink_memory(). */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_memory(lode_job *job, lode_sink **out);

/* Rules in memory, by columns. Rule i has the antecedent items[offsets[2 * i]] …
 * items[offsets[2 * i + 1] - 1]; its consequent follows, up to items[offsets[2 * i + 2] - 1].
 * offsets has 2 * n + 1 entries. After lode_sink_finish() rules are in the requested order or, by
 * default, ordered by size, then by antecedent, then by consequent. */
typedef struct lode_rule_result {
    size_t size;
    uint64_t n;
    uint64_t total; /* transactions, or their weight */
    const uint64_t *offsets;
    const uint32_t *items;
    const uint64_t *both, *lhs, *rhs;                       /* counts */
    const double *best_confidence, *best_lift, *adjusted_p; /* NULL = not requested */
    const lode_counts *held_out;                            /* NULL = nothing was held out */
} lode_rule_result;

/* Lends what a memory sink for rules holds. For any other sink, fills *out with zeros and returns
 * false. */
LODE_API bool lode_rule_sink_result(const lode_sink *sink, lode_rule_result *out);
/* The i-th rule of a result; lent as long as the result. Past the end, fills *out with zeros and
 * returns false. */
LODE_API bool lode_rule_result_at(const lode_rule_result *result, uint64_t i, lode_rule *out);

#ifdef __cplusplus
}
#endif
#endif
