/* sort_collect.h - turns the patterns that a worker finds into rows, and sorts them in segments
 *
 * A collector has a pile of rows for each size. When the piles reach the worker's limit, or memory
 * is short, each pile is sorted and becomes a segment in the scratch file. When the worker ends,
 * its remaining piles become segments in memory. Families (many sets that differ only in some
 * items) are multiplied out as soon as they arrive, which takes about three nanoseconds per pattern
 * if a row is one word.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_SORT_COLLECT_H
#define LODE_WRITE_ITEMSETS_SORT_COLLECT_H

#include "write/core/sort_store.h"
#include "write/itemsets/item_sink.h"
#include "write/itemsets/sort_keys.h"

struct sort_spread;

/* Sorted rows that wait to be written, and the keys needed to decode them. */
typedef struct keyed_store {
    sort_store base;
    sort_keys keys;
    unsigned n_open; /* collectors that use the keys; under the lock of the store */
} keyed_store;

typedef struct sort_collector {
    keyed_store *store;
    sort_piles piles;
    vec_u32 ranks, chosen;
    /* scratch for multiplying out families; NULL until the first family arrives */
    struct sort_spread *spread;
} sort_collector;

/* Opens a collector for a sink. Items that the sink's bounds allow get ranks. The caller must hold
 * the sink's lock. */
LODE_NODISCARD lode_status collect_open(sort_collector *c, keyed_store *store,
                                        const lode_sink *sink, const char *near);

/* Adds the patterns of a batch, which must have no perfect extensions. */
LODE_NODISCARD lode_status collect_batch(sort_collector *c, const lode_batch *batch);
/* Adds all patterns of a family, which must have at most SINK_PERFECT perfect extensions; see
 * emit_family in item_ops. */
LODE_NODISCARD lode_status collect_family(sort_collector *c, const sink_lattice *family);

void keyed_store_clear(keyed_store *store);
/* Frees a collector. A collector that was never opened must be all zero. */
void collect_close(sort_collector *c);

#endif
