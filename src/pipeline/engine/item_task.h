/* item_task.h - special requests to engines of itemsets: antecedents of rules, random samples
 *
 * Engines for itemsets include this header; engines for graphs include graphs/task.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_ITEM_TASK_H
#define LODE_PIPELINE_ENGINE_ITEM_TASK_H

#include "data/transactions/dataset.h"
#include "pipeline/engine/engine.h"
#include "write/itemsets/item_sink.h"

/* The sides of a rule on which an item may be. */
enum { ENGINE_ROLE_LHS = 1, ENGINE_ROLE_RHS = 2 };

/* Antecedents of rules, as an engine finds them: `lhs` + S for every subset S of `perfect`, all
 * with the support `count`. The consequents (of one item) of such an antecedent are consequents[i],
 * with the support both[i] of antecedent and consequent together, and every item of `perfect` that
 * is not in S, with the support `count`. An engine passes on all pairs of antecedent and consequent
 * that reach the threshold, each pair once. Items are ids, in no particular order. Items of `lhs`
 * and `perfect` are allowed in antecedents, and those of `consequents` in consequents. Items of
 * `perfect` may or may not be allowed in consequents. */
typedef struct engine_antecedents {
    const uint32_t *lhs;
    uint32_t n_lhs; /* 0 only if an item is in every transaction; S is then not empty */
    const uint32_t *perfect;
    uint32_t n_perfect;
    uint64_t count;
    const uint32_t *consequents;
    const uint64_t *both;
    uint32_t n_consequents;
} engine_antecedents;

/* Numbers of antecedents and of consequents: see engine_rules.add. */
typedef struct engine_lhs_counts {
    uint32_t n_lhs, n_perfect;
    uint64_t n_antecedents, n_consequents;
} engine_lhs_counts;

/* The request for a search of rules. Engines find antecedents with their consequents; the receiver
 * makes rules from them. */
typedef struct engine_rules {
    const uint8_t *roles;      /* by item id: ENGINE_ROLE_… */
    uint32_t max_lhs;          /* maximum n_lhs; with perfect items, antecedents may be longer */
    lode_threshold confidence; /* only consequents with both / count >= this ratio; not set = all */
    void *user;
    /* Each thread of the search opens a worker, passes antecedents to it, and closes it, also after
     * a failure. */
    LODE_NODISCARD lode_status (*open)(void *user, void **worker);
    LODE_NODISCARD lode_status (*antecedents)(void *worker, const engine_antecedents *antecedents);
    LODE_NODISCARD lode_status (*close)(void *worker);
    /* Called instead of antecedents(), if numbers are enough. The antecedents are n_lhs items and
     * any of n_perfect items; n_antecedents is their number. n_consequents is the number of pairs
     * of such an antecedent and a consequent that is not in `perfect`. NULL = antecedents are
     * needed. */
    LODE_NODISCARD lode_status (*add)(void *worker, const engine_lhs_counts *counts);
    /* Whether there may be an accepted rule with this consequent and an antecedent that contains
     * the current one. `count` is the support of the current antecedent, and `both` that of
     * antecedent and consequent together. If there can be no such rule, the engine does not count
     * the consequent for larger antecedents. NULL = there may always be one. */
    bool (*may_lead_on)(void *user, uint32_t rhs, uint64_t count, uint64_t both);
} engine_rules;

/* A random sample of the search, for estimates (extras/suggest). Branches are divided into `of`
 * parts: by their first item, or by their first two items, which divides more evenly but saves less
 * time. Only the first `parts` of these parts are searched. `part` of the sink's worker is the
 * number of the part from which a pattern comes (1, 2, …); 0 = the pattern is found whichever parts
 * are searched. The threshold does not affect which part a branch belongs to. Only `adaptive`
 * supports samples, with one thread. */
typedef struct engine_sample {
    uint64_t seed;
    uint32_t parts, of; /* `of` is a power of two; parts = of: search everything */
    bool by_root;       /* by the first item */
} engine_sample;

#endif
