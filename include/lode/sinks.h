/* lode/sinks.h - what happens to a pattern; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINKS_H
#define LODE_SINKS_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- every sink ----------------------------------------------------------------------------- */

/* WHAT A SINK IS: where the patterns of a job go. It is made for a job, handed to lode_mine() or
 * lode_graphs_mine() once or several times, then finished, then freed.
 *
 *     make       one function for each kind of sink, below and in graphs.h
 *     mine       patterns arrive
 *     finish     lode_sink_finish(), where there is output to complete
 *     ask        lode_sink_patterns() and others, at any time
 *
 * lode_sink_count() takes patterns of every kind; each of the others takes itemsets only, or
 * (lode_graph_sink_...) graphs only, and those that are made with a data set take its patterns
 * only. A job with a sink that cannot take its patterns is LODE_INVALID. The SIZE of a pattern is
 * the number of its items or, of a graph, of its edges. */
typedef struct lode_sink lode_sink;

/* Counts patterns by size and keeps nothing. */
LODE_API LODE_NODISCARD lode_status lode_sink_count(lode_job *job, lode_sink **out);

/* Completes the output: flushes, sorts and writes what was held back, renames the file. After an
 * interrupted run pass partial = true: the file then gets the name PATH.partial (PATH.partial.2 and
 * so on where that name is taken; the report has it: "patterns.output"), and is not sorted, so that
 * it is there soon. If the job was cancelled, a result that was to be sorted is written for half a
 * second only, and the report says how many patterns are missing; call lode_job_reset() first to
 * get all of them. A cancel while it sorts, draws or writes returns LODE_CANCELLED: PATH.partial
 * then has as much as can be written in a moment, and what is in memory is complete but in no
 * order. Call it once, after the last lode_mine() or lode_graphs_mine() into this sink;
 * without it, lode_sink_free() removes the unfinished file. */
LODE_API LODE_NODISCARD lode_status lode_sink_finish(lode_sink *sink, bool partial);
LODE_API void lode_sink_free(lode_sink *sink);

/* Removes the unfinished files of all sinks, drawings, generators and lode_file_create() of the
 * process: for the handler of a signal that ends it at once. The process must end afterwards. */
LODE_API void lode_outputs_discard(void);

/* Gets the path of an unfinished file, lent for the call. */
typedef void (*lode_path_fn)(void *user, const char *path);

/* Tells the paths of these files, at most 16, and leaves them as they are: for the handler of a
 * signal that ends a process in the middle of its work, such as SIGSEGV. Everything in them but the
 * last line or pattern is complete; an Arrow file has no footer. Calls nothing but `tell`. */
LODE_API void lode_outputs_unfinished(lode_path_fn tell, void *user);

/* Patterns received, in all and of exactly this size. Any thread may ask for these figures, at any
 * time before the sink is freed, also from a callback; but a thread of a job hands its numbers
 * over when it has done its share, so that most arrive at the end. For a number that grows while a
 * job runs, see lode_progress. */
LODE_API uint64_t lode_sink_patterns(const lode_sink *sink);
LODE_API uint64_t lode_sink_patterns_of_size(const lode_sink *sink, uint32_t size);
/* Whether a sink that keeps patterns in memory had no room for some. It has dropped all of them,
 * and the job goes on only to measure how much memory would be enough, and ends with LODE_BUDGET:
 * a progress callback may cancel it, if nobody wants to wait for that number. */
LODE_API bool lode_sink_is_over_budget(const lode_sink *sink);
/* The largest size received; 0 if nothing was. */
LODE_API uint32_t lode_sink_largest(const lode_sink *sink);
/* The hash of what a hash sink has received; 0 for any other sink. */
LODE_API uint64_t lode_sink_hash_value(const lode_sink *sink);
/* Bytes of text written so far. */
LODE_API uint64_t lode_sink_bytes(const lode_sink *sink);

/* ---- sinks for itemsets --------------------------------------------------------------------- */

/* What an engine hands to a sink: for every i < n and every subset S of `perfect`, the pattern
 * prefix + items[i] + S, with supports[i]. The empty prefix is allowed, the empty pattern is not
 * reported. Items as data.h says, in no particular order, no item twice. Lent for the call. */
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

/* Non-zero stops the job, which then returns LODE_STOPPED, and no other call follows. Called by the
 * thread that called lode, and by those that lode has started for the job: of one sink, one call at
 * a time, each of which sees what the ones before it wrote. None comes when lode_mine() has
 * returned. For what it may call, see "Callbacks" in lode.h. */
typedef int (*lode_batch_fn)(void *user, const lode_batch *batch);

/* Counts, and computes a hash of the whole result: the same for the same itemsets, by name, with
 * the same supports, in whatever order they come, on every machine. */
