/* draws.h - at thresholds of very few baskets: sets drawn from baskets tell how many there are
 *
 * A basket is drawn with a chance in proportion to its number of subsets, and a subset of it with
 * the same chance each. So a set X comes with the chance support(X) / Z, where Z is the sum of the
 * numbers of subsets of all baskets, and
 *
 *     number of sets that reach s = Z * mean of (1 / support(X) if support(X) reaches s, else 0)
 *
 * Each term lies between 0 and 1 / s, so that no huge branch can hide: where few long baskets have
 * nearly all of the sets, these are the baskets that are drawn. It is of use where a good share of
 * the sets that are drawn reach s: mostly for s = 1, when counting explodes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_DRAWS_H
#define LODE_EXTRAS_SUGGEST_DRAWS_H

#include "extras/suggest/sounding.h"

typedef struct draws_request {
    lode_threshold confidence; /* of rules */
    uint64_t min_count;
    bool rules; /* with one item as consequent; else all sets */
    uint64_t seed;
} draws_request;

/* Estimates the number at a threshold; n = 0: too few of the sets that were drawn reach it. */
LODE_NODISCARD lode_status draws_estimate(lode_job *job, const lode_dataset *data,
                                          const draws_request *request, estimate *out);

/* What the number at a threshold cannot exceed: Z / min_count, or that times the longest basket for
 * rules; at most 1e300. */
double draws_bound(const lode_dataset *data, uint64_t min_count, bool rules);

/* Puts a set into those that a probe has kept: each of n items with the chance 1/2, but at least
 * one. */
LODE_NODISCARD lode_status draws_keep_subset(mem *m, rng *random, const vec_u32 *items, probe *p);

#endif
