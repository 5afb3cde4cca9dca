/* sink_arrow.h - what a result in an Arrow file says of itself: docs/formats.md has the keys
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_SINK_ARROW_H
#define LODE_SINK_SINK_ARROW_H

#include "arrow/arrow.h"
#include "sink/sink.h"

#define SINK_KEYS_FIRST 3
#define SINK_KEYS_LAST  8

/* Keys, and the texts of their numbers. */
typedef struct sink_keys {
    arrow_key keys[SINK_KEYS_LAST];
    char numbers[4][24];
} sink_keys;

/* The first keys: "itemsets", "rules" or "graphs", and the number of transactions or graphs. */
void sink_keys_first(sink_keys *k, const char *kind, uint64_t total);
/* The last ones. `order` is the order of the rows, in a word; NULL: as the search finds them. */
void sink_keys_last(sink_keys *k, const lode_sink *sink, bool partial, const char *order);

#endif
