/* csv.h - fields of a record, as in RFC 4180, with any one character as separator
 *
 *     bread, "milk, fresh" ,"says ""hi""",
 *     ^field ^field         ^field         ^empty field
 *
 * A quote opens only at the beginning of a field, after optional blanks; within quotes, a doubled
 * quote is a quote and a line end is text. Blanks around an unquoted field are removed. If a quoted
 * field has line ends, its closing quote must come before a separator or a line end, and within
 * CSV_QUOTE_LINES lines and CSV_QUOTE_BYTES. Otherwise the opening quote is stray: its line is
 * malformed, and the next record begins after that line. So a stray quote costs one line, however
 * many quotes follow.
 * csv_cut() and csv_next() agree on the end of a record, even of a malformed one, so the result
 * does not depend on the size of the blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_CSV_H
#define LODE_READ_CSV_H

#include "base/vec.h"
#include "read/line_ends.h"

#define CSV_QUOTE_LINES 100
#define CSV_QUOTE_BYTES (64 << 10)

typedef struct csv_field {
    const char *text; /* lent until the next call */
    size_t n;
    const char *at; /* its start in the record */
    bool quoted;
    bool last; /* the last field of its record */
} csv_field;

typedef struct csv_cursor {
    const char *at, *end;
    const char *record; /* start of the current record */
    char separator;
    mem *mem;
    vec_char *unquoted; /* buffer for fields with doubled quotes */
    bool *bare;         /* set if lines may end with CR alone: lines must then be recounted */
    const char *bad_at; /* after PARSE: the place and the message */
    const char *bad;
} csv_cursor;

/* Finds where records end; an input_cut_fn. */
size_t csv_cut(const char *text, size_t n, char separator, cut_what what);

/* Begins a record; false at the end of the text. */
bool csv_begin(csv_cursor *c);

/* The next field of the record. Errors: PARSE (see bad_at), NOMEM, BUDGET. */
LODE_NODISCARD lode_status csv_next(csv_cursor *c, csv_field *field);

/* Records what is malformed at a place of the record, and returns PARSE. */
lode_status csv_malformed(csv_cursor *c, const char *at, const char *what);

/* Moves to the end of the current record, even if it is malformed. */
void csv_skip(csv_cursor *c);

/* A record without text: no separator, no quote. */
static inline bool csv_is_blank(const csv_field *first) {
    return first->last && first->n == 0 && !first->quoted;
}

#endif
