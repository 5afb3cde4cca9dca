/* job_budget.c - why a call failed, and which memory budget would be enough; see job.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/job.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/job_report.h"

#define JOB_SLACK_BYTES ((uint64_t)1 << 20) /* for small things that nobody counts beforehand */

uint64_t lode_job_memory_needed(const lode_job *job) {
    return job ? job->needed : 0;
}

/* A budget that is enough, in MiB. If the job took more than it had foreseen, that is not known:
 * then the answer is twice what it had, and not `sure`. */
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
    if (origin[0]) snprintf(text, bytes, "; the budget is %s: --memory sets another", origin);
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
        "the memory budget of %.1f MiB is too small: %s needs %s%llu MiB%s (--memory %lluM%s)%s%s",
        job_mib(mem_budget(&job->mem)), what, sure ? "" : "about ", (unsigned long long)mib,
        sure ? "" : ", more if much is found", (unsigned long long)mib,
        job->can_spill ? ", or a folder for what does not fit: --spill DIR" : "", others, origin);
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
