/* recorded_tree.h - a recorded search, and how simulated ranks replay it
 *
 * What: mpi-record writes the CPU seconds of a search's smallest tasks, in the order in which the
 *        tree is walked: one pair "expected measured" per line. A task of a replayed search is a
 *        range [first, end) of these tasks, as a number of 64 bits: first * 2^32 + end.
 * Why:   the event model and the simulated ranks share this code, so that they differ only in how
 *        messages travel and when ranks poll for them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RECORDED_TREE_H
#define LODE_MPI_RECORDED_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct recorded_tree {
    double *expected, *cost; /* by task: the work that lode expected, in its unit; CPU seconds */
    size_t n;
    double total, largest;
} recorded_tree;

/* Returns false if there is no such file, or no task in it. */
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

/* Root tasks: ranges of about equal expected work. tree_deal() makes `tasks` of them per rank, and
 * assigns them to ranks by expected work. */
typedef struct tree_shares {
    uint64_t *ranges;
    int *owner;
    size_t n;
} tree_shares;

tree_shares tree_deal(const recorded_tree *t, int n_ranks, unsigned tasks);
void shares_free(tree_shares *shares);

/* The search that a rank replays. */
typedef struct played_search {
    const recorded_tree *tree;
    uint64_t *todo; /* ranges left; the search works on the last one */
    size_t n_todo, cap;
    unsigned asked;    /* number of requests for a task that are not answered yet */
    double piece_left; /* seconds left of the current recorded task; 0: it has not begun */
    void *user;
    void (*done)(void *user, size_t task); /* a recorded task is finished */
} played_search;

void played_start(played_search *p, const uint64_t *ranges, size_t n);
/* Answers a request: gives the oldest range or, if only one range is left, about half of its tasks
 * that are not begun. Returns false if there is no request, or nothing to give. */
bool played_give(played_search *p, uint64_t *given);
/* Does the work until the next poll for messages. Returns the seconds that it takes. */
double played_slice(played_search *p);

#endif
