/* ctx.h - what all jobs share: memory, threads, devices; and homes for what outlives a job
 *
 * A context lives as long as anything in it does: the program holds it, and so do jobs, data sets
 * and results, so that they may be freed in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_CTX_H
#define LODE_RUNTIME_CTX_H

#include "base/mem.h"
#include "base/status.h"

struct lode_ctx {
    mem mem;
    unsigned threads;       /* that jobs may use together */
    uint64_t device_memory; /* budget in the memory of each GPU; 0 = none */
    _Atomic unsigned n_holders;
};

/* Another holder, and one less; the last frees it. */
void ctx_hold(lode_ctx *ctx);
void ctx_release(lode_ctx *ctx);

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
