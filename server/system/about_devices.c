/* about_devices.c - see about_devices.h
 *
 * Querying a GPU takes a good part of a second and leaves driver memory allocated, so the server
 * runs the program `lode` for it, once, on a task thread; requests that arrive in the meantime wait
 * in a list. The answer is kept until the server ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "system/about_devices.h"

#include <errno.h>
#include <fcntl.h>
#include <lode.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "datasets/datasets.h"
#include "system/tasks.h"

#define DEVICES_BYTES   16384 /* maximum bytes of its output */
#define DEVICES_SECONDS 20    /* maximum seconds */

extern char **environ;

typedef struct devices_waiting {
    request *request;
    void (*then)(server *s, request *r);
    struct devices_waiting *next;
} devices_waiting;

struct devices_ask {
    server *server;
    bool asking, known;
    devices_waiting *waiting;
    size_t n;
    char said[DEVICES_BYTES];
};

/* ---- on a task thread ---- */

/* Reads until the end or the time limit. */
static size_t devices_read(int fd, char *out, size_t room) {
    size_t n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n < room && poll(&p, 1, DEVICES_SECONDS * 1000) > 0) {
        const ssize_t got = read(fd, out + n, room - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
    }
    return n;
}

static void devices_work(void *arg) {
    struct devices_ask *a = arg;
    int ends[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none; /* of the signals that the server blocks */
    const char *program = a->server->config->program;
    char *words[] = {(char *)(uintptr_t)program, (char[]){"devices"}, NULL};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    const bool started = posix_spawn(&pid, program, &actions, &attributes, words, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (started) {
        a->n = devices_read(ends[0], a->said, sizeof a->said - 1);
        kill(pid, SIGKILL); /* it has ended, unless it took too long */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    a->said[a->n] = 0;
}

/* ---- on the loop ---- */

/* "cuda         usable: 1 x NVIDIA H200, 140 GiB": a line for each backend */
static json_t *devices_line(char *line) {
    static const char no[] = "not usable: ", yes[] = "usable: ";
    char *name = line, *rest = line + strcspn(line, " ");
    if (!*rest) return NULL;
    *rest++ = 0;
    rest += strspn(rest, " ");
    const bool usable = strncmp(rest, yes, strlen(yes)) == 0;
    if (!usable && strncmp(rest, no, strlen(no)) != 0) return NULL;
    return json_pack("{s:s, s:b, s:s}", "name", name, "usable", usable, "detail",
                     rest + (usable ? strlen(yes) : strlen(no)));
}

static json_t *devices_list(const struct devices_ask *a) {
    json_t *list = json_array();
    char copy[DEVICES_BYTES], *rest = copy, *line;
    snprintf(copy, sizeof copy, "%s", a->said);
    while ((line = strsep(&rest, "\n"))) {
        json_t *device = devices_line(line);
        if (device) json_array_append_new(list, device);
    }
    return list;
}

static json_t *devices_targets(unsigned bits) {
    static const char *const words[] = {"all", "top", "closed", "maximal", "generators"};
    json_t *list = json_array();
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (bits >> i & 1) json_array_append_new(list, json_string(words[i]));
    }
    return list;
}

/* Algorithms for users; oracles are for tests. */
static json_t *devices_algorithms(lode_pattern_kind kind) {
    json_t *list = json_array();
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(kind, i, &a); i++) {
        if (a.oracle) continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "name", a.name, "summary",
                                              a.summary, "weights", a.weights, "targets",
                                              devices_targets(a.targets)));
    }
    return list;
}

static void devices_answer(server *s, request *r) {
    const struct devices_ask *a = s->datasets->devices;
    if (!a->known) {
        reply_error(r, 503, "unavailable", "`lode devices` did not answer.");
        return;
    }
    reply_json(r, 200,
               json_pack("{s:o, s:{s:o, s:o}, s:I}", "devices", devices_list(a), "algorithms",
                         "itemsets", devices_algorithms(LODE_ITEMSETS), "graphs",
                         devices_algorithms(LODE_GRAPHS), "threads",
                         (json_int_t)s->config->threads));
}

static void devices_done(void *arg) {
    struct devices_ask *a = arg;
    a->asking = false;
    a->known = a->n > 0; /* otherwise the next request tries again */
    while (a->waiting) {
        devices_waiting *w = a->waiting;
        a->waiting = w->next;
        w->then(a->server, w->request);
        free(w);
    }
}

void devices_when_known(server *s, request *r, void (*then)(server *s, request *r)) {
    struct devices_ask *a = s->datasets->devices;
    if (a->known) {
        then(s, r);
        return;
    }
    devices_waiting *w = malloc(sizeof *w);
    if (w && (a->asking || tasks_add(s->tasks, devices_work, devices_done, a))) {
        *w = (devices_waiting){.request = r, .then = then, .next = a->waiting};
        a->asking = true;
        a->waiting = w;
        return;
    }
    free(w);
    reply_error(r, 503, "unavailable", "The server is busy; try again in a moment.");
}

void devices_get(server *s, request *r) {
    devices_when_known(s, r, devices_answer);
}

bool devices_gpu(const server *s, char *name, size_t room) {
    const struct devices_ask *a = s->datasets->devices;
    json_t *list = a->known ? devices_list(a) : NULL, *device;
    size_t i;
    bool found = false;
    json_array_foreach(list, i, device) {
        const char *backend = json_string_value(json_object_get(device, "name"));
        found = strcmp(backend, "cuda") == 0 && json_is_true(json_object_get(device, "usable"));
        if (!found) continue;
        snprintf(name, room, "cuda:0"); /* the line is about all GPUs */
        break;
    }
    json_decref(list);
    return found;
}

/* Queries the devices at start, so that the first visitor need not wait. */
bool devices_start(server *s, char *why, size_t room) {
    struct devices_ask *a = calloc(1, sizeof *a);
    s->datasets->devices = a;
    if (!a) {
        snprintf(why, room, "the server is out of memory");
        return false;
    }
    a->server = s;
    a->asking = tasks_add(s->tasks, devices_work, devices_done, a);
    return true;
}

void devices_stop(server *s) {
    free(s->datasets->devices);
    s->datasets->devices = NULL;
}
