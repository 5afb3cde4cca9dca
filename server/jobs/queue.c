/* queue.c - see queue.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "jobs/queue.h"

#include <assert.h>

static bool queue_waits(const live_job *job) {
    return !job->running && !job->ended && job->place == 0;
}

/* Counts a job that runs or has a place; later jobs come after it. */
static void queue_count(const jobs *j, const live_job *job) {
    for (live_job *it = j->first; it; it = it->next) {
        it->client_ahead += it->client == job->client;
        it->dataset_ahead += it->dataset == job->dataset;
    }
}

static bool queue_is_before(const jobs *j, const live_job *a, const live_job *b) {
    uint64_t turn_a = turns_last(&j->turns, a->client), turn_b = turns_last(&j->turns, b->client);
    if (a->client_ahead != b->client_ahead) return a->client_ahead < b->client_ahead;
    return turn_a != turn_b ? turn_a < turn_b : a->dataset_ahead < b->dataset_ahead;
}

static live_job *queue_best(const jobs *j) {
    live_job *best = NULL;
    for (live_job *it = j->first; it; it = it->next) {
        if (queue_waits(it) && (!best || queue_is_before(j, it, best))) best = it;
    }
    return best;
}

void queue_serve(jobs *j, const live_job *job) {
    turns_take(&j->turns, job->client);
}

#ifndef NDEBUG
/* Those that wait have the places from 1 on, each once; of a data set, one job runs. */
static void queue_validate(const jobs *j) {
    size_t waiting = 0, places = 0;
    for (const live_job *it = j->first; it; it = it->next) {
        bool waits = !it->running && !it->ended;
        assert(waits == (it->place > 0));
        waiting += waits;
        places += it->place;
        for (const live_job *other = it->next; other; other = other->next) {
            assert(it->place == 0 || it->place != other->place);
            assert(!it->running || !other->running || it->dataset != other->dataset);
            assert(it->id != other->id);
        }
    }
    assert(places == waiting * (waiting + 1) / 2);
}
#endif

void queue_arrange(jobs *j) {
    live_job *next;
    for (live_job *it = j->first; it; it = it->next) {
        it->place = it->client_ahead = it->dataset_ahead = 0;
    }
    for (const live_job *it = j->first; it; it = it->next) {
        if (it->running) queue_count(j, it);
    }
    for (size_t place = 1; (next = queue_best(j)) != NULL; place++) {
        next->place = place;
        queue_count(j, next);
    }
#ifndef NDEBUG
    queue_validate(j);
#endif
}

/* Whether a job of the same data set runs. */
static bool queue_is_held(const jobs *j, const live_job *job) {
    for (const live_job *it = j->first; it; it = it->next) {
        if (it->running && it->dataset == job->dataset) return true;
    }
    return false;
}

live_job *queue_next(const jobs *j, size_t most) {
    live_job *next = NULL;
    size_t running = 0;
    for (live_job *it = j->first; it; it = it->next) {
        running += it->running;
        if (it->place == 0 || queue_is_held(j, it)) continue;
        if (!next || it->place < next->place) next = it;
    }
    assert(running <= most);
    return running < most ? next : NULL;
}
