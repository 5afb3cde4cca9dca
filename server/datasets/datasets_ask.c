/* datasets_ask.c - see datasets_ask.h
 *
 * Each route checks its parameters, sends the request to the worker that has the data set in
 * memory, and returns the answer of the worker unchanged. Profiles are stored in the database:
 * pages request them often, and they change only with the read and clean options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/datasets_ask.h"

#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/datasets.h"
#include "datasets/datasets_options.h"
#include "jobs/jobs_live.h"
#include "results/stores_routes.h"
#include "storage/database.h"
#include "system/options_safe.h"
#include "workers/workers.h"

/* A request that is being answered. */
typedef struct asking {
    server *server;
    request *request;
    worker_source source; /* read options at the time of the request, or of the job */
    char *profile;        /* the worker's answer, while it is being stored */
} asking;

static void asking_free(asking *a) {
    worker_source_clear(&a->source);
    free(a->profile);
    free(a);
}

static void asking_answer(request *r, bool ok, const char *json, size_t bytes) {
    if (ok) {
        reply_text(r, 200, json, bytes);
    } else {
        reply_status(r, json, bytes);
    }
}

static void asking_done(void *user, bool ok, const char *json, size_t bytes) {
    asking *a = user;
    asking_answer(a->request, ok, json, bytes);
    asking_free(a);
}

static void asking_no_memory(request *r) {
    reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
}

/* Sends a request about a data set; `a` belongs to the caller until `done` has been called. */
static void asking_send(asking *a, worker_request *q,
                        void (*done)(void *, bool, const char *, size_t)) {
    request *r = a->request;
    const worker_reply reply = {.done = done, .user = a, .request = r, .client = request_client(r)};
    if (!workers_may_ask(a->server->workers, r)) {
        worker_request_free(q);
        asking_free(a);
        return;
    }
    datasets_touch(a->server, a->source.dataset);
    if (q && workers_ask_soon(a->server->workers, &a->source, q, reply)) {
        request_forget_body(r);
        return;
    }
    asking_no_memory(r);
    asking_free(a);
}

/* A new request about the data set of the path. NULL: it has been answered. */
static asking *asking_new(server *s, request *r) {
    dataset d;
    if (!dataset_of(s, r, true, &d)) return NULL;
    asking *a = malloc(sizeof *a);
    if (a) {
        *a = (asking){.server = s,
                      .request = r,
                      .source = {.dataset = d.id, .read = d.read, .clean = d.clean}};
        d.read = d.clean = NULL;
    } else {
        asking_no_memory(r);
    }
    dataset_clear(&d);
    return a;
}

/* The same for the data that the job of the path has mined. */
static asking *asking_of_job(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return NULL;
    asking *a = calloc(1, sizeof *a);
    if (!a) {
        asking_no_memory(r);
        return NULL;
    }
    a->server = s;
    a->request = r;
    const db_step step = job_row_source(s, job.id, &a->source);
    if (step == DB_ROW) return a;
    job_reply_missing(r, job.id, step);
    asking_free(a);
    return NULL;
}

typedef asking *(*asking_maker)(server *s, request *r);

/* ---- profile ---- */

/* The profile is sent after it was stored, so that the data set shows it from then on. If it could
 * not be stored, the next request computes it again. */
static void profile_kept(void *user, const db_outcome *outcome) {
    asking *a = user;
    (void)outcome;
    asking_answer(a->request, true, a->profile, strlen(a->profile));
    asking_free(a);
}

/* Stores a profile unless the options have changed in the meantime. */
static db_change *profile_change(const asking *a) {
    json_t *profile = json_loads(a->profile, 0, NULL);
    const char *kind = json_string_value(json_object_get(profile, "kind"));
    db_change *c = kind ? db_change_new("UPDATE datasets SET profile = ?, kind = ? WHERE id = ? "
                                        "AND read = ? AND clean = ?")
                        : NULL;
    db_change_text(c, a->profile);
    db_change_text(c, kind);
    db_change_count(c, a->source.dataset);
    db_change_text(c, a->source.read);
    db_change_text(c, a->source.clean);
    json_decref(profile);
    return c;
}

static void profile_done(void *user, bool ok, const char *json, size_t bytes) {
    asking *a = user;
    a->profile = ok ? strndup(json, bytes) : NULL;
    if (a->profile) {
        db_send(a->server->db, profile_change(a), profile_kept, a);
        return;
    }
    asking_answer(a->request, ok, json, bytes);
    asking_free(a);
}

