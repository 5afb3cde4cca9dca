/* compare_routes.c - requests about comparisons
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <lode.h>
#include <string.h>

#include "compare/compare.h"
#include "system/about_devices.h"

#define COMPARE_MOST 20 /* maximum number of rows of a request */

/* ---- requests -------------------------------------------------------------------------------- */

static void compare_reply(server *s, request *r, int code) {
    uint64_t job = request_number(r, 0);
    json_t *rows = compare_load(s, job);
    const char *state = compare_runs(s, job)         ? "running"
                        : json_array_size(rows) == 0 ? "none"
                                                     : "done";
    if (rows) {
        reply_json(r, code, json_pack("{s:s,s:o}", "state", state, "rows", rows));
    } else {
        reply_unreadable(r);
    }
}

void route_compare_get(server *s, request *r) {
    uint64_t id = request_number(r, 0);
    char state[16];
    db_step step = job_row_state(s, id, state);
    if (step == DB_ROW) {
        compare_reply(s, r, 200);
    } else {
        job_reply_missing(r, id, step);
    }
}

void route_compare_delete(server *s, request *r) {
    compare_quit(s, request_number(r, 0));
    route_compare_get(s, r);
}

/* Whether the job has a result to compare. */
static bool compare_is_possible(server *s, request *r, job_kind *kind) {
    uint64_t id = request_number(r, 0);
    sqlite3_stmt *q = db_statement(s->db, "SELECT state, kind FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    db_step step = db_next(s->db, q);
    if (step != DB_ROW) {
        job_reply_missing(r, id, step);
        return false;
    }
    bool done = strcmp(db_text(q, 0), "done") == 0;
    job_kind_find(db_text(q, 1), kind);
    db_done(q);
    if (!done) {
        reply_error(r, 409, "conflict", "Only a job whose state is done can be compared.");
    } else if (compare_runs(s, id)) {
        compare_reply(s, r, 202); /* it is running */
        return false;
    }
    return done;
}

static bool compare_knows(job_kind kind, const char *name) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0;
         name && lode_algorithm_at(kind == JOB_GRAPHS ? LODE_GRAPHS : LODE_ITEMSETS, i, &a); i++) {
        if (!a.oracle && strcmp(a.name, name) == 0) return true;
    }
    return false;
}

static bool compare_check_names(request *r, job_kind kind, const json_t *names) {
    if (names && (!json_is_array(names) || json_array_size(names) == 0 ||
                  json_array_size(names) > COMPARE_MOST)) {
        reply_error(r, 422, "invalid", "algorithms: expected a list of 1 to %d names.",
                    COMPARE_MOST);
        return false;
    }
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (compare_knows(kind, name)) continue;
        reply_error(r, 422, "invalid", "algorithms: there is no algorithm \"%.64s\" for %s.",
                    name ? name : "?", kind == JOB_GRAPHS ? "graphs" : "itemsets");
        return false;
    }
    return true;
}

static bool compare_check_device(request *r, const json_t *device) {
    lode_options *options = NULL;
    char message[256] = "expected a string";
    if (!device) return true;
    bool right = json_is_string(device) && lode_options_create(&options) == LODE_OK &&
                 lode_options_set_in(options, LODE_OPTION_DEVICE, "device",
                                     json_string_value(device), message, sizeof message) == LODE_OK;
    lode_options_free(options);
    if (!right) reply_error(r, 422, "invalid", "device: %s", message);
    return right;
}

static bool compare_check_keys(request *r, const json_t *body) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)body, key, value) {
        if (strcmp(key, "algorithms") == 0 || strcmp(key, "device") == 0) continue;
        reply_error(r, 422, "invalid", "Unknown key \"%.64s\"; expected algorithms or device.",
                    key);
        return false;
    }
    return true;
}

/* Which rows there are depends on the devices. */
static void compare_post_now(server *s, request *r) {
    job_kind kind = JOB_ITEMSETS;
    size_t bytes = 0;
    if (!compare_is_possible(s, r, &kind)) return;
    request_bytes(r, &bytes);
    json_t *body = bytes > 0 ? request_object(r) : NULL;
    if (bytes > 0 && !body) return;
    const json_t *names = json_object_get(body, "algorithms");
    const json_t *device = json_object_get(body, "device");
    if (!compare_check_keys(r, body) || !compare_check_names(r, kind, names) ||
        !compare_check_device(r, device)) {
        return;
    }
    if (compare_start(s, request_number(r, 0), names, json_string_value(device))) {
        compare_reply(s, r, 202);
    } else {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
    }
}

void route_compare_post(server *s, request *r) {
    devices_when_known(s, r, compare_post_now);
}
