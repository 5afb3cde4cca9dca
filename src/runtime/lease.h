/* lease.h - threads and memory of a context, lent to the calls of its jobs
 *
 * What:   the thread limit counts every thread at work: the thread that calls lode, and the threads
 *         that parallel_run() starts. A public call that needs threads borrows at least one and at
 *         most as many as the job may use, and returns them at its end. When no thread is free,
 *         calls wait in order of arrival.
 * Shares: while calls wait, a call that holds more than an equal share (threads / jobs) returns the
 *         excess as soon as it can: when a thread ends, or when a worker calls lease_gives()
 *         between two pieces of work. A call never gets more threads than it began with, except
 *         through lease_extend(), when devices are chosen.
 * Memory: a job that knows how much memory it will need reserves the memory, so that other jobs
 *         cannot take it. If other jobs hold too much, the job waits in the same queue, without
 *         threads, until they end. When no job works, the first job in the queue continues with the
 *         memory that is free, or fails.
 * Nested: a call within a call of the same job (for example, the miner finishes a sink) is part of
 *         the outer call. A call with another job, from a callback, runs on the callback's thread
 *         and does not wait. This thread is already counted, and waiting for the outer call would
 *         be a deadlock.
 * Cost:   a call takes two uncontended locks, and two more for each thread that it starts.
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
    unsigned allowed, free; /* number of all threads, and of threads not lent */
    /* threads told to end by lease_gives(); they are neither free nor held */
    unsigned leaving;
    unsigned active, peak;       /* threads at work now, and the highest number so far */
    lode_job *running, *waiting; /* two lists: the jobs in a call, and the queue of waiting jobs */
    unsigned n_running;
    _Atomic unsigned n_waiting;
    uint64_t n_ended;    /* number of calls that have ended; see lease.after */
    _Atomic bool shared; /* the context has, or had, more than one job */
} lease_pool;

/* What a job has borrowed. */
typedef struct lease {
    lode_job *next;    /* the next job in one of the two lists of the pool */
    bool within;       /* the job is in a call */
    bool borrowed;     /* the call runs on a thread of another job's call */
    unsigned most;     /* threads that the call can use */
    unsigned held;     /* threads lent to the job */
    unsigned least;    /* how many of the `held` threads the job must keep; see lease_keep() */
    unsigned active;   /* threads at work */
    size_t promised;   /* bytes reserved, including those in use; 0 = none */
    size_t wants;      /* bytes that the job waits for, in addition to those in use */
    bool device_short; /* the memory of a device was short because of other jobs */
    bool again;        /* the job waits until another one ends; see `after` */
    /* if `again` is set, the job continues when pool.n_ended exceeds this number */
    uint64_t after;
} lease;

void lease_pool_init(lease_pool *pool, unsigned threads);
void lease_pool_clear(lease_pool *pool);
/* Marks the context as shared by several jobs. */
void lease_share(lode_ctx *ctx);

/* A call that borrows threads. It is a local variable of the public function; {0} = not entered. */
typedef struct lease_call {
    lode_job *job, *before;
    bool entered;
} lease_call;

/* Begins a call: waits for a thread, and sets job->threads. VALID_CALL must come before it. The
 * call cannot use more than `most` threads. Errors: CANCELLED (the job was cancelled while
 * waiting); INVALID (the job is in a call on another thread). */
#define LEASE_ANY UINT_MAX
LODE_NODISCARD lode_status lease_enter(lode_job *job, unsigned most, lease_call *call);
/* Ends a call. Must be called whether lease_enter() succeeded or not. */
void lease_leave(lease_call *call);

/* parallel_run() calls this function before it starts a thread. Returns false if the job has no
 * thread left. With `firmly`, the thread may start in any case, because the region (the call of
 * parallel_run()) cannot work without this thread. */
bool lease_start_thread(lode_job *job, bool firmly);
/* Undoes lease_start_thread() when the system could not start the thread. */
void lease_take_back_thread(lode_job *job);
/* A started thread must call this function first. */
void lease_begin_thread(lode_job *job);
/* A started thread must call this function last. `idle`: the thread has no work left, but other
 * threads of its region go on. */
void lease_end_thread(lode_job *job, bool idle);
/* Must be called when a region has ended, on the thread that called lease_enter(): sets
 * job->threads to the number of threads left. */
void lease_settle(lode_job *job);

/* Until lease_resume(), the calling thread is not counted as working, because it only waits for
 * threads that it starts. */
void lease_rest(lode_job *job);
/* From now on, the calling thread is counted as working again. */
void lease_resume(lode_job *job);

/* Reserves `bytes` in addition to the memory that the job has. Waits while other jobs hold or have
 * reserved too much. *waited receives whether the job had to wait; job->threads may then be lower
 * than before. Does nothing if there is no budget or no other job shares it. Must be called on the
 * thread that called lease_enter(). Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status lease_reserve(lode_job *job, size_t bytes, bool *waited);

/* Must be called after a BUDGET error. If other jobs are the cause, waits until one of them has
 * ended, clears the message, and returns OK, which means that the caller should try again.
 * Otherwise returns BUDGET, CANCELLED or STOPPED. */
LODE_NODISCARD lode_status lease_again(lode_job *job);

/* Returns the bytes held by other jobs that are in a call now. */
size_t lease_held_by_others(lode_job *job);

/* Returns the bytes reserved by other jobs; this is the `promised` function of mem_lender. */
size_t lease_promised(void *ctx, const mem *inner);

/* Gives more threads to a job that could use `wanted` threads, such as one per device. The job gets
 * the threads that are free, or all `wanted` threads if no other job uses the context. Returns how
 * many of the `wanted` threads the job has now (outside of a call, all of them). */
unsigned lease_extend(lode_job *job, unsigned wanted);
/* Makes the job keep at least n threads from now on. */
void lease_keep(lode_job *job, unsigned n);
/* Calls job_tick() on the thread that called lease_enter(), and job_check() on any other thread.
 * Use it in loops within a piece of work that may run very long, such as the sets of one family. */
LODE_NODISCARD lode_status lease_poll(lode_job *job);

/* Returns the smaller of n and the number of threads that the job has now. */
unsigned lease_width(lode_job *job, unsigned n);

/* Fills in the fields of `out` that are about threads and jobs. */
void lease_usage(lode_ctx *ctx, lode_usage *out);

bool lease_gives_now(lode_job *job);

/* Returns whether the calling thread should end so that a waiting call can use it. Workers of
 * parallel_run() may call it between two pieces of work if the other workers can do the remaining
 * work. A worker that gets true must end soon. Worker 0 never gets true. */
#define lease_gives(job)                                                                           \
    (atomic_load_explicit(&(job)->ctx->pool.n_waiting, memory_order_relaxed) > 0 &&                \
     lease_gives_now(job))

#endif
