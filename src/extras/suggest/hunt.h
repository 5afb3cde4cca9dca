/* hunt.h - for one kind of pattern: the curve of its numbers, and the threshold for a given number
 *
 * The threshold falls in steps that the curve so far suggests. Each step is a probe: of everything
 * as long as that is cheap, then of random samples, as small as the time left requires. Once the
 * wanted number has been passed, the remaining time is used for a better estimate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HUNT_H
#define LODE_EXTRAS_SUGGEST_HUNT_H

#include "extras/suggest/probe.h"

#define HUNT_DECADE 4 /* points of a curve per factor of ten in support */

#define HUNT_POINTS 64

typedef struct hunt_point {
    uint64_t min_count;
    estimate e;
} hunt_point;

/* Thresholds with separate results: by drawing sets, or known to have too many. */
#define HUNT_SPOTS 16

typedef struct hunt {
    lode_job *job;
    const lode_dataset *data;
    lode_suggest_target target;
    lode_threshold confidence;
    double want;     /* INFINITY = only a curve */
    double least;    /* CPU seconds that may be spent in any case … */
    double share;    /* … or this fraction of the time for counting, if that is more */
    double deadline; /* of os_seconds(); 0 = none */
    uint64_t seed;

    uint64_t most;    /* the highest support of an item */
    uint64_t base;    /* the threshold that the data are prepared for; 0 = none yet */
    uint64_t reached; /* of the last probe: the threshold at its end … */
    bool overran;     /* … it ended because of too many patterns */
    uint64_t too_low; /* the highest threshold that certainly has too many; 0 = none */
    bool ended;       /* the next lower threshold seems to have far too many */
    double budget;    /* CPU seconds that may be spent, as far as known */
    double spent;     /* CPU seconds spent … */
    double looked;    /* … of these, for long sets */
    probe whole;      /* the one of everything at the lowest threshold; counts NULL = none yet */
    probe part;       /* the one of a sample that reaches furthest, or is best */
    hunt_point rules[HUNT_POINTS]; /* rules: the best estimate at each point of the curve */
    uint32_t n_rules;
    hunt_point spots[HUNT_SPOTS];
    uint32_t n_spots;
    hunt_point floor; /* a lower bound at this threshold; 0 = none */
    anchor known;     /* the lowest threshold at which all sets were counted */
} hunt;

/* Finds out as much as the time allows. Errors: as lode_mine(), except STOPPED. Always call
 * hunt_free(). */
LODE_NODISCARD lode_status hunt_run(hunt *h);
void hunt_free(hunt *h);

/* The next point of a curve at or below *next, which is then moved on; initially the highest
 * support. 0 = there is none. */
uint64_t hunt_next_point(double *next);

/* The number of patterns at a threshold; false: unknown. A number that is not exact but equal to
 * the low end of its interval is a lower bound. */
bool hunt_number(const hunt *h, uint64_t min_count, estimate *out);
/* The highest threshold below another with a separate result; 0 = there is none. */
uint64_t hunt_spot_below(const hunt *h, uint64_t min_count);
/* The lowest threshold for which the number is known; 0 = none. */
uint64_t hunt_lowest(const hunt *h);
/* The threshold whose number is nearest to the wanted one; 0 = none. It may be below the lowest
 * known threshold: then it is an extrapolation of the curve. */
uint64_t hunt_answer(const hunt *h);

#endif
