/* item_lines.h - itemsets as lines of text, in each of the formats
 *
 * A line is  HEAD [LEAD] item SEP item SEP … item TAIL.  The text of every item, with the separator
 * after it, is prepared once, so that writing a pattern is copying a few pieces.
 *
 * Add:   a format is a new file with an item_format, and a line in formats.def.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_LINES_H
#define LODE_WRITE_ITEMSETS_ITEM_LINES_H

#include "data/transactions/labels.h"

#define LINES_TAIL_MAX 96                               /* maximum length of a tail or lead */
#define LINES_MORE_MAX (LINES_TAIL_MAX + 2 * LABEL_PAD) /* most that a line adds to its items */

typedef struct lines lines;

/* Writes a piece of a line, and up to LABEL_PAD - 1 bytes more; returns its end. */
typedef char *(*lines_put_fn)(const lines *l, char *to, uint32_t size, uint64_t support);

/* A format. Functions except put_tail may be NULL. */
typedef struct item_format {
    const struct file_writer *writer; /* of a binary format; NULL = lines, as follows */
    const char *title;                /* first line of the file, or "" */
    const char *head;                 /* beginning of each line */
    char separator;                   /* between items */
    bool has_plain_tails;             /* the text after the items depends on the support alone */
    const char *quoted_for; /* characters that require quotes; NULL = names are JSON strings */
    const struct item_format *columns; /* csv: the variant with a column per item; otherwise NULL */
    LODE_NODISCARD
    lode_status (*names_done)(lines *l); /* called once all items have text */
    lines_put_fn put_lead; /* numbers before the items, which then have columns of their own: the
                              title ends with as many names as the largest pattern has items */
    lines_put_fn put_tail; /* everything after the items, including the line end */
} item_format;

/* The words of the option --write, ending with NULL, and the formats in the same order. */
extern const char *const item_format_names[];
extern const item_format *const item_formats[];

enum {
#define LODE_ITEM_FORMAT(name) +1
    N_ITEM_FORMATS = 0
#include "write/itemsets/formats.def"
#undef LODE_ITEM_FORMAT
};

struct lines {
    labels labels;
    const item_format *format;
    uint64_t n_transactions;
    const char *head;
    bool quote_cell; /* csv: some name requires quotes, so all items cells get them */
};

/* `safe`: protect names from being formulas in a spreadsheet (labels.h). */
LODE_NODISCARD lode_status lines_init(lines *l, mem *m, const lode_dataset *data,
                                      const item_format *format, bool safe);
/* For binary formats: an item is a number of four bytes, its code (of NULL: its id). */
LODE_NODISCARD lode_status lines_init_codes(lines *l, mem *m, uint32_t n_items,
                                            const uint32_t *codes);
void lines_clear(lines *l);

static inline char *lines_put(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

#endif
