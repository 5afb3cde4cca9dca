/* ctx.h - what all jobs share (memory, threads, devices), and owners of memory that outlives a job
 *
 * A context is reference-counted: the program, jobs, data sets and results each hold a reference,
 * so that they may be freed in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_CTX_H
#define LODE_RUNTIME_CTX_H

#include <pthread.h>

#include "base/mem.h"
#include "base/status.h"
#include "runtime/lease.h"

/* An owner of memory that is not in use, such as unused prepared data. When memory is short, the
 * context calls `reclaim`, which frees at least `bytes` if it can, otherwise less, and returns
 * whether it freed anything. Any allocating thread may call `reclaim`, whatever locks the thread
 * holds. Therefore `reclaim` must not allocate, may wait only for locks under which no thread
 * allocates, and must return false if the calling thread holds such a lock. Calls do not
 * overlap. */
typedef struct ctx_reclaimer {
    bool (*reclaim)(void *user, size_t bytes);
    void *user;
    struct ctx_reclaimer *next; /* set by the context */
} ctx_reclaimer;

#define CTX_ORIGIN_BYTES 128

struct lode_ctx {
    mem mem;
    char memory_origin[CTX_ORIGIN_BYTES]; /* the origin of the budget; "" = the user set it */
    pthread_mutex_t reclaim_lock;
    ctx_reclaimer *reclaimers;
    bool of_one_job;  /* made for a job that was given no context */
    unsigned threads; /* limit for all jobs together */
    lease_pool pool;  /* lends the threads to the jobs */
    _Atomic unsigned n_jobs;
    uint64_t device_memory; /* budget in the memory of each GPU; 0 = none */
    /* accounts of jobs at devices (ledger.h); guarded by the pool's lock */
    struct ledger_account *accounts;
    uint64_t n_departures; /* number of accounts closed so far; guarded by the pool's lock */
    _Atomic unsigned n_holders;
};

/* Adds a holder. */
void ctx_hold(lode_ctx *ctx);
/* Removes a holder. Removing the last holder frees the context. */
void ctx_release(lode_ctx *ctx);

/* Registers a reclaimer, which the caller owns. The oldest reclaimer is called first. Reclaimers
 * must not call this function or the next one. */
void ctx_add_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer);
/* Removes a reclaimer, after waiting until a running call of `reclaim` has ended. */
void ctx_remove_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer);

/* Owns the memory of an object that outlives the job that creates the object, such as a data set.
 * The memory counts in the job until the object is complete, and in the context from then on. A
 * home holds a reference to its context.
 */
typedef struct ctx_home {
    lode_ctx *ctx;
    mem mem;
    unsigned n_holders; /* the object and, until the object is complete, its creator; not atomic */
} ctx_home;

LODE_NODISCARD lode_status ctx_home_create(lode_job *job, ctx_home **out);
/* Must be called when the object is complete: its memory then counts only in the context. */
void ctx_home_settle(ctx_home *home);
/* Adds a holder, and returns `home`. */
ctx_home *ctx_home_hold(ctx_home *home);
/* Removes a holder, which must have freed its memory. Removing the last holder frees the home. */
void ctx_home_release(ctx_home *home);

#endif
