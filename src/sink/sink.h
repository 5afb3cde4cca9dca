/* sink.h - sinks from inside: what an engine calls, and what a kind of sink provides
 *
 * An engine's thread opens a worker, emits batches into it and closes it. The worker counts by size
 * and applies the limits that hold for every kind (size, threshold, number of patterns), multiplies
 * out perfect extensions for kinds that want single patterns, and passes the rest on.
 *
 *     engine thread → sink_emit → [threshold, sizes, limit, counts] → kind's emit (text, memory, …)
 *
 * Workers never share anything on the way; what is shared (a file, the columns) is taken under the
 * sink's lock, once per block of output or when a worker closes. Totals have a lock of their own,
 * because a callback, which runs under the first, may ask for them, as may any other thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_SINK_H
#define LODE_SINK_SINK_H

#include "base/vec.h"
#include "runtime/job.h"
#include "sink/subsets.h"

typedef struct sink_worker sink_worker;

/* All frequent sets of some items at once: for every subset S of `items` that is not empty and has
 * supports[S] >= min, and every subset P of `perfect`, the pattern prefix + S + P. Subsets are
 * numbered by their bits. */
typedef struct sink_lattice {
    const uint32_t *prefix;
    uint32_t n_prefix;
    const uint32_t *perfect;
    uint32_t n_perfect;
    const uint32_t *items;
    uint32_t n_items;
    const uint32_t *supports; /* 2^n_items; that of the empty set is 0 */
    bool has_gaps;            /* a set may be wanted although a subset of it is not */
    uint32_t min;
    const uint64_t *sizes; /* how many of the subsets have i items, for i <= n_items */
} sink_lattice;

#define SINK_LATTICE_ITEMS 16

/* A kind of sink. Entries may be NULL. */
typedef struct sink_kind {
    size_t worker_bytes; /* size of the kind's worker, which starts with a sink_worker */
    LODE_NODISCARD lode_status (*open)(sink_worker *worker);
    /* Every pattern of the batch is wanted; n_perfect is 0. */
    LODE_NODISCARD lode_status (*emit)(sink_worker *worker, const lode_batch *batch);
    /* The same for a family: prefix + subset of perfect, with support supports[0], if n_items is 0;
     * all of a lattice otherwise. *done is false if it must be multiplied out. */
    LODE_NODISCARD lode_status (*emit_family)(sink_worker *worker, const sink_lattice *lattice,
                                              bool *done);
    /* Hands over what the worker holds; also after a failure, to free it. */
    LODE_NODISCARD lode_status (*close)(sink_worker *worker);
    LODE_NODISCARD lode_status (*finish)(lode_sink *sink, bool partial);
    void (*free)(lode_sink *sink); /* frees the sink itself, too */
} sink_kind;

/* What every pattern of a job keeps to. An engine that does not is broken: sink_emit says so with
 * LODE_INTERNAL instead of passing on what is wrong. */
typedef struct sink_bounds {
    uint64_t least, most; /* support */
    uint32_t longest;     /* items */
} sink_bounds;

/* What the patterns of a sink are, for lode_result_support(). */
typedef struct sink_origin {
    unsigned n_jobs;
    bool complete; /* one job, of all classes, that came to its end */
    lode_target target;
    uint32_t min_size, max_size;
    uint64_t threshold, total; /* as it was at the end; weight of all transactions */
} sink_origin;

struct lode_sink {
    const sink_kind *kind;
    lode_job *job;
    pthread_mutex_t lock;
    uint32_t min_size, max_size; /* patterns outside are dropped; set by sink_limit */
    const lode_dataset *data;    /* whose items a file or a hash is about; NULL: any */
    const uint32_t *numbers;     /* item by id, for what leaves lode; NULL: the ids themselves */
    pthread_mutex_t counts_lock; /* guards by_size; nothing is called under it */
    vec_u64 by_size;             /* patterns received, by size */
    _Atomic uint64_t patterns;   /* their sum, which fits */
    _Atomic uint64_t bytes;      /* of text written */
    bool counted;                /* what comes is a replay of what was counted */
    bool complete;               /* the output is closed: nothing more can come */
    _Atomic uint64_t room;       /* patterns the limit still allows; UINT64_MAX = no limit */
    sink_bounds bounds;          /* of what can be right; set by sink_expect */
    const char *path;            /* of the text, as it was given; NULL: there is none */
    bool beside;                 /* a file that gets its name in the end */
    bool hashes;                 /* lode_sink_hash_value() is one */
    sink_origin origin;          /* set by sink_note_job */
};

