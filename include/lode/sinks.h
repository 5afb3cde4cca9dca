/* lode/sinks.h - sinks: where patterns go; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINKS_H
#define LODE_SINKS_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- every sink ----------------------------------------------------------------------------- */

/* A SINK receives the patterns of a job: it counts them, writes them, or keeps them. Make it for a
 * job, pass it to lode_mine(), lode_rules_mine() or lode_graphs_mine() once or several times,
 * finish it, and free it.
 *
 *     make       one function for each kind of sink, below, in graphs.h and in rules.h
 *     mine       patterns arrive
 *     finish     lode_sink_finish(), if there is output to complete
 *     ask        lode_sink_patterns() and others, at any time
 *
 * lode_sink_count() accepts patterns of every kind. Every other sink accepts one kind only
 * (lode_graph_sink_…: graphs, lode_rule_sink_…: rules, others: itemsets), and a sink that was made
 * with a data set accepts only patterns of that data set. Otherwise the job returns LODE_INVALID.
 * The SIZE of a pattern is its number of items or, for a graph, of edges. */
typedef struct lode_sink lode_sink;

/* Counts patterns by size and keeps nothing. */
LODE_API LODE_NODISCARD lode_status lode_sink_count(lode_job *job, lode_sink **out);

/* Completes the output: flushes, sorts and writes what was held back, renames the file. Call it
 * once, after the last search into this sink; otherwise lode_sink_free() removes the unfinished
 * file.
 * After an interrupted run, pass partial = true: the file is then called PATH.partial (or
 * PATH.partial.2 and so on if that exists; see "patterns.output" in the report), and is not sorted,
 * to save time. If the job was cancelled, results that would be sorted are written for half a
 * second at most, and the report says how many patterns are missing; call lode_job_reset() first to
 * get all of them. If the job is cancelled during this call, the call returns LODE_CANCELLED;
 * PATH.partial then has what can be written in a moment, and a result in memory is complete but
 * unordered. */
LODE_API LODE_NODISCARD lode_status lode_sink_finish(lode_sink *sink, bool partial);
LODE_API void lode_sink_free(lode_sink *sink);

/* Removes the unfinished files of the process: those of all sinks, drawings, generators and
 * lode_file_create(). For the handler of a signal that ends the process at once; the process must
 * end afterwards. */
LODE_API void lode_outputs_discard(void);

/* Receives the path of an unfinished file, lent for the call. */
typedef void (*lode_path_fn)(void *user, const char *path);

/* Calls `tell` with the path of each unfinished file, at most 16, and leaves the files as they are.
 * For the handler of a signal such as SIGSEGV, which ends the process in the middle of its work.
 * The files are complete except for the last line or pattern; an Arrow file has no footer. Calls
 * nothing but `tell`. */
LODE_API void lode_outputs_unfinished(lode_path_fn tell, void *user);

/* Patterns received: in total, and of exactly this size. Any thread may call these functions, also
 * from a callback, until the sink is freed. The threads of a job add their numbers when they finish
 * their part of the search, so these functions count most patterns only at the end; for a number
 * that grows during a job, see lode_progress. */
LODE_API uint64_t lode_sink_patterns(const lode_sink *sink);
LODE_API uint64_t lode_sink_patterns_of_size(const lode_sink *sink, uint32_t size);
/* Whether a memory sink ran out of memory. It has then dropped all patterns; the job goes on only
 * to measure how much memory would be enough, and ends with LODE_BUDGET. A progress callback may
 * cancel the job if that number is not needed. */
LODE_API bool lode_sink_is_over_budget(const lode_sink *sink);
/* The largest size received; 0 = nothing was received. */
LODE_API uint32_t lode_sink_largest(const lode_sink *sink);
/* The hash of what a hash sink received; 0 for any other sink. */
LODE_API uint64_t lode_sink_hash_value(const lode_sink *sink);
/* Bytes of text written so far. */
LODE_API uint64_t lode_sink_bytes(const lode_sink *sink);

/* ---- sinks for itemsets --------------------------------------------------------------------- */

/* A batch of patterns from a search: for every i < n and every subset S of `perfect`, the pattern
 * prefix + items[i] + S, with supports[i]. `prefix` may be empty; the empty pattern is never
 * reported. Items as in lode/data.h, in no particular order, without repeats. Lent for the call. */
typedef struct lode_batch {
    size_t size;
    const uint32_t *prefix;
    uint32_t n_prefix;
    const uint32_t *items;
    const uint64_t *supports;
    uint32_t n;
    const uint32_t *perfect;
    uint32_t n_perfect;
} lode_batch;

/* Return non-zero to stop the job, which then returns LODE_STOPPED; the function is not called
 * again. Called by the thread that called lode, and by threads that lode started for the job. Calls
 * for one sink never overlap, and each sees what the calls before it wrote. None comes after
 * lode_mine() has returned. For what it may call, see "Callbacks" in lode.h. */
