/* json_scan.h - a pull parser for JSON (RFC 8259)
 *
 *     {"items": ["milk", 7], "paid": true}
 *     ^OBJECT   ^LIST    ^NUMBER      ^TRUE      json_read() stops after the bracket that opens
 *
 * What:  a cursor reads one value after the other, without building a tree. The caller walks
 *        through a list or an object (json_element, json_key), or skips it (json_pass).
 * Rules: the parser is strict, except that text may be in any encoding that contains ASCII. It
 *        records the place of each error. It does not recurse; values may be nested JSON_DEPTH
 *        deep.
 * Lent:  the text of a value is lent until the next call. A text without escapes points into the
 *        input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_JSON_SCAN_H
#define LODE_READ_JSON_SCAN_H

#include "base/vec.h"

#define JSON_DEPTH 64

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER, /* `text` is as in the input */
    JSON_STRING, /* `text` is without quotes and escapes */
    JSON_LIST,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind kind;
    const char *text;
    size_t n;
    const char *at; /* the start of the value */
} json_value;

typedef struct json_cursor {
    const char *at, *end;
    mem *mem;
    vec_char *scratch;  /* buffer for texts with escapes */
    const char *bad_at; /* the place of the error, after PARSE */
    const char *bad;    /* the message about the error, after PARSE */
} json_cursor;

/* Moves to the next byte that is not a blank or a line end; returns false at the end of the
 * text. */
bool json_skip_blanks(json_cursor *c);
/* Records an error at a place, and returns PARSE. */
lode_status json_malformed(json_cursor *c, const char *at, const char *what);

/* Reads a value. Of a list or an object, only the opening bracket is read. Errors: PARSE, NOMEM,
 * BUDGET.
 */
LODE_NODISCARD lode_status json_read(json_cursor *c, json_value *out);

/* Reads the next element of a list. `first` must be true if only the bracket was read so far. *more
 * becomes false at the end of the list. */
LODE_NODISCARD lode_status json_element(json_cursor *c, bool first, json_value *out, bool *more);
/* Reads the key of the next field of an object, in the same way. */
LODE_NODISCARD lode_status json_key(json_cursor *c, bool first, json_value *out, bool *more);

/* Skips the rest of a value returned by json_read(). */
LODE_NODISCARD lode_status json_pass(json_cursor *c, const json_value *value);

/* Returns whether the text of a value equals a zero-terminated text. */
static inline bool json_is(const json_value *v, const char *text) {
    return strlen(text) == v->n && memcmp(v->text, text, v->n) == 0;
}

#endif
