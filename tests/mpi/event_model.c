/* event_model.c - runs the scheduler on thousands of simulated ranks
 *
 *     mpi-model TREE RANKS [LATENCY]        a line of CSV, see print_result()
 *     mpi-model --check SEEDS               checks on small random trees that every task is done
 *                                           once, and that the ranks end then, and not before; also
 *                                           with schedules made to deceive the ranks
 *
 * What:  one process simulates all ranks. Their schedulers are those of lode-mpi; messages and the
 *        ends of slices of work are events in a heap, ordered by the time of the model.
 * Tree:  a recorded search (recorded_tree.h). A task of the model is a range of recorded tasks; a
 *        rank that is asked for a task gives the second half of the tasks that it has not begun,
 *        which is half of the oldest open node or more. Recorded tasks cannot be divided here,
 *        although real ones can; so if the efficiency falls because of them, it is a lower bound.
 * Costs: a message takes LATENCY seconds, and MODEL_MESSAGE_SECONDS of the time of its sender and
 *        of its receiver. Ranks answer messages at once. (The communicating thread of lode-mpi
 *        pauses between polls; mpi-simulated can simulate this.) A search answers requests every
 *        MODEL_POLL_SECONDS, and takes MODEL_REBUILD_SECONDS to begin.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_rank.h"
#include "scripted_waves.h"
#include "tuning.h"

/* ---- random trees --------------------------------------------------------------------------- */

static uint64_t drawn;

static uint64_t draw_number(uint64_t below) { /* splitmix64 */
    uint64_t x = drawn += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x ^ (x >> 31)) % below;
}

static void random_tree(recorded_tree *t) {
    t->n = draw_number(400);
    t->expected = calloc(t->n + 1, sizeof *t->expected);
    t->cost = calloc(t->n + 1, sizeof *t->cost);
    if (!t->expected || !t->cost) exit(1);
    for (size_t i = 0; i < t->n; i++) {
        double cost = (double)(1 + draw_number(1000)) * 1e-6;
        if (draw_number(20) == 0) cost *= 200;
        t->expected[i] = cost * (double)(1 + draw_number(4));
        t->cost[i] = cost;
        t->total += cost;
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

static int check_seeds(long seeds) {
    int wrong = 0;
    for (int again = 0; again < 2; again++) {
        if (waves_hold(again)) continue;
        wrong++;
        printf("a wave that was made to deceive ends the job%s\n", again ? ", the second" : "");
    }
    for (long seed = 0; seed < seeds; seed++) {
        recorded_tree tree = {0};
        drawn = (uint64_t)seed;
        random_tree(&tree);
        int ranks = 1 + (int)draw_number(40);
        model_options o = {.n_ranks = ranks, .uneven = true, .seed = (uint64_t)seed};
        o.latency = (double)draw_number(300) * 1e-6;
        o.batch_part = 1 + (unsigned)draw_number(4);
        o.tasks = 1 + (unsigned)draw_number(20);
        o.lopsided = seed % 2 == 0;
        o.wild = seed % 4 != 0;
        model_result r = model_run(&tree, &o);
        if (r.ended && r.n_done == tree.n && !r.twice && !r.early) {
            tree_free(&tree);
            continue;
        }
        wrong++;
        printf("seed %ld: %d ranks, %zu of %zu tasks done%s%s%s\n", seed, ranks, r.n_done, tree.n,
               r.twice ? ", some twice" : "", r.early ? ", told of the end too early" : "",
               r.ended ? "" : ", and it has not ended");
        tree_free(&tree);
    }
    printf("%ld random trees, %d wrong\n", seeds, wrong);
    return wrong > 0;
}

static void print_result(const recorded_tree *t, int ranks, const model_result *r) {
    double ideal = t->total / ranks;
    printf("%d,%.6f,%.4f,%llu,%llu,%llu,%.4f,%zu,%.6f\n", ranks, r->seconds, ideal / r->seconds,
           (unsigned long long)r->messages, (unsigned long long)r->steals,
           (unsigned long long)r->granted, 1 - r->busy / (r->seconds * ranks), t->n, t->largest);
}

int main(int argc, char **argv) {
    recorded_tree tree = {0};
    if (argc == 3 && strcmp(argv[1], "--check") == 0) return check_seeds(strtol(argv[2], NULL, 10));
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: mpi-model TREE RANKS [LATENCY], or mpi-model --check SEEDS\n");
        return 2;
    }
    int ranks = (int)strtol(argv[2], NULL, 10);
    double latency = argc > 3 ? strtod(argv[3], NULL) : MODEL_LATENCY;
    if (ranks < 1 || !tree_read(argv[1], &tree)) {
        fprintf(stderr, "mpi-model: '%s' is no tree, or '%s' no number of ranks\n", argv[1],
                argv[2]);
        return 2;
    }
    model_options o = {.n_ranks = ranks, .latency = latency, .seed = 1};
    o.batch_part = RANK_BATCH_PART;
    o.tasks = RANK_TASKS;
    model_result r = model_run(&tree, &o);
    bool fine = r.ended && r.n_done == tree.n && !r.twice && !r.early;
    if (!fine) fprintf(stderr, "mpi-model: %zu of %zu tasks were done\n", r.n_done, tree.n);
    print_result(&tree, ranks, &r);
    tree_free(&tree);
    return fine ? 0 : 1;
}
