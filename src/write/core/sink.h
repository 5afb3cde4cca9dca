/* sink.h - the base of all sinks: counts, limits, finishing; independent of the kind of pattern
 *
 *     miner → emit of a kind of pattern (itemsets, graphs) → emit of a kind of sink (text, …)
 *                          └── sink_count_patterns, sink_take_room, sink_progress
 *
 * A miner's thread opens a worker, emits patterns into the worker and closes it. Workers share
 * nothing while they emit. The sink's lock guards the shared output (a file, columns); it is taken
 * once per block of output, or when a worker closes. Totals have a second lock, because a callback
 * runs under the first lock and may read the totals, as may any other thread.
 *
 * Add:   for a kind of sink, write a sink_kind. For a kind of pattern, add a pointer to sink_kind,
 *        a lode_pattern_kind and a folder.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_H
#define LODE_WRITE_CORE_SINK_H

#include "base/vec.h"
#include "runtime/job.h"

typedef struct sink_worker sink_worker;

/* How a kind of sink handles each kind of pattern. */
struct item_ops;  /* write/itemsets/item_sink.h */
struct graph_ops; /* write/graphs/graph_sink.h */
struct rule_ops;  /* write/rules/rule_sink.h */

struct item_filter;    /* write/itemsets/item_filter.h */
struct group_contrast; /* groups/contrast.h */
struct class_columns;  /* write/core/class_columns.h */

/* A kind of sink. Entries may be NULL. */
typedef struct sink_kind {
    size_t bytes;                    /* size of the sink struct, which starts with a lode_sink */
    const struct item_ops *itemsets; /* NULL = the sink does not accept itemsets */
    const struct graph_ops *graphs;  /* NULL = the sink does not accept graphs */
    const struct rule_ops *rules;    /* NULL = the sink does not accept rules */
    /* the sink accepts all kinds of patterns, and only counts them */
    bool counts_only;
    LODE_NODISCARD lode_status (*finish)(lode_sink *sink, bool partial);
    /* whether finish() uses one thread; NULL = always */
    bool (*finishes_alone)(const lode_sink *sink);
    void (*free)(lode_sink *sink);           /* frees its members, not the sink itself */
    uint64_t (*hash)(const lode_sink *sink); /* returns the hash of the patterns received */
    uint64_t (*lost)(const lode_sink *sink); /* see sink_memory_lost */
    /* Drops all patterns received, as if the sink was new. NULL = only counting sinks can be
     * emptied. */
    LODE_NODISCARD lode_status (*empty)(lode_sink *sink);
    /* Returns whether the sink can be emptied. NULL = always. */
    bool (*can_empty)(const lode_sink *sink);
} sink_kind;

/* Bounds that hold for every pattern of a job. A pattern outside of the bounds is a bug of the
 * miner, and emitting it fails with LODE_INTERNAL. */
typedef struct sink_bounds {
    uint64_t least, most; /* support */
    uint32_t longest;     /* size */
} sink_bounds;

/* The origin of a sink's patterns. It says what can be concluded about sets that are not in the
 * sink. */
typedef struct sink_origin {
    unsigned n_jobs;
    bool ended;    /* every job ran to its end */
    bool complete; /* there was one job, over all roots, and it ran to its end */
    lode_target target;
    uint32_t min_size, max_size;
    uint64_t threshold; /* the threshold at the end of the search */
    uint64_t total;     /* weight of all transactions */
    char tested[128];   /* how the patterns were tested for significance; "" = they were not */
} sink_origin;

struct lode_sink {
    const sink_kind *kind;
    lode_job *job;
    pthread_mutex_t lock;
    const void *data;            /* the only data set whose patterns the sink accepts; NULL = any */
    const void *mined;           /* the data set that is being mined into the sink; NULL = none */
    sink_origin origin;          /* of the patterns received */
    uint32_t min_size, max_size; /* patterns of other sizes are dropped */
    sink_bounds bounds;
    const struct item_filter *filter; /* selects itemsets; NULL = all */
    struct verifier *verify; /* counts patterns again (data/transactions/verify.h); NULL = none */
    struct group_contrast *contrast;      /* it writes how classes differ; NULL = there are none */
    const struct class_columns *by_class; /* the same as columns in memory; NULL = none */
    bool measured; /* it computes measures from the supports of the items of its data set */
    /* number of patterns that the limit still allows; UINT64_MAX = no limit */
    _Atomic uint64_t room;
    pthread_mutex_t counts_lock; /* guards by_size; no function is called under it */
    vec_u64 by_size;             /* number of patterns received, by size */
    _Atomic uint64_t patterns;   /* sum of by_size; never overflows */
    bool counted; /* patterns are replayed: they were counted before, and are not counted again */
    /* the sink is part of another sink, which counts patterns for the progress report */
    bool nested;
    bool complete;            /* the output is closed, and no more patterns can come */
    bool written_late;        /* patterns were kept, and are written at the end */
    _Atomic uint64_t written; /* number of kept patterns written, to report an interrupted write */
    /* number of patterns found and counted, but not passed on, because the job was cancelled */
    uint64_t withheld;
    double rush, rush_until; /* see sink_rush() */
    bool in_order;           /* patterns come in a requested order, which must be kept */
    const lode_sink *inner;  /* the sink that gets all patterns from this sink; NULL = none */
    _Atomic uint64_t bytes;  /* bytes of text written */
    const char *path;        /* path of the text, as given; NULL = none */
    bool temporary;          /* the file has another name, until finish renames it */
};

