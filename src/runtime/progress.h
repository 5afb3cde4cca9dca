/* progress.h - the progress of a job, and an estimate of the time left
 *
 * A search is a tree. Every node owns a fraction of the whole work, its *span*. The root owns 1,
 * and a node divides its span among its children in proportion to their estimated cost. The thread
 * that finishes a node *retires* the span of the node. The progress is the sum of all retired
 * spans. So the progress never decreases, and ends at 1.
 *
 *     span of a child = span of the node * weight of the child / sum of the weights
 *
 * Use:   call progress_retire() with the span of each finished node, and progress_flush() before a
 *        thread ends. A span below PROGRESS_LEAST need not be divided: it is retired as a whole. A
 *        node that another thread takes over keeps its span.
 * Tune:  bench-progress runs a job and compares the reported progress with the true progress.
 * Left:  after t seconds with a progress of s, the mean speed predicts t * (1 - s) / s more
 *        seconds. The recent speed predicts another number. The estimate of the time left lies
 *        between these two numbers (progress.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PROGRESS_H
#define LODE_RUNTIME_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"

#define PROGRESS_LEAST   1e-4 /* spans below this need not be divided */
#define PROGRESS_STEP    1e-5 /* a thread reports its retired spans when their sum reaches this */
#define PROGRESS_SAMPLES 64

typedef struct progress_sample {
    double seconds, share;
} progress_sample;

typedef struct progress_state {
    _Atomic uint64_t done; /* the progress, in units of 2^-52 */
    /* all work is done; until then, the reported progress stays below 1 */
    _Atomic bool ended;
    /* the current pass covers the progress from `first` to first + part */
    double first, part;
    _Atomic uint64_t patterns; /* number of patterns found so far */

    pthread_mutex_t lock; /* guards the fields below */
    const char *phase;
    uint64_t found_before; /* number of patterns found before the phase */
    double start;          /* the start of the phase, in os_seconds() */
    unsigned n_samples;
    /* in order of time; the recent speed is computed from them */
    progress_sample samples[PROGRESS_SAMPLES];
} progress_state;

void progress_init(progress_state *p);
void progress_clear(progress_state *p);

/* Begins a phase. The phase is one pass, unless progress_begin_pass() divides it. */
void progress_begin(progress_state *p, const char *phase);
/* Begins the next of several passes. The pass gets the fraction `part` of the remaining progress.
 * No other thread may be working. */
void progress_begin_pass(progress_state *p, double part);
/* Begins the next of several steps, which covers the progress from `first` to first + part. The
 * progress so far is kept. No other thread may be working. */
void progress_begin_step(progress_state *p, double first, double part);
/* Ends the phase and sets its progress to 1. */
void progress_finish(progress_state *p);

/* Adds a fraction of the pass to the progress. Any thread may call it. */
void progress_add(progress_state *p, double share);
/* Raises the progress to at least the fraction `share` of the pass. Any thread may call it. */
void progress_reach(progress_state *p, double share);

/* Returns whether the patterns have all been found, and the phase writes them. No other thread may
 * begin a phase. */
bool progress_is_writing(const progress_state *p);

/* Returns the progress, from 0 to 1. Any thread may call it. */
double progress_share(const progress_state *p);

/* Fills *out. Any thread may call it. */
void progress_look(progress_state *p, lode_progress *out);

/* The spans that a thread has retired but not yet reported. */
typedef struct progress_local {
    double kept;
} progress_local;

/* Reports the spans that the thread has retired. */
static inline void progress_flush(progress_state *p, progress_local *local) {
    if (local->kept > 0) progress_add(p, local->kept);
    local->kept = 0;
}

/* Retires a span. */
static inline void progress_retire(progress_state *p, progress_local *local, double span) {
    local->kept += span;
    if (local->kept >= PROGRESS_STEP) progress_flush(p, local);
}

#endif
