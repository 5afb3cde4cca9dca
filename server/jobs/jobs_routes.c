/* jobs_routes.c - requests about jobs
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "datasets/datasets.h"
#include "datasets/datasets_ask.h"
#include "http/front.h"
#include "jobs/jobs_live.h"
#include "jobs/queue.h"
#include "storage/disk.h"
#include "storage/trash.h"

#define JOBS_LIST_MOST 1000

/* ---- what there is --------------------------------------------------------------------------- */

static void route_list(server *s, request *r) {
    uint64_t any[2] = {0, INT64_MAX};
    jobs_wanted wanted;
    bool folded;
    listing list;
    if (!request_count(r, "dataset", any, 0, &wanted.dataset)) return;
    if (!request_count(r, "family", any, 0, &wanted.family)) return;
    if (!request_switch(r, "folded", true, &folded)) return;
    if (!listing_read(r, 100, JOBS_LIST_MOST, &list)) return;
    wanted.unfolded = !folded;
    jobs_fill(s, &wanted, &list);
    listing_reply(r, &list, "jobs");
}

static void route_get(server *s, request *r) {
    job_reply(s, r, 200, request_number(r, 0));
}

/* A client that connects after the end gets the final state, and the stream ends. */
static void route_events(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    db_step step;
    json_t *job = job_json(s, id, &step);
    if (step != DB_ROW) {
        job_reply_missing(r, id, step);
        return;
    }
    listener *l =
        events_add(&s->jobs->listeners, r, id, listen_room((size_t)s->config->max_connections) / 2);
    if (l) {
        events_send_one(l, "job", job);
        compare_replay(s, l);
        job_hush(s, id);
    }
    json_decref(job);
}

/* ---- a new one ------------------------------------------------------------------------------- */

static bool wish_has_strangers(request *r, const json_t *body) {
    static const char *const known[] = {"dataset", "kind", "options", "read",
                                        "clean",   "from", "compare"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)body, key, value) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            is_known = is_known || strcmp(key, known[i]) == 0;
        }
        if (is_known) continue;
        reply_error(
            r, 422, "invalid",
            "Unknown key \"%.64s\"; expected dataset, kind, options, read, clean, from or compare.",
            key);
        return true;
    }
    return false;
}

static bool wish_read(request *r, job_wish *wish) {
    json_t *body = request_object(r), *compare, *from;
    char message[512];
    if (!body || wish_has_strangers(r, body)) return false;
    from = json_object_get(body, "from");
    if (json_integer_value(from) > 0) wish->from = (uint64_t)json_integer_value(from);
    json_t *number = json_object_get(body, "dataset");
    wish->options = json_object_get(body, "options");
    wish->read = json_object_get(body, "read");
    wish->clean = json_object_get(body, "clean");
    compare = json_object_get(body, "compare");
    wish->compare = json_is_true(compare);
    if (!json_is_integer(number) || json_integer_value(number) <= 0) {
        reply_error(r, 422, "invalid", "dataset: expected the number of a data set.");
    } else if (!job_kind_find(job_option(body, "kind"), &wish->kind)) {
        reply_error(r, 422, "invalid", "kind: expected itemsets, rules or graphs.");
    } else if (!json_is_object(wish->options)) {
        reply_error(r, 422, "invalid",
                    "options: expected an object such as {\"min-support\": \"1%%\"}.");
    } else if (compare && !json_is_boolean(compare)) {
        reply_error(r, 422, "invalid", "compare: expected true or false.");
    } else if (from && wish->from == 0) {
        reply_error(r, 422, "invalid", "from: expected the number of a job.");
    } else if (!job_options_check(wish->kind, wish->options, message, sizeof message)) {
        reply_error(r, 422, "invalid", "%s", message);
    } else {
        wish->dataset = (uint64_t)json_integer_value(number);
        return true;
    }
    return false;
}

/* Whether the data set exists, is ready, has the right kind, and accepts these read and clean
 * options. */
