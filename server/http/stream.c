/* stream.c - answers that go on: server-sent events and downloads without a known length
 *
 * From the first byte of an answer on libevent watches whether the client closes; then the stream
 * is lost. A client that does not read is cut off, so that what waits for it stays bounded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "http/connections.h"
#include "http/http.h"

/* A client that leaves so much unread is not served any more. */
#define MAX_PENDING (1u << 20)

struct stream {
    request *request;
    void (*on_close)(void *);
    void *close_user;
    void (*on_drained)(void *);
    void *drained_user;
    struct event *cut; /* the client is given up, as soon as the caller has returned */
    bool ended, losing;
};

static struct bufferevent *stream_bufferevent(const stream *s) {
    struct evhttp_request *http = s->request->http;
    struct evhttp_connection *c = http ? evhttp_request_get_connection(http) : NULL;
    return c ? evhttp_connection_get_bufferevent(c) : NULL;
}

/* The stream and its request end; libevent's part is done with already. */
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

/* Frees libevent's connection, which comes back as stream_lost. */
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
        reply_error(r, 503, "unavailable", "There is no memory for this answer at the moment.");
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

/* Cuts later, on the loop: the caller still holds the stream. */
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

/* JSON has no line ends outside of its strings, and none unescaped within: one data line holds
 * it. */
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
