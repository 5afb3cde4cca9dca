/* job.c - a running job: limits, cancelling, phases and progress; see job.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/job.h"

#include "base/os.h"
#include "base/sized.h"

#define JOB_TICK_SECONDS 0.1

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
    job_end_limits(job); /* a sink may have stopped it since the last one */
    job->deadline = seconds > 0 ? os_seconds() + seconds : 0;
}

/* Of the threads that find that it is time, one asks. */
static void job_ask_by_time(lode_job *job, double now) {
    double at = atomic_load_explicit(&job->ask_at, memory_order_relaxed);
    bool mine =
        now >= at && atomic_compare_exchange_strong(&job->ask_at, &at, now + job->ask_every);
    if (mine) atomic_store(&job->asked, job->ask_n);
}

void job_move_after(lode_job *job, double seconds, double left, bool (*can_move)(void)) {
    job->move_left = left;
    job->can_move = can_move;
    job->move_at = os_seconds() + seconds;
}

/* Ends the search, so that it begins again where job->moved says. */
static void job_move(lode_job *job) {
    int runs = JOB_RUNS;
    pthread_mutex_lock(&job->lock);
    bool may = job->raises == JOB_RAISES_AGAIN;
    if (may && atomic_compare_exchange_strong(&job->halt, &runs, JOB_RAISED)) {
        job->raise_to = job->raise_from;
        job->moved = true;
    }
    pthread_mutex_unlock(&job->lock);
}

/* Checks again whether moving pays when twice as much time has passed, with less trust in the
 * progress: a search that should have ended by now has slowed down, and may do so again. */
static void job_move_by_time(lode_job *job) {
    double now = os_seconds();
    if (now < job->move_at) return;
    double share = progress_share(&job->at), spent = now - job->phase_start;
    bool pays = spent * (1 - share) > job->move_left * share;
    job->move_at = pays ? 0 : now + spent;
    job->move_left /= 4;
    if (pays && job->can_move()) job_move(job);
}

lode_status job_check_limits(lode_job *job) {
    double now = os_seconds();
    if (job->on_poll) job->on_poll(job->on_poll_user);
    if (job->deadline > 0 && now >= job->deadline) job_halt(job, JOB_LIMIT_TIME);
    if (job->ask_every > 0) job_ask_by_time(job, now);
    switch (atomic_load_explicit(&job->halt, memory_order_relaxed)) {
    case JOB_RUNS: return LODE_OK;
    case JOB_CANCELLED: return LODE_CANCELLED;
    default: return LODE_STOPPED;
    }
}

/* ---- the threshold --------------------------------------------------------------------------- */

void job_raise_threshold(lode_job *job, uint64_t min_count) {
    uint64_t now = job_threshold(job);
    while (now < min_count && !atomic_compare_exchange_weak(&job->threshold, &now, min_count)) {
    }
}

void job_begin_search(lode_job *job, job_raises raises, uint64_t min_count) {
    pthread_mutex_lock(&job->lock);
    job->raises = raises;
    job->raise_from = min_count;
    job->raise_to = 0;
    job->moved = false;
    pthread_mutex_unlock(&job->lock);
}

uint64_t job_next_search(lode_job *job, bool may_begin) {
    int raised = JOB_RAISED;
    pthread_mutex_lock(&job->lock);
    uint64_t min_count = may_begin ? job->raise_to : 0;
    if (min_count == 0) job->raises = JOB_RAISES_NOTHING;
    job->raise_from = min_count;
    job->raise_to = 0;
    job->move_at = 0;
    atomic_compare_exchange_strong(&job->halt, &raised, JOB_RUNS);
    pthread_mutex_unlock(&job->lock);
    return min_count;
}

/* Ends the search, so that it starts again with a higher threshold. The caller holds the lock. A
 * search that is ending for another reason is no longer raised. */
static lode_status job_raise_again(lode_job *job, uint64_t min_count) {
    int halt = JOB_RUNS;
    if (min_count <= job->raise_from || min_count <= job->raise_to) return LODE_OK;
    bool ends = atomic_compare_exchange_strong(&job->halt, &halt, JOB_RAISED);
    if (!ends && halt != JOB_RAISED) return LODE_NOTFOUND;
    job->raise_to = min_count;
    return LODE_OK;
}

lode_status lode_job_raise_threshold(lode_job *job, uint64_t min_count) {
    lode_status status = LODE_NOTFOUND;
    if (!job) return LODE_INVALID;
    pthread_mutex_lock(&job->lock);
    if (job->raises == JOB_RAISES_AGAIN) status = job_raise_again(job, min_count);
    if (job->raises == JOB_RAISES_REFUSED) status = LODE_UNSUPPORTED;
    if (job->raises == JOB_RAISES_ON) {
        job_raise_threshold(job, min_count);
        status = LODE_OK;
    }
    pthread_mutex_unlock(&job->lock);
    return status;
}

/* ---- tasks for others ------------------------------------------------------------------------ */

void lode_job_ask_task(lode_job *job) {
    if (job) job_ask_again(job);
}

bool job_claim_ask(lode_job *job) {
    unsigned now = atomic_load_explicit(&job->asked, memory_order_relaxed);
    while (now > 0) {
        if (atomic_compare_exchange_weak(&job->asked, &now, now - 1)) return true;
    }
    return false;
}

void job_ask_again(lode_job *job) {
    atomic_fetch_add(&job->asked, 1);
}

void job_ask_after(lode_job *job, double seconds, double every, unsigned n) {
    atomic_store(&job->ask_at, os_seconds() + seconds);
    job->ask_n = n;
    job->ask_every = every;
}

void job_ask_no_more(lode_job *job) {
    job->ask_every = 0;
    atomic_store(&job->asked, 0);
}

/* ---- phases ---------------------------------------------------------------------------------- */

void job_note_need(lode_job *job, uint64_t bytes) {
    size_t now = atomic_load_explicit(&job->need, memory_order_relaxed);
    while (now < bytes && !atomic_compare_exchange_weak(&job->need, &now, (size_t)bytes)) {
    }
}

void job_forget_need(lode_job *job) {
    job->unsure = false;
    atomic_store_explicit(&job->need, 0, memory_order_relaxed);
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
    return sized_fill(out, job ? &all : NULL);
}

/* Tells the program how far it is; true if it has had enough. */
static bool job_tell(lode_job *job) {
    lode_progress all = {.size = sizeof all};
    progress_look(&job->at, &all);
    return job->progress(job->progress_user, &all) != 0;
}

lode_status job_tick(lode_job *job, uint64_t done, uint64_t total) {
    if (job->move_at > 0) job_move_by_time(job);
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
    if (job->progress && told) job_tell(job); /* a program that saw the phase sees its end */
}
