/* long_set.h - a long set that many baskets share: all of its subsets do, so there are at least so
 * many
 *
 * That shows in a moment that a threshold has far too many patterns, however long counting them
 * would take, and however unlikely it is that random parts of the search come upon them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_LONG_SET_H
#define LODE_EXTRAS_SUGGEST_LONG_SET_H

#include "data/transactions/dataset.h"

#define LONG_SET_MOST 64 /* thresholds above this are not tried */

/* Fills `items` with a set of more than `least` items that reaches the threshold, as long a one as
 * is found quickly; none: there may be one nevertheless. */
LODE_NODISCARD lode_status long_set_find(lode_job *job, const lode_dataset *data,
                                         uint64_t min_count, uint32_t least, vec_u32 *items);

#endif
