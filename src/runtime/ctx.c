/* ctx.c - see ctx.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ctx.h"

#include <stdio.h>

#include "runtime/job.h"
#include "runtime/valid.h"

/* ---- unused memory --------------------------------------------------------------------------- */

static bool ctx_reclaim(void *user, size_t bytes) {
    lode_ctx *ctx = user;
    bool freed = false;
    pthread_mutex_lock(&ctx->reclaim_lock);
    for (ctx_reclaimer *r = ctx->reclaimers; r && !freed; r = r->next) {
        freed = r->reclaim(r->user, bytes);
    }
    pthread_mutex_unlock(&ctx->reclaim_lock);
    return freed;
}

void ctx_add_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer) {
    pthread_mutex_lock(&ctx->reclaim_lock);
    ctx_reclaimer **link = &ctx->reclaimers;
    while (*link) link = &(*link)->next;
    reclaimer->next = NULL;
    *link = reclaimer;
    pthread_mutex_unlock(&ctx->reclaim_lock);
}

void ctx_remove_reclaimer(lode_ctx *ctx, ctx_reclaimer *reclaimer) {
    pthread_mutex_lock(&ctx->reclaim_lock);
    ctx_reclaimer **link = &ctx->reclaimers;
    while (*link && *link != reclaimer) link = &(*link)->next;
    if (*link) *link = reclaimer->next;
    pthread_mutex_unlock(&ctx->reclaim_lock);
}

/* ---- the context ----------------------------------------------------------------------------- */

/* Most programs have just asked for the memory, so that the answer is known. */
static unsigned ctx_count_threads(void) {
    lode_resources r = LODE_INIT(lode_resources);
    lode_resources_get(&r);
    return r.threads;
}

lode_status lode_ctx_create(lode_ctx **out, const lode_ctx_options *options) {
    lode_ctx_options o;
    if (!out) return job_fail(NULL, LODE_INVALID, "out is NULL");
    lode_status status = valid_take(NULL, VALID_CTX, options, &o);
    if (status != LODE_OK) return status;
    mem m;
    lode_ctx *ctx = NULL;
    mem_init(&m, o.resize, o.resize_user, o.memory_bytes);
    if (mem_zalloc_uncounted(&m, (void **)&ctx, sizeof *ctx) != LODE_OK) return LODE_NOMEM;
    mem_init(&ctx->mem, o.resize, o.resize_user, o.memory_bytes);
    if (o.memory_origin) snprintf(ctx->memory_origin, CTX_ORIGIN_BYTES, "%s", o.memory_origin);
    ctx->mem.lender = (mem_lender){ctx_reclaim, lease_promised, ctx};
    pthread_mutex_init(&ctx->reclaim_lock, NULL);
    ctx->threads = o.threads ? o.threads : ctx_count_threads();
    lease_pool_init(&ctx->pool, ctx->threads);
    ctx->device_memory = o.device_memory_bytes;
    atomic_init(&ctx->n_holders, 1);
    *out = ctx;
    return LODE_OK;
}

void ctx_hold(lode_ctx *ctx) {
    atomic_fetch_add(&ctx->n_holders, 1);
}

void ctx_release(lode_ctx *ctx) {
    if (!ctx || atomic_fetch_sub(&ctx->n_holders, 1) > 1) return;
    LODE_DEBUG_CHECK(mem_used(&ctx->mem) == 0, "%zu bytes were not freed before their context",
                     mem_used(&ctx->mem));
    LODE_DEBUG_CHECK(!ctx->reclaimers, "a reclaimer was not removed before its context was freed");
    pthread_mutex_destroy(&ctx->reclaim_lock);
    lease_pool_clear(&ctx->pool);
    mem m;
    mem_init(&m, ctx->mem.resize, ctx->mem.user, 0);
    mem_free_uncounted(&m, ctx, sizeof *ctx);
}

void lode_ctx_free(lode_ctx *ctx) {
    ctx_release(ctx);
}

uint64_t lode_ctx_memory_used(const lode_ctx *ctx) {
    return ctx ? mem_used(&ctx->mem) : 0;
}

uint64_t lode_ctx_memory_peak(const lode_ctx *ctx) {
    return ctx ? atomic_load_explicit(&ctx->mem.peak, memory_order_relaxed) : 0;
}

bool lode_ctx_usage(lode_ctx *ctx, lode_usage *out) {
    lode_usage now = {.size = sizeof now};
    if (!ctx) return valid_fill(out, NULL);
    lease_usage(ctx, &now);
    now.memory_used = lode_ctx_memory_used(ctx);
    now.memory_peak = lode_ctx_memory_peak(ctx);
    now.memory_budget = ctx->mem.budget == SIZE_MAX ? 0 : ctx->mem.budget;
    return valid_fill(out, &now);
}

lode_status ctx_home_create(lode_job *job, ctx_home **out) {
    ctx_home *home = NULL;
    lode_status status = mem_zalloc(&job->ctx->mem, (void **)&home, sizeof *home);
    if (status != LODE_OK) return status;
    home->ctx = job->ctx;
    home->n_holders = 1;
    mem_init_inner(&home->mem, &job->mem, 0);
    ctx_hold(home->ctx);
    *out = home;
    return LODE_OK;
}

void ctx_home_settle(ctx_home *home) {
    mem_move_out(&home->mem);
}

ctx_home *ctx_home_hold(ctx_home *home) {
    home->n_holders++;
    return home;
}

void ctx_home_release(ctx_home *home) {
    if (!home || --home->n_holders > 0) return;
    lode_ctx *ctx = home->ctx;
    LODE_DEBUG_CHECK(mem_used(&home->mem) == 0, "%zu bytes were not freed", mem_used(&home->mem));
    mem_free(&ctx->mem, home, sizeof *home);
    ctx_release(ctx);
}
