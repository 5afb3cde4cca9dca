/* workers_children.c - see workers_children.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "workers/workers_children.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "workers/sandbox.h"

/* Removes an ended child from the list; NULL: none has ended. */
static worker_child *children_take(worker_children *c, int *status) {
    for (worker_child **at = &c->first; *at; at = &(*at)->next) {
        pid_t got = waitpid((*at)->pid, status, WNOHANG);
        if (got == 0 || (got < 0 && errno == EINTR)) continue;
        worker_child *child = *at;
        if (got < 0) *status = 0; /* somebody else has waited for it */
        *at = child->next;
        return child;
    }
    return NULL;
}

/* The callback may start further children, so the list is read again each time. */
static void children_look(evutil_socket_t number, short what, void *user) {
    worker_children *c = user;
    worker_child *child;
    int status;
    (void)number, (void)what;
    while ((child = children_take(c, &status)) != NULL) child->ended(child->user, status);
}

bool children_start(worker_children *c, struct event_base *base) {
    c->first = NULL;
    c->signal = evsignal_new(base, SIGCHLD, children_look, c);
    return c->signal && event_add(c->signal, NULL) == 0;
}

void children_watch(worker_children *c, worker_child *child) {
    child->next = c->first;
    c->first = child;
}

void children_end(worker_children *c) {
    for (worker_child *child = c->first; child; child = child->next) kill(child->pid, SIGKILL);
    while (c->first) {
        worker_child *child = c->first;
        int status = 0;
        while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) continue;
        c->first = child->next;
        child->ended(child->user, status);
    }
    if (c->signal) event_free(c->signal);
    c->signal = NULL;
}

void children_describe(int status, char *words, size_t room) {
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        snprintf(words, room, "was killed by signal %d (%s)", number, strsignal(number));
    } else if (WEXITSTATUS(status) == SANDBOX_NO_PROGRAM) {
        snprintf(words, room, "could not be started");
    } else {
        snprintf(words, room, "ended with status %d", WEXITSTATUS(status));
    }
}
