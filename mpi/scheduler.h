/* scheduler.h - who searches what: work stealing among ranks, as code that knows no network
 *
 * What:  one `sched` per rank. Events go in (a message has arrived, a search has ended, it has
 *        handed out a task, some time has passed), actions come out through a table of functions
 *        (send this, start these tasks, ask the search for a task). It knows neither MPI nor lode:
 *        a task is a number that its owner understands. So lode-mpi, the simulation and the event
 *        model run the same code.
 *
 * How:   1. Every rank begins with its share of the tasks, dealt out by expected work without a
 *           message (sched_deal).
 *        2. A rank that has nothing left asks some ranks at random, one after the other. Who is
 *           asked gives every second task that it has not begun or, if there is none, asks its
 *           search for half of its oldest open node.
 *        3. Then it asks its LIFELINES, the neighbours in a hypercube (bit d of the rank flipped,
 *           where that is a rank), and is silent. They remember it, and send a part of the next
 *           work that they get. Clearing bits leads from each rank to rank 0, so the graph is
 *           connected, and work reaches everyone who waits.
 *
 * Ends:  by counters (Mattern's four). A rank is PASSIVE while it has no task and searches none.
 *        Rank 0 sends waves through a binary tree. A rank answers a wave when it is passive and its
 *        children have answered, with the numbers of task messages that its subtree has ever sent
 *        and received. All is done when a wave finds as many sent as the wave before it found
 *        received.
 *        Why that is right: let wave 1 find R messages received, and wave 2, which begins after
 *        wave 1 has ended (time t), find S sent. Counters only grow, so at t at least R messages
 *        were received, and at most S were sent; no more can be received than were sent. If R = S,
 *        then at t exactly S were sent and S received: none was under way at t. And no rank was
 *        active at t: a rank that was active at t had answered wave 1 when it was passive, so it
 *        received a message between its answer and t, and wave 1 did not count that; then more
 *        than R were received at t. So all were passive at t with nothing under way, and it stays
 *        so, because only a message makes a passive rank active. As a rank does not answer before
 *        it is passive, there are few waves, and none of them disturbs a search.
 *
 * Rides on every message: the highest threshold that the sender knows (top:K), and whether the job
 * is to be stopped and why. Both also travel on their own along lifelines, when they are new.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_SCHEDULER_H
#define LODE_MPI_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHED_LIFELINES 32 /* bits of a rank */

typedef enum sched_kind {
    SCHED_STEAL = 1, /* may I have a task? `lifeline`: remember me, if there is none */
    SCHED_NONE,      /* no */
    SCHED_TASKS,     /* here are some; `lifeline`: you were remembered */
    SCHED_NEWS,      /* nothing but what rides on every message */
    SCHED_BEAT,      /* to rank 0: sign of life, with the number of patterns */
    SCHED_PROBE,     /* a wave goes down the tree … */
    SCHED_COUNTS,    /* … and comes up */
    SCHED_END        /* all is done */
} sched_kind;

/* Why a job is stopped; if there are several reasons, the highest counts. */
typedef enum sched_reason {
    SCHED_GOES_ON = 0,
    SCHED_LIMIT,
    SCHED_INTERRUPT,
    SCHED_ERROR
} sched_reason;

typedef struct sched_message {
    sched_kind kind;
    sched_reason stop;
    bool lifeline;
    uint32_t wave;
    uint64_t threshold;
    uint64_t sent, received; /* COUNTS: task messages, of a subtree */
    uint64_t found;          /* BEAT: patterns */
    const uint64_t *tasks;   /* TASKS: lent for the call */
    size_t n_tasks;
} sched_message;

/* The actions that the scheduler requests. None of them may call the scheduler. All but `send` and
 * `start` may be NULL: then nothing is done. */
typedef struct sched_actions {
    void *user;
    /* A rank that sends tasks no longer owns them. */
    void (*send)(void *user, int to, const sched_message *m);
    /* Begins to search; sched_finished() tells when that has ended. One at a time. */
    void (*start)(void *user, const uint64_t *tasks, size_t n);
    /* Asks the running search for a task; if there is one, sched_given() follows. */
    void (*ask)(void *user);
    void (*raise)(void *user, uint64_t threshold);
    /* Ends the running search soon; sched_finished() follows all the same. */
    void (*cancel)(void *user);
    /* Frees a task that nobody will search, because the job was stopped. */
    void (*drop)(void *user, uint64_t task);
} sched_actions;

typedef struct sched_config {
    int rank, n_ranks;
    unsigned victims;     /* asked at random before lifelines */
    uint64_t seed;        /* of random choices; the same in all ranks */
    unsigned batch_part;  /* a search gets this fraction (1/n) of the waiting tasks, … */
    unsigned batch_least; /* … at least this many, and … */
    unsigned batch_most;  /* … at most; 0: any number */
    double patience;      /* seconds after which a random thief is sent away */
    double beat;          /* seconds between signs of life to rank 0; 0: none */
} sched_config;

typedef struct sched_figures {
    uint64_t messages;        /* sent */
    uint64_t steals, granted; /* asked for tasks; got some */
    uint64_t tasks_in, tasks_out;
    uint64_t searches, waves;
} sched_figures;

typedef struct sched sched;

/* NULL: no memory. */
sched *sched_create(const sched_config *config, const sched_actions *actions);
void sched_free(sched *s);

/* ---- events ---------------------------------------------------------------------------------- */

/* Adds a task of this rank before sched_begin(). Returns false if there is no memory. If memory
 * runs out in a later event, sched_is_broken() becomes true. */
bool sched_add(sched *s, uint64_t task);
void sched_begin(sched *s);
void sched_received(sched *s, int from, const sched_message *m);
/* The running search has handed out a task. */
void sched_given(sched *s, uint64_t task);
/* The search has ended, after all tasks that it handed out were reported. */
void sched_finished(sched *s);
/* Time passes: `now` in seconds from any moment, `found` patterns of this rank so far. */
void sched_tick(sched *s, double now, uint64_t found);
/* A threshold that this rank has found, and the wish to end the job. */
void sched_raise(sched *s, uint64_t threshold);
void sched_stop(sched *s, sched_reason reason);

/* ---- questions ------------------------------------------------------------------------------- */

/* Whether this rank has finished: all tasks are done, or the job was stopped. Messages may still
 * arrive. */
bool sched_is_over(const sched *s);
bool sched_is_broken(const sched *s);
bool sched_is_searching(const sched *s);
sched_reason sched_stopped(const sched *s);
sched_figures sched_get_figures(const sched *s);
/* Rank 0: patterns that all ranks have found, as far as it knows. */
uint64_t sched_found(const sched *s);
/* For rank 0: returns the rank that has been silent for longest, if for at least this many seconds;
 * else -1. */
int sched_silent(const sched *s, double seconds);

/* ---- dealing --------------------------------------------------------------------------------- */

/* Assigns n tasks to ranks: the heaviest first, each to the rank with the least work (the first of
 * these). Returns false if there is no memory. */
bool sched_deal(const double *work, size_t n, int n_ranks, int *owner);

#endif
