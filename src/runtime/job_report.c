/* job_report.c - see job_report.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/job_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "runtime/job.h"

/* Copies the job's own figures to the report, and updates derived ones. */
static void report_settle_job(lode_job *job) {
    lode_report *r = &job->report;
    size_t budget = mem_budget(&job->mem);
    r->memory_budget = budget == SIZE_MAX ? 0 : budget;
    r->memory_peak = lode_ctx_memory_peak(job->ctx);
    r->device_budget = job->device_memory;
    r->n_thread_seconds = job->n_worker_seconds;
    memcpy(r->thread_seconds, job->worker_seconds, sizeof r->thread_seconds);
    report_settle(r);
}

/* Begins a new report, unless the last one is about files that were read without error: then the
 * search that follows is added to it. */
static void report_begin(lode_job *job) {
    lode_report *r = &job->report;
    if (r->begun && !r->has_run && r->status == LODE_OK) return;
    report_clear(r);
    r->begun = true;
    job->n_worker_seconds = 0;
    memset(job->worker_seconds, 0, sizeof job->worker_seconds);
}

void job_report_init(lode_job *job) {
    report_clear(&job->report);
    report_settle_job(job);
}

void job_report_free(lode_job *job) {
    lode_report *r = &job->report;
    mem_free_uncounted(&job->ctx->mem, r->sizes, r->room * sizeof *r->sizes);
    r->sizes = NULL;
    r->n_sizes = r->room = 0;
}

void job_report_begin_read(lode_job *job) {
    report_begin(job);
}

lode_status job_report_end_read(lode_job *job, lode_status status) {
    job->report.read_seconds += os_seconds() - job->phase_start;
    report_settle_job(job);
    return status;
}

void job_report_begin_mine(lode_job *job, lode_pattern_kind kind, const void *sink) {
    report_begin(job);
    job->report.has_run = true;
    job->report.graphs = kind == LODE_GRAPHS;
    job->report.rules = kind == LODE_RULES;
    job->report.sink = sink;
}

lode_status job_report_end_mine(lode_job *job, double start, lode_status status) {
    job->report.engine.times.total = os_seconds() - start;
    report_note_status(&job->report, status, job->message);
    report_settle_job(job);
    return status;
}

/* Shares come from texts, such as 0.5%: 15 digits print them as they were given. */
void job_report_threshold(lode_job *job, lode_threshold t) {
    char *text = job->report.asked.threshold;
    size_t room = sizeof job->report.asked.threshold;
    job->report.asked.one = t.numerator == 1 && t.denominator == 0;
    if (t.numerator == 0) {
        text[0] = 0;
    } else if (t.denominator == 0) {
        snprintf(text, room, "%llu", (unsigned long long)t.numerator);
    } else {
        snprintf(text, room, "%.15g%%", 100 * ((double)t.numerator / (double)t.denominator));
    }
}

static lode_status report_make_room(lode_job *job, size_t n) {
    lode_report *r = &job->report;
    if (n <= r->room) return LODE_OK;
    job_report_free(job);
    lode_status status =
        mem_zalloc_uncounted(&job->ctx->mem, (void **)&r->sizes, n * sizeof *r->sizes);
    if (status == LODE_OK) r->room = n;
    return status;
}

lode_status job_report_result(lode_job *job, const void *sink, const report_result *result,
                              const uint64_t *by_size, size_t n_sizes) {
    lode_report *r = &job->report;
    size_t n = 0;
    if (r->sink != sink) return LODE_OK;
    for (size_t i = 0; i < n_sizes; i++) n += by_size[i] > 0;
    lode_status status = report_make_room(job, n);
    if (status != LODE_OK) return status;
    r->result = *result;
    r->n_sizes = 0;
    for (size_t i = 0; i < n_sizes; i++) {
        if (by_size[i] > 0) r->sizes[r->n_sizes++] = (report_size){i, by_size[i]};
    }
    r->result.largest = r->n_sizes > 0 ? r->sizes[r->n_sizes - 1].size : 0;
    snprintf(r->output, sizeof r->output, "%s", result->path ? result->path : "");
    r->result.path = NULL; /* lent by the sink */
    return LODE_OK;
}

lode_status job_report_end_finish(lode_job *job, const void *sink, double start,
                                  lode_status status) {
    lode_report *r = &job->report;
    if (r->sink != sink) return status;
    bool written = status == LODE_OK || status == LODE_CANCELLED;
    r->finish_seconds += os_seconds() - start;
    r->to_file = r->result.temporary && written;
    report_note_status(r, status, job->message);
    report_settle_job(job);
    return status;
}

/* A call has failed: records it, unless the report is about a search. */
static void job_report_failure(lode_job *job, lode_status status) {
    if (job->report.has_run) return;
    report_note_status(&job->report, status, job->message);
    report_settle_job(job);
}

const lode_report *lode_job_report(const lode_job *job) {
    return job ? &job->report : NULL;
}

void lode_report_fail(lode_job *job, lode_status status, const char *message) {
    if (!job) return;
    report_note_status(&job->report, status, message);
    report_settle_job(job);
}

/* ---- why a call failed, and which memory budget would be enough ------------------------------ */

#define JOB_SLACK_BYTES ((uint64_t)1 << 20) /* for small allocations that are not predicted */

uint64_t lode_job_memory_needed(const lode_job *job) {
    return job ? job->needed : 0;
}

/* Returns a budget that is enough, in MiB. If the job took more than expected, that is not known:
 * then returns twice what the job had, and sets *sure to false. */
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

const char *job_budget_origin(const lode_job *job) {
    bool shared = mem_tightest(&job->mem) == &job->ctx->mem;
    return shared ? job->ctx->memory_origin : job->memory_origin;
}

static void job_tell_origin(const lode_job *job, char *text, size_t bytes) {
    const char *origin = job_budget_origin(job);
    text[0] = 0;
    if (origin[0]) snprintf(text, bytes, "; this budget is %s; change it with --memory", origin);
}

lode_status job_over_budget(lode_job *job, uint64_t bytes, const char *format, ...) {
    char what[JOB_MESSAGE_BYTES / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    bool sure = true;
    uint64_t mib = job_enough_mib(job, bytes, &sure);
    char others[64] = "", origin[CTX_ORIGIN_BYTES + 64];
    job_tell_origin(job, origin, sizeof origin);
    size_t held = mem_tightest(&job->mem) == &job->ctx->mem ? lease_held_by_others(job) : 0;
    if (held > 0) snprintf(others, sizeof others, "; other jobs hold %.1f MiB", job_mib_up(held));
    pthread_mutex_lock(&job->lock);
    if (job->message[0] == 0) job->needed = mib << 20;
    pthread_mutex_unlock(&job->lock);
    return job_fail(
        job, LODE_BUDGET,
        "the memory budget of %.1f MiB is too small: %s needs %s%llu MiB%s (--memory %lluM%s)"
        "%s%s",
        job_mib(mem_budget(&job->mem)), what, sure ? "" : "about ", (unsigned long long)mib,
        sure ? "" : ", more if the result is large", (unsigned long long)mib,
        job->can_spill ? ", or --spill DIR to keep on disk what does not fit" : "", others, origin);
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
