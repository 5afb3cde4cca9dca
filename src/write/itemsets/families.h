/* families.h - formats many patterns that differ in a few items
 *
 * A family consists of all sets that have the fixed items and some of the free items. In print
 * order (dict.h), the right side consists of the last FAMILY_RIGHT free items and of the fixed
 * items among and after them; the other items form the left side. The texts of the right side, at
 * most 2^FAMILY_RIGHT, are made once:
 *
 *     fixed 2 7, free 1 4 8 9        left   "2 " "2 4 " "1 2 " "1 2 4 "
 *                                    right  "7 " "7 8 " "7 9 " "7 8 9 "
 *
 * Then writing a line takes two copies and a tail (the text after the items), however long the line
 * is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_FAMILIES_H
#define LODE_WRITE_ITEMSETS_FAMILIES_H

#include "write/itemsets/item_lines.h"
#include "write/itemsets/item_sink.h"
#include "write/itemsets/sort_keys.h"

#define FAMILY_RIGHT  5 /* free items of the right side */
#define FAMILY_RIGHTS (1 << FAMILY_RIGHT)
#define FAMILY_FREE   96   /* maximum of free items: with more, there are too many lines to write */
#define FAMILY_TAILS  1024 /* cached tails, by support */

typedef struct family_item {
    uint32_t id;
    uint32_t bit; /* the bit that the item sets in the index of supports; 0 = none */
} family_item;

typedef struct family_right {
    size_t bytes;
    uint32_t index; /* index into the supports */
    uint32_t size;  /* number of items, including fixed items */
} family_right;

/* A cached tail: the text after the items of a line. */
typedef struct family_tail {
    uint64_t support;
    uint32_t bytes; /* 0 = none */
    char text[52];
} family_tail;

/* The current family, and the data that a worker keeps from one family to the next. */
typedef struct families {
    const lines *lines;
    vec_u32 fixed; /* in print order */
    family_item free[FAMILY_FREE];
    uint32_t n_free, n_left; /* the first n_left free items belong to the left side */
    vec_char left;
    vec_char right; /* the texts of the right side, at multiples of `stride` bytes */
    size_t stride;
    family_right rights[FAMILY_RIGHTS];
    uint32_t n_rights;
    const uint32_t *supports;
    uint32_t min;
    bool has_gaps;
    family_tail tails[FAMILY_TAILS];
} families;

void families_free(families *f, mem *m);

/* Returns whether the lattice has few enough free items. */
static inline bool families_fit(const sink_lattice *from) {
    return (uint64_t)from->n_perfect + from->n_items <= FAMILY_FREE;
}

/* Prepares a family that fits. */
LODE_NODISCARD lode_status families_set(families *f, const lines *l, const sink_lattice *from);

/* Makes room for `bytes` at the end of the block; *to receives the position. */
typedef lode_status (*families_room)(void *user, size_t bytes, char **to);
/* Reports the end of the text written at this position. */
typedef void (*families_used)(void *user, const char *end);

/* For binary formats: receives the sizes and supports of n <= FAMILY_RIGHTS patterns whose items
 * were written. */
typedef void (*families_rows)(void *user, const uint32_t *sizes, const uint32_t *supports,
                              uint32_t n);

typedef struct families_out {
    void *user;
    families_room room;
    families_used used;
    families_rows rows; /* NULL = the format is text, and lines have tails */
} families_out;

LODE_NODISCARD lode_status families_write(families *f, const families_out *out);

/* Formats a tail, and caches it. */
char *families_new_tail(families *f, char *to, uint32_t size, uint64_t support);

/* ---- tails: inline, because every line has one ----------------------------------------------- */

/* Writes the tail of a line. The tail comes from the cache if it depends only on the support. */
static inline char *families_put_tail(families *f, char *to, uint32_t size, uint64_t support) {
    family_tail *known = &f->tails[support % FAMILY_TAILS];
    if (known->bytes > 0 && known->support == support) {
        memcpy(to, known->text, 16);
        for (uint32_t i = 16; i < known->bytes; i += 16) memcpy(to + i, known->text + i, 16);
        return to + known->bytes;
    }
    return families_new_tail(f, to, size, support);
}

/* ---- the text of the last items of a set, looked up by the bits of its mask ------------------ */

/* In a sorted result, neighbours differ in their last items. The last sixteen ranks are divided
 * into two groups of eight, and the texts of all subsets of each group are made once:
 *
 *     mask   0 1 1 … 1 0 | 1 0 1 1 1 1 0 1 | 0 1 1 1 1 1 1 0 | support     0: the set has the item
 *            beginning     middle "40 52 "   end "58 66 "
 *
 * Then writing a line takes three copies and a tail, without branches. With dense data, dozens of
 * lines have the same beginning. */

