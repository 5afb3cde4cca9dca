/* draws.h - estimates the number of sets at very low thresholds by drawing sets from baskets
 *
 * Let s be the threshold. A basket is drawn with a probability proportional to its number of
 * subsets, then a subset of it uniformly. So a set X is drawn with the probability support(X) / Z,
 * where Z is the sum of the numbers of subsets of all baskets, and
 *
 *     number of sets that reach s = Z * mean of (1 / support(X) if support(X) reaches s, else 0)
 *
 * Each term is between 0 and 1 / s, so no huge branch of the search can be missed: if few long
 * baskets have nearly all of the sets, these baskets are drawn. The method is useful if a good
 * share of the sets drawn reach s: mostly for s = 1, where there are far too many sets to count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_DRAWS_H
#define LODE_EXTRAS_SUGGEST_DRAWS_H

#include "extras/suggest/probe.h"

typedef struct draws_request {
    lode_threshold confidence; /* of rules */
    uint64_t min_count;
    bool rules; /* with one item as consequent; otherwise all sets */
    uint64_t seed;
} draws_request;

/* Estimates the number of patterns at a threshold. out->n is 0 if too few of the sets drawn reach
 * the threshold. */
LODE_NODISCARD lode_status draws_estimate(lode_job *job, const lode_dataset *data,
                                          const draws_request *request, estimate *out);

/* An upper bound of the number of patterns at a threshold: Z / min_count, for rules times the
 * length of the longest basket; at most 1e300. */
double draws_bound(const lode_dataset *data, uint64_t min_count, bool rules);

/* Adds a random subset of `items` to the sets kept by a probe: each item with probability 1/2, but
 * at least one item. */
LODE_NODISCARD lode_status draws_keep_subset(mem *m, rng *random, const vec_u32 *items, probe *p);

#endif