static bool wish_fits_data(server *s, request *r, const job_wish *wish) {
    dataset d;
    db_step step = dataset_load(s, wish->dataset, &d);
    if (step == DB_FAILED) {
        reply_unreadable(r);
        return false;
    }
    if (step == DB_END) {
        reply_error(r, 404, "notfound", "There is no data set %" PRIu64 ".", wish->dataset);
        return false;
    }
    bool graphs = strcmp(d.kind, "graphs") == 0, wants_graphs = wish->kind == JOB_GRAPHS;
    bool ready = strcmp(d.state, "ready") == 0;
    bool fits = ready && (!d.kind[0] || graphs == wants_graphs);
    if (!ready) {
        reply_error(r, 409, "conflict", "The data set is not ready yet (%s).", d.state);
    } else if (!fits) {
        reply_error(r, 422, "invalid", "kind: the data set has %s; expected %s.",
                    graphs ? "graphs" : "baskets", graphs ? "graphs" : "itemsets or rules");
    }
    fits = fits && dataset_takes(r, &d, wish->read, wish->clean);
    dataset_clear(&d);
    return fits;
}

/* A job whose row is being stored. */
typedef struct posting {
    server *server;
    request *request;
    uint64_t dataset, client;
    job_kind kind;
    bool compare;
    struct posting *next;
} posting;

static bool wish_has_room(server *s, request *r) {
    char message[256];
    size_t waiting = 0, own = 0;
    for (const posting *p = s->jobs->postings; p; p = p->next) {
        waiting++;
        own += p->client == request_client(r);
    }
    for (const live_job *job = s->jobs->first; job; job = job->next) {
        if (job->running || job->ended) continue;
        waiting++;
        own += job->client == request_client(r);
    }
    if (waiting >= QUEUE_MOST || own >= QUEUE_CLIENT) {
        reply_error(r, 429, "toomany",
                    own < QUEUE_CLIENT ? "%zu jobs are already waiting; try again later."
                                       : "%zu of your jobs are already waiting; try again later.",
                    own < QUEUE_CLIENT ? waiting : own);
        return false;
    }
    if (disk_room(s, 0, message, sizeof message)) return true;
    reply_error(r, 507, "unavailable", "%s", message);
    return false;
}

/* The job is stored before it starts, so that a restart finds it. */
static void post_stored(void *user, const db_outcome *outcome) {
    posting *p = user;
    server *s = p->server;
    live_job *job = NULL;
    posting **at = &s->jobs->postings;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    if (!outcome->stored) {
        reply_unstored(p->request, outcome);
    } else if (outcome->rows == 0) {
        reply_error(p->request, 404, "notfound", "There is no data set %" PRIu64 ".", p->dataset);
    } else if ((job = jobs_add(s, outcome->id, p->client)) == NULL) {
        trash_job(s, outcome->id, NULL, NULL);
        reply_error(p->request, 503, "unavailable",
                    "The server is out of memory; try again later.");
    } else {
        job->dataset = p->dataset;
        job->kind = p->kind;
        job->compare = p->compare;
        datasets_touch(s, p->dataset);
        jobs_schedule(s);
        job_reply(s, p->request, 201, outcome->id);
    }
    free(p);
}

static void route_post(server *s, request *r) {
    job_wish wish = {0};
    if (!wish_read(r, &wish) || !wish_fits_data(s, r, &wish) || !wish_has_room(s, r)) return;
    posting *p = malloc(sizeof *p);
    if (!p) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    *p = (posting){
        s, r, wish.dataset, request_client(r), wish.kind, wish.compare, s->jobs->postings};
    s->jobs->postings = p;
    db_send(s->db, job_row_insert(&wish), post_stored, p);
}

const route job_routes[] = {
    {"GET", "/jobs", route_list, "dataset family folded limit before"},
    {"POST", "/jobs", route_post, NULL},
    {"GET", "/jobs/:id", route_get, NULL},
    {"PATCH", "/jobs/:id", route_describe, NULL},
    {"DELETE", "/jobs/:id", route_delete, NULL},
    {"GET", "/jobs/:id/events", route_events, NULL},
    {"POST", "/jobs/:id/cancel", route_cancel, NULL},
    {"POST", "/jobs/:id/keep", route_keep, NULL},
    {"POST", "/jobs/:id/raise", route_raise, NULL},
    {"GET", "/jobs/:id/profile", ask_job_profile, NULL},
    {"POST", "/jobs/:id/suggest", ask_job_suggest, NULL},
    {"GET", "/jobs/:id/baskets", ask_job_baskets, "with* without* any limit"},
    {"GET", "/jobs/:id/pairs", ask_job_pairs, "items"},
    {"GET", "/jobs/:id/compare", route_compare_get, NULL},
    {"POST", "/jobs/:id/compare", route_compare_post, NULL},
    {"DELETE", "/jobs/:id/compare", route_compare_delete, NULL},
    {NULL, NULL, NULL, NULL},
};
