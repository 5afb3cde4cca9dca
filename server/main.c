/* main.c - lode-server: starts the parts, runs the loop, ends the parts
 *
 * The end, after SIGTERM or Ctrl-C: no new connections, every part ends what it does, answers on
 * their way get a moment to leave; then the parts are freed. A second signal ends the process at
 * once, which loses nothing either: workers end when their pipe does, and the database survives a
 * kill.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assets.h"
#include "connections.h"
#include "database.h"
#include "front.h"
#include "tables.h"
#include "tasks.h"

#define MAX_TASKS   256
#define MIN_THREADS 4   /* for tasks: two long ones leave some for those that take a moment */
#define LAST_MOMENT 3.0 /* seconds */

typedef struct program {
    server server;
    config config;
    struct event *signals[2];
    struct event *ending; /* looks whether the last answers have left */
    double end_by;
    size_t n_started; /* parts */
} program;

/* ---- ending ---- */

static void program_look(evutil_socket_t fd, short what, void *arg) {
    program *p = arg;
    (void)fd;
    (void)what;
    if (!front_is_busy(p->server.http) || connections_clock() > p->end_by)
        event_base_loopbreak(p->server.base);
}

static void program_signal(evutil_socket_t number, short what, void *arg) {
    program *p = arg;
    struct timeval often = {0, 10000};
    (void)number;
    (void)what;
    if (p->server.closing) _exit(EXIT_FAILED);
    p->server.closing = true;
    p->end_by = connections_clock() + LAST_MOMENT;
    front_close(p->server.http);
    front_hurry(p->server.http);
    for (size_t i = p->n_started; i-- > 0;) {
        if (table_part(i)->closing) table_part(i)->closing(&p->server);
    }
    event_add(p->ending, &often);
}

/* ---- starting ---- */

static bool program_parts(program *p, char *why, size_t room) {
    const server_part *part;
    for (size_t i = 0; (part = table_part(i)) != NULL; i++) {
        if (part->start && !part->start(&p->server, why, room)) return false;
        p->n_started = i + 1;
    }
    return true;
}

static bool program_signals(program *p) {
    static const int numbers[] = {SIGTERM, SIGINT};
    struct event_base *base = p->server.base;
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < 2; i++) {
        p->signals[i] = evsignal_new(base, numbers[i], program_signal, p);
        if (!p->signals[i] || event_add(p->signals[i], NULL) != 0) return false;
    }
    p->ending = event_new(base, -1, EV_PERSIST, program_look, p);
    return p->ending != NULL;
}

static bool program_start(program *p, char *why, size_t room) {
    server *s = &p->server;
    char path[4200];
    s->config = &p->config;
    snprintf(why, room, "no memory");
    s->base = event_base_new();
    if (!s->base || !program_signals(p) || !assets_start(why, room)) return false;
    if (!folder_prepare(&p->config, why, room)) return false;
    snprintf(path, sizeof path, "%s/lode.sqlite", p->config.data);
    s->db = db_open(path, why, room);
    if (!s->db) return false;
    snprintf(why, room, "no memory or no threads");
    s->tasks = tasks_new(s->base, p->config.threads < MIN_THREADS ? MIN_THREADS : p->config.threads,
                         MAX_TASKS);
    return s->tasks && front_start(s, why, room) && program_parts(p, why, room);
}

/* The browser is not our child: it shall stay when the server ends. */
static void open_browser(const char *url) {
    pid_t first = fork();
    if (first == 0) {
        if (fork() == 0) {
            setsid();
            execlp("xdg-open", "xdg-open", url, (char *)NULL);
            fprintf(stderr, "lode: no browser could be opened (xdg-open); please open %s\n", url);
        }
        _exit(0);
    }
    if (first > 0) waitpid(first, NULL, 0);
}

static void program_announce(const program *p) {
    const config *c = &p->config;
    const char *url = front_url(p->server.http);
    if (c->token_made)
        fprintf(stderr,
                "lode: token %s\nlode: visitors are asked for it once; programs send it as "
                "Authorization: Bearer\n",
                c->token);
    if (!c->quiet) fprintf(stderr, "lode: data in %s; Ctrl-C ends the server\n", c->data);
    if (c->socket) printf("lode: listening on unix:%s\n", c->socket);
    if (*url) printf("lode: listening on %s\n", url);
    fflush(stdout);
    if (c->open) open_browser(url);
}

static void program_free(program *p) {
    server *s = &p->server;
    tasks_free(s->tasks);
    s->tasks = NULL;
    for (size_t i = p->n_started; i-- > 0;) {
        if (table_part(i)->stop) table_part(i)->stop(s);
    }
    front_free(s->http);
    db_close(s->db);
    for (size_t i = 0; i < 2; i++) {
        if (p->signals[i]) event_free(p->signals[i]);
    }
    if (p->ending) event_free(p->ending);
    if (s->base) event_base_free(s->base);
    assets_stop();
    folder_release(&p->config);
    config_free(&p->config);
}

int main(int argc, char **argv) {
    static program p;
    char why[1024];
    int status = config_read(&p.config, argc, argv);
    if (status >= 0) {
        config_free(&p.config);
        return status;
    }
    bool started = program_start(&p, why, sizeof why);
    if (started) {
        program_announce(&p);
        event_base_dispatch(p.server.base);
    } else {
        fprintf(stderr, "lode: %s\n", why);
    }
    program_free(&p);
    return started ? EXIT_DONE : EXIT_FAILED;
}
