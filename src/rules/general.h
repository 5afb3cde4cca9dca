/* general.h - the best more general rule: fewer items in the antecedent, the same consequent
 *
 * For consequents of one item: every set Z and every item h of it has the highest confidence of a
 * rule with the consequent h whose antecedent is the rest of Z or a subset of it, perhaps empty
 * (the confidence is then the frequency of h). Sets come by size, so that the value for Z follows
 * from the sets with one item less. For longer consequents the subsets of the antecedent are
 * enumerated. Confidences are ratios of integers, and compared exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_GENERAL_H
#define LODE_RULES_GENERAL_H

#include "write/itemsets/lookup.h"

/* A confidence, both / antecedent. */
typedef struct general_share {
    uint64_t both, lhs;
} general_share;

/* All frequent sets, by size. With a pivot (an item that every rule has): the sets with the pivot,
 * stored without it, as found among the transactions with it. Their supports include the pivot;
 * `plain` has the supports without it, among all transactions. */
typedef struct general_sets {
    lode_job *job;
    const columns *sets;
    const lookup *index;
    uint64_t total;             /* weight of all transactions */
    const uint64_t *one_counts; /* by item: supports of sets of one item, in these data */
    bool has_pivot;
    uint32_t pivot;
    const uint64_t *plain; /* by set */
    uint64_t pivot_count;  /* transactions with the pivot */
} general_sets;

#define GENERAL_MOST 64 /* maximum items of a set; all its subsets are in memory */

typedef struct general {
    general_sets of;
    general_share *best; /* by position in sets->items: that item is the consequent */
    size_t bytes;
} general;

/* Processes all sets, with all threads; not with a pivot. Errors: NOMEM, BUDGET; those of
 * job_check(). */
/* Goes through all sets, with all threads; not with a pivot. Errors: NOMEM, BUDGET; those of
 * job_check(). */
LODE_NODISCARD lode_status general_create(general *g, const general_sets *of);
void general_clear(general *g);

/* The best of the more general rules, for a set of n items. below[i] is the number of the set
 * without its item i, or LOOKUP_NONE; item number `rhs` is the consequent. */
general_share general_of_item(const general *g, const uint64_t *below, uint32_t n, uint32_t rhs);
/* The same for a consequent of any size, whose support is known. At most GENERAL_MOST items in
 * total. May return too little once the job is cancelled. */
general_share general_of_rhs(const general_sets *s, const lode_rule *rule);

/* Whether a > b. */
static inline bool general_above(general_share a, general_share b) {
    return (unsigned __int128)a.both * b.lhs > (unsigned __int128)b.both * a.lhs;
}

/* Looks up the support of an ascending set; 0 = not found. */
uint64_t general_support(const general_sets *s, const uint32_t *items, uint32_t n);
/* Sets below[i] to the number of the set without its item i; LOOKUP_NONE = not found. */
void general_below(const general_sets *s, const uint32_t *items, uint32_t n, uint64_t *below);

#endif
