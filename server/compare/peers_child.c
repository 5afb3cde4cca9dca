/* peers_child.c - one process of another program: its output, its time; see peers.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/peers.h"
#include "http/text.h"
#include "workers/sandbox.h"

#define PEER_NICE   15
#define PEER_FILES  64
#define PEER_OUTPUT 65536 /* bytes of output that are kept: more is dropped */

struct peer_child {
    worker_child process;
    peer_listener to;
    struct event *readable, *late;
    text output;
    double started;
    bool quiet, gone, is_late; /* its output has ended; it has ended; it was killed for time */
    int fd, status;
};

static void peer_child_free(peer_child *p) {
    if (p->readable) event_free(p->readable);
    if (p->late) event_free(p->late);
    if (p->fd >= 0) close(p->fd);
    text_free(&p->output);
    free(p);
}

static void peer_child_end_if_over(peer_child *p) {
    if (!p->quiet || !p->gone) return;
    const peer_result result = {.late = p->is_late,
                                .status = p->status,
                                .seconds = jobs_clock() - p->started,
                                .output = p->output.data ? p->output.data : ""};
    p->to.done(p->to.user, &result);
    peer_child_free(p);
}

static void peer_child_read(evutil_socket_t fd, short what, void *user) {
    peer_child *p = user;
    char piece[4096];
    (void)what;
    ssize_t got = read((int)fd, piece, sizeof piece);
    if (got < 0) return;
    if (got == 0) {
        p->quiet = true;
        event_del(p->readable);
        peer_child_end_if_over(p);
        return;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (piece[i] == 0) piece[i] = ' ';
    }
    if (p->output.length < PEER_OUTPUT) text_add(&p->output, piece, (size_t)got);
}

static void peer_child_ended(void *user, int status) {
    peer_child *p = user;
    p->gone = true;
    p->status = status;
    peer_child_end_if_over(p);
}

static void peer_child_late(evutil_socket_t fd, short what, void *user) {
    peer_child *p = user;
    (void)fd, (void)what;
    p->is_late = true;
    peer_child_kill(p);
}

void peer_child_kill(peer_child *p) {
    if (!p->gone) kill(p->process.pid, SIGKILL);
}

/* Its output does not matter any more. */
void peer_child_abandon(peer_child *p) {
    if (p->quiet) return;
    p->quiet = true;
    event_del(p->readable);
    peer_child_kill(p);
    peer_child_end_if_over(p);
}

static bool peer_child_fork(const server *s, peer_child *p, char *const *words, int out) {
    const sandbox box = {.reads = {getenv("LODE_PEERS"), s->config->tmp_dir},
                         .nice = PEER_NICE,
                         .files = PEER_FILES,
                         .memory_bytes = workers_memory(s),
                         .file_bytes = s->config->max_disk,
                         .filter = sandbox_has_filter()};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int fds[3] = {null, out, out};
    p->started = jobs_clock();
    p->process.pid = null >= 0 ? sandbox_start(words[0], words, fds, &box) : -1;
    if (null >= 0) close(null);
    return p->process.pid > 0;
}

static bool peer_child_listen(server *s, peer_child *p, double seconds) {
    const struct timeval limit = {.tv_sec = (time_t)seconds};
    p->readable = event_new(s->base, p->fd, EV_READ | EV_PERSIST, peer_child_read, p);
    p->late = event_new(s->base, -1, 0, peer_child_late, p);
    return p->readable && p->late && event_add(p->readable, NULL) == 0 &&
           event_add(p->late, &limit) == 0;
}

peer_child *peer_child_start(server *s, char *const *words, double seconds, peer_listener to) {
    int ends[2];
    peer_child *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->to = to;
    p->fd = -1;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        free(p);
        return NULL;
    }
    p->fd = ends[0];
    bool started = peer_child_listen(s, p, seconds) && peer_child_fork(s, p, words, ends[1]);
    close(ends[1]);
    if (!started) {
        peer_child_free(p);
        return NULL;
    }
    p->process.ended = peer_child_ended;
    p->process.user = p;
    children_watch(workers_children(s->workers), &p->process);
    return p;
}
