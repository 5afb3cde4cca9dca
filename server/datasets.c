/* datasets.c - data sets by HTTP: list, create, look at, change, delete
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets.h"

#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "about_devices.h"
#include "database.h"
#include "datasets_ask.h"
#include "datasets_options.h"
#include "datasets_recover.h"
#include "disk.h"
#include "examples.h"
#include "expiry.h"
#include "preview.h"
#include "uploads.h"
#include "workers.h"

static void datasets_list(server *s, request *r) {
    listing list;
    if (!listing_read(r, 1000, 10000, &list)) return;
    datasets_fill(s, &list);
    listing_reply(r, &list, "datasets");
}

/* ---- create ---- */

/* A name is for people: any text but control characters, and not endless. False: it has
 * answered. */
static bool datasets_name(request *r, json_t *value, char out[DATASET_NAME_BYTES]) {
    const char *words = json_string_value(value);
    size_t n = 0;
    if (!words || !words[0] || strlen(words) != json_string_length(value)) {
        reply_error(r, 422, "invalid", "name: expected a text.");
        return false;
    }
    for (; *words && n + 1 < DATASET_NAME_BYTES; words++) {
        out[n++] = (unsigned char)*words < ' ' || *words == 0x7f ? ' ' : *words;
    }
    while (*words && n > 0 && ((unsigned char)out[n - 1] & 0xc0) == 0x80) n--; /* cut in a letter */
    if (*words && n > 0 && (unsigned char)out[n - 1] >= 0xc0) n--;
    out[n] = 0;
    return true;
}

static void datasets_announce(server *s, request *r, json_t *body) {
    char name[DATASET_NAME_BYTES], message[256];
    json_t *bytes = json_object_get(body, "bytes");
    if (!datasets_name(r, json_object_get(body, "name"), name)) return;
    if (!json_is_integer(bytes) || json_integer_value(bytes) < 0) {
        reply_error(r, 422, "invalid", "bytes: expected the size of the file, a whole number.");
        return;
    }
    const uint64_t size = (uint64_t)json_integer_value(bytes);
    if (size == 0) {
        reply_error(r, 422, "invalid", "The file is empty; expected baskets or graphs.");
        return;
    }
    if (size > s->config->max_upload) {
        reply_error(r, 413, "toolarge",
                    "The file has %" PRIu64 " MB; this server takes files of up to %" PRIu64 " MB.",
                    size / 1000000, s->config->max_upload / 1000000);
        return;
    }
    if (!disk_room(s, size, message, sizeof message)) {
        reply_error(r, 507, "unavailable", "%s", message);
        return;
    }
    const uint64_t id = dataset_insert(s, r, name, size);
    if (id) dataset_reply(s, r, 201, id);
}

/* Whether an object has no other names than these; `expected` lists them in words. False: it has
 * answered. */
