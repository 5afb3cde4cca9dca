/* jobs_actions.c - actions on jobs: cancel, keep, raise the threshold, describe, delete
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "jobs/jobs_live.h"
#include "results/stores.h"
#include "storage/trash.h"

#define JOB_PATIENCE 10 /* seconds that a worker has to react to a cancel */

/* ---- cancel ---------------------------------------------------------------------------------- */

static void job_impatient(evutil_socket_t fd, short what, void *user) {
    const live_job *job = user;
    (void)fd, (void)what;
    if (job->call) workers_kill(job->call);
}

/* jobs_actions.c */
static void job_cancel(live_job *job) {
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

/* The waiting or running job of the path. NULL: the request has been answered. */
static live_job *action_job(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    char state[16];
    live_job *job = jobs_find(s->jobs, id);
    if (job && !job->ended) return job;
    db_step step = job ? DB_ROW : job_row_state(s, id, state);
    if (job) snprintf(state, sizeof state, "being stored");
    if (step == DB_ROW) {
        reply_error(r, 409, "conflict", "Job %" PRIu64 " has already ended (%s).", id, state);
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

/* The running job of the path; a waiting job has found nothing yet. */
static live_job *action_running_job(server *s, request *r) {
    live_job *job = action_job(s, r);
    if (!job || (job->running && job->call && !job->stopping)) return job;
    reply_error(r, 409, "conflict",
                job->stopping ? "Job %" PRIu64 " is being cancelled."
                              : "Job %" PRIu64 " has not started yet: it can only be cancelled.",
                job->id);
    return NULL;
}

void route_keep(server *s, request *r) {
    live_job *job = action_running_job(s, r);
    if (!job) return;
    workers_control(job->call, worker_request_new("keep"));
    job_reply(s, r, 202, job->id);
}

/* ---- raise ----------------------------------------------------------------------------------- */

#define RAISE_WORDS 64

/* A raise in progress: first it is sent to the worker, which may have ended its search, then stored
 * in the row. */
typedef struct raising {
    server *server;
    request *request; /* NULL: already answered */
    uint64_t id;      /* of the job */
    uint64_t count;
    char words[RAISE_WORDS]; /* the threshold, as it is stored */
} raising;

static void raise_not_yet(request *r) {
    reply_error(r, 409, "conflict", "The data are still being read; try again in a moment.");
}

/* The threshold that the request asks for. False: it has answered. */
static bool raise_read(request *r, char words[RAISE_WORDS], lode_threshold *threshold) {
    char message[256];
    json_t *body = request_object(r);
    if (!body) return false;
    const char *given = job_option(body, "min-support");
    if (!given || json_object_size(body) != 1 || strlen(given) >= RAISE_WORDS) {
        reply_error(r, 422, "invalid",
                    "Expected {\"min-support\": \"2%%\"}: a share or a count, as a string.");
        return false;
    }
    if (lode_threshold_parse(given, threshold, message, sizeof message) != LODE_OK) {
        reply_error(r, 422, "invalid", "min-support: %s", message);
        return false;
    }
    snprintf(words, RAISE_WORDS, "%s", given);
    return true;
}

/* The threshold that the job has now; 0: none. */
static uint64_t raise_from(const live_job *job, const json_t *options, uint64_t total) {
    lode_threshold given;
    char number[40];
    const json_t *value = json_object_get(options, "min-support");
    const char *words = json_string_value(value);
    if (job->raised > 0) return job->raised;
    if (json_is_number(value)) {
        snprintf(number, sizeof number, "%.15g", json_number_value(value));
        words = number;
    }
    bool known = words && lode_threshold_parse(words, &given, NULL, 0) == LODE_OK;
    return known ? lode_threshold_count(given, total) : 0;
}

/* The highest support that the job looks for. */
static uint64_t raise_most(const json_t *options, uint64_t total) {
    lode_threshold rare;
    const char *words = json_string_value(json_object_get(options, "rare"));
    if (!words || lode_threshold_parse(words, &rare, NULL, 0) != LODE_OK) return UINT64_MAX;
    if (rare.denominator == 0) return rare.numerator;
    return (uint64_t)((unsigned __int128)total * rare.numerator / rare.denominator);
}

/* Computes the new threshold as a count. False: the request has been answered. */
static bool raise_settle(request *r, const live_job *job, lode_threshold threshold, raising *a) {
    uint64_t total = workers_total(a->server->workers, &job->source);
    if (total == 0) raise_not_yet(r);
    if (total == 0) return false;
    json_t *options = job_row_options(a->server, a->id);
    uint64_t from = raise_from(job, options, total);
    uint64_t most = raise_most(options, total);
    bool held_out = json_object_get(options, "holdout") != NULL;
    json_decref(options);
    if (held_out) { /* a share of the other transactions, whose number only the search knows */
        reply_error(r, 422, "invalid",
                    "The threshold of a job with holdout cannot be raised: stop the job and start "
                    "another one with the higher threshold.");
        return false;
    }
    a->count = lode_threshold_count(threshold, total);
    if (a->count > most) {
        reply_error(r, 422, "invalid",
                    "No pattern can have a support of at least %" PRIu64 " and at most %" PRIu64
                    " (rare).",
                    a->count, most);
        return false;
    }
    if (a->count > from) return true;
    reply_error(r, 422, "invalid", "The threshold is already %" PRIu64 "; expected a higher one.",
                from);
    return false;
}

/* The request is answered once; storing is retried until it succeeds. */
static void raise_stored(void *user, const db_outcome *outcome) {
    raising *a = user;
    if (outcome->stored) job_tell(a->server, a->id);
    if (a->request && outcome->stored) job_reply(a->server, a->request, 202, a->id);
    if (a->request && !outcome->stored) reply_unstored(a->request, outcome);
    a->request = NULL;
    if (outcome->stored || outcome->given_up) free(a);
}

static void raise_done(void *user, bool ok, const char *json, size_t bytes) {
    raising *a = user;
    db_change *c = ok ? job_row_raised(a->server, a->id, a->words) : NULL;
    if (c) {
        db_send_surely(a->server->db, c, raise_stored, a);
        return;
    }
    json_t *failed = ok ? NULL : json_loadb(json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(failed, "status"));
    if (ok) {
        job_reply(a->server, a->request, 202, a->id); /* the job was most likely deleted */
    } else if (status && (strcmp(status, "notfound") == 0 || strcmp(status, "lost") == 0)) {
        reply_error(a->request, 409, "conflict",
                    "The search of job %" PRIu64
                    " has ended; its threshold can no longer be raised.",
                    a->id);
    } else {
        reply_status(a->request, json, bytes);
    }
    json_decref(failed);
    free(a);
}

/* Sends the raise to the worker. False: `r` has not been answered. */
static bool raise_send(live_job *job, const raising *asked) {
    char number[24];
    raising *a = malloc(sizeof *a);
    if (!a) return false;
    *a = *asked;
    snprintf(number, sizeof number, "%" PRIu64, a->count);
    worker_request *raise = worker_request_new("raise");
    worker_request_add(raise, "min_count", number);
    const worker_reply reply = {.done = raise_done, .user = a, .client = job->client};
    bool sent = workers_raise(job->call, raise, reply);
    if (sent) job->raised = a->count;
    if (!sent) free(a);
    return sent;
}

void route_raise(server *s, request *r) {
    lode_threshold threshold;
    live_job *job = action_running_job(s, r);
    if (!job) return;
    raising a = {.server = s, .request = r, .id = job->id};
    if (!raise_read(r, a.words, &threshold) || !raise_settle(r, job, threshold, &a)) return;
    if (!raise_send(job, &a)) raise_not_yet(r);
}

/* ---- name and note --------------------------------------------------------------------------- */

#define DESCRIBE_NAME 200  /* maximum bytes of a name */
#define DESCRIBE_NOTE 4000 /* maximum bytes of a note */

/* Checks a name or a note; NULL means that the request has none. False: it has been answered. */
static bool describe_check(request *r, const char *key, const json_t *value, size_t most) {
    const char *words = json_string_value(value);
    if (!value) return true;
    if (!words || strlen(words) != json_string_length(value)) {
        reply_error(r, 422, "invalid", "%s: expected a string.", key);
    } else if (strlen(words) > most) {
        reply_error(r, 422, "invalid", "%s: at most %zu bytes are allowed; this one has %zu.", key,
                    most, strlen(words));
    } else if (most == DESCRIBE_NAME && strpbrk(words, "\n\r")) {
        reply_error(r, 422, "invalid", "%s: expected a single line.", key);
    } else {
        return true;
    }
    return false;
}

/* A description that is being stored. */
typedef struct describing {
    server *server;
    request *request;
    uint64_t id;
} describing;

static void describe_stored(void *user, const db_outcome *outcome) {
    describing *d = user;
    if (outcome->stored) {
        job_tell(d->server, d->id);
        job_reply(d->server, d->request, 200, d->id); /* 404 if it was deleted in the meantime */
    } else {
        reply_unstored(d->request, outcome);
    }
    free(d);
}

void route_describe(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    char state[16];
    json_t *body = request_object(r);
    if (!body) return;
    json_t *name = json_object_get(body, "name"), *note = json_object_get(body, "note");
    size_t known = (size_t)(name != NULL) + (size_t)(note != NULL);
    if (known == 0 || json_object_size(body) != known) {
        reply_error(r, 422, "invalid", "Expected name, note, or both.");
        return;
    }
    if (!describe_check(r, "name", name, DESCRIBE_NAME)) return;
    if (!describe_check(r, "note", note, DESCRIBE_NOTE)) return;
    db_step step = job_row_state(s, id, state);
    if (step != DB_ROW) {
        job_reply_missing(r, id, step);
        return;
    }
    describing *d = malloc(sizeof *d);
    if (!d) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    *d = (describing){s, r, id};
    db_send(s->db, job_row_described(id, json_string_value(name), json_string_value(note)),
            describe_stored, d);
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
    job_cancel(job); /* when the job has ended, the trash is emptied again */
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
