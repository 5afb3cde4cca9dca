/* datasets.c - routes of data sets: list, create, show, change, delete
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/datasets.h"

#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/datasets_ask.h"
#include "datasets/datasets_options.h"
#include "datasets/datasets_recover.h"
#include "datasets/examples.h"
#include "datasets/preview.h"
#include "datasets/uploads.h"
#include "storage/database.h"
#include "storage/disk.h"
#include "storage/expiry.h"
#include "storage/trash.h"
#include "system/about_devices.h"
#include "workers/workers.h"

#define ARRIVALS_CLIENT 50 /* maximum number of unfinished uploads of one client */

static void datasets_list(server *s, request *r) {
    listing list;
    if (!listing_read(r, 1000, 10000, &list)) return;
    datasets_fill(s, &list);
    listing_reply(r, &list, "datasets");
}

/* ---- create ---- */

/* A name is only shown: any text of limited length without control characters. False: the request
 * has been answered. */
static bool datasets_name(request *r, json_t *value, char out[DATASET_NAME_BYTES]) {
    const char *words = json_string_value(value);
    size_t n = 0;
    if (!words || !words[0] || strlen(words) != json_string_length(value)) {
        reply_error(r, 422, "invalid", "name: expected a string.");
        return false;
    }
    for (; *words && n + 1 < DATASET_NAME_BYTES; words++) {
        out[n++] = (unsigned char)*words < ' ' || *words == 0x7f ? ' ' : *words;
    }
    while (*words && n > 0 && ((unsigned char)out[n - 1] & 0xc0) == 0x80) n--; /* cut a character */
    if (*words && n > 0 && (unsigned char)out[n - 1] >= 0xc0) n--;
    out[n] = 0;
    return true;
}

/* A file that a client has announced. It stays in the list until the upload is seen to be
 * complete. */
struct arrival {
    uint64_t id; /* id of its data set; 0: the row is being stored */
    uint64_t client;
    struct arrival *next;
};

/* Whether the upload of a data set is unfinished; a row that cannot be read counts as
 * unfinished. */
static bool arrival_is_open(server *s, uint64_t id) {
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT 1 FROM datasets WHERE id = ? AND state = 'uploading'");
    db_bind_count(q, 1, id);
    const db_step step = db_next(s->db, q);
    db_done(q);
    return step != DB_END;
}

/* Limits the unfinished uploads of a client, so that nobody blocks others with files that never
 * arrive. False: the request has been answered. */
static bool arrivals_have_room(server *s, request *r) {
    unsigned own = 0;
    for (struct arrival **at = &s->datasets->arrivals; *at;) {
        struct arrival *it = *at;
        if (it->client == request_client(r) && it->id > 0 && !arrival_is_open(s, it->id)) {
            *at = it->next;
            free(it);
            continue;
        }
        own += it->client == request_client(r);
        at = &it->next;
    }
    if (own < ARRIVALS_CLIENT) return true;
    reply_error(
        r, 429, "toomany",
        "You have %u incomplete uploads, the maximum; complete or delete some of them first.", own);
    return false;
}

static struct arrival *arrivals_add(server *s, uint64_t client) {
    struct arrival *a = malloc(sizeof *a);
    if (!a) return NULL;
    *a = (struct arrival){0, client, s->datasets->arrivals};
    s->datasets->arrivals = a;
    return a;
}

static void arrivals_remove(server *s, struct arrival *a) {
    struct arrival **at = &s->datasets->arrivals;
    while (*at != a) at = &(*at)->next;
    *at = a->next;
    free(a);
}

/* A data set whose row is being stored. */
typedef struct announcement {
    server *server;
    request *request;
    struct arrival *arrival;
    uint64_t bytes;
} announcement;

static void datasets_announced(void *user, const db_outcome *outcome) {
    announcement *a = user;
    a->server->datasets->announced -= a->bytes;
    if (outcome->stored) {
        a->arrival->id = outcome->id;
        dataset_reply(a->server, a->request, 201, outcome->id);
    } else {
        arrivals_remove(a->server, a->arrival);
        reply_unstored(a->request, outcome);
    }
    free(a);
}

