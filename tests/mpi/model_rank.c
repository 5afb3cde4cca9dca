/* model_rank.c - see event_model.c
 * SPDX-License-Identifier: Apache-2.0 */
#include "model_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning.h"

typedef struct model model;

typedef struct model_rank {
    model *model;
    sched *sched;
    int rank;
    double free_at; /* when it has done with what it was told */
    played_search search;
    bool works; /* an event for the end of a piece is in the heap */
} model_rank;

/* A message that arrives, or (from = -1) the end of a piece of work. */
typedef struct model_event {
    double time;
    uint64_t number; /* in the order in which they were made: ties are broken by it */
    int to, from;
    sched_message message;
    uint64_t *tasks; /* its own copy */
} model_event;

struct model {
    const recorded_tree *tree;
    model_rank *ranks;
    model_options options;
    int n_ranks;
    double now;
    model_event *heap;
    size_t n, cap;
    uint64_t n_events;
    unsigned char *done;
    double *last;    /* wild: when the last message of a pair of ranks arrives */
    uint64_t random; /* wild */
    model_result result;
};

/* ---- the heap -------------------------------------------------------------------------------- */

static bool model_before(const model_event *a, const model_event *b) {
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void model_push(model *m, model_event e) {
    if (m->n == m->cap) {
        m->cap = 2 * m->cap + 1024;
        m->heap = realloc(m->heap, m->cap * sizeof *m->heap);
        if (!m->heap) exit(1);
    }
    e.number = m->n_events++;
    size_t i = m->n++;
    for (; i > 0 && model_before(&e, &m->heap[(i - 1) / 2]); i = (i - 1) / 2) {
        m->heap[i] = m->heap[(i - 1) / 2];
    }
    m->heap[i] = e;
}

static model_event model_pop(model *m) {
    model_event top = m->heap[0], last = m->heap[--m->n];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= m->n) break;
        if (child + 1 < m->n && model_before(&m->heap[child + 1], &m->heap[child])) child++;
        if (!model_before(&m->heap[child], &last)) break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = last;
    return top;
}

/* ---- actions --------------------------------------------------------------------------------- */

/* 1, 2, 4 … 2^13, each as often: so that anything may overtake anything, and often does. */
static double model_stretch(model *m) {
    m->random = m->random * 6364136223846793005 + 1442695040888963407;
    return (double)(1u << (m->random >> 33) % 14);
}

/* When a message arrives that leaves now. Messages of one pair of ranks stay in order. */
static double model_arrival(model *m, double now, int from, int to) {
    uint64_t x = (m->options.seed + (uint64_t)from * 65537 + (uint64_t)to) * 0x9e3779b97f4a7c15;
    double latency = m->options.latency, far = (double)(1 + (x >> 58));
    if (!m->options.wild) return now + (m->options.uneven ? latency * far : latency);
    double *last = &m->last[from * m->n_ranks + to];
    return *last = fmax(*last, now + latency * model_stretch(m));
}

static void model_send(void *user, int to, const sched_message *message) {
    model_rank *r = user;
    model_event e = {.to = to, .from = r->rank, .message = *message};
    r->free_at = fmax(r->free_at, r->model->now) + MODEL_MESSAGE_SECONDS;
    e.time = model_arrival(r->model, r->free_at, r->rank, to);
    if (message->n_tasks > 0) {
        e.tasks = malloc(message->n_tasks * sizeof *e.tasks);
        if (!e.tasks) exit(1);
        memcpy(e.tasks, message->tasks, message->n_tasks * sizeof *e.tasks);
    }
    model_push(r->model, e);
}

static void model_start(void *user, const uint64_t *tasks, size_t n) {
    model_rank *r = user;
    played_start(&r->search, tasks, n);
    r->free_at = fmax(r->free_at, r->model->now) + MODEL_REBUILD_SECONDS;
}

static void model_ask(void *user) {
    ((model_rank *)user)->search.asked++;
}

/* ---- searching ------------------------------------------------------------------------------- */

static void model_answer(model_rank *r) {
    for (uint64_t given; played_give(&r->search, &given);) sched_given(r->sched, given);
}

static void model_done(void *user, size_t task) {
    model *m = user;
    m->result.twice |= m->done[task];
    m->done[task] = 1;
    m->result.n_done++;
}

static void model_work(model_rank *r) {
    model *m = r->model;
    double slice = played_slice(&r->search);
    if (m->options.wild) slice *= model_stretch(m);
    m->result.busy += slice;
    r->free_at = fmax(r->free_at, m->now) + slice;
}

