/* lode/suggest.h - choosing a threshold: the number of patterns at each; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SUGGEST_H
#define LODE_SUGGEST_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of patterns of a data set depends strongly on the minimum support: it varies by many
 * powers of ten. lode_suggest() estimates it before anything is mined: for each kind of pattern, it
 * returns a curve of the number of patterns against the support and, if you ask for a number of
 * patterns, the threshold that gives about that number. Numbers are exact where counting is cheap.
 * At lower thresholds, random parts of the search are counted, and a number comes with a 90%
 * confidence interval. docs/suggest.md has the method. */

/* A point of a curve. */
typedef struct lode_suggest_point {
    size_t size;
    lode_suggest_target target;
    bool exact;         /* the number is exact: patterns = low = high */
    bool answer;        /* the requested threshold: its number of patterns is nearest to `want` */
    uint64_t min_count; /* the threshold */
    /* The number of patterns, and its interval. If the number is not exact and `low` equals
     * `patterns`, the number is a lower bound, proved by a long set that many transactions
     * share. */
    double patterns, low, high;
} lode_suggest_point;

/* The result: curves, and a threshold for each target. */
typedef struct lode_suggestion lode_suggestion;

/* Computes the curves and thresholds. Counting all patterns uses all threads of the job; counting
 * samples uses one thread. Which parts are sampled depends only on the seed; how many depends on
 * the time. At the time limit, *out has what is known by then. The suggestion belongs to the job,
 * and must be freed before it. Errors: INVALID, UNSUPPORTED, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_suggest(lode_job *job, const lode_dataset *data,
                                                 const lode_suggest_options *options,
                                                 lode_suggestion **out);
LODE_API void lode_suggestion_free(lode_suggestion *suggestion);

/* The i-th point: ordered by target, then from the highest threshold to the lowest. Past the end,
 * fills *out with zeros and returns false. */
LODE_API bool lode_suggestion_point(const lode_suggestion *suggestion, size_t i,
                                    lode_suggest_point *out);

/* The point whose threshold gives about `want` patterns of a target. If even the threshold 1 gives
 * fewer patterns, it is the point of threshold 1. If no threshold was requested or found, fills
 * *out with zeros and returns false. If the threshold of the answer is below those of all points
 * of the curve, it is extrapolated, and the interval of its number of patterns is wide. */
LODE_API bool lode_suggestion_answer(const lode_suggestion *suggestion, lode_suggest_target target,
                                     lode_suggest_point *out);

/* "all", "closed", "maximal", "rules"; NULL past the end. */
LODE_API const char *lode_suggest_target_name(lode_suggest_target target);

#ifdef __cplusplus
}
#endif
#endif
