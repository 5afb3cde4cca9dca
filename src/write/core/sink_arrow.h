/* sink_arrow.h - metadata keys of a result in an Arrow file; docs/output.md explains them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_ARROW_H
#define LODE_WRITE_CORE_SINK_ARROW_H

#include "results/arrow/arrow.h"
#include "write/core/sink.h"

#define SINK_KEYS_FIRST 2
#define SINK_KEYS_LAST  10

/* Metadata keys, and buffers for their numbers. */
typedef struct sink_keys {
    arrow_key keys[SINK_KEYS_LAST];
    char numbers[5][24];
} sink_keys;

/* Fills in the keys that are known at the start. `kind` is "itemsets", "rules" or "graphs". */
void sink_keys_first(sink_keys *k, const char *kind);
/* Fills in the keys that are known at the end. `total` is the number of graphs, or the number or
 * weight of transactions; it is used only if no job has set a total. `order` is the order of the
 * rows as one word; NULL = search order. */
void sink_keys_last(sink_keys *k, const lode_sink *sink, uint64_t total, bool partial,
                    const char *order);
/* Fills in the same keys from an origin instead of a sink. */
void sink_keys_origin(sink_keys *k, const sink_origin *o, uint64_t total, bool partial,
                      const char *order);

#endif
