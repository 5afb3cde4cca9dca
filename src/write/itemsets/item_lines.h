/* item_lines.h - writes itemsets as lines of text, in any of the formats
 *
 * A line is  HEAD [LEAD] item SEP item SEP … item TAIL.  The text of every item, with the separator
 * after it, is prepared once, so that writing a pattern only copies a few pieces.
 *
 * Add:   for a format, write a file with an item_format, and add a line to formats.def.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_LINES_H
#define LODE_WRITE_ITEMSETS_ITEM_LINES_H

#include "data/transactions/labels.h"
#include "write/core/csv_style.h"
#include "write/itemsets/item_measures.h"

#define LINES_TAIL_MAX 96                               /* maximum length of a tail or lead */
#define LINES_MORE_MAX (LINES_TAIL_MAX + 2 * LABEL_PAD) /* most that a line adds to its items */

typedef struct lines lines;

/* Writes a piece of a line, and returns its end. May write up to LABEL_PAD - 1 more bytes after the
 * end. */
typedef char *(*lines_put_fn)(const lines *l, char *to, uint32_t size, uint64_t support);

/* Writes the measures of a pattern, and returns their end. */
typedef char *(*lines_put_measures_fn)(const lines *l, char *to, const double *values);

/* A format. Functions except put_tail may be NULL. */
typedef struct item_format {
    /* the writer of a binary format; NULL = the format is text, as the fields below describe */
    const struct file_writer *writer;
    const char *title;      /* the first line of the file, or "" */
    const char *head;       /* the beginning of each line */
    char separator;         /* the character between items */
    bool has_plain_tails;   /* the text after the items depends only on the support */
    const char *quoted_for; /* characters that require quotes; NULL = names are JSON strings */
    /* for csv: the variant with a column per item; otherwise NULL */
    const struct item_format *columns;
    LODE_NODISCARD
    lode_status (*names_done)(lines *l); /* called when all items have their text */
    lines_put_fn put_lead; /* writes the numbers before the items; NULL = none. With put_lead, every
                              item has its own column: the title ends with as many names as the
                              largest pattern has items */
    lines_put_fn put_tail; /* writes the text after the items, including the line end */
    /* Measures are written between the text of put_tail and its last characters, which `closing`
     * repeats; with put_lead, after the lead. */
    lines_put_measures_fn put_measures;
    const char *closing;
} item_format;

/* The words of the option --write, ending with NULL. */
extern const char *const item_format_names[];
/* The formats, in the same order. */
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
    csv_style csv;
    bool quote_cell; /* for csv: some name requires quotes, so all cells with items are quoted */
    item_measures measures; /* that lines have besides the support; none for ordinary results */
};

/* Initialises `l`. For csv, `o` says what is between cells, and whether names get an apostrophe if
 * a spreadsheet could read them as formulas (labels.h). */
LODE_NODISCARD lode_status lines_init(lines *l, mem *m, const lode_dataset *data,
                                      const item_format *format, const lode_write_options *o);
/* Also writes the measures that `o` asks for. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status lines_measure(lines *l, lode_job *job, const lode_dataset *data,
                                         group_contrast *classes, const lode_write_options *o);
/* Returns the most bytes that measures add to a line. */
size_t lines_measure_bytes(const lines *l);
/* Adds measures to the line that ends at `to`, and returns its new end. */
char *lines_put_measures(const lines *l, char *to, const double *values);
/* For binary formats: writes an item as a number of four bytes, its code. If `codes` is NULL, the
 * item's id is used. */
LODE_NODISCARD lode_status lines_init_codes(lines *l, mem *m, uint32_t n_items,
                                            const uint32_t *codes);
void lines_clear(lines *l);

static inline char *lines_put(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

#endif
