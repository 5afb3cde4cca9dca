/* progress.h - the progress of a job, and an estimate of the time left
 *
 * A search is a tree. Every node owns a share of the whole, its *span*; the root owns 1. A node
 * divides its span among its children in proportion to their estimated cost, and the thread that
 * finishes a part *retires* its span. All spans together are 1, so the share only grows, and
 * depends on the search, not on the clock.
 *
 *     span of a child = span of the node * weight of the child / sum of the weights
 *
 * Use:   progress_retire() with the span of what is done; progress_flush() before a thread ends.
 *        Spans below PROGRESS_LEAST need not be divided: they are retired as a whole. A part that
 *        another thread takes over keeps its span.
 * Tune:  bench-progress runs a job and compares the share with the true one.
 * Left:  after t seconds, with a share s done, the mean speed predicts t * (1 - s) / s more
 *        seconds; the recent speed predicts another number. The estimate lies between (progress.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PROGRESS_H
#define LODE_RUNTIME_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"

#define PROGRESS_LEAST   1e-4 /* spans below this need not be divided */
#define PROGRESS_STEP    1e-5 /* threads accumulate spans up to this before they report them */
#define PROGRESS_SAMPLES 64

typedef struct progress_sample {
    double seconds, share;
} progress_sample;

typedef struct progress_state {
    _Atomic uint64_t done;     /* share, in units of 2^-52 */
    _Atomic bool ended;        /* everything is done; until then, the share stays below 1 */
    double first, part;        /* the current pass is [first, first + part] of the whole */
    _Atomic uint64_t patterns; /* found so far */

    pthread_mutex_t lock; /* guards the fields below */
    const char *phase;
    double start; /* of the phase, on os_seconds() */
    unsigned n_samples;
    progress_sample samples[PROGRESS_SAMPLES]; /* by time, for the recent speed */
} progress_state;

void progress_init(progress_state *p);
void progress_clear(progress_state *p);

/* Begins a phase. It is one pass, unless progress_begin_pass() divides it. */
void progress_begin(progress_state *p, const char *phase);
/* Begins the next of several passes, which is `part` of what is left. No other thread may work. */
void progress_begin_pass(progress_state *p, double part);
/* Begins the next of several steps, which is [first, first + part] of the whole; what is done stays
 * done. No other thread may work. */
void progress_begin_step(progress_state *p, double first, double part);
/* Ends the phase: its share is 1. */
void progress_finish(progress_state *p);

/* Another `share` of the pass is done. Any thread. */
void progress_add(progress_state *p, double share);
/* At least `share` of the pass is done. Any thread. */
void progress_reach(progress_state *p, double share);

/* The share that is done, from 0 to 1. Any thread. */
double progress_share(const progress_state *p);

/* Fills *out. Any thread. */
void progress_look(progress_state *p, lode_progress *out);

/* Work done by a thread and not reported yet. */
typedef struct progress_local {
    double kept;
} progress_local;

static inline void progress_flush(progress_state *p, progress_local *local) {
    if (local->kept > 0) progress_add(p, local->kept);
    local->kept = 0;
}

static inline void progress_retire(progress_state *p, progress_local *local, double span) {
    local->kept += span;
    if (local->kept >= PROGRESS_STEP) progress_flush(p, local);
}

#endif
