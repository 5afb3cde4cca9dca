/* sink_memory.h - a sink that keeps patterns by columns; the base of sorted output and of top-k
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_SINK_MEMORY_H
#define LODE_SINK_SINK_MEMORY_H

#include "sink/columns.h"
#include "sink/lookup.h"
#include "sink/sink.h"

/* The best K by support, ties with the K-th included. Raises the job's threshold as it fills,
 * so that the search need not look below it. */
LODE_NODISCARD lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k);

/* Bytes that the result would have taken, if the budget had no room for it; 0: it had. */
uint64_t sink_memory_lost(const lode_sink *sink);

/* What a memory or top sink holds; workers must be closed. */
columns *sink_memory_columns(lode_sink *sink);

/* What a memory sink holds, and its index, which is made when it is first needed. Any thread, when
 * no job runs. Errors: INVALID (another kind of sink), and those of lookup_create(). */
LODE_NODISCARD lode_status sink_memory_lookup(const lode_sink *sink, const columns **patterns,
                                              const lookup **index);

/* Sends everything a memory or top sink holds into another sink. `stop` may be NULL; CANCELLED: it
 * has ended it, and what was sent is valid. */
LODE_NODISCARD lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop);

#endif
