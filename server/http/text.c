/* text.c - a text that grows, and the JSON that goes out
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_free(text *t) {
    free(t->data);
    *t = (text)TEXT_INIT;
}

void text_clear(text *t) {
    t->length = 0;
    t->failed = false;
    if (t->data) t->data[0] = '\0';
}

static bool text_reserve(text *t, size_t more) {
    if (t->failed) return false;
    if (more < t->room - t->length) return true;
    size_t room = t->room < 256 ? 256 : t->room;
    while (room - t->length <= more) {
        if (room > SIZE_MAX / 2) {
            t->failed = true;
            return false;
        }
        room *= 2;
    }
    char *data = realloc(t->data, room);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->room = room;
    return true;
}

void text_add(text *t, const char *bytes, size_t n) {
    if (!text_reserve(t, n)) return;
    if (n) memcpy(t->data + t->length, bytes, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void text_put(text *t, const char *words) {
    text_add(t, words, strlen(words));
}

void text_char(text *t, char c) {
    text_add(t, &c, 1);
}

void text_printf(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && text_reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    } else if (n < 0) {
        t->failed = true;
    }
    va_end(again);
}

/* The length of the UTF-8 character at the start of these bytes; 0: there is none. Overlong forms,
 * surrogates and what is above U+10FFFF are none. */
static size_t utf8_length(const unsigned char *s, size_t n) {
    size_t length = s[0] < 0x80                   ? 1
                    : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                    : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                    : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                                  : 0;
    if (length == 0 || length > n) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return length;
}

bool text_is_utf8(const char *bytes, size_t n) {
    const unsigned char *s = (const unsigned char *)bytes;
    while (n) {
        size_t length = utf8_length(s, n);
        if (length == 0 || *s == 0) return false;
        s += length;
        n -= length;
    }
    return true;
}

static bool json_is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

static void put_escape(text *t, unsigned c) {
    if (c == '"' || c == '\\') {
        text_char(t, '\\');
        text_char(t, (char)c);
    } else if (c == '\n') {
        text_put(t, "\\n");
    } else {
        text_printf(t, "\\u%04x", c);
    }
}

/* U+2028 and U+2029 end a line of a script, and others do not. */
static bool is_line_separator(const unsigned char *s, size_t length) {
    return length == 3 && s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9);
}

void text_json_bytes(text *t, const char *bytes, size_t n) {
    const unsigned char *s = (const unsigned char *)bytes, *end = s + n;
    text_char(t, '"');
    while (s < end) {
        const unsigned char *plain = s;
        while (s < end && json_is_plain(*s)) s++;
        if (s > plain) text_add(t, (const char *)plain, (size_t)(s - plain));
        if (s == end) break;
        size_t length = utf8_length(s, (size_t)(end - s));
        if (length == 0) { /* a letter of Latin-1, as the worker has it */
            put_escape(t, *s);
            length = 1;
        } else if (is_line_separator(s, length)) {
            put_escape(t, s[2] == 0xA8 ? 0x2028 : 0x2029);
        } else if (length > 1) {
            text_add(t, (const char *)s, length);
        } else {
            put_escape(t, *s);
        }
        s += length;
    }
    text_char(t, '"');
}

void text_json_string(text *t, const char *words) {
    if (words) {
        text_json_bytes(t, words, strlen(words));
    } else {
        text_put(t, "null");
    }
}

void text_json_number(text *t, double x) {
    char digits[40];
    if (isnan(x)) {
        text_put(t, "null");
        return;
    }
    if (isinf(x)) {
        text_put(t, x > 0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, x);
        if (strtod(digits, NULL) == x) break;
    }
    text_put(t, digits);
}

void text_json_count(text *t, uint64_t n) {
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    text_add(t, digits + at, sizeof digits - at);
}

void text_json_bool(text *t, bool yes) {
    text_put(t, yes ? "true" : "false");
}

void text_json_comma(text *t) {
    if (t->length && !strchr("[{:,", t->data[t->length - 1])) text_char(t, ',');
}

void text_json_name(text *t, const char *name) {
    text_json_comma(t);
    text_json_string(t, name);
    text_char(t, ':');
}
