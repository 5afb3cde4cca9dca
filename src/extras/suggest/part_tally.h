/* part_tally.h - a sink that counts itemsets by support, for each part of a random sample
 *
 * So one search at a threshold gives the numbers for all higher thresholds. Perfect extensions are
 * multiplied by powers of two and never enumerated, so that 2^60 sets take no time. When more
 * patterns have come than are needed, the sink raises the threshold of the job.
 * For rules it also keeps some of the sets, all with the same probability (tally_sets).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_PART_TALLY_H
#define LODE_EXTRAS_SUGGEST_PART_TALLY_H

#include "base/rng.h"
#include "pipeline/engine/item_task.h"

#define TALLY_SETS 4096 /* maximum number of sets kept */

/* A sample of the sets found: each was kept with probability 2^-thinned. */
typedef struct tally_sets {
    vec_u32 items;    /* ids of the sets, concatenated; before each set its number of items */
    vec_u64 supports; /* of each set */
    vec_u32 parts;    /* row of `counts` in which each set was counted */
    unsigned thinned;
} tally_sets;

/* The request, and the result. */
typedef struct tally {
    uint32_t parts;   /* to search … */
    uint32_t of;      /* … of this many; parts = of: parts are not distinguished */
    uint64_t most;    /* the highest possible support */
    uint64_t least;   /* the threshold, if the search was prepared for a lower one */
    double enough;    /* raises the threshold when this many are found; INFINITY = never */
    double too_many;  /* ends the search if this many reach a threshold that cannot be raised */
    bool keeps_sets;  /* only with one thread */
    bool plain;       /* counts only, all at level 0: faster */
    double cpu_until; /* ends the search at this os_thread_seconds(); 0 = no limit */
    uint64_t seed;

    bool many;         /* the search ended because of too many … */
    double at_least;   /* … this many were really seen, at the threshold of the job */
    double opened;     /* os_thread_seconds() when the data were ready */
    uint32_t n_rows;   /* row 0 counts what belongs to no part, or everything; then one per part */
    uint32_t n_levels; /* per row */
    double *counts;    /* rows of levels */
    size_t count_bytes;
    tally_sets sets;
} tally;

/* Allocates the result. Always call tally_free(). */
LODE_NODISCARD lode_status tally_open(mem *m, tally *t);
void tally_free(mem *m, tally *t);

/* The sink that fills it; freed before the tally. */
LODE_NODISCARD lode_status tally_sink(lode_job *job, tally *t, lode_sink **out);

/* Weight of a sampled pattern: total parts / parts searched. */
double tally_factor(const tally *t);

/* Drops each of the kept sets with probability 1/2. */
void tally_thin(tally *t);

/* Turns counts at each support into numbers of patterns that reach it. */
void tally_add_up(tally *t);

#endif
