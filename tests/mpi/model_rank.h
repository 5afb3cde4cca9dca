/* model_rank.h - ranks of the event model: see event_model.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_MODEL_RANK_H
#define LODE_MPI_MODEL_RANK_H

#include "recorded_tree.h"
#include "scheduler.h"

typedef struct model_result {
    bool ended, twice; /* all ranks have ended; some task was done twice */
    bool early;        /* a rank ended while a rank still searched or a message was in flight */
    size_t n_done;
    double seconds, busy; /* time until the last rank has ended; sum of the search times of ranks */
    uint64_t messages, steals, granted;
} model_result;

/* What differs between runs. */
typedef struct model_options {
    int n_ranks;
    double latency;
    bool lopsided; /* rank 0 gets all tasks at the beginning */
    bool uneven;   /* between some pairs of ranks, the latency is up to 64 times as long */
    bool wild;     /* every message and every slice of work takes a random time; the
                                 * longest takes 2^13 times as long as the shortest */
    unsigned batch_part, tasks; /* RANK_BATCH_PART, RANK_TASKS */
    uint64_t seed;
} model_options;

/* Simulates the ranks until nothing happens any more. */
model_result model_run(const recorded_tree *tree, const model_options *options);

#endif
