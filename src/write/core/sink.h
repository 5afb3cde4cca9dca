/* sink.h - the front of all sinks: counts, limits, finishing; it knows no kind of pattern
 *
 *     miner → emit of a kind of pattern (itemsets, graphs) → emit of a kind of sink (text, …)
 *                          └── sink_count_patterns, sink_take_room, sink_progress
 *
 * A miner's thread opens a worker, emits patterns into it and closes it. Workers share nothing on
 * the way; what is shared (a file, columns) is taken under the sink's lock, once per block of
 * output or when a worker closes. Totals have a lock of their own: a callback runs under the
 * first lock and may ask for them, as may any other thread.
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

/* What a kind of sink does with a kind of pattern. */
struct item_ops;  /* write/itemsets/item_sink.h */
struct graph_ops; /* write/graphs/graph_sink.h */
struct rule_ops;  /* write/rules/rule_sink.h */

struct item_filter; /* write/itemsets/item_filter.h */

/* A kind of sink. Entries may be NULL. */
typedef struct sink_kind {
    size_t bytes;                    /* of the sink, which starts with a lode_sink */
    const struct item_ops *itemsets; /* NULL: it takes no itemsets … */
    const struct graph_ops *graphs;  /* … no graphs … */
    const struct rule_ops *rules;    /* … no rules … */
    bool counts_only;                /* … but if this is set, it takes anything, and counts it */
    LODE_NODISCARD lode_status (*finish)(lode_sink *sink, bool partial);
    bool (*finishes_alone)(const lode_sink *sink); /* by one thread; NULL: so does every sink */
    void (*free)(lode_sink *sink);                 /* what the kind holds, not the sink itself */
    uint64_t (*hash)(const lode_sink *sink);       /* of what was received */
    uint64_t (*lost)(const lode_sink *sink);       /* see sink_memory_lost */
    /* Drops what was received, as if the sink had just been made; NULL: only a sink that counts
     * can. Whether that is possible; NULL: it is. */
    LODE_NODISCARD lode_status (*empty)(lode_sink *sink);
    bool (*can_empty)(const lode_sink *sink);
} sink_kind;

/* Bounds of every pattern of a job. A miner that exceeds them is broken: emitting such a pattern
 * fails with LODE_INTERNAL. */
typedef struct sink_bounds {
    uint64_t least, most; /* support */
    uint32_t longest;     /* size */
} sink_bounds;

/* Where the patterns of a sink come from: what can be said of sets that are not among them. */
typedef struct sink_origin {
    unsigned n_jobs;
    bool ended;    /* every job came to its end */
    bool complete; /* one job, of all roots, that came to its end */
    lode_target target;
    uint32_t min_size, max_size;
    uint64_t threshold; /* as it was at the end */
    uint64_t total;     /* weight of all transactions */
} sink_origin;

struct lode_sink {
    const sink_kind *kind;
    lode_job *job;
    pthread_mutex_t lock;
    const void *data;            /* the only data set whose patterns it takes; NULL: any */
    const void *mined;           /* the data set whose patterns come now; NULL: none */
    sink_origin origin;          /* of those that came */
    uint32_t min_size, max_size; /* patterns outside are dropped */
    sink_bounds bounds;
    const struct item_filter *filter; /* which itemsets are wanted; NULL: all */
    _Atomic uint64_t room;            /* patterns the limit still allows; UINT64_MAX = no limit */
    pthread_mutex_t counts_lock;      /* guards by_size; nothing is called under it */
    vec_u64 by_size;                  /* patterns received, by size */
    _Atomic uint64_t patterns;        /* sum of by_size; never overflows */
    bool counted;      /* patterns are replayed and were counted before: do not count */
    bool nested;       /* in another sink, which counts for the progress report */
    bool complete;     /* the output is closed: nothing more can come */
    bool written_late; /* patterns were kept, and are written at the end: so many of them … */
    _Atomic uint64_t written; /* … that it shows if the writing is interrupted */
    uint64_t withheld;        /* found and counted, but never handed over: the job was cancelled */
    double rush, rush_until;  /* see sink_rush() */
    bool in_order;            /* patterns come in an order that was asked for: keep it */
    const lode_sink *inner;   /* the sink that everything is passed on to; NULL: none */
    _Atomic uint64_t bytes;   /* of text written */
    const char *path;         /* of the text, as it was given; NULL: there is none */
    bool temporary;           /* a file written under another name, renamed by finish */
};

