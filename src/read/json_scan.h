/* json_scan.h - JSON text, value by value, as RFC 8259 has it
 *
 *     {"items": ["milk", 7], "paid": true}
 *     ^OBJECT   ^LIST    ^NUMBER      ^TRUE      json_read() stops after the bracket that opens
 *
 * What:  a cursor that reads one value after the other. Nothing is built: whoever meets a list or
 *        an object walks through it (json_element, json_field), or past it (json_pass).
 * Rules: strict, but that text may be in any encoding that contains ASCII. What is malformed is
 *        noted with its place. Nothing recurses; values may be nested JSON_DEPTH deep.
 * Lent:  the text of a value is lent until the next call, or for ever if it has no escapes.
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
    JSON_NUMBER, /* `text` is as written */
    JSON_STRING, /* `text` is without quotes and escapes */
    JSON_LIST,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind kind;
    const char *text;
    size_t n;
    const char *at; /* where it begins */
} json_value;

typedef struct json_cursor {
    const char *at, *end;
    mem *mem;
    vec_char *scratch;  /* room for texts with escapes */
    const char *bad_at; /* after PARSE: where, and what */
    const char *bad;
} json_cursor;

/* Moves to the next byte that is no blank or line end; false at the end of the text. */
bool json_skip_blanks(json_cursor *c);
/* Notes what is malformed at a place, and returns PARSE. */
lode_status json_malformed(json_cursor *c, const char *at, const char *what);

/* Reads a value; of a list or an object, only the bracket that opens it. Errors: PARSE, NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status json_read(json_cursor *c, json_value *out);

/* The next element of a list, or the next field of an object, whose key is a string. `first`: the
 * bracket was just read. *more is false at the end of the list or object. */
LODE_NODISCARD lode_status json_element(json_cursor *c, bool first, json_value *out, bool *more);
LODE_NODISCARD lode_status json_key(json_cursor *c, bool first, json_value *out, bool *more);

/* Moves past the rest of a value that json_read() has given. */
LODE_NODISCARD lode_status json_pass(json_cursor *c, const json_value *value);

/* Whether a text with an end is the text of the value. */
static inline bool json_is(const json_value *v, const char *text) {
    return strlen(text) == v->n && memcmp(v->text, text, v->n) == 0;
}

#endif
