/* recorded_tree.c - see recorded_tree.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "recorded_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler.h"
#include "tuning.h"

/* The programs that play searches are for developers: without memory, they end. */
static void *tree_room(void *list, size_t n, size_t bytes) {
    void *grown = realloc(list, (n + 1) * bytes);
    if (grown) return grown;
    fprintf(stderr, "no memory for a recorded search\n");
    exit(1);
}

/* ---- trees ----------------------------------------------------------------------------------- */

bool tree_read(const char *path, recorded_tree *t) {
    FILE *file = fopen(path, "r");
    double expected, measured;
    size_t cap = 0;
    if (!file) return false;
    while (fscanf(file, "%lf %lf", &expected, &measured) == 2) {
        if (t->n == cap) {
            cap = 2 * cap + 1024;
            t->expected = tree_room(t->expected, cap, sizeof *t->expected);
            t->cost = tree_room(t->cost, cap, sizeof *t->cost);
        }
        t->expected[t->n] = expected;
        t->cost[t->n++] = measured;
        t->total += measured;
        if (measured > t->largest) t->largest = measured;
    }
    fclose(file);
    return t->n > 0;
}

void tree_free(recorded_tree *t) {
    free(t->expected);
    free(t->cost);
}

tree_shares tree_deal(const recorded_tree *t, int n_ranks, unsigned tasks) {
    double goal = (double)n_ranks * tasks, all = 0, sum = 0;
    double *work = tree_room(NULL, t->n, sizeof *work);
    tree_shares s = {tree_room(NULL, t->n, sizeof *s.ranges),
                     tree_room(NULL, t->n, sizeof *s.owner), 0};
    for (size_t i = 0; i < t->n; i++) all += t->expected[i];
    for (size_t i = 0, first = 0; i < t->n; i++) {
        sum += t->expected[i];
        if (sum < all / goal && i + 1 < t->n) continue;
        s.ranges[s.n] = tree_range(first, i + 1);
        work[s.n++] = sum;
        first = i + 1;
        sum = 0;
    }
    if (!sched_deal(work, s.n, n_ranks, s.owner)) exit(1);
    free(work);
    return s;
}

void shares_free(tree_shares *shares) {
    free(shares->ranges);
    free(shares->owner);
}

/* ---- playing --------------------------------------------------------------------------------- */

void played_start(played_search *p, const uint64_t *ranges, size_t n) {
    if (n > p->cap) {
        p->cap = n;
        p->todo = tree_room(p->todo, n, sizeof *p->todo);
    }
    for (size_t i = 0; i < n; i++) p->todo[n - 1 - i] = ranges[i]; /* the last is done first */
    p->n_todo = n;
    p->asked = 0;
    p->piece_left = 0;
}

bool played_give(played_search *p, uint64_t *given) {
    if (p->asked == 0 || p->n_todo == 0) return false;
    uint64_t oldest = p->todo[0], first = range_first(oldest), end = range_end(oldest);
    if (p->n_todo > 1) {
        memmove(p->todo, p->todo + 1, --p->n_todo * sizeof *p->todo);
        *given = oldest;
    } else if (end - first >= 2) { /* the first of them is in work */
        uint64_t middle = first + 1 + (end - first - 1) / 2;
        p->todo[0] = tree_range(first, middle);
        *given = tree_range(middle, end);
    } else {
        return false;
    }
    p->asked--;
    return true;
}

double played_slice(played_search *p) {
    double slice = 0;
    while (slice < MODEL_POLL_SECONDS && p->n_todo > 0) {
        uint64_t *range = &p->todo[p->n_todo - 1], first = range_first(*range);
        double left = MODEL_POLL_SECONDS - slice;
        if (p->piece_left == 0) p->piece_left = p->tree->cost[first] + 1e-12;
        double some = p->piece_left < left ? p->piece_left : left;
        slice += some;
        p->piece_left -= some;
        if (p->piece_left > 0) break;
        p->done(p->user, first);
        *range = tree_range(first + 1, range_end(*range));
        if (first + 1 == range_end(*range)) p->n_todo--;
    }
    return slice;
}
