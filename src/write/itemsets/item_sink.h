/* item_sink.h - sinks for itemsets: functions for engines, and the interface of a kind
 *
 * An engine's thread opens a worker, emits batches into the worker and closes it. The worker
 * applies the limits that all sinks have (threshold, sizes, number of patterns), and counts
 * patterns by size. It multiplies out perfect extensions for kinds that need single patterns, and
 * passes the accepted patterns on.
 *
 *     engine thread → sink_emit → [filter, threshold, limit, counts, sizes] → kind's emit (text, …)
 *
 * Files: item_sink.c (this, and lattices); item_count.h (how many patterns a batch stands for);
 *        item_filter.h (constraints that the search does not apply).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_SINK_H
#define LODE_WRITE_ITEMSETS_ITEM_SINK_H

#include "base/vec.h"
#include "data/transactions/dataset.h"
#include "data/transactions/verify.h"
#include "write/core/sink.h"
#include "write/itemsets/item_filter.h"

/* ---- a prefix combined with each subset of some items ---------------------------------------- */

/* Subsets are visited as binary numbers in ascending order. So small subsets of the first items
 * come first, and most items stay in place from one subset to the next. Subsets of other sizes are
 * skipped without visiting them:
 *
 *     two or three of 0 1 2 3     10 20 21 210 30 31 310 32 320 321     the last digit is on top
 *
 * The code is a loop, not a recursion, because there may be as many items as a transaction has. */

typedef struct subsets {
    vec_u32 items;        /* the prefix, then the subset */
    vec_u32 chosen;       /* positions of the subset, descending */
    const uint32_t *from; /* n items to choose from; lent */
    uint32_t n, least, most;
} subsets;

void subsets_free(subsets *s, mem *m);

/* Begins with the first subset of at least `least` and at most `most` of n items. *any becomes
 * false if there is no such subset. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status subsets_start(subsets *s, mem *m, const uint32_t *prefix,
                                         uint32_t n_prefix, bool *any);
/* ---- steps: inline, because the work for a subset is small ----------------------------------- */

static inline void subsets_push(subsets *s, uint32_t place) {
    s->chosen.data[s->chosen.n++] = place;
    s->items.data[s->items.n++] = s->from[place];
}

static inline uint32_t subsets_pop(subsets *s) {
    s->items.n--;
    return s->chosen.data[--s->chosen.n];
}

static inline bool subsets_has_on_top(const subsets *s, uint32_t place) {
    return s->chosen.n > 0 && s->chosen.data[s->chosen.n - 1] == place;
}

/* Adds the first items until the subset has `least` items, which gives the next binary number with
 * `least` ones. After the carry, the number ends in more zeros than ones are missing. */
static inline void subsets_fill(subsets *s) {
    for (size_t missing = s->least; missing > s->chosen.n;) {
        subsets_push(s, (uint32_t)(missing - s->chosen.n - 1));
    }
}

/* Moves to the next subset. Returns false at the end. */
static inline bool subsets_next(subsets *s) {
    uint32_t place = s->chosen.n < s->most ? 0 : s->most > 0 ? subsets_pop(s) + 1 : s->n;
    for (; subsets_has_on_top(s, place); place++) subsets_pop(s);
    if (place >= s->n) return false;
    subsets_push(s, place);
    subsets_fill(s);
    return true;
}

/* ---- the sink -------------------------------------------------------------------------------- */

/* All frequent sets of some items at once (a family): the patterns prefix + S + P, for every subset
 * S of `items` that is not empty and has supports[S] >= min, and for every subset P of `perfect`.
 * Subsets are numbered by their bits. */
typedef struct sink_lattice {
    const uint32_t *prefix;
    uint32_t n_prefix;
    const uint32_t *perfect;
    uint32_t n_perfect;
    const uint32_t *items;
    uint32_t n_items;
    const uint32_t *supports; /* 2^n_items supports; the support of the empty set is 0 */
    /* the family is not downward closed: a set may be accepted while one of its subsets is not */
    bool has_gaps;
    uint32_t min;
    const uint64_t *sizes; /* number of subsets with i items, for i <= n_items */
} sink_lattice;

#define SINK_LATTICE_ITEMS 16

/* How a kind of sink handles itemsets. Entries may be NULL; without `emit`, patterns are only
 * counted. */
