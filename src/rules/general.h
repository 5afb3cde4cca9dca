/* general.h - the best more general rule: fewer items in the antecedent, the same consequent
 *
 * For consequents of one item: for every set Z and every item h of Z, a value is stored. It is the
 * highest confidence of all rules with the consequent h whose antecedent is Z without h or a subset
 * of Z without h (the empty antecedent has the frequency of h as confidence). Sets are processed by
 * size, so that the value for Z follows from the sets with one item less. For longer consequents,
 * the subsets of the antecedent are enumerated. Confidences are ratios of integers, and are
 * compared exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_GENERAL_H
#define LODE_RULES_GENERAL_H

#include "write/itemsets/lookup.h"

/* A confidence, both / antecedent. */
typedef struct general_share {
    uint64_t both, lhs;
} general_share;

/* All frequent sets, ordered by size. If there is a pivot (an item that every rule has), these are
 * the sets that contain the pivot, found among the transactions with the pivot and stored without
 * it. Their supports count transactions with the pivot; `plain` has their supports among all
 * transactions. */
typedef struct general_sets {
    lode_job *job;
    const columns *sets;
    const lookup *index;
    uint64_t total;             /* weight of all transactions */
    const uint64_t *one_counts; /* by item: supports of sets of one item, in the data searched */
    bool has_pivot;
    uint32_t pivot;
    const uint64_t *plain; /* by set */
    uint64_t pivot_count;  /* number of transactions with the pivot */
} general_sets;

#define GENERAL_MOST 64 /* maximum items of a set; all its subsets are in memory */

typedef struct general {
    general_sets of;
    general_share *best; /* by position in sets->items: the item there is the consequent */
    size_t bytes;
} general;

/* Computes the values for all sets, with all threads. There must be no pivot. Errors: NOMEM,
 * BUDGET; those of job_check(). */
LODE_NODISCARD lode_status general_create(general *g, const general_sets *of);
void general_clear(general *g);

/* Returns the highest confidence of the more general rules, for a set of n items whose item number
 * `rhs` is the consequent. below[i] is the number of the set without its item i, or LOOKUP_NONE. */
general_share general_of_item(const general *g, const uint64_t *below, uint32_t n, uint32_t rhs);
/* Returns the highest confidence of the rules that are more general than `rule`. The consequent may
 * have any size, and its support must be known. The rule may have at most GENERAL_MOST items. After
 * the job is cancelled, the result may be too low. */
general_share general_of_rhs(const general_sets *s, const lode_rule *rule);

/* Returns whether confidence a is higher than confidence b. */
static inline bool general_above(general_share a, general_share b) {
    return (unsigned __int128)a.both * b.lhs > (unsigned __int128)b.both * a.lhs;
}

/* Returns the support of a set of ascending items; 0 = not found. */
uint64_t general_support(const general_sets *s, const uint32_t *items, uint32_t n);
/* Sets below[i] to the number of the set without its item i; LOOKUP_NONE = not found. */
void general_below(const general_sets *s, const uint32_t *items, uint32_t n, uint64_t *below);

#endif
