/* reply.c - answers of known length, and streams
 *
 * Every answer has the same strict headers, from reply_common_headers().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <linux/sockios.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "http/connections.h"
#include "http/http.h"
#include "http/text.h"
#include "storage/database.h"
#include "workers/workers.h"

void reply_header(request *r, const char *name, const char *value) {
    if (r->http) evhttp_add_header(evhttp_request_get_output_headers(r->http), name, value);
}

/* Sets the headers that every answer has. */
static void reply_common_headers(request *r) {
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
         "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        reply_header(r, headers[i][0], headers[i][1]);
    if (r->close) reply_header(r, "Connection", "close");
}

static const char *reason_of(int code) {
    static const struct {
        int code;
        const char *reason;
    } reasons[] = {
        {409, "Conflict"},
        {413, "Content Too Large"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code == code) return reasons[i].reason;
    }
    return NULL; /* libevent knows it */
}

void reply_send(request *r, int code, const char *type, struct evbuffer *body) {
    if (r->http) {
        reply_common_headers(r);
        if (type) reply_header(r, "Content-Type", type);
        struct evkeyvalq *headers = evhttp_request_get_output_headers(r->http);
        if (!evhttp_find_header(headers, "Cache-Control"))
            reply_header(r, "Cache-Control", "no-store");
        if (r->head && body) {
            char length[24];
            snprintf(length, sizeof length, "%zu", evbuffer_get_length(body));
            reply_header(r, "Content-Length", length);
            evbuffer_drain(body, evbuffer_get_length(body));
        }
        evhttp_send_reply(link_detach(r), code, reason_of(code), body);
    }
    request_free(r);
}

static void send_bytes(request *r, int code, const char *bytes, size_t n) {
    struct evbuffer *body = evbuffer_new();
    if (body) evbuffer_add(body, bytes, n);
    reply_send(r, body ? code : 503, "application/json", body);
    if (body) evbuffer_free(body);
}

void reply_text(request *r, int code, const char *json, size_t bytes) {
    send_bytes(r, code, json, bytes);
}

void reply_empty(request *r, int code) {
    reply_send(r, code, NULL, NULL);
}

