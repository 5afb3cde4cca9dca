/* item_memory.h - a sink that keeps itemsets by columns, all of them or the best K
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_MEMORY_H
#define LODE_WRITE_ITEMSETS_ITEM_MEMORY_H

#include "write/itemsets/item_columns.h"
#include "write/itemsets/item_sink.h"
#include "write/itemsets/lookup.h"

/* Keeps the best K by support, including ties with the K-th. Raises the job's threshold as it
 * fills, so that the search can skip patterns below it. */
LODE_NODISCARD lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k);

/* The content of a memory or top sink; workers must be closed. */
columns *sink_memory_columns(lode_sink *sink);

typedef struct sink_contents {
    const columns *patterns;
    const lookup *index; /* made on first use */
    const sink_origin *origin;
} sink_contents;

/* Sends columns into a sink. `stop` may be NULL; CANCELLED: `stop` has ended this, and what was
 * sent is valid. */
LODE_NODISCARD lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop);

#endif
