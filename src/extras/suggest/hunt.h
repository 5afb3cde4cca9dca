/* hunt.h - a hunt finds out, for one kind of pattern, how the number of patterns grows as the
 * threshold falls (the curve), and which threshold gives a wanted number
 *
 * The threshold falls in steps that the curve so far suggests. Each step is a probe (probe.h): of
 * everything as long as that is cheap, then of random samples, as small as the time left requires.
 * Once the wanted number has been passed, the remaining time is used for a better estimate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HUNT_H
#define LODE_EXTRAS_SUGGEST_HUNT_H

#include "extras/suggest/probe.h"

#define HUNT_DECADE 4 /* points of a curve per factor of ten in support */

#define HUNT_POINTS 64 /* maximum points of a curve */

/* The number of patterns at a threshold. */
typedef struct hunt_point {
    uint64_t min_count;
    estimate e;
} hunt_point;

/* Maximum number of spots: thresholds with results of their own, apart from the curve, because sets
 * were drawn there (draws.h) or because they are known to have too many patterns. */
#define HUNT_SPOTS 16

typedef struct hunt {
    lode_job *job;
    const lode_dataset *data;
    lode_suggest_target target;
    lode_threshold confidence;
    bool pairs; /* of all itemsets, only those with two or more items are counted */
    /* The caller sets the fields up to `seed`, and the others to zero. */
    double want;     /* the wanted number of patterns; INFINITY = only a curve is wanted */
    double least;    /* CPU seconds that may be spent in any case … */
    double share;    /* … or this fraction of the time for counting, if that is more */
    double deadline; /* a time of os_seconds(); 0 = none */
    uint64_t seed;

    uint64_t most;     /* the highest support of an item */
    uint64_t base;     /* the threshold that the data are prepared for; 0 = none yet */
    uint64_t reached;  /* of the last probe: the threshold at its end … */
    bool overran;      /* … and whether it ended because of too many patterns */
    double unfinished; /* … and, if it was given up, the patterns to expect from what it found */
    double seen;       /* … of which it has seen this many */
    uint64_t too_low;  /* the highest threshold that certainly has too many patterns; 0 = none */
    bool ended;        /* the next lower threshold seems to have far too many patterns */
    double budget;     /* CPU seconds that may be spent, as far as known by now */
    double spent;      /* CPU seconds spent so far … */
    double looked;     /* … and how many of these on long sets */
    probe whole;       /* the probe of everything at the lowest threshold; tally.counts NULL = none
                       * yet */
    probe part;        /* the last sampled probe, unless `whole` reaches further; NULL as above */
    hunt_point rules[HUNT_POINTS]; /* for rules: the best estimate at each point of the curve */
    uint32_t n_rules;
    hunt_point spots[HUNT_SPOTS];
    uint32_t n_spots;
    hunt_point floor; /* at this threshold there are at least floor.e.n patterns; 0 = unknown */
    anchor known;     /* the last threshold at which all sets were counted */
} hunt;

/* Finds out as much as the time allows. Call hunt_free() in any case. Errors: as lode_mine(),
 * except STOPPED. */
LODE_NODISCARD lode_status hunt_run(hunt *h);
/* Estimates the number at one threshold, in little time; out->n is 0 if that gave nothing. Errors
 * as above. */
LODE_NODISCARD lode_status hunt_glance(hunt *h, uint64_t min_count, estimate *out);
void hunt_free(hunt *h);

/* Returns the threshold of the next point of a curve, at or below *next, and moves *next on; 0 =
 * there is none. At the start, *next is the highest support. */
uint64_t hunt_next_point(double *next);

/* Sets *out to the number of patterns at a threshold, by extrapolation if need be; false: unknown.
 * A number that is not exact, and equals the low end of its interval, is a lower bound. */
bool hunt_number(const hunt *h, uint64_t min_count, estimate *out);
/* The highest threshold of a spot below this threshold; 0 = there is none. */
uint64_t hunt_spot_below(const hunt *h, uint64_t min_count);
/* The lowest threshold of the curve; 0 = none. */
uint64_t hunt_lowest(const hunt *h);
/* The threshold whose number of patterns is nearest to the wanted one; 0 = none. If it is below
 * hunt_lowest(), it is an extrapolation of the curve, or a spot. */
uint64_t hunt_answer(const hunt *h);

#endif
