/* part_tally.h - a sink that counts itemsets by support, for each part of a random sample
 *
 * Because supports are kept, one search at a threshold gives the numbers for all higher thresholds.
 * Sets that differ only in perfect extensions are counted as a power of two and never enumerated,
 * so that 2^60 sets take no time. When more patterns have come than are needed, the sink raises the
 * threshold of the job. For rules, it also keeps some of the sets, all with the same probability
 * (tally_sets).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_PART_TALLY_H
#define LODE_EXTRAS_SUGGEST_PART_TALLY_H

#include "base/rng.h"
#include "pipeline/engine/item_task.h"

#define TALLY_SETS 4096 /* maximum number of sets kept */

/* A sample of the sets found: each was kept with probability 2^-thinned. */
typedef struct tally_sets {
    vec_u32 items;    /* for each set: the number of its items, then their ids */
    vec_u64 supports; /* of each set */
    vec_u32 parts;    /* of each set: the row of tally.counts in which it was counted */
    unsigned thinned;
} tally_sets;

/* The request, and the result. */
typedef struct tally {
    /* The request: */
    uint32_t parts;   /* number of parts to search … */
    uint32_t of;      /* … of this many; parts = of: parts are not distinguished */
    uint64_t most;    /* the highest possible support */
    uint64_t least;   /* the threshold, if the search was prepared for a lower one */
    double enough;    /* raise the threshold when this many patterns are found; INFINITY = never */
    double too_many;  /* end the search if this many reach a threshold that cannot be raised */
    bool keeps_sets;  /* keep some of the sets; only with one thread */
    bool plain;       /* do not distinguish supports, which is faster: count all at level 0 */
    double cpu_until; /* end the search at this os_thread_seconds(); 0 = no limit */
    uint64_t seed;

    /* The result: */
    bool many;         /* the search ended because of too many patterns … */
    double at_least;   /* … and this many were really seen, at the threshold of the job */
    double opened;     /* os_thread_seconds() when the data were ready */
    uint32_t n_rows;   /* row 0 counts patterns of no part, or all; then one row per part */
    uint32_t n_levels; /* per row: support_levels.h */
    double *counts;    /* row by row, the number of patterns at each level */
    size_t count_bytes;
    tally_sets sets;
} tally;

/* Allocates the result. Always call tally_free(). */
LODE_NODISCARD lode_status tally_open(mem *m, tally *t);
void tally_free(mem *m, tally *t);

/* Makes the sink that fills in the tally. The sink must be freed before the tally. */
LODE_NODISCARD lode_status tally_sink(lode_job *job, tally *t, lode_sink **out);

/* Weight of a sampled pattern: total parts / parts searched. */
double tally_factor(const tally *t);

/* Drops each of the kept sets with probability 1/2. */
void tally_thin(tally *t);

/* Turns the counts at each level into numbers of patterns that reach the level. */
void tally_add_up(tally *t);

#endif
