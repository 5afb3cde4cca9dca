/* workers.h - the threads of a search, from their start to the report
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_WORKERS_H
#define LODE_GRAPHS_WORKERS_H

#include <math.h>

#include "graphs/node.h"
#include "graphs/store.h"

/* Runs a complete task: with sibling joins (graft), or without (gspan). */
LODE_NODISCARD lode_status workers_search(engine_task *task, bool join);

/* Divides a search of graft into branches, which are added to `into`. */
struct branch_list;
LODE_NODISCARD lode_status workers_divide(engine_task *task, struct branch_list *into);

/* ---- the same in steps, for other searches that use workers and their lists ------------------ */
/* Takes the store, which workers_close() gives back, and finds the range of triples to start from
 * and their shares of the progress. */
LODE_NODISCARD lode_status workers_take_store(search *s);
/* Opens the workers on the calling thread. */
LODE_NODISCARD lode_status workers_open(search *s);
/* Closes all workers and adds their figures to the report. Returns `status`, or the first
 * failure. */
LODE_NODISCARD lode_status workers_close(search *s, lode_status status);

/* How a search divides its share of the progress among its branches (runtime/progress.h).
 *
 * The work of a branch is not known before it is searched. These formulas predict it:
 *
 *     extension k of a node   occurrences * sqrt(product over j >= k: support of j / min. support)
 *     a triple                the number of edges that its occurrences could be extended by
 *
 * An extension inherits the extensions after it, and each of these may double what is below it. So
 * the first extensions have nearly all of the work, the more so the further their supports are
 * above the threshold.
 * How good: the formulas were chosen from about a hundred, on the trees of nine runs (molecules and
 * proteins; all and closed patterns) that were replayed with the CPU time of each subtree. There,
 * the mean difference between the predicted and the true share is 0.157. That is optimistic, since
 * the formulas were chosen on the same trees. On seven of the trees, the difference is 0.25 if the
 * prediction is the number of occurrences alone, and 0.21 if it is occurrences times extensions.
 * Exponents learned during the run were no better (0.17 to 0.25 on the nine trees). In real runs
 * the difference is 0.06 to 0.33. It is large if one branch has most of the work and nothing at its
 * beginning shows that; then the progress seems to stand still. */

#define SPANS_MOST 1e200

/* The state of weighing the extensions of a node, from the last to the first. Begins with zeros. */
typedef struct span_scale {
    double after; /* the product over the extensions that were weighed */
} span_scale;

/* The weight of an extension with n occurrences. Call it also for extensions that are not
 * followed. */
static inline double span_weigh(span_scale *s, uint32_t n, uint64_t support, uint64_t min_support) {
    double ratio = (double)support / (double)(min_support ? min_support : 1);
    if (s->after == 0) s->after = 1;
    if (ratio > 1 && s->after < SPANS_MOST) s->after *= sqrt(ratio);
    return (double)n * s->after;
}

/* Divides the number 1 among the triples [first, end), in proportion to their expected work. */
void spans_of_roots(const store *s, uint32_t first, uint32_t end, double *spans);

#endif
