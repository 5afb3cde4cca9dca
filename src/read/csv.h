/* csv.h - splits records into fields, as in RFC 4180, with any one character as separator
 *
 *     bread, "milk, fresh" ,"says ""hi""",
 *     ^field ^field         ^field         ^empty field
 *
 * A quoted field begins with a quote, after optional blanks. Within quotes, a doubled quote stands
 * for a quote, and a line end is text. Blanks around an unquoted field are removed. If a quoted
 * field has line ends, its closing quote must be followed by a separator or a line end, and must
 * come within CSV_QUOTE_LINES lines and CSV_QUOTE_BYTES bytes. Otherwise the opening quote is
 * stray: its line is malformed, and the next record begins after this line. So a stray quote costs
 * one line, however many quotes follow. csv_cut() and csv_next() agree on the end of every record,
 * including malformed records, so the result does not depend on the size of the blocks.
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
    const char *at; /* the start of the field in the record */
    bool quoted;
    bool last; /* the last field of its record */
} csv_field;

typedef struct csv_cursor {
    const char *at, *end;
    const char *record; /* start of the current record */
    char separator;
    mem *mem;
    vec_char *unquoted; /* buffer for fields with doubled quotes */
    /* set to true if lines may end with CR alone; lines must then be counted again */
    bool *bare;
    const char *bad_at; /* the place of the error, after PARSE */
    const char *bad;    /* the message about the error, after PARSE */
} csv_cursor;

/* Finds where records end. It is an input_cut_fn. */
size_t csv_cut(const char *text, size_t n, char separator, cut_what what);

/* Begins a record; returns false at the end of the text. */
bool csv_begin(csv_cursor *c);

/* Reads the next field of the record. Errors: PARSE (see bad_at), NOMEM, BUDGET. */
LODE_NODISCARD lode_status csv_next(csv_cursor *c, csv_field *field);

/* Records an error at a place of the record, and returns PARSE. */
lode_status csv_malformed(csv_cursor *c, const char *at, const char *what);

/* Moves to the end of the current record, even if it is malformed. */
void csv_skip(csv_cursor *c);

/* Returns whether the current record is a part of a printed table: a ruler such as ------,---- or
 * "(3 rows affected)", as sqlcmd writes them. Called after csv_begin(). */
bool csv_is_drawn(const csv_cursor *c);

/* Returns whether a record is blank: it has no text, no separator and no quote. */
static inline bool csv_is_blank(const csv_field *first) {
    return first->last && first->n == 0 && !first->quoted;
}

#endif
