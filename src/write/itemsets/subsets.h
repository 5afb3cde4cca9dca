/* subsets.h - a prefix with each subset of some items, one after the other
 *
 * Subsets are numbers in binary, counted upwards, so small ones of the first items come first and
 * most of the items stay where they are from one to the next. Sizes that are not wanted are
 * skipped without visiting them:
 *
 *     of 0 1 2 3, two or three of them     10 20 21 210 30 31 310 32 320 321     the last is on top
 *
 * A loop and not a recursion: there may be as many items as a transaction has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_SUBSETS_H
#define LODE_WRITE_ITEMSETS_SUBSETS_H

#include "base/vec.h"

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

#endif