struct sink_worker {
    lode_sink *sink;
    size_t bytes;                                       /* of the worker, which starts with this */
    LODE_NODISCARD lode_status (*close)(sink_worker *); /* of its kind of pattern */
    uint32_t part; /* of a search at random, where patterns come from: engine_sample */
    vec_u64 by_size;
    uint64_t patterns;   /* their sum */
    uint64_t unreported; /* patterns not yet in the job's progress count */
};

/* ---- for the job ---------------------------------------------------------------------------- */

/* Whether the sink can take patterns of this kind, found in `data` by `job`; else INVALID, with a
 * message. */
LODE_NODISCARD lode_status sink_check(const lode_sink *sink, lode_job *job,
                                      lode_pattern_kind patterns, const void *data);
/* The data set that patterns come from, from now on; NULL at the end. */
void sink_set_data(lode_sink *sink, const void *data);
/* Which sizes are wanted; 0 = no limit. */
void sink_limit(lode_sink *sink, uint32_t min_size, uint32_t max_size);
/* How many patterns are wanted; UINT64_MAX = all. Whatever comes after them is dropped and stops
 * the job. */
void sink_limit_patterns(lode_sink *sink, uint64_t most);
/* The bounds of the job's patterns; NULL = none are known. */
void sink_expect(lode_sink *sink, const sink_bounds *bounds);
/* Notes what a job has put into the sink. Ignores origin->n_jobs. */
void sink_note_job(lode_sink *sink, const sink_origin *origin);
/* Which itemsets are wanted of those that come; lent until it is replaced. NULL = all. */
void sink_set_filter(lode_sink *sink, const struct item_filter *filter);
/* Drops what the sink has received from a search that begins again, when all workers are closed;
 * whether it can. Not before a job has been noted. Errors: IO. */
LODE_NODISCARD lode_status sink_empty(lode_sink *sink);
bool sink_can_empty(const lode_sink *sink);
/* Puts what the sink has into the report of its job, if the report is about a run into this
 * sink. */
LODE_NODISCARD lode_status sink_report(const lode_sink *sink);
/* Bytes that a result in memory would have taken, if the budget had no room for it; 0: it had, or
 * the sink keeps nothing in memory. */
uint64_t sink_memory_lost(const lode_sink *sink);
/* Patterns that were received and are not in the output, because its writing was interrupted. */
uint64_t sink_unwritten(const lode_sink *sink);

/* ---- for kinds of sinks --------------------------------------------------------------------- */

/* Makes a sink of kind->bytes, of which all after the lode_sink is zero. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_create(lode_job *job, const sink_kind *kind, lode_sink **out);

/* Ends a sort when the job is cancelled, or begins again. A limit has ended the search by now, and
 * does not end the sorting of what it left. */
sort_stop sink_sort_stop(lode_job *job);

/* What is asked while a result that was kept is written: after a cancel, writing goes on for a
 * moment, longer if the program has asked for what there is (`partial`). The moment begins when it
 * is first asked. One thread at a time. */
sort_stop sink_rush(lode_sink *sink, bool partial);

/* Of patterns that are written at the end, so many more were written. Threads: any. */
static inline void sink_note_written(lode_sink *sink, uint64_t n) {
    atomic_fetch_add_explicit(&sink->written, n, memory_order_relaxed);
}

/* For callbacks of the program, under the lock: notes whether the program wants to stop, and
 * returns what emitting returns. */
LODE_NODISCARD lode_status sink_called(lode_sink *sink, bool stop);

/* ---- for kinds of patterns ------------------------------------------------------------------ */

/* Makes a worker of this many bytes, of which all after the sink_worker is zero. */
LODE_NODISCARD lode_status sink_worker_create(lode_sink *sink, size_t bytes, sink_worker **out);

/* Makes sure that there is a count for a size. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_reach_size(mem *m, vec_u64 *by_size, uint64_t size);
/* There are 2^64 patterns or more: UNSUPPORTED. */
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

/* Adds n patterns to the job's progress count; updates the shared count once `every` have
 * gathered. */
static inline void sink_progress(sink_worker *w, uint64_t n, uint64_t every) {
    w->unreported += n;
    if (w->unreported < every) return;
    atomic_fetch_add_explicit(&w->sink->job->at.patterns, w->unreported, memory_order_relaxed);
    w->unreported = 0;
}

/* ---- for miners ----------------------------------------------------------------------------- */

/* Hands over what the worker holds, and frees it, also after a failure. NULL is fine. */
LODE_NODISCARD lode_status sink_close_worker(sink_worker *worker);

#endif
