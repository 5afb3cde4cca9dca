/* lease.h - threads and memory of a context, lent to the calls of its jobs
 *
 * What:   the thread limit counts every thread at work: the one that calls lode, and those that
 *         parallel_run() starts. A public call that works enters, gets between one thread and as
 *         many as the job may use, and returns them when it leaves. When no thread is free, calls
 *         wait in order of arrival.
 * Shares: while calls wait, a call that holds more than threads / jobs returns some as soon as it
 *         can: when a thread ends, or when a worker calls lease_gives() between two pieces of work.
 *         A call never gets more threads than it began with, except by lease_extend(), when devices
 *         are chosen.
 * Memory: a job that knows what it will need reserves it, so that others cannot take it. If others
 *         hold too much, the job waits in the same queue, without threads, until they end. When
 *         nobody works, the first in the queue goes on with what there is, or fails.
 * Nested: a call within a call of the same job (the miner finishes a sink) is part of it. A call
 *         with another job, from a callback, runs on the callback's thread and does not wait: that
 *         thread counts already, and waiting for the callback's own call would be a deadlock.
 * Cost:   two uncontended locks for a call, and two for each thread that it starts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LEASE_H
#define LODE_RUNTIME_LEASE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/status.h"

/* The thread pool of a context. */
typedef struct lease_pool {
    pthread_mutex_t lock; /* guards the fields below, and the `lease` of each job */
    pthread_cond_t changed;
    unsigned allowed, free;      /* all threads, and those not lent */
    unsigned leaving;            /* neither free nor held: told to end by lease_gives() */
    unsigned active, peak;       /* threads at work now, and the highest number so far */
    lode_job *running, *waiting; /* jobs in a call; the queue of waiting jobs */
    unsigned n_running;
    _Atomic unsigned n_waiting;
    uint64_t n_ended;    /* number of calls that have ended; see lease.after */
    _Atomic bool shared; /* there is, or was, more than one job */
} lease_pool;

/* What a job has borrowed. */
typedef struct lease {
    lode_job *next;    /* in one of the two lists of the pool */
    bool within;       /* the job is in a call */
    bool borrowed;     /* the call runs on a thread of another job's call */
    unsigned most;     /* threads that the call can use */
    unsigned held;     /* threads lent to the job */
    unsigned least;    /* of `held`: threads that the job must keep; see lease_keep() */
    unsigned active;   /* threads at work */
    size_t promised;   /* bytes reserved, including those in use; 0 = none */
    size_t wants;      /* bytes that the job waits for, in addition to those in use */
    bool device_short; /* the memory of a device was short because of other jobs */
    bool again;        /* the job waits until another one ends; see `after` */
    uint64_t after;    /* with `again`: it goes on when pool.n_ended is above this */
} lease;

void lease_pool_init(lease_pool *pool, unsigned threads);
void lease_pool_clear(lease_pool *pool);
/* Marks the context as shared by several jobs. */
void lease_share(lode_ctx *ctx);

/* A call that works: a local variable of the public function. {0} = not entered. */
typedef struct lease_call {
    lode_job *job, *before;
    bool entered;
} lease_call;

/* Begins the call, after VALID_CALL: waits for a thread, and sets job->threads. The call cannot use
 * more than `most` threads. Errors: CANCELLED while it waits; INVALID: the job is in a call on
 * another thread. */
#define LEASE_ANY UINT_MAX
LODE_NODISCARD lode_status lease_enter(lode_job *job, unsigned most, lease_call *call);
/* Ends the call, whether lease_enter() succeeded or not. */
void lease_leave(lease_call *call);

/* For parallel_run(), before it starts a thread. False if the job has none left; with `firmly`, the
 * thread may start in any case, because the region cannot work without it. */
bool lease_start_thread(lode_job *job, bool firmly);
/* Undoes lease_start_thread(): the system could not start the thread. */
void lease_take_back_thread(lode_job *job);
/* The thread itself calls these first and last. `idle`: it has no work left, while others of its
 * region go on. */
void lease_begin_thread(lode_job *job);
void lease_end_thread(lode_job *job, bool idle);
/* A region has ended: sets job->threads to what is left. On the thread that entered. */
void lease_settle(lode_job *job);

/* The calling thread does not count as at work between these two calls, because it only waits for
 * threads that it starts. */
void lease_rest(lode_job *job);
void lease_resume(lode_job *job);

/* Reserves `bytes` in addition to those the job has. Waits while other jobs hold, or have reserved,
 * too much. *waited: it had to wait, and job->threads may be lower than before. Does nothing
 * without a budget, or if no other job shares it. On the thread that entered. Errors: CANCELLED,
 * STOPPED. */
LODE_NODISCARD lode_status lease_reserve(lode_job *job, size_t bytes, bool *waited);

/* Call it after a BUDGET error. If other jobs are the cause, waits until one of them has ended,
 * clears the message, and returns OK: try again. Otherwise BUDGET, CANCELLED or STOPPED. */
LODE_NODISCARD lode_status lease_again(lode_job *job);

/* Bytes held by other jobs that are in a call now. */
size_t lease_held_by_others(lode_job *job);

/* Bytes reserved by other jobs: the `promised` of mem_lender. */
size_t lease_promised(void *ctx, const mem *inner);

/* For a job that could use `wanted` threads, such as one per device: takes what is free, or all of
 * them if no other job uses the context. Returns how many of the `wanted` threads the job has now;
 * outside of a call, all. */
unsigned lease_extend(lode_job *job, unsigned wanted);
/* From now on the job cannot work with fewer than n threads. */
void lease_keep(lode_job *job, unsigned n);
/* job_tick() on the thread that entered, job_check() on any other: for loops within a piece of work
 * that may run very long, such as the sets of one family. */
LODE_NODISCARD lode_status lease_poll(lode_job *job);

/* The smaller of n and the number of threads the job has now. */
unsigned lease_width(lode_job *job, unsigned n);

/* Fills the fields of lode_ctx_usage() about threads and jobs. */
void lease_usage(lode_ctx *ctx, lode_usage *out);

bool lease_gives_now(lode_job *job);

/* Whether the calling thread should end, for the benefit of a waiting call. Workers of
 * parallel_run() call it between two pieces of work, provided the other workers can do the rest.
 * Once true, the worker must end soon. Never true for worker 0. */
#define lease_gives(job)                                                                           \
    (atomic_load_explicit(&(job)->ctx->pool.n_waiting, memory_order_relaxed) > 0 &&                \
     lease_gives_now(job))

#endif
