/* prefix.h - the text of a batch's prefix, kept from one batch to the next
 *
 * A search goes from a prefix to its neighbours, so most of a prefix is known from the batch
 * before. Level d is the text of its first d items in output order; the next level, like a line of
 * output, is a copy of it with one more item in its place:
 *
 *     items      9        7        2            in the order of the search
 *     level 0 "" 1 "9 "   2 "7 9 " 3 "2 7 9 "   each derived from the one before
 *
 * An item's place is the sum of the lengths of the smaller items, in whatever order they stand, so
 * nothing is ever sorted. Prefixes of more than PREFIX_LEVEL_TEXT bytes would make too many copies
 * of too much text: those are sorted and joined for each batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_PREFIX_H
#define LODE_SINK_PREFIX_H

#include "sink/lines.h"

#define PREFIX_LEVEL_TEXT 1024
#define PREFIX_STEP       8 /* items looked at together: no branch in between */

typedef struct prefix {
    size_t n;         /* items */
    vec_u32 items;    /* in the order of the search */
    vec_u32 lengths;  /* of their text; PREFIX_STEP zeros behind the last */
    const char *text; /* in output order, with LINES_PAD readable bytes behind it */
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

/* How many bytes of the text come before the item. */
static inline size_t prefix_place(const prefix *p, uint32_t item) {
    const uint32_t *items = p->items.data, *lengths = p->lengths.data;
    size_t n = (p->n + PREFIX_STEP - 1) / PREFIX_STEP * PREFIX_STEP;
    uint32_t place = 0;
    for (size_t i = 0; i < n; i++) place += lengths[i] & -(uint32_t)(items[i] < item);
    return place;
}

/* Copies a text with the item in its place, and up to LINES_PAD - 1 bytes more. */
static inline char *prefix_insert(char *to, const char *text, size_t text_bytes, size_t place,
                                  const lines *l, uint32_t item) {
    line_item piece = l->items[item];
    to = lines_copy(to, text, place);
    to = lines_copy(to, l->text.data + piece.at, piece.length);
    return lines_copy(to, text + place, text_bytes - place);
}

#endif
