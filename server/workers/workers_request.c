/* workers_request.c - see workers_request.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "workers/workers_request.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/database.h"
#include "workers/workers_pool.h"

worker_request *worker_request_new(const char *verb) {
    worker_request *q = calloc(1, sizeof *q);
    if (q) snprintf(q->verb, sizeof q->verb, "%s", verb);
    return q;
}

void worker_request_free(worker_request *q) {
    if (!q) return;
    text_free(&q->lines);
    free(q);
}

static void request_put_value(text *t, const char *value) {
    for (; *value; value++) {
        if (*value == '\\') {
            text_put(t, "\\\\");
        } else if (*value == '\n') {
            text_put(t, "\\n");
        } else if (*value == '\r') {
            text_put(t, "\\r");
        } else {
            text_char(t, *value);
        }
    }
}

void worker_request_add(worker_request *q, const char *name, const char *value) {
    if (!q || !value) return;
    text_put(&q->lines, name);
    text_char(&q->lines, '=');
    request_put_value(&q->lines, value);
    text_char(&q->lines, '\n');
}

static void request_add_value(worker_request *q, const char *name, const json_t *value) {
    char number[40];
    if (json_is_string(value)) {
        worker_request_add(q, name, json_string_value(value));
    } else if (json_is_boolean(value)) {
        worker_request_add(q, name, json_is_true(value) ? "true" : "false");
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        worker_request_add(q, name, number);
    } else if (json_is_real(value)) {
        snprintf(number, sizeof number, "%.15g", json_real_value(value));
        worker_request_add(q, name, number);
    }
}

void worker_request_add_object(worker_request *q, const char *prefix, const json_t *options) {
    const char *key;
    json_t *value;
    char name[96];
    json_object_foreach((json_t *)options, key, value) {
        snprintf(name, sizeof name, "%s%s", prefix, key);
        if (!json_is_array(value)) {
            request_add_value(q, name, value);
            continue;
        }
        for (size_t i = 0; i < json_array_size(value); i++) {
            request_add_value(q, name, json_array_get(value, i));
        }
    }
}

bool worker_request_payload(const worker_request *q, uint64_t id, text *out) {
    if (q->lines.failed || q->lines.length > WORKER_REQUEST_MOST - 64) return false;
    text_printf(out, "%" PRIu64 " %s\n", id, q->verb);
    if (q->lines.length > 0) text_add(out, q->lines.data, q->lines.length);
    return !out->failed;
}

/* ---- how a data set is opened: its file, and how it is read and cleaned ---------------------- */

/* ---- sources --------------------------------------------------------------------------------- */

void worker_source_clear(worker_source *source) {
    free(source->read);
    free(source->clean);
    free(source->fingerprint);
    *source = (worker_source){0};
}

bool worker_source_copy(worker_source *to, const worker_source *from) {
    *to = (worker_source){.dataset = from->dataset,
                          .read = strdup(from->read ? from->read : "{}"),
                          .clean = strdup(from->clean ? from->clean : "{}"),
                          .fingerprint = from->fingerprint ? strdup(from->fingerprint) : NULL};
    if (to->read && to->clean && (to->fingerprint || !from->fingerprint)) return true;
    worker_source_clear(to);
    return false;
}

void worker_free(worker *w) {
    worker_source_clear(&w->source);
    free(w);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* All workers get equal shares, so a share does not change when others start. */
uint64_t workers_memory(const server *s) {
    return s->config->memory / (s->config->workers + 1);
}

/* The hint gives the memory of the whole server, of which each worker has a share. */
bool workers_memory_hint(const server *s, const json_t *failed, char *hint, size_t room) {
    const char *status = json_string_value(json_object_get(failed, "status"));
    double needed = json_number_value(json_object_get(failed, "needed"));
    if (!status || strcmp(status, "budget") != 0 || needed <= 0) return false;
    snprintf(hint, room, "With `lode serve --memory %.0fM`, each worker has enough memory.",
             ceil(needed * (s->config->workers + 1) / (1 << 20)));
    return true;
}

uint64_t workers_device_memory(const server *s) {
    return s->config->device_memory / (s->config->workers + 1);
}

/* ---- the request ----------------------------------------------------------------------------- */

static void open_add_number(worker_request *q, const char *name, uint64_t n) {
    char digits[24];
    if (n == 0) return;
    snprintf(digits, sizeof digits, "%" PRIu64, n);
    worker_request_add(q, name, digits);
}

static void open_add_options(worker_request *q, const char *prefix, const char *json) {
    json_t *options = json_loads(json, 0, NULL);
    worker_request_add_object(q, prefix, options);
    json_decref(options);
}

void worker_data_path(const server *s, uint64_t dataset, char path[FOLDER_PATH_BYTES]) {
    snprintf(path, FOLDER_PATH_BYTES, "%s/%" PRIu64 ".data", s->config->datasets_dir, dataset);
}

worker_request *worker_open_request(server *s, const worker_source *of, const char **why) {
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT name, kind FROM datasets WHERE id = ? AND state = 'ready'");
    db_bind_count(q, 1, of->dataset);
    const db_step step = db_next(s->db, q);
    *why =
        step == DB_FAILED ? "the server cannot read its database" : "the data set no longer exists";
    if (step != DB_ROW) return NULL;
    worker_request *open = worker_request_new("open");
    char path[FOLDER_PATH_BYTES];
    worker_data_path(s, of->dataset, path);
    worker_request_add(open, "path", path);
    worker_request_add(open, "name", db_text(q, 0));
    worker_request_add(open, "kind", db_text(q, 1)[0] ? db_text(q, 1) : "auto");
    open_add_options(open, "read.", of->read);
    open_add_options(open, "clean.", of->clean);
    open_add_number(open, "memory", workers_memory(s));
    open_add_number(open, "threads", s->config->threads);
    worker_request_add(open, "device", "auto");
    worker_request_add(open, "disk", s->config->disk_file);
    db_done(q);
    if (!open) *why = "the server is out of memory";
    return open;
}
