/* hunt.h - for one kind of pattern: the curve of its numbers, and the threshold for one of them
 *
 * The threshold falls in steps that the curve so far suggests. Each step is a probe: of everything
 * as long as that is cheap, then of random parts, as few as the time that is left allows. Where the
 * number that is wanted has been passed, what time is left goes into a better estimate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HUNT_H
#define LODE_EXTRAS_SUGGEST_HUNT_H

#include "extras/suggest/sounding.h"

#define HUNT_DECADE 4 /* points of a curve for each factor of ten in support */

#define HUNT_POINTS 64

typedef struct hunt_point {
    uint64_t min_count;
    estimate e;
} hunt_point;

/* Thresholds that are known apart from the curve: by drawing sets, or as having too many. */
#define HUNT_SPOTS 16

typedef struct hunt {
    lode_job *job;
    const lode_dataset *data;
    lode_suggest_target target;
    lode_threshold confidence;
    double want;     /* INFINITY: only a curve */
    double least;    /* seconds of the processor that may be spent in any case, … */
    double share;    /* … or this share of what counting would take, if that is more */
    double deadline; /* of os_seconds(); 0 = none */
    uint64_t seed;

    uint64_t most;    /* the highest support of an item */
    uint64_t base;    /* the threshold that the data are prepared for; 0: none yet */
    uint64_t reached; /* of the last probe: the threshold at its end; … */
    bool overran;     /* … it ended because of too many patterns */
    uint64_t
        too_low;   /* the highest threshold that is known for certain to have too many; 0: none */
    bool ended;    /* the next lower threshold seems to have far too many */
    double budget; /* what may be spent, by what is known */
    double spent;  /* seconds of the processor, … */
    double looked; /* … of these, for long sets */
    probe whole;   /* the one of everything at the lowest threshold; counts NULL: none yet */
    probe part;    /* the one of parts that reaches furthest, or is best */
    hunt_point rules[HUNT_POINTS]; /* rules: the best that was known at each point of the curve */
    uint32_t n_rules;
    hunt_point spots[HUNT_SPOTS];
    uint32_t n_spots;
    hunt_point floor; /* at this threshold there are at least so many; 0: nothing is known */
    anchor known;     /* the lowest threshold at which all sets were counted */
} hunt;

/* Finds out as much as the time allows. Errors: as lode_mine(), but for STOPPED. hunt_free()
 * always. */
LODE_NODISCARD lode_status hunt_run(hunt *h);
void hunt_free(hunt *h);

/* The next point of a curve at or below a threshold, which it moves on: to begin with, the highest
 * support. 0: there is none. */
uint64_t hunt_next_point(double *next);

/* The number of patterns at a threshold; false: it is not known. Of a number that is not exact but
 * as low as its interval, only that is known: there are at least so many. */
bool hunt_number(const hunt *h, uint64_t min_count, estimate *out);
/* The highest threshold below another that is known apart from the curve; 0: there is none. */
uint64_t hunt_spot_below(const hunt *h, uint64_t min_count);
/* The lowest threshold for which the number is known; 0: none is. */
uint64_t hunt_lowest(const hunt *h);
/* The threshold whose number is nearest to the one that is wanted; 0: none is known. It may lie
 * below the lowest threshold that is known: then it is a guess, which goes on as the curve ends. */
uint64_t hunt_answer(const hunt *h);

#endif
