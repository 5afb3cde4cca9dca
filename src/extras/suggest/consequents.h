/* consequents.h - figures about given sets: their rules with one consequent, and long common sets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_CONSEQUENTS_H
#define LODE_EXTRAS_SUGGEST_CONSEQUENTS_H

#include "data/transactions/dataset.h"
#include "extras/suggest/sounding.h"

/* ---- how many rules with one item as consequent come from each of some sets ------------------ */

/* What consequents_count() counts. */
typedef struct consequents_request {
    lode_threshold confidence;
    double effort; /* 1: some hundredths of a second; sets are dropped at random to keep to it */
} consequents_request;

/* For each set that the probe has kept: in how many ways one of its items is the consequent of a
 * rule of at least this confidence whose antecedent are the others. Fills p->consequents. A support
 * of 0 is not known: it is filled in as well. */
LODE_NODISCARD lode_status consequents_count(lode_job *job, const lode_dataset *data,
                                             const consequents_request *request, probe *p);

/* a long set that many baskets share: all of its subsets do, so there are at least so many.
 *
 * That shows in a moment that a threshold has far too many patterns, however long counting them
 * would take, and however unlikely it is that random parts of the search come upon them. */

#define LONG_SET_MOST 64 /* thresholds above this are not tried */

/* Fills `items` with a set of more than `least` items that reaches the threshold, as long a one as
 * is found quickly; none: there may be one nevertheless. */
LODE_NODISCARD lode_status long_set_find(lode_job *job, const lode_dataset *data,
                                         uint64_t min_count, uint32_t least, vec_u32 *items);

#endif
