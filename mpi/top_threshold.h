/* top_threshold.h - the threshold of top:K
 *
 * Each search of a rank finds the best K of its own tasks, and raises the threshold of all ranks to
 * the lowest of the K best that the rank has seen. When all is searched, the K-th highest support
 * of all ranks is known: the best K with ties are all patterns that reach it. They are then mined
 * as any other search, so that output, numbers and hash are found in one way. That second search
 * has the final threshold from its beginning, so it takes less time than the first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_TOP_THRESHOLD_H
#define LODE_MPI_TOP_THRESHOLD_H

#include "rank_run.h"

/* Turns the request of `r` into one for all patterns of that threshold. Returns the exit code. */
int top_find_threshold(rank_run *r);

#endif
