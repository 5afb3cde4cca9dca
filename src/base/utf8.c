/* utf8.c - see utf8.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

/* The length of the character at `s`, by the Unicode standard's table of well-formed sequences; 0
 * if it is not well-formed. */
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

utf8_char utf8_next(const char *name, size_t n) {
    const unsigned char *s = (const unsigned char *)name;
    utf8_char c = {.n = utf8_length(s, n)};
    c.taken = c.n;
    memcpy(c.bytes, name, c.n);
    if (c.n == 0) { /* Latin-1 */
        c = (utf8_char){.n = 2, .taken = 1};
        c.bytes[0] = (char)(0xc0 | s[0] >> 6);
        c.bytes[1] = (char)(0x80 | (s[0] & 0x3f));
    }
    return c;
}

lode_status utf8_put_json(mem *m, vec_char *to, const char *name, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_append(m, to, "\"", 1));
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(name + i, n - i);
        unsigned char first = (unsigned char)c.bytes[0];
        if (first < 0x20) {
            LODE_TRY(vec_char_printf(m, to, "\\u%04x", first));
        } else {
            if (first == '"' || first == '\\') LODE_TRY(vec_char_append(m, to, "\\", 1));
            LODE_TRY(vec_char_append(m, to, c.bytes, c.n));
        }
        i += c.taken;
    }
    LODE_TRY(vec_char_append(m, to, "\"", 1));
done:
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
