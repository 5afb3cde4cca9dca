/* ctx.h - what all jobs share: memory, threads, devices; and owners of memory that outlives a job
 *
 * A context lives as long as anything in it does: the program holds it, and so do jobs, data sets
 * and results, so that they may be freed in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_CTX_H
#define LODE_RUNTIME_CTX_H

#include <pthread.h>

#include "base/mem.h"
#include "base/status.h"
#include "runtime/lease.h"

/* Something that holds memory which nobody needs now, such as unused prepared data. When memory is
 * short, `reclaim` is called: it frees at least `bytes` if it can, otherwise less, and returns
 * whether it freed anything. The caller is any thread that allocates, whatever locks it holds. So
 * `reclaim` may only wait for locks under which nobody allocates, and refuses if the calling thread
 * holds such a lock after all. It must not allocate. Calls do not overlap. */
typedef struct ctx_reclaimer {
    bool (*reclaim)(void *user, size_t bytes);
    void *user;
    struct ctx_reclaimer *next; /* set by the context */
} ctx_reclaimer;

#define CTX_ORIGIN_BYTES 128

struct lode_ctx {
    mem mem;
    char memory_origin[CTX_ORIGIN_BYTES]; /* where its budget comes from; "" = the user */
    pthread_mutex_t reclaim_lock;
    ctx_reclaimer *reclaimers;
    bool of_one_job;  /* made for a job that was given no context */
    unsigned threads; /* limit for all jobs together */
    lease_pool pool;  /* lends these threads to the jobs */
    _Atomic unsigned n_jobs;
    uint64_t device_memory; /* budget in the memory of each GPU; 0 = none */
    struct ledger_account
        *accounts;         /* of jobs at devices, see ledger.h; guarded by the lock of the pool */
    uint64_t n_departures; /* number of accounts left so far; guarded likewise */
    _Atomic unsigned n_holders;
};

/* Adds or removes a holder; the last to go frees the context. */
void ctx_hold(lode_ctx *ctx);
void ctx_release(lode_ctx *ctx);

/* Registers a reclaimer, which the caller owns; the oldest is called first. Removing waits until a
 * running call of `reclaim` ends. Reclaimers must not call these functions. */
void ctx_add_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer);
void ctx_remove_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer);

/* Owns the memory of an object that outlives the job that makes it, such as a data set. The memory
 * counts in the job until the object is complete, and in the context afterwards. Holds the context.
 */
typedef struct ctx_home {
    lode_ctx *ctx;
    mem mem;
    unsigned n_holders; /* the object, and its maker until it is complete; not atomic */
} ctx_home;

LODE_NODISCARD lode_status ctx_home_create(lode_job *job, ctx_home **out);
/* The object is complete: its memory now counts in the context only. */
void ctx_home_settle(ctx_home *home);
/* Adds or removes a holder, which has freed its memory there; the last to go frees the owner. */
ctx_home *ctx_home_hold(ctx_home *home);
void ctx_home_release(ctx_home *home);

#endif
