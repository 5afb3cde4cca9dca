/* stores_ask.c - see stores_ask.h
 *
 * While there are queries, a timer checks them ten times per second: their time limit, and whether
 * their clients are still connected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/stores_ask.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jobs/turns.h"
#include "system/tasks.h"

#define ASKED_RUNNING 2   /* queries that run at the same time */
#define ASKED_LINE    256 /* maximum number of waiting queries */
#define ASKED_CLIENT  64  /* of those, from one client */
#define ASKED_WAIT    15  /* maximum seconds of waiting */

typedef struct waiter {
    request *client;
    asked_fn done;
    void *user;
    struct waiter *next;
} waiter;

/* A query that is waiting or running. */
typedef struct pending {
    asked *all;
    question *question;
    waiter *waiters;
    struct pending *next; /* in `all->first`, oldest first */
    double since;         /* when it was queued or, once it runs, when it started */
    bool running, forgotten, late;
    uint64_t client; /* who asked first */
    text out;
    store_failure why; /* LODE_OK: there is an answer */
    /* `all->lock` protects the next two, because both threads use them. */
    lode_job *job; /* while a task works with it */
    bool cancelled;
} pending;

struct asked {
    server *server;
    struct event *timer;
    pthread_mutex_t lock;
    pending *first;
    unsigned n_running, n_waiting;
    bool closing;
    turns turns;
};

static double asked_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- questions ------------------------------------------------------------------------------ */

question *question_new(uint64_t job, question_fn work, query *steals, void *more) {
    question *q = calloc(1, sizeof *q);
    if (!q) {
        query_free(steals);
        free(more);
        return NULL;
    }
    *q = (question){
        .job = job, .work = work, .query = steals, .more = more, .seconds = ASKED_SECONDS};
    return q;
}

bool question_key(question *q, const char *format, ...) {
    va_list words;
    va_start(words, format);
    int n = vasprintf(&q->key, format, words);
    va_end(words);
    if (n < 0) q->key = NULL;
    return n >= 0;
}

static void question_free(question *q) {
    if (!q) return;
    query_free(q->query);
    free(q->more);
    free(q->key);
    free(q);
}

/* ---- the work, on a task thread ------------------------------------------------------------- */

/* Gives the job to the loop, so that it can be cancelled; NULL takes it back. False: already
 * cancelled. */
static bool pending_show_job(pending *p, lode_job *job) {
    pthread_mutex_lock(&p->all->lock);
    p->job = job;
    bool go_on = !p->cancelled;
    pthread_mutex_unlock(&p->all->lock);
    return go_on;
}

static void pending_work(void *arg) {
    pending *p = arg;
    store_failure why = {.status = LODE_OK};
    store_handle *h = stores_take(p->all->server->stores, p->question->job, &why);
    if (!h) {
        p->why = why;
        return;
    }
    lode_status status = LODE_CANCELLED;
    if (pending_show_job(p, h->job)) {
        status = p->question->work(p->question, h, &p->out, &p->why);
    }
    (void)pending_show_job(p, NULL);
    status = stores_settle(h, status, &p->why);
    if (status == LODE_OK && p->out.failed) {
        status = LODE_NOMEM;
        snprintf(p->why.message, sizeof p->why.message, "the server is out of memory");
    }
    p->why.status = status;
    stores_give(p->all->server->stores, h);
}

/* ---- the line ------------------------------------------------------------------------------- */

static void asked_start_next(asked *a);

static void pending_unlink(pending *p) {
    pending **at = &p->all->first;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
}

/* Calls all waiters; `f` may be NULL. */
static void pending_tell(pending *p, const fact *f, const store_failure *why) {
    while (p->waiters) {
        waiter *w = p->waiters;
        p->waiters = w->next;
        w->done(w->user, f, why);
        free(w);
    }
}

static void pending_free(pending *p) {
    text_free(&p->out);
    question_free(p->question);
    free(p);
}

