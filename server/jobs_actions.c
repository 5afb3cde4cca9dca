/* jobs_actions.c - what visitors do to jobs: cancel, keep, raise the threshold, delete
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "jobs_live.h"
#include "stores.h"
#include "trash.h"

#define JOB_PATIENCE 10 /* seconds that a worker has to hear a cancel */

/* ---- cancel ---------------------------------------------------------------------------------- */

static void job_impatient(evutil_socket_t fd, short what, void *user) {
    const live_job *job = user;
    (void)fd, (void)what;
    if (job->call) workers_kill(job->call);
}

void job_cancel(live_job *job) {
    const struct timeval patience = {.tv_sec = JOB_PATIENCE};
    if (job->ended) return; /* its end is being stored */
    if (!job->running) {
        job_drop(job, "cancelled", NULL);
        return;
    }
    if (job->stopping || !job->call) return;
    job->stopping = true;
    workers_control(job->call, worker_request_new("cancel"));
    job->patience = event_new(job->server->base, -1, 0, job_impatient, job);
    if (job->patience) event_add(job->patience, &patience);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The job of the path, which waits or runs. NULL: it has answered. */
static live_job *action_job(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    char state[16];
    live_job *job = jobs_find(s->jobs, id);
    if (job && !job->ended) return job;
    db_step step = job ? DB_ROW : job_row_state(s, id, state);
    if (job) snprintf(state, sizeof state, "being stored");
    if (step == DB_ROW) {
        reply_error(r, 409, "conflict", "Job %" PRIu64 " has ended already (%s).", id, state);
    } else {
        job_reply_missing(r, id, step);
    }
    return NULL;
}

void route_cancel(server *s, request *r) {
    live_job *job = action_job(s, r);
    if (!job) return;
    uint64_t id = job->id;
    job_cancel(job);
    job_reply(s, r, 202, id);
}

/* A job that does not run yet has found nothing. */
static live_job *action_running_job(server *s, request *r) {
    live_job *job = action_job(s, r);
    if (!job || (job->running && job->call && !job->stopping)) return job;
    reply_error(r, 409, "conflict",
                job->stopping ? "Job %" PRIu64 " is being cancelled."
                              : "Job %" PRIu64 " has not begun yet: it can only be cancelled.",
                job->id);
    return NULL;
}

void route_keep(server *s, request *r) {
    live_job *job = action_running_job(s, r);
    if (!job) return;
    workers_control(job->call, worker_request_new("keep"));
    job_reply(s, r, 202, job->id);
}

/* A share needs the number of transactions, which is known when the data are open. */
static bool raise_count(server *s, request *r, const live_job *job, uint64_t *count) {
    char message[256];
    lode_threshold threshold;
    json_t *body = request_object(r);
    if (!body) return false;
    const char *words = job_option(body, "min-support");
    if (!words || json_object_size(body) != 1) {
        reply_error(r, 422, "invalid",
                    "Expected {\"min-support\": \"2%%\"}: a share or a count, as text.");
        return false;
    }
    if (lode_threshold_parse(words, &threshold, message, sizeof message) != LODE_OK) {
        reply_error(r, 422, "invalid", "min-support: %s", message);
        return false;
    }
    uint64_t total = workers_total(s->workers, job->dataset);
    if (total == 0 && threshold.denominator > 0) {
        reply_error(r, 409, "conflict", "The data are still being read; try again in a moment.");
        return false;
    }
    *count = lode_threshold_count(threshold, total);
    return true;
}

void route_raise(server *s, request *r) {
    uint64_t count;
    char number[24];
    live_job *job = action_running_job(s, r);
    if (!job || !raise_count(s, r, job, &count)) return;
    snprintf(number, sizeof number, "%" PRIu64, count);
    worker_request *raise = worker_request_new("raise");
    worker_request_add(raise, "min_count", number);
    workers_control(job->call, raise);
    job_reply(s, r, 202, job->id);
}

/* ---- delete ---------------------------------------------------------------------------------- */

bool job_forget(server *s, uint64_t id) {
    live_job *job = s->jobs->first;
    compare_forget(s, id);
    events_end(&s->jobs->listeners, id);
    stores_forget(s, id);
    while (job && job->id != id) job = job->next;
    if (!job) return true;
    job->deleted = true;
    job_cancel(job); /* its end looks into the trash again */
    return false;
}

static void job_deleted(void *user, const db_outcome *outcome) {
    if (outcome->stored) {
        reply_empty(user, 204);
    } else {
        reply_unstored(user, outcome);
    }
}

void route_delete(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    char state[16];
    db_step step = job_row_state(s, id, state);
    if (step == DB_ROW) {
        trash_job(s, id, job_deleted, r);
    } else {
        job_reply_missing(r, id, step);
    }
}
