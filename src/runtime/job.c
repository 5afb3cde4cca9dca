/* job.c - see job.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/outfile.h"
#include "runtime/job_report.h"
#include "runtime/valid.h"

#define JOB_TICK_SECONDS 0.1
#define JOB_SLACK_BYTES  ((uint64_t)1 << 20) /* for small things that nobody counts beforehand */

/* A context for this job alone, within the limits that the job was given. */
static lode_status job_make_ctx(lode_ctx **out, const lode_job_options *o) {
    lode_ctx_options c = {.size = sizeof c,
                          .memory_bytes = o->memory_bytes,
                          .threads = o->threads,
                          .device_memory_bytes = o->device_memory_bytes};
    return lode_ctx_create(out, &c);
}

lode_status lode_job_create(lode_job **out, lode_ctx *ctx, const lode_job_options *options) {
    lode_job_options o;
    lode_job *job = NULL;
    if (!out) return valid_fail("out is NULL");
    lode_status status = valid_take(NULL, VALID_JOB, options, &o);
    if (status != LODE_OK) return status;
    const char *device = o.device ? o.device : "auto";
    if (strlen(device) >= JOB_DEVICE_BYTES) {
        return valid_fail("device is a text of %zu bytes; expected less than %d", strlen(device),
                          JOB_DEVICE_BYTES);
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
    job->wish = o.threads && o.threads < ctx->threads ? o.threads : ctx->threads;
    job->threads = job->wish;
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
    LODE_DEBUG_CHECK(lode_job_memory_used(job) == 0, "%llu bytes are held by a job's objects",
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

const char *lode_job_error(const lode_job *job) {
    return job ? job->message : valid_last();
}

void lode_job_cancel(lode_job *job) {
    if (job) atomic_store_explicit(&job->halt, JOB_CANCELLED, memory_order_relaxed);
}

void lode_job_reset(lode_job *job) {
    if (!job) return;
    atomic_store_explicit(&job->halt, JOB_RUNS, memory_order_relaxed);
    job_clear_message(job);
}

void job_halt(lode_job *job, job_halt_reason reason) {
    int runs = JOB_RUNS;
    atomic_compare_exchange_strong(&job->halt, &runs, (int)reason);
}

job_halt_reason job_end_limits(lode_job *job) {
    int reason = atomic_load(&job->halt);
    job->deadline = 0;
    if (reason != JOB_CANCELLED) atomic_compare_exchange_strong(&job->halt, &reason, JOB_RUNS);
    return (job_halt_reason)reason;
}

void job_start_limits(lode_job *job, double seconds) {
    job_end_limits(job); /* a sink may have been stopped between the jobs */
    job->deadline = seconds > 0 ? os_seconds() + seconds : 0;
}

lode_status job_check_limits(lode_job *job) {
    if (job->on_poll) job->on_poll(job->on_poll_user);
    if (job->deadline > 0 && os_seconds() >= job->deadline) job_halt(job, JOB_LIMIT_TIME);
    switch (atomic_load_explicit(&job->halt, memory_order_relaxed)) {
    case JOB_RUNS: return LODE_OK;
    case JOB_CANCELLED: return LODE_CANCELLED;
    default: return LODE_STOPPED;
    }
}

void lode_job_raise_threshold(lode_job *job, uint64_t min_count) {
    if (!job) return;
    uint64_t now = job_threshold(job);
    while (now < min_count && !atomic_compare_exchange_weak(&job->threshold, &now, min_count)) {
    }
}

uint64_t lode_job_memory_used(const lode_job *job) {
    return job ? atomic_load_explicit(&job->mem.used, memory_order_relaxed) : 0;
}

uint64_t lode_job_memory_peak(const lode_job *job) {
    return job ? atomic_load_explicit(&job->mem.peak, memory_order_relaxed) : 0;
}

lode_status job_fail(lode_job *job, lode_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&job->lock);
    if (job->message[0] == 0) vsnprintf(job->message, sizeof job->message, format, args);
    pthread_mutex_unlock(&job->lock);
    va_end(args);
    return status;
}

lode_status job_broken(lode_job *job, const char *file, int line, const char *what) {
    pthread_mutex_lock(&job->lock);
    snprintf(
        job->message, sizeof job->message,
        "internal error at %s:%d: %s; please report this with the command and, if you can, the "
        "data",
        check_file(file), line, what);
    pthread_mutex_unlock(&job->lock);
    return LODE_INTERNAL;
}

void job_clear_message(lode_job *job) {
    pthread_mutex_lock(&job->lock);
    job->message[0] = 0;
    job->needed = 0;
    pthread_mutex_unlock(&job->lock);
}

double job_mib(size_t bytes) {
    return (double)bytes / (1 << 20);
}

double job_mib_up(size_t bytes) {
    return (double)((bytes / 1024 * 10 + 10 + 1023) / 1024) / 10;
}

uint64_t lode_job_memory_needed(const lode_job *job) {
    return job ? job->needed : 0;
}

void job_forget_need(lode_job *job) {
    job->unsure = false;
    atomic_store_explicit(&job->need, 0, memory_order_relaxed);
}

void job_note_need(lode_job *job, uint64_t bytes) {
    size_t now = atomic_load_explicit(&job->need, memory_order_relaxed);
    while (now < bytes && !atomic_compare_exchange_weak(&job->need, &now, (size_t)bytes)) {
    }
}

/* A budget that is enough, in MiB. Where the job turned out to take more than could be told, it is
 * twice what it had. */
static uint64_t job_enough_mib(const lode_job *job, uint64_t bytes, bool *sure) {
    const uint64_t mib = 1 << 20;
    uint64_t need = atomic_load_explicit(&job->need, memory_order_relaxed);
    uint64_t refused = mem_refused(mem_tightest(&job->mem));
    uint64_t budget = mem_budget(&job->mem) == SIZE_MAX ? 0 : mem_budget(&job->mem);
    if (bytes > need) need = bytes;
    *sure = need > budget && !job->unsure;
    if (refused > need && need > budget) need = refused + refused / 4;
    if (need <= budget) need = 2 * (refused > budget ? refused : budget);
    return (need + JOB_SLACK_BYTES + mib - 1) / mib;
}

lode_status job_over_budget(lode_job *job, uint64_t bytes, const char *format, ...) {
    char what[JOB_MESSAGE_BYTES / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    bool sure = true;
    uint64_t mib = job_enough_mib(job, bytes, &sure);
    char others[64] = "";
    size_t held = mem_tightest(&job->mem) == &job->ctx->mem ? lease_held_by_others(job) : 0;
    if (held > 0) snprintf(others, sizeof others, "; other jobs hold %.1f MiB", job_mib_up(held));
    pthread_mutex_lock(&job->lock);
    if (job->message[0] == 0) job->needed = mib << 20;
    pthread_mutex_unlock(&job->lock);
    return job_fail(
        job, LODE_BUDGET,
        "the memory budget of %.1f MiB is too small: %s needs %s%llu MiB%s (--memory %lluM)%s",
        job_mib(mem_budget(&job->mem)), what, sure ? "" : "about ", (unsigned long long)mib,
        sure ? "" : ", more if much is found", (unsigned long long)mib, others);
}

lode_status job_explain(lode_job *job, lode_status status, const char *doing) {
    switch (status) {
    case LODE_OK: return status;
    case LODE_BUDGET: job_over_budget(job, 0, "%s", doing); break;
    case LODE_CANCELLED: job_fail(job, status, "%s was interrupted", doing); break;
    default: job_fail(job, status, "%s failed: %s", doing, lode_status_text(status));
    }
    job_report_failure(job, status);
    return status;
}

void job_log(lode_job *job, lode_log_level level, const char *format, ...) {
    if (!job->log) return;
    char text[JOB_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&job->log_lock);
    job->log(job->log_user, level, text);
    pthread_mutex_unlock(&job->log_lock);
}

void job_begin_phase(lode_job *job, const char *phase) {
    progress_begin(&job->at, phase);
    job->phase_start = os_seconds();
    job_forget_need(job);
    job->last_tick = job->phase_start;
}

bool lode_job_progress(lode_job *job, lode_progress *out) {
    lode_progress all = {.size = sizeof all};
    if (job) progress_look(&job->at, &all);
    return valid_fill(out, job ? &all : NULL);
}

/* Tells the program how far it is; true if it has had enough. */
static bool job_tell(lode_job *job) {
    lode_progress all = {.size = sizeof all};
    progress_look(&job->at, &all);
    return job->progress(job->progress_user, &all) != 0;
}

lode_status job_tick(lode_job *job, uint64_t done, uint64_t total) {
    lode_status status = job_check(job);
    if (total > 0) progress_reach(&job->at, (double)done / (double)total);
    if (status != LODE_OK || !job->progress) return status;
    double now = os_seconds();
    if (now - job->last_tick < JOB_TICK_SECONDS) return LODE_OK;
    job->last_tick = now;
    if (!job_tell(job)) return LODE_OK;
    lode_job_cancel(job);
    return LODE_CANCELLED;
}

void job_end_phase(lode_job *job) {
    progress_finish(&job->at);
    bool told = job->last_tick > job->phase_start;
    if (job->progress && told) job_tell(job); /* who heard of it hears of the end */
}

void lode_outputs_discard(void) {
    outfile_abandon_all();
}

const char *lode_version(void) {
    return LODE_VERSION_TEXT;
}

const char *lode_status_text(lode_status status) {
    switch (status) {
    case LODE_OK: return "done";
    case LODE_NOMEM: return "out of memory";
    case LODE_BUDGET: return "memory budget";
    case LODE_CANCELLED: return "interrupted";
    case LODE_INVALID: return "invalid argument";
    case LODE_PARSE: return "malformed input";
    case LODE_IO: return "input or output error";
    case LODE_UNSUPPORTED: return "not supported";
    case LODE_DEVICE: return "device error";
    case LODE_NOTFOUND: return "not found";
    case LODE_STOPPED: return "stopped early";
    case LODE_INTERNAL: return "internal error";
    }
    return "unknown status";
}
