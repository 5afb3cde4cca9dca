/* branches.h - divides a search into branches that other processes can search
 *
 * What:  engine->divide() fills a list: first the branches at the root, with their expected work.
 *        Then, as long as branches_next() returns a branch, it adds the branches that this one
 *        divides into. branches_next() returns the heaviest branch, or goes depth-first, until none
 *        is heavier than a given fraction of the whole, or the limit of divisions is reached.
 * Why:   estimates of single branches are wrong by factors, but many small ones average out.
 *        Branches too small to matter are merged, as far as an engine can.
 * Rules: the same data and request give the same list in every process, whatever its threads:
 *        nothing here may depend on a clock, on addresses or on the order of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_BRANCHES_H
#define LODE_PIPELINE_ENGINE_BRANCHES_H

#include "pipeline/engine/engine.h"

#define SHARE_MOST 1024 /* maximum shares of a search */

typedef struct branch_list {
    mem *mem;
    uint32_t goal;       /* target number of branches */
    engine_branch *list; /* a divided branch has work -1, until the list is complete */
    size_t n, cap;
    mem_kept prefixes; /* owns the prefixes of the branches */
    size_t *heap;      /* numbers of branches that may be divided, the heaviest on top */
    size_t n_heap, heap_cap;
    bool depth_first; /* divide the last branch added, not the heaviest: the engine may still have
                       * its prefix. The heap is then a stack. */
    double least;     /* lighter branches are not divided */
    size_t n_splits;  /* divisions so far */
} branch_list;

void branches_init(branch_list *l, mem *m, uint32_t goal);
void branches_free(branch_list *l);

/* Adds a branch. Its prefix must stay valid as long as the list: see branches_prefix(). `divides`:
 * branches_next() may return it later. */
LODE_NODISCARD lode_status branches_add(branch_list *l, const engine_branch *b, bool divides);
/* Makes a prefix that is valid as long as the list: the prefix of `of` and n_more further
 * numbers. */
LODE_NODISCARD lode_status branches_prefix(branch_list *l, const engine_branch *of,
                                           const uint32_t *more, uint32_t n_more,
                                           const uint32_t **out);

/* The extensions of a prefix: ranks below n. */
typedef struct branch_ranks {
    const double *weights; /* by rank: the expected work below it; 0 = not an extension */
    uint32_t n;
    bool divides; /* the branch of a single rank can be divided further */
} branch_ranks;

/* Adds the branches of one prefix: a heavy rank gets a branch of its own, light ranks share one.
 * `of` has the prefix, and of->own says whether to report it; the first branch then does so. */
LODE_NODISCARD lode_status branches_add_ranks(branch_list *l, const engine_branch *of,
                                              const branch_ranks *ranks);

/* Sets the expected work of the whole search. Call it before any branch is added. */
void branches_expect(branch_list *l, double work);
/* Branches with less work than this should be merged with others. */
double branches_least(const branch_list *l);

/* Removes the next branch to be divided from the list. Returns false when the list is complete. */
bool branches_next(branch_list *l, engine_branch *out);

/* Assigns the branches of a complete list to shares: share[i] is the number, from 1 on, of the
 * share of branch i. The heaviest branch comes first, and each goes to the share with the least
 * work so far. Also computes a hash of the division, so that processes can check that they
 * agree. */
LODE_NODISCARD lode_status branches_deal(const branch_list *l, uint32_t n_shares, uint32_t *share,
                                         uint64_t *hash);

#endif
