/* lode/generate.h - data generators; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GENERATE_H
#define LODE_GENERATE_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which defaults lode_generate_quest() uses: lode's, or those of IBM's program when it is run
 * without options: 1,000,000 transactions, 100,000 items, 10,000 patterns, correlation 0.25,
 * corruption 0.25 with a standard deviation of 0.1 (where the paper has a variance of 0.1). */
typedef enum lode_quest_like { LODE_QUEST_LIKE_LODE = 0, LODE_QUEST_LIKE_IBM } lode_quest_like;

/* The model of Agrawal and Srikant (IBM Quest): transactions are filled with patterns from a pool.
 * Patterns overlap, and lose items when they are used. A field that is zero has the default in
 * brackets or, with LODE_QUEST_LIKE_IBM, IBM's default. */
typedef struct lode_quest_options {
    size_t size;
    uint64_t n_transactions; /* [10,000] */
    double mean_length;      /* items per transaction [10] */
    double mean_pattern;     /* items per pattern [4] */
    uint32_t n_items;        /* [1,000] */
    uint32_t n_patterns;     /* [2,000] */
    double correlation;      /* mean share of items from the previous pattern [0.5]; < 0 = none */
    double corruption;       /* mean corruption level of a pattern (how likely it loses an item when
                              * it is used); the variance is 0.1 [0.5]; < 0 = none */
    uint64_t seed;           /* [1] */
    bool names;              /* write product names instead of numbers, separated by commas */
    uint8_t reserved[3];     /* zero */
    lode_quest_like like;    /* which defaults the fields above have */
} lode_quest_options;

/* Writes a data set to `path` ("-" = standard output). */
LODE_API LODE_NODISCARD lode_status lode_generate_quest(lode_job *job, const char *path,
                                                        const lode_quest_options *options);

/* Over-sampling by mutation: writes every transaction `times` times. Each item is replaced, with
 * probability `rate`, by a random one; all items of the data set are equally likely. */
typedef struct lode_mutate_options {
    size_t size;
    uint64_t times; /* [10] */
    double rate;    /* [0.05]; < 0 = none */
    uint64_t seed;  /* [1] */
} lode_mutate_options;

LODE_API LODE_NODISCARD lode_status lode_generate_mutate(lode_job *job, const lode_dataset *data,
                                                         const char *path,
                                                         const lode_mutate_options *options);

#ifdef __cplusplus
}
#endif
#endif
