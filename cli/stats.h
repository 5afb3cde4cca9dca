/* stats.h - functions that the parts of lode stats share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_STATS_H
#define LODE_CLI_STATS_H

#include "cli.h"

/* A histogram over powers of two. */
#define N_BUCKETS 40

typedef struct histogram {
    uint64_t n[N_BUCKETS]; /* bucket 0: zero; bucket k: 2^(k-1) … 2^k - 1 */
} histogram;

void histogram_add(histogram *h, uint64_t value);
void histogram_print(const histogram *h, const char *title);

/* A threshold such as "5%" of n transactions or graphs, as a count. */
static inline uint64_t stats_count(const char *threshold, uint64_t n) {
    lode_threshold t;
    bool parsed = lode_threshold_parse(threshold, &t, NULL, 0) == LODE_OK;
    return parsed ? lode_threshold_count(t, n) : 0;
}

/* A first look at data should neither take long nor use all memory. Patterns whose counting would
 * take more than this are not counted, and a sentence says so. */
#define STATS_SECONDS 20
#define STATS_MEMORY  ((uint64_t)1 << 30) /* bytes, plus four times the memory of the data */

/* Limits the memory for counting, unless the user has given --memory. *memory receives the limit; 0
 * = there is none. */
lode_status stats_limit(lode_job **job, const cli_args *args, uint64_t *memory);
/* Whether counting ended because it would have taken too much. */
bool stats_is_too_much(lode_status status);
/* Prints what a - in the table means; `ended` is the status that counting returned. */
void stats_explain(lode_status ended, uint64_t memory);

/* lode stats of a file of graphs; returns the exit code. */
int stats_graphs(lode_job **job, const cli_args *args);

#endif
