/* cells.h - classifies a cell of a table: true or false, a count, a price, a date, a name
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_CELLS_H
#define LODE_READ_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cell_kind {
    CELL_BLANK,    /* empty, or a word for a missing value: NaN, NA, NULL, ?, - */
    CELL_ZERO,     /* 0, 0.0 */
    CELL_ONE,      /* 1, 1.0 */
    CELL_WORD,     /* true, false, t, f, yes, no, and the like in other languages */
    CELL_MARK,     /* x */
    CELL_LETTER,   /* y, n, j */
    CELL_COUNT,    /* a whole number above 1 */
    CELL_DECIMAL,  /* any other number above 0, perhaps with a currency sign */
    CELL_NEGATIVE, /* a number below 0 */
    CELL_DATE,     /* a date, a time or both */
    CELL_TEXT,
    CELL_KINDS
} cell_kind;

/* Returns the kind of a cell. *yes receives whether the cell means true in a onehot table: it is a
 * word for true, or a number above 0. */
cell_kind cell_look(const char *cell, size_t n, bool *yes);

/* The items of a cell that is a list: "bread, milk", {bread,milk}, ['bread', 'milk']. */
typedef struct cell_list {
    const char *at, *end;
    char separator;
} cell_list;

/* Begins with a cell, without the brackets around its items. */
cell_list cell_list_of(const char *cell, size_t n, char separator);
/* Lends the next item, without blanks and quotes around it; returns false at the end. Empty items
 * are passed over. */
bool cell_list_next(cell_list *list, const char **text, size_t *n);

/* Returns the meaning of a cell in a onehot table: 1, 0, or -1 if the cell is neither. */
static inline int cell_truth(const char *cell, size_t n) {
    if (n == 0) return 0;
    if (n == 1 && (*cell == '0' || *cell == '1')) return *cell == '1';
    bool yes;
    cell_kind kind = cell_look(cell, n, &yes);
    return kind == CELL_DATE || kind == CELL_TEXT ? -1 : yes;
}

#endif
