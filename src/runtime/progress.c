/* progress.c - see progress.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/progress.h"

#include <string.h>

#include "base/os.h"

#define PROGRESS_UNIT  ((double)((uint64_t)1 << 52))
#define LEFT_FROM      0.005 /* share and seconds below which nothing is said about the rest */
#define LEFT_SECONDS   0.3
#define LEFT_RECENT    0.6   /* the recent speed is measured from this part of the time on */
#define LEFT_UNCERTAIN 2.5   /* widens the interval, so that it holds in four of five cases */
#define SHARE_MOST     0.999 /* before the end: too low an estimate of the work is not "done" */

void progress_init(progress_state *p) {
    pthread_mutex_init(&p->lock, NULL);
    p->phase = "";
    p->part = 1;
}

void progress_clear(progress_state *p) {
    pthread_mutex_destroy(&p->lock);
}

void progress_begin(progress_state *p, const char *phase) {
    pthread_mutex_lock(&p->lock);
    p->phase = phase;
    p->found_before = atomic_load_explicit(&p->patterns, memory_order_relaxed);
    p->start = os_seconds();
    p->n_samples = 0;
    p->first = 0;
    p->part = 1;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    atomic_store_explicit(&p->ended, false, memory_order_relaxed);
    pthread_mutex_unlock(&p->lock);
}

void progress_begin_pass(progress_state *p, double part) {
    p->first = progress_share(p);
    p->part = (1 - p->first) * part;
}

void progress_finish(progress_state *p) {
    p->first = 0;
    p->part = 1;
    progress_reach(p, 1);
    atomic_store_explicit(&p->ended, true, memory_order_relaxed);
}

void progress_add(progress_state *p, double share) {
    uint64_t units = (uint64_t)(share * p->part * PROGRESS_UNIT);
    atomic_fetch_add_explicit(&p->done, units, memory_order_relaxed);
}

void progress_reach(progress_state *p, double share) {
    if (share > 1) share = 1;
    uint64_t units = (uint64_t)((p->first + share * p->part) * PROGRESS_UNIT);
    uint64_t now = atomic_load_explicit(&p->done, memory_order_relaxed);
    while (now < units && !atomic_compare_exchange_weak(&p->done, &now, units)) {
    }
}

void progress_begin_step(progress_state *p, double first, double part) {
    p->first = first;
    p->part = part;
    progress_reach(p, 0);
}

bool progress_is_writing(const progress_state *p) {
    return strcmp(p->phase, "write") == 0;
}

double progress_share(const progress_state *p) {
    double share = (double)atomic_load_explicit(&p->done, memory_order_relaxed) / PROGRESS_UNIT;
    if (atomic_load_explicit(&p->ended, memory_order_relaxed)) return 1;
    return share < SHARE_MOST ? share : SHARE_MOST;
}

/* ---- what is left -------------------------------------------------------------------------- */

/* Keeps a sample, if the last one is long enough ago. When there is no room, drops every other. */
static void progress_remember(progress_state *p, double seconds, double share) {
    double last = p->n_samples ? p->samples[p->n_samples - 1].seconds : 0;
    if (seconds - last < 0.02 || seconds < 1.02 * last) return;
    if (p->n_samples == PROGRESS_SAMPLES) {
        for (unsigned i = 0; i < PROGRESS_SAMPLES / 2; i++) p->samples[i] = p->samples[2 * i + 1];
        p->n_samples = PROGRESS_SAMPLES / 2;
    }
    p->samples[p->n_samples++] = (progress_sample){seconds, share};
}

/* Seconds that are left at the recent speed; 0 = nothing was done recently. */
static double progress_left_recent(const progress_state *p, double seconds, double share) {
    progress_sample from = {0};
    for (unsigned i = 0; i < p->n_samples && p->samples[i].seconds <= LEFT_RECENT * seconds; i++) {
        from = p->samples[i];
    }
    if (share <= from.share) return 0;
    return (1 - share) * (seconds - from.seconds) / (share - from.share);
}

static void progress_estimate(const progress_state *p, lode_progress *out) {
    double share = out->share, seconds = out->seconds;
    out->left = out->left_least = out->left_most = -1;
    if (share >= 1) out->left = out->left_least = out->left_most = 0;
    if (share < LEFT_FROM || share >= 1 || seconds < LEFT_SECONDS) return;
    double mean = seconds * (1 - share) / share, recent = progress_left_recent(p, seconds, share);
    if (recent == 0) recent = 4 * mean; /* it has stood still for a while */
    out->left = (mean + recent) / 2;
    out->left_least = (mean < recent ? mean : recent) / LEFT_UNCERTAIN;
    out->left_most = (mean < recent ? recent : mean) * LEFT_UNCERTAIN;
}

void progress_look(progress_state *p, lode_progress *out) {
    pthread_mutex_lock(&p->lock);
    out->phase = p->phase;
    out->seconds = p->phase[0] ? os_seconds() - p->start : 0;
    out->share = progress_share(p);
    out->patterns = atomic_load_explicit(&p->patterns, memory_order_relaxed);
    uint64_t found = out->patterns > p->found_before ? out->patterns - p->found_before : 0;
    out->rate = out->seconds > 0 ? (double)found / out->seconds : 0;
    progress_remember(p, out->seconds, out->share);
    progress_estimate(p, out);
    pthread_mutex_unlock(&p->lock);
}