void ask_profile(server *s, request *r) {
    dataset d;
    if (!dataset_of(s, r, true, &d)) return;
    if (d.profile) {
        datasets_touch(s, d.id);
        reply_text(r, 200, d.profile, strlen(d.profile));
        dataset_clear(&d);
        return;
    }
    dataset_clear(&d);
    asking *a = asking_new(s, r);
    if (a) asking_send(a, worker_request_new("profile"), profile_done);
}

void ask_job_profile(server *s, request *r) {
    asking *a = asking_of_job(s, r);
    if (a) asking_send(a, worker_request_new("profile"), asking_done);
}

/* ---- cleaning and thresholds ---- */

void ask_columns(server *s, request *r) {
    asking *a = asking_new(s, r);
    if (a) asking_send(a, worker_request_new("columns"), asking_done);
}

/* The file is to be read with other options than those of the data set: another worker does that.
 * False: out of memory. */
static bool clean_read_as(asking *a, const json_t *read) {
    char *words = json_dumps(read, JSON_COMPACT), *clean = strdup("{}");
    const bool other = words && a->source.read && strcmp(words, a->source.read) != 0;
    const bool fine = words && clean;
    if (fine && other) {
        char *const read_before = a->source.read, *const clean_before = a->source.clean;
        a->source.read = words;
        a->source.clean = clean; /* the request cleans the data as they were read */
        words = read_before;
        clean = clean_before;
    }
    free(words);
    free(clean);
    return fine;
}

static bool clean_checks(request *r, json_t *clean, json_t *read) {
    char message[512];
    if (options_check(clean, LODE_OPTION_CLEAN, message, sizeof message) &&
        (!read || options_check(read, LODE_OPTION_READ, message, sizeof message))) {
        return true;
    }
    reply_error(r, 422, "invalid", "%s", message);
    return false;
}

void ask_clean(server *s, request *r) {
    json_t *body = request_object(r), *clean, *read;
    if (!body) return;
    clean = json_object_get(body, "clean");
    read = json_object_get(body, "read");
    if (!clean || json_object_size(body) != (read ? 2 : 1)) {
        reply_error(r, 422, "invalid",
                    "Expected {\"clean\": {…}} with cleaning options and, to preview other options "
                    "for reading the file, \"read\": {…}.");
        return;
    }
    if (!clean_checks(r, clean, read)) return;
    asking *a = asking_new(s, r);
    if (!a) return;
    if (read && !clean_read_as(a, read)) {
        asking_no_memory(r);
        asking_free(a);
        return;
    }
    worker_request *q = worker_request_new("clean");
    worker_request_add_object(q, "clean.", clean);
    asking_send(a, q, asking_done);
}

/* The strings of a list, separated by commas, as the library expects them. */
static bool suggest_targets(json_t *list, char *out, size_t room) {
    size_t i, n = 0;
    json_t *word;
    out[0] = 0;
    if (!json_is_array(list) || json_array_size(list) == 0) return false;
    json_array_foreach(list, i, word) {
        const char *target = json_string_value(word);
        if (!target || n + strlen(target) + 2 > room) return false;
        n += (size_t)snprintf(out + n, room - n, "%s%s", i ? "," : "", target);
    }
    return true;
}

