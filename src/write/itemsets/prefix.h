/* prefix.h - the text of a batch's prefix, kept from one batch to the next
 *
 * A search goes from a prefix to its neighbours, so most of a prefix is known from the batch
 * before. Level d is the text of its first d items in output order; the next level is a copy of it
 * with one more item in its place:
 *
 *     items      9        7        2            in the order of the search
 *     level 0 "" 1 "9 "   2 "7 9 " 3 "2 7 9 "   each derived from the one before
 *
 * The last item of the prefix gets no level: it is different in every batch, and half of the
 * batches of a search have one pattern only. A line is the level before it with two items put in
 * their places. An item's place is the sum of the lengths of the smaller items, in whatever order
 * they stand, so nothing is ever sorted. Prefixes of more than PREFIX_LEVEL_TEXT bytes would make
 * too many copies of too much text: those are sorted and joined for each batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_PREFIX_H
#define LODE_WRITE_ITEMSETS_PREFIX_H

#include "write/itemsets/item_lines.h"

#define PREFIX_LEVEL_TEXT 1024
#define PREFIX_STEP       8 /* items looked at together: no branch in between */

typedef struct prefix {
    bool empty;       /* there is not even a last item */
    uint32_t last;    /* the last item */
    size_t place;     /* the place of the last item in the text */
    size_t n;         /* items before it */
    vec_u32 items;    /* the items before it, in the order of the search */
    vec_u32 lengths;  /* of their text; PREFIX_STEP zeros after the last */
    const char *text; /* in output order, with LABEL_PAD readable bytes after it */
    size_t text_bytes;
    size_t room;     /* items there is room for */
    size_t n_levels; /* besides level 0 */
    vec_u64 ends;    /* bytes of each level */
    vec_char levels; /* one every PREFIX_LEVEL_BYTES */
    vec_char joined; /* a long prefix */
} prefix;

void prefix_free(prefix *p, mem *m);

/* Takes over the prefix of a batch. Errors: NOMEM, BUDGET, UNSUPPORTED (4 GiB of text). */
LODE_NODISCARD lode_status prefix_set(prefix *p, const lines *l, const lode_batch *batch);

/* How many bytes of the text stand before the place of an item. */
static inline size_t prefix_place(const prefix *p, uint32_t item) {
    const uint32_t *items = p->items.data, *lengths = p->lengths.data;
    size_t n = (p->n + PREFIX_STEP - 1) / PREFIX_STEP * PREFIX_STEP;
    uint32_t place = 0;
    for (size_t i = 0; i < n; i++) place += lengths[i] & -(uint32_t)(items[i] < item);
    return place;
}

/* Writes the prefix with one more item in its place, and up to LABEL_PAD - 1 bytes more. */
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
