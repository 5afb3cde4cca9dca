/* item_sink.h - itemsets on their way into a sink: what an engine calls, what a kind provides
 *
 * An engine's thread opens a worker, emits batches into it and closes it. The worker applies what
 * holds for every kind of sink (threshold, sizes, number of patterns), counts by size, multiplies
 * out perfect extensions for kinds that want single patterns, and passes the rest on.
 *
 *     engine thread → sink_emit → [filter, threshold, limit, counts, sizes] → kind's emit (text, …)
 *
 * Files: item_sink.c this way; item_count.h how many patterns a batch stands for;
 *        item_sink.c lattices; item_filter.h what the search finds and nobody wants.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_SINK_H
#define LODE_WRITE_ITEMSETS_ITEM_SINK_H

#include "base/vec.h"
#include "data/transactions/dataset.h"
#include "write/core/sink.h"
#include "write/itemsets/item_filter.h"

/* ---- a prefix with each subset of some items, one after the other ---------------------------- */

/* Subsets are numbers in binary, counted upwards, so small ones of the first items come first and
 * most of the items stay where they are from one to the next. Sizes that are not wanted are
 * skipped without visiting them:
 *
 *     of 0 1 2 3, two or three of them     10 20 21 210 30 31 310 32 320 321     the last is on top
 *
 * A loop and not a recursion: there may be as many items as a transaction has. */

typedef struct subsets {
    vec_u32 items;        /* the prefix, then the subset */
    vec_u32 chosen;       /* places of the subset, descending */
    const uint32_t *from; /* n items to choose from; lent */
    uint32_t n, least, most;
} subsets;

void subsets_free(subsets *s, mem *m);

/* Begins with the first subset of at least `least` and at most `most` of n items; false in *any if
 * there is none. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status subsets_start(subsets *s, mem *m, const uint32_t *prefix,
                                         uint32_t n_prefix, bool *any);
/* ---- steps: inline, because they cost no more than what is done with a subset ---------------- */

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

/* Adds the first items until there are `least`: gives the next number with that many ones. The
 * carry has left more zeros at the end than ones are missing. */
static inline void subsets_fill(subsets *s) {
    for (size_t missing = s->least; missing > s->chosen.n;) {
        subsets_push(s, (uint32_t)(missing - s->chosen.n - 1));
    }
}

/* Goes on to the next; false at the end. */
static inline bool subsets_next(subsets *s) {
    uint32_t place = s->chosen.n < s->most ? 0 : s->most > 0 ? subsets_pop(s) + 1 : s->n;
    for (; subsets_has_on_top(s, place); place++) subsets_pop(s);
    if (place >= s->n) return false;
    subsets_push(s, place);
    subsets_fill(s);
    return true;
}

/* ---- itemsets on their way into a sink: what an engine calls, what a kind provides ----------- */

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
    bool has_gaps;            /* not downward closed: a set may be wanted and a subset not */
    uint32_t min;
    const uint64_t *sizes; /* how many of the subsets have i items, for i <= n_items */
} sink_lattice;

#define SINK_LATTICE_ITEMS 16

/* What a kind of sink does with itemsets. Entries may be NULL; without `emit`, patterns are only
 * counted. */
typedef struct item_ops {
    size_t worker_bytes; /* size of the kind's worker, which starts with an item_worker */
    LODE_NODISCARD lode_status (*open)(sink_worker *worker);
    /* Every pattern of the batch is wanted; n_perfect is 0. */
    LODE_NODISCARD lode_status (*emit)(sink_worker *worker, const lode_batch *batch);
    /* The same for a family: if n_items is 0, prefix + each subset of perfect, with the support
     * supports[0]; else all of a lattice. *done is false if it must be multiplied out. */
    LODE_NODISCARD lode_status (*emit_family)(sink_worker *worker, const sink_lattice *lattice,
                                              bool *done);
    /* Instead of all this, for kinds that count by themselves: takes batches and lattices as the
     * engine has them, also if the threshold has risen, perfect extensions and all. */
    LODE_NODISCARD lode_status (*take)(sink_worker *worker, const lode_batch *batch);
    LODE_NODISCARD lode_status (*take_lattice)(sink_worker *worker, const sink_lattice *lattice);
    /* Hands over what the worker holds; also after a failure, to free it. */
    LODE_NODISCARD lode_status (*close)(sink_worker *worker);
} item_ops;

#define SINK_TALLY_SIZES 64

/* What all workers of itemsets have. */
typedef struct item_worker {
    sink_worker base;
    const item_ops *ops;
    /* Patterns whose perfect extensions are not multiplied out yet: by size, then by the number of
     * these extensions */
    uint64_t noted[SINK_TALLY_SIZES * SINK_TALLY_SIZES];
    uint64_t left;          /* patterns still accepted of the batch in which the limit is reached */
    vec_u32 items;          /* scratch for families */
    subsets multiplied;     /* scratch for batches that are multiplied out, and … */
    subsets split;          /* … for those that are first cut to pieces */
    vec_u32 lattice_prefix; /* scratch for lattices that are multiplied out */
    vec_u32 outside;        /* scratch for batches in items instead of ids */
    filter_scratch filtered;
} item_worker;

/* For engines. A worker belongs to one thread, and ends with sink_close_worker(). */
LODE_NODISCARD lode_status sink_open_worker(lode_sink *sink, sink_worker **out);
LODE_NODISCARD lode_status sink_emit(sink_worker *worker, const lode_batch *batch);
/* A lattice as a whole. */
LODE_NODISCARD lode_status sink_emit_lattice(sink_worker *worker, const sink_lattice *lattice);
/* The pattern of the items that the filter of the sink adds to all others. */
LODE_NODISCARD lode_status sink_emit_fixed(sink_worker *worker, uint64_t support);
/* The same from outside of a search, where nobody has a worker. */
LODE_NODISCARD lode_status sink_add_fixed(lode_sink *sink, uint64_t support);
/* As sink_emit, for patterns that passed the threshold when they were found: for replays. */
LODE_NODISCARD lode_status sink_emit_settled(sink_worker *worker, const lode_batch *batch);
/* Whether the numbers of patterns by size are all that the sink keeps, and no limit asks which come
 * first: then an engine may count them itself, and hand over the numbers. */
bool sink_takes_numbers(const lode_sink *sink);
/* Counts n sets of a size. */
LODE_NODISCARD lode_status sink_add_number(sink_worker *worker, uint32_t size, uint64_t n);
/* Counts tally[size * SINK_TALLY_SIZES + free] times a set of `size` items with `free` free items.
 * Each stands for 2^free patterns (any subset of the free items added) or, with `whole`, for one
 * (all added). */
LODE_NODISCARD lode_status sink_add_tally(sink_worker *worker, const uint64_t *tally, bool whole);

/* For kinds that show items to the program: the batch in items instead of ids, lent until the next
 * call. They differ only where item numbers are large. */
LODE_NODISCARD lode_status sink_translate(sink_worker *worker, const lode_batch *batch,
                                          lode_batch *out);

/* Shared with item_sink.c: what is multiplied out in one go, between two checks for a stop; and
 * the check of size and support against the bounds of the job, cheap enough for every batch. */
#define SINK_PERFECT     12        /* the most perfect extensions */
#define SINK_PIECE_ITEMS (1 << 23) /* the most items, over all patterns */
LODE_NODISCARD lode_status sink_check_bounds(const lode_sink *sink, uint64_t size,
                                             uint64_t support);

/* Whether every size is wanted. */
static inline bool sink_takes_all(const lode_sink *sink) {
    return sink->min_size <= 1 && sink->max_size == UINT32_MAX;
}

#endif
