/* scheduler.h - decides which rank searches which task: work stealing, independent of the network
 *
 * What:  one `sched` per rank. Events go in (a message has arrived, a search has ended, a search
 *        has handed out a task, some time has passed). Actions come out through a table of
 *        functions (send this message, start these tasks, ask the search for a task). The code
 *        depends neither on MPI nor on lode: a task is a number whose meaning only the caller
 *        knows. So lode-mpi, the simulation and the event model run the same code.
 *
 * How:   1. Every rank begins with its share of the tasks, which all ranks compute from the
 *           expected work, without messages (sched_deal).
 *        2. A rank that has nothing left asks some random ranks, one after the other. A rank that
 *           is asked gives every second task that it has not begun or, if there is none, asks its
 *           running search to give away a part of its work.
 *        3. If no random rank has work, the rank asks its LIFELINES, which are its neighbours in a
 *           hypercube (bit d of the rank flipped, if the result is a rank), and then only waits.
 *           The lifelines remember the rank, and send it a part of the next work that they get.
 *           Clearing bits leads from each rank to rank 0, so the graph is connected, and work
 *           reaches every rank that waits.
 *
 * Ends:  the end is detected with counters (Mattern's four-counter method). A rank is PASSIVE while
 *        it has no task and searches none. Rank 0 sends waves through a binary tree. A rank answers
 *        a wave when it is passive and its children have answered. The answer has the numbers of
 *        task messages that the ranks of its subtree have sent and received so far. The job is done
 *        when a wave finds as many messages sent as the wave before it found received.
 *        Proof: let wave 1 find R messages received, and let it end at time t. Let wave 2, which
 *        begins after t, find S messages sent. Counters only grow, so by time t at least R messages
 *        were received and at most S were sent; and no more can be received than were sent. If
 *        R = S, then by time t exactly S were sent and S received, so none was in flight at t.
 *        Moreover, no rank was active at t. Suppose that one was. It was passive when it answered
 *        wave 1, so it received a message between its answer and t, which wave 1 did not count; so
 *        more than R messages were received by t, a contradiction. Thus at t all ranks were passive
 *        and no message was in flight. This does not change any more, because only a message makes
 *        a passive rank active. As a rank does not answer before it is passive, there are few
 *        waves, and none of them disturbs a search.
 *
 * News:  every message also has the highest threshold that the sender knows (top:K), and says
 *        whether and why the job must stop. When one of these is new, it is also sent on its own
 *        along the lifelines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_SCHEDULER_H
#define LODE_MPI_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHED_LIFELINES 32 /* bits of a rank */

typedef enum sched_kind {
    SCHED_STEAL = 1, /* asks for a task; with `lifeline`, a receiver that has no task remembers the
                      * sender */
    SCHED_NONE,      /* answers that there is no task */
    SCHED_TASKS,     /* has tasks; with `lifeline`, for a rank that was remembered */
    SCHED_NEWS,      /* has only the news that every message has */
    SCHED_BEAT,      /* to rank 0: a sign of life, with the number of patterns found */
    SCHED_PROBE,     /* a wave on its way down the tree */
    SCHED_COUNTS,    /* a wave on its way up */
    SCHED_END        /* the job is done */
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
    uint64_t sent, received; /* of COUNTS: task messages of a subtree */
    uint64_t found;          /* of BEAT: number of patterns */
    const uint64_t *tasks;   /* of TASKS: lent for the call */
    size_t n_tasks;
} sched_message;

/* The actions that the scheduler requests. None of these functions may call the scheduler. All but
 * `send` and `start` may be NULL, which means that nothing is done. */
typedef struct sched_actions {
    void *user;
    /* Sends a message. A rank no longer owns the tasks that it has sent. */
    void (*send)(void *user, int to, const sched_message *m);
    /* Begins a search, at whose end sched_finished() must be called. There is at most one search at
     * a time. */
    void (*start)(void *user, const uint64_t *tasks, size_t n);
    /* Asks the running search for a task. When the search hands one out, call sched_given(). */
    void (*ask)(void *user);
    void (*raise)(void *user, uint64_t threshold);
    /* Makes the running search end soon. sched_finished() must be called nevertheless. */
    void (*cancel)(void *user);
    /* Frees a task that nobody will search, because the job was stopped. */
    void (*drop)(void *user, uint64_t task);
} sched_actions;

typedef struct sched_config {
    int rank, n_ranks;
    unsigned victims;     /* number of random ranks to ask before lifelines */
    uint64_t seed;        /* of random choices; the same in all ranks */
    unsigned batch_part;  /* a search gets 1 / batch_part of the waiting tasks … */
    unsigned batch_least; /* … but at least this many … */
    unsigned batch_most;  /* … and at most this many; 0: no limit */
    double patience;      /* seconds after which a rank that asked at random is refused */
    double beat;          /* seconds between signs of life to rank 0; 0: none are sent */
} sched_config;

typedef struct sched_figures {
    uint64_t messages;        /* messages sent */
    uint64_t steals, granted; /* how often this rank asked for tasks, and how often it got some */
    uint64_t tasks_in, tasks_out;
    uint64_t searches, waves;
} sched_figures;

typedef struct sched sched;

/* Returns NULL if memory runs out. */
sched *sched_create(const sched_config *config, const sched_actions *actions);
void sched_free(sched *s);

/* ---- events ---------------------------------------------------------------------------------- */

/* Adds a task of this rank; must be called before sched_begin(). Returns false if memory runs out.
 * If memory runs out in a later event, sched_is_broken() becomes true. */
bool sched_add(sched *s, uint64_t task);
void sched_begin(sched *s);
void sched_received(sched *s, int from, const sched_message *m);
/* The running search has handed out a task. */
void sched_given(sched *s, uint64_t task);
/* The search has ended, after all tasks that it handed out were reported. */
void sched_finished(sched *s);
/* Some time has passed: `now` is the time in seconds since any fixed moment, and `found` the number
 * of patterns that this rank has found so far. */
void sched_tick(sched *s, double now, uint64_t found);
/* This rank has found a higher threshold; this rank requests to stop the job. */
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
/* For rank 0: the number of patterns that all ranks have found, as far as it knows. */
uint64_t sched_found(const sched *s);
/* For rank 0: returns the rank that has been silent for the longest time, if that is at least
 * `seconds`; otherwise -1. */
int sched_silent(const sched *s, double seconds);

/* ---- dealing --------------------------------------------------------------------------------- */

/* Assigns n tasks to ranks: the heaviest first, each to the rank with the least work so far (of
 * equal ranks, the first). Returns false if memory runs out. */
bool sched_deal(const double *work, size_t n, int n_ranks, int *owner);

#endif
