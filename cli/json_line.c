/* json_line.c - see json_line.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "json_line.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool growing_append(growing_text *t, const char *bytes, size_t n) {
    if (n > t->cap - t->n) {
        size_t cap = 2 * t->cap + n + 64;
        char *grown = realloc(t->data, cap);
        if (!grown) return false;
        t->data = grown;
        t->cap = cap;
    }
    if (n > 0) memcpy(t->data + t->n, bytes, n);
    t->n += n;
    return true;
}

void growing_free(growing_text *t) {
    free(t->data);
    *t = (growing_text){0};
}

/* The closing quote of the string that begins after an opening quote; NULL if there is none. */
static const char *string_end(const char *at) {
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1]) at++;
    }
    return *at ? at : NULL;
}

/* The first character behind a value: a comma or a brace. */
static const char *value_end(const char *at) {
    bool in_list = false;
    for (; *at && (in_list || (*at != ',' && *at != '}')); at++) {
        if (*at == '[') in_list = true;
        if (*at == ']') in_list = false;
        if (*at == '"' && !(at = string_end(at + 1))) return NULL;
    }
    return *at ? at : NULL;
}

bool json_next(const char **at, json_value *out) {
    const char *from = *at, *end;
    *at = NULL;
    if (!from || (*from != '{' && *from != ',') || from[1] != '"') return false;
    *out = (json_value){.name = from + 2};
    end = string_end(out->name);
    if (!end || end[1] != ':') return false;
    out->name_bytes = (size_t)(end - out->name);
    out->at = end + 2;
    *at = value_end(out->at);
    return true;
}

bool json_is(const json_value *value, const char *name) {
    return strlen(name) == value->name_bytes && memcmp(name, value->name, value->name_bytes) == 0;
}

static unsigned hex_digit(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* The number in the four digits after \u; 0 if there are fewer. */
static uint32_t hex_number(const char *at) {
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        if (!at[i] || !strchr("0123456789abcdefABCDEF", at[i])) return 0;
        code = code << 4 | hex_digit(at[i]);
    }
    return code;
}

static bool append_code(growing_text *to, uint32_t code) {
    char bytes[4];
    size_t n = 0;
    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xc0 | code >> 6);
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xe0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (code & 0x3f));
    }
    return growing_append(to, bytes, n);
}

/* Reads what follows a backslash, and moves *at to its last character. */
static bool append_escaped(const char **at, growing_text *to) {
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *c = *at, *letter = strchr(letters, *c);
    if (*c != 'u') return growing_append(to, letter ? &meanings[letter - letters] : c, 1);
    uint32_t code = hex_number(c + 1);
    *at = c + (strlen(c) > 4 ? 4 : strlen(c) - 1);
    bool high = code >= 0xd800 && code < 0xdc00, more = (*at)[1] == '\\' && (*at)[2] == 'u';
    uint32_t low = high && more ? hex_number(*at + 3) : 0;
    if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        *at += 6;
    }
    return append_code(to, code);
}

bool json_word(const char **at, growing_text *to) {
    const char *c = *at;
    if (*c != '"') {
        size_t n = strcspn(c, ",]}");
        *at = c + n;
        return n > 0 && *c != '[' && *c != '{' && growing_append(to, c, n);
    }
    for (c++; *c && *c != '"'; c++) {
        bool fine = true;
        if (*c == '\\' && c[1]) {
            c++;
            fine = append_escaped(&c, to);
        } else {
            fine = growing_append(to, c, 1);
        }
        if (!fine) return false;
    }
    *at = *c ? c + 1 : c;
    return *c != 0;
}

bool json_number(const json_value *value, double *out) {
    char *end;
    *out = strtod(value->at, &end);
    return end > value->at;
}
