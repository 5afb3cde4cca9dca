/* csv.h - fields of a record, as in RFC 4180, with any one character as separator
 *
 *     bread, "milk, fresh" ,"says ""hi""",
 *     ^field ^field         ^field         ^empty field
 *
 * A quote opens only where a field begins (blanks before it do not count); inside, a doubled quote
 * is a quote and a line end is text. Blanks around a field that is not quoted are not part of it.
 * A field with line ends must close well, that is, before a separator or a line end, within
 * CSV_QUOTE_LINES lines and CSV_QUOTE_BYTES. Otherwise its quote is taken for a stray one: the line
 * in which it opens is malformed, and the next record begins behind that line. So one stray quote
 * costs one line, however many quotes follow.
 * The cutter and the scanner agree on where a record ends even if the record is malformed, so the
 * result does not depend on the size of the blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_CSV_H
#define LODE_FORMAT_CSV_H

#include "base/vec.h"

#define CSV_QUOTE_LINES 100
#define CSV_QUOTE_BYTES (64 << 10)

typedef struct csv_field {
    const char *text; /* lent until the next call */
    size_t n;
    const char *at; /* where it begins in the record */
    bool quoted;
    bool last; /* of its record */
} csv_field;

typedef struct csv_cursor {
    const char *at, *end;
    const char *record; /* start of the record in work */
    char separator;
    mem *mem;
    vec_char *unquoted; /* room for fields with doubled quotes */
    bool *bare;         /* set where line ends may be a CR alone: lines are to be counted again */
    const char *bad_at; /* after PARSE: where, and what */
    const char *bad;
} csv_cursor;

/* Where records end; an input_cut_fn. */
size_t csv_cut(const char *text, size_t n, char separator, bool first);

/* Begins a record; false at the end of the text. */
bool csv_begin(csv_cursor *c);

/* The next field of the record. Errors: PARSE (see bad_at), NOMEM, BUDGET. */
LODE_NODISCARD lode_status csv_next(csv_cursor *c, csv_field *field);

/* Notes what is malformed at a place of the record, and returns PARSE. */
lode_status csv_malformed(csv_cursor *c, const char *at, const char *what);

/* Moves to the end of the record in work, however malformed it is. */
void csv_skip(csv_cursor *c);

/* A record without text: no separator, no quote. */
static inline bool csv_is_blank(const csv_field *first) {
    return first->last && first->n == 0 && !first->quoted;
}

#endif
