/* job_create.c - creates, resets and frees jobs; see job.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/job.h"

#include <stdio.h>
#include <string.h>

#include "runtime/job_report.h"
#include "runtime/valid.h"

/* A context for this job alone, within the limits that the job was given. */
static lode_status job_make_ctx(lode_ctx **out, const lode_job_options *o) {
    lode_ctx_options c = {.size = sizeof c,
                          .memory_bytes = o->memory_bytes,
                          .threads = o->threads,
                          .device_memory_bytes = o->device_memory_bytes,
                          .memory_origin = o->memory_origin};
    return lode_ctx_create(out, &c);
}

lode_status lode_job_create(lode_job **out, lode_ctx *ctx, const lode_job_options *options) {
    lode_job_options o;
    lode_job *job = NULL;
    if (!out) return job_fail(NULL, LODE_INVALID, "out is NULL");
    lode_status status = valid_take(NULL, VALID_JOB, options, &o);
    if (status != LODE_OK) return status;
    const char *device = o.device ? o.device : "auto";
    if (strlen(device) >= JOB_DEVICE_BYTES) {
        return job_fail(NULL, LODE_INVALID, "device has %zu characters; expected fewer than %d",
                        strlen(device), JOB_DEVICE_BYTES);
    }

    if (ctx) {
        ctx_hold(ctx);
    } else {
        LODE_TRY(job_make_ctx(&ctx, &o));
        ctx->of_one_job = true;
    }
    LODE_TRY(mem_zalloc_uncounted(&ctx->mem, (void **)&job, sizeof *job));
    job->ctx = ctx;
    mem_init_inner(&job->mem, &ctx->mem, o.memory_bytes);
    if (o.memory_origin) snprintf(job->memory_origin, CTX_ORIGIN_BYTES, "%s", o.memory_origin);
    job->wish = o.threads && o.threads < ctx->threads ? o.threads : ctx->threads;
    job->threads = job->wish;
    job->any_threads = o.threads == 0;
    if (atomic_fetch_add(&ctx->n_jobs, 1) > 0) lease_share(ctx);
    memcpy(job->device, device, strlen(device) + 1);
    job->device_memory = o.device_memory_bytes ? o.device_memory_bytes : ctx->device_memory;
    job->log = o.log;
    job->log_user = o.log_user;
    job->progress = o.progress;
    job->progress_user = o.progress_user;
    progress_init(&job->at);
    pthread_mutex_init(&job->lock, NULL);
    pthread_mutex_init(&job->log_lock, NULL);
    job_report_init(job);
    *out = job;
done:
    if (status != LODE_OK) ctx_release(ctx);
    return status;
}

void lode_job_free(lode_job *job) {
    if (!job) return;
    LODE_DEBUG_CHECK(lode_job_memory_used(job) == 0, "objects of the job still hold %llu bytes",
                     (unsigned long long)lode_job_memory_used(job));
    pthread_mutex_destroy(&job->lock);
    pthread_mutex_destroy(&job->log_lock);
    progress_clear(&job->at);
    lode_ctx *ctx = job->ctx;
    job_report_free(job);
    mem_free_uncounted(&ctx->mem, job, sizeof *job);
    ctx_release(ctx);
}

lode_ctx *lode_job_ctx(const lode_job *job) {
    return job ? job->ctx : NULL;
}

uint64_t lode_job_memory_used(const lode_job *job) {
    return job ? atomic_load_explicit(&job->mem.used, memory_order_relaxed) : 0;
}

uint64_t lode_job_memory_peak(const lode_job *job) {
    return job ? atomic_load_explicit(&job->mem.peak, memory_order_relaxed) : 0;
}
