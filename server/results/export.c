/* export.c - exports a result as a file
 *
 * arrow sends the stored file itself. csv, jsonl and xlsx are written to an unlinked file, which is
 * then sent (download.c). So a slow client occupies no thread, disk space is checked while the file
 * grows, and no file is ever left behind. One export is written at a time; others wait. An export
 * is cancelled when its client disconnects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/download.h"
#include "jobs/turns.h"
#include "results/stores_ask.h"
#include "results/stores_routes.h"
#include "storage/discard.h"
#include "storage/disk.h"
#include "system/tasks.h"

#define EXPORT_LINE          16                   /* maximum number of waiting exports */
#define EXPORT_CLIENT        4                    /* of those, from one client */
#define EXPORT_FREE          ((uint64_t)64 << 20) /* bytes that must stay free on the disk */
#define EXPORT_LOOK          ((uint64_t)16 << 20) /* bytes between two checks of the disk */
#define EXPORT_SHEET_MOST    5000000 /* rows of an xlsx file, which has several sheets then */
#define EXPORT_SHEET_ROW     1024    /* bytes of a row of xlsx in scratch files, roughly */
#define EXPORT_MATCH_SECONDS 10      /* seconds for the regular expressions of a filter */

#define EXPORT_FULL                                                                                \
    "the server's disk does not have enough room for this file; use a narrower filter"

