/* subsets.h - a prefix with each subset of some items, one after the other
 *
 * Subsets are numbers in binary, counted upwards, so small ones of the first items come first and
 * most of the items stay where they are from one to the next. Sizes that are not wanted are
 * skipped, not looked at:
 *
 *     of 0 1 2 3, two or three of them     10 20 21 210 30 31 310 32 320 321     the last is on top
 *
 * A loop and not a recursion: there may be as many items as a transaction has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_SUBSETS_H
#define LODE_SINK_SUBSETS_H

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
/* Goes on to the next; false at the end. */
bool subsets_next(subsets *s);

#endif
