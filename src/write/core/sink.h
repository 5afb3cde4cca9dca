/* sink.h - the base of all sinks: counts, limits, finishing; independent of the kind of pattern
 *
 *     miner → emit of a kind of pattern (itemsets, graphs) → emit of a kind of sink (text, …)
 *                          └── sink_count_patterns, sink_take_room, sink_progress
 *
 * A miner's thread opens a worker, emits patterns into it and closes it. Workers share nothing
 * while they emit; the sink's lock guards what is shared (a file, columns), and is taken once per
 * block of output or when a worker closes. Totals have their own lock: a callback runs under the
 * first lock and may read them, as may any other thread.
 *
 * Add:   a kind of sink is one sink_kind. A kind of pattern is one more pointer in sink_kind, one
 *        more lode_pattern_kind and one more folder.
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

struct item_filter; /* write/itemsets/item_filter.h */

/* A kind of sink. Entries may be NULL. */
typedef struct sink_kind {
    size_t bytes;                    /* of the sink struct, which starts with a lode_sink */
    const struct item_ops *itemsets; /* NULL = does not accept itemsets … */
    const struct graph_ops *graphs;  /* … graphs … */
    const struct rule_ops *rules;    /* … rules … */
    bool counts_only;                /* … but with this set, it accepts anything, and counts it */
    LODE_NODISCARD lode_status (*finish)(lode_sink *sink, bool partial);
    bool (*finishes_alone)(const lode_sink *sink); /* on one thread; NULL = always */
    void (*free)(lode_sink *sink);                 /* frees its members, not the sink itself */
    uint64_t (*hash)(const lode_sink *sink);       /* of what was received */
    uint64_t (*lost)(const lode_sink *sink);       /* see sink_memory_lost */
    /* empty: drops what was received, as if the sink was new; NULL = only counting sinks can.
     * The next one: whether that is possible; NULL = yes. */
    LODE_NODISCARD lode_status (*empty)(lode_sink *sink);
    bool (*can_empty)(const lode_sink *sink);
} sink_kind;

/* Bounds that hold for every pattern of a job. A pattern outside is a bug of the miner: emitting it
 * fails with LODE_INTERNAL. */
typedef struct sink_bounds {
    uint64_t least, most; /* support */
    uint32_t longest;     /* size */
} sink_bounds;

/* What a sink's patterns tell about sets that are not among them. */
typedef struct sink_origin {
    unsigned n_jobs;
    bool ended;    /* every job ran to its end */
    bool complete; /* one job, over all roots, that ran to its end */
    lode_target target;
    uint32_t min_size, max_size;
    uint64_t threshold; /* at the end of the search */
    uint64_t total;     /* weight of all transactions */
} sink_origin;

struct lode_sink {
    const sink_kind *kind;
    lode_job *job;
    pthread_mutex_t lock;
    const void *data;            /* the only data set it accepts patterns of; NULL = any */
    const void *mined;           /* the data set being mined into it; NULL = none */
    sink_origin origin;          /* of the patterns received */
    uint32_t min_size, max_size; /* patterns of other sizes are dropped */
    sink_bounds bounds;
    const struct item_filter *filter; /* selects itemsets; NULL = all */
    _Atomic uint64_t room;            /* patterns the limit still allows; UINT64_MAX = no limit */
    pthread_mutex_t counts_lock;      /* guards by_size; nothing is called under it */
    vec_u64 by_size;                  /* patterns received, by size */
    _Atomic uint64_t patterns;        /* sum of by_size; never overflows */
    bool counted;      /* patterns are replayed and were counted before: do not count */
    bool nested;       /* part of another sink, which counts for the progress report */
    bool complete;     /* the output is closed: nothing more can come */
    bool written_late; /* patterns were kept, and are written at the end; this many of them … */
    _Atomic uint64_t written; /* … so that an interrupted write can be reported */
    uint64_t withheld;        /* found and counted, but not passed on: the job was cancelled */
    double rush, rush_until;  /* see sink_rush() */
    bool in_order;            /* patterns come in a requested order: keep it */
    const lode_sink *inner;   /* the sink that everything is passed on to; NULL = none */
    _Atomic uint64_t bytes;   /* of text written */
    const char *path;         /* of the text, as given; NULL = none */
    bool temporary;           /* a file under another name, renamed by finish */
};