static void pending_done(void *arg) {
    pending *p = arg;
    asked *a = p->all;
    fact *f = NULL;
    pending_unlink(p);
    if (!p->question->quick) a->n_running--;
    if (p->forgotten) {
        p->why.status = LODE_NOTFOUND;
        snprintf(p->why.message, sizeof p->why.message, "this result was deleted");
    } else if (p->why.status == LODE_CANCELLED && p->late) {
        p->why.status = LODE_CANCELLED;
        snprintf(
            p->why.message, sizeof p->why.message,
            "this query takes longer than %u seconds; try a narrower filter, a simpler regular "
            "expression or another column",
            p->question->seconds);
    } else if (p->why.status == LODE_OK) {
        f = facts_add(stores_facts(a->server->stores), p->question->job, p->question->key,
                      p->out.data, p->out.length);
        p->out = (text){0};
        if (!f) p->why = (store_failure){LODE_NOMEM, "the server is out of memory"};
    }
    pending_tell(p, f, &p->why);
    facts_let_go(f);
    pending_free(p);
    asked_start_next(a);
}

/* Ends a waiting query. */
static void pending_refuse(pending *p, lode_status status, const char *message) {
    store_failure why = {.status = status};
    snprintf(why.message, sizeof why.message, "%s", message);
    pending_unlink(p);
    p->all->n_waiting--;
    pending_tell(p, NULL, &why);
    pending_free(p);
}

/* The next query: clients take turns, and the queries of one client keep their order. NULL:
 * none. */
static pending *asked_next(const asked *a) {
    pending *best = NULL;
    for (pending *p = a->first; p; p = p->next) {
        if (p->running || (!p->question->quick && a->n_running >= ASKED_RUNNING)) continue;
        if (!best || turns_last(&a->turns, p->client) < turns_last(&a->turns, best->client)) {
            best = p;
        }
    }
    return best;
}

/* Number of waiting queries of a client. */
static unsigned asked_of(const asked *a, uint64_t client) {
    unsigned n = 0;
    for (const pending *p = a->first; p; p = p->next) n += !p->running && p->client == client;
    return n;
}

static void asked_start_next(asked *a) {
    for (pending *p; (p = asked_next(a)) != NULL;) {
        p->since = asked_clock();
        if (!tasks_add_for(a->server->tasks, request_client(p->waiters->client), pending_work,
                           pending_done, p)) {
            pending_refuse(p, LODE_CANCELLED, "the server is busy; try again in a moment");
            continue;
        }
        p->running = true;
        turns_take(&a->turns, p->client);
        a->n_running += !p->question->quick;
        a->n_waiting--;
    }
}

/* ---- ends ----------------------------------------------------------------------------------- */

static void pending_cancel(pending *p) {
    pthread_mutex_lock(&p->all->lock);
    p->cancelled = true;
    if (p->job) lode_job_cancel(p->job);
    pthread_mutex_unlock(&p->all->lock);
}