/* The options of a suggest request; NULL: `message` has the reason. */
static json_t *suggest_options(json_t *body, char *message, size_t room) {
    char words[128];
    const char *name;
    json_t *value, *options = json_object();
    json_object_foreach(body, name, value) {
        if (strcmp(name, "targets") == 0 && suggest_targets(value, words, sizeof words)) {
            json_object_set_new(options, "target", json_string(words));
        } else if (strcmp(name, "want") == 0 && json_is_integer(value)) {
            snprintf(words, sizeof words, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
            json_object_set_new(options, "want", json_string(words));
        } else if (strcmp(name, "min-confidence") == 0 || strcmp(name, "limit-time") == 0) {
            json_object_set(options, name, value);
        } else {
            snprintf(message, room,
                     "%.60s: expected want (a whole number), targets (a list of all, closed, "
                     "maximal or rules), min-confidence or limit-time",
                     name);
            json_decref(options);
            return NULL;
        }
    }
    if (options_check(options, LODE_OPTION_SUGGEST, message, room)) return options;
    json_decref(options);
    return NULL;
}

static void suggest_with(server *s, request *r, asking_maker make) {
    char message[512];
    json_t *body = request_object(r);
    if (!body) return;
    json_t *options = suggest_options(body, message, sizeof message);
    if (!options) {
        reply_error(r, 422, "invalid", "%s", message);
        return;
    }
    asking *a = make(s, r);
    if (a) {
        worker_request *q = worker_request_new("suggest");
        worker_request_add_object(q, "o.", options);
        asking_send(a, q, asking_done);
    }
    json_decref(options);
}

void ask_suggest(server *s, request *r) {
    suggest_with(s, r, asking_new);
}

void ask_job_suggest(server *s, request *r) {
    suggest_with(s, r, asking_of_job);
}

/* ---- baskets, pairs, graphs ---- */

#define ASK_MOST_ITEMS 64 /* maximum number of item groups of the library */

/* Adds items by name; false: too many, or out of memory; the request has been answered. */
static bool baskets_items(request *r, worker_request *q, const char *name) {
    const char *items[ASK_MOST_ITEMS];
    const size_t n = request_values(r, name, items, ASK_MOST_ITEMS);
    if (n > ASK_MOST_ITEMS) {
        reply_error(r, 422, "invalid", "%s: at most %d items are allowed.", name, ASK_MOST_ITEMS);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (strpbrk(items[i], "\n\r")) { /* it would be two items */
            reply_error(r, 422, "invalid", "%s: an item name must be a single line.", name);
            return false;
        }
        char *item = option_item(items[i]);
        if (!item) {
            asking_no_memory(r);
            return false;
        }
        worker_request_add(q, name, item);
        free(item);
    }
    return true;
}

/* Sends the answer; removes from errors the backslash that option_item() put before an @ (in JSON,
 * two backslashes). */
static void baskets_done(void *user, bool ok, const char *json, size_t bytes) {
    char *words = ok ? NULL : malloc(bytes);
    size_t n = 0;
    for (size_t i = 0; words && i < bytes; i++) {
        if (bytes - i > 2 && memcmp(json + i, "\\\\@", 3) == 0) i += 2;
        words[n++] = json[i];
    }
    asking_done(user, ok, words ? words : json, words ? n : bytes);
    free(words);
}

/* Passes on a number parameter under its name. False: the request has been answered. */
static bool ask_count(request *r, worker_request *q, const char *name, uint64_t most,
                      uint64_t fallback) {
    uint64_t range[2] = {1, most}, n;
    char digits[24];
    if (!request_count(r, name, range, fallback, &n)) return false;
    snprintf(digits, sizeof digits, "%" PRIu64, n);
    worker_request_add(q, name, digits);
    return true;
}

static void baskets_ask(server *s, request *r, asking_maker make) {
    bool any;
    worker_request *q = worker_request_new("baskets");
    asking *a = NULL;
    if (request_switch(r, "any", false, &any) && baskets_items(r, q, "with") &&
        baskets_items(r, q, "without") && ask_count(r, q, "limit", 1000, 50)) {
        if (any) worker_request_add(q, "any", "true");
        a = make(s, r);
    }
    if (a) {
        asking_send(a, q, baskets_done);
    } else {
        worker_request_free(q);
    }
}

void ask_baskets(server *s, request *r) {
    baskets_ask(s, r, asking_new);
}

void ask_job_baskets(server *s, request *r) {
    baskets_ask(s, r, asking_of_job);
}

static void pairs_ask(server *s, request *r, asking_maker make) {
    worker_request *q = worker_request_new("pairs");
    asking *a = ask_count(r, q, "items", 60, 25) ? make(s, r) : NULL;
    if (a) {
        asking_send(a, q, asking_done);
    } else {
        worker_request_free(q);
    }
}

void ask_pairs(server *s, request *r) {
    pairs_ask(s, r, asking_new);
}

void ask_job_pairs(server *s, request *r) {
    pairs_ask(s, r, asking_of_job);
}

void ask_graph(server *s, request *r) {
    char digits[24];
    asking *a = asking_new(s, r);
    if (!a) return;
    worker_request *q = worker_request_new("graph");
    snprintf(digits, sizeof digits, "%" PRIu64, request_number(r, 1));
    worker_request_add(q, "index", digits);
    asking_send(a, q, asking_done);
}