static bool datasets_only(request *r, json_t *body, const char *const *names,
                          const char *expected) {
    const char *name;
    json_t *value;
    json_object_foreach(body, name, value) {
        const char *const *known = names;
        while (*known && strcmp(*known, name) != 0) known++;
        if (*known) continue;
        reply_error(r, 422, "invalid", "'%.100s' is not known here; expected %s.", name, expected);
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
        reply_error(r, 422, "invalid",
                    "Expected the name of an example, or name and bytes of a file.");
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

/* Of a data set that is known to hold graphs, options of baskets would have no effect. */
static unsigned datasets_read_groups(const dataset *d) {
    if (d->kind && strcmp(d->kind, "graphs") == 0) return LODE_OPTION_GRAPH_READ;
    if (d->kind && strcmp(d->kind, "baskets") == 0) return LODE_OPTION_READ;
    return LODE_OPTION_READ | LODE_OPTION_GRAPH_READ;
}

/* Whether what a change says can be done. False: it has answered. */
static bool datasets_check_change(request *r, const dataset *d, json_t *body) {
    static const char *const names[] = {"name", "read", "clean", NULL};
    json_t *read = json_object_get(body, "read"), *clean = json_object_get(body, "clean");
    char message[512];
    if (!datasets_only(r, body, names, "name, read or clean")) return false;
    if (read && !options_check(read, datasets_read_groups(d), message, sizeof message)) {
        reply_error(r, 422, "invalid", "%s", message);
        return false;
    }
    if (!clean) return true;
    if (d->kind && strcmp(d->kind, "graphs") == 0 && json_object_size(clean) > 0) {
        reply_error(r, 422, "invalid", "Cleaning is for baskets; these are graphs.");
        return false;
    }
    if (options_check(clean, LODE_OPTION_CLEAN, message, sizeof message)) return true;
    reply_error(r, 422, "invalid", "%s", message);
    return false;
}

static bool datasets_store_options(server *s, uint64_t id, const char *read, const char *clean) {
    sqlite3_stmt *q = db_statement(s->db, "UPDATE datasets SET read = ?, clean = ?, profile = NULL "
                                          "WHERE id = ? AND (read <> ? OR clean <> ?)");
    if (!q) return false;
    db_bind_text(q, 1, read);
    db_bind_text(q, 2, clean);
    db_bind_count(q, 3, id);
    db_bind_text(q, 4, read);
    db_bind_text(q, 5, clean);
    if (!db_run(s->db, q)) return false;
    if (db_changes(s->db) > 0) workers_forget(s->workers, id); /* it has read other data */
    return true;
}

/* A worker that reads other data would end what it is doing. */
static bool datasets_busy(server *s, uint64_t id) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT 1 FROM jobs WHERE dataset = ? AND state IN ('queued', 'running') LIMIT 1");
    if (!q) return false;
    db_bind_count(q, 1, id);
    const bool busy = db_row(s->db, q);
    db_done(q);
    return busy;
}

static bool datasets_change_options(server *s, const dataset *d, json_t *body) {
    json_t *read = json_object_get(body, "read"), *clean = json_object_get(body, "clean");
    if (!read && !clean) return true;
    char *read_text = read ? json_dumps(read, JSON_COMPACT) : strdup(d->read);
    char *clean_text = clean ? json_dumps(clean, JSON_COMPACT) : strdup(d->clean);
    bool done = read_text && clean_text && datasets_store_options(s, d->id, read_text, clean_text);
    free(read_text);
    free(clean_text);
    return done;
}

static bool datasets_rename(server *s, uint64_t id, const char *name) {
    sqlite3_stmt *q = db_statement(s->db, "UPDATE datasets SET name = ? WHERE id = ?");
    if (!q) return false;
    db_bind_text(q, 1, name);
    db_bind_count(q, 2, id);
    return db_run(s->db, q);
}

static void datasets_patch(server *s, request *r) {
    char name[DATASET_NAME_BYTES];
    dataset d;
    json_t *body = request_object(r), *new_name;
    if (!body || !dataset_of(s, r, false, &d)) return;
    new_name = json_object_get(body, "name");
    if (json_object_size(body) > (new_name ? 1 : 0) && datasets_busy(s, d.id)) {
        reply_error(r, 409, "conflict",
                    "A job of this data set is running; wait for it, or cancel it first.");
    } else if (datasets_check_change(r, &d, body) &&
               (!new_name || datasets_name(r, new_name, name))) {
        if ((!new_name || datasets_rename(s, d.id, name)) && datasets_change_options(s, &d, body)) {
            dataset_reply(s, r, 200, d.id);
        } else {
            datasets_refuse(s, r);
        }
    }
    dataset_clear(&d);
}

static void datasets_remove(server *s, request *r) {
    dataset d;
    if (!dataset_of(s, r, false, &d)) return;
    if (dataset_delete(s, d.id)) {
        reply_empty(r, 204);
    } else {
        datasets_refuse(s, r);
    }
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
        snprintf(why, room, "there is no memory");
        return false;
    }
    return datasets_recover(s, why, room) && devices_start(s, why, room) &&
           expiry_start(s, why, room);
}

static void datasets_stop(server *s) {
    if (!s->datasets) return;
    expiry_stop(s);
    devices_stop(s);
    free(s->datasets);
    s->datasets = NULL;
}

const server_part datasets_part = {
    .name = "data sets", .start = datasets_start, .closing = NULL, .stop = datasets_stop};