#define MASK_GROUP   8
#define MASK_SUBSETS (1 << MASK_GROUP)
#define MASK_GROUPS  2
#define MASK_WORDS   KEYS_ALWAYS_MASK
#define MASK_LABEL   24 /* the longest label for which the texts of a group fit into the cache */

typedef struct mask_text {
    size_t stride;  /* distance between texts; 0 = not made yet */
    vec_char texts; /* texts of all subsets of the middle, then of the end */
    uint32_t bytes[MASK_GROUPS][MASK_SUBSETS];
    unsigned word, up;          /* word and bit position of the last rank */
    uint64_t first[MASK_WORDS]; /* bits of the ranks of the beginning */
} mask_text;

/* Returns whether masks are long enough for two groups, and labels are short enough. */
bool mask_text_suits(const sort_keys *keys, const lines *l);
/* Makes all texts. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status mask_text_make(mask_text *t, const sort_keys *keys, const lines *l);
void mask_text_free(mask_text *t, mem *m);

/* Returns the bits of the last ranks of a row. A bit is 1 if the set has the item. */
static inline uint32_t mask_text_bits(const mask_text *t, const uint64_t *row) {
    uint64_t bits = row[t->word] >> t->up;
    if (t->word > 0 && t->up > 0) bits |= row[t->word - 1] << (64 - t->up);
    return (uint32_t)~bits & (MASK_SUBSETS * MASK_SUBSETS - 1);
}

/* Writes the text of one group, and up to LABEL_PAD - 1 more bytes after it. */
static inline char *mask_text_copy(const mask_text *t, char *to, unsigned group, uint32_t subset) {
    const char *from = t->texts.data + (group * MASK_SUBSETS + subset) * t->stride;
    return label_copy_text(to, from, t->bytes[group][subset]);
}

/* ---- the text of a batch's prefix, reused from one batch to the next ------------------------- */

/* A search goes from a prefix to its neighbours, so most items of a prefix are known from the
 * previous batch. Level d is the text of the first d items of the prefix, in output order. The next
 * level is a copy of level d with one more item inserted:
 *
 *     items      9        7        2            in search order
 *     level 0 "" 1 "9 "   2 "7 9 " 3 "2 7 9 "   each level is derived from the level before
 *
 * The last item of the prefix gets no level, because it differs in every batch, and half of the
 * batches of a search have only one pattern. So a line is the last level with two items inserted.
 * The position of an item is the sum of the lengths of all smaller items, whatever their order, so
 * no items are sorted. With a prefix of more than PREFIX_LEVEL_TEXT bytes, too much text would be
 * copied, so its items are sorted and joined for each batch. */

#define PREFIX_LEVEL_TEXT 1024
#define PREFIX_STEP       8 /* items compared at a time, without a branch between them */

typedef struct prefix {
    bool empty;       /* the prefix has no items at all */
    uint32_t last;    /* the last item */
    size_t place;     /* the position of the last item in the text */
    size_t n;         /* items before it */
    vec_u32 items;    /* the items before the last item, in search order */
    vec_u32 lengths;  /* lengths of the items' texts; PREFIX_STEP zeros follow */
    const char *text; /* the text in output order, followed by LABEL_PAD readable bytes */
    size_t text_bytes;
    size_t room;     /* capacity in items */
    size_t n_levels; /* number of levels without level 0 */
    vec_u64 ends;    /* bytes of each level */
    vec_char levels; /* at multiples of PREFIX_LEVEL_BYTES */
    vec_char joined; /* the text of a long prefix */
} prefix;

void prefix_free(prefix *p, mem *m);

/* Sets the prefix to that of a batch. Errors: NOMEM, BUDGET, UNSUPPORTED (4 GiB of text). */
LODE_NODISCARD lode_status prefix_set(prefix *p, const lines *l, const lode_batch *batch);

/* Returns the position of an item in the text, in bytes. */
static inline size_t prefix_place(const prefix *p, uint32_t item) {
    const uint32_t *items = p->items.data, *lengths = p->lengths.data;
    size_t n = (p->n + PREFIX_STEP - 1) / PREFIX_STEP * PREFIX_STEP;
    uint32_t place = 0;
    for (size_t i = 0; i < n; i++) place += lengths[i] & -(uint32_t)(items[i] < item);
    return place;
}

/* Writes the prefix with one more item, and up to LABEL_PAD - 1 more bytes after it. */
static inline char *prefix_put(const prefix *p, const lines *l, char *to, uint32_t item) {
    if (p->empty) return label_copy(&l->labels, to, item);
    size_t place = prefix_place(p, item);
    bool behind = item > p->last;
    size_t first = behind ? p->place : place, second = behind ? place : p->place;
    to = label_copy_text(to, p->text, first);
    to = label_copy(&l->labels, to, behind ? p->last : item);
    to = label_copy_text(to, p->text + first, second - first);
    to = label_copy(&l->labels, to, behind ? item : p->last);
    return label_copy_text(to, p->text + second, p->text_bytes - second);
}

#endif
