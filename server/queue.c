/* queue.c - see queue.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

/* How many jobs of the same data set are before it; one that runs counts. */
static size_t queue_turn(const jobs *j, const live_job *job) {
    size_t turn = 0;
    for (const live_job *it = j->first; it && it != job; it = it->next) {
        turn += it->dataset == job->dataset;
    }
    return turn;
}

size_t queue_position(const jobs *j, const live_job *job) {
    size_t turn = queue_turn(j, job), place = 1;
    bool before = true;
    if (job->running) return 0;
    for (const live_job *it = j->first; it; it = it->next) {
        before = before && it != job;
        if (it == job || it->running) continue;
        size_t other = queue_turn(j, it);
        place += other < turn || (other == turn && before);
    }
    return place;
}

live_job *queue_next(const jobs *j, size_t most) {
    size_t running = 0;
    for (const live_job *it = j->first; it; it = it->next) running += it->running;
    for (live_job *it = j->first; it && running < most; it = it->next) {
        if (!it->running && queue_turn(j, it) == 0) return it;
    }
    return NULL;
}
