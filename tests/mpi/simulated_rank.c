/* simulated_rank.c - a rank of lode-mpi that replays a recorded search on a simulated cluster
 *
 *     smpirun … mpi-simulated TREE [pauses]       a line of CSV, as mpi-model prints it
 *
 * What: compiled by smpicc of SimGrid, whose MPI runs all ranks in one process, with the time of a
 *        simulated network. Scheduler and messages are those of lode-mpi (scheduler.c,
 *        transport.c). Only the search is a replay: instead of computing, it tells SimGrid how long
 *        the computation took when it was recorded. tests/mpi/simulate.py writes the platform and
 *        starts the program.
 * Ranks: unlike those of lode-mpi, ranks have one thread. A search polls for messages every
 *        MODEL_POLL_SECONDS. A rank without work polls after pauses that double from PAUSE_LEAST to
 *        a fraction of the job, so that messages are answered almost at once, as in the event
 *        model. With `pauses`, ranks pause as in lode-mpi (tuning.h), with and without work, and
 *        wake up MODEL_WAKE_SECONDS late.
 * Check: all ranks together must have done each recorded task once. They add up a hash of each
 *        task, and compare the sum with the sum over all recorded tasks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recorded_tree.h"
#include "scheduler.h"
#include "stored_task.h"
#include "transport.h"
#include "tuning.h"

#define HOST_FLOPS  1e9  /* of a simulated host per second, as simulate.py writes them */
#define PAUSE_LEAST 1e-6 /* seconds */
#define PAUSE_PART  4000 /* of the time that the search would take if no rank ever waited */

typedef struct simulated {
    int rank, n_ranks;
    recorded_tree tree;
    sched *sched;
    transport *net;
    played_search search;
    bool pauses;  /* those of lode-mpi */
    double most;  /* the longest pause, without these */
    double heard; /* when a message was received, or the search began or ended */
    double looks; /* a rank that searches looks at messages from this time on */
    double began, busy;
    double rebuild;         /* seconds that the next slice takes longer */
    uint64_t n_done, mixed; /* recorded tasks done, and the sum of their mixed numbers */
} simulated;

