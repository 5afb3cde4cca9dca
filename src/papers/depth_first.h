/* depth_first.h - the search loop of the depth-first baselines, eclat and fpgrowth
 *
 * What:  a class is a prefix with its members: the items that extend the prefix to a frequent set.
 *        The loop makes each member the last item of the next prefix, and the algorithm finds the
 *        members of this longer prefix. Only this step differs between algorithms.
 *
 *            prefix a c     members d e f     →     prefix a c d     members e f
 *
 * Why:   a set may be as long as a transaction, so classes form a stack instead of a recursion.
 * Note:  an item in every transaction of a prefix is a perfect extension: it is reported with each
 *        set that contains the prefix, and never becomes a member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_DEPTH_FIRST_H
#define LODE_PAPERS_DEPTH_FIRST_H

#include "pipeline/engine/item_task.h"

typedef struct depth_member {
    uint32_t item;    /* an id */
    uint32_t support; /* of the prefix with the item */
    uint64_t place;   /* for the algorithm: where it finds the transactions of this set */
} depth_member;

/* The members of the class at one depth; depth 0 has the empty prefix. */
typedef struct depth_class {
    depth_member *members;
    size_t n, cap;
    size_t next; /* the member to continue with */
    /* members without perfect extensions of their own; they are reported together */
    vec_u32 plain;
    vec_u64 plain_supports;
    size_t n_perfect; /* how many of depth_first.perfect belong to the prefix */
    double span; /* the fraction of the whole progress that is left for the remaining members */
    /* for each member: its fraction of `span` when it is the next one; NULL = equal fractions */
    double *rest;
    size_t rest_bytes;
} depth_class;

typedef struct depth_first {
    engine_task *task;
    void *state; /* of the algorithm */
    /* Finds the items that occur together with the prefix and member `at` of the class at `depth`,
     * and calls depth_first_judge() for each. The class at depth + 1 is open and empty. */
    LODE_NODISCARD lode_status (*extend)(struct depth_first *d, size_t depth, size_t at);
    sink_worker *worker;
    vec_u32 prefix;
    /* perfect extensions of the prefix; during a step, also those of the prefix with a member */
    vec_u32 perfect;
    depth_class *classes;
    size_t n_classes, cap_classes; /* the deepest ones keep their memory for later prefixes */
    uint64_t n_steps;
    progress_local progress;
} depth_first;

/* Opens an empty class at `depth`. Pointers to classes become invalid. */
LODE_NODISCARD lode_status depth_first_open(depth_first *d, size_t depth);

LODE_NODISCARD lode_status depth_first_add(depth_first *d, size_t depth, depth_member member);

/* Judges an item by its support in the class at `depth`, whose prefix has the support `of`: the
 * item is a perfect extension, a member (*is_member becomes true), or infrequent. */
LODE_NODISCARD lode_status depth_first_judge(depth_first *d, size_t depth, uint32_t of,
                                             depth_member item, bool *is_member);

/* Sorts the members of a class by ascending support. */
void depth_first_sort(depth_first *d, size_t depth);

/* Searches everything below depth 0, whose class the caller has opened and filled, and reports all
 * sets. */
LODE_NODISCARD lode_status depth_first_search(depth_first *d);

void depth_first_free(depth_first *d);

#endif
