/* tuning.h - constants of lode-mpi that were measured or guessed
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_TUNING_H
#define LODE_MPI_TUNING_H

#include <stdbool.h>
#include <stdint.h>

/* Tasks per rank into which a search is divided. Few are enough, because ranks that run out of
 * tasks steal from others; more tasks would cost time in every rank. For graphs, every rank extends
 * the patterns with the most occurrences to divide the search, which takes long. */
#define RANK_TASKS       32
#define RANK_GRAPH_TASKS 2
#define RANK_TASKS_MOST  262144

/* The number of tasks with a journal, which does not depend on the number of ranks. A search gets
 * only 1 / RANK_PIECES_PART of the waiting tasks, because a job that is resumed repeats every
 * search that was not finished. */
#define RANK_PIECES       1024
#define RANK_GRAPH_PIECES 64
#define RANK_PIECES_PART  32

/* A search gets all waiting tasks, because tasks below the same pattern share the work of reaching
 * this pattern. Ranks that steal get the tasks that the search has not begun. While top:K looks for
 * its threshold, a search gets only a few tasks, because other ranks learn its results only when it
 * ends. */
#define RANK_BATCH_PART 1
#define RANK_BEST_BATCH 4

#define RANK_VICTIMS  2    /* random ranks to ask before lifelines, as in published schedulers */
#define RANK_PATIENCE 0.02 /* seconds that a random thief waits for a search to hand out a task */

/* Seconds between two polls while all ranks wait for each other: they double from the first value
 * to the last. */
#define RANK_PAUSE_LEAST 0.00005
#define RANK_PAUSE_MOST  0.001

/* Seconds between two polls of the network during the search. These are for a rank without work: a
 * steal consists of a question and an answer, and the end of a job takes some dozens of messages in
 * sequence, so each pause delays the job many times. The rank polls this often until nothing has
 * happened for RANK_IDLE_BRISK seconds; then a pause is 1 / RANK_PAUSE_PART of the time since
 * something happened. */
#define RANK_IDLE_PAUSE 0.00001
#define RANK_IDLE_BRISK 0.01
#define RANK_PAUSE_PART 16
/* Nanoseconds by which the system may wake the communicating thread late. The default of Linux is
 * 50,000: a sleep of 1 µs took 73 µs with that, and 4 µs with this. */
#define RANK_TIMER_SLACK 1
/* For a rank that searches. A poll takes about 5 µs of a processor. */
#define RANK_BUSY_PAUSE_LEAST 0.0001
#define RANK_BUSY_PAUSE_MOST  0.001

/* Seconds between signs of life; with --limit, they also carry how much was found. */
#define RANK_BEAT         1.0
#define RANK_BEAT_LIMITED 0.02
/* If a rank is silent for this long, rank 0 prints a message about it. */
#define RANK_SILENT_SECONDS 20.0

/* Parts of an interrupted job are joined if together they have at most this many bytes: a guess.
 * Joining reads them twice and writes them once, and Open MPI kills ranks a second after a
 * signal. */
#define RANK_JOIN_BYTES ((uint64_t)64 << 20)

/* Parameters, in seconds, for replaying recorded searches on simulated ranks: by the event model
 * and by the simulation. A message on a current cluster takes about 2 µs (InfiniBand) to 20 µs
 * (Ethernet). simulate.py reads these lines for the platform that it simulates. */
#define MODEL_LATENCY          5e-6
#define MODEL_MESSAGE_SECONDS  1e-6    /* for its sender, and again for its receiver */
#define MODEL_REBUILD_SECONDS  2e-5    /* before a search begins */
#define MODEL_POLL_SECONDS     1e-4    /* between two checks of a search for requests */
#define MODEL_WAKE_SECONDS     5e-6    /* simulation with pauses: by how much a sleep is too long */
#define MODEL_BYTES_PER_SECOND 1.25e10 /* simulation only: 100 Gbit/s */

/* ---- how long the communicating thread sleeps between two polls of the network --------------- */

/* What:  a rank without work has an idle processor, and every late poll delays it and the ranks
 *        that wait for its answer. So it polls every few microseconds; only if nothing has
 *        happened for long, its pauses grow with the elapsed time. A rank that searches polls less
 *        often, because a poll takes time from its search; the fewer messages it gets, the less
 *        often it polls.
 * Why:   lode-mpi and the simulated ranks share this code, so that the simulation has the pauses of
 *        the real program. */

/* Returns the pause in seconds. `quiet`: seconds since a message was received, or since the search
 * began or ended. */
static inline double pause_now(bool searching, double quiet) {
    double least = searching ? RANK_BUSY_PAUSE_LEAST : RANK_IDLE_PAUSE;
    double most = searching ? RANK_BUSY_PAUSE_MOST : RANK_PAUSE_MOST;
    double pause = (searching ? quiet : quiet - RANK_IDLE_BRISK) / RANK_PAUSE_PART;
    return pause < least ? least : pause > most ? most : pause;
}

#endif
