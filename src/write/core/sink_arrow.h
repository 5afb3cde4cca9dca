/* sink_arrow.h - what a result in an Arrow file says of itself: docs/output.md has the keys
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_ARROW_H
#define LODE_WRITE_CORE_SINK_ARROW_H

#include "results/arrow/arrow.h"
#include "write/core/sink.h"

#define SINK_KEYS_FIRST 2
#define SINK_KEYS_LAST  9

/* Keys, and the texts of their numbers. */
typedef struct sink_keys {
    arrow_key keys[SINK_KEYS_LAST];
    char numbers[5][24];
} sink_keys;

/* The first keys. `kind` is "itemsets", "rules" or "graphs". */
void sink_keys_first(sink_keys *k, const char *kind);
/* The last ones. `total` is the number of transactions, or their weight, or of graphs, if no job
 * has said; `order` is the order of the rows, in a word; NULL: as the search finds them. */
void sink_keys_last(sink_keys *k, const lode_sink *sink, uint64_t total, bool partial,
                    const char *order);
/* The same of an origin; `total` as above. */
void sink_keys_origin(sink_keys *k, const sink_origin *o, uint64_t total, bool partial,
                      const char *order);

#endif
