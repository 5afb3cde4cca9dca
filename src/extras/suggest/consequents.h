/* consequents.h - figures about given sets: their rules with one consequent, and long common sets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_CONSEQUENTS_H
#define LODE_EXTRAS_SUGGEST_CONSEQUENTS_H

#include "data/transactions/dataset.h"
#include "extras/suggest/probe.h"

/* ---- the number of rules with one item as consequent from each of some sets ------------------ */

/* The parameters of consequents_count(). */
typedef struct consequents_request {
    lode_threshold confidence;
    double effort; /* 1 = some hundredths of a second; sets are dropped at random to stay within */
} consequents_request;

/* For each set that the probe has kept: how many of its items are the consequent of a rule with at
 * least this confidence whose antecedent is the rest. Fills p->consequents. Supports of 0 are
 * unknown, and are filled in as well. */
LODE_NODISCARD lode_status consequents_count(lode_job *job, const lode_dataset *data,
                                             const consequents_request *request, probe *p);

/* A long set that many baskets share: all of its subsets do, which is a lower bound for the number.
 *
 * It shows at once that a threshold has far too many patterns, however long counting them would
 * take, and however unlikely it is that random samples find them. */

#define LONG_SET_MOST 64 /* thresholds above this are not tried */

/* Fills `items` with a set of more than `least` items that reaches the threshold, as long as can be
 * found quickly; empty: none was found, but there may be one. */
LODE_NODISCARD lode_status long_set_find(lode_job *job, const lode_dataset *data,
                                         uint64_t min_count, uint32_t least, vec_u32 *items);

#endif
