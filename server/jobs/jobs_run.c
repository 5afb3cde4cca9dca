/* jobs_run.c - runs a job, from the queue to its end
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "jobs/jobs_live.h"
#include "jobs/queue.h"
#include "storage/disk.h"
#include "storage/trash.h"

#define JOB_TELL_SECONDS 0.1 /* seconds between two progress events */

/* ---- the end --------------------------------------------------------------------------------- */

/* Removes the job from memory; its result is stored, or discarded. */
static void job_over(live_job *job, bool compare) {
    server *s = job->server;
    uint64_t id = job->id;
    bool deleted = job->deleted;
    job_remove(job);
    if (s->closing) return;
    if (deleted) {
        trash_wake(s); /* its worker no longer writes */
    } else {
        if (compare) compare_start(s, id, NULL, NULL);
        job_tell(s, id);
    }
    job_hush(s, id);
    jobs_schedule(s);
    jobs_tell_places(s);
}

/* The end was stored, or an attempt to store it failed: then the result stays, the job is shown
 * with a message, and another attempt follows. */
static void job_end_stored(void *user, const db_outcome *outcome) {
    live_job *job = user;
    if (outcome->stored || outcome->given_up) {
        job_over(job, job->compare && outcome->stored);
    } else if (!job->unstored) {
        job->unstored = strdup(outcome->message);
        job_tell(job->server, job->id);
    }
}

static void job_finish(live_job *job, const job_end *end) {
    server *s = job->server;
    job->running = false;
    job->ended = true;
    job->compare = job->compare && strcmp(end->state, "done") == 0;
    if (job->deleted || !end->done) job_discard_result(s, job->id);
    if (job->deleted || (job->cut && !end->done)) {
        job_over(job, false);
        return;
    }
    db_send_surely(s->db, job_row_ended(job->id, end), job_end_stored, job);
    jobs_schedule(s);
    jobs_tell_places(s);
}

void job_drop(live_job *job, const char *state, const char *message) {
    const job_end end = {.state = state, .message = message};
    job_finish(job, &end);
}

static const char *job_state_of(const char *ended) {
    if (ended && strcmp(ended, "kept") == 0) return "kept";
    return ended && strcmp(ended, "limit") == 0 ? "limit" : "done";
}

/* A hint for a failed job; NULL: none. */
static const char *job_hint(const server *s, const json_t *failed, char *hint, size_t room) {
    const char *status = json_string_value(json_object_get(failed, "status"));
    if (!status) return NULL;
    if (workers_memory_hint(s, failed, hint, room)) {
        size_t n = strlen(hint);
        snprintf(hint + n, room - n, " A higher minimum support may need less memory.");
    } else if (strcmp(status, "budget") == 0 || strcmp(status, "nomem") == 0) {
        snprintf(hint, room, "A higher minimum support needs less memory.");
    } else if (strcmp(status, "lost") == 0) {
        snprintf(hint, room,
                 "Other jobs and results are not affected; this job can be started again.");
    } else if (strcmp(status, "io") == 0) {
        snprintf(hint, room, "Delete results that are no longer needed to make room.");
    } else {
        return NULL;
    }
    return hint;
}

/* Copies a message without the path of the result file, which clients must not see. */
static void job_words(const live_job *job, const char *message, text *out) {
    char path[FOLDER_PATH_BYTES];
    const char *at;
    job_result_path(job->server, job->id, path);
    while ((at = strstr(message, path)) != NULL) {
        text_add(out, message, (size_t)(at - message));
        text_put(out, "the result");
        message = at + strlen(path);
    }
    text_put(out, message);
}

/* Whether a file could not be written because the disk is full. */
static bool job_lacks_room(const char *message) {
    static const int reasons[] = {ENOSPC, EDQUOT, EFBIG};
    for (size_t i = 0; message && i < sizeof reasons / sizeof *reasons; i++) {
        if (strstr(message, strerror(reasons[i]))) return true;
    }
    return false;
}

