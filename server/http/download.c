/* download.c - sends files in chunks
 *
 * A task thread reads a chunk, the loop sends it, and the next one is read when it has been sent.
 * So a client needs one chunk of memory and no thread, and the loop never waits for the disk. After
 * twice --max-wait, a client must have read DOWNLOAD_SLOWEST bytes per second on average, because
 * an unlinked file occupies the disk until it is sent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/download.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/connections.h"
#include "http/http.h"
#include "storage/discard.h"
#include "system/tasks.h"

#define DOWNLOAD_PIECE   ((size_t)256 << 10)
#define DOWNLOAD_SLOWEST 16384.0

typedef struct download {
    server *server;
    request *request; /* valid as long as its stream */
    stream *stream;   /* NULL: the client has disconnected */
    struct event *clock;
    double since;
    int fd;
    bool reading, unnamed;
    off_t at, size;
    char *piece; /* the chunk; `got` bytes, or -1 */
    ssize_t got;
} download;

/* Bytes of all unlinked files that are being sent. Loop thread only. */
static uint64_t unnamed_bytes;

uint64_t download_unnamed_bytes(void) {
    return unnamed_bytes;
}

static void download_free(download *d) {
    if (d->unnamed) unnamed_bytes -= (uint64_t)d->size;
    if (d->clock) event_free(d->clock);
    discard_fd(d->server, d->fd);
    free(d->piece);
    free(d);
}

/* The client has disconnected. If a chunk is being read, waits for it. */
static void download_lost(void *user) {
    download *d = user;
    d->stream = NULL;
    if (!d->reading) download_free(d);
}

/* ---- pieces ---- */

static void download_read(void *user) {
    download *d = user;
    size_t left = (size_t)(d->size - d->at);
    if (!d->piece) d->piece = malloc(DOWNLOAD_PIECE);
    do {
        d->got = d->piece
                     ? pread(d->fd, d->piece, left < DOWNLOAD_PIECE ? left : DOWNLOAD_PIECE, d->at)
                     : -1;
    } while (d->got < 0 && d->piece && errno == EINTR);
}

/* Content-Length was already sent: if the rest cannot be read, the connection is closed early. */
static void download_send(void *user) {
    download *d = user;
    d->reading = false;
    if (!d->stream) {
        download_free(d);
        return;
    }
    if (d->got <= 0) {
        stream_abandon(d->stream);
        return;
    }
    d->at += d->got;
    if (!stream_write(d->stream, d->piece, (size_t)d->got) || d->at < d->size) return;
    stream_end(d->stream);
    download_free(d);
}

static void download_next(void *user) {
    download *d = user;
    if (d->reading || d->at == d->size) return;
    d->reading = true;
    task_pool *tasks = d->server->tasks;
    if (tasks && tasks_add_for(tasks, request_client(d->request), download_read, download_send, d))
        return;
    download_read(d); /* the task queue is full; reading a chunk here takes only a moment */
    download_send(d);
}

/* ---- time ---- */

static void download_look(evutil_socket_t fd, short what, void *user) {
    download *d = user;
    (void)fd, (void)what;
    if (!d->stream) return;
    double arrived = (double)d->at - (double)stream_unread(d->stream);
    double allowed = 2.0 * d->server->config->max_wait + arrived / DOWNLOAD_SLOWEST;
    if (connections_clock() - d->since > allowed) stream_abandon(d->stream);
}

static bool download_clock(download *d) {
    const struct timeval second = {.tv_sec = 1};
    d->clock = event_new(d->server->base, -1, EV_PERSIST, download_look, d);
    return d->clock && event_add(d->clock, &second) == 0;
}

/* ---- the answer ---- */

void reply_file(request *r, int fd, const char *type, const char *download_name) {
    struct stat st = {0};
    char length[24];
    download *d = fstat(fd, &st) == 0 ? calloc(1, sizeof *d) : NULL;
    if (!d) {
        close(fd);
        reply_error(r, 503, "unavailable", "The server cannot send the file at the moment.");
        return;
    }
    *d = (download){.server = r->server, .request = r, .fd = fd, .size = st.st_size};
    snprintf(length, sizeof length, "%lld", (long long)st.st_size);
    reply_header(r, "Content-Length", length);
    if (!r->http || r->head || st.st_size == 0) {
        free(d);
        if (download_name) reply_download_header(r, download_name);
        /* HEAD, empty files, and clients that have disconnected before their file was ready. */
        discard_fd(r->server, fd);
        reply_send(r, 200, type, NULL);
        return;
    }
    d->since = connections_clock();
    d->stream = download_clock(d) ? reply_stream(r, type, download_name) : NULL;
    if (!d->stream) { /* without a stream, the request has been answered */
        download_free(d);
        return;
    }
    d->unnamed = st.st_nlink == 0;
    if (d->unnamed) unnamed_bytes += (uint64_t)d->size;
    stream_on_close(d->stream, download_lost, d);
    stream_on_drained(d->stream, download_next, d);
    download_next(d);
}
