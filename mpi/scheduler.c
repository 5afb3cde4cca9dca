/* scheduler.c - see scheduler.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler.h"

#include <stdlib.h>
#include <string.h>

/* A rank that waits for a task of this rank. */
typedef struct sched_thief {
    int rank;
    bool lifeline;
    double since;
} sched_thief;

struct sched {
    sched_config config;
    sched_actions act;
    uint64_t *queue; /* tasks that wait: queue[first … end - 1] */
    size_t first, end, cap;
    uint64_t *parcel; /* tasks under way to another rank or to the search */
    size_t parcel_cap;
    sched_thief *thieves; /* in the order in which they came */
    size_t n_thieves, thieves_cap;
    size_t asked; /* questions that the running search has not answered */
    bool searching, over, broken;
    bool waits;         /* for the answer of a random victim */
    unsigned tries;     /* victims asked since the last task */
    uint32_t lifelines; /* bit d: neighbour d knows that this rank waits */
    uint32_t news;      /* bit d: neighbour d has not been told the threshold */
    uint64_t random;
    uint64_t threshold;
    sched_reason stop;
    double now, last_beat;
    uint64_t found;
    /* waves */
    bool probed;
    uint32_t wave;
    int children_left;
    uint64_t sent, received;             /* task messages of this rank */
    uint64_t below_sent, below_received; /* … of its subtree, in this wave */
    uint64_t received_before;            /* rank 0: of all, in the wave before */
    double *heard;                       /* rank 0: when each was heard of, … */
    uint64_t *found_by;                  /* … and what it has found */
    sched_figures figures;
};

/* ---- lists ----------------------------------------------------------------------------------- */

/* Makes room for `n` elements. False, and the scheduler is broken: no memory. */
static bool sched_room(sched *s, void **list, size_t *cap, size_t n, size_t bytes) {
    if (n <= *cap) return true;
    size_t more = 2 * n + 16;
    void *grown = realloc(*list, more * bytes);
    if (!grown) {
        s->broken = true;
        return false;
    }
    *list = grown;
    *cap = more;
    return true;
}

static size_t sched_waiting(const sched *s) {
    return s->end - s->first;
}

static bool sched_put(sched *s, uint64_t task) {
    if (s->first > 0 && s->end == s->cap) {
        memmove(s->queue, s->queue + s->first, sched_waiting(s) * sizeof *s->queue);
        s->end -= s->first;
        s->first = 0;
    }
    if (!sched_room(s, (void **)&s->queue, &s->cap, s->end + 1, sizeof *s->queue)) return false;
    s->queue[s->end++] = task;
    return true;
}

static void sched_note_thief(sched *s, int rank, bool lifeline) {
    for (size_t i = 0; i < s->n_thieves; i++) {
        if (s->thieves[i].rank == rank && s->thieves[i].lifeline == lifeline) return;
    }
    if (!sched_room(s, (void **)&s->thieves, &s->thieves_cap, s->n_thieves + 1,
                    sizeof *s->thieves)) {
        return;
    }
    s->thieves[s->n_thieves++] = (sched_thief){rank, lifeline, s->now};
}

