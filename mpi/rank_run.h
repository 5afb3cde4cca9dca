/* rank_run.h - a rank of a job: reads, divides, searches with the others, and ends with them
 *
 * A rank has two threads: the communicating thread (MPI, the scheduler, signals) and the searching
 * thread. All ranks call each of these functions at the same point of the job, and all get the same
 * result.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RANK_RUN_H
#define LODE_MPI_RANK_RUN_H

#include <stdatomic.h>

#include "rank_output.h"
#include "search_thread.h"
#include "transport.h"

#define RANK_MESSAGE 1024

/* What a rank has done, for the report. */
typedef struct rank_figures {
    sched_figures sched;
    uint64_t patterns, message_bytes, message_pieces;
    double search_seconds, idle_seconds, read_seconds;
    /* CPU seconds: of reading; of the preparation that every rank does for itself (ranking items,
     * making rows, dividing the search); of searching; of the communicating thread meanwhile */
    double read_cpu, prepare_cpu, search_cpu, talk_cpu;
} rank_figures;

typedef struct rank_journal rank_journal;

typedef struct rank_run {
    const cli_args *args;
    const rank_kind *kind;
    MPI_Comm comm;
    int rank, n_ranks;
    lode_job *job;
    void *data;
    uint64_t fingerprint, total;
    uint64_t number; /* a number of the job, by which its parts differ from those of other jobs */
    rank_options options;
    rank_request asked;   /* the user's request, with the threshold as a count */
    rank_request present; /* the request of the current search */
    lode_tasks *tasks;
    rank_output out;
    sched *sched;
    transport *net;
    size_t piece; /* maximum bytes of a message to send at once; 0: as many as MPI can send */
    search_thread *search;
    _Atomic uint64_t threshold; /* the highest threshold known so far; 0: none */
    lode_status status;         /* of this rank */
    char message[RANK_MESSAGE];
    sched_reason ended;    /* why the job ended */
    double began;          /* when the search began, in seconds of the clock */
    double silence;        /* seconds after which a silent rank ends the job */
    uint64_t told;         /* not 0: the silence of a rank was reported */
    rank_journal *journal; /* or NULL */
    uint64_t found_before; /* patterns found by earlier searches of this rank */
    rank_figures figures;
} rank_run;

/* ---- rank_together.c: what all ranks do at the same point ------------------------------------ */

/* Starts MPI; returns false if its library does not support threads. */
bool rank_init(int *argc, char ***argv);
/* The last call of a process. All objects of lode must have been freed. */
void rank_finalize(void);
void rank_sleep(double seconds);
/* Writes the message about this rank's failure, or "", to `text`, which has RANK_MESSAGE bytes.
 * `message` NULL: the message of the job. */
void rank_explain(const rank_run *r, lode_status status, const char *message, char *text);
/* Waits for a collective call by sleeping and polling. (Most MPI libraries would keep a processor
 * busy.) */
void rank_wait(MPI_Request request);
/* rank_tell_all() gives every rank the bytes that rank `from` has. rank_highest() returns the
 * highest `number` of all ranks. */
void rank_tell_all(const rank_run *r, int from, void *what, int bytes);
int rank_highest(const rank_run *r, int number);
/* Checks whether all ranks succeeded; if not, rank 0 prints the message of the first rank that
 * failed. Returns the exit code. `message` NULL: the message of the job. */
int rank_agree(rank_run *r, lode_status status, const char *message);

/* ---- rank_run.c: the steps of a job ---------------------------------------------------------- */

/* Reads the data, and checks that all ranks have the same data. Returns the exit code. */
int rank_read(rank_run *r);
/* Divides the search that `present` requests, and assigns tasks to ranks. Returns the exit code. */
int rank_divide(rank_run *r);
/* Searches until all tasks are done or the job is stopped; `ended` then says why. Returns the exit
 * code, which is 0 for limits and interrupts. */
int rank_search(rank_run *r);
void rank_close(rank_run *r);

/* Installs handlers for signals that request to stop. */
void rank_handle_signals(rank_run *r);
/* Records whether rank 0 is joining the parts of all ranks. Meanwhile, a signal that ends the
 * process leaves the parts in place, and its handler says how to join them. */
void rank_say_joining(bool now);

#endif