struct sink_worker {
    lode_sink *sink;
    size_t bytes; /* size of the worker struct */
    /* the function for the worker's kind of pattern */
    LODE_NODISCARD lode_status (*close)(sink_worker *);
    uint32_t part; /* the sampled part of a search that patterns come from: engine_sample */
    vec_u64 by_size;
    uint64_t patterns;   /* the sum of by_size */
    uint64_t unreported; /* number of patterns not yet in the job's progress count */
};

/* ---- for the job ----------------------------------------------------------------------------- */

/* Returns OK if the sink accepts patterns of this kind, found in `data` by `job`; otherwise
 * INVALID, with a message. */
LODE_NODISCARD lode_status sink_check(const lode_sink *sink, lode_job *job,
                                      lode_pattern_kind patterns, const void *data);
/* Sets the data set that is mined; NULL at the end. */
void sink_set_data(lode_sink *sink, const void *data);
/* Sets the sizes to accept; 0 = no limit. */
void sink_limit(lode_sink *sink, uint32_t min_size, uint32_t max_size);
/* Sets how many patterns to accept; UINT64_MAX = all. Any further pattern is dropped and stops the
 * job. */
void sink_limit_patterns(lode_sink *sink, uint64_t most);
/* Sets the bounds of the job's patterns; NULL = unknown. */
void sink_expect(lode_sink *sink, const sink_bounds *bounds);
/* Records the origin of patterns from a job. Ignores origin->n_jobs. */
void sink_note_job(lode_sink *sink, const sink_origin *origin);
/* Selects the itemsets to accept; lent until it is replaced. NULL = all. */
void sink_set_filter(lode_sink *sink, const struct item_filter *filter);
/* Drops all patterns received from a search that restarts. All workers must be closed. Must not be
 * called before a job was recorded. Errors: IO. */
LODE_NODISCARD lode_status sink_empty(lode_sink *sink);
/* Returns whether sink_empty() is possible. */
bool sink_can_empty(const lode_sink *sink);
/* Adds the sink's figures to the report of its job, if the report is about a run into this sink. */
LODE_NODISCARD lode_status sink_report(const lode_sink *sink);
/* Returns the bytes that a result in memory would have taken, if the result did not fit into the
 * budget. Returns 0 if it did fit, or if the sink keeps no result in memory. */
uint64_t sink_memory_lost(const lode_sink *sink);
/* Returns how many of the patterns received are not in the output because writing was
 * interrupted. */
uint64_t sink_unwritten(const lode_sink *sink);

/* ---- for kinds of sinks ---------------------------------------------------------------------- */

/* Makes a sink of kind->bytes bytes. The bytes after the lode_sink are zero. Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status sink_create(lode_job *job, const sink_kind *kind, lode_sink **out);

/* Returns a stop function that ends a sort when the job is cancelled or restarts. A limit does not
 * end a sort: the limit has ended the search, but the patterns found must still be sorted. */
sort_stop sink_sort_stop(lode_job *job);

/* Returns a stop function for writing a kept result. After a cancel, writing continues for a
 * moment, and longer if the program asked for a partial result (`partial`). The moment begins at
 * the first call. Only one thread may call the stop function at a time. */
sort_stop sink_rush(lode_sink *sink, bool partial);

/* Counts n of the kept patterns as written. Any thread may call it. */
static inline void sink_note_written(lode_sink *sink, uint64_t n) {
    atomic_fetch_add_explicit(&sink->written, n, memory_order_relaxed);
}

/* Must be called after each callback of the program. The caller must hold the lock. Records whether
 * the program wants to stop, and returns the status for emitting. */
LODE_NODISCARD lode_status sink_called(lode_sink *sink, bool stop);

/* ---- for kinds of patterns ------------------------------------------------------------------- */

/* Makes a worker of this many bytes. The bytes after the sink_worker are zero. */
LODE_NODISCARD lode_status sink_worker_create(lode_sink *sink, size_t bytes, sink_worker **out);

/* Ensures that there is a counter for a size. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_reach_size(mem *m, vec_u64 *by_size, uint64_t size);
/* Returns UNSUPPORTED, with a message that there are 2^64 patterns or more. */
lode_status sink_too_many(lode_job *job);

static inline LODE_NODISCARD lode_status sink_count_patterns(sink_worker *w, uint64_t size,
                                                             uint64_t n) {
    if (w->by_size.n <= size) {
        lode_status status = sink_reach_size(&w->sink->job->mem, &w->by_size, size);
        if (status != LODE_OK) return status;
    }
    if (__builtin_add_overflow(w->patterns, n, &w->patterns)) return sink_too_many(w->sink->job);
    w->by_size.data[size] += n;
    return LODE_OK;
}

static inline bool sink_is_limited(const lode_sink *sink) {
    return atomic_load_explicit(&sink->room, memory_order_relaxed) != UINT64_MAX;
}

/* Reserves up to `wanted` of the patterns that the limit still allows, and returns how many were
 * reserved. */
uint64_t sink_take_room(lode_sink *sink, uint64_t wanted);

/* Adds n patterns to the job's progress count, in steps of at least `every`, because all threads
 * share the counter. Replayed patterns were added before. */
static inline void sink_progress(sink_worker *w, uint64_t n, uint64_t every) {
    w->unreported += n;
    if (w->unreported < every || w->sink->counted) return;
    atomic_fetch_add_explicit(&w->sink->job->at.patterns, w->unreported, memory_order_relaxed);
    w->unreported = 0;
}

/* ---- for miners ------------------------------------------------------------------------------ */

/* Passes on the patterns that the worker holds, and frees the worker, even after a failure.
 * `worker` may be NULL. */
LODE_NODISCARD lode_status sink_close_worker(sink_worker *worker);

#endif
