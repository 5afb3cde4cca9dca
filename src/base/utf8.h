/* utf8.h - names as UTF-8
 *
 * Names are bytes, mostly UTF-8, which JSON, XML and Graphviz require. A byte that is not valid
 * UTF-8 is taken for Latin-1, the usual encoding of such files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_UTF8_H
#define LODE_BASE_UTF8_H

#include "base/vec.h"

typedef struct utf8_char {
    char bytes[4];
    unsigned n;     /* how many bytes it has */
    unsigned taken; /* number of bytes of the name that it replaces */
} utf8_char;

/* The first character of a name of n > 0 bytes. */
utf8_char utf8_next(const char *name, size_t n);

/* Its number: the code point or, for a byte that is not UTF-8, UTF8_CODES + byte. */
#define UTF8_CODES 0x110000U
uint32_t utf8_code(const char *name, size_t n, unsigned *taken);

/* Whether the character could control a terminal, or reorder the text after it: control characters,
 * including those of 8 bits, and characters that change the direction of text. */
bool utf8_steers(utf8_char c);
/* Copies n bytes of text and replaces each such character by ?; with `lines`, line ends and tabs
 * stay. Returns the number of bytes written, at most n. `to` may be `text`. */
size_t utf8_copy_printable(char *to, const char *text, size_t n, bool lines);

/* Whether a spreadsheet could take a cell that begins with this name for a formula: = + - @, also
 * in full width, and control characters, after which it may look for these. */
bool utf8_is_formula(const char *name, size_t n);
/* Puts an apostrophe before such a name, so that spreadsheets show it as text. */
LODE_NODISCARD lode_status utf8_mark_formula(mem *m, vec_char *name);

/* Writes one character within a JSON string; returns its bytes, at most UTF8_JSON_BYTES.
 * `html`: as in lode_json_string(). */
#define UTF8_JSON_BYTES 6
unsigned utf8_write_json(char *to, utf8_char c, bool html);
/* Appends a name as a JSON string, with its quotes. */
LODE_NODISCARD lode_status utf8_put_json(mem *m, vec_char *to, const char *name, size_t n);
/* Appends text in quotes, doubling quotes inside it. */
LODE_NODISCARD lode_status utf8_put_quoted(mem *m, vec_char *to, const char *text, size_t n);
/* Appends text with < > & " escaped for XML and HTML. */
LODE_NODISCARD lode_status utf8_put_xml(mem *m, vec_char *to, const char *words, size_t n);

#endif