static void job_failed(live_job *job, const json_t *failed) {
    char hint[256];
    text words = TEXT_INIT;
    const char *status = json_string_value(json_object_get(failed, "status"));
    const char *message = json_string_value(json_object_get(failed, "message"));
    job_words(job, message ? message : "the worker gave no reason", &words);
    if (job_lacks_room(message)) {
        text_put(&words, "; the server's disk is full, or its limit is reached");
    }
    job_end end = {.state = "failed", .message = words.failed ? "the job failed" : words.data};
    if (status && strcmp(status, "cancelled") == 0) end.state = "cancelled";
    if (status && strcmp(status, "lost") == 0) end.state = "lost";
    if (job->stopping && strcmp(end.state, "lost") == 0) end.state = "cancelled";
    end.hint = job_hint(job->server, failed, hint, sizeof hint);
    if (strcmp(end.state, "cancelled") == 0 && job->stopping) end.message = end.hint = NULL;
    if (status && strcmp(status, "io") == 0) workers_renew(job->server->workers, &job->source);
    job_finish(job, &end);
    text_free(&words);
}

static void job_done(void *user, bool ok, const char *json, size_t bytes) {
    live_job *job = user;
    json_t *reply = json_loadb(json, bytes, 0, NULL);
    job->call = NULL;
    if (ok && reply) {
        const char *ended = json_string_value(json_object_get(reply, "ended"));
        const job_end end = {.state = job_state_of(ended),
                             .done = reply,
                             .fingerprint =
                                 workers_fingerprint(job->server->workers, &job->source)};
        job_finish(job, &end);
    } else {
        job_failed(job, reply);
    }
    json_decref(reply);
}

/* ---- while it runs --------------------------------------------------------------------------- */

static void job_progress(void *user, const char *json, size_t bytes) {
    live_job *job = user;
    double now = jobs_clock();
    text_clear(&job->progress);
    text_add(&job->progress, json, bytes);
    if (job->deleted || now - job->told < JOB_TELL_SECONDS) return;
    job->told = now;
    events_send(job->server->jobs->listeners, job->id, "progress", json, bytes);
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* The threads are divided among the running jobs when a job starts; each has at least one. */
static void job_add_threads(const live_job *job, worker_request *q, const json_t *options) {
    char number[24];
    unsigned running = 0, all = job->server->config->threads;
    for (const live_job *it = job->server->jobs->first; it; it = it->next) running += it->running;
    unsigned share = running > 0 ? (all + running - 1) / running : all;
    if (json_object_get(options, "threads") || share == 0) return;
    snprintf(number, sizeof number, "%u", share);
    worker_request_add(q, "o.threads", number);
}

static void job_add_device_memory(const live_job *job, worker_request *q, const json_t *options) {
    char number[24];
    uint64_t share = workers_device_memory(job->server);
    if (share == 0 || json_object_get(options, "device-memory")) return;
    snprintf(number, sizeof number, "%" PRIu64, share);
    worker_request_add(q, "o.device-memory", number);
}

static worker_request *job_request(const live_job *job) {
    char path[FOLDER_PATH_BYTES];
    json_t *options = job_row_options(job->server, job->id);
    worker_request *q = options ? worker_request_new("mine") : NULL;
    job_result_path(job->server, job->id, path);
    worker_request_add(q, "kind", job_kind_names[job->kind]);
    worker_request_add(q, "output", path);
    worker_request_add_object(q, "o.", options);
    job_add_threads(job, q, options);
    job_add_device_memory(job, q, options);
    json_decref(options);
    return q;
}

/* False: the job has already ended. */
static bool job_begin(live_job *job) {
    server *s = job->server;
    const worker_reply reply = {
        .event = job_progress, .done = job_done, .user = job, .client = job->client};
    job->running = true;
    job->began = db_now();
    queue_serve(s->jobs, job);
    disk_share_watch(s);
    db_send_surely(s->db, job_row_started(job), NULL, NULL);
    if (job_row_source(s, job->id, &job->source) == DB_ROW) {
        job->call = workers_ask(s->workers, &job->source, job_request(job), reply);
    }
    if (!job->call) {
        job_drop(job, "failed",
                 "the server had no memory to start this job, or could not read its database");
        return false;
    }
    job_tell(s, job->id);
    return true;
}

void jobs_schedule(server *s) {
    live_job *next;
    if (s->closing) return;
    queue_arrange(s->jobs);
    while ((next = queue_next(s->jobs, s->config->workers)) != NULL) {
        if (!job_begin(next)) return; /* its end has called this function */
        queue_arrange(s->jobs);
    }
    compare_pump(s);
}
