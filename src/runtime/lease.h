/* lease.h - threads and memory of a context, lent to the calls of its jobs
 *
 * What:   the budget of threads counts everything that works: the thread that calls, and those that
 *         parallel_run() starts. A public call that works enters, which lends it between one thread
 *         and as many as the job may use, and gives them back when it leaves. When there is none
 *         left, calls wait in the order in which they came.
 * Shares: while calls wait, a call that holds more than threads / jobs gives some back as soon as
 *         it can: a thread that has come to its end, and workers that ask lease_gives() between two
 *         pieces of work. A call never gets more than it began with.
 * Memory: a job that knows what it will need asks for it: others cannot take that any more. If they
 *         hold too much, it waits in the same line, without threads, until they have ended. The
 *         first in line goes on in any case when nobody works: it makes do, or fails.
 * Nested: a call within a call of the same job (a sink that is finished by the miner) is part of
 *         it. A call with another job, from a callback, runs on the thread it is on and waits for
 *         nothing: that thread is lent already, and who lent it waits for the callback.
 * Cost:   a lock that nobody else wants, twice a call and twice a thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LEASE_H
#define LODE_RUNTIME_LEASE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/status.h"

/* Of a context. */
typedef struct lease_desk {
    pthread_mutex_t lock; /* for all that follows, here and in the jobs */
    pthread_cond_t changed;
    unsigned allowed, free;      /* threads; `free` are lent to nobody */
    unsigned active, peak;       /* that are at work, and the most that ever were */
    lode_job *running, *waiting; /* jobs within a call; those who wait, the first in front */
    unsigned n_running;
    _Atomic unsigned n_waiting;
    uint64_t n_ended;    /* calls: who waits for others to end looks at it */
    _Atomic bool shared; /* there is, or was, more than one job */
} lease_desk;

/* Of a job. */
typedef struct lease {
    lode_job *next; /* in one of the two lists */
    bool within;    /* a call */
    bool borrowed;  /* on a thread of another job's call */
    unsigned most;  /* threads that are of use */
    unsigned held;  /* threads */
    unsigned least; /* that it must keep */
    unsigned active;
    size_t promised;   /* bytes, with those it has; 0 = none */
    size_t wants;      /* bytes that it waits for, beside those it has */
    bool device_short; /* the memory of a device was short because of others */
    bool again;        /* it waits for the end of another call, */
    uint64_t after;    /* beyond these */
} lease;

void lease_desk_init(lease_desk *desk, unsigned threads);
void lease_desk_clear(lease_desk *desk);
/* There is more than one job from now on. */
void lease_share(lode_ctx *ctx);

/* A call that works, on the stack of its thread; {0} = not entered. */
typedef struct lease_call {
    lode_job *job, *before;
    bool entered;
} lease_call;

/* Begins it, after VALID_CALL: waits until there is a thread, and sets job->threads; `most`: more
 * would be of no use. Errors: CANCELLED while it waits; INVALID: the job is in a call on another
 * thread. */
#define LEASE_ANY UINT_MAX
LODE_NODISCARD lode_status lease_enter(lode_job *job, unsigned most, lease_call *call);
/* Ends it, entered or not. */
void lease_leave(lease_call *call);

/* What parallel_run() says: the calling thread wants to start another one (false: there is none
 * left; `firmly`: it cannot do without), which begins, and ends. `idle`: others of its region work
 * on, but it has nothing left to do. */
bool lease_start_thread(lode_job *job, bool firmly);
void lease_take_back_thread(lode_job *job); /* it could not be started */
void lease_begin_thread(lode_job *job);
void lease_end_thread(lode_job *job, bool idle);
/* A region has ended: job->threads is what is left. On the thread that entered. */
void lease_settle(lode_job *job);

/* The calling thread only waits for others that it will start or has started, and works again. */
void lease_rest(lode_job *job);
void lease_resume(lode_job *job);

/* Asks for so many bytes beside those that the job has, and waits until they can be had beside what
 * other jobs hold or were promised. *waited: it has, and job->threads may be less. Nothing happens
 * without a budget, or if nobody shares it. On the thread that entered. Errors: CANCELLED, STOPPED.
 */
LODE_NODISCARD lode_status lease_reserve(lode_job *job, size_t bytes, bool *waited);

/* A call has met the budget (BUDGET). If that is because of other jobs, waits until one of them has
 * ended, forgets the message, and says OK: try again. Else BUDGET; CANCELLED; STOPPED. */
LODE_NODISCARD lode_status lease_again(lode_job *job);

/* Bytes that other jobs hold which are in a call now. */
size_t lease_held_by_others(lode_job *job);

/* See mem_lender. */
size_t lease_promised(void *ctx, const mem *inner);

/* More threads than the job was given would be of use, such as one for each device: takes what is
 * free. A context that is the job's alone gives what is asked for. Returns how many of them it has;
 * all, if it is in no call. */
unsigned lease_extend(lode_job *job, unsigned wanted);
/* Fewer than that are of no use from now on. */
void lease_keep(lode_job *job, unsigned n);
/* How many of n threads it has now. */
unsigned lease_width(lode_job *job, unsigned n);

/* The figures of lode_ctx_usage() that are about threads and jobs. */
void lease_usage(lode_ctx *ctx, lode_usage *out);

bool lease_gives_now(lode_job *job);

/* Whether the calling thread should end, because others wait for it: asked by a worker of
 * parallel_run() between two pieces of work, which the others of its region must be able to take
 * over. Once true, it must end soon. Never true for worker 0. */
#define lease_gives(job)                                                                           \
    (atomic_load_explicit(&(job)->ctx->desk.n_waiting, memory_order_relaxed) > 0 &&                \
     lease_gives_now(job))

#endif
