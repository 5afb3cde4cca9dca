/* labels.h - the text of every item, prepared so that writing a pattern is copying pieces
 *
 * A label is the name of an item, quoted if the format needs it, and a separator:
 *
 *     text     milk|bread|"a|b"|…        items   by id: start and length
 *
 * Pieces are copied in steps of a fixed size, so a copy may read and write up to LABEL_PAD - 1
 * bytes after its end. Most pieces take one step, without a branch that depends on the length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_LABELS_H
#define LODE_DATA_TRANSACTIONS_LABELS_H

#include "data/transactions/dataset.h"

#define LABEL_PAD 64 /* readable bytes after every piece, because copies may overshoot */

/* The format of labels. */
typedef struct label_style {
    char separator;         /* after each name */
    const char *quoted_for; /* characters that require quotes; NULL = names are JSON strings */
    bool safe;              /* names that look like formulas get an apostrophe */
    bool utf8;              /* names in Latin-1 are converted, as JSON strings always are */
} label_style;

typedef struct label {
    uint64_t at;
    uint32_t length; /* including the separator */
} label;

typedef struct labels {
    mem *mem;
    label *items; /* by item id */
    uint32_t n_items;
    uint32_t longest; /* the largest length */
    vec_char text;
} labels;

/* Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status labels_init(labels *l, mem *m, const lode_dataset *data,
                                       const label_style *style);
/* For binary output: makes each label a number of four bytes, the item's code. If `codes` is NULL,
 * the item's id is used. */
LODE_NODISCARD lode_status labels_init_codes(labels *l, mem *m, uint32_t n_items,
                                             const uint32_t *codes);
void labels_clear(labels *l);

/* For csv with several items in a cell: if any label has the separator of cells or a quote, every
 * cell is quoted, and quotes within labels are doubled. *quoted receives whether cells are
 * quoted. */
LODE_NODISCARD lode_status labels_quote_cells(labels *l, char comma, bool *quoted);

/* Copies n bytes, and up to LABEL_PAD - 1 bytes more. */
static inline char *label_copy_text(char *to, const char *from, size_t n) {
    memcpy(to, from, LABEL_PAD);
    for (size_t i = LABEL_PAD; i < n; i += LABEL_PAD) memcpy(to + i, from + i, LABEL_PAD);
    return to + n;
}

/* Copies the label of an item. A step is 16 bytes, because most labels are short. */
static inline char *label_copy(const labels *l, char *to, uint32_t id) {
    label piece = l->items[id];
    const char *from = l->text.data + piece.at;
    memcpy(to, from, 16);
    for (size_t i = 16; i < piece.length; i += 16) memcpy(to + i, from + i, 16);
    return to + piece.length;
}

#endif
