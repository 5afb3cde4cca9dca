/* workers_process.c - see workers_process.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "workers/workers_process.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "workers/sandbox.h"
#include "workers/workers.h"

#define FRAME_HEAD      4
#define FRAME_MOST      ((size_t)64 << 20) /* a longer reply is an error of the worker */
#define WORKER_NICE     10
#define WORKER_FILES    1024                /* CUDA opens dozens */
#define WORKER_PATIENCE 1                   /* seconds to end by itself */
#define WORKER_SPACE    ((uint64_t)8 << 30) /* address space in addition to its share of memory */

struct worker_process {
    worker_child child;
    worker_listener to;
    struct bufferevent *pipe;
    struct event *patience;
    bool broken; /* it sent an invalid frame: it is being killed */
    bool silent; /* it has closed its output */
    bool gone;   /* it has ended, with `status` */
    int status;
};

/* ---- the end ------------------------------------------------------------------------------- */

static void process_free(worker_process *p) {
    if (p->pipe) bufferevent_free(p->pipe);
    if (p->patience) event_free(p->patience);
    free(p);
}

static void process_end_if_over(worker_process *p) {
    char how[96];
    if (!p->silent || !p->gone) return;
    children_describe(p->status, how, sizeof how);
    p->to.ended(p->to.user, how);
    process_free(p);
}

static void process_ended(void *user, int status) {
    worker_process *p = user;
    p->gone = true;
    p->status = status;
    process_end_if_over(p);
}

/* A worker that has closed its output is killed. */
void worker_process_abandon(worker_process *p) {
    if (p->silent) return;
    p->silent = true;
    bufferevent_disable(p->pipe, EV_READ | EV_WRITE);
    worker_process_kill(p);
    process_end_if_over(p);
}

static void process_impatient(evutil_socket_t fd, short what, void *user) {
    (void)fd, (void)what;
    worker_process_kill(user);
}

/* ---- frames -------------------------------------------------------------------------------- */

/* "12 done\n{…}" */
static bool frame_parse(const char *at, size_t bytes, worker_frame *frame) {
    static const char *const kinds[] = {"event", "done", "failed"};
    const char *line = memchr(at, '\n', bytes);
    uint64_t id = 0;
    char kind[8];
    char head[40];
    size_t length = line ? (size_t)(line - at) : 0;
    if (length == 0 || length >= sizeof head) return false;
    memcpy(head, at, length);
    head[length] = 0;
    if (sscanf(head, "%" SCNu64 " %7s", &id, kind) != 2) return false;
    for (int i = 0; i < 3; i++) {
        if (strcmp(kind, kinds[i]) != 0) continue;
        frame->id = id;
        frame->kind = i == 0 ? FRAME_EVENT : i == 1 ? FRAME_DONE : FRAME_FAILED;
        frame->json = line + 1;
        frame->bytes = bytes - length - 1;
        return true;
    }
    return false;
}

/* Removes one complete frame from the buffer and delivers it. False: there is none, or it is
 * invalid, which ends the worker. */
static bool frame_take(worker_process *p) {
    struct evbuffer *from = bufferevent_get_input(p->pipe);
    size_t there = evbuffer_get_length(from);
    if (there < FRAME_HEAD) return false;
    unsigned char head[FRAME_HEAD];
    evbuffer_copyout(from, head, sizeof head);
    size_t length = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 |
                    (uint32_t)head[3] << 24;
    if (length <= FRAME_MOST && there < FRAME_HEAD + length) return false;
    worker_frame frame;
    const char *at = NULL;
    if (length <= FRAME_MOST && !p->broken) {
        at = (const char *)evbuffer_pullup(from, (ev_ssize_t)(FRAME_HEAD + length));
    }
    if (!at || !frame_parse(at + FRAME_HEAD, length, &frame)) {
        /* Kills the worker and drops its further output. */
        p->broken = true;
        evbuffer_drain(from, evbuffer_get_length(from));
        worker_process_kill(p);
        return false;
    }
    p->to.frame(p->to.user, &frame);
    evbuffer_drain(from, FRAME_HEAD + length);
    return true;
}

static void process_read(struct bufferevent *pipe, void *user) {
    (void)pipe;
    while (frame_take(user)) continue;
}

