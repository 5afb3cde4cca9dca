/* group_test.h - which patterns differ between classes, with proof: Tarone, Westfall-Young, FDR
 *
 * What:  gets every pattern of a search as the rows in which it occurs, in any order and on any
 *        number of threads, and finds the level: the largest p-value that is significant. It also
 *        says how low a support can be (group_test_min_count), which rises while patterns come; the
 *        search follows, as it does for top:K.
 * Use:   group_test_open; on each thread, group_worker_open, group_add for each pattern,
 *        group_worker_close; group_test_finish. The caller keeps the patterns whose key is at most
 *        group_test_keep(), because the level can only fall, and at the end those for which
 *        verdict_is_significant() is true.
 *
 * A hypothesis is a pattern together with a class (of two classes, only the first one). ψ(x) is the
 * smallest p-value that the support x can reach.
 *
 * Tarone:  κ(t) is the number of hypotheses with ψ <= t. t falls through the values of ψ until
 *          κ(t) t <= α; the level is α / κ(t). κ only grows while patterns come, so t only falls.
 * FDR:     the same hypotheses, by Benjamini and Yekutieli.
 * Westfall-Young: m_j is the smallest p-value of all hypotheses in permutation j. The adjusted
 *          p-value is (1 + #{j: m_j <= p}) / (1 + J), and a pattern is significant if and only if
 *          this is at most α. With k = floor(α (1 + J)) - 1, that means: #{m_j <= p} <= k, or
 *          p < M, where M is the (k + 1)-th smallest minimum.
 *
 * Proof that the result does not depend on the order of the patterns, nor on the threads. Let M be
 * computed from all hypotheses, and let L be the current value, from those that came so far. More
 * hypotheses make minima smaller, so L >= M at any time.
 * - A hypothesis is left out only if ψ >= L for the L of that moment, so ψ >= M: it has no p-value
 *   below M, in any permutation. Likewise, a p-value is entered into m_j only if it is below L, so
 *   all p-values below M are entered. So every m_j below M is right, and every other m_j is at
 *   least M. Therefore #{m_j <= p} is right for all p < M.
 * - At the end L = M: if L were larger, then L was larger than M at all times, so every p-value of
 *   at most M was entered, so at least k + 1 minima are at most M, so L <= M.
 * - A pattern is significant if p < M; then p < L at any time, and the caller has kept it.
 * Every p-value is a function of two integers (fisher.h), so these numbers are the same to the last
 * bit. The final minimum support is the lowest with ψ < M, a function of M.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_GROUP_TEST_H
#define LODE_GROUPS_GROUP_TEST_H

#include "groups/fisher.h"
#include "groups/permutations.h"

/* The result of a test. Keys are ascending. */
typedef struct group_verdict {
    size_t bytes; /* of this block */
    double alpha;
    lode_significance by;
    fisher_p most;      /* p-values with this key or a lower one are significant; 1 = none is */
    double level;       /* the same as a p-value; 0 = none */
    uint64_t n_tests;   /* hypotheses: Tarone, FDR: those tested; permutation: those that could have
                         been significant at the level */
    uint64_t min_count; /* the lowest support that can be significant */
    uint64_t permutations, seed;
    size_t n; /* steps: from the key keys[i] on, the adjusted p-value is adjusted[i] */
    const fisher_p *keys;
    const double *adjusted;
    double first; /* the adjusted p-value below keys[0]; by Tarone, the factor */
} group_verdict;

typedef struct group_test group_test;
typedef struct group_worker group_worker;

/* `classes` is lent. `o` is checked; its level is above 0. Errors: INVALID, NOMEM, BUDGET, those of
 * job_check(). */
LODE_NODISCARD lode_status group_test_open(group_test **out, lode_job *job,
                                           const row_classes *classes, const lode_class_options *o);
void group_test_close(group_test *t);

/* Sets *support to where a search should begin: a guess, at which ten thousand patterns could
 * be tested. If patterns with a lower support can be significant, group_test_min_count() says so
 * after that search. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status group_test_guess(lode_job *job, const row_classes *classes,
                                            const lode_class_options *o, uint64_t *support);
/* Brings the threshold up to date, when all workers are closed. */
void group_test_settle(group_test *t);
/* The lowest support that can still be significant. Only rises. Any thread may call it. */
uint64_t group_test_min_count(const group_test *t);
/* Whether a pattern with this support is worth adding. Any thread may call it. */
bool group_test_wants(const group_test *t, uint64_t support);
/* Patterns with a higher key will not be significant. Any thread may call it. */
fisher_p group_test_keep(const group_test *t);

LODE_NODISCARD lode_status group_worker_open(group_test *t, group_worker **out);
/* Adds a pattern that occurs in these rows, given by their places, ascending and distinct; n > 0.
 * *key receives the smallest p-value of its hypotheses. Errors: NOMEM, BUDGET, those of
 * job_check(). */
LODE_NODISCARD lode_status group_add(group_worker *w, const uint32_t *places, uint32_t n,
                                     fisher_p *key);
/* Adds what the worker still holds, and frees it, even after a failure. */
LODE_NODISCARD lode_status group_worker_close(group_worker *w);

/* Makes the result in memory of `m`, when all patterns were added. Free it with verdict_free(). */
LODE_NODISCARD lode_status group_test_finish(group_test *t, mem *m, group_verdict **out);

static inline bool verdict_is_significant(const group_verdict *v, fisher_p key) {
    return key <= v->most;
}
double verdict_adjusted(const group_verdict *v, fisher_p key);
static inline void verdict_free(mem *m, group_verdict *v) {
    if (v) mem_free(m, v, v->bytes);
}

#endif
