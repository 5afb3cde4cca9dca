/* preview.c - see preview.h
 *
 * First a task thread reads the raw lines, then the worker says what it recognised. A file that
 * cannot be read is no failure here: lines and message are what somebody needs to correct it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/preview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/datasets.h"
#include "system/tasks.h"
#include "workers/workers.h"

typedef struct previewing {
    server *server;
    request *request;
    worker_source source;
    uint64_t rows;
    text lines;
    char path[FOLDER_PATH_BYTES];
} previewing;

static void previewing_free(previewing *p) {
    text_free(&p->lines);
    worker_source_clear(&p->source);
    free(p);
}

static void previewing_no_memory(previewing *p) {
    reply_error(p->request, 503, "unavailable", "There is no memory for this; try again.");
    previewing_free(p);
}

static void previewing_lines(void *arg) {
    previewing *p = arg;
    preview_lines(p->path, (size_t)p->rows, &p->lines);
}

/* {"lines": […], …}, where the rest is an object of the worker. */
static void previewing_both(text *out, const previewing *p, const char *json, size_t bytes) {
    text_put(out, "{\"lines\":");
    text_add(out, p->lines.data, p->lines.length);
    while (bytes > 0 && json[0] != '{') json++, bytes--;
    if (bytes > 2) {
        text_char(out, ',');
        text_add(out, json + 1, bytes - 1);
    } else {
        text_char(out, '}');
    }
}

/* The same, where the worker has said why it cannot be read. False: that is not about the file. */
static bool previewing_error(text *out, const previewing *p, const char *json, size_t bytes) {
    static const char *const about_file[] = {"parse",    "invalid", "unsupported",
                                             "notfound", "budget",  NULL};
    json_t *failure = json_loadb(json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(failure, "status"));
    const char *message = json_string_value(json_object_get(failure, "message"));
    const char *const *known = about_file;
    while (*known && (!status || strcmp(*known, status) != 0)) known++;
    if (*known && message) {
        text_put(out, "{\"lines\":");
        text_add(out, p->lines.data, p->lines.length);
        text_put(out, ",\"error\":{\"code\":");
        text_json_string(out, status);
        text_put(out, ",\"message\":");
        text_json_string(out, message);
        text_put(out, "}}");
    }
    const bool told = *known && message;
    json_decref(failure);
    return told;
}

static void previewing_done(void *user, bool ok, const char *json, size_t bytes) {
    previewing *p = user;
    text out = TEXT_INIT;
    if (ok) previewing_both(&out, p, json, bytes);
    if (!ok && !previewing_error(&out, p, json, bytes)) {
        reply_status(p->request, json, bytes);
        previewing_free(p);
    } else if (out.failed || p->lines.failed) {
        previewing_no_memory(p);
    } else {
        reply_text(p->request, 200, out.data, out.length);
        previewing_free(p);
    }
    text_free(&out);
}

static void previewing_ask(void *arg) {
    previewing *p = arg;
    char digits[24];
    request *r = p->request;
    const worker_reply reply = {
        .done = previewing_done, .user = p, .request = r, .client = request_client(r)};
    if (!workers_may_ask(p->server->workers, r)) {
        previewing_free(p);
        return;
    }
    worker_request *q = worker_request_new("preview");
    snprintf(digits, sizeof digits, "%" PRIu64, p->rows);
    worker_request_add(q, "rows", digits);
    if (!q || !workers_ask_soon(p->server->workers, &p->source, q, reply)) previewing_no_memory(p);
}

void preview_get(server *s, request *r) {
    uint64_t range[2] = {1, 200}, rows;
    dataset d;
    if (!request_count(r, "rows", range, 20, &rows) || !dataset_of(s, r, true, &d)) return;
    const uint64_t id = d.id;
    previewing *p = calloc(1, sizeof *p);
    if (!p) {
        reply_error(r, 503, "unavailable", "There is no memory for this; try again.");
        dataset_clear(&d);
        return;
    }
    *p = (previewing){.server = s,
                      .request = r,
                      .source = {.dataset = id, .read = d.read, .clean = d.clean},
                      .rows = rows,
                      .lines = TEXT_INIT};
    d.read = d.clean = NULL;
    dataset_clear(&d);
    dataset_path(s, id, false, p->path);
    datasets_touch(s, id);
    if (tasks_add_for(s->tasks, request_client(r), previewing_lines, previewing_ask, p)) return;
    previewing_free(p);
    reply_error(r, 503, "unavailable", "The server is busy; try again in a moment.");
}
