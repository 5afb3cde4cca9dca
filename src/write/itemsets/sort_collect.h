/* sort_collect.h - what a worker finds, turned into rows and sorted in segments
 *
 * A collector has a pile of rows for each size. When the piles have grown to what the worker may
 * keep, or memory is short, each is sorted and becomes a segment in the scratch file; at the end of
 * the worker they become segments in memory. Families are multiplied out at once, for about three
 * nanoseconds a pattern where a row is one word.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_SORT_COLLECT_H
#define LODE_WRITE_ITEMSETS_SORT_COLLECT_H

#include "write/core/sort_store.h"
#include "write/itemsets/item_sink.h"
#include "write/itemsets/sort_keys.h"

struct sort_spread;

/* Rows that wait to be written, and what they say. */
typedef struct keyed_store {
    sort_store base;
    sort_keys keys;
    unsigned n_open; /* collectors that use the keys; under the lock of the store */
} keyed_store;

typedef struct sort_collector {
    keyed_store *store;
    sort_piles piles;
    vec_u32 ranks, chosen;
    struct sort_spread *spread; /* of families; NULL = none came yet */
} sort_collector;

/* Begins to collect for a sink, with ranks for what its bounds allow. One at a time: under the lock
 * of the sink. */
LODE_NODISCARD lode_status collect_open(sort_collector *c, keyed_store *store,
                                        const lode_sink *sink, const char *near);

/* Patterns of a batch without perfect extensions. */
LODE_NODISCARD lode_status collect_batch(sort_collector *c, const lode_batch *batch);
/* Patterns of a family of at most SINK_PERFECT perfect extensions; see emit_family in item_ops. */
LODE_NODISCARD lode_status collect_family(sort_collector *c, const sink_lattice *family);

void keyed_store_clear(keyed_store *store);
/* Frees the collector; one that was not opened may be all zero. */
void collect_close(sort_collector *c);

#endif
