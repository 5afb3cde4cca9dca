/* item_filter.h - selects itemsets by constraints that the search itself does not apply
 *
 * The filter is at the entrance of a sink, so that the sink's threshold, limits and counts see only
 * accepted patterns. The filter adds items that every pattern has. It drops patterns with too few
 * or too many items of a group, with too high a support, or (in item_sink.c) with measures out of
 * bounds. If the search uses its own item numbers
 * (src/pipeline/spill), the filter converts them to ids.
 *
 * Batches and lattices whose patterns are all accepted pass unchanged. In other batches, perfect
 * extensions that are in a group are multiplied out, as far as the counts of the groups require:
 *
 *     0-1 of {a, b, c}      prefix x, perfect a b d      x + {}, {a}, {b}; each with perfect d
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_FILTER_H
#define LODE_WRITE_ITEMSETS_ITEM_FILTER_H

#include "data/transactions/select.h"
#include "write/itemsets/item_measures.h"

typedef struct item_filter {
    lode_job *job;
    const uint32_t *fixed; /* ids added to every pattern */
    uint32_t n_fixed;
    const uint32_t *ids;  /* NULL = patterns have ids. Otherwise patterns have numbers,
                             ids[number] is the id, and there are no groups. Lent */
    uint64_t max_support; /* patterns with a higher support are dropped; UINT64_MAX = any support */
    select_groups groups; /* groups with bounds; lent */
    select_index of;      /* the index of the groups' items; lent */
    uint32_t *fixed_counts;    /* by group: the number of its items that are fixed; lent */
    const item_bounds *bounds; /* of measures; NULL = none. Lent */
} item_filter;

/* Buffers of a worker. */
typedef struct filter_scratch {
    vec_u32 prefix, items, perfect;
    vec_u64 supports;
    /* by group: number of items in the prefix, and of items that may still come */
    vec_u32 counts, rest;
    vec_u32 choices; /* by perfect extension: 1 = the extension is in the prefix */
} filter_scratch;

void filter_scratch_free(mem *m, filter_scratch *s);

/* Returns whether the filter only adds items, so that the number of patterns does not change. */
static inline bool filter_only_adds(const item_filter *f) {
    return f->groups.n == 0 && f->max_support == UINT64_MAX && !f->bounds;
}

/* Receives the accepted part of a batch. */
typedef lode_status (*filter_take)(void *user, const lode_batch *batch);

LODE_NODISCARD lode_status filter_batch(const item_filter *f, filter_scratch *s,
                                        const lode_batch *batch, filter_take take, void *user);

/* Passes on the pattern that consists only of the fixed items. There must be at least one fixed
 * item. */
LODE_NODISCARD lode_status filter_fixed(const item_filter *f, uint64_t support, filter_take take,
                                        void *user);

struct sink_lattice;
typedef enum filter_verdict {
    FILTER_NOTHING, /* drop all patterns */
    FILTER_ALL,     /* accept all patterns, with the fixed items; *out has them in its prefix */
    FILTER_SOME     /* examine the batches of the lattice */
} filter_verdict;

LODE_NODISCARD lode_status filter_lattice(const item_filter *f, filter_scratch *s,
                                          const struct sink_lattice *lattice,
                                          struct sink_lattice *out, filter_verdict *verdict);

#endif
