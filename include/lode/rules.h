/* lode/rules.h - association rules: mining, and what happens to a rule; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_H
#define LODE_RULES_H

#include "lode/measures.h"
#include "lode/sinks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A RULE is an antecedent and a consequent, two sets of items that have none in common, neither of
 * them empty: transactions with the antecedent often have the consequent, too. Its support is that
 * of antecedent and consequent together. Rules are mined directly from the data: there is no table
 * of itemsets that a subset could be missing from.
 *
 * Rules with consequents of one item are handed on as they are found, and take no memory. Longer
 * consequents, `productive` and measures that compare a rule with more general ones (unless
 * antecedents have one item), and `must` take all frequent itemsets into memory first, or with
 * limit_patterns those of few items; sort_by, adjusted p-values and holdout take all rules (top:
 * the best, and ties), unless the sink only counts or hashes them. Where that is more than the
 * budget, the message says how much would do.
 *
 * limit_patterns ends the search. With `top`, `adjust` or `holdout`, which need all rules, it ends
 * what is delivered of them.
 *
 * P-VALUES are those of Fisher's exact test, one-sided: how likely chance alone makes antecedent
 * and consequent come together as often. They are adjusted for all tests that there are before
 * anything is known of antecedent and consequent together: all pairs that the options allow (sides,
 * groups, sizes) of a frequent antecedent and a consequent of frequent items. "rules.tests" of the
 * report says how many. Rules that measures keep out count as p = 1. With `holdout`, the rules that
 * were found are tested in the part held out, and they are the tests. A search that a limit ends
 * has no adjusted p-values, and delivers no rules if they are wanted.
 *
 * Mines the rules of `data` into `sink`; lode_job_report() then says what was done. Does not call
 * lode_sink_finish(). Errors: as lode_mine(); UNSUPPORTED: 2^128 tests or more, more than 64 groups
 * of an option. */
LODE_API LODE_NODISCARD lode_status lode_rules_mine(lode_job *job, const lode_dataset *data,
                                                    const lode_rule_options *options,
                                                    lode_sink *sink);

/* ---- sinks for rules ------------------------------------------------------------------------- */

/* lode_sink_count() takes rules, too. The SIZE of a rule is the number of items of both sides. */

/* Non-zero stops the job; called as a lode_batch_fn is. The rule is lent for the call. */
typedef int (*lode_rule_fn)(void *user, const lode_rule *rule);

/* Calls a function with every rule. */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_callback(lode_job *job, lode_sink **out,
                                                            lode_rule_fn function, void *user);
/* As lode_sink_hash(): the same for the same rules, by name, with the same counts. */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_hash(lode_job *job, lode_sink **out,
                                                        const lode_dataset *data);
/* As lode_sink_file() and lode_sink_write(). Without another order, up to 10,000 rules come by
 * confidence from the highest, then by support from the highest, then by size, antecedent and
 * consequent. A job that sorts (sort_by, top) has its own order. `sort`, and the drawings dot and
 * svg, keep all rules in memory until lode_sink_finish(); if the budget has no room for that, the
 * search goes on to its end, so that LODE_BUDGET comes with what it takes. */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_file(lode_job *job, lode_sink **out,
                                                        const lode_dataset *data, const char *path,
                                                        const lode_rule_write_options *options);
LODE_API LODE_NODISCARD lode_status lode_rule_sink_write(lode_job *job, lode_sink **out,
                                                         const lode_dataset *data,
                                                         lode_write_fn write, void *user,
                                                         const lode_rule_write_options *options);
/* The rule of the highest lift that a text sink has written; of several, that of the highest
 * support. False, and all zero, before lode_sink_finish(), if there was no rule, and for any other
 * sink. Lent until the sink is freed. */
LODE_API bool lode_rule_sink_best(const lode_sink *sink, lode_rule *out);

/* Keeps everything in memory; as lode_sink_memory(). */
LODE_API LODE_NODISCARD lode_status lode_rule_sink_memory(lode_job *job, lode_sink **out);

/* Rules in memory, by columns: rule i has the items items[offsets[2 * i]] …
 * items[offsets[2 * i + 1] - 1] in its antecedent, and those up to items[offsets[2 * i + 2] - 1] in
 * its consequent. offsets has 2 * n + 1 entries. After lode_sink_finish() they are in the order
 * that was asked for or, without one, ordered by size, then by antecedent, then by consequent. */
typedef struct lode_rule_result {
    size_t size;
    uint64_t n;
    uint64_t total; /* transactions, or their weight */
    const uint64_t *offsets;
    const uint32_t *items;
    const uint64_t *both, *lhs, *rhs;                       /* counts */
    const double *best_confidence, *best_lift, *adjusted_p; /* NULL: not asked for */
    const lode_counts *held_out;                            /* NULL: nothing was held out */
} lode_rule_result;

/* Lends what a memory sink for rules holds; all zero, and false, for any other sink. */
LODE_API bool lode_rule_sink_result(const lode_sink *sink, lode_rule_result *out);
/* The i-th rule of it; false, and all zero, past the end. Lent as the columns are. */
LODE_API bool lode_rule_result_at(const lode_rule_result *result, uint64_t i, lode_rule *out);

#ifdef __cplusplus
}
#endif
#endif
