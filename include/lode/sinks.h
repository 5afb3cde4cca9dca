/* lode/sinks.h - what happens to a pattern; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINKS_H
#define LODE_SINKS_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an engine hands to a sink: for every i < n and every subset S of `perfect`, the pattern
 * prefix + items[i] + S, with supports[i]. The empty prefix is allowed, the empty pattern is not
 * reported. Items as data.h says, in no particular order, no item twice. Lent for the call. */
typedef struct lode_batch {
    const uint32_t *prefix;
    uint32_t n_prefix;
    const uint32_t *items;
    const uint64_t *supports;
    uint32_t n;
    const uint32_t *perfect;
    uint32_t n_perfect;
} lode_batch;

typedef struct lode_sink lode_sink;

/* Non-zero stops the job, which then returns LODE_STOPPED. Calls never overlap. */
typedef int (*lode_batch_fn)(void *user, const lode_batch *batch);

/* Counts patterns by size and keeps nothing. */
LODE_API LODE_NODISCARD lode_status lode_sink_count(lode_job *job, lode_sink **out);

/* Counts, and computes a hash of the whole result: the same for the same itemsets, by name, with
 * the same supports, in whatever order they come, on every machine. */
LODE_API LODE_NODISCARD lode_status lode_sink_hash(lode_job *job, lode_sink **out,
                                                   const lode_dataset *data);

/* Calls a function with every batch. */
LODE_API LODE_NODISCARD lode_status lode_sink_callback(lode_job *job, lode_sink **out,
                                                       lode_batch_fn function, void *user);

/* Writes text to a file; "-" is standard output. A regular file appears under its name only when
 * lode_sink_finish() has succeeded; until then it is written beside it. What is sorted is not
 * written before lode_sink_finish(); where there is a memory budget, a part of it may wait in a
 * file without a name in the same folder (or in $TMPDIR). `options` may be NULL. The data set
 * provides the names: only its patterns can be taken, as with lode_sink_hash(). */
LODE_API LODE_NODISCARD lode_status lode_sink_file(lode_job *job, lode_sink **out,
                                                   const lode_dataset *data, const char *path,
                                                   const lode_write_options *options);

/* Keeps everything in memory; see lode_sink_result(). If the memory budget has no room for that,
 * nothing is kept, but the search goes on to its end, so that LODE_BUDGET comes with what it takes.
 */
LODE_API LODE_NODISCARD lode_status lode_sink_memory(lode_job *job, lode_sink **out);

/* Completes the output: flushes, sorts and writes what was held back, renames the file. After an
 * interrupted run pass partial = true: the file then gets the name PATH.partial, and is not sorted,
 * so that it is there soon. A cancel while it sorts or writes returns LODE_CANCELLED: PATH.partial
 * then has as much as can be written in a moment, and what is in memory is complete but in no
 * order. Call it once, after the last job; without it, lode_sink_free() removes the unfinished
 * file. */
LODE_API LODE_NODISCARD lode_status lode_sink_finish(lode_sink *sink, bool partial);
LODE_API void lode_sink_free(lode_sink *sink);

/* Removes the unfinished files of all sinks, drawings and generators of the process, which must end
 * then: for the handler of a signal that ends it at once. A file that grows too large for the
 * limits of the process is a write error like a full disk, if the program ignores SIGXFSZ. */
LODE_API void lode_outputs_discard(void);

/* Patterns received, in all and with exactly `size` items. Any thread may ask for these figures, at
 * any time before the sink is freed, also from a callback; but a thread of a job hands its numbers
 * over when it has done its share, so that most arrive at the end. For a number that grows while a
 * job runs, see lode_progress. */
LODE_API uint64_t lode_sink_patterns(const lode_sink *sink);
LODE_API uint64_t lode_sink_patterns_of_size(const lode_sink *sink, uint32_t size);
/* The largest size received; 0 if nothing was. */
LODE_API uint32_t lode_sink_largest(const lode_sink *sink);
/* The hash of what a hash sink has received; 0 for any other sink. */
LODE_API uint64_t lode_sink_hash_value(const lode_sink *sink);
/* Bytes of text written so far. */
LODE_API uint64_t lode_sink_bytes(const lode_sink *sink);

/* A result in memory, by columns: pattern i has the items items[offsets[i]] …
 * items[offsets[i+1]-1], ascending, and the support supports[i]. offsets has n + 1 entries. Items
 * are what data.h says: the numbers of lode_dataset_from_arrays(), or else print them by
 * lode_dataset_item_name(). The arrays are an Arrow large-list as they stand. After
 * lode_sink_finish() they are ordered by size, then by items. */
typedef struct lode_result {
    uint64_t n;
    const uint64_t *offsets;
    const uint32_t *items;
    const uint64_t *supports;
} lode_result;

/* Lends what a memory sink holds; all zero for any other sink. Not while a job runs. */
LODE_API lode_result lode_sink_result(const lode_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