LODE_API LODE_NODISCARD lode_status lode_sink_hash(lode_job *job, lode_sink **out,
                                                   const lode_dataset *data);

/* Calls a function with every batch. */
LODE_API LODE_NODISCARD lode_status lode_sink_callback(lode_job *job, lode_sink **out,
                                                       lode_batch_fn function, void *user);

/* Writes text to a file; "-" is standard output. A regular file appears under its name only when
 * lode_sink_finish() has succeeded; until then it has another name in the same folder. What is
 * sorted is not written before lode_sink_finish(); what memory has no room for waits in a file
 * without a name in $TMPDIR, or in the same folder if that is not set. A file that exceeds the size
 * limit of the process is a write error, like a full disk, if the program ignores SIGXFSZ.
 * `options` may be NULL. */
LODE_API LODE_NODISCARD lode_status lode_sink_file(lode_job *job, lode_sink **out,
                                                   const lode_dataset *data, const char *path,
                                                   const lode_write_options *options);

/* The same text, byte for byte, handed to a function. lode_mine() calls it from the thread that
 * called lode or from threads that lode has started, whichever has something to write;
 * lode_sink_finish() and lode_sink_write() itself (for the title of csv) from the thread that
 * called them. It may ask how much the sink has received, and cancel jobs. If the
 * function asks to stop, now or earlier, lode_sink_finish() returns LODE_STOPPED.
 * With partial = true, and after a cancel, it gets what there is, as PATH.partial would. */
LODE_API LODE_NODISCARD lode_status lode_sink_write(lode_job *job, lode_sink **out,
                                                    const lode_dataset *data, lode_write_fn write,
                                                    void *user, const lode_write_options *options);

/* Keeps everything in memory; see lode_sink_result(). If the memory budget has no room for that,
 * nothing is kept, but the search goes on to its end, so that LODE_BUDGET comes with what it takes.
 */
LODE_API LODE_NODISCARD lode_status lode_sink_memory(lode_job *job, lode_sink **out);

/* A result in memory, by columns: pattern i has the items items[offsets[i]] …
 * items[offsets[i+1]-1], ascending, and the support supports[i]. offsets has n + 1 entries. Items
 * are what data.h says: the numbers of lode_dataset_from_arrays(), or else print them by
 * lode_dataset_item_name(). The arrays are an Arrow large-list as they stand. After
 * lode_sink_finish() they are ordered by size, then by items. */
typedef struct lode_result {
    size_t size;
    uint64_t n;
    const uint64_t *offsets;
    const uint32_t *items;
    const uint64_t *supports;
} lode_result;

/* Lends what a memory sink holds; all zero, and false, for any other sink. Not while a job runs. */
LODE_API bool lode_sink_result(const lode_sink *sink, lode_result *out);

/* What is known of the support of a set. */
typedef enum lode_known {
    LODE_KNOWN_EXACT = 0, /* this is it */
    LODE_KNOWN_AT_LEAST,  /* this, or more: the set is part of a maximal one */
    LODE_KNOWN_BELOW,     /* it does not reach the threshold of the search */
    LODE_KNOWN_NOT        /* nothing: see below */
} lode_known;

/* The support of any set of items, in any order, from what a memory sink holds: 0 unless it is
 * known, at least partly. What can be known depends on what was searched into the sink:
 *   all, top    every set of a size that was asked for
 *   closed      every set of min_size items or more, if there is no max_size: the support of a set
 *               is the highest of the closed sets that hold it
 *   maximal     likewise, but only whether a set reaches the threshold, and a lower bound
 *   anything    sets that are in the result; and the empty set, if one job was run
 * After a stopped job, one over a range of roots, one with constraints, or several jobs, only the
 * last row applies.
 * The first call builds an index, of about 12 to 24 bytes a pattern, and for closed and maximal 4
 * bytes an item of the patterns: in memory of the sink's job, until the sink is freed or receives
 * more. Any number of threads may ask at the same time, but not while a job runs into the sink.
 * `known` may be NULL. Errors: INVALID (another kind of sink), NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_result_support(const lode_sink *sink,
                                                        const uint32_t *items, size_t n,
                                                        uint64_t *support, lode_known *known);

/* The same for many: set i is items[offsets[i]] … items[offsets[i + 1] - 1]. Faster than one by
 * one, as lookups wait for memory together. */
LODE_API LODE_NODISCARD lode_status lode_result_supports(const lode_sink *sink, uint64_t n_sets,
                                                         const uint64_t *offsets,
                                                         const uint32_t *items, uint64_t *supports,
                                                         lode_known *known);

#ifdef __cplusplus
}
#endif
#endif
