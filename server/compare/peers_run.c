/* peers_run.c - a run of another program: first its data are written, then it is started
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/peers.h"
#include "http/text.h"
#include "storage/discard.h"
#include "workers/sandbox.h"

#define PEERS_MOST_WORDS 16

struct peer_run {
    server *server;
    peer_listener to; /* `done` NULL: abandoned */
    json_t *words;
    char input[4400];
    worker_call *call; /* the worker writes the data, … */
    peer_child *child; /* … or the program runs */
    bool stopped;
};

static void peers_input_path(const server *s, uint64_t job, char *path, size_t room) {
    snprintf(path, room, "%s/compare-%" PRIu64 ".fimi", s->config->tmp_dir, job);
}

void peers_forget_input(const server *s, uint64_t job) {
    char path[4400];
    peers_input_path(s, job, path, sizeof path);
    discard_file(s, path);
}

static void peers_end(peer_run *run, peer_result result) {
    result.stopped = run->stopped;
    if (!result.output) result.output = "";
    if (run->to.done) run->to.done(run->to.user, &result);
    json_decref(run->words);
    free(run);
}

/* ---- one process of another program: its output, its time ------------------------------------ */

#define PEER_NICE   15
#define PEER_FILES  64
#define PEER_OUTPUT 65536 /* bytes of output that are kept; the rest is dropped */

struct peer_child {
    worker_child process;
    peer_listener to;
    struct event *readable, *late;
    text output;
    double started;
    bool quiet, gone, is_late; /* end of output; process has ended; killed at the time limit */
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

/* Its output is ignored from now on. */
static void peer_child_abandon(peer_child *p) {
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

/* Runs a program with a time limit. NULL: it could not be started. */
static peer_child *peer_child_start(server *s, char *const *words, double seconds,
                                    peer_listener to) {
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

/* ---- the program ----------------------------------------------------------------------------- */

static void peers_ended(void *user, const peer_result *result) {
    peers_end(user, *result);
}

static bool peers_execute(peer_run *run) {
    char *words[PEERS_MOST_WORDS] = {NULL};
    const peer_listener to = {peers_ended, run};
    size_t n = json_array_size(run->words);
    for (size_t i = 0; i < n && i + 1 < PEERS_MOST_WORDS; i++) {
        words[i] = (char *)json_string_value(json_array_get(run->words, i));
    }
    run->child = peer_child_start(run->server, words, COMPARE_SECONDS, to);
    return run->child != NULL;
}

/* ---- its data -------------------------------------------------------------------------------- */

static void peers_written(void *user, bool ok, const char *json, size_t bytes) {
    peer_run *run = user;
    run->call = NULL;
    if (ok && !run->stopped) {
        if (!peers_execute(run))
            peers_end(run, (peer_result){.trouble = "the program cannot be started"});
        return;
    }
    json_t *failed = json_loadb(json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(failed, "status"));
    const char *why = json_string_value(json_object_get(failed, "message"));
    run->stopped = run->stopped || (status && strcmp(status, "cancelled") == 0);
    peers_end(
        run,
        (peer_result){
            .trouble = why ? why : "cannot write the temporary file that this program would read"});
    json_decref(failed);
}

static bool peers_write(peer_run *run, const worker_source *of) {
    const worker_reply reply = {.done = peers_written, .user = run};
    worker_request *q = worker_request_new("write");
    worker_request_add(q, "path", run->input);
    worker_request_add(q, "format", "fimi");
    run->call = workers_ask_low_priority(run->server->workers, of, q, reply);
    return run->call != NULL;
}

peer_run *peers_start(server *s, const comparison *c, const char *name, peer_listener to) {
    peer_run *run = calloc(1, sizeof *run);
    if (!run) return NULL;
    run->server = s;
    run->to = to;
    peers_input_path(s, c->job, run->input, sizeof run->input);
    run->words = peers_words(c, name, run->input);
    bool there = access(run->input, R_OK) == 0;
    if (run->words && (there ? peers_execute(run) : peers_write(run, &c->source))) return run;
    json_decref(run->words);
    free(run);
    return NULL;
}

void peers_stop(peer_run *run) {
    run->stopped = true;
    if (run->call) workers_control(run->call, worker_request_new("cancel"));
    if (run->child) peer_child_kill(run->child);
}

void peers_abandon(peer_run *run) {
    run->to.done = NULL;
    run->stopped = true;
    if (run->call) workers_control(run->call, worker_request_new("cancel"));
    if (run->child) peer_child_abandon(run->child);
}