static sched_thief sched_take_thief(sched *s, size_t i) {
    sched_thief thief = s->thieves[i];
    s->n_thieves--;
    memmove(s->thieves + i, s->thieves + i + 1, (s->n_thieves - i) * sizeof *s->thieves);
    return thief;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void sched_send(sched *s, int to, sched_message *m) {
    m->threshold = s->threshold;
    m->stop = s->stop;
    s->figures.messages++;
    s->act.send(s->act.user, to, m);
}

static void sched_send_kind(sched *s, int to, sched_kind kind) {
    sched_message m = {.kind = kind, .wave = s->wave};
    sched_send(s, to, &m);
}

static void sched_send_tasks(sched *s, const sched_thief *to, const uint64_t *tasks, size_t n) {
    sched_message m = {.kind = SCHED_TASKS, .lifeline = to->lifeline, .tasks = tasks, .n_tasks = n};
    s->sent++;
    s->figures.tasks_out += n;
    sched_send(s, to->rank, &m);
}

/* The neighbour over bit d; -1: there is none. */
static int sched_neighbour(const sched *s, unsigned d) {
    if (d >= 31 || (1 << d) >= s->config.n_ranks) return -1;
    int other = s->config.rank ^ (1 << d);
    return other < s->config.n_ranks ? other : -1;
}

static void sched_drop(const sched *s, uint64_t task) {
    if (s->act.drop) s->act.drop(s->act.user, task);
}

/* Tells the neighbours what rides on every message. */
static void sched_spread(sched *s, uint32_t to) {
    for (unsigned d = 0; d < SCHED_LIFELINES - 1; d++) {
        int other = sched_neighbour(s, d);
        if (other >= 0 && to >> d & 1) sched_send_kind(s, other, SCHED_NEWS);
    }
}

/* ---- giving ---------------------------------------------------------------------------------- */

/* Gives every second task that waits: about half of the work, whatever their order. */
static void sched_give_half(sched *s, const sched_thief *to) {
    size_t n = sched_waiting(s), given = 0, kept = s->first;
    if (!sched_room(s, (void **)&s->parcel, &s->parcel_cap, n, sizeof *s->parcel)) return;
    for (size_t i = 0; i < n; i++) {
        uint64_t task = s->queue[s->first + i];
        if (i % 2 == 0) {
            s->parcel[given++] = task;
        } else {
            s->queue[kept++] = task;
        }
    }
    s->end = kept;
    sched_send_tasks(s, to, s->parcel, given);
}

/* Serves waiting ranks as long as there are tasks; asks the search for tasks for the others. */
static void sched_serve(sched *s) {
    if (!s->searching || s->stop) return;
    while (s->n_thieves > 0 && sched_waiting(s) > 0) {
        sched_thief thief = sched_take_thief(s, 0);
        sched_give_half(s, &thief);
    }
    for (; s->asked < s->n_thieves; s->asked++) {
        if (s->act.ask) s->act.ask(s->act.user);
    }
}

/* Refuses random thieves; ranks that came by a lifeline stay. */
static void sched_refuse(sched *s, double before) {
    for (size_t i = 0; i < s->n_thieves;) {
        if (s->thieves[i].lifeline || s->thieves[i].since > before) {
            i++;
            continue;
        }
        sched_thief thief = sched_take_thief(s, i);
        sched_send_kind(s, thief.rank, SCHED_NONE);
    }
}

/* ---- searching and stealing ------------------------------------------------------------------ */

static uint64_t sched_draw(sched *s) { /* splitmix64 */
    uint64_t x = s->random += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static void sched_steal(sched *s, int from, bool lifeline) {
    sched_message m = {.kind = SCHED_STEAL, .lifeline = lifeline};
    s->figures.steals++;
    sched_send(s, from, &m);
}

/* Asks for work: a random rank or, after some of them, the lifelines that do not know yet. */
static void sched_look_for_work(sched *s) {
    if (s->waits || s->over || s->stop || s->config.n_ranks == 1) return;
    if (s->tries < s->config.victims) {
        int other = (int)(sched_draw(s) % (uint64_t)(s->config.n_ranks - 1));
        s->tries++;
        s->waits = true;
        sched_steal(s, other + (other >= s->config.rank), false);
        return;
    }
    for (unsigned d = 0; d < SCHED_LIFELINES - 1; d++) {
        int other = sched_neighbour(s, d);
        if (other < 0 || s->lifelines >> d & 1) continue;
        s->lifelines |= (uint32_t)1 << d;
        sched_steal(s, other, true);
    }
}

/* How many of the waiting tasks the next search gets. */
static size_t sched_batch(const sched *s) {
    size_t n = sched_waiting(s), some = n / s->config.batch_part;
    if (some < s->config.batch_least) some = s->config.batch_least;
    if (s->config.batch_most > 0 && some > s->config.batch_most) some = s->config.batch_most;
    return some < n ? some : n;
}

static void sched_start(sched *s) {
    size_t n = sched_batch(s);
    if (!sched_room(s, (void **)&s->parcel, &s->parcel_cap, n, sizeof *s->parcel)) return;
    memcpy(s->parcel, s->queue + s->first, n * sizeof *s->parcel);
    s->first += n;
    s->searching = true;
    s->asked = 0;
    s->tries = 0;
    s->figures.searches++;
    s->act.start(s->act.user, s->parcel, n);
}

static void sched_answer_wave(sched *s);

/* After anything that may have changed what there is to do. */
static void sched_go_on(sched *s) {
    if (s->over || s->stop) return;
    if (!s->searching && sched_waiting(s) > 0) sched_start(s);
    if (s->searching) {
        sched_serve(s);
        return;
    }
    sched_refuse(s, s->now);
    sched_look_for_work(s);
    sched_answer_wave(s);
}

/* ---- waves ----------------------------------------------------------------------------------- */

static void sched_to_children(sched *s, sched_kind kind) {
    for (int64_t child = 2 * (int64_t)s->config.rank + 1, i = 0; i < 2; i++, child++) {
        if (child < s->config.n_ranks) sched_send_kind(s, (int)child, kind);
    }
}

static void sched_end(sched *s) {
    if (s->over) return;
    s->over = true;
    sched_to_children(s, SCHED_END);
}

static void sched_begin_wave(sched *s, uint32_t wave) {
    int64_t below = s->config.n_ranks - 1 - 2 * (int64_t)s->config.rank;
    s->wave = wave;
    s->probed = true;
    s->children_left = below <= 0 ? 0 : below >= 2 ? 2 : 1;
    s->below_sent = s->below_received = 0;
    s->figures.waves++;
    sched_to_children(s, SCHED_PROBE);
}

/* Rank 0: the wave is back. */
static void sched_judge_wave(sched *s, uint64_t sent, uint64_t received) {
    bool done = s->wave > 1 && sent == s->received_before;
    s->received_before = received;
    if (done) {
        sched_end(s);
    } else {
        sched_begin_wave(s, s->wave + 1);
    }
}

/* Answers, if the rank is passive and has heard from below. */
static void sched_answer_wave(sched *s) {
    while (s->probed && s->children_left == 0 && !s->searching && sched_waiting(s) == 0 &&
           !s->over) {
        uint64_t sent = s->sent + s->below_sent, received = s->received + s->below_received;
        s->probed = false;
        if (s->config.rank == 0) {
            sched_judge_wave(s, sent, received); /* alone, it answers itself at once */
            continue;
        }
        sched_message m = {
            .kind = SCHED_COUNTS, .wave = s->wave, .sent = sent, .received = received};
        sched_send(s, (s->config.rank - 1) / 2, &m);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

sched *sched_create(const sched_config *config, const sched_actions *actions) {
    sched *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->config = *config;
    s->act = *actions;
    s->random = config->seed + (uint64_t)config->rank * 0xd1342543de82ef95;
    if (config->rank == 0 && config->beat > 0) {
        s->heard = calloc((size_t)config->n_ranks, sizeof *s->heard);
        s->found_by = calloc((size_t)config->n_ranks, sizeof *s->found_by);
        if (!s->heard || !s->found_by) s->broken = true;
    }
    if (!s->broken) return s;
    sched_free(s);
    return NULL;
}

void sched_free(sched *s) {
    if (!s) return;
    free(s->queue);
    free(s->parcel);
    free(s->thieves);
    free(s->heard);
    free(s->found_by);
    free(s);
}

bool sched_add(sched *s, uint64_t task) {
    return sched_put(s, task);
}

void sched_begin(sched *s) {
    if (s->config.rank == 0) sched_begin_wave(s, 1);
    sched_go_on(s);
}

/* Sends a threshold that is new here to all neighbours, soon. */
static void sched_learn(sched *s, uint64_t threshold) {
    if (threshold <= s->threshold) return;
    s->threshold = threshold;
    s->news = UINT32_MAX;
    if (s->act.raise) s->act.raise(s->act.user, threshold);
}

static void sched_take_tasks(sched *s, int from, const sched_message *m) {
    s->received++;
    s->figures.granted++;
    s->figures.tasks_in += m->n_tasks;
    if (m->lifeline) {
        for (unsigned d = 0; d < SCHED_LIFELINES - 1; d++) {
            if (sched_neighbour(s, d) == from) s->lifelines &= ~((uint32_t)1 << d);
        }
    } else {
        s->waits = false;
    }
    for (size_t i = 0; i < m->n_tasks; i++) {
        if (s->stop || !sched_put(s, m->tasks[i])) sched_drop(s, m->tasks[i]);
    }
}

/* A rank that has ended or was stopped sends no more messages: draining the network relies on
 * this. */
void sched_received(sched *s, int from, const sched_message *m) {
    if (s->heard) s->heard[from] = s->now;
    sched_learn(s, m->threshold);
    sched_stop(s, m->stop);
    if (m->kind == SCHED_TASKS) sched_take_tasks(s, from, m);
    if (s->over || s->stop) return;
    switch (m->kind) {
    case SCHED_STEAL: sched_note_thief(s, from, m->lifeline); break;
    case SCHED_NONE: s->waits = false; break;
    case SCHED_TASKS: break;
    case SCHED_BEAT:
        if (s->found_by) s->found_by[from] = m->found;
        return;
    case SCHED_PROBE: sched_begin_wave(s, m->wave); break;
    case SCHED_COUNTS:
        s->below_sent += m->sent;
        s->below_received += m->received;
        s->children_left--;
        break;
    case SCHED_END: sched_end(s); return;
    case SCHED_NEWS: return;
    }
    sched_go_on(s);
}

void sched_given(sched *s, uint64_t task) {
    if (s->asked > 0) s->asked--;
    if (s->stop) {
        sched_drop(s, task);
    } else if (s->n_thieves > 0) {
        sched_thief thief = sched_take_thief(s, 0);
        sched_send_tasks(s, &thief, &task, 1);
    } else if (!sched_put(s, task)) {
        sched_drop(s, task);
    }
}

void sched_finished(sched *s) {
    s->searching = false;
    s->asked = 0;
    sched_go_on(s);
}

void sched_tick(sched *s, double now, uint64_t found) {
    s->now = now;
    s->found = found;
    if (s->heard) s->heard[0] = now;
    if (s->over || s->stop) return;
    sched_refuse(s, now - s->config.patience);
    sched_spread(s, s->news);
    s->news = 0;
    if (s->config.beat <= 0 || s->config.rank == 0 || now - s->last_beat < s->config.beat) return;
    sched_message m = {.kind = SCHED_BEAT, .found = found};
    s->last_beat = now;
    sched_send(s, 0, &m);
}

void sched_raise(sched *s, uint64_t threshold) {
    sched_learn(s, threshold);
}

void sched_stop(sched *s, sched_reason reason) {
    bool first = s->stop == SCHED_GOES_ON;
    if (reason <= s->stop) return;
    s->stop = reason;
    for (; s->first < s->end; s->first++) sched_drop(s, s->queue[s->first]);
    if (s->searching && s->act.cancel) s->act.cancel(s->act.user);
    if (first && !s->over) sched_spread(s, UINT32_MAX);
}

/* ---- questions ------------------------------------------------------------------------------- */

bool sched_is_over(const sched *s) {
    return (s->over || s->stop) && !s->searching;
}

bool sched_is_broken(const sched *s) {
    return s->broken;
}

bool sched_is_searching(const sched *s) {
    return s->searching;
}

sched_reason sched_stopped(const sched *s) {
    return s->stop;
}

sched_figures sched_get_figures(const sched *s) {
    return s->figures;
}

uint64_t sched_found(const sched *s) {
    uint64_t found = s->found;
    for (int r = 1; s->found_by && r < s->config.n_ranks; r++) found += s->found_by[r];
    return found;
}

int sched_silent(const sched *s, double seconds) {
    int worst = -1;
    for (int r = 1; s->heard && r < s->config.n_ranks; r++) {
        if (s->now - s->heard[r] < seconds) continue;
        if (worst < 0 || s->heard[r] < s->heard[worst]) worst = r;
    }
    return worst;
}

/* ---- dealing --------------------------------------------------------------------------------- */

typedef struct sched_weighed {
    double work;
    size_t number;
} sched_weighed;

static int sched_by_work(const void *a, const void *b) {
    const sched_weighed *x = a, *y = b;
    if (x->work != y->work) return x->work < y->work ? 1 : -1;
    return x->number < y->number ? -1 : 1;
}

/* Whether rank a of the heap comes before rank b. */
static bool sched_lighter(const double *load, int a, int b) {
    return load[a] < load[b] || (load[a] == load[b] && a < b);
}

/* The top of a heap of ranks has got more work: puts it where it belongs. */
static void sched_sink_top(int *heap, int n, const double *load) {
    for (int i = 0;;) {
        int best = i;
        for (int child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++) {
            if (sched_lighter(load, heap[child], heap[best])) best = child;
        }
        if (best == i) return;
        int swapped = heap[i];
        heap[i] = heap[best];
        heap[best] = swapped;
        i = best;
    }
}

bool sched_deal(const double *work, size_t n, int n_ranks, int *owner) {
    sched_weighed *order = malloc((n + 1) * sizeof *order);
    double *load = calloc((size_t)n_ranks, sizeof *load);
    int *heap = malloc((size_t)n_ranks * sizeof *heap);
    bool fine = order && load && heap;
    for (size_t i = 0; fine && i < n; i++) order[i] = (sched_weighed){work[i], i};
    if (fine) qsort(order, n, sizeof *order, sched_by_work);
    for (int r = 0; fine && r < n_ranks; r++) heap[r] = r;
    for (size_t i = 0; fine && i < n; i++) {
        int rank = heap[0];
        owner[order[i].number] = rank;
        load[rank] += order[i].work;
        sched_sink_top(heap, n_ranks, load);
    }
    free(order);
    free(load);
    free(heap);
    return fine;
}
