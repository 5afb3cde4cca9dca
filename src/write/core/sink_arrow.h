/* sink_arrow.h - metadata keys of a result in an Arrow file; docs/output.md explains them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_ARROW_H
#define LODE_WRITE_CORE_SINK_ARROW_H

#include "results/arrow/arrow.h"
#include "write/core/sink.h"

#define SINK_KEYS_FIRST 2
#define SINK_KEYS_LAST  9

/* Keys, and buffers for their numbers. */
typedef struct sink_keys {
    arrow_key keys[SINK_KEYS_LAST];
    char numbers[5][24];
} sink_keys;

/* The first keys. `kind` is "itemsets", "rules" or "graphs". */
void sink_keys_first(sink_keys *k, const char *kind);
/* The last keys. `total` is the number of transactions (or their weight) or graphs, unless a job
 * has set it; `order` is the order of the rows, in a word; NULL = search order. */
void sink_keys_last(sink_keys *k, const lode_sink *sink, uint64_t total, bool partial,
                    const char *order);
/* The same for an origin; `total` as above. */
void sink_keys_origin(sink_keys *k, const sink_origin *o, uint64_t total, bool partial,
                      const char *order);

#endif
