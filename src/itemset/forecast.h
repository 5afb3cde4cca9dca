/* forecast.h - how much work lies below the members of a class, before it is searched
 *
 * Progress is a share of the search (runtime/progress.h), so somebody has to say beforehand which
 * part of the tree is large. Were items independent within a class, with p_k the share of its
 * transactions that hold member k, then the sets below member j would be those of the members
 * behind it with
 *
 *     p_j * p_k * p_l * ... >= min_count / support,  or  sum of -log p  <=  log(s_j / min_count)
 *
 * which is how many ways there are to fill a knapsack. Sums are rounded to FORECAST_BINS; one pass
 * from the last member to the first gives the number for every member.
 *
 * Items are not independent. Where the pairs are not known, the knapsack is made larger, and of the
 * number a power is taken, as figures from real data say (forecast.c). At the root, where rows are
 * at hand and a search is long enough to pay for it, pairs are counted in a sample of the columns:
 * then every root class has a p_k of its own, and the plain number is right within a few per cent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSET_FORECAST_H
#define LODE_ITEMSET_FORECAST_H

#include "runtime/job.h"

/* Members of a class, in the order in which they are searched: each with those behind it. */
typedef struct forecast_class {
    uint32_t n;
    const uint32_t *supports;
    uint64_t of; /* transactions that the class has; 0 = not known, as many as a member has */
    uint64_t min_count;
    uint32_t more; /* items that may be added to a member */
} forecast_class;

/* What the search makes of it. */
typedef struct forecast_how {
    double power;      /* work grows with this power of the number of sets */
    double set_work;   /* of a set, in words of rows: whether a sample pays */
    bool skip_perfect; /* members in every transaction of a class cost nothing */
} forecast_how;

/* The rows of the members of the root, if there are any. */
typedef struct forecast_rows {
    const uint64_t *rows; /* NULL: none */
    size_t words;         /* of each */
} forecast_rows;

/* weights[j]: the work below member j, in sets; only their proportions mean something, where they
 * are huge. Returns the sum. */
double forecast_members(const forecast_class *c, const forecast_how *how, double *weights);
/* The work below the class, in sets: of all members together. */
double forecast_below(const forecast_class *c, const forecast_how *how);
/* The same for the root, better where the search is long (then it says true); only for members
 * [first, end). */
bool forecast_roots(const forecast_class *c, const forecast_how *how, const forecast_rows *rows,
                    uint32_t first, uint32_t end, double *weights);

/* Makes each weight a share of itself and those behind it: shares[j] = w[j] / (w[j] + w[j+1] …). */
void forecast_to_rest(double *weights, uint32_t n);

#endif
