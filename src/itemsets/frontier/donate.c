/* donate.c - hands classes over to a device that waits for work; see search_state.h
 *
 * What:  the oldest classes of the stack, without their lists, as one record. The other device
 *        derives the rows that it needs from the rows of the items.
 * How many: depth first, the oldest class is the largest part of the work, and is enough. A search
 *        whose batches cross root classes has many classes of a kind: it hands over as many as fill
 *        a batch of the other device, at most half of the joins it has. One at a time, each would
 *        become a few batches of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/frontier/search_state.h"

#define DONATE_MIN_MEMBERS 4 /* with fewer, handing over costs more than searching */

void frontier_record_free(mem *m, frontier_record *record) {
    if (record) mem_free(m, record, sizeof *record + record->words * sizeof *record->data);
}

/* The joins of a class, of the left members from `first` on. */
static uint64_t class_joins(stacked_class f, uint32_t first) {
    uint64_t n = f.head[CLASS_N], end = f.head[CLASS_END];
    return first < end ? (end - first) * (2 * n - 1 - first - end) / 2 : 0;
}

/* The members of a class from *first on may be handed over; false if none. If it is the last class,
 * or its left member is unfinished, that member stays. */
static bool donate_from(const frontier_search *s, size_t i, uint32_t *first) {
    stacked_class f = class_at(s, i);
    bool keep_one = i == s->open || i + 1 == s->classes.n;
    *first = f.head[CLASS_LEFT] + keep_one;
    return f.head[CLASS_N_PREFIX] > 0 && *first < f.head[CLASS_END] &&
           f.head[CLASS_N] - *first >= DONATE_MIN_MEMBERS;
}

/* How many joins to hand over, at least. */
static uint64_t donate_goal(const frontier_search *s) {
    uint64_t joins = 0;
    if (!s->gathers_roots) return 1;
    for (size_t i = 0; i < s->classes.n; i++) {
        stacked_class f = class_at(s, i);
        joins += class_joins(f, f.head[CLASS_LEFT]);
    }
    return joins / 2 < s->epsilon ? joins / 2 : s->epsilon;
}

/* Which classes to hand over: those of [*first, end) that donate_from() allows;
 * they take *words. Returns `end`. */
static size_t donate_choose(const frontier_search *s, size_t *first, size_t *words) {
    uint64_t goal = donate_goal(s), given = 0;
    size_t i = 0;
    *words = 0;
    while (i < s->classes.n && class_is_done(class_at(s, i))) i++;
    *first = i;
    for (; i < s->classes.n && given < goal; i++) {
        uint32_t from;
        stacked_class f = class_at(s, i);
        if (donate_from(s, i, &from)) {
            *words += class_words(f.head[CLASS_N_PREFIX], f.head[CLASS_N] - from);
            given += class_joins(f, from);
        } else if (!s->gathers_roots) {
            break;
        }
    }
    return i;
}

/* Copies the members from `first` on, without rows. The left member that stays keeps its span; the
 * rest goes with the copy. Returns the words of the copy. */
static size_t donate_copy(frontier_search *s, stacked_class f, uint32_t first, uint32_t *at) {
    uint32_t n_prefix = f.head[CLASS_N_PREFIX], n = f.head[CLASS_N] - first;
    at[CLASS_N_PREFIX] = n_prefix;
    at[CLASS_N] = n;
    at[CLASS_LEFT] = at[CLASS_RIGHT] = at[CLASS_FORECAST] = 0;
    at[CLASS_END] = f.head[CLASS_END] - first;
    stacked_class copy = class_view(at);
    memcpy(copy.prefix, f.prefix, n_prefix * sizeof *f.prefix);
    memcpy(copy.items, f.items + first, n * sizeof *f.items);
    memcpy(copy.supports, f.supports + first, n * sizeof *f.supports);
    for (uint32_t i = 0; i < n; i++) copy.rows[i] = BACKEND_NO_ROW;
    bool stays = first > f.head[CLASS_LEFT];
    float span = class_span(f), kept = stays ? frontier_span_take(s, f, f.head[CLASS_LEFT]) : 0;
    class_set_span(copy, span - kept);
    class_set_span(f, kept);
    return class_words(n_prefix, n);
}

/* Takes what was handed over out of the class; or, if nobody took it, its span back in. */
static void donate_settle(frontier_search *s, stacked_class f, uint32_t first, float span,
                          bool taken) {
    if (taken) {
        frontier_give_rows(s, f, first, f.head[CLASS_N]);
        f.head[CLASS_END] = first;
    } else {
        class_set_span(f, class_span(f) + span);
    }
}

void frontier_donate(frontier_search *s) {
    frontier_record *record = NULL;
    size_t first, words, end = donate_choose(s, &first, &words), at = 0;
    uint32_t from;
    if (words == 0 || words > UINT32_MAX) return;
    size_t bytes = sizeof *record + words * sizeof *record->data;
    if (mem_resize(s->mem, (void **)&record, 0, bytes) != LODE_OK) return; /* it can do without */
    record->words = (uint32_t)words;
    for (size_t i = first; i < end; i++) {
        if (donate_from(s, i, &from)) at += donate_copy(s, class_at(s, i), from, record->data + at);
    }
    /* Once it is taken, the record is another thread's. */
    bool taken = s->hooks.accept(s->hooks.user, record);
    at = 0;
    for (size_t i = first; i < end; i++) {
        if (!donate_from(s, i, &from)) continue;
        stacked_class f = class_at(s, i);
        float span = taken ? 0 : class_span(class_view(record->data + at));
        at += class_words(f.head[CLASS_N_PREFIX], f.head[CLASS_N] - from);
        donate_settle(s, f, from, span, taken);
    }
    if (!taken) frontier_record_free(s->mem, record);
}

lode_status frontier_record_push(frontier_search *s, const frontier_record *record) {
    lode_status status = LODE_OK;
    for (size_t at = 0; at < record->words;) {
        const uint32_t *from = record->data + at;
        stacked_class f;
        size_t words = class_words(from[CLASS_N_PREFIX], from[CLASS_N]);
        LODE_TRY(frontier_class_add(s->mem, &s->stack, &s->classes, from[CLASS_N_PREFIX],
                                    from[CLASS_N], &f));
        memcpy(f.head, from, words * sizeof *from);
        LODE_TRY(frontier_class_forecast(s, f, 0));
        at += words;
    }
done:
    return status;
}
