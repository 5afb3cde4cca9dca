/* utf8.h - names as UTF-8
 *
 * Names are bytes, and mostly UTF-8, which JSON, XML and Graphviz require. A byte that is not UTF-8
 * is taken for Latin-1, the usual encoding of such files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_UTF8_H
#define LODE_BASE_UTF8_H

#include "base/vec.h"

typedef struct utf8_char {
    char bytes[4];
    unsigned n;     /* how many bytes it has */
    unsigned taken; /* how many bytes of the name it stands for */
} utf8_char;

/* The first character of a name of n > 0 bytes. */
utf8_char utf8_next(const char *name, size_t n);

/* Appends a name as a JSON string, with its quotes. */
LODE_NODISCARD lode_status utf8_put_json(mem *m, vec_char *to, const char *name, size_t n);
/* Appends text in quotes, which double those within it. */
LODE_NODISCARD lode_status utf8_put_quoted(mem *m, vec_char *to, const char *text, size_t n);
/* Appends text with < > & " escaped for XML and HTML. */
LODE_NODISCARD lode_status utf8_put_xml(mem *m, vec_char *to, const char *words, size_t n);

#endif