void reply_json(request *r, int code, json_t *steals) {
    char *words = steals ? json_dumps(steals, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(steals);
    if (words) {
        send_bytes(r, code, words, strlen(words));
    } else {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
    }
    free(words);
}

void reply_hint(request *r, int http, const char *code, const char *message, const char *hint) {
    text t = TEXT_INIT;
    text_put(&t, "{\"error\":{");
    text_json_name(&t, "code");
    text_json_string(&t, code);
    text_json_name(&t, "message");
    text_json_string(&t, message);
    if (hint) {
        text_json_name(&t, "hint");
        text_json_string(&t, hint);
    }
    text_put(&t, "}}");
    if (t.failed) {
        reply_send(r, 503, NULL, NULL);
    } else {
        send_bytes(r, http, t.data, t.length);
    }
    text_free(&t);
}

void reply_error(request *r, int http, const char *code, const char *format, ...) {
    char message[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    reply_hint(r, http, code, message, NULL);
}

/* ---- a worker's failure ---- */

/* A hint what to do; NULL: none. */
static const char *status_hint(const char *status) {
    if (status && strcmp(status, "lost") == 0)
        return "Try again: the server starts a new worker process.";
    if (status && strcmp(status, "late") == 0) {
        return "Request less, or start the server with a higher `lode serve --max-wait`.";
    }
    return NULL;
}

void reply_unreadable(request *r) {
    reply_error(r, 503, "unavailable", "The server cannot read its database: %s.",
                db_message(r->server->db));
}

void reply_unstored(request *r, const db_outcome *outcome) {
    if (outcome->full) {
        reply_error(r, 507, "unavailable",
                    "The server's disk is full; delete data sets or results that are not needed.");
    } else {
        reply_error(r, 503, "unavailable",
                    "The server could not store this: %s. Please try again in a moment.",
                    outcome->message);
    }
}

void reply_status(request *r, const char *worker_failed_json, size_t bytes) {
    static const struct {
        const char *status, *code;
        int http;
    } rows[] = {
        {"invalid", "invalid", 422},      {"parse", "invalid", 422},
        {"notfound", "notfound", 404},    {"budget", "toolarge", 413},
        {"unsupported", "invalid", 422},  {"cancelled", "conflict", 409},
        {"changed", "conflict", 409},     {"device", "unavailable", 503},
        {"nomem", "unavailable", 503},    {"io", "unavailable", 503},
        {"lost", "unavailable", 503},     {"late", "unavailable", 503},
        {"internal", "unavailable", 503},
    };
    json_t *failed = json_loadb(worker_failed_json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(failed, "status"));
    const char *message = json_string_value(json_object_get(failed, "message"));
    size_t i = 0, last = sizeof rows / sizeof *rows - 1;
    while (i < last && (!status || strcmp(rows[i].status, status) != 0)) i++;
    char more[256];
    bool memory = workers_memory_hint(r->server, failed, more, sizeof more);
    reply_hint(r, rows[i].http, rows[i].code, message ? message : "The worker failed.",
               memory ? more : status_hint(status));
    json_decref(failed);
}

/* ---- files ---- */

void reply_download_header(request *r, const char *name) {
    text t = TEXT_INIT;
    text_put(&t, "attachment; filename=\"");
    for (const char *c = name; *c; c++) {
        bool plain = *c >= 0x20 && *c < 0x7F && !strchr("\"\\/%;", *c);
        text_char(&t, plain ? *c : '_');
    }
    text_put(&t, "\"; filename*=UTF-8''");
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        bool plain = (*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') ||
                     strchr("-._~", *c);
        if (plain && *c < 0x80) {
            text_char(&t, (char)*c);
        } else {
            text_printf(&t, "%%%02X", *c);
        }
    }
    if (!t.failed) reply_header(r, "Content-Disposition", t.data);
    text_free(&t);
}

/* ---- answers that go on: server-sent events and downloads without a known length ------------- */

/* From the first byte of an answer, libevent watches whether the client disconnects; then the
 * stream is lost. A client that does not read is disconnected, which bounds the memory of its
 * unread bytes. */

/* A client with more unread bytes than this is disconnected. */
#define MAX_PENDING (1u << 20)

struct stream {
    request *request;
    void (*on_close)(void *);
    void *close_user;
    void (*on_drained)(void *);
    void *drained_user;
    struct event *cut; /* the client is disconnected after the caller has returned */
    bool ended, losing;
};

static struct bufferevent *stream_bufferevent(const stream *s) {
    struct evhttp_request *http = s->request->http;
    struct evhttp_connection *c = http ? evhttp_request_get_connection(http) : NULL;
    return c ? evhttp_connection_get_bufferevent(c) : NULL;
}

/* Frees the stream and its request; libevent's part is already freed. */
static void stream_free(stream *s) {
    event_free(s->cut);
    s->request->stream = NULL;
    s->request->lost = NULL;
    request_free(s->request);
    free(s);
}

static void stream_lost(stream *s) {
    if (s->ended) return;
    s->ended = true;
    if (s->on_close) s->on_close(s->close_user);
    stream_free(s);
}

/* Frees libevent's connection, which calls stream_lost(). */
static void stream_cut(evutil_socket_t fd, short what, void *arg) {
    stream *s = arg;
    struct evhttp_request *http = s->request->http;
    struct evhttp_connection *c = http ? evhttp_request_get_connection(http) : NULL;
    (void)fd;
    (void)what;
    if (!c) return;
    connections_drop_unread(bufferevent_getfd(evhttp_connection_get_bufferevent(c)));
    evhttp_connection_free(c);
}

static void stream_left(struct evhttp_connection *c, void *arg) {
    stream *s = arg;
    (void)c;
    if (s->on_drained && !s->ended) s->on_drained(s->drained_user);
}

stream *reply_stream(request *r, const char *type, const char *download_name) {
    stream *s = calloc(1, sizeof *s);
    if (s) s->cut = event_new(r->server->base, -1, 0, stream_cut, s);
    if (!s || !s->cut) {
        free(s);
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return NULL;
    }
    s->request = r;
    r->stream = s;
    r->lost = stream_lost;
    if (download_name) reply_download_header(r, download_name);
    reply_common_headers(r);
    reply_header(r, "Content-Type", type);
    reply_header(r, "Cache-Control", "no-store");
    reply_header(r, "X-Accel-Buffering", "no");
    if (r->http) evhttp_send_reply_start(r->http, 200, "OK");
    return s;
}

stream *reply_events(request *r) {
    return reply_stream(r, "text/event-stream", NULL);
}

/* Disconnects later, on the loop, because the caller still uses the stream. */
void stream_abandon(stream *s) {
    if (!s->losing) event_active(s->cut, EV_TIMEOUT, 0);
    s->losing = true;
}

static bool stream_refuse(stream *s) {
    stream_abandon(s);
    return false;
}

static bool stream_chunk(stream *s, struct evbuffer *chunk) {
    if (s->losing || !s->request->http) return false;
    if (stream_pending(s) > MAX_PENDING) return stream_refuse(s);
    evhttp_send_reply_chunk_with_cb(s->request->http, chunk, stream_left, s);
    return true;
}

bool stream_write(stream *s, const void *data, size_t bytes) {
    struct evbuffer *chunk = evbuffer_new();
    if (!chunk || evbuffer_add(chunk, data, bytes) != 0) {
        if (chunk) evbuffer_free(chunk);
        return stream_refuse(s);
    }
    bool ok = stream_chunk(s, chunk);
    evbuffer_free(chunk);
    return ok;
}

/* Our JSON has no line ends, so one data line is enough. */
bool stream_send(stream *s, const char *event, const char *json, size_t bytes) {
    struct evbuffer *chunk = evbuffer_new();
    if (!chunk || evbuffer_add_printf(chunk, "event: %s\ndata: ", event) < 0 ||
        evbuffer_add(chunk, json, bytes) != 0 || evbuffer_add(chunk, "\n\n", 2) != 0) {
        if (chunk) evbuffer_free(chunk);
        return stream_refuse(s);
    }
    bool ok = stream_chunk(s, chunk);
    evbuffer_free(chunk);
    return ok;
}

size_t stream_pending(const stream *s) {
    struct bufferevent *b = stream_bufferevent(s);
    return b ? evbuffer_get_length(bufferevent_get_output(b)) : 0;
}

size_t stream_unread(const stream *s) {
    struct bufferevent *b = stream_bufferevent(s);
    int waiting = 0;
    if (!b || ioctl(bufferevent_getfd(b), SIOCOUTQ, &waiting) != 0 || waiting < 0) waiting = 0;
    return stream_pending(s) + (size_t)waiting;
}

void stream_on_drained(stream *s, void (*f)(void *), void *user) {
    s->on_drained = f;
    s->drained_user = user;
}

void stream_on_close(stream *s, void (*f)(void *), void *user) {
    s->on_close = f;
    s->close_user = user;
}

void stream_end(stream *s) {
    struct evhttp_request *http = link_detach(s->request);
    s->ended = true;
    stream_free(s);
    if (http) evhttp_send_reply_end(http);
}
