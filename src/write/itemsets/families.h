/* families.h - the text of many patterns that differ in a few items
 *
 * A family is all sets that consist of the fixed items and some of the free ones. In print order,
 * the last free items (and the fixed ones among and after them) make up the right side, of which
 * there are at most 2^FAMILY_RIGHT texts, made once; the rest is the left side:
 *
 *     fixed 2 7, free 1 4 8 9        left   "2 " "2 4 " "1 2 " "1 2 4 "
 *                                    right  "7 " "7 8 " "7 9 " "7 8 9 "
 *
 * A line is then two copies and a tail, whatever its length and wherever its items come from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_FAMILIES_H
#define LODE_WRITE_ITEMSETS_FAMILIES_H

#include "write/itemsets/item_lines.h"
#include "write/itemsets/item_sink.h"

#define FAMILY_RIGHT  5 /* free items of the right side */
#define FAMILY_RIGHTS (1 << FAMILY_RIGHT)
#define FAMILY_FREE   96   /* the most free items: with more, there are too many lines to write */
#define FAMILY_TAILS  1024 /* tails that are remembered, by support */

typedef struct family_item {
    uint32_t id;
    uint32_t bit; /* the bit that it sets in the index into the supports; 0: none */
} family_item;

typedef struct family_right {
    size_t bytes;
    uint32_t index; /* into the supports */
    uint32_t size;  /* items, including fixed ones */
} family_right;

/* A tail that was written before, to be copied. */
typedef struct family_tail {
    uint64_t support;
    uint32_t bytes; /* 0: none */
    char text[52];
} family_tail;

/* A family in work, and what a worker keeps from one to the next. */
typedef struct families {
    const lines *lines;
    vec_u32 fixed; /* in print order */
    family_item free[FAMILY_FREE];
    uint32_t n_free, n_left; /* the first n_left belong to the left side */
    vec_char left;
    vec_char right; /* texts, one every `stride` bytes */
    size_t stride;
    family_right rights[FAMILY_RIGHTS];
    uint32_t n_rights;
    const uint32_t *supports;
    uint32_t min;
    bool has_gaps;
    family_tail tails[FAMILY_TAILS];
} families;

void families_free(families *f, mem *m);

/* Whether the lattice has few enough free items. */
static inline bool families_fit(const sink_lattice *from) {
    return (uint64_t)from->n_perfect + from->n_items <= FAMILY_FREE;
}

/* Prepares a family that fits. */
LODE_NODISCARD lode_status families_set(families *f, const lines *l, const sink_lattice *from);

/* Makes room for `bytes` at the end of the block; *to: where. */
typedef lode_status (*families_room)(void *user, size_t bytes, char **to);
/* Says where the text written there ends. */
typedef void (*families_used)(void *user, const char *end);

/* Takes what is not text: sizes and supports of n <= FAMILY_RIGHTS patterns, whose items alone
 * were written. */
typedef void (*families_rows)(void *user, const uint32_t *sizes, const uint32_t *supports,
                              uint32_t n);

typedef struct families_out {
    void *user;
    families_room room;
    families_used used;
    families_rows rows; /* NULL: text, with tails */
} families_out;

LODE_NODISCARD lode_status families_write(families *f, const families_out *out);

/* Makes a tail, and remembers it. */
char *families_new_tail(families *f, char *to, uint32_t size, uint64_t support);

/* ---- tails: inline, because a line has one --------------------------------------------------- */

/* The tail of a line; copied, if it depends on the support alone and was made before. */
static inline char *families_put_tail(families *f, char *to, uint32_t size, uint64_t support) {
    family_tail *known = &f->tails[support % FAMILY_TAILS];
    if (known->bytes > 0 && known->support == support) {
        memcpy(to, known->text, 16);
        for (uint32_t i = 16; i < known->bytes; i += 16) memcpy(to + i, known->text + i, 16);
        return to + known->bytes;
    }
    return families_new_tail(f, to, size, support);
}

#endif
