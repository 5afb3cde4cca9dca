/* main.c - lode-server: starts the parts, runs the loop, stops the parts
 *
 * Shutdown, after SIGTERM, Ctrl-C or a closed terminal: the server accepts no new connections,
 * every part cancels its work, answers get a moment to be sent, then the parts are freed. A second
 * signal ends the process at once; nothing is lost, because workers end when their pipe closes, and
 * the database survives a kill.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http/assets.h"
#include "http/connections.h"
#include "http/front.h"
#include "storage/database.h"
#include "storage/disk.h"
#include "storage/folder.h"
#include "storage/salvage.h"
#include "storage/trash.h"
#include "system/tasks.h"
#include "tables.h"

#define MAX_TASKS   256
#define MIN_THREADS 4   /* task threads: two long tasks leave some for short ones */
#define LAST_MOMENT 3.0 /* seconds */

typedef struct program {
    server server;
    config config;
    int signal_fd;         /* where the signals that end the server arrive */
    struct event *signals; /* watches it */
    struct event *ending;  /* checks whether the last answers have been sent */
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

static void program_signal(evutil_socket_t fd, short what, void *arg) {
    program *p = arg;
    struct signalfd_siginfo one;
    struct timeval often = {0, 10000};
    (void)what;
    if (read(fd, &one, sizeof one) != sizeof one) return;
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

/* Whether the program was started with a signal ignored, as nohup does. */
static bool is_ignored(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* The signals that end the server are blocked here, so in every thread that starts later, and are
 * read from a descriptor by the loop: no handler runs, and none is lost. */
static bool program_signals(program *p) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    struct event_base *base = p->server.base;
    sigset_t ending;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i] != SIGHUP || !is_ignored(SIGHUP)) sigaddset(&ending, numbers[i]);
    }
    if (sigprocmask(SIG_BLOCK, &ending, NULL) != 0) return false;
    p->signal_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    if (p->signal_fd < 0) return false;
    p->signals = event_new(base, p->signal_fd, EV_READ | EV_PERSIST, program_signal, p);
    if (!p->signals || event_add(p->signals, NULL) != 0) return false;
    p->ending = event_new(base, -1, EV_PERSIST, program_look, p);
    p->server.emptying = event_new(base, -1, 0, trash_empty, &p->server);
    return p->ending && p->server.emptying;
}

static bool program_start(program *p, char *why, size_t room) {
    server *s = &p->server;
    s->config = &p->config;
    snprintf(why, room, "out of memory");
    s->base = event_base_new();
    if (!s->base || !program_signals(p) || !assets_start(why, room)) return false;
    if (!front_start(s, why, room)) return false; /* before anything in the folder is touched */
    s->folder = folder_open(&p->config, &s->db, why, room);
    if (!s->folder || (p->config.recover && !salvage(s, why, room))) return false;
    snprintf(why, room, "out of memory or threads");
    s->tasks = tasks_new(s->base, p->config.threads < MIN_THREADS ? MIN_THREADS : p->config.threads,
                         MAX_TASKS);
    if (!s->tasks || !disk_share_start(s, why, room) || !program_parts(p, why, room)) return false;
    snprintf(why, room, "out of memory or threads");
    return db_run_changes(s->db, s->base);
}

/* The browser must not end with the server, so it is not our child: a shell starts it and exits.
 * SIGPIPE is reset, because the server ignores it, and no signal stays blocked. */
static void open_browser(const char *url) {
    static const char script[] = "command -v xdg-open >/dev/null || exit 1; xdg-open \"$1\" &";
    char shell[] = "sh", flag[] = "-c", text[sizeof script], word[128];
    char *const words[] = {shell, flag, text, shell, word, NULL};
    posix_spawnattr_t attributes;
    sigset_t pipe_signal, none;
    pid_t child;
    int status = 1;
    memcpy(text, script, sizeof script);
    snprintf(word, sizeof word, "%s", url);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    bool started = posix_spawn(&child, "/bin/sh", NULL, &attributes, words, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    if (started) waitpid(child, &status, 0);
    if (status != 0)
        fprintf(stderr, "lode: could not open a browser (xdg-open); please open %s\n", url);
}

static void program_announce(const program *p) {
    const config *c = &p->config;
    const char *url = front_url(p->server.http);
    if (c->token_made)
        fprintf(stderr,
                "lode: token %s\nlode: the page asks for it once; programs send the header "
                "Authorization: Bearer TOKEN\n",
                c->token);
    if (folder_lost(p->server.folder) > 0)
        fprintf(stderr,
                "lode: moved %zu files that the database does not list to %s; `lode serve "
                "--recover` restores uploads and results\n",
                folder_lost(p->server.folder), folder_lost_path(p->server.folder));
    if (!c->quiet) fprintf(stderr, "lode: data in %s; press Ctrl-C to stop the server\n", c->data);
    if (c->socket) printf("lode: listening on unix:%s\n", c->socket);
    if (*url) printf("lode: listening on %s\n", url);
    fflush(stdout);
    if (c->open) open_browser(url);
}

static void program_free(program *p) {
    server *s = &p->server;
    tasks_free(s->tasks);
    s->tasks = NULL;
    db_end_changes(s->db);
    for (size_t i = p->n_started; i-- > 0;) {
        if (table_part(i)->stop) table_part(i)->stop(s);
    }
    disk_share_stop(s);
    if (s->folder)
        (void)trash_recover(
            s); /* removes the files that were deleted last; otherwise the next start does */
    front_free(s->http);
    db_close(s->db);
    if (p->signals) event_free(p->signals);
    if (p->signal_fd >= 0) close(p->signal_fd);
    if (p->ending) event_free(p->ending);
    if (s->emptying) event_free(s->emptying);
    if (s->base) event_base_free(s->base);
    assets_stop();
    folder_close(s->folder);
    config_free(&p->config);
}

int main(int argc, char **argv) {
    static program p = {.signal_fd = -1};
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
