/* sounding.h - one search for an estimate, of everything or of random parts, and what it tells
 *
 * A probe at a threshold knows the number of patterns that reach each higher support. Of random
 * parts, it knows the number in each, and so by how much parts differ; from that comes the
 * interval.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_SOUNDING_H
#define LODE_EXTRAS_SUGGEST_SOUNDING_H

#include "extras/suggest/part_tally.h"

typedef struct probe_request {
    lode_target target;
    uint64_t min_count;
    uint64_t base;   /* a lower threshold that the data are prepared for; 0 = min_count */
    uint32_t parts;  /* that are searched, … */
    uint32_t of;     /* … of so many: see engine_sample; parts = of: everything */
    bool by_root;    /* see engine_sample */
    bool keeps_sets; /* for rules */
    bool plain;      /* only the number at min_count, which takes less time */
    double enough;   /* patterns; INFINITY = all */
    double too_many; /* patterns at min_count itself, beyond which it is given up */
    double seconds;  /* of the processor; 0 = no limit */
    double deadline; /* of os_seconds(); 0 = none */
    uint64_t seed;
} probe_request;

typedef struct probe {
    tally tally;        /* added up: patterns that reach each level */
    uint64_t min_count; /* lowest threshold for which the numbers hold */
    double seconds;     /* of the processor, … */
    double searching;   /* … without those that preparing the data took */
    bool complete;      /* else it was stopped, and there are at least so many */
    bool too_many;      /* … because of that many */
    bool by_root;
    float *consequents; /* rules: how many each set that was kept makes; NULL: none */
    size_t consequents_bytes;
} probe;

/* Searches. Errors: as lode_mine(), but for STOPPED, which is complete = false. */
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

/* A number of patterns and its interval, which holds in nine of ten cases. */
typedef struct estimate {
    double n, low, high;
    bool exact;
} estimate;

/* The exact number of sets at a threshold. */
typedef struct anchor {
    uint64_t min_count; /* 0: none is known */
    double n;
} anchor;

/* How many patterns reach a support, by a complete probe. An anchor corrects it. Of probes with
 * consequents, rules are meant. */
estimate probe_estimate(const probe *p, const anchor *known, uint64_t support);
/* How many sets the probe has seen that reach a support: of parts, the estimate. */
double probe_sets(const probe *p, uint64_t support);

#endif
