/* ctx.h - what all jobs share: memory, threads, devices; and homes for what outlives a job
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

/* Something that holds memory which nobody needs at the moment, such as what was prepared from a
 * data set and has no user now. When memory is short, in whatever thread and under whatever locks
 * that is, `reclaim` is called: it frees some of it, of `bytes` or more if it can, and returns
 * whether it did. It must not wait (locks are tried) nor take memory, and calls do not overlap. */
typedef struct ctx_reclaimer {
    bool (*reclaim)(void *user, size_t bytes);
    void *user;
    struct ctx_reclaimer *next; /* for the context */
} ctx_reclaimer;

struct lode_ctx {
    mem mem;
    pthread_mutex_t reclaim_lock;
    ctx_reclaimer *reclaimers;
    unsigned threads;       /* that jobs may use together */
    uint64_t device_memory; /* budget in the memory of each GPU; 0 = none */
    _Atomic unsigned n_holders;
};

/* Another holder, and one less; the last frees it. */
void ctx_hold(lode_ctx *ctx);
void ctx_release(lode_ctx *ctx);

/* Asks it when memory is short, the oldest first; and no more: when that returns, it is not being
 * asked. The reclaimer is the caller's. Neither may be called with a lock that `reclaim` waits for,
 * and reclaimers do not call them. */
void ctx_add_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer);
void ctx_remove_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer);

/* The memory of an object that outlives the job that makes it, such as a data set: it counts in the
 * job until the object is complete, and in the context from then on. Holds the context. */
typedef struct ctx_home {
    lode_ctx *ctx;
    mem mem;
    unsigned n_holders; /* the object, and who makes it until that is done: on one thread */
} ctx_home;

LODE_NODISCARD lode_status ctx_home_create(lode_job *job, ctx_home **out);
/* The object is complete: the job has no part in it any more. */
void ctx_home_settle(ctx_home *home);
/* Another holder, and one less, who has freed what it had there; the last frees it. */
ctx_home *ctx_home_hold(ctx_home *home);
void ctx_home_release(ctx_home *home);

#endif
