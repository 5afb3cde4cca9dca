/* search_thread.c - see search_thread.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "search_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct search_thread {
    pthread_t thread, talks; /* the one that searches, and the one that has made it */
    pthread_mutex_t lock;    /* guards everything below */
    pthread_cond_t begins, happens;
    search_fn function;
    void *user;
    stored_task **tasks; /* of the search that runs, or is to be begun */
    size_t n_tasks;
    stored_task **given; /* given[first … end - 1] have not been taken */
    size_t first, end, cap;
    bool wanted, ended, quits;
    lode_status status;
    double cpu, wall;
};

static double search_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Returns the CPU seconds of the process without those of the communicating thread: a search may
 * have several threads. */
static double search_cpu_now(const search_thread *t) {
    clockid_t talker;
    double all = search_clock(CLOCK_PROCESS_CPUTIME_ID);
    return pthread_getcpuclockid(t->talks, &talker) == 0 ? all - search_clock(talker) : all;
}

static void *search_run(void *user) {
    search_thread *t = user;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->wanted && !t->quits) pthread_cond_wait(&t->begins, &t->lock);
        if (t->quits) break;
        t->wanted = false;
        pthread_mutex_unlock(&t->lock);
        double cpu = search_cpu_now(t), wall = search_clock(CLOCK_MONOTONIC);
        lode_status status = t->function(t->user, t->tasks, t->n_tasks);
        pthread_mutex_lock(&t->lock);
        t->cpu += search_cpu_now(t) - cpu;
        t->wall += search_clock(CLOCK_MONOTONIC) - wall;
        t->status = status;
        t->ended = true;
        pthread_cond_signal(&t->happens);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

search_thread *search_thread_create(search_fn function, void *user) {
    sigset_t all, before;
    pthread_condattr_t clock;
    search_thread *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->function = function;
    t->user = user;
    t->talks = pthread_self();
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->begins, NULL);
    pthread_cond_init(&t->happens, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all); /* signals are for the thread that talks */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = pthread_create(&t->thread, NULL, search_run, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (runs) return t;
    free(t);
    return NULL;
}

/* Forgets the tasks of a search that has ended. */
static void search_drop(search_thread *t) {
    for (size_t i = 0; i < t->n_tasks; i++) free(t->tasks[i]);
    free(t->tasks);
    t->tasks = NULL;
    t->n_tasks = 0;
}

void search_thread_free(search_thread *t) {
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->quits = true;
    pthread_cond_signal(&t->begins);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    search_drop(t);
    for (; t->first < t->end; t->first++) free(t->given[t->first]);
    free(t->given);
    pthread_cond_destroy(&t->begins);
    pthread_cond_destroy(&t->happens);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

bool search_start(search_thread *t, const uint64_t *handles, size_t n) {
    stored_task **tasks = malloc((n + 1) * sizeof *tasks);
    if (!tasks) return false;
    for (size_t i = 0; i < n; i++) tasks[i] = task_of_handle(handles[i]);
    pthread_mutex_lock(&t->lock);
    t->tasks = tasks;
    t->n_tasks = n;
    t->wanted = true;
    pthread_cond_signal(&t->begins);
    pthread_mutex_unlock(&t->lock);
    return true;
}

int search_give(void *user, const lode_task *task) {
    search_thread *t = user;
    stored_task *copy = task_copy(task, 0);
    bool fine = copy != NULL;
    pthread_mutex_lock(&t->lock);
    if (t->first == t->end) t->first = t->end = 0;
    if (fine && t->end == t->cap) {
        size_t cap = 2 * t->cap + 16;
        stored_task **given = realloc(t->given, cap * sizeof(stored_task *));
        fine = given != NULL;
        if (fine) t->given = given;
        if (fine) t->cap = cap;
    }
    if (fine) t->given[t->end++] = copy;
    pthread_cond_signal(&t->happens);
    pthread_mutex_unlock(&t->lock);
    if (!fine) free(copy);
    return fine ? 0 : 1;
}

search_event search_take(search_thread *t, stored_task **given, lode_status *ended) {
    search_event event = SEARCH_NOTHING;
    pthread_mutex_lock(&t->lock);
    if (t->first < t->end) {
        *given = t->given[t->first++];
        event = SEARCH_GAVE;
    } else if (t->ended) {
        *ended = t->status;
        t->ended = false;
        search_drop(t);
        event = SEARCH_ENDED;
    }
    pthread_mutex_unlock(&t->lock);
    return event;
}

void search_wait(search_thread *t, double seconds) {
    struct timespec until;
    double end = search_clock(CLOCK_MONOTONIC) + seconds;
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)((end - (double)until.tv_sec) * 1e9);
    pthread_mutex_lock(&t->lock);
    if (t->first == t->end && !t->ended) {
        pthread_cond_timedwait(&t->happens, &t->lock, &until);
    }
    pthread_mutex_unlock(&t->lock);
}

double search_cpu(const search_thread *t) {
    return t->cpu;
}

double search_wall(const search_thread *t) {
    return t->wall;
}
