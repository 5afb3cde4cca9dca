/* spans.h - how the share of a search is divided among its branches (runtime/progress.h)
 *
 * What a branch costs is not known before it is searched. What predicts it best, of the formulas
 * that were tried on the trees of nine runs (molecules, proteins; all and closed; each subtree with
 * its CPU time, replayed with other weights):
 *
 *     leg k of a node      occurrences * sqrt(product over the legs j from k on: support / least)
 *     a triple             edges that its occurrences could be extended by
 *
 * A leg inherits those behind it, and each of these may double what is below: the first legs have
 * nearly all of the work, the more so the further supports are above the threshold.
 * How good: replayed, the mean difference between share and truth is 0.157 on nine trees. That is
 * the best of about a hundred formulas on the trees they were chosen by, so it flatters; on seven
 * of these trees occurrences alone had 0.25, occurrences times legs 0.21. Exponents learned during
 * the run were no better (0.17 to 0.25 on the nine). Live runs have 0.06 to 0.33: where one branch
 * holds most of the work, and nothing at its beginning tells, the share stands still in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_SPANS_H
#define LODE_GRAPH_SPANS_H

#include <math.h>

#include "graph/store.h"

#define SPANS_MOST 1e200

/* Weighs legs from the last to the first. All zero is the beginning. */
typedef struct span_scale {
    double behind; /* what the legs behind make of it */
} span_scale;

/* The weight of a leg, if it is followed; all legs count, also those that are not. */
static inline double span_weigh(span_scale *s, uint32_t n, uint64_t support, uint64_t least) {
    double ratio = (double)support / (double)(least ? least : 1);
    if (s->behind == 0) s->behind = 1;
    if (ratio > 1 && s->behind < SPANS_MOST) s->behind *= sqrt(ratio);
    return (double)n * s->behind;
}

/* spans.c: divides 1 among the triples first … end - 1. */
void spans_of_roots(const store *s, uint32_t first, uint32_t end, double *spans);

#endif
