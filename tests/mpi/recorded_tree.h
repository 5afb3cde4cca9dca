/* recorded_tree.h - a search that was recorded, and how ranks that only play it go through it
 *
 * What:  mpi-record writes the CPU seconds of a search's smallest tasks, in the order in which the
 *        tree is walked, one "expected measured" pair a line. A task of a played search is a range
 *        [first, end) of them, as a number of 64 bits: first * 2^32 + end.
 * Why:   the event model and the simulated ranks share all of it, so that they differ in nothing
 *        but how messages travel and when they are looked at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RECORDED_TREE_H
#define LODE_MPI_RECORDED_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct recorded_tree {
    double *expected, *cost; /* work that lode expected, in its unit; CPU seconds */
    size_t n;
    double total, largest;
} recorded_tree;

/* False: there is no such file, or no task in it. */
bool tree_read(const char *path, recorded_tree *t);
void tree_free(recorded_tree *t);

static inline uint64_t tree_range(uint64_t first, uint64_t end) {
    return first << 32 | end;
}

static inline uint64_t range_first(uint64_t range) {
    return range >> 32;
}

static inline uint64_t range_end(uint64_t range) {
    return range & UINT32_MAX;
}

/* Root tasks: stretches of about equal expected work, so many for each rank, dealt out by it. */
typedef struct tree_shares {
    uint64_t *ranges;
    int *owner;
    size_t n;
} tree_shares;

tree_shares tree_deal(const recorded_tree *t, int n_ranks, unsigned tasks);
void shares_free(tree_shares *shares);

/* The search that a rank plays. */
typedef struct played_search {
    const recorded_tree *tree;
    uint64_t *todo; /* ranges; the last is worked on */
    size_t n_todo, cap;
    unsigned asked;    /* questions that are not answered */
    double piece_left; /* seconds of a recorded task that are not done */
    void *user;
    void (*done)(void *user, size_t task); /* a recorded task is finished */
} played_search;

void played_start(played_search *p, const uint64_t *ranges, size_t n);
/* Answers a question: with the oldest range that is not begun or, if there is one only, with its
 * second half. False: nobody asks, or nothing can be given. */
bool played_give(played_search *p, uint64_t *given);
/* Does what can be done until the next look at messages; returns the seconds that it takes. */
double played_slice(played_search *p);

#endif