static const struct {
    const char *name, *type;
} export_formats[] = {
    {"csv", "text/csv; charset=utf-8"},
    {"jsonl", "application/x-ndjson"},
    {"arrow", "application/vnd.apache.arrow.file"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
};
enum { EXPORT_CSV, EXPORT_JSONL, EXPORT_ARROW, EXPORT_XLSX, EXPORT_FORMATS };

typedef struct export_run {
    server *server;
    request *request;
    result_job job;
    unsigned format;
    query *query;
    char *measures;
    uint64_t room;           /* maximum bytes of the file */
    uint64_t bytes, look_at; /* its current bytes, and the bytes at the next check */
    int fd;                  /* the written file; -1: none */
    bool full;
    store_failure why;
    struct event *timer; /* timer: checks whether the client is still connected */
    pthread_mutex_t lock;
    lode_job *running; /* under the lock */
    bool cancelled;    /* under the lock */
    struct export_run *next;
} export_run;

/* Unfinished exports; the first one is running. Loop thread only. */
static export_run *export_line;
static turns export_turns;

static uint64_t export_turn(const export_run *e) {
    return turns_last(&export_turns, request_client(e->request));
}

static void export_free(export_run *e) {
    query_free(e->query);
    free(e->measures);
    if (e->timer) event_free(e->timer);
    if (e->fd >= 0) discard_fd(e->server, e->fd);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static void export_name(const export_run *e, char *out, size_t bytes) {
    snprintf(out, bytes, "%s-%llu.%s", result_kind_name(e->job.kind), (unsigned long long)e->job.id,
             export_formats[e->format].name);
}

/* ---- writing, on a task thread -------------------------------------------------------------- */

static lode_status export_fail(export_run *e, lode_status status, const char *words) {
    e->why.status = status;
    snprintf(e->why.message, sizeof e->why.message, "%s", words);
    return status;
}

/* Writes lines, and checks the disk space now and then. */
static int export_take(void *user, const char *lines, size_t n) {
    export_run *e = user;
    while (n > 0) {
        ssize_t put = write(e->fd, lines, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            (void)export_fail(e, LODE_IO, "the server could not write the file");
            return 1;
        }
        lines += put;
        n -= (size_t)put;
        e->bytes += (uint64_t)put;
    }
    if (e->bytes < e->look_at && e->bytes <= e->room) return 0;
    e->look_at = e->bytes + EXPORT_LOOK;
    e->full = e->bytes > e->room ||
              !disk_free(e->server, EXPORT_FREE, e->why.message, sizeof e->why.message);
    if (!e->full) return 0;
    (void)export_fail(e, LODE_IO, EXPORT_FULL);
    return 1;
}

static bool export_show_job(export_run *e, lode_job *job) {
    pthread_mutex_lock(&e->lock);
    e->running = job;
    bool go_on = !e->cancelled;
    pthread_mutex_unlock(&e->lock);
    return go_on;
}

static lode_status export_lines(export_run *e, store_handle *h) {
    lode_query_write_options how = {.size = sizeof how, .rows = UINT64_MAX};
    how.format = e->format == EXPORT_CSV ? LODE_STORE_CSV : LODE_STORE_JSONL;
    how.csv_safe = e->format == EXPORT_CSV; /* csv is for spreadsheets; programs use jsonl */
    how.measures = e->measures;
    lode_query_options options = e->query->options;
    options.match_seconds = EXPORT_MATCH_SECONDS;
    e->fd = open(e->server->config->tmp_dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (e->fd < 0) return export_fail(e, LODE_IO, "the server could not create the file");
    lode_status status = lode_store_write_call(h->store, &options, export_take, e, &how, NULL);
    if (status == LODE_OK && lseek(e->fd, 0, SEEK_SET) != 0) status = LODE_IO;
    return status;
}

/* Whether a spreadsheet of the matching rows is not too large, and fits on the disk. */
static lode_status export_check_sheet(export_run *e, store_handle *h,
                                      const lode_query_options *options) {
    uint64_t n = 0;
    char words[200];
    lode_status status = lode_store_count(h->store, options, &n);
    if (status != LODE_OK) return status;
    if (n > EXPORT_SHEET_MOST) {
        snprintf(words, sizeof words,
                 "%llu rows are too many for xlsx, which may have at most %d here; use a narrower "
                 "filter, or csv",
                 (unsigned long long)n, EXPORT_SHEET_MOST);
        return export_fail(e, LODE_INVALID, words);
    }
    const uint64_t needed = n * EXPORT_SHEET_ROW;
    e->full = needed > e->room ||
              !disk_free(e->server, EXPORT_FREE + needed, e->why.message, sizeof e->why.message);
    return e->full ? export_fail(e, LODE_IO, EXPORT_FULL) : LODE_OK;
}

/* xlsx: the library writes it beside its scratch files, in the folder for temporary files. Only one
 * export is written at a time. */
static lode_status export_sheet(export_run *e, store_handle *h) {
    char path[4096 + 64];
    const lode_query_write_options how = {
        .size = sizeof how, .format = LODE_STORE_XLSX, .rows = UINT64_MAX, .measures = e->measures};
    lode_query_options options = e->query->options;
    options.match_seconds = EXPORT_MATCH_SECONDS;
    lode_status status = export_check_sheet(e, h, &options);
    if (status != LODE_OK) return status;
    snprintf(path, sizeof path, "%s/export-%llu.xlsx", e->server->config->tmp_dir,
             (unsigned long long)e->job.id);
    status = lode_store_write(h->store, &options, path, &how, NULL);
    if (status != LODE_OK) return status;
    e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (unlink(path) == 0 && e->fd >= 0) return LODE_OK;
    return export_fail(e, LODE_IO, "the server could not write the file");
}

static void export_work(void *arg) {
    export_run *e = arg;
    store_handle *h = stores_take(e->server->stores, e->job.id, &e->why);
    if (!h) return;
    lode_status status = LODE_CANCELLED;
    if (export_show_job(e, h->job)) {
        status = e->format == EXPORT_XLSX ? export_sheet(e, h) : export_lines(e, h);
    }
    (void)export_show_job(e, NULL);
    (void)stores_settle(h, status, &e->why);
    stores_give(e->server->stores, h);
}

/* ---- the line, on the loop ------------------------------------------------------------------ */

static void export_start(export_run *e);

static void export_answer(export_run *e) {
    char name[64];
    export_name(e, name, sizeof name);
    if (e->why.status == LODE_OK) {
        reply_file(e->request, e->fd, export_formats[e->format].type, name);
        e->fd = -1;
    } else if (e->full) {
        reply_error(e->request, 507, "unavailable", "%s", e->why.message);
    } else {
        stores_reply_failure(e->request, &e->why);
    }
    export_free(e);
}

/* Moves the export of the client whose turn it is to the front of the queue. */
static void export_take_turns(void) {
    export_run **best = &export_line;
    for (export_run **at = &export_line; *at; at = &(*at)->next) {
        if (export_turn(*at) < export_turn(*best)) best = at;
    }
    export_run *next = *best;
    if (!next) return;
    *best = next->next;
    next->next = export_line;
    export_line = next;
}

/* The running export is done: starts the next one. */
static void export_done(void *arg) {
    export_run *e = arg;
    export_line = e->next;
    export_answer(e);
    export_take_turns();
    if (export_line) export_start(export_line);
}

static void export_refuse(export_run *e) {
    e->why = (store_failure){LODE_CANCELLED, "the server is busy; try again in a moment"};
    export_answer(e);
}

/* The maximum size of the next file, considering files that are still being sent. */
static uint64_t export_room_now(server *s) {
    uint64_t limit = s->config->max_disk, used;
    if (!disk_used(s, &used)) return 0;
    used += download_unnamed_bytes();
    return limit > used ? limit - used : 0;
}

/* Starts the first export whose client is still connected; refuses those that cannot be started. */
static void export_start(export_run *e) {
    while (e) {
        bool gone = request_gone(e->request);
        e->room = export_room_now(e->server);
        if (!gone && tasks_add_for(e->server->tasks, request_client(e->request), export_work,
                                   export_done, e)) {
            turns_take(&export_turns, request_client(e->request));
            return;
        }
        export_line = e->next;
        export_refuse(e);
        e = export_line;
    }
}

static void export_cancel(export_run *e) {
    pthread_mutex_lock(&e->lock);
    e->cancelled = true;
    if (e->running) lode_job_cancel(e->running);
    pthread_mutex_unlock(&e->lock);
}

static void export_look(evutil_socket_t fd, short what, void *arg) {
    export_run *e = arg;
    (void)fd;
    (void)what;
    if (request_gone(e->request) || e->server->closing) export_cancel(e);
}

static void export_queue(export_run *e) {
    export_run **at = &export_line;
    struct timeval often = {0, 250000};
    unsigned n = 0, own = 0;
    for (; *at; at = &(*at)->next) {
        n++;
        own += request_client((*at)->request) == request_client(e->request);
    }
    if (own >= EXPORT_CLIENT) {
        reply_error(e->request, 429, "toomany",
                    "You have %u exports in progress, the maximum; wait for one of them to finish.",
                    own);
        export_free(e);
        return;
    }
    e->timer = event_new(e->server->base, -1, EV_PERSIST, export_look, e);
    if (n == EXPORT_LINE || !e->timer || event_add(e->timer, &often) != 0) {
        export_refuse(e);
        return;
    }
    *at = e;
    if (n == 0) export_start(e);
}

/* ---- the request ---------------------------------------------------------------------------- */

static void export_arrow(server *s, request *r, const export_run *e) {
    char path[4096 + 64], name[64];
    snprintf(path, sizeof path, "%s/%llu.arrow", s->config->results_dir,
             (unsigned long long)e->job.id);
    export_name(e, name, sizeof name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        reply_error(r, 503, "unavailable", "the file of this result cannot be opened");
    } else {
        reply_file(r, fd, export_formats[EXPORT_ARROW].type, name);
    }
}

/* False: it has been answered. */
static bool export_read(request *r, export_run *e) {
    const char *format = request_value(r, "format"), *measures = request_value(r, "measures");
    while (e->format < EXPORT_FORMATS && format &&
           strcmp(format, export_formats[e->format].name) != 0) {
        e->format++;
    }
    if (e->format == EXPORT_FORMATS) {
        reply_error(r, 422, "invalid", "format: expected csv, xlsx, jsonl or arrow");
        return false;
    }
    if (e->format == EXPORT_XLSX && !lode_writes_xlsx()) {
        reply_error(r, 422, "invalid",
                    "this server cannot write xlsx, because it was built without libxlsxwriter; "
                    "use csv");
        return false;
    }
    e->measures = measures && *measures ? strdup(measures) : NULL;
    e->query = query_of_request(r, true);
    if (!e->query) return false;
    if (e->format != EXPORT_ARROW || (e->query->view[0] == 0 && !measures)) return true;
    reply_error(
        r, 422, "invalid",
        "arrow is the whole stored result; filters, sort and measures require csv, xlsx or jsonl");
    return false;
}

/* Whether there is disk space for a file. False: the request has been answered. */
static bool export_room(server *s, request *r) {
    char message[256];
    if (disk_room(s, EXPORT_FREE + download_unnamed_bytes(), message, sizeof message)) return true;
    reply_error(r, 507, "unavailable", "%s", message);
    return false;
}

void route_export(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    export_run *e = calloc(1, sizeof *e);
    if (!e) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return;
    }
    *e = (export_run){.server = s, .request = r, .job = job, .fd = -1};
    pthread_mutex_init(&e->lock, NULL);
    bool lines = export_read(r, e);
    if (lines && e->format == EXPORT_ARROW) {
        export_arrow(s, r, e);
        lines = false;
    }
    if (lines && export_room(s, r)) {
        export_queue(e);
    } else {
        export_free(e);
    }
}
