/* search_state.h - internals of the search (search.h): its stack, its batch and their parts
 *
 * The stack is one array of 32-bit words. A class on it is
 *
 *     n_prefix  n  left  end  right  span  forecast | prefix … | items … | supports … | rows …
 *
 *     left, end   members [left, end) are still to be joined with those after them
 *     right       where to continue with the joins of member `left`, if lists ran out; else 0
 *     span        the class's remaining share of the progress, as a float
 *     forecast    1 + the index in frontier_search.forecasts of how to divide the span; or 0
 *     prefix, items    ranks of items
 *     rows        by member: the number of its row on the device, or BACKEND_NO_ROW
 *
 * Supports are capped at 2^32 - 1. They are used to skip members that are no longer frequent
 * because the threshold has risen, and to divide the span.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_FRONTIER_SEARCH_STATE_H
#define LODE_ITEMSETS_FRONTIER_SEARCH_STATE_H

#include <string.h>

#include "itemsets/frontier/search.h"

enum {
    CLASS_N_PREFIX,
    CLASS_N,
    CLASS_LEFT,
    CLASS_END,
    CLASS_RIGHT,
    CLASS_SPAN,
    CLASS_FORECAST,
    CLASS_HEAD_WORDS
};

#define NO_CLASS SIZE_MAX

/* A class on the stack. The pointers go into the array, and are invalid once it grows. */
typedef struct stacked_class {
    uint32_t *head, *prefix, *items, *supports, *rows;
} stacked_class;

/* The candidates of one left member in the batch, which form a child class. */
typedef struct frontier_child {
    size_t parent;   /* number of its class on the stack */
    uint32_t left;   /* number of the left member in that class */
    size_t first, n; /* the candidates: work[first], … */
    bool continued;  /* the previous batch had the first candidates of this left member */
    bool complete;   /* false = lists ran out, and the next batch has the rest */
} frontier_child;

struct frontier_search {
    const engine_task *task;
    const vertical *v;
    lode_job *job;
    mem *mem;
    const lode_backend *backend;
    backend_device *device;
    frontier_hooks hooks;
    sink_worker *sink;
    uint64_t epsilon;   /* a batch collects candidates until it has this many */
    uint64_t threshold; /* at the time when the current batch was collected */
    bool gathers_roots; /* fills a batch from several root classes */
    double gathered;    /* sum of the spans of the root classes in the batch */
    uint32_t polls;     /* counts calls of frontier_poll() */

    vec_u32 stack;
    vec_u64 classes; /* start of each class in `stack` */
    size_t open;     /* the class whose left member is unfinished, or NO_CLASS */

    list_pool pool;
    uint32_t scratch;  /* a list for the row of a left member if the pool is empty */
    bool scratch_busy; /* candidates that use the scratch list are not counted yet */

    /* Before the batch is counted, some rows are made again from the rows of items.
     * `derived_sets` has the itemsets of these rows one after the other, all of the same size;
     * the row of the i-th one goes into list derived[i]. */
    vec_u32 derived, derived_sets;

    backend_work *work; /* the candidates of the batch */
    size_t n_work, cap_work;
    size_t batch_lists;       /* candidates of the batch that have a list for their row */
    frontier_child *children; /* of the batch */
    size_t n_children, cap_children;
    vec_u32 work_items; /* the right item of each candidate */
    vec_u32 counts;     /* the support of each candidate, once counted */
    vec_u64 reduced;    /* the same over all parts, if the job is divided among processes */

    vec_u32 member_items, member_supports, member_rows; /* of the child being settled */
    vec_u64 order;                                      /* of these members */
    vec_u32 fresh;                 /* child classes, before they go on the stack … */
    vec_u64 fresh_at;              /* … and the start of each */
    vec_u32 out_prefix, out_items; /* a batch for the sink */
    vec_u64 out_supports;

    double *forecasts; /* of the classes that have one, in the order of the stack */
    size_t n_forecasts, cap_forecasts;
    progress_local progress;

    frontier_totals totals;
};

/* ---- classes ---- */

/* The words of a class with a prefix of n_prefix items and n members. */
static inline size_t class_words(uint32_t n_prefix, uint32_t n) {
    return CLASS_HEAD_WORDS + (size_t)n_prefix + 3 * (size_t)n;
}

