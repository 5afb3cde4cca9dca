/* utf8.h - reads and writes names as UTF-8
 *
 * JSON, XML and Graphviz require UTF-8, but names may consist of any bytes. A byte that is not
 * valid UTF-8 is read as Latin-1 in the form of Windows (Windows-1252, with characters such as the
 * euro sign from 0x80 to 0x9f), which is the usual encoding of files that are not UTF-8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_UTF8_H
#define LODE_BASE_UTF8_H

#include "base/vec.h"

typedef struct utf8_char {
    char bytes[4];
    unsigned n;     /* number of entries of `bytes` in use */
    unsigned taken; /* number of bytes of the name that the character replaces */
} utf8_char;

/* Returns the first character of a name of n > 0 bytes. */
utf8_char utf8_next(const char *name, size_t n);

/* Returns the code point of a byte in Windows-1252. */
uint32_t utf8_of_byte(unsigned char byte);

/* Returns the number of the first character: its code point or, for a byte that is not valid UTF-8,
 * UTF8_CODES + byte. *taken receives the number of bytes that the character takes in the name. */
#define UTF8_CODES 0x110000U
uint32_t utf8_code(const char *name, size_t n, unsigned *taken);

/* Returns whether text has bytes from 0x80 to 0x9f that are not part of UTF-8: then it is
 * Windows-1252 rather than Latin-1. */
bool utf8_is_windows(const char *text, size_t n);

/* Returns whether the character could control a terminal or reorder the text after it. This
 * includes control characters of 7 and 8 bits, and characters that change the direction of text. */
bool utf8_steers(utf8_char c);
/* Copies n bytes of text, and replaces each character for which utf8_steers() is true by "?". With
 * `lines`, line ends and tabs are kept. Returns the number of bytes written, at most n. `to` may be
 * `text`. */
size_t utf8_copy_printable(char *to, const char *text, size_t n, bool lines);

/* Returns whether a spreadsheet could read a cell that begins with this name as a formula. This is
 * so for names that begin with = + - @ (including their full-width forms) or with a control
 * character, which a spreadsheet may skip. */
bool utf8_is_formula(const char *name, size_t n);
/* Puts an apostrophe before a name that could be read as a formula, so that spreadsheets show it as
 * text. */
LODE_NODISCARD lode_status utf8_mark_formula(mem *m, vec_char *name);

/* Converts bytes of a name that are not UTF-8 as utf8_next() does, so that all of it is UTF-8. */
LODE_NODISCARD lode_status utf8_convert(mem *m, vec_char *name);

/* Writes one character of a JSON string, and returns how many bytes were written (at most
 * UTF8_JSON_BYTES). `html` has the same meaning as in lode_json_string(). */
#define UTF8_JSON_BYTES 6
unsigned utf8_write_json(char *to, utf8_char c, bool html);
/* Appends a name as a JSON string, including the quotes. */
LODE_NODISCARD lode_status utf8_put_json(mem *m, vec_char *to, const char *name, size_t n);
/* Appends text in quotes, and doubles each quote inside the text. */
LODE_NODISCARD lode_status utf8_put_quoted(mem *m, vec_char *to, const char *text, size_t n);
/* Appends text with < > & " escaped for XML and HTML. */
LODE_NODISCARD lode_status utf8_put_xml(mem *m, vec_char *to, const char *words, size_t n);

#endif
