/* item_memory.h - a sink that keeps all itemsets, or the best K, by columns
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_MEMORY_H
#define LODE_WRITE_ITEMSETS_ITEM_MEMORY_H

#include "groups/contrast.h"
#include "write/itemsets/item_columns.h"
#include "write/itemsets/item_sink.h"
#include "write/itemsets/lookup.h"

/* Makes a sink that keeps the K patterns with the highest supports, including ties with the K-th.
 * As it fills, the sink raises the job's threshold, so that the search can skip patterns below the
 * threshold. */
LODE_NODISCARD lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k);

/* Returns the content of a memory or top sink. All workers must be closed. */
columns *sink_memory_columns(lode_sink *sink);

/* Gives a memory sink the classes of the data set that is mined into it, for columns that compare
 * them. Sets *taken to whether the sink owns `c` from now on; other sinks do not. */
LODE_NODISCARD lode_status sink_memory_take_contrast(lode_sink *sink, const lode_dataset *data,
                                                     group_contrast *c, bool *taken);

typedef struct sink_contents {
    const columns *patterns;
    const lookup *index; /* the index, made on first use */
    const sink_origin *origin;
} sink_contents;

/* Sends all patterns of columns to a sink. `stop` may be NULL. Returns CANCELLED if `stop` ended
 * the call; the patterns already sent are valid. */
LODE_NODISCARD lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop);

#endif
