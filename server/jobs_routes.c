/* jobs_routes.c - requests about jobs
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "compare.h"
#include "database.h"
#include "datasets.h"
#include "disk.h"
#include "jobs_live.h"
#include "queue.h"

#define JOBS_LIST_MOST 1000

static void reply_no_memory(request *r) {
    reply_error(r, 503, "unavailable", "The server has no more memory; try again later.");
}

/* ---- what there is --------------------------------------------------------------------------- */

static void route_list(server *s, request *r) {
    uint64_t of, any[2] = {0, INT64_MAX};
    listing list;
    if (!request_count(r, "dataset", any, 0, &of)) return;
    if (!listing_read(r, 100, JOBS_LIST_MOST, &list)) return;
    jobs_fill(s, of, &list);
    listing_reply(r, &list, "jobs");
}

static void route_get(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    json_t *job = job_json(s, id, true);
    if (job) {
        reply_json(r, 200, job);
    } else {
        reply_error(r, 404, "notfound", "There is no job %" PRIu64 ".", id);
    }
}

/* A client that comes when all is over gets what there is, and the end. */
static void route_events(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    json_t *job = job_json(s, id, true);
    if (!job) {
        reply_error(r, 404, "notfound", "There is no job %" PRIu64 ".", id);
        return;
    }
    listener *l = events_add(&s->jobs->listeners, r, id);
    if (l) {
        events_send_one(l, "job", job);
        compare_replay(s, l);
        job_hush(s, id);
    }
    json_decref(job);
}

/* ---- a new one ------------------------------------------------------------------------------- */

typedef struct job_wish {
    uint64_t dataset;
    job_kind kind;
    json_t *options; /* lent */
    bool compare;
} job_wish;

static bool wish_has_strangers(request *r, const json_t *body) {
    static const char *const known[] = {"dataset", "kind", "options", "compare"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)body, key, value) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            is_known = is_known || strcmp(key, known[i]) == 0;
        }
        if (is_known) continue;
        reply_error(r, 422, "invalid",
                    "\"%.64s\" is not known; expected dataset, kind, options and compare.", key);
        return true;
    }
    return false;
}

static bool wish_read(request *r, job_wish *wish) {
    json_t *body = request_object(r), *compare;
    char message[512];
    if (!body || wish_has_strangers(r, body)) return false;
    json_t *number = json_object_get(body, "dataset");
    wish->options = json_object_get(body, "options");
    compare = json_object_get(body, "compare");
    wish->compare = json_is_true(compare);
    if (!json_is_integer(number) || json_integer_value(number) <= 0) {
        reply_error(r, 422, "invalid", "dataset: the number of a data set was expected.");
    } else if (!job_kind_find(job_option(body, "kind"), &wish->kind)) {
        reply_error(r, 422, "invalid", "kind: itemsets, rules or graphs was expected.");
    } else if (!json_is_object(wish->options)) {
        reply_error(r, 422, "invalid",
                    "options: an object such as {\"min-support\": \"1%%\"} was expected.");
    } else if (compare && !json_is_boolean(compare)) {
        reply_error(r, 422, "invalid", "compare: true or false was expected.");
    } else if (!job_options_check(wish->kind, wish->options, message, sizeof message)) {
        reply_error(r, 422, "invalid", "%s", message);
    } else {
        wish->dataset = (uint64_t)json_integer_value(number);
        return true;
    }
    return false;
}

/* Whether there is such a data set, whole and of the right kind. */
static bool wish_fits_data(server *s, request *r, const job_wish *wish) {
    dataset d;
    if (!dataset_load(s, wish->dataset, &d)) {
        reply_error(r, 404, "notfound", "There is no data set %" PRIu64 ".", wish->dataset);
        return false;
    }
    bool graphs = strcmp(d.kind, "graphs") == 0, wants_graphs = wish->kind == JOB_GRAPHS;
    bool ready = strcmp(d.state, "ready") == 0;
    bool fits = ready && (!d.kind[0] || graphs == wants_graphs);
    if (!ready) {
        reply_error(r, 409, "conflict", "The data set is not ready yet (%s).", d.state);
    } else if (!fits) {
        reply_error(r, 422, "invalid", "kind: the data set has %s, so %s was expected.",
                    graphs ? "graphs" : "baskets", graphs ? "graphs" : "itemsets or rules");
    }
    dataset_clear(&d);
    return fits;
}

static bool wish_has_room(server *s, request *r) {
    char message[256];
    size_t waiting = 0;
    for (const live_job *job = s->jobs->first; job; job = job->next) waiting += !job->running;
    if (waiting >= QUEUE_MOST) {
        reply_error(r, 429, "toomany", "%zu jobs are waiting already; try again later.", waiting);
        return false;
    }
    if (disk_room(s, 0, message, sizeof message)) return true;
    reply_error(r, 507, "unavailable", "%s", message);
    return false;
}

/* The job is in the database before it begins: then a restart knows of it. */
static live_job *wish_add(server *s, request *r, const job_wish *wish) {
    live_job *job = jobs_add(s, 0, wish->dataset, wish->kind);
    if (!job) {
        reply_no_memory(r);
        return NULL;
    }
    job->compare = wish->compare;
    job->id = job_row_insert(s, job, wish->options);
    if (job->id > 0) return job;
    job_remove(job);
    reply_error(r, db_full(s->db) ? 507 : 503, "unavailable", "The job could not be stored: %s",
                db_message(s->db));
    return NULL;
}

static void route_post(server *s, request *r) {
    job_wish wish = {0};
    if (!wish_read(r, &wish) || !wish_fits_data(s, r, &wish) || !wish_has_room(s, r)) return;
    bool together = db_begin(s->db); /* one wait for the disk instead of three */
    live_job *job = wish_add(s, r, &wish);
    uint64_t id = job ? job->id : 0;
    if (job) datasets_touch(s, wish.dataset);
    if (job) jobs_schedule(s);
    if (together && !db_commit(s->db) && job) {
        if ((job = jobs_find(s->jobs, id)) != NULL) {
            job->deleted = true; /* its row has never been there */
            job_cancel(job);
        }
        reply_error(r, db_full(s->db) ? 507 : 503, "unavailable", "The job could not be stored: %s",
                    db_message(s->db));
        return;
    }
    if (!job) return;
    json_t *answer = job_json(s, id, true);
    if (answer) {
        reply_json(r, 201, answer);
    } else {
        reply_no_memory(r);
    }
}

const route job_routes[] = {
    {"GET", "/jobs", route_list, "dataset limit before"},
    {"POST", "/jobs", route_post, NULL},
    {"GET", "/jobs/:id", route_get, NULL},
    {"DELETE", "/jobs/:id", route_delete, NULL},
    {"GET", "/jobs/:id/events", route_events, NULL},
    {"POST", "/jobs/:id/cancel", route_cancel, NULL},
    {"POST", "/jobs/:id/keep", route_keep, NULL},
    {"POST", "/jobs/:id/raise", route_raise, NULL},
    {"GET", "/jobs/:id/compare", route_compare_get, NULL},
    {"POST", "/jobs/:id/compare", route_compare_post, NULL},
    {"DELETE", "/jobs/:id/compare", route_compare_delete, NULL},
    {NULL, NULL, NULL, NULL},
};
