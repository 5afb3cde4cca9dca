/* span.h - spans: the share of a branch in the whole search, for the progress
 *
 * Every database owns a span (runtime/progress.h), and divides it among its items in proportion to
 * the work expected below each. The expectation treats items as independent within the transactions
 * of the prefix. Then a set of a rarest item i and a set S of items before i has the support
 *
 *     s(i + S) = s(i) * product of s(j) / n, j in S
 *
 * where n is the support of the prefix. The set is searched if that support reaches the threshold.
 * Such sets are not enumerated but counted in bins, by the logarithm of their support: adding the
 * item j to the sets counted so far moves them by log(n / s(j)). The work of each set is a
 * constant, for the lattice at its end, plus a term for its transactions; sets within lattices cost
 * nothing more. Deeper databases have exact supports where higher ones only had expected ones, so
 * errors are corrected as the search goes on.
 *
 * Dividing a span takes some microseconds. A worker divides a span only if this is little compared
 * with the time of the nodes that it has searched.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_SPAN_H
#define LODE_ITEMSETS_ADAPTIVE_SPAN_H

#include "itemsets/adaptive/child.h"

/* How a database divides its span among its items. */
typedef struct span_split {
    double left;           /* span not assigned to a branch yet */
    uint32_t support;      /* of the prefix */
    const double *weights; /* by item; NULL = not divided, or not yet */
    double sum;            /* of the weights of items without a span yet */
} span_split;

/* Sets weights[i] to the expected work below item i, for i from `first` to `end` - 1, and returns
 * the sum. `support` is that of the prefix. */
double span_weigh(const adaptive *a, const item_list *items, uint32_t support, uint32_t first,
                  uint32_t end, double *weights);

/* The work expected below a child whose items are counted: that of the child and of its items. */
LODE_NODISCARD lode_status span_weigh_child(adaptive *a, const child_items *c, double *work);

/* Computes the weights of items [first, end), if that is cheap enough; otherwise s->weights stays
 * NULL. */
void span_divide(adaptive *a, span_split *s, const item_list *items, uint32_t first, uint32_t end);

/* A database takes the span of the branch that leads to it. */
static inline void span_open(adaptive *a, span_split *s) {
    *s = (span_split){.left = a->progress.span, .support = a->path.support};
    a->progress.span = 0;
}

/* Gives the branch below an item its share of the span. Items from `end` on get none. */
static inline void span_enter(adaptive *a, span_split *s, const item_list *items, uint32_t item,
                              uint32_t end) {
    if (s->left < PROGRESS_LEAST) return;
    if (!s->weights) span_divide(a, s, items, item, end);
    if (!s->weights) return;
    a->progress.span = s->sum > s->weights[item] ? s->left * s->weights[item] / s->sum : s->left;
    s->left -= a->progress.span;
    s->sum -= s->weights[item];
}

/* Counts the branch as done, unless it was given away. */
static inline void span_leave(adaptive *a) {
    if (a->progress.span > 0)
        progress_retire(&a->job->at, &a->progress.unreported, a->progress.span);
    a->progress.span = 0;
}

/* Returns the unassigned span to the branch that led to the database. */
static inline void span_close(adaptive *a, const span_split *s) {
    a->progress.span = s->left;
}

#endif
