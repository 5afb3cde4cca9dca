/* maximal.h - numbers of maximal sets, counted threshold by threshold
 *
 * Whether a set is maximal depends on the threshold. So one search says nothing about other
 * thresholds, and the numbers need not even grow as the threshold falls.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_MAXIMAL_H
#define LODE_EXTRAS_SUGGEST_MAXIMAL_H

#include "extras/suggest/hunt.h"

#define MAXIMAL_POINTS 64

typedef struct maximal_curve {
    uint32_t n;
    uint64_t min_counts[MAXIMAL_POINTS]; /* descending */
    estimate numbers[MAXIMAL_POINTS];
} maximal_curve;

/* Counts the maximal sets at as many thresholds as the time of the hunt (hunt.h) allows. */
LODE_NODISCARD lode_status maximal_run(const hunt *h, maximal_curve *out);
/* The threshold of the point whose number is nearest to `want`; 0 = there is none. */
uint64_t maximal_answer(const maximal_curve *curve, double want);

#endif
