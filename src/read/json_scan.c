/* json_scan.c - see json_scan.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/json_scan.h"

lode_status json_malformed(json_cursor *c, const char *at, const char *what) {
    c->bad_at = at;
    c->bad = what;
    return LODE_PARSE;
}

bool json_skip_blanks(json_cursor *c) {
    while (c->at < c->end &&
           (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) {
        c->at++;
    }
    return c->at < c->end;
}

/* ---- Strings ---- */

static int json_hex(const char *p, const char *end) {
    int value = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        unsigned char b = (unsigned char)p[i], low = b | 0x20;
        int digit = b >= '0' && b <= '9' ? b - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* Writes a code point as UTF-8. */
static size_t json_put(char *to, uint32_t code) {
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Reads \uXXXX, or two of them for a character beyond U+FFFF; c->at is at its backslash. */
static lode_status json_unicode(json_cursor *c, uint32_t *code) {
    const char *at = c->at;
    int high = json_hex(at + 2, c->end);
    if (high < 0)
        return json_malformed(c, at, "\\u without a number; expected four hexadecimal digits");
    c->at += 6;
    *code = (uint32_t)high;
    if (high == 0) return json_malformed(c, at, "zero byte in a string; expected text");
    if (high < 0xd800 || high > 0xdfff) return LODE_OK;
    int low = high < 0xdc00 && c->end - c->at >= 6 && c->at[0] == '\\' && c->at[1] == 'u'
                  ? json_hex(c->at + 2, c->end)
                  : -1;
    if (low < 0xdc00 || low > 0xdfff) {
        return json_malformed(c, at, "incomplete surrogate pair; expected both halves");
    }
    c->at += 6;
    *code = 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    return LODE_OK;
}

static lode_status json_escape(json_cursor *c) {
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char bytes[4];
    if (c->end - c->at < 2)
        return json_malformed(c, c->at, "unclosed string; expected a closing quote");
    const char *known = memchr(plain, c->at[1], sizeof plain - 1);
    if (known) {
        c->at += 2;
        return vec_char_append(c->mem, c->scratch, &meant[known - plain], 1);
    }
    if (c->at[1] != 'u') {
        return json_malformed(c, c->at,
                              "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f "
                              "\\n \\r \\t \\u");
    }
    uint32_t code;
    lode_status status = json_unicode(c, &code);
    if (status != LODE_OK) return status;
    return vec_char_append(c->mem, c->scratch, bytes, json_put(bytes, code));
}

/* The end of the plain bytes from p on: a quote, a backslash, or a control character. */
static const char *json_plain_end(const char *p, const char *end) {
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20) p++;
    return p;
}

static lode_status json_string(json_cursor *c, json_value *out) {
    const char *open = c->at++, *start = c->at;
    bool copied = false;
    for (;;) {
        const char *p = json_plain_end(start, c->end);
        if (p == c->end) {
            return json_malformed(c, open, "unclosed string; expected a closing quote");
        }
        if ((unsigned char)*p < 0x20) {
            return json_malformed(c, p,
                                  *p ? "control character in a string; expected an escape such as "
                                       "\\n, or the closing quote"
                                     : "zero byte in a string; expected text");
        }
        if (*p == '"' && !copied) {
            *out = (json_value){JSON_STRING, start, (size_t)(p - start), open};
            c->at = p + 1;
            return LODE_OK;
        }
        if (!copied) c->scratch->n = 0;
        copied = true;
        lode_status status = vec_char_append(c->mem, c->scratch, start, (size_t)(p - start));
        if (status != LODE_OK) return status;
        c->at = p;
        if (*p == '"') {
            *out = (json_value){JSON_STRING, c->scratch->data, c->scratch->n, open};
            c->at = p + 1;
            return LODE_OK;
        }
        status = json_escape(c);
        if (status != LODE_OK) return status;
        start = c->at;
    }
}

/* ---- Other values ---- */

static const char *json_digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

static lode_status json_number(json_cursor *c, json_value *out) {
    static const char wrong[] = "invalid JSON number; expected digits";
    const char *start = c->at, *p = start + (*start == '-'), *digits = p;
    p = json_digits(p, c->end);
    if (p == digits || (*digits == '0' && p - digits > 1)) return json_malformed(c, start, wrong);
    if (p < c->end && *p == '.') {
        digits = ++p;
        p = json_digits(p, c->end);
        if (p == digits) return json_malformed(c, start, wrong);
    }
    if (p < c->end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < c->end && (*p == '+' || *p == '-')) p++;
        digits = p;
        p = json_digits(p, c->end);
        if (p == digits) return json_malformed(c, start, wrong);
    }
    *out = (json_value){JSON_NUMBER, start, (size_t)(p - start), start};
    c->at = p;
    return LODE_OK;
}

