/* utf8.c - see utf8.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

/* Returns the length of the character at `s`, by the Unicode table of well-formed sequences; 0 if
 * it is malformed. */
static unsigned utf8_length(const unsigned char *s, size_t n) {
    unsigned char low = 0x80, high = 0xbf; /* range of the second byte */
    unsigned length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] > 0xf4 || length > n) return 0;
    if (s[0] == 0xe0) low = 0xa0;  /* no encodings longer than needed */
    if (s[0] == 0xed) high = 0x9f; /* no surrogates */
    if (s[0] == 0xf0) low = 0x90;
    if (s[0] == 0xf4) high = 0x8f; /* the end of Unicode */
    if (length > 1 && (s[1] < low || s[1] > high)) return 0;
    for (unsigned i = 2; i < length; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf) return 0;
    }
    return length;
}

/* The characters of the bytes from 0x80 to 0x9f in Windows-1252. Five bytes have none, and stand
 * for the control characters that they are in Latin-1. */
static const uint16_t utf8_windows[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

uint32_t utf8_of_byte(unsigned char byte) {
    return byte >= 0x80 && byte < 0xa0 ? utf8_windows[byte - 0x80] : byte;
}

utf8_char utf8_next(const char *name, size_t n) {
    const unsigned char *s = (const unsigned char *)name;
    utf8_char c = {.n = utf8_length(s, n)};
    c.taken = c.n;
    memcpy(c.bytes, name, c.n);
    if (c.n == 0) {
        uint32_t code = utf8_of_byte(s[0]);
        c = (utf8_char){.n = code < 0x800 ? 2 : 3, .taken = 1};
        c.bytes[0] = (char)(code < 0x800 ? 0xc0 | code >> 6 : 0xe0 | code >> 12);
        if (c.n == 3) c.bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        c.bytes[c.n - 1] = (char)(0x80 | (code & 0x3f));
    }
    return c;
}

uint32_t utf8_code(const char *name, size_t n, unsigned *taken) {
    const unsigned char *s = (const unsigned char *)name;
    unsigned length = utf8_length(s, n);
    *taken = length > 0 ? length : 1;
    if (length == 0) return UTF8_CODES + s[0];
    if (length == 1) return s[0];
    uint32_t code = s[0] & (0xffU >> (length + 1));
    for (unsigned i = 1; i < length; i++) code = code << 6 | (s[i] & 0x3fU);
    return code;
}

bool utf8_is_windows(const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(text + i, n - i);
        if (c.taken < c.n && (unsigned char)text[i] < 0xa0) return true;
        i += c.taken;
    }
    return false;
}

bool utf8_steers(utf8_char c) {
    const unsigned char *s = (const unsigned char *)c.bytes;
    if (c.n == 1) return s[0] < 0x20 || s[0] == 0x7f;
    if (c.n == 2) return s[0] == 0xc2 && s[1] < 0xa0; /* C1 */
    if (c.n != 3 || s[0] != 0xe2) return false;
    bool embeds = s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae;      /* U+202A to U+202E */
    return embeds || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9); /* U+2066 to U+2069 */
}

size_t utf8_copy_printable(char *to, const char *text, size_t n, bool lines) {
    char *start = to;
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(text + i, n - i);
        bool raw = c.taken < c.n && (unsigned char)text[i] < 0xa0; /* C1 for old terminals */
        if ((raw || utf8_steers(c)) && !(lines && (text[i] == '\n' || text[i] == '\t'))) {
            *to++ = '?';
        } else {
            memmove(to, text + i, c.taken);
            to += c.taken;
        }
        i += c.taken;
    }
    return (size_t)(to - start);
}

bool utf8_is_formula(const char *name, size_t n) {
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                       "\xef\xbc\xa0"}; /* ＝ ＋ － ＠ */
    if (n == 0) return false;
    if ((unsigned char)name[0] < 0x20 || strchr("=+-@", name[0])) return true;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (n >= 3 && memcmp(name, wide[i], 3) == 0) return true;
    }
    return false;
}

