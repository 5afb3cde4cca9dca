/* consequents.h - the number of rules from given sets, and long sets that many baskets share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_CONSEQUENTS_H
#define LODE_EXTRAS_SUGGEST_CONSEQUENTS_H

#include "data/transactions/dataset.h"
#include "extras/suggest/probe.h"

/* ---- how many rules with a one-item consequent each of some sets has ------------------------- */

/* The parameters of consequents_count(). */
typedef struct consequents_request {
    lode_threshold confidence;
    double effort; /* 1 = some hundredths of a second; if there are too many sets for that, some are
                    * dropped at random */
} consequents_request;

/* Counts, for each set that the probe has kept, how many of its items are the consequent of a rule
 * with at least this confidence whose antecedent is the rest of the set. Fills in p->consequents;
 * also fills in the supports of kept sets that are still unknown (0). */
LODE_NODISCARD lode_status consequents_count(lode_job *job, const lode_dataset *data,
                                             const consequents_request *request, probe *p);

/* If a long set reaches a threshold, so do all of its subsets, and their number is a lower bound
 * for the number of patterns. This bound shows at once that a threshold has far too many patterns,
 * however long counting them would take, and however unlikely it is that random samples find
 * them. */

#define LONG_SET_MOST 64 /* thresholds above this are not tried */

/* Fills `items` with the longest set found quickly that reaches the threshold and has more than
 * `least` items. If `items` stays empty, no such set was found, but there may be one. */
LODE_NODISCARD lode_status long_set_find(lode_job *job, const lode_dataset *data,
                                         uint64_t min_count, uint32_t least, vec_u32 *items);

#endif