struct sink_worker {
    lode_sink *sink;
    size_t bytes;                                       /* of the worker struct */
    LODE_NODISCARD lode_status (*close)(sink_worker *); /* of its kind of pattern */
    uint32_t part; /* the sampled part of a search that patterns come from: engine_sample */
    vec_u64 by_size;
    uint64_t patterns;   /* their sum */
    uint64_t unreported; /* patterns not yet in the job's progress count */
};

/* ---- for the job ---------------------------------------------------------------------------- */

/* Whether the sink accepts patterns of this kind, found in `data` by `job`; otherwise INVALID, with
 * a message. */
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
/* Drops what the sink received from a search that restarts, when all workers are closed; returns
 * whether it can. Not before a job was recorded. Errors: IO. */
LODE_NODISCARD lode_status sink_empty(lode_sink *sink);
bool sink_can_empty(const lode_sink *sink);
/* Adds the sink's figures to the report of its job, if that is about a run into this sink. */
LODE_NODISCARD lode_status sink_report(const lode_sink *sink);
/* Bytes that a result in memory would have taken, if it did not fit into the budget; 0 = it did, or
 * the sink keeps nothing in memory. */
uint64_t sink_memory_lost(const lode_sink *sink);
/* Patterns received but not in the output, because writing was interrupted. */
uint64_t sink_unwritten(const lode_sink *sink);

/* ---- for kinds of sinks --------------------------------------------------------------------- */

/* Makes a sink of kind->bytes, zero after the lode_sink. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_create(lode_job *job, const sink_kind *kind, lode_sink **out);

/* Ends a sort when the job is cancelled, or restarts. A limit does not: it has already ended the
 * search, and what was found is still sorted. */
sort_stop sink_sort_stop(lode_job *job);

/* The stop function while a kept result is written: after a cancel, writing continues for a moment,
 * longer if the program asked for what there is (`partial`). The moment begins at the first call.
 * One thread at a time. */
sort_stop sink_rush(lode_sink *sink, bool partial);

/* Counts n more patterns as written, of those written at the end. Any thread. */
static inline void sink_note_written(lode_sink *sink, uint64_t n) {
    atomic_fetch_add_explicit(&sink->written, n, memory_order_relaxed);
}

/* Call it after a callback of the program, under the lock: records whether the program wants to
 * stop, and returns the status for emitting. */
LODE_NODISCARD lode_status sink_called(lode_sink *sink, bool stop);

/* ---- for kinds of patterns ------------------------------------------------------------------ */

/* Makes a worker of this many bytes, zero after the sink_worker. */
LODE_NODISCARD lode_status sink_worker_create(lode_sink *sink, size_t bytes, sink_worker **out);

/* Ensures that there is a counter for a size. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_reach_size(mem *m, vec_u64 *by_size, uint64_t size);
/* Fails with UNSUPPORTED: there are 2^64 patterns or more. */
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

/* Reserves up to `wanted` of the patterns that the limit still allows; returns how many. */
uint64_t sink_take_room(lode_sink *sink, uint64_t wanted);

/* Adds n patterns to the job's progress count, in steps of `every` to spare the shared counter. */
static inline void sink_progress(sink_worker *w, uint64_t n, uint64_t every) {
    w->unreported += n;
    if (w->unreported < every) return;
    atomic_fetch_add_explicit(&w->sink->job->at.patterns, w->unreported, memory_order_relaxed);
    w->unreported = 0;
}

/* ---- for miners ----------------------------------------------------------------------------- */

/* Passes on what the worker holds, and frees it, even after a failure. NULL does nothing. */
LODE_NODISCARD lode_status sink_close_worker(sink_worker *worker);

#endif
