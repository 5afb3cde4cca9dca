/* watch.c - see adaptive_watch.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "adaptive/watch.h"

#include <string.h>

#define SAMPLE    256 /* columns that should be left of it where supports are smallest … */
#define LEAST_MIN 512 /* … and what these should be at the least */
#define SPENT     4   /* a sample is too small with less than one of so many parts of that */

bool watch_by_sample(const adaptive *a, const rows_db *db, const child_items *c) {
    if (a->target != LODE_TARGET_CLOSED || !a->top) return false;
    if (db->sampled) return true;
    if (adaptive_threshold(a) < LEAST_MIN) return false;
    if (c->n > WIDE_ITEMS) return !rows_fill_cubes(a, c);
    return rows_stay_cheap(a, c, rows_expected_sets(a, c, c->low));
}

watch_part watch_choose(const adaptive *a, const rows_db *db, const uint64_t *row,
                        const child_items *c, bool compact) {
    size_t known = db->sampled ? db->watch_columns / 64 : db->words, n = 0, taken = 0;
    uint64_t wanted = (uint64_t)SAMPLE * c->support / adaptive_threshold(a);
    for (; n < known && taken < wanted; n++) taken += (size_t)__builtin_popcountll(row[n]);
    bool spent = db->sampled && taken < wanted / SPENT;
    if (!compact) return (watch_part){n, n, 64 * n, true, spent};
    return (watch_part){n, rows_words(taken), taken, true, spent};
}

/* Whether there is a column among the first that a has and b lacks. */
static bool has_more(const uint64_t *a, const uint64_t *b, size_t columns) {
    size_t words = columns / 64;
    uint64_t rest = ((uint64_t)1 << columns % 64) - 1;
    for (size_t i = 0; i < words; i++) {
        if (a[i] & ~b[i]) return true;
    }
    return rest != 0 && (a[words] & ~b[words] & rest) != 0;
}

lode_status watch_cover(adaptive *a, const child_items *c, uint64_t **cover) {
    const rows_db *top = a->top;
    lode_status status = arena_take(&a->arena, top->words * sizeof **cover, (void **)cover);
    if (status != LODE_OK) return status;
    memcpy(*cover, rows_at(top, a->rank[c->id]), top->words * sizeof **cover);
    for (uint32_t i = 0; i < a->n_prefix; i++) {
        uint32_t number = a->rank[a->prefix[i]];
        if (number >= top->items.n) continue; /* in all transactions there are */
        a->kernels->and_store(*cover, *cover, rows_at(top, number), top->words);
    }
    return LODE_OK;
}

lode_status watch_add(adaptive *a, const rows_db *db, child_items *c) {
    lode_status status = LODE_OK;
    const uint64_t *row = rows_at(db, c->item);
    uint64_t *cover = NULL;
    for (uint32_t i = c->item + 1; i < db->items.n && !c->subsumed; i++) {
        bool whole = i < db->items.low; /* it could be added until now */
        bool lacks = has_more(row, rows_at(db, i), whole ? 64 * db->words : db->watch_columns);
        if (!lacks && !whole) {
            if (!cover) LODE_TRY(watch_cover(a, c, &cover));
            const uint64_t *watched = rows_at(a->top, a->rank[db->items.ids[i]]);
            lacks = has_more(cover, watched, 64 * a->top->words);
        }
        if (lacks) {
            child_add(a, &db->items, c, i, 0); /* how often it occurs is not known */
        } else {
            c->subsumed = true;
        }
    }
done:
    return status;
}
