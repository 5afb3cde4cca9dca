/* json_line.h - reads the lines that lode writes with -w jsonl: an object without objects in it
 *
 *     {"body":["a","b"],"head":["c"],"count":45,"confidence":0.9,"leverage":null}
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_JSON_LINE_H
#define LODE_CLI_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* A text that grows. */
typedef struct growing_text {
    char *data;
    size_t n, cap;
} growing_text;

/* Appends bytes; false: no memory. */
bool growing_append(growing_text *t, const char *bytes, size_t n);
void growing_free(growing_text *t);

/* The beginning of a value. */
typedef struct json_value {
    const char *name; /* its key, still in JSON, without the quotes */
    size_t name_bytes;
    const char *at; /* the first character of the value */
} json_value;

/* Finds the next key and value. *at is the start of the line at first, and NULL after the last
 * value. */
bool json_next(const char **at, json_value *out);
/* Whether the key is this plain word. */
bool json_is(const json_value *value, const char *name);
/* Reads the string or number at *at, appends it to `to`, and moves *at behind it. Returns false if
 * there is neither or no memory. */
bool json_word(const char **at, growing_text *to);
/* The value as a number; false if it is no number, as null. */
bool json_number(const json_value *value, double *out);

#endif