typedef struct item_ops {
    size_t worker_bytes; /* size of the kind's worker, which starts with an item_worker */
    LODE_NODISCARD lode_status (*open)(sink_worker *worker);
    /* Takes every pattern of the batch, whose n_perfect is 0. */
    LODE_NODISCARD lode_status (*emit)(sink_worker *worker, const lode_batch *batch);
    /* Takes a family. If n_items is 0, the family is prefix + each subset of `perfect`, with the
     * support supports[0]; otherwise it is the whole lattice. *done becomes false if the caller
     * must multiply the family out. */
    LODE_NODISCARD lode_status (*emit_family)(sink_worker *worker, const sink_lattice *lattice,
                                              bool *done);
    /* For kinds that count by themselves, instead of `emit`: receives batches as the engine emits
     * them, including perfect extensions, and even if the threshold has risen. */
    LODE_NODISCARD lode_status (*take)(sink_worker *worker, const lode_batch *batch);
    /* For these kinds, instead of `emit_family`: receives lattices as the engine emits them. */
    LODE_NODISCARD lode_status (*take_lattice)(sink_worker *worker, const sink_lattice *lattice);
    /* Passes on the patterns that the worker holds, and frees its memory, even after a failure. */
    LODE_NODISCARD lode_status (*close)(sink_worker *worker);
} item_ops;

#define SINK_TALLY_SIZES 64

/* The common part of workers for itemsets. */
typedef struct item_worker {
    sink_worker base;
    const item_ops *ops;
    /* Tally of patterns whose perfect extensions are not multiplied out yet: by size, then by the
     * number of these extensions. */
    uint64_t noted[SINK_TALLY_SIZES * SINK_TALLY_SIZES];
    /* number of patterns still accepted from the batch in which the limit is reached */
    uint64_t left;
    vec_u32 items;          /* scratch for families */
    subsets multiplied;     /* scratch for batches that are multiplied out */
    subsets split;          /* scratch for batches that are first divided into pieces */
    vec_u32 lattice_prefix; /* scratch for lattices that are multiplied out */
    vec_u32 outside;        /* scratch for batches in items instead of ids */
    filter_scratch filtered;
    subsets unbounded; /* scratch for batches that are multiplied out to compute measures */
    vec_u32 bounded;   /* the items of a batch whose patterns meet the bounds of measures, … */
    vec_u64 bounded_supports; /* … and their supports */
    measure_scratch measured;
    verify_batch unverified;
} item_worker;

/* Opens a worker for an engine. A worker belongs to one thread, and must be closed with
 * sink_close_worker(). */
LODE_NODISCARD lode_status sink_open_worker(lode_sink *sink, sink_worker **out);
/* Emits a batch into a worker. */
LODE_NODISCARD lode_status sink_emit(sink_worker *worker, const lode_batch *batch);
/* Emits a complete lattice. */
LODE_NODISCARD lode_status sink_emit_lattice(sink_worker *worker, const sink_lattice *lattice);
/* Adds the pattern that consists only of the filter's fixed items. Called outside of a search,
 * without a worker. */
LODE_NODISCARD lode_status sink_add_fixed(lode_sink *sink, uint64_t support);
/* Works like sink_emit(), but does not apply the threshold. For replays of patterns that passed the
 * threshold when they were found. */
LODE_NODISCARD lode_status sink_emit_settled(sink_worker *worker, const lode_batch *batch);
/* Returns whether the sink only keeps the number of patterns by size, and has no limit. Then an
 * engine may count patterns itself, and pass their numbers. */
bool sink_takes_numbers(const lode_sink *sink);
/* Counts n sets of a size. */
LODE_NODISCARD lode_status sink_add_number(sink_worker *worker, uint32_t size, uint64_t n);
/* Counts tally[size * SINK_TALLY_SIZES + free] times a set of `size` items with `free` free items.
 * Each set stands for 2^free patterns (one for each subset of the free items) or, with `whole`, for
 * one pattern (with all free items). */
LODE_NODISCARD lode_status sink_add_tally(sink_worker *worker, const uint64_t *tally, bool whole);

/* For kinds that pass items to the program: lends the batch with items instead of ids until the
 * next call. Items and ids differ only if item numbers are large. */
LODE_NODISCARD lode_status sink_translate(sink_worker *worker, const lode_batch *batch,
                                          lode_batch *out);

/* Limits on the patterns that are multiplied out between two checks for a stop. */
#define SINK_PERFECT     12        /* maximum number of perfect extensions */
#define SINK_PIECE_ITEMS (1 << 23) /* maximum number of items, over all patterns */

/* Returns whether every size is accepted. */
static inline bool sink_takes_all(const lode_sink *sink) {
    return sink->min_size <= 1 && sink->max_size == UINT32_MAX;
}

#endif