static void datasets_announce(server *s, request *r, json_t *body) {
    char name[DATASET_NAME_BYTES], message[256];
    json_t *bytes = json_object_get(body, "bytes");
    if (!datasets_name(r, json_object_get(body, "name"), name)) return;
    if (!json_is_integer(bytes) || json_integer_value(bytes) < 0) {
        reply_error(r, 422, "invalid", "bytes: expected the file size, a whole number.");
        return;
    }
    const uint64_t size = (uint64_t)json_integer_value(bytes);
    if (size == 0) {
        reply_error(r, 422, "invalid", "The file is empty; expected baskets or graphs.");
        return;
    }
    if (size > s->config->max_upload) {
        reply_error(r, 413, "toolarge",
                    "The file has %" PRIu64 " MB; this server accepts at most %" PRIu64 " MB.",
                    size / 1000000, s->config->max_upload / 1000000);
        return;
    }
    if (!disk_room(s, size, message, sizeof message)) {
        reply_error(r, 507, "unavailable", "%s", message);
        return;
    }
    if (!datasets_may_grow(s, r) || !arrivals_have_room(s, r)) return;
    announcement *a = malloc(sizeof *a);
    if (!a) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    *a = (announcement){s, r, arrivals_add(s, request_client(r)), size};
    if (!a->arrival) {
        free(a);
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    s->datasets->announced += size;
    dataset_insert(s, name, size, datasets_announced, a);
}

/* Whether an object has only these keys; `expected` lists them for the error. False: the request
 * has been answered. */
static bool datasets_only(request *r, json_t *body, const char *const *names,
                          const char *expected) {
    const char *name;
    json_t *value;
    json_object_foreach(body, name, value) {
        const char *const *known = names;
        while (*known && strcmp(*known, name) != 0) known++;
        if (*known) continue;
        reply_error(r, 422, "invalid", "Unknown key '%.100s'; expected %s.", name, expected);
        return false;
    }
    return true;
}

static void datasets_create(server *s, request *r) {
    static const char *const names[] = {"name", "bytes", "example", NULL};
    json_t *body = request_object(r), *example;
    if (!body || !datasets_only(r, body, names, "name and bytes, or example")) return;
    example = json_object_get(body, "example");
    if (!example) {
        datasets_announce(s, r, body);
    } else if (!json_is_string(example) || json_object_size(body) > 1) {
        reply_error(r, 422, "invalid", "Expected either example, or name and bytes.");
    } else {
        examples_create(s, r, json_string_value(example));
    }
}

/* ---- one of them ---- */

static void datasets_get(server *s, request *r) {
    dataset d;
    if (!dataset_of(s, r, false, &d)) return;
    dataset_clear(&d);
    dataset_reply(s, r, 200, request_number(r, 0));
}

/* If a data set is known to hold graphs, options for baskets would have no effect. */
static unsigned datasets_read_groups(const dataset *d) {
    if (d->kind && strcmp(d->kind, "graphs") == 0) return LODE_OPTION_GRAPH_READ;
    if (d->kind && strcmp(d->kind, "baskets") == 0) return LODE_OPTION_READ;
    return LODE_OPTION_READ | LODE_OPTION_GRAPH_READ;
}

bool dataset_takes(request *r, const dataset *d, json_t *read, json_t *clean) {
    char message[512];
    if (read && !options_check(read, datasets_read_groups(d), message, sizeof message)) {
        reply_error(r, 422, "invalid", "%s", message);
        return false;
    }
    if (!clean) return true;
    if (d->kind && strcmp(d->kind, "graphs") == 0 && json_object_size(clean) > 0) {
        reply_error(r, 422, "invalid", "Only baskets can be cleaned; this data set has graphs.");
        return false;
    }
    if (options_check(clean, LODE_OPTION_CLEAN, message, sizeof message)) return true;
    reply_error(r, 422, "invalid", "%s", message);
    return false;
}

/* Whether a change is valid. False: the request has been answered. */
static bool datasets_check_change(request *r, const dataset *d, json_t *body) {
    static const char *const names[] = {"name", "read", "clean", NULL};
    if (!datasets_only(r, body, names, "name, read or clean")) return false;
    return dataset_takes(r, d, json_object_get(body, "read"), json_object_get(body, "clean"));
}

/* A change that is being stored. */
typedef struct patch {
    server *server;
    request *request;
    worker_source old; /* how it was read and cleaned before */
    bool options;      /* set by a change of options */
} patch;

static void patch_done(void *user, const db_outcome *outcome) {
    patch *p = user;
    if (!outcome->stored) {
        reply_unstored(p->request, outcome);
    } else {
        /* A job that still needs the old data starts another worker. */
        if (p->options && outcome->rows > 0) workers_renew(p->server->workers, &p->old);
        dataset_reply(p->server, p->request, 200, p->old.dataset);
    }
    worker_source_clear(&p->old);
    free(p);
}

static void patch_send(server *s, request *r, const dataset *d, json_t *body, const char *name) {
    json_t *read = json_object_get(body, "read"), *clean = json_object_get(body, "clean");
    const worker_source old = {.dataset = d->id, .read = d->read, .clean = d->clean};
    patch *p = calloc(1, sizeof *p);
    if (!p || !worker_source_copy(&p->old, &old)) {
        free(p);
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    p->server = s;
    p->request = r;
    p->options = read || clean;
    db_change *c = db_change_new("UPDATE datasets SET name = coalesce(?, name) WHERE id = ?");
    db_change_text(c, name);
    db_change_count(c, d->id);
    if (p->options) {
        char *read_text = read ? json_dumps(read, JSON_COMPACT) : strdup(d->read);
        char *clean_text = clean ? json_dumps(clean, JSON_COMPACT) : strdup(d->clean);
        db_change_then(c, "UPDATE datasets SET read = ?1, clean = ?2, profile = NULL WHERE id = ?3 "
                          "AND (read <> ?1 OR clean <> ?2)");
        db_change_text(c, read_text); /* NULL: out of memory; the column refuses it */
        db_change_text(c, clean_text);
        db_change_count(c, d->id);
        free(read_text);
        free(clean_text);
    }
    db_send(s->db, c, patch_done, p);
}

static void datasets_patch(server *s, request *r) {
    char name[DATASET_NAME_BYTES];
    dataset d;
    json_t *body = request_object(r), *new_name;
    if (!body || !dataset_of(s, r, false, &d)) return;
    new_name = json_object_get(body, "name");
    if (datasets_check_change(r, &d, body) && (!new_name || datasets_name(r, new_name, name))) {
        patch_send(s, r, &d, body, new_name ? name : NULL);
    }
    dataset_clear(&d);
}

static void datasets_removed(void *user, const db_outcome *outcome) {
    if (outcome->stored) {
        reply_empty(user, 204);
    } else {
        reply_unstored(user, outcome);
    }
}

static void datasets_remove(server *s, request *r) {
    dataset d;
    if (!dataset_of(s, r, false, &d)) return;
    trash_dataset(s, d.id, datasets_removed, r);
    dataset_clear(&d);
}

const route dataset_routes[] = {
    {"GET", "/datasets", datasets_list, "limit before"},
    {"POST", "/datasets", datasets_create, NULL},
    {"GET", "/datasets/:id", datasets_get, NULL},
    {"PATCH", "/datasets/:id", datasets_patch, NULL},
    {"DELETE", "/datasets/:id", datasets_remove, NULL},
    {"PUT", "/datasets/:id/content", uploads_put, "offset"},
    {"GET", "/datasets/:id/preview", preview_get, "rows"},
    {"GET", "/datasets/:id/profile", ask_profile, NULL},
    {"GET", "/datasets/:id/columns", ask_columns, NULL},
    {"POST", "/datasets/:id/clean", ask_clean, NULL},
    {"POST", "/datasets/:id/suggest", ask_suggest, NULL},
    {"GET", "/datasets/:id/baskets", ask_baskets, "with* without* any limit"},
    {"GET", "/datasets/:id/pairs", ask_pairs, "items"},
    {"GET", "/datasets/:id/graphs/:index", ask_graph, NULL},
    {NULL, NULL, NULL, NULL},
};

/* ---- the part ---- */

static bool datasets_start(server *s, char *why, size_t room) {
    s->datasets = calloc(1, sizeof *s->datasets);
    if (!s->datasets) {
        snprintf(why, room, "out of memory");
        return false;
    }
    return datasets_recover(s, why, room) && devices_start(s, why, room) &&
           expiry_start(s, why, room);
}

static void datasets_stop(server *s) {
    if (!s->datasets) return;
    expiry_stop(s);
    devices_stop(s);
    for (struct arrival *a = s->datasets->arrivals, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    free(s->datasets);
    s->datasets = NULL;
}

const server_part datasets_part = {
    .name = "data sets", .start = datasets_start, .closing = NULL, .stop = datasets_stop};
