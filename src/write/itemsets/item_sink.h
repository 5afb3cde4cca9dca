/* item_sink.h - sinks for itemsets: functions for engines, and the interface of a kind
 *
 * An engine's thread opens a worker, emits batches into it and closes it. The worker applies what
 * is common to all sinks (threshold, sizes, number of patterns), counts by size, multiplies out
 * perfect extensions for kinds that need single patterns, and passes the rest on.
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
#include "write/core/sink.h"
#include "write/itemsets/item_filter.h"

/* ---- a prefix combined with each subset of some items ---------------------------------------- */

/* Subsets are binary numbers in ascending order, so small subsets of the first items come first,
 * and most items stay in place from one to the next. Sizes that are not accepted are skipped
 * without visiting them:
 *
 *     of 0 1 2 3, two or three of them     10 20 21 210 30 31 310 32 320 321     the last is on top
 *
 * It is a loop, not a recursion, because there may be as many items as a transaction has. */

typedef struct subsets {
    vec_u32 items;        /* the prefix, then the subset */
    vec_u32 chosen;       /* positions of the subset, descending */
    const uint32_t *from; /* n items to choose from; lent */
    uint32_t n, least, most;
} subsets;

void subsets_free(subsets *s, mem *m);

/* Begins with the first subset of at least `least` and at most `most` of n items; *any is false if
 * there is none. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status subsets_start(subsets *s, mem *m, const uint32_t *prefix,
                                         uint32_t n_prefix, bool *any);
/* ---- steps: inline, because they cost as little as the work for a subset --------------------- */

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

/* Adds the first items until there are `least`: gives the next number with that many ones. After
 * the carry, there are more zeros at the end than missing ones. */
static inline void subsets_fill(subsets *s) {
    for (size_t missing = s->least; missing > s->chosen.n;) {
        subsets_push(s, (uint32_t)(missing - s->chosen.n - 1));
    }
}

/* Moves to the next subset; false at the end. */
static inline bool subsets_next(subsets *s) {
    uint32_t place = s->chosen.n < s->most ? 0 : s->most > 0 ? subsets_pop(s) + 1 : s->n;
    for (; subsets_has_on_top(s, place); place++) subsets_pop(s);
    if (place >= s->n) return false;
    subsets_push(s, place);
    subsets_fill(s);
    return true;
}

/* ---- the sink -------------------------------------------------------------------------------- */

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
    bool has_gaps;            /* not downward closed: a set may be accepted but not a subset */
    uint32_t min;
    const uint64_t *sizes; /* number of subsets with i items, for i <= n_items */
} sink_lattice;

#define SINK_LATTICE_ITEMS 16

/* How a kind of sink handles itemsets. Entries may be NULL; without `emit`, patterns are only
 * counted. */
typedef struct item_ops {
    size_t worker_bytes; /* size of the kind's worker, which starts with an item_worker */
    LODE_NODISCARD lode_status (*open)(sink_worker *worker);
    /* Accepts every pattern of the batch; n_perfect is 0. */
    LODE_NODISCARD lode_status (*emit)(sink_worker *worker, const lode_batch *batch);
    /* The same for a family: if n_items is 0, prefix + each subset of perfect, with the support
     * supports[0]; otherwise all of a lattice. *done is false if it must be multiplied out. */
    LODE_NODISCARD lode_status (*emit_family)(sink_worker *worker, const sink_lattice *lattice,
                                              bool *done);
    /* Instead of these, for kinds that count by themselves: receives batches and lattices as the
     * engine has them, even if the threshold has risen, including perfect extensions. */
    LODE_NODISCARD lode_status (*take)(sink_worker *worker, const lode_batch *batch);
    LODE_NODISCARD lode_status (*take_lattice)(sink_worker *worker, const sink_lattice *lattice);
    /* Passes on what the worker holds, also after a failure, to free it. */
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
    uint64_t left;          /* patterns still accepted of the batch in which the limit is reached */
    vec_u32 items;          /* scratch for families */
    subsets multiplied;     /* scratch for batches that are multiplied out, and … */
    subsets split;          /* … for those that are cut to pieces first */
    vec_u32 lattice_prefix; /* scratch for lattices that are multiplied out */
    vec_u32 outside;        /* scratch for batches in items instead of ids */
    filter_scratch filtered;
} item_worker;

/* For engines. A worker belongs to one thread, and ends with sink_close_worker(). */
LODE_NODISCARD lode_status sink_open_worker(lode_sink *sink, sink_worker **out);
LODE_NODISCARD lode_status sink_emit(sink_worker *worker, const lode_batch *batch);
/* Emits a complete lattice. */
LODE_NODISCARD lode_status sink_emit_lattice(sink_worker *worker, const sink_lattice *lattice);
/* The same outside of a search, without a worker. */
LODE_NODISCARD lode_status sink_add_fixed(lode_sink *sink, uint64_t support);
/* As sink_emit, for patterns that passed the threshold when they were found: for replays. */
LODE_NODISCARD lode_status sink_emit_settled(sink_worker *worker, const lode_batch *batch);
/* Whether the sink only keeps the number of patterns by size, and has no limit: then an engine may
 * count patterns itself, and pass numbers. */
bool sink_takes_numbers(const lode_sink *sink);
/* Counts n sets of a size. */
LODE_NODISCARD lode_status sink_add_number(sink_worker *worker, uint32_t size, uint64_t n);
/* Counts tally[size * SINK_TALLY_SIZES + free] times a set of `size` items with `free` free items.
 * Each stands for 2^free patterns (with any subset of the free items) or, with `whole`, for one
 * (with all of them). */
LODE_NODISCARD lode_status sink_add_tally(sink_worker *worker, const uint64_t *tally, bool whole);

/* For kinds that show items to the program: the batch with items instead of ids, lent until the
 * next call. They only differ if item numbers are large. */
LODE_NODISCARD lode_status sink_translate(sink_worker *worker, const lode_batch *batch,
                                          lode_batch *out);

/* Shared with item_sink.c: limits on what is multiplied out between two checks for a stop; and the
 * check of size and support against the bounds of the job, cheap enough for every batch. */
#define SINK_PERFECT     12        /* maximum number of perfect extensions */
#define SINK_PIECE_ITEMS (1 << 23) /* maximum number of items, over all patterns */

/* Whether every size is accepted. */
static inline bool sink_takes_all(const lode_sink *sink) {
    return sink->min_size <= 1 && sink->max_size == UINT32_MAX;
}

#endif
