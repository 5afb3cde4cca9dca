/* jobs_actions.c - what visitors do to jobs: cancel, keep, raise the threshold, delete
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "database.h"
#include "discard.h"
#include "jobs_live.h"
#include "stores.h"

#define JOB_PATIENCE 10 /* seconds that a worker has to hear a cancel */

/* ---- cancel ---------------------------------------------------------------------------------- */

static void job_impatient(evutil_socket_t fd, short what, void *user) {
    const live_job *job = user;
    (void)fd, (void)what;
    if (job->call) workers_kill(job->call);
}

void job_cancel(live_job *job) {
    const struct timeval patience = {.tv_sec = JOB_PATIENCE};
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
    if (job) return job;
    if (job_row_state(s, id, state)) {
        reply_error(r, 409, "conflict", "Job %" PRIu64 " has ended already (%s).", id, state);
    } else {
        reply_error(r, 404, "notfound", "There is no job %" PRIu64 ".", id);
    }
    return NULL;
}

static void action_reply(server *s, request *r, uint64_t id) {
    json_t *job = job_json(s, id, true);
    if (job) {
        reply_json(r, 202, job);
    } else {
        reply_error(r, 503, "unavailable", "The server has no more memory; try again later.");
    }
}

void route_cancel(server *s, request *r) {
    live_job *job = action_job(s, r);
    if (!job) return;
    uint64_t id = job->id;
    job_cancel(job);
    action_reply(s, r, id);
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
    action_reply(s, r, job->id);
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
    action_reply(s, r, job->id);
}

/* ---- delete ---------------------------------------------------------------------------------- */

/* One that runs is cancelled, and what its worker still writes is removed at its end. */
bool job_delete(server *s, uint64_t id) {
    char path[4352];
    live_job *job = jobs_find(s->jobs, id);
    if (!job_row_delete(s, id)) return false;
    compare_forget(s, id);
    events_end(&s->jobs->listeners, id);
    stores_forget(s, id);
    job_result_path(s, id, path);
    discard_file(s, path);
    if (job) {
        job->deleted = true;
        job_cancel(job);
    }
    return true;
}

void route_delete(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    char state[16];
    if (!job_row_state(s, id, state)) {
        reply_error(r, 404, "notfound", "There is no job %" PRIu64 ".", id);
    } else if (job_delete(s, id)) {
        reply_empty(r, 204);
    } else {
        reply_error(r, db_full(s->db) ? 507 : 503, "unavailable", "It could not be deleted: %s",
                    db_message(s->db));
    }
}

/* The newest first, so that none begins because another one has ended. */
void jobs_delete_of(server *s, uint64_t dataset) {
    sqlite3_stmt *q;
    while ((q = db_statement(s->db, "SELECT max(id) FROM jobs WHERE dataset = ?")) != NULL) {
        db_bind_count(q, 1, dataset);
        uint64_t id = db_row(s->db, q) ? db_count(q, 0) : 0;
        db_done(q);
        if (id == 0 || !job_delete(s, id)) return;
    }
}
