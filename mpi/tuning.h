/* tuning.h - numbers of lode-mpi that were measured or guessed
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_TUNING_H
#define LODE_MPI_TUNING_H

#include <stdbool.h>
#include <stdint.h>

/* Tasks that a search is divided into, for each rank. Ranks that run out of them steal parts of
 * what others search, so that few are enough; more cost time in every rank. Of graphs, what is
 * divided are the patterns of most occurrences, which take long to make again. */
#define RANK_TASKS       32
#define RANK_GRAPH_TASKS 2
#define RANK_TASKS_MOST  262144

/* With a journal, whatever the number of ranks; a search gets one of so many parts of those that
 * wait, as only what is finished need not be done again. */
#define RANK_PIECES       1024
#define RANK_GRAPH_PIECES 64
#define RANK_PIECES_PART  32

/* A search gets all tasks that wait: those below one pattern then share the way to it, and who asks
 * gets what it has not begun. While top:K looks for its threshold, few at a time: what a search
 * finds is known to others when it ends. */
#define RANK_BATCH_PART 1
#define RANK_BEST_BATCH 4

#define RANK_VICTIMS  2 /* asked at random before lifelines, as in published lifeline schedulers */
#define RANK_PATIENCE 0.02 /* seconds that a random thief waits for a search to hand out a task */

/* Seconds between two looks while all ranks wait for each other: they double from the first to the
 * last. */
#define RANK_PAUSE_LEAST 0.00005
#define RANK_PAUSE_MOST  0.001

/* Seconds between two looks at the network during the search (tuning.h). A rank without work: a
 * steal is a question and an answer, and the end of the job some dozens of messages one after the
 * other, so that each of these pauses is waited for many times. It looks so often until nothing has
 * happened for RANK_IDLE_BRISK seconds; then a pause is one of RANK_PAUSE_PART parts of the time
 * that nothing has happened. */
#define RANK_IDLE_PAUSE 0.00001
#define RANK_IDLE_BRISK 0.01
#define RANK_PAUSE_PART 16
/* Nanoseconds by which the system may wake the thread that talks later than it wants. Linux has
 * 50,000: a sleep of 1 µs took 73 µs with them, and 4 µs with this. */
#define RANK_TIMER_SLACK 1
/* A rank that searches. A look takes about 5 µs of a processor. */
#define RANK_BUSY_PAUSE_LEAST 0.0001
#define RANK_BUSY_PAUSE_MOST  0.001

/* Seconds between signs of life; with --limit, they also carry how much was found. */
#define RANK_BEAT         1.0
#define RANK_BEAT_LIMITED 0.02
/* A rank that is silent for so long is mentioned. */
#define RANK_SILENT_SECONDS 20.0

/* Parts of an interrupted job are joined if they have no more bytes together: a guess. Joining
 * reads them twice and writes them once, and Open MPI kills ranks a second after a signal. */
#define RANK_JOIN_BYTES ((uint64_t)64 << 20)

/* Recorded searches on ranks that are not there, in seconds: the event model and the simulation. A
 * message on a cluster of today takes about 2 µs (InfiniBand) to 20 µs (Ethernet). simulate.py
 * reads these lines for the platform that it simulates. */
#define MODEL_LATENCY          5e-6
#define MODEL_MESSAGE_SECONDS  1e-6    /* of its sender's time, and of its receiver's */
#define MODEL_REBUILD_SECONDS  2e-5    /* before a search begins */
#define MODEL_POLL_SECONDS     1e-4    /* between two looks of a search at questions */
#define MODEL_WAKE_SECONDS     5e-6    /* simulation with pauses: a sleep lasts so much longer */
#define MODEL_BYTES_PER_SECOND 1.25e10 /* simulation only: 100 Gbit/s */

/* ---- how long the thread of a rank that talks sleeps between two looks at the network -------- */

/* What:  a rank without work has a processor that nobody uses, and every look that comes late makes
 *        it, and those that wait for its answer, wait longer. So it looks every few microseconds;
 *        only when nothing has happened for long, pauses grow with the time that has passed. A rank
 *        that searches looks less often, because a look takes time from its search; the more seldom
 *        it is asked, the less often.
 * Why:   lode-mpi and the simulated ranks share it, so that the simulation has the pauses of the
 *        real program. */

/* Seconds; `quiet`: since a message was received, or the search began or ended. */
static inline double pause_now(bool searching, double quiet) {
    double least = searching ? RANK_BUSY_PAUSE_LEAST : RANK_IDLE_PAUSE;
    double most = searching ? RANK_BUSY_PAUSE_MOST : RANK_PAUSE_MOST;
    double pause = (searching ? quiet : quiet - RANK_IDLE_BRISK) / RANK_PAUSE_PART;
    return pause < least ? least : pause > most ? most : pause;
}

#endif
