/* item_memory.h - a sink that keeps itemsets by columns, all of them or the best K
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSINK_ITEM_MEMORY_H
#define LODE_ITEMSINK_ITEM_MEMORY_H

#include "itemsink/item_columns.h"
#include "itemsink/item_sink.h"
#include "itemsink/lookup.h"

/* Where the patterns of a sink come from, for lode_result_support(). */
typedef struct sink_origin {
    unsigned n_jobs;
    bool complete; /* one job, of all roots, that came to its end */
    lode_target target;
    uint32_t min_size, max_size;
    uint64_t threshold; /* as it was at the end */
    uint64_t total;     /* weight of all transactions */
} sink_origin;

/* The best K by support, ties with the K-th included. Raises the job's threshold as it fills,
 * so that the search need not look below it. */
LODE_NODISCARD lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k);

/* For lode_mine(): notes what a job has put into the sink, if the sink keeps itemsets. Ignores
 * origin->n_jobs. */
void sink_note_job(lode_sink *sink, const sink_origin *origin);

/* What a memory or top sink holds; workers must be closed. */
columns *sink_memory_columns(lode_sink *sink);

typedef struct sink_contents {
    const columns *patterns;
    const lookup *index; /* made when it is first needed */
    const sink_origin *origin;
} sink_contents;

/* Any thread, when no job runs. Errors: INVALID (another kind of sink), and those of
 * lookup_create(). */
LODE_NODISCARD lode_status sink_memory_look(const lode_sink *sink, sink_contents *out);

/* Sends columns into a sink. `stop` may be NULL; CANCELLED: `stop` has ended this, and what was
 * sent is valid. */
LODE_NODISCARD lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop);

#endif
