/* probe.h - one search for an estimate, of everything or of a random sample, and its result
 *
 * A probe at a threshold gives the number of patterns that reach each higher support. A probe of a
 * random sample gives these numbers for each part of the sample; how much the parts differ
 * determines the confidence interval.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_PROBE_H
#define LODE_EXTRAS_SUGGEST_PROBE_H

#include "extras/suggest/part_tally.h"

typedef struct probe_request {
    lode_target target;
    uint64_t min_count;
    uint64_t base;   /* a lower threshold that the data are prepared for; 0 = min_count */
    uint32_t parts;  /* number of parts to search … */
    uint32_t of;     /* … of this many: see engine_sample; parts = of: everything */
    bool by_root;    /* see engine_sample */
    bool keeps_sets; /* for rules: keep some of the sets */
    bool plain;      /* only the number at min_count, which takes less time */
    double enough;   /* when this many patterns are found, the threshold rises; INFINITY = never */
    double too_many; /* the search is given up if this many reach a threshold that cannot rise */
    double seconds;  /* CPU time limit; 0 = no limit */
    double deadline; /* a time of os_seconds(); 0 = none */
    uint64_t seed;
} probe_request;

typedef struct probe {
    tally tally;        /* the numbers of patterns that reach each level (tally_add_up()) */
    uint64_t min_count; /* lowest threshold for which the numbers are valid */
    double seconds;     /* CPU time … */
    double searching;   /* … without the time for preparing the data */
    bool complete;      /* otherwise it was stopped, and the numbers are lower bounds */
    bool too_many;      /* it was stopped because of too many patterns */
    bool by_root;
    float *consequents; /* rules: number of rules from each kept set; NULL = none */
    size_t consequents_bytes;
} probe;

/* Runs a probe. Call probe_free() in any case. Errors: as lode_mine(), except STOPPED: then the
 * status is OK, and `complete` is false. */
LODE_NODISCARD lode_status probe_run(lode_job *job, const lode_dataset *data,
                                     const probe_request *request, probe *out);
void probe_free(lode_job *job, probe *p);

/* Whether everything was searched. */
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

/* A threshold at which the exact number of sets is known. */
typedef struct anchor {
    uint64_t min_count; /* 0 = unknown */
    double n;
} anchor;

/* Estimates the number of patterns that reach a support, from a complete probe: sets or, if the
 * probe has consequents, rules. `known` (NULL = none) makes the estimate from a sample more
 * accurate. */
estimate probe_estimate(const probe *p, const anchor *known, uint64_t support);
/* The number of sets that reach a support according to the probe; for a sample, an estimate. */
double probe_sets(const probe *p, uint64_t support);

#endif