static inline stacked_class class_view(uint32_t *at) {
    stacked_class f = {.head = at, .prefix = at + CLASS_HEAD_WORDS};
    f.items = f.prefix + at[CLASS_N_PREFIX];
    f.supports = f.items + at[CLASS_N];
    f.rows = f.supports + at[CLASS_N];
    return f;
}

static inline stacked_class class_at(const frontier_search *s, size_t i) {
    return class_view(s->stack.data + s->classes.data[i]);
}

static inline bool class_is_done(stacked_class f) {
    return f.head[CLASS_LEFT] >= f.head[CLASS_END];
}

static inline uint32_t cap_support(uint64_t support) {
    return support < UINT32_MAX ? (uint32_t)support : UINT32_MAX;
}

/* Whether a member is no longer frequent because the threshold has risen. False for a capped
 * support, because the true support may be higher. */
static inline bool is_overtaken(const frontier_search *s, uint32_t support) {
    return support < s->threshold && support != UINT32_MAX;
}

/* A float is precise enough for a span, and fits a word. */
static inline float class_span(stacked_class f) {
    float span;
    memcpy(&span, &f.head[CLASS_SPAN], sizeof span);
    return span;
}

static inline void class_set_span(stacked_class f, float span) {
    memcpy(&f.head[CLASS_SPAN], &span, sizeof span);
}

/* The support of a candidate of the batch, once counted. */
static inline uint64_t candidate_support(const frontier_search *s, size_t candidate) {
    return s->reduced.n > 0 ? s->reduced.data[candidate] : s->counts.data[candidate];
}

/* In a breadth-first search, a batch may take seconds: its loops call this function for every
 * child, so that they stop when requested. */
static inline LODE_NODISCARD lode_status frontier_poll(frontier_search *s) {
    return ++s->polls % 1024 == 0 ? s->hooks.tick(s->hooks.user) : LODE_OK;
}

/* ---- stack.c ---- */

#if LODE_DEBUG
/* Checks the pool of lists, and the classes on the stack from number `first` on. */
void frontier_validate(const frontier_search *s, size_t first);
#endif

/* Adds a class of n members to an array of classes, and sets *out to a view of the class. The
 * caller fills in its prefix and members. */
LODE_NODISCARD lode_status frontier_class_add(mem *m, vec_u32 *words, vec_u64 *starts,
                                              uint32_t n_prefix, uint32_t n, stacked_class *out);
/* Pushes a root class: the items from `rank` on, of which only the first is a left member. */
LODE_NODISCARD lode_status frontier_push_root(frontier_search *s, uint32_t rank);
/* Gives the lists of members [from, to) back to the pool. */
void frontier_give_rows(frontier_search *s, stacked_class f, uint32_t from, uint32_t to);

/* Takes the share of a left member out of the span of its class, and returns it. */
float frontier_span_take(const frontier_search *s, stacked_class f, uint32_t left);
/* Reports a span as done. */
void frontier_span_retire(frontier_search *s, float span);
/* Predicts how the span of a class divides among its members, if a prediction pays. `of`: the
 * support of its prefix; 0 = unknown. */
LODE_NODISCARD lode_status frontier_class_forecast(frontier_search *s, stacked_class f,
                                                   uint32_t of);
/* Reports the rest of the span as done, and drops the forecast. Call it when a class leaves the
 * stack. */
void frontier_class_forget(frontier_search *s, stacked_class f);

/* ---- collect.c ---- */

/* Fills the batch with joins from the stack, and takes a list for each candidate whose row will be
 * needed. */
LODE_NODISCARD lode_status frontier_collect(frontier_search *s);

/* Offers the oldest classes to an idle device, if they have enough work. */
void frontier_donate(frontier_search *s);
/* Pushes classes from another device. */
LODE_NODISCARD lode_status frontier_record_push(frontier_search *s, const frontier_record *record);

/* ---- settle.c ---- */

/* Sends the frequent candidates of the batch to the sink. */
LODE_NODISCARD lode_status frontier_report_batch(frontier_search *s);
/* Makes classes of the frequent candidates, pushes them, and gives the lists of infrequent
 * candidates back to the pool. */
LODE_NODISCARD lode_status frontier_settle(frontier_search *s);

#endif
