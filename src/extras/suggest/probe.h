/* probe.h - one search for an estimate, of everything or of a random sample, and its result
 *
 * A probe at a threshold knows the number of patterns that reach each higher support. For a random
 * sample, it knows the number in each part, and so by how much parts differ; the interval follows
 * from that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_PROBE_H
#define LODE_EXTRAS_SUGGEST_PROBE_H

#include "extras/suggest/part_tally.h"

typedef struct probe_request {
    lode_target target;
    uint64_t min_count;
    uint64_t base;   /* a lower threshold that the data are prepared for; 0 = min_count */
    uint32_t parts;  /* to search … */
    uint32_t of;     /* … of this many: see engine_sample; parts = of: everything */
    bool by_root;    /* see engine_sample */
    bool keeps_sets; /* for rules */
    bool plain;      /* only the number at min_count, which takes less time */
    double enough;   /* patterns; INFINITY = all */
    double too_many; /* patterns at min_count itself, beyond which it gives up */
    double seconds;  /* CPU time limit; 0 = no limit */
    double deadline; /* of os_seconds(); 0 = none */
    uint64_t seed;
} probe_request;

typedef struct probe {
    tally tally;        /* cumulative: patterns that reach each level */
    uint64_t min_count; /* lowest threshold for which the numbers are valid */
    double seconds;     /* CPU time … */
    double searching;   /* … without preparing the data */
    bool complete;      /* otherwise it was stopped, and the numbers are lower bounds */
    bool too_many;      /* … because of too_many patterns */
    bool by_root;
    float *consequents; /* rules: number of rules from each kept set; NULL = none */
    size_t consequents_bytes;
} probe;

/* Searches. Errors: as lode_mine(), except STOPPED, which is complete = false. */
LODE_NODISCARD lode_status probe_run(lode_job *job, const lode_dataset *data,
                                     const probe_request *request, probe *out);
void probe_free(lode_job *job, probe *p);

static inline bool probe_is_whole(const probe *p) {
    return p->complete && p->tally.n_rows == 1;
}

/* The share of the branches that was searched. */
static inline double probe_share(const probe *p) {
    return (double)p->tally.parts / p->tally.of;
}

/* A number of patterns and its 90% confidence interval. */
typedef struct estimate {
    double n, low, high;
    bool exact;
} estimate;

/* The exact number of sets at a threshold. */
typedef struct anchor {
    uint64_t min_count; /* 0 = unknown */
    double n;
} anchor;

/* The number of patterns that reach a support, by a complete probe, corrected by an anchor. For
 * probes with consequents, the number of rules. */
estimate probe_estimate(const probe *p, const anchor *known, uint64_t support);
/* The number of sets that reach a support, according to the probe; for a sample, the estimate. */
double probe_sets(const probe *p, uint64_t support);

#endif
