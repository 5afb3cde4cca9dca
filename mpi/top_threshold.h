/* top_threshold.h - finds the threshold of top:K
 *
 * Each search of a rank finds the best K of its own tasks, and raises the threshold of all ranks to
 * the lowest support among the K best that the rank has seen. After the search, the K-th highest
 * support over all ranks is known: the best K, with ties, are all patterns that reach this support.
 * A second search then mines them like any other search, so that output, numbers and hash need no
 * code of their own. The second search has the final threshold from its beginning, so it takes less
 * time than the first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_TOP_THRESHOLD_H
#define LODE_MPI_TOP_THRESHOLD_H

#include "rank_run.h"

/* Replaces the request of `r` for top:K by a request for all patterns that reach this threshold.
 * Returns the exit code. */
int top_find_threshold(rank_run *r);

#endif
