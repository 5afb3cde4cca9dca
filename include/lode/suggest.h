/* lode/suggest.h - which threshold? how many patterns there are at each; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SUGGEST_H
#define LODE_SUGGEST_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many patterns a data set has depends on the minimum support, by many powers of ten.
 * lode_suggest() finds out before anything is mined: for each kind of pattern, a curve of their
 * number against support and, for a number that is wanted, the threshold that gives about so many.
 * Numbers are exact where counting is cheap. Below that, random parts of the search are counted,
 * and a number comes with an interval that holds it in nine of ten cases. docs/suggest.md says how.
 */

/* A point of a curve. */
typedef struct lode_suggest_point {
    size_t size;
    lode_suggest_target target;
    bool exact;         /* patterns = low = high */
    bool answer;        /* the threshold that was asked for: the number here is nearest to `want` */
    uint64_t min_count; /* the threshold */
    /* The number, and the interval that holds it. Not exact and low = patterns: at least so many,
     * which a long set that many transactions share has proved. */
    double patterns, low, high;
} lode_suggest_point;

/* Curves, and answers. */
typedef struct lode_suggestion lode_suggestion;

/* Uses the threads of the job where everything is searched, and one where parts are. The random
 * choices depend on the seed alone; how far they go depends on the time. What is known when the
 * time is over is in *out, which belongs to the job and is freed before it. Errors: INVALID,
 * UNSUPPORTED, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_suggest(lode_job *job, const lode_dataset *data,
                                                 const lode_suggest_options *options,
                                                 lode_suggestion **out);
LODE_API void lode_suggestion_free(lode_suggestion *suggestion);

/* The i-th point: by target, then from the highest threshold to the lowest. False, and all zero,
 * past the end. */
LODE_API bool lode_suggestion_point(const lode_suggestion *suggestion, size_t i,
                                    lode_suggest_point *out);

/* The threshold for `want` patterns of a target; false, and all zero, if none was asked for or
 * found. Where even the count 1 gives fewer, it is that point. A point below all others of the
 * curve is a guess, and its interval is wide. */
LODE_API bool lode_suggestion_answer(const lode_suggestion *suggestion, lode_suggest_target target,
                                     lode_suggest_point *out);

/* "all", "closed", "maximal", "rules"; NULL past the end. */
LODE_API const char *lode_suggest_target_name(lode_suggest_target target);

#ifdef __cplusplus
}
#endif
#endif