/* Goes on with the search; an event tells when the rank looks again. */
static void model_go_on(model_rank *r) {
    model *m = r->model;
    if (r->works || !sched_is_searching(r->sched)) return;
    model_work(r);
    r->works = true;
    model_push(m, (model_event){.time = r->free_at, .to = r->rank, .from = -1});
}

/* Whether a rank searches, or a recorded task waits somewhere, or is under way. */
static bool model_is_busy(const model *m) {
    if (m->result.n_done < m->tree->n) return true;
    for (int i = 0; i < m->n_ranks; i++) {
        if (sched_is_searching(m->ranks[i].sched)) return true;
    }
    return false;
}

/* A rank is over. The first to be so is rank 0, which judges the waves: what it says must be true
 * then. A wrong end would often do no harm, since searches that run go on to their own end, so that
 * all being done afterwards proves little. */
static void model_over(model *m) {
    if (m->result.seconds == 0) m->result.early = model_is_busy(m);
    m->result.seconds = fmax(m->result.seconds, m->now + 1e-9);
}

static void model_handle(model *m, model_event *e) {
    model_rank *r = &m->ranks[e->to];
    m->now = e->time;
    sched_tick(r->sched, m->now, 0);
    if (e->from >= 0) {
        r->free_at = fmax(r->free_at, m->now) + MODEL_MESSAGE_SECONDS;
        e->message.tasks = e->tasks;
        sched_received(r->sched, e->from, &e->message);
        free(e->tasks);
    } else {
        r->works = false;
        model_answer(r);
        if (r->search.n_todo == 0) sched_finished(r->sched);
    }
    model_go_on(r);
    if (sched_is_over(r->sched)) model_over(m);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void model_deal(model *m) {
    tree_shares shares = tree_deal(m->tree, m->n_ranks, m->options.tasks);
    for (size_t i = 0; i < shares.n; i++) {
        int rank = m->options.lopsided ? 0 : shares.owner[i];
        if (!sched_add(m->ranks[rank].sched, shares.ranges[i])) exit(1);
    }
    shares_free(&shares);
}

static void model_open(model *m) {
    for (int i = 0; i < m->n_ranks; i++) {
        model_rank *r = &m->ranks[i];
        sched_config config = {.rank = i,
                               .n_ranks = m->n_ranks,
                               .victims = RANK_VICTIMS,
                               .seed = m->options.seed,
                               .batch_part = m->options.batch_part,
                               .batch_least = 1,
                               .patience = RANK_PATIENCE};
        sched_actions actions = {
            .user = r, .send = model_send, .start = model_start, .ask = model_ask};
        *r = (model_rank){.model = m, .rank = i};
        r->search = (played_search){.tree = m->tree, .user = m, .done = model_done};
        r->sched = sched_create(&config, &actions);
        if (!r->sched) exit(1);
    }
}

static void model_close(model *m) {
    m->result.ended = true;
    for (int i = 0; i < m->n_ranks; i++) {
        sched_figures f = sched_get_figures(m->ranks[i].sched);
        m->result.ended &= sched_is_over(m->ranks[i].sched);
        m->result.messages += f.messages;
        m->result.steals += f.steals;
        m->result.granted += f.granted;
        sched_free(m->ranks[i].sched);
        free(m->ranks[i].search.todo);
    }
    free(m->ranks);
    free(m->heap);
    free(m->done);
    free(m->last);
}

model_result model_run(const recorded_tree *tree, const model_options *options) {
    int n_ranks = options->n_ranks;
    model m = {.tree = tree, .n_ranks = n_ranks, .options = *options, .random = options->seed};
    size_t pairs = options->wild ? (size_t)n_ranks * (size_t)n_ranks : 0;
    m.ranks = calloc((size_t)n_ranks, sizeof *m.ranks);
    m.done = calloc(tree->n + 1, 1);
    m.last = calloc(pairs + 1, sizeof *m.last);
    if (!m.ranks || !m.done || !m.last) exit(1);
    model_open(&m);
    model_deal(&m);
    for (int i = 0; i < n_ranks; i++) {
        sched_begin(m.ranks[i].sched);
        model_go_on(&m.ranks[i]);
        if (sched_is_over(m.ranks[i].sched)) model_over(&m);
    }
    while (m.n > 0) {
        model_event e = model_pop(&m);
        model_handle(&m, &e);
    }
    model_close(&m);
    return m.result;
}