typedef int (*lode_batch_fn)(void *user, const lode_batch *batch);

/* Counts patterns, and computes a hash of the whole result. Equal itemsets (by name) with equal
 * supports give the same hash, in whatever order they arrive, on every machine. */
LODE_API LODE_NODISCARD lode_status lode_sink_hash(lode_job *job, lode_sink **out,
                                                   const lode_dataset *data);

/* Calls a function with every batch. */
LODE_API LODE_NODISCARD lode_status lode_sink_callback(lode_job *job, lode_sink **out,
                                                       lode_batch_fn function, void *user);

/* Writes text to a file; "-" is standard output. A regular file appears under its name only when
 * lode_sink_finish() succeeds; until then it has another name in the same folder. Sorted output is
 * written in lode_sink_finish(); until then, what does not fit into memory is kept in an unnamed
 * file in $TMPDIR or, if that is not set, in the folder of the output. If the program ignores
 * SIGXFSZ, exceeding the file size limit of the process is a write error, like a full disk.
 * `options` may be NULL. */
LODE_API LODE_NODISCARD lode_status lode_sink_file(lode_job *job, lode_sink **out,
                                                   const lode_dataset *data, const char *path,
                                                   const lode_write_options *options);

/* Passes the same text, byte for byte, to a function. During lode_mine(), the function is called by
 * the thread that called lode or by threads that lode started; during lode_sink_finish() and
 * lode_sink_write() itself (for the header of csv), by the calling thread. The function may call
 * lode_sink_patterns() and the like for this sink, and cancel jobs. If it stops the job,
 * lode_sink_finish() returns LODE_STOPPED. With partial = true, and after a cancel, it receives
 * what PATH.partial would. */
LODE_API LODE_NODISCARD lode_status lode_sink_write(lode_job *job, lode_sink **out,
                                                    const lode_dataset *data, lode_write_fn write,
                                                    void *user, const lode_write_options *options);

/* Keeps all patterns in memory; see lode_sink_result(). If that exceeds the memory budget, nothing
 * is kept, but the search still runs to its end, so that the message of LODE_BUDGET says how much
 * would be enough. */
LODE_API LODE_NODISCARD lode_status lode_sink_memory(lode_job *job, lode_sink **out);

/* A result in memory, by columns: pattern i has the items items[offsets[i]] …
 * items[offsets[i + 1] - 1], ascending, and the support supports[i]. offsets has n + 1 entries.
 * Items are as in lode/data.h; lode_dataset_item_name() returns their names. The arrays are an
 * Arrow large-list. After lode_sink_finish() patterns are ordered by size, then by items. */
typedef struct lode_result {
    size_t size;
    uint64_t n;
    const uint64_t *offsets;
    const uint32_t *items;
    const uint64_t *supports;
} lode_result;

/* Lends what a memory sink holds. For any other sink, fills *out with zeros and returns false. Must
 * not be called while a job runs into the sink. */
LODE_API bool lode_sink_result(const lode_sink *sink, lode_result *out);

/* How much is known about the support of a set. */
typedef enum lode_known {
    LODE_KNOWN_EXACT = 0, /* the support */
    LODE_KNOWN_AT_LEAST,  /* a lower bound: the set is a subset of a maximal set */
    LODE_KNOWN_BELOW,     /* only that the support is below the threshold of the search */
    LODE_KNOWN_NOT        /* nothing: see lode_result_support() */
} lode_known;

/* The support of any set of items, in any order, from the result in a memory sink; 0 if nothing is
 * known. What can be known depends on the search that filled the sink:
 *   all, top    every set within the size limits
 *   closed      every set of min_size items or more, if there is no max_size: its support is the
 *               highest support of the closed sets that contain it
 *   maximal     likewise, but only whether a set is frequent, and a lower bound
 *   others      sets that are in the result; also the empty set, if only one job filled the sink
 * After a job that was stopped, a job with a root range or constraints, or several jobs, only the
 * last row applies.
 * The first call builds an index: about 12 to 24 bytes per pattern and, for closed and maximal, 4
 * bytes per item of the patterns, in memory of the sink's job, until the sink is freed or receives
 * more. Several threads may call it at the same time, but not while a job runs into the sink.
 * `known` may be NULL. Errors: INVALID (another kind of sink), NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_result_support(const lode_sink *sink,
                                                        const uint32_t *items, size_t n,
                                                        uint64_t *support, lode_known *known);

/* The same for many sets: set i is items[offsets[i]] … items[offsets[i + 1] - 1]. Faster than one
 * call per set, because memory accesses overlap. */
LODE_API LODE_NODISCARD lode_status lode_result_supports(const lode_sink *sink, uint64_t n_sets,
                                                         const uint64_t *offsets,
                                                         const uint32_t *items, uint64_t *supports,
                                                         lode_known *known);

#ifdef __cplusplus
}
#endif
#endif
