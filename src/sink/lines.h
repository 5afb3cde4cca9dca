/* lines.h - how a pattern looks as a line of text
 *
 * A line is  HEAD [LEAD] item SEP item SEP … item TAIL.  The text of every item, with its separator
 * behind it, is prepared once, so that writing a pattern is copying a few pieces.
 *
 *     fimi    a b c (45)
 *     spmf    a b c #SUP: 45
 *     csv     a|b|c,3,45,0.045            header: items,size,count,support
 *             45,0.045,3,a,b,c            header: count,support,size,item1,…   (columns)
 *     jsonl   {"items":["a","b","c"],"count":45,"support":0.045}
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_LINES_H
#define LODE_SINK_LINES_H

#include "data/dataset.h"

#define LINES_PAD      64 /* readable bytes behind every piece, so that copies may overshoot */
#define LINES_TAIL_MAX 96 /* no tail is longer */
#define LINES_MORE_MAX (LINES_TAIL_MAX + 2 * LINES_PAD) /* a line has no more besides its items */

typedef struct line_item {
    uint64_t at;
    uint32_t length; /* with the separator */
} line_item;

typedef struct lines {
    mem *mem;
    lode_write_format format;
    uint64_t n_transactions;
    const char *title; /* first line of the file, or "" */
    const char *head;
    line_item *items; /* by item id */
    uint32_t n_items;
    uint32_t longest; /* the largest length */
    vec_char text;
    bool quote_cell; /* csv: some name needs the items cell in quotes, so all get them */
    bool columns;    /* csv: a cell for each item, and the numbers before them */
} lines;

/* `options` NULL: the default. With columns, the title is that of a pattern without items. */
LODE_NODISCARD lode_status lines_init(lines *l, mem *m, const lode_dataset *data,
                                      const lode_write_options *options);
void lines_clear(lines *l);

/* Writes what follows the items (whose last separator has been taken off) and returns the end. */
char *lines_put_tail(const lines *l, char *to, uint32_t size, uint64_t support);

/* With columns: writes what comes before the items, and returns the end. */
char *lines_put_lead(const lines *l, char *to, uint32_t size, uint64_t support);

/* Copies n bytes, and up to LINES_PAD - 1 more. In steps of a fixed size, because most pieces take
 * one step, and then no branch depends on their length. */
static inline char *lines_copy(char *to, const char *from, size_t n) {
    memcpy(to, from, LINES_PAD);
    for (size_t i = LINES_PAD; i < n; i += LINES_PAD) memcpy(to + i, from + i, LINES_PAD);
    return to + n;
}

/* The text of an item, with its separator. Most are short: a step is 16 bytes. */
static inline char *lines_copy_item(const lines *l, char *to, uint32_t item) {
    line_item piece = l->items[item];
    const char *from = l->text.data + piece.at;
    memcpy(to, from, 16);
    for (size_t i = 16; i < piece.length; i += 16) memcpy(to + i, from + i, 16);
    return to + piece.length;
}

#endif
