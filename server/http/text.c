/* text.c - a growing text buffer, and functions that write JSON
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lode.h"

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

bool text_is_utf8(const char *bytes, size_t n) {
    return lode_text_is_utf8(bytes, n) && (n == 0 || !memchr(bytes, 0, n));
}

void text_json_bytes(text *t, const char *bytes, size_t n) {
    if (!text_reserve(t, LODE_JSON_BYTES(n))) return;
    t->length += lode_json_string(t->data + t->length, bytes, n, true);
    t->data[t->length] = '\0';
}

void text_json_string(text *t, const char *words) {
    if (words) {
        text_json_bytes(t, words, strlen(words));
    } else {
        text_put(t, "null");
    }
}

void text_json_number(text *t, double x) {
    if (!text_reserve(t, LODE_NUMBER_BYTES)) return;
    t->length += lode_json_number(t->data + t->length, x);
    t->data[t->length] = '\0';
}

void text_json_count(text *t, uint64_t n) {
    text_printf(t, "%" PRIu64, n);
}

void text_json_comma(text *t) {
    if (t->length && !strchr("[{:,", t->data[t->length - 1])) text_char(t, ',');
}

void text_json_name(text *t, const char *name) {
    text_json_comma(t);
    text_json_string(t, name);
    text_char(t, ':');
}