static void sim_fail(const char *what) {
    fprintf(stderr, "mpi-simulated: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- actions of the scheduler ---------------------------------------------------------------- */

static uint64_t sim_handle(uint64_t range) {
    lode_task task = LODE_INIT(lode_task);
    task.first = (uint32_t)range_first(range);
    task.end = (uint32_t)range_end(range);
    stored_task *stored = task_copy(&task, 0);
    if (!stored) sim_fail("no memory for a task");
    return task_handle(stored);
}

static void sim_send(void *user, int to, const sched_message *m) {
    if (!transport_send(((simulated *)user)->net, to, m)) sim_fail("no memory for a message");
}

static void sim_start(void *user, const uint64_t *tasks, size_t n) {
    simulated *r = user;
    uint64_t *ranges = malloc((n + 1) * sizeof *ranges);
    if (!ranges) sim_fail("no memory for tasks");
    for (size_t i = 0; i < n; i++) {
        stored_task *task = task_of_handle(tasks[i]);
        ranges[i] = tree_range(task->task.first, task->task.end);
        free(task);
    }
    played_start(&r->search, ranges, n);
    free(ranges);
    r->rebuild = MODEL_REBUILD_SECONDS;
}

static void sim_ask(void *user) {
    ((simulated *)user)->search.asked++;
}

static void sim_drop(void *user, uint64_t task) {
    (void)user;
    free(task_of_handle(task));
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static uint64_t sim_mix(uint64_t x) { /* splitmix64 */
    x = (x + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static void sim_done(void *user, size_t task) {
    simulated *r = user;
    r->n_done++;
    r->mixed += sim_mix(task);
}

/* Rank 0 reads the tree, the others get it. */
static void sim_read(simulated *r, const char *path) {
    recorded_tree *t = &r->tree;
    if (r->rank == 0 && !tree_read(path, t)) sim_fail("there is no recorded search in that file");
    uint64_t n = t->n;
    MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (n > UINT32_MAX / 2) sim_fail("the recorded search has too many tasks");
    if (r->rank > 0) {
        t->n = n;
        t->expected = malloc(n * sizeof *t->expected);
        t->cost = malloc(n * sizeof *t->cost);
        if (!t->expected || !t->cost) sim_fail("no memory for the recorded search");
    }
    MPI_Bcast(t->expected, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(t->cost, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&t->total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void sim_open(simulated *r) {
    sched_config config = {.rank = r->rank,
                           .n_ranks = r->n_ranks,
                           .victims = RANK_VICTIMS,
                           .seed = 1,
                           .batch_part = RANK_BATCH_PART,
                           .batch_least = 1,
                           .patience = RANK_PATIENCE};
    sched_actions actions = {
        .user = r, .send = sim_send, .start = sim_start, .ask = sim_ask, .drop = sim_drop};
    r->search = (played_search){.tree = &r->tree, .user = r, .done = sim_done};
    r->sched = sched_create(&config, &actions);
    r->net = transport_create(MPI_COMM_WORLD, 0);
    if (!r->sched || !r->net) sim_fail("no memory for a rank");
    tree_shares shares = tree_deal(&r->tree, r->n_ranks, RANK_TASKS);
    for (size_t i = 0; i < shares.n; i++) {
        if (shares.owner[i] != r->rank) continue;
        if (!sched_add(r->sched, sim_handle(shares.ranges[i]))) sim_fail("no memory for tasks");
    }
    shares_free(&shares);
}

/* The search goes on until the next look at messages. */
static void sim_search(simulated *r) {
    double slice = played_slice(&r->search);
    smpi_execute_flops((slice + r->rebuild) * HOST_FLOPS);
    r->busy += slice;
    r->rebuild = 0;
}

static int sim_receive(simulated *r) {
    int got = transport_receive(r->net, r->sched);
    if (got < 0) sim_fail("no memory for a message");
    sched_tick(r->sched, MPI_Wtime() - r->began, 0);
    return got;
}

static void sim_pause(double seconds) {
    struct timespec pause = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&pause, NULL);
}

/* The search has answered, and may have ended. */
static void sim_answer(simulated *r) {
    for (uint64_t given; played_give(&r->search, &given);) {
        sched_given(r->sched, sim_handle(given));
    }
    if (r->search.n_todo == 0) sched_finished(r->sched);
}

/* How long a rank sleeps that has not heard anything since `heard`. */
static double sim_pause_now(const simulated *r, bool searching) {
    double quiet = MPI_Wtime() - r->heard;
    if (r->pauses) return pause_now(searching, quiet) + MODEL_WAKE_SECONDS;
    return searching ? 0 : fmin(fmax(quiet, PAUSE_LEAST), r->most);
}

/* Until all is done. */
static void sim_loop(simulated *r) {
    r->heard = MPI_Wtime();
    while (!sched_is_over(r->sched)) {
        bool searching = sched_is_searching(r->sched);
        if (searching) {
            sim_search(r);
            sim_answer(r);
        } else {
            sim_pause(sim_pause_now(r, false));
        }
        bool changed = sched_is_searching(r->sched) != searching;
        if (changed) r->heard = MPI_Wtime();
        if (searching && !changed && MPI_Wtime() < r->looks) continue;
        if (sim_receive(r) > 0) r->heard = MPI_Wtime();
        r->looks = MPI_Wtime() + sim_pause_now(r, true);
    }
}

static void sim_wait(void *user) {
    const simulated *r = user;
    sim_pause(r->pauses ? RANK_IDLE_PAUSE : r->most);
}

/* Adds up what ranks have done, and prints it. False: not every task was done once. */
static bool sim_report(const simulated *r, double seconds) {
    sched_figures f = sched_get_figures(r->sched);
    uint64_t mine[] = {f.messages, f.steals, f.granted, r->n_done, r->mixed}, all[5], mixed = 0;
    double busy, last;
    MPI_Reduce(mine, all, 5, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&r->busy, &busy, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r->rank > 0) return true;
    const recorded_tree *t = &r->tree;
    printf("%d,%.6f,%.4f,%llu,%llu,%llu,%.4f,%zu,%.6f\n", r->n_ranks, last,
           t->total / r->n_ranks / last, (unsigned long long)all[0], (unsigned long long)all[1],
           (unsigned long long)all[2], 1 - busy / (last * r->n_ranks), t->n, t->largest);
    for (size_t i = 0; i < t->n; i++) mixed += sim_mix(i);
    if (all[3] == t->n && all[4] == mixed) return true;
    fprintf(stderr, "mpi-simulated: %llu tasks were done of %zu, or others than these\n",
            (unsigned long long)all[3], t->n);
    return false;
}

int main(int argc, char **argv) {
    simulated r = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.n_ranks);
    r.pauses = argc == 3 && strcmp(argv[2], "pauses") == 0;
    if (argc != 2 && !r.pauses) sim_fail("usage: mpi-simulated TREE [pauses]");
    sim_read(&r, argv[1]);
    double ideal = r.tree.total / r.n_ranks;
    r.most = fmax(PAUSE_LEAST, ideal / PAUSE_PART);
    sim_open(&r);
    MPI_Barrier(MPI_COMM_WORLD);
    r.began = MPI_Wtime();
    sched_begin(r.sched);
    sim_loop(&r);
    double seconds = MPI_Wtime() - r.began;
    if (!transport_end(r.net, r.sched, sim_wait, &r)) sim_fail("no memory for a message");
    bool fine = sim_report(&r, seconds);
    transport_free(r.net);
    sched_free(r.sched);
    tree_free(&r.tree);
    free(r.search.todo);
    MPI_Finalize();
    return fine ? 0 : 1;
}
