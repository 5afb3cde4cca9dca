/* tasks.c - threads for work that would block the loop
 *
 * There is a queue of tasks per client, and the queues take turns, so a client with a hundred tasks
 * delays another client by one task per thread. Finished tasks go to a list; an eventfd wakes the
 * loop, which calls `done`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "system/tasks.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MAX_THREADS 64

typedef struct task {
    void (*work)(void *);
    void (*done)(void *);
    void *arg;
    struct task *next;
} task;

typedef struct task_line {
    uint64_t client;
    task *first, *last;
    struct task_line *next;
} task_line;

struct task_pool {
    pthread_mutex_t lock;
    pthread_cond_t added;
    task_line *lines, *last_line; /* the next client comes first */
    task *finished, *last_finished;
    size_t waiting, room;
    bool ending;
    int wake;
    struct event *woken;
    pthread_t threads[MAX_THREADS];
    unsigned n_threads;
};

/* The next task of the first client; its queue moves to the end. The lock is held. */
static task *task_take(task_pool *p) {
    task_line *line = p->lines;
    task *t = line->first;
    p->lines = line->next;
    if (!p->lines) p->last_line = NULL;
    line->first = t->next;
    line->next = NULL;
    if (!line->first) {
        free(line);
    } else if (p->last_line) {
        p->last_line = p->last_line->next = line;
    } else {
        p->lines = p->last_line = line;
    }
    p->waiting--;
    return t;
}

static void task_finish(task_pool *p, task *t) {
    t->next = NULL;
    if (p->last_finished) {
        p->last_finished = p->last_finished->next = t;
    } else {
        p->finished = p->last_finished = t;
    }
    uint64_t one = 1;
    ssize_t written = write(p->wake, &one, sizeof one);
    (void)written; /* it can only fail after the loop was woken 2^64 - 1 times */
}

static void *task_thread(void *arg) {
    task_pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->lines && !p->ending) pthread_cond_wait(&p->added, &p->lock);
        if (!p->lines) break;
        task *t = task_take(p);
        pthread_mutex_unlock(&p->lock);
        t->work(t->arg);
        pthread_mutex_lock(&p->lock);
        task_finish(p, t);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void tasks_deliver(task_pool *p) {
    pthread_mutex_lock(&p->lock);
    task *t = p->finished;
    p->finished = p->last_finished = NULL;
    pthread_mutex_unlock(&p->lock);
    while (t) {
        task *next = t->next;
        t->done(t->arg);
        free(t);
        t = next;
    }
}

static void tasks_woken(evutil_socket_t fd, short what, void *arg) {
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n; /* nothing to read: nothing to do */
    (void)what;
    tasks_deliver(arg);
}

static bool tasks_start(task_pool *p, unsigned threads) {
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    while (p->n_threads < threads) {
        if (pthread_create(&p->threads[p->n_threads], NULL, task_thread, p) != 0) break;
        p->n_threads++;
    }
    return p->n_threads > 0;
}

task_pool *tasks_new(struct event_base *base, unsigned threads, size_t room) {
    task_pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->room = room;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->added, NULL);
    p->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (p->wake >= 0) p->woken = event_new(base, p->wake, EV_READ | EV_PERSIST, tasks_woken, p);
    if (!p->woken || event_add(p->woken, NULL) != 0 || !tasks_start(p, threads)) {
        tasks_free(p);
        return NULL;
    }
    return p;
}

void tasks_free(task_pool *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_broadcast(&p->added);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->n_threads; i++) pthread_join(p->threads[i], NULL);
    tasks_deliver(p);
    if (p->woken) event_free(p->woken);
    if (p->wake >= 0) close(p->wake);
    pthread_cond_destroy(&p->added);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* The queue of a client, created if needed. The lock is held. NULL: out of memory. */
static task_line *line_of(task_pool *p, uint64_t client) {
    for (task_line *line = p->lines; line; line = line->next) {
        if (line->client == client) return line;
    }
    task_line *line = calloc(1, sizeof *line);
    if (!line) return NULL;
    line->client = client;
    if (p->last_line) {
        p->last_line = p->last_line->next = line;
    } else {
        p->lines = p->last_line = line;
    }
    return line;
}

static bool tasks_queue(task_pool *p, uint64_t client, task *t) {
    bool added = false;
    pthread_mutex_lock(&p->lock);
    task_line *line = p->waiting < p->room && !p->ending ? line_of(p, client) : NULL;
    if (line) {
        if (line->first) {
            line->last = line->last->next = t;
        } else {
            line->first = line->last = t;
        }
        p->waiting++;
        added = true;
        pthread_cond_signal(&p->added);
    }
    pthread_mutex_unlock(&p->lock);
    return added;
}

static bool tasks_add_line(task_pool *p, uint64_t client, task made) {
    task *t = p ? malloc(sizeof *t) : NULL; /* there is no pool during shutdown */
    if (!t) return false;
    *t = made;
    if (tasks_queue(p, client, t)) return true;
    free(t);
    return false;
}

bool tasks_add(task_pool *p, void (*work)(void *), void (*done)(void *), void *arg) {
    return tasks_add_line(p, 0, (task){work, done, arg, NULL});
}

bool tasks_add_for(task_pool *p, uint64_t client, void (*work)(void *), void (*done)(void *),
                   void *arg) {
    return tasks_add_line(p, client, (task){work, done, arg, NULL});
}