#define SINK_TALLY_SIZES 64

struct sink_worker {
    lode_sink *sink;
    /* Patterns with perfect extensions not yet multiplied out: by size, then by how many */
    uint64_t cubes[SINK_TALLY_SIZES * SINK_TALLY_SIZES];
    vec_u64 by_size;
    uint64_t patterns;      /* their sum */
    uint64_t unreported;    /* patterns not yet in the job's progress count */
    uint64_t left;          /* patterns still to accept of the batch that the limit cuts */
    vec_u32 items;          /* scratch for families */
    subsets multiplied;     /* scratch for batches that are multiplied out, and … */
    subsets split;          /* … for those that are first cut to pieces */
    vec_u32 lattice_prefix; /* scratch for lattices that are multiplied out */
    vec_u32 outside;        /* scratch for batches in items instead of ids */
};

/* For kinds: sets up the common part. */
void sink_init(lode_sink *sink, const sink_kind *kind, lode_job *job);
void sink_clear(lode_sink *sink);

/* For kinds that show items to the program: the batch in items instead of ids, lent until the next
 * call. Only data sets of large numbers have a difference. */
LODE_NODISCARD lode_status sink_translate(sink_worker *worker, const lode_batch *batch,
                                          lode_batch *out);

/* For lode_mine: the data set that patterns come from, from now on; NULL at the end. */
void sink_set_data(lode_sink *sink, const lode_dataset *data);

/* For lode_mine: which sizes are wanted. */
void sink_limit(lode_sink *sink, uint32_t min_size, uint32_t max_size);

/* For lode_mine: how many patterns are wanted; UINT64_MAX = all. Whatever comes after them is
 * dropped and stops the job. */
void sink_limit_patterns(lode_sink *sink, uint64_t most);

/* For lode_mine: the bounds of the job's patterns; NULL = none are known. */
void sink_expect(lode_sink *sink, const sink_bounds *bounds);

/* For lode_mine: puts what the sink has into the report of its job, if that is about it. */
LODE_NODISCARD lode_status sink_report(const lode_sink *sink);
/* For lode_mine: what a job has put into the sink; n_jobs is not looked at. */
void sink_note_job(lode_sink *sink, const sink_origin *origin);

/* For engines. A worker belongs to one thread. */
LODE_NODISCARD lode_status sink_open_worker(lode_sink *sink, sink_worker **out);
LODE_NODISCARD lode_status sink_emit(sink_worker *worker, const lode_batch *batch);
/* A lattice as a whole. */
LODE_NODISCARD lode_status sink_emit_lattice(sink_worker *worker, const sink_lattice *lattice);
/* As sink_emit, for patterns that passed the threshold when they were found: for replays. */
LODE_NODISCARD lode_status sink_emit_settled(sink_worker *worker, const lode_batch *batch);
/* Whether the numbers of patterns by size are all that the sink keeps, and no limit asks which come
 * first: then an engine may count them itself, and hand over the numbers. */
bool sink_takes_numbers(lode_sink *sink);
/* Takes tally[size * SINK_TALLY_SIZES + free] patterns of so many items: each for all its unions
 * with some of the free items, or, with `whole`, for the one with all of them. */
LODE_NODISCARD lode_status sink_add_tally(sink_worker *worker, const uint64_t *tally, bool whole);
/* Frees the worker; NULL is fine. */
LODE_NODISCARD lode_status sink_close_worker(sink_worker *worker);

#endif