lode_status utf8_mark_formula(mem *m, vec_char *name) {
    if (!utf8_is_formula(name->data, name->n)) return LODE_OK;
    lode_status status = vec_char_append(m, name, "'", 1);
    if (status != LODE_OK) return status;
    memmove(name->data + 1, name->data, name->n - 1);
    name->data[0] = '\'';
    return LODE_OK;
}

unsigned utf8_write_json(char *to, utf8_char c, bool html) {
    static const char digits[] = "0123456789abcdef";
    unsigned char first = (unsigned char)c.bytes[0];
    bool ends_line = c.n == 3 && memcmp(c.bytes, "\xe2\x80", 2) == 0 && (c.bytes[2] & 0xfe) == 0xa8;
    if (first < 0x20 || (html && (ends_line || memchr("<>&\x7f", first, 4)))) {
        unsigned code = ends_line ? 0x2000 | (c.bytes[2] & 0x3f) : first;
        memcpy(to, "\\u", 2);
        for (unsigned i = 0; i < 4; i++) to[2 + i] = digits[code >> (12 - 4 * i) & 15];
        return 6;
    }
    unsigned n = first == '"' || first == '\\';
    if (n) *to = '\\';
    memcpy(to + n, c.bytes, c.n);
    return n + c.n;
}

size_t lode_json_string(char *to, const char *bytes, size_t n, bool html) {
    char *start = to;
    if (!to) return 0;
    *to++ = '"';
    for (size_t i = 0; bytes && i < n;) {
        utf8_char c = utf8_next(bytes + i, n - i);
        to += utf8_write_json(to, c, html);
        i += c.taken;
    }
    *to++ = '"';
    return (size_t)(to - start);
}

lode_status utf8_put_json(mem *m, vec_char *to, const char *name, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_append(m, to, "\"", 1));
    for (size_t i = 0; i < n;) {
        char escaped[UTF8_JSON_BYTES];
        utf8_char c = utf8_next(name + i, n - i);
        LODE_TRY(vec_char_append(m, to, escaped, utf8_write_json(escaped, c, false)));
        i += c.taken;
    }
    LODE_TRY(vec_char_append(m, to, "\"", 1));
done:
    return status;
}

bool lode_text_is_utf8(const char *bytes, size_t n) {
    const unsigned char *s = (const unsigned char *)bytes;
    unsigned length = 1;
    for (size_t i = 0; bytes && i < n && length > 0; i += length) {
        length = utf8_length(s + i, n - i);
    }
    return length > 0;
}

lode_status utf8_convert(mem *m, vec_char *name) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    if (lode_text_is_utf8(name->data, name->n)) return LODE_OK;
    for (size_t i = 0; i < name->n;) {
        utf8_char c = utf8_next(name->data + i, name->n - i);
        LODE_TRY(vec_char_append(m, &text, c.bytes, c.n));
        i += c.taken;
    }
    vec_char old = *name;
    *name = text;
    text = old;
done:
    vec_char_free(m, &text);
    return status;
}

lode_status utf8_put_quoted(mem *m, vec_char *to, const char *text, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_append(m, to, "\"", 1));
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') LODE_TRY(vec_char_append(m, to, "\"", 1));
        LODE_TRY(vec_char_append(m, to, text + i, 1));
    }
    LODE_TRY(vec_char_append(m, to, "\"", 1));
done:
    return status;
}

lode_status utf8_put_xml(mem *m, vec_char *text, const char *words, size_t n) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(words + i, n - i);
        const char *escaped = c.bytes[0] == '<'   ? "&lt;"
                              : c.bytes[0] == '>' ? "&gt;"
                              : c.bytes[0] == '&' ? "&amp;"
                              : c.bytes[0] == '"' ? "&quot;"
                                                  : NULL;
        bool control = c.n == 1 && (unsigned char)c.bytes[0] < 0x20 && c.bytes[0] != '\t';
        if (control) escaped = "&#xfffd;"; /* XML has no way to write it */
        LODE_TRY(escaped ? vec_char_append(m, text, escaped, strlen(escaped))
                         : vec_char_append(m, text, c.bytes, c.n));
        i += c.taken;
    }
done:
    return status;
}
