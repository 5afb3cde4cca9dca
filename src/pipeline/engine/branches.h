/* branches.h - a search divided into branches that other processes can search
 *
 * What:  engine->divide() fills a list: first the branches at the root, with the work that is
 *        expected in each, then, as long as branches_next() asks for it, what one of them divides
 *        into. It asks for the heaviest, or goes depth first, until none is heavier than a given
 *        part of the whole, or as many were divided as can be afforded.
 * Why:   estimates of single branches are wrong by factors, but many small ones average out. What
 *        is too small to matter is put together, as far as an engine can.
 * Rules: the same data and the same request give the same list in every process, whatever its
 *        threads: nothing here may depend on a clock, on addresses or on the order of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_BRANCHES_H
#define LODE_PIPELINE_ENGINE_BRANCHES_H

#include "pipeline/engine/engine.h"

#define SHARE_MOST 1024 /* shares of one search */

typedef struct branch_list {
    mem *mem;
    uint32_t goal;       /* branches that are wanted */
    engine_branch *list; /* a branch that was divided has the work -1, until the list is complete */
    size_t n, cap;
    mem_kept prefixes;
    size_t *heap; /* numbers of those that may be divided, the heaviest on top */
    size_t n_heap, heap_cap;
    bool depth_first; /* the last that was added is divided next, and not the heaviest: its way is
                       * still there, where an engine keeps it. The heap is a stack then. */
    double least;     /* lighter ones are not divided */
    size_t n_splits;  /* so far */
} branch_list;

void branches_init(branch_list *l, mem *m, uint32_t goal);
void branches_free(branch_list *l);

/* Adds a branch. Its prefix must stay where it is: branches_prefix(). `divides`: branches_next()
 * may return it later. */
LODE_NODISCARD lode_status branches_add(branch_list *l, const engine_branch *b, bool divides);
/* Keeps a prefix of n_prefix numbers and n_more further ones. */
LODE_NODISCARD lode_status branches_prefix(branch_list *l, const engine_branch *of,
                                           const uint32_t *more, uint32_t n_more,
                                           const uint32_t **out);

/* What can be added to a prefix: ranks below n, each with the work that is expected below it; 0:
 * there is nothing. */
typedef struct branch_ranks {
    const double *weights;
    uint32_t n;
    bool divides; /* what is below one of them can be divided further */
} branch_ranks;

/* Adds branches of one prefix: a heavy rank has its own, light ones are put together. `of` has the
 * prefix, and whether it is to be reported: that goes with the first branch. */
LODE_NODISCARD lode_status branches_add_ranks(branch_list *l, const engine_branch *of,
                                              const branch_ranks *ranks);

/* The work of the whole search, before any branch is added. */
void branches_expect(branch_list *l, double work);
/* Work below this is too little for a branch of its own. */
double branches_least(const branch_list *l);

/* Takes the next branch that is to be divided out of the list; false: the list is complete. */
bool branches_next(branch_list *l, engine_branch *out);

/* Which share each branch of a complete list belongs to, from 1 on: the heaviest first, each to
 * the share that has the least. Also a hash of all this, by which processes can tell whether they
 * have divided alike. */
LODE_NODISCARD lode_status branches_deal(const branch_list *l, uint32_t n_shares, uint32_t *share,
                                         uint64_t *hash);

#endif
