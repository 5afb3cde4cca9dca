/* maximal.c - see maximal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/maximal.h"

#include <math.h>

#define MAXIMAL_PARTS 16
#define MAXIMAL_STEPS 8 /* that close in on a number */

/* Keeps the points in order. */
static void maximal_insert(maximal_curve *c, uint64_t min_count, const estimate *e) {
    uint32_t at = c->n;
    if (c->n == MAXIMAL_POINTS) return;
    while (at > 0 && c->min_counts[at - 1] < min_count) {
        c->min_counts[at] = c->min_counts[at - 1];
        c->numbers[at] = c->numbers[at - 1];
        at--;
    }
    c->min_counts[at] = min_count;
    c->numbers[at] = *e;
    c->n++;
}

typedef struct maximal_walk {
    const hunt *h;
    maximal_curve *curve;
    double left; /* seconds of the processor */
    uint32_t of; /* parts, of which MAXIMAL_PARTS are searched */
    bool stopped;
} maximal_walk;

/* Counts at one threshold: everything or, if that takes too long, some parts. */
static lode_status maximal_count(maximal_walk *w, uint64_t min_count, estimate *e) {
    probe p = {0};
    probe_request r = {.target = LODE_TARGET_MAXIMAL,
                       .min_count = min_count,
                       .parts = MAXIMAL_PARTS,
                       .of = w->of,
                       .plain = true,
                       .enough = INFINITY,
                       .seconds = w->left,
                       .deadline = w->h->deadline,
                       .seed = w->h->seed};
    lode_status status = probe_run(w->h->job, w->h->data, &r, &p);
    w->left -= p.seconds;
    w->stopped = !p.complete;
    if (status == LODE_OK && p.complete) {
        *e = probe_estimate(&p, NULL, min_count);
        maximal_insert(w->curve, min_count, e);
        if (p.seconds > w->left / 4) w->of = 4 * MAXIMAL_PARTS;
    }
    probe_free(w->h->job, &p);
    return status;
}

/* Between a threshold with too few and a lower one with too many. */
static lode_status maximal_close_in(maximal_walk *w, uint64_t few, uint64_t many) {
    lode_status status = LODE_OK;
    estimate e;
    for (unsigned i = 0; i < MAXIMAL_STEPS && few > many + 1 && !w->stopped; i++) {
        uint64_t middle = (uint64_t)sqrt((double)few * (double)many);
        if (middle <= many) middle = many + 1;
        LODE_TRY(maximal_count(w, middle, &e));
        if (w->stopped) break;
        *(e.n < w->h->want ? &few : &many) = middle;
    }
done:
    return status;
}

lode_status maximal_run(const hunt *h, maximal_curve *out) {
    lode_status status = LODE_OK;
    maximal_walk w = {.h = h, .curve = out, .left = h->least, .of = MAXIMAL_PARTS};
    uint64_t above = 0, min_count = 1;
    estimate e = {0};
    out->n = 0;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        uint64_t support = h->data->item_supports[i];
        if (support > min_count) min_count = support;
    }
    double next = (double)min_count;
    while (!w.stopped && w.left > 0 && out->n < MAXIMAL_POINTS - MAXIMAL_STEPS) {
        min_count = hunt_next_point(&next);
        if (min_count == 0) break;
        LODE_TRY(maximal_count(&w, min_count, &e));
        if (w.stopped || e.n >= h->want) break;
        above = min_count;
    }
    if (!w.stopped && e.n >= h->want && above > 0) status = maximal_close_in(&w, above, min_count);
done:
    return status;
}

uint64_t maximal_answer(const maximal_curve *c, double want) {
    uint64_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < c->n; i++) {
        double off = c->numbers[i].n > 0 ? fabs(log(c->numbers[i].n / want)) : INFINITY;
        if (off >= least) continue;
        least = off;
        best = c->min_counts[i];
    }
    return best;
}
