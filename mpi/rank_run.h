/* rank_run.h - a rank of a job: reads, divides, searches with the others, and ends with them
 *
 * Two threads: this one talks (MPI, the scheduler, signals), the other searches. Every function
 * here is called by all ranks at the same point of the job, and its outcome is the same in all.
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
    /* CPU seconds: of reading; of what every rank does for itself before it searches (ranking
     * items, making rows, dividing the search); of searching; of the thread that talks meanwhile */
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
    uint64_t number; /* of the job: parts of another are not taken for its own */
    rank_options options;
    rank_request asked;   /* by the user, with the threshold as a count */
    rank_request present; /* in this search */
    lode_tasks *tasks;
    rank_output out;
    sched *sched;
    transport *net;
    size_t piece; /* the most bytes of a message that are sent at once; 0: as many as can be */
    search_thread *search;
    _Atomic uint64_t threshold; /* that is known now; 0: none */
    lode_status status;         /* of this rank */
    char message[RANK_MESSAGE];
    sched_reason ended;    /* of the job */
    double began;          /* the search, in seconds of the clock */
    double silence;        /* seconds after which a silent rank ends the job */
    uint64_t told;         /* seconds of silence that were reported */
    rank_journal *journal; /* or NULL */
    uint64_t found_before; /* by searches of this rank that have ended */
    rank_figures figures;
} rank_run;

/* ---- rank_together.c: what all ranks do at the same point ------------------------------------ */

/* Starts MPI; returns false if its library does not support threads. */
bool rank_init(int *argc, char ***argv);
/* The last call of a process; nothing of lode is left. */
void rank_finalize(void);
void rank_sleep(double seconds);
/* The message about this rank, RANK_MESSAGE bytes; `message` NULL: that of the job. */
void rank_explain(const rank_run *r, lode_status status, const char *message, char *text);
/* Waits for a call of all ranks without taking a processor, as most MPI libraries would. */
void rank_wait(MPI_Request request);
/* Every rank gets what one of them has; and the highest number that any of them has. */
void rank_tell_all(const rank_run *r, int from, void *what, int bytes);
int rank_highest(const rank_run *r, int number);
/* Checks whether all ranks succeeded; if not, rank 0 prints the message of the first that failed.
 * Returns the exit code. If `message` is NULL, it is that of the job. */
int rank_agree(rank_run *r, lode_status status, const char *message);

/* ---- rank_run.c: the steps of a job ---------------------------------------------------------- */

/* Reads the data, and makes sure that all ranks have the same. Returns the exit code. */
int rank_read(rank_run *r);
/* Divides the search as `present` says, and deals the tasks out. Returns the exit code. */
int rank_divide(rank_run *r);
/* Searches until all tasks are done or the job is stopped; `ended` then says why. Returns the exit
 * code, which is 0 for limits and interrupts. */
int rank_search(rank_run *r);
void rank_close(rank_run *r);

/* Signals that ask to stop. */
void rank_handle_signals(rank_run *r);
/* From now on, or no longer, rank 0 joins the parts of all ranks: signals lose none of them. */
void rank_say_joining(bool now);

#endif
