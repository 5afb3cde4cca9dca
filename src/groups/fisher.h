/* fisher.h - Fisher's exact test for patterns of one data set: p-values by support
 *
 *                    in the class    others
 *     pattern             a            x - a        x
 *     no pattern        n1 - a      …
 *                         n1          n - n1        n
 *
 * The margins n and n1 are fixed; so the p-value is a function of x and a. It is computed when it
 * is first needed, from logarithms of factorials and sums outwards from a, whose terms are all
 * positive, and then kept in a table for x. Two-sided: the sum of the probabilities of all a' that
 * are at most (1 + 1e-7) times as probable as a, as R does it.
 *
 * Keys: p-values are compared as integers, log(p) in units of 2^-30, rounded. So p-values that are
 * mathematically equal, for different x and a, are equal, and minima over permutations do not
 * depend on the order of operations. A smaller key is a smaller p-value; the key of p = 1 is 0.
 *
 * Threads: any thread may call any function after fisher_open(); tables are filled without locks,
 * because two threads that compute the same value store the same number.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_FISHER_H
#define LODE_GROUPS_FISHER_H

#include "runtime/job.h"

typedef int64_t fisher_p; /* a key */

#define FISHER_ONE ((fisher_p)0) /* p = 1 */

typedef struct fisher_test {
    mem *mem;
    const long double *logs; /* logs[k] = log k!, for k <= n; lent */
    uint32_t n, n1;
    lode_alternative alternative;
    _Atomic(_Atomic int64_t *) *tables; /* by x: key - 1 for each possible a, 0 = not known yet */
    _Atomic size_t bytes;               /* of all tables */
    fisher_p *least;                    /* by x: fisher_least(); 1 = not known yet */
} fisher_test;

/* Fills logs[0 … n]. */
LODE_NODISCARD lode_status fisher_logs(mem *m, uint32_t n, long double **logs);
LODE_NODISCARD lode_status fisher_open(fisher_test *f, mem *m, const long double *logs, uint32_t n,
                                       uint32_t n1, lode_alternative alternative);
void fisher_close(fisher_test *f);

/* The least and the largest a for x. */
static inline uint32_t fisher_first(const fisher_test *f, uint32_t x) {
    return x + f->n1 > f->n ? x + f->n1 - f->n : 0;
}
static inline uint32_t fisher_last(const fisher_test *f, uint32_t x) {
    return x < f->n1 ? x : f->n1;
}

/* log(p), not rounded, and not kept. */
double fisher_log(const fisher_test *f, uint32_t x, uint32_t a);
/* The key of the p-value. */
fisher_p fisher_key(fisher_test *f, uint32_t x, uint32_t a);
/* The key of the smallest p-value that a pattern with the support x can have. */
fisher_p fisher_least(const fisher_test *f, uint32_t x);
/* The smallest p-value of any support up to x: beyond the smaller class it does not rise again. */
fisher_p fisher_envelope(const fisher_test *f, uint32_t x);

fisher_p fisher_of_log(double log_p);
double fisher_to_p(fisher_p key);

/* The counts a whose p-values are below a limit: a <= low or a >= high. low = -1: no small count;
 * high = n1 + 1: no large one. */
typedef struct fisher_tails {
    int64_t low, high;
} fisher_tails;
fisher_tails fisher_below(fisher_test *f, uint32_t x, fisher_p limit);

#endif