static void process_broken(struct bufferevent *pipe, short what, void *user) {
    worker_process *p = user;
    (void)pipe, (void)what;
    while (frame_take(p)) continue; /* frames sent before its end count */
    worker_process_abandon(p);
}

/* ---- starting ------------------------------------------------------------------------------ */

/* Limit of the address space: every thread of a graph search reserves its share of memory three
 * times, but uses only its budget. No limit with CUDA or sanitizers, which reserve terabytes. */
static uint64_t process_space(const server *s) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)s;
    return 0;
#else
    const config *c = s->config;
    return sandbox_sees_gpu() ? 0
                              : workers_memory(s) * (3 * (uint64_t)c->threads + 8) + WORKER_SPACE;
#endif
}

static bool process_fork(const server *s, worker_process *p, int theirs, const char *data) {
    const config *c = s->config;
    char word[] = "worker", name[] = "lode";
    char *const words[] = {name, word, NULL};
    const int fds[3] = {theirs, theirs, STDERR_FILENO};
    const sandbox box = {.reads = {data},
                         .writes = {c->results_dir, c->tmp_dir, c->disk_file},
                         .temporary = c->tmp_dir,
                         .nice = WORKER_NICE,
                         .files = WORKER_FILES,
                         .file_bytes = c->max_disk,
                         .memory_bytes = process_space(s),
                         .filter = sandbox_has_filter()};
    p->child.pid = sandbox_start(s->config->program, words, fds, &box);
    return p->child.pid > 0;
}

static bool process_connect(server *s, worker_process *p, int pair[2], const char *data) {
    if (evutil_make_socket_nonblocking(pair[0]) != 0) return false;
    p->pipe = bufferevent_socket_new(s->base, pair[0], BEV_OPT_CLOSE_ON_FREE);
    p->patience = event_new(s->base, -1, 0, process_impatient, p);
    if (!p->pipe || !p->patience || !process_fork(s, p, pair[1], data)) return false;
    bufferevent_setcb(p->pipe, process_read, NULL, process_broken, p);
    bufferevent_setwatermark(p->pipe, EV_READ, 0, FRAME_HEAD + FRAME_MOST);
    bufferevent_enable(p->pipe, EV_READ | EV_WRITE);
    return true;
}

worker_process *worker_process_start(server *s, worker_children *children, const char *data,
                                     worker_listener to) {
    int pair[2];
    worker_process *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->to = to;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        free(p);
        return NULL;
    }
    bool connected = process_connect(s, p, pair, data);
    int error = errno;
    close(pair[1]);
    if (!connected) {
        if (!p->pipe) close(pair[0]);
        process_free(p);
        errno = error;
        return NULL;
    }
    p->child.ended = process_ended;
    p->child.user = p;
    children_watch(children, &p->child);
    return p;
}

/* ---- use ----------------------------------------------------------------------------------- */

bool worker_process_send(worker_process *p, const char *payload, size_t bytes) {
    unsigned char head[FRAME_HEAD];
    for (unsigned i = 0; i < FRAME_HEAD; i++) head[i] = (unsigned char)(bytes >> 8 * i);
    struct evbuffer *frame = evbuffer_new();
    bool sent = frame && evbuffer_add(frame, head, sizeof head) == 0 &&
                evbuffer_add(frame, payload, bytes) == 0 &&
                bufferevent_write_buffer(p->pipe, frame) == 0;
    if (frame) evbuffer_free(frame);
    return sent;
}

void worker_process_quit(worker_process *p) {
    const struct timeval patience = {.tv_sec = WORKER_PATIENCE};
    shutdown(bufferevent_getfd(p->pipe), SHUT_WR);
    if (event_add(p->patience, &patience) != 0) worker_process_kill(p);
}

void worker_process_kill(worker_process *p) {
    if (!p->gone) kill(p->child.pid, SIGKILL);
}

pid_t worker_process_pid(const worker_process *p) {
    return p->child.pid;
}

uint64_t worker_process_memory(const worker_process *p) {
    char path[64];
    unsigned long long all, resident;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)p->child.pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    int got = fscanf(file, "%llu %llu", &all, &resident);
    fclose(file);
    return got == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