static lode_status json_word(json_cursor *c, json_value *out) {
    static const char *const words[] = {"null", "false", "true"};
    static const json_kind kinds[] = {JSON_NULL, JSON_FALSE, JSON_TRUE};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(c->end - c->at) < n || memcmp(c->at, words[i], n) != 0) continue;
        *out = (json_value){kinds[i], c->at, n, c->at};
        c->at += n;
        return LODE_OK;
    }
    return json_malformed(
        c, c->at,
        "invalid JSON value; expected a string in double quotes, a number, a list or an object");
}

lode_status json_read(json_cursor *c, json_value *out) {
    if (!json_skip_blanks(c)) {
        return json_malformed(c, c->end, "unexpected end of text; expected a value");
    }
    char first = *c->at;
    if (first == '"') return json_string(c, out);
    if (first == '-' || (first >= '0' && first <= '9')) return json_number(c, out);
    if (first != '[' && first != '{') return json_word(c, out);
    *out = (json_value){first == '[' ? JSON_LIST : JSON_OBJECT, c->at, 1, c->at};
    c->at++;
    return LODE_OK;
}

/* ---- Lists and objects ---- */

/* Moves past a comma or the closing bracket, unless this is before the first element. */
static lode_status json_between(json_cursor *c, bool first, char close, bool *more) {
    const bool list = close == ']';
    if (!json_skip_blanks(c)) {
        return json_malformed(c, c->end,
                              list ? "the list is not closed; expected , or ]"
                                   : "the object is not closed; expected , or }");
    }
    *more = *c->at != close;
    if (!*more) {
        c->at++;
        return LODE_OK;
    }
    if (first) return LODE_OK;
    if (*c->at != ',') {
        return json_malformed(c, c->at,
                              list ? "expected , or ] after an element of a list"
                                   : "expected , or } after a field of an object");
    }
    c->at++;
    return LODE_OK;
}

lode_status json_element(json_cursor *c, bool first, json_value *out, bool *more) {
    lode_status status = json_between(c, first, ']', more);
    return status == LODE_OK && *more ? json_read(c, out) : status;
}

lode_status json_key(json_cursor *c, bool first, json_value *out, bool *more) {
    lode_status status = json_between(c, first, '}', more);
    if (status != LODE_OK || !*more) return status;
    if (!json_skip_blanks(c) || *c->at != '"') {
        return json_malformed(c, c->at, "expected the name of a field in double quotes");
    }
    status = json_string(c, out);
    if (status != LODE_OK) return status;
    if (!json_skip_blanks(c) || *c->at != ':') {
        return json_malformed(c, c->at, "expected ':' after the name of a field");
    }
    c->at++;
    return LODE_OK;
}

lode_status json_pass(json_cursor *c, const json_value *value) {
    bool objects[JSON_DEPTH]; /* of the lists and objects that are open, which are objects */
    json_value v = *value;
    unsigned depth = 0;
    bool first = false, more = false;
    if (v.kind != JSON_LIST && v.kind != JSON_OBJECT) return LODE_OK;
    for (;;) {
        if (v.kind == JSON_LIST || v.kind == JSON_OBJECT) {
            if (depth == JSON_DEPTH) {
                return json_malformed(
                    c, v.at, "lists and objects are nested too deeply; expected at most 64 levels");
            }
            objects[depth++] = v.kind == JSON_OBJECT;
            first = true;
        }
        v.kind = JSON_NULL;
        lode_status status =
            objects[depth - 1] ? json_key(c, first, &v, &more) : json_element(c, first, &v, &more);
        if (status == LODE_OK && more && objects[depth - 1]) status = json_read(c, &v);
        if (status != LODE_OK) return status;
        first = false;
        if (!more && --depth == 0) return LODE_OK;
    }
}
