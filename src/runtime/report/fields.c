/* fields.c - see fields.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/report/fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Hands over the first n bytes of the buffer. */
static void fields_hand_over(fields_out *out, size_t n) {
    if (n == 0) return;
    if (!out->stopped) out->stopped = out->write(out->user, out->buffer, n) != 0;
    out->n -= n;
    memmove(out->buffer, out->buffer + n, out->n);
}

/* Hands over all up to the last line end; everything, if there is none. */
static void fields_make_room(fields_out *out) {
    size_t n = out->n;
    while (n > 0 && out->buffer[n - 1] != '\n') n--;
    fields_hand_over(out, n > 0 ? n : out->n);
}

void fields_put(fields_out *out, const char *text, size_t n) {
    while (n > 0) {
        if (out->n == FIELDS_BUFFER) fields_make_room(out);
        size_t room = FIELDS_BUFFER - out->n, part = n < room ? n : room;
        memcpy(out->buffer + out->n, text, part);
        out->n += part;
        text += part;
        n -= part;
    }
}

void fields_print(fields_out *out, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fields_put(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

lode_status fields_flush(fields_out *out) {
    fields_hand_over(out, out->n);
    return out->stopped ? LODE_STOPPED : LODE_OK;
}

/* What is not UTF-8 is taken for Latin-1, as in results. */
static void fields_put_json_text(fields_out *out, const char *text) {
    size_t n = strlen(text);
    fields_put(out, "\"", 1);
    while (n > 0) {
        utf8_char c = utf8_next(text, n);
        unsigned char first = (unsigned char)c.bytes[0];
        if (c.n == 1 && (first < 0x20 || first == 0x7f)) {
            fields_print(out, "\\u%04x", first);
        } else {
            if (c.n == 1 && (first == '"' || first == '\\')) fields_put(out, "\\", 1);
            fields_put(out, c.bytes, c.n);
        }
        text += c.taken;
        n -= c.taken;
    }
    fields_put(out, "\"", 1);
}

static void fields_put_plain_text(fields_out *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '\t': fields_put(out, "\\t", 2); break;
        case '\n': fields_put(out, "\\n", 2); break;
        case '\\': fields_put(out, "\\\\", 2); break;
        default: fields_put(out, text, 1);
        }
    }
}

static void fields_put_text(fields_out *out, const char *text, bool json) {
    if (json) {
        fields_put_json_text(out, text);
    } else {
        fields_put_plain_text(out, text);
    }
}

static void fields_put_real(fields_out *out, const char *format, double value) {
    char text[64];
    if (!isfinite(value)) value = 0; /* JSON has only finite numbers */
    int n = snprintf(text, sizeof text, format, value);
    fields_put(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static void fields_put_value(fields_out *out, const lode_counter *v, bool json) {
    switch (v->unit) {
    case LODE_UNIT_TEXT: fields_put_text(out, v->text, json); break;
    case LODE_UNIT_SECONDS: fields_put_real(out, "%.6f", v->number); break;
    case LODE_UNIT_NUMBER: fields_put_real(out, "%.6g", v->number); break;
    case LODE_UNIT_FLAG: fields_print(out, v->count ? "true" : "false"); break;
    case LODE_UNIT_COUNT:
    case LODE_UNIT_BYTES:
    case LODE_UNIT_BANDWIDTH:
        if (v->count == UINT64_MAX) {
            fields_put_text(out, "unlimited", json);
        } else {
            fields_print(out, "%llu", (unsigned long long)v->count);
        }
    }
}

void fields_put_json(fields_out *out, const lode_counter *value) {
    fields_put_value(out, value, true);
}

void fields_put_plain(fields_out *out, const lode_counter *value) {
    fields_put_value(out, value, false);
}