/* Removes the waiters whose clients have disconnected. */
static void pending_drop_gone(pending *p) {
    static const store_failure gone = {LODE_CANCELLED, "the client has disconnected"};
    for (waiter **at = &p->waiters; *at;) {
        waiter *w = *at;
        if (!request_gone(w->client)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        w->done(w->user, NULL, &gone);
        free(w);
    }
}

static void pending_look(pending *p, double now) {
    pending_drop_gone(p);
    if (p->running) {
        p->late |= now - p->since > p->question->seconds;
        if (p->late || !p->waiters) pending_cancel(p);
    } else if (!p->waiters || now - p->since > ASKED_WAIT) {
        pending_refuse(p, LODE_CANCELLED, "the server is busy; try again in a moment");
    }
}

static void asked_set_timer(asked *a) {
    struct timeval tenth = {0, 100000};
    if (!a->closing && a->first && !evtimer_pending(a->timer, NULL)) evtimer_add(a->timer, &tenth);
}

static void asked_look(evutil_socket_t fd, short what, void *arg) {
    asked *a = arg;
    double now = asked_clock();
    (void)fd;
    (void)what;
    for (pending *p = a->first, *next; p; p = next) {
        next = p->next;
        pending_look(p, now);
    }
    asked_set_timer(a);
}

void asked_forget(asked *a, uint64_t job) {
    for (pending *p = a->first, *next; p; p = next) {
        next = p->next;
        if (p->question->job != job) continue;
        p->forgotten = true;
        if (p->running) {
            pending_cancel(p);
        } else {
            pending_refuse(p, LODE_NOTFOUND, "this result was deleted");
        }
    }
}

void asked_close(asked *a) {
    a->closing = true;
    for (pending *p = a->first, *next; p; p = next) {
        next = p->next;
        if (p->running) {
            pending_cancel(p);
        } else {
            pending_refuse(p, LODE_CANCELLED, "the server is shutting down");
        }
    }
}

asked *asked_new(server *s) {
    asked *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->server = s;
    a->timer = evtimer_new(s->base, asked_look, a);
    if (!a->timer) {
        free(a);
        return NULL;
    }
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

void asked_free(asked *a) {
    if (!a) return;
    event_free(a->timer);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* ---- asking --------------------------------------------------------------------------------- */

static pending *asked_find(asked *a, const question *q) {
    for (pending *p = a->first; p; p = p->next) {
        bool same = p->question->job == q->job && strcmp(p->question->key, q->key) == 0;
        if (same && !p->late && !p->forgotten && !p->cancelled) return p;
    }
    return NULL;
}

/* Appends a query to the queue; frees the question if memory runs out. */
static pending *pending_new(asked *a, question *q, uint64_t client) {
    pending *p = calloc(1, sizeof *p);
    if (!p) {
        question_free(q);
        return NULL;
    }
    *p = (pending){.all = a, .question = q, .client = client, .since = asked_clock()};
    pending **end = &a->first;
    while (*end) end = &(*end)->next;
    *end = p;
    a->n_waiting++;
    return p;
}

static void asked_wait(asked *a, question *q, waiter *w) {
    static const store_failure busy = {LODE_CANCELLED, "the server is busy; try again in a moment"};
    pending *p = asked_find(a, q);
    bool found = p != NULL;
    uint64_t client = request_client(w->client);
    if (!found && !a->closing && a->n_waiting < ASKED_LINE && asked_of(a, client) < ASKED_CLIENT) {
        p = pending_new(a, q, client);
    } else {
        question_free(q);
    }
    if (!p) {
        w->done(w->user, NULL, &busy);
        free(w);
        return;
    }
    w->next = p->waiters;
    p->waiters = w;
    asked_set_timer(a);
    if (!found) asked_start_next(a);
}

void asked_ask(asked *a, question *q, request *client, asked_fn done, void *user) {
    static const store_failure no_memory = {LODE_NOMEM, "the server is out of memory"};
    fact *known = q && q->key ? facts_find(stores_facts(a->server->stores), q->job, q->key) : NULL;
    waiter *w = known ? NULL : malloc(sizeof *w);
    if (known) {
        question_free(q);
        done(user, known, NULL);
        facts_let_go(known);
    } else if (!q || !q->key || !w) {
        question_free(q);
        free(w);
        done(user, NULL, &no_memory);
    } else {
        *w = (waiter){client, done, user, NULL};
        asked_wait(a, q, w);
    }
}

static void asked_answer(void *user, const fact *held, const store_failure *why) {
    request *r = user;
    if (held) {
        reply_text(r, 200, held->data, held->bytes);
    } else {
        stores_reply_failure(r, why);
    }
}

void asked_reply(asked *a, question *q, request *client) {
    asked_ask(a, q, client, asked_answer, client);
}
