/* part_tally.h - a sink that counts itemsets by support, for each part of a search at random
 *
 * One search at a threshold so gives the numbers for all higher thresholds. Perfect extensions are
 * multiplied by powers of two and never written out, so that 2^60 sets take no time. When more
 * patterns have come than are of interest, the sink raises the threshold of the job.
 * For rules it also keeps some of the sets, each with the same chance (tally_sets).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_PART_TALLY_H
#define LODE_EXTRAS_SUGGEST_PART_TALLY_H

#include "base/rng.h"
#include "pipeline/engine/item_task.h"

#define TALLY_SETS 4096 /* sets that are kept at most */

/* Some of the sets that were found: each was kept with the chance 2^-thinned. */
typedef struct tally_sets {
    vec_u32 items;    /* of one set after the other, ids; each set's number of items comes first */
    vec_u64 supports; /* of each set */
    vec_u32 parts;    /* rows of `counts` that each set was counted in */
    unsigned thinned;
} tally_sets;

/* What was asked for, and the result. */
typedef struct tally {
    uint32_t parts;   /* that are searched, … */
    uint32_t of;      /* … of so many; parts = of: no parts are told apart */
    uint64_t most;    /* the highest support there can be */
    uint64_t least;   /* the threshold, if the search was prepared for a lower one */
    double enough;    /* raises the threshold when this many are found; INFINITY: never */
    double too_many;  /* ends the search if so many reach a threshold that cannot be raised */
    bool keeps_sets;  /* for one thread only */
    bool plain;       /* counts only, all at level 0: faster */
    double cpu_until; /* of os_thread_seconds(): ends the search then; 0: no limit */
    uint64_t seed;

    bool many;         /* the search ended because of too many, … */
    double at_least;   /* … at least so many, really seen, at the threshold of the job */
    double opened;     /* of os_thread_seconds(): when the data were ready */
    uint32_t n_rows;   /* row 0 has what is in no part, or everything; the others a part each */
    uint32_t n_levels; /* of a row */
    double *counts;    /* rows of levels */
    size_t count_bytes;
    tally_sets sets;
} tally;

/* Makes room for the result. tally_free() always. */
LODE_NODISCARD lode_status tally_open(mem *m, tally *t);
void tally_free(mem *m, tally *t);

/* The sink that fills it; freed before the tally. */
LODE_NODISCARD lode_status tally_sink(lode_job *job, tally *t, lode_sink **out);

/* By how much a pattern of a part counts: for each part searched there are so many. */
double tally_factor(const tally *t);

/* Drops each of the sets that were kept with the chance 1/2. */
void tally_thin(tally *t);

/* Turns the numbers at each support into the numbers of patterns that reach it. */
void tally_add_up(tally *t);

#endif
