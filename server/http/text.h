/* text.h - a growing text buffer, and functions that write JSON
 *
 * If memory runs out, the text is marked `failed`; checking once at the end is enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TEXT_H
#define LODE_SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text {
    char *data; /* ends with NUL where it is not NULL */
    size_t length, room;
    bool failed; /* out of memory: the text is incomplete */
} text;

#define TEXT_INIT                                                                                  \
    { NULL, 0, 0, false }

void text_free(text *t);
void text_clear(text *t);
void text_add(text *t, const char *bytes, size_t n);
void text_put(text *t, const char *words);
void text_char(text *t, char c);
void text_printf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Any bytes as a JSON string, escaped so that it is safe inside HTML: lode_json_string(). */
void text_json_bytes(text *t, const char *bytes, size_t n);
void text_json_string(text *t, const char *words); /* NULL: null */
/* lode_json_number(): NaN is null, infinity "inf" or "-inf". */
void text_json_number(text *t, double x);
void text_json_count(text *t, uint64_t n);
/* "name": with a comma before it unless it is the first of its object. */
void text_json_name(text *t, const char *name);
/* A comma unless the text ends in one of [ { : or is empty. */
void text_json_comma(text *t);

/* Whether these bytes are UTF-8 without NUL. */
bool text_is_utf8(const char *bytes, size_t n);

#endif
