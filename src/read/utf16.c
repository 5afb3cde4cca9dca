/* utf16.c - see utf16.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/utf16.h"

#include <string.h>

#define UTF16_LEAST 4 /* characters; fewer are no proof */

static unsigned utf16_unit(utf16_kind kind, const unsigned char *at) {
    return kind == UTF16_BIG ? (unsigned)at[0] << 8 | at[1] : (unsigned)at[1] << 8 | at[0];
}

static bool utf16_is_text(unsigned c) {
    return (c >= ' ' && c < 127) || c == '\t' || c == '\n' || c == '\r';
}

/* Three characters in four are ASCII text, and none is a zero or another control character. */
static bool utf16_is_likely(utf16_kind kind, const unsigned char *head, size_t n) {
    size_t ascii = 0;
    size_t units = n / 2;
    for (size_t i = 0; i < units; i++) {
        unsigned unit = utf16_unit(kind, head + 2 * i);
        bool text = utf16_is_text(unit);
        if (!text && unit < 128) return false;
        ascii += text;
    }
    return units >= UTF16_LEAST && 4 * ascii >= 3 * units;
}

utf16_kind utf16_recognise(const unsigned char *head, size_t n) {
    if (n >= 2 && head[0] == 0xff && head[1] == 0xfe) return UTF16_LITTLE;
    if (n >= 2 && head[0] == 0xfe && head[1] == 0xff) return UTF16_BIG;
    if (utf16_is_likely(UTF16_LITTLE, head, n)) return UTF16_LITTLE;
    return utf16_is_likely(UTF16_BIG, head, n) ? UTF16_BIG : UTF16_NOT;
}

bool utf16_is_utf32(const unsigned char *head, size_t n) {
    if (n < 4) return false;
    if (memcmp(head, "\xff\xfe\0", 4) == 0 || memcmp(head, "\0\0\xfe\xff", 4) == 0) return true;
    if (n < 4 * UTF16_LEAST) return false;
    unsigned place = head[0] ? 0 : 3; /* of the only byte of an ASCII character that is not zero */
    for (size_t i = 0; i + 4 <= 4 * UTF16_LEAST; i += 4) {
        for (unsigned k = 0; k < 4; k++) {
            bool good = k == place ? utf16_is_text(head[i + k]) : head[i + k] == 0;
            if (!good) return false;
        }
    }
    return true;
}

void utf16_begin(utf16 *u, utf16_kind kind, const void *head, size_t n) {
    u->kind = kind;
    memcpy(u->raw, head, n);
    u->in = (decode_window){u->raw, u->raw + n};
    if (n >= 2 && utf16_unit(kind, u->raw) == 0xfeff) {
        u->in.at += 2;
        u->used = 2;
    }
}

/* Reads the next character. Returns how many bytes it has; 0 if it is incomplete or damaged. */
static unsigned utf16_character(const utf16 *u, uint32_t *character, const char **damage) {
    size_t held = (size_t)(u->in.end - u->in.at);
    if (held < 2) {
        if (held == 1 && u->ended) *damage = "half of a character";
        return 0;
    }
    unsigned high = utf16_unit(u->kind, u->in.at);
    *character = high;
    if (high < 0xd800 || high > 0xdfff) return 2;
    if (high < 0xdc00 && held < 4 && !u->ended) return 0;
    unsigned low = high < 0xdc00 && held >= 4 ? utf16_unit(u->kind, u->in.at + 2) : 0;
    if (low < 0xdc00 || low > 0xdfff) {
        *damage = "half of a surrogate pair";
        return 0;
    }
    *character = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return 4;
}

static unsigned utf16_write(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    unsigned n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (unsigned i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(0xf00u >> n | c); /* as many ones as there are bytes, then a zero */
    return n;
}

/* Counts lines and columns, for messages. */
static void utf16_note(utf16 *u, uint32_t c, unsigned bytes) {
    bool ends = c == '\r' || (c == '\n' && !u->after_return);
    u->line += ends;
    u->column = c == '\r' || c == '\n' ? 0 : u->column + bytes;
    u->after_return = c == '\r';
}

/* Writes what there is room for, and keeps the rest for the next call. */
static size_t utf16_put(utf16 *u, const char *bytes, unsigned length, char *out, size_t room) {
    size_t n = length < room ? length : room;
    memcpy(out, bytes, n);
    u->n_spill = length - (unsigned)n;
    memmove(u->spill, bytes + n, u->n_spill);
    return n;
}

size_t utf16_run(utf16 *u, char *out, size_t room, const char **damage) {
    const char *found = NULL;
    size_t n = utf16_put(u, u->spill, u->n_spill, out, room);
    while (n < room) {
        char bytes[4];
        uint32_t c;
        unsigned taken = utf16_character(u, &c, &found);
        if (taken == 0) break;
        unsigned length = utf16_write(c, bytes);
        u->in.at += taken;
        u->used += taken;
        utf16_note(u, c, length);
        n += utf16_put(u, bytes, length, out + n, room - n);
    }
    if (n == 0) *damage = found;
    return n;
}
