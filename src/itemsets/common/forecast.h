/* forecast.h - predicts the work below the members of a class, before it is searched
 *
 * Progress is a share of the search (runtime/progress.h), so the size of each part of the tree must
 * be estimated in advance. A class is a prefix with the items that extend it, its members. Suppose
 * that items are independent within a class, and that member k is in the share p_k of the
 * transactions of the class. Then the frequent sets below member j are those sets of members k, l,
 * … after j for which
 *
 *     p_j * p_k * p_l * ... >= min_count / support of the class, or
 *     (-log p_k) + (-log p_l) + ... <= log(support of member j / min_count)
 *
 * The number of such sets is the number of ways to fill a knapsack. Sums are rounded to one of
 * FORECAST_BINS values; one pass from the last member to the first gives the number for every
 * member.
 *
 * In real data, items are not independent. If pairs have not been counted, the knapsack is enlarged
 * and the number is raised to a power; both corrections were fitted to real data (forecast.c). At
 * the root, if the items have bit rows and the search is long enough, pairs are counted in a sample
 * of the columns of these rows. Then every root class has its own p_k, and without a correction the
 * number is right within a few per cent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_COMMON_FORECAST_H
#define LODE_ITEMSETS_COMMON_FORECAST_H

#include "runtime/job.h"

/* Members of a class, in search order: each is combined with the members after it. */
typedef struct forecast_class {
    uint32_t n;
    const uint32_t *supports; /* of prefix + member */
    uint64_t of; /* transactions of the class; 0 = unknown: the largest of `supports` is used */
    uint64_t min_count;
    uint32_t max_added; /* the most items that may be added to a member */
} forecast_class;

/* Parameters of the work of a search. */
typedef struct forecast_config {
    double power;      /* work grows with this power of the number of sets */
    double set_work;   /* work of a set, in words of rows; decides whether a sample pays */
    bool skip_perfect; /* members in every transaction of a class cost nothing */
} forecast_config;

/* The rows of the members of the root, if there are any. */
typedef struct forecast_rows {
    const uint64_t *rows; /* NULL: none */
    size_t words;         /* of each */
} forecast_rows;

/* Sets weights[j] to the work below member j: the number of sets to the power of the config. If the
 * numbers are huge, all are scaled down, and only their proportions are meaningful. Returns the
 * sum. */
double forecast_members(const forecast_class *c, const forecast_config *config, double *weights);
/* Returns the work below the class, that is below all members together, in the same unit. */
double forecast_below(const forecast_class *c, const forecast_config *config);
/* Like forecast_members(), for members [first, end) of the root; `weights` has room for all c->n
 * members. Returns whether it counted pairs in a sample, which makes the weights more accurate. */
bool forecast_roots(const forecast_class *c, const forecast_config *config,
                    const forecast_rows *rows, uint32_t first, uint32_t end, double *weights);

/* Replaces each weight by its share in the sum from itself on: w[j] / (w[j] + w[j+1] + …). */
void forecast_to_rest(double *weights, uint32_t n);

#endif
