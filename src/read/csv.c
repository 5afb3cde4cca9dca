/* csv.c - see csv.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/csv.h"

#include "read/line_ends.h"

static bool csv_is_space(char byte, char separator) {
    return (byte == ' ' || byte == '\t') && byte != separator;
}

static const char *csv_skip_space(const char *p, const char *end, char separator) {
    while (p < end && csv_is_space(*p, separator)) p++;
    return p;
}

/* ---- Quotes ---- */

/* What a quote at the beginning of a field turns out to be. */
typedef enum csv_quote {
    CSV_CLOSED, /* it is closed: only blanks follow before the separator or line end */
    CSV_LINES,  /* it is closed, in another line */
    CSV_TEXT,   /* it is closed in its line, but text follows: malformed */
    CSV_STRAY,  /* it is not closed, or not well: its line is malformed and ends the record */
    CSV_MORE    /* the text ends first: not decided yet */
} csv_quote;

static bool csv_ends_field(const char *p, const char *end, char separator) {
    p = csv_skip_space(p, end, separator);
    return p == end || *p == separator || *p == '\n' || *p == '\r';
}

/* Decides about a field that opens at `open` and contains a line end at `p`. It is a quoted field
 * if the next quote ends a field within the limits; otherwise the opening quote is stray. */
static csv_quote csv_quote_lines(const char *open, const char *p, const char *end, char separator,
                                 const char **close) {
    const char *limit = end - open > CSV_QUOTE_BYTES ? open + CSV_QUOTE_BYTES : end;
    for (unsigned lines = 0; p < limit; p++) {
        if (*p == '\n' || *p == '\r') {
            if (++lines > CSV_QUOTE_LINES) return CSV_STRAY;
            p += line_end_bytes(p, end) - 1;
        } else if (*p == '"' && p + 1 < end && p[1] == '"') {
            p++;
        } else if (*p == '"') {
            *close = p;
            return csv_ends_field(p + 1, end, separator) ? CSV_LINES : CSV_STRAY;
        }
    }
    return limit < end ? CSV_STRAY : CSV_MORE;
}

/* Looks for the quote that closes the one at `open`. */
static csv_quote csv_quote_find(const char *open, const char *end, char separator,
                                const char **close) {
    for (const char *p = open + 1; p < end; p++) {
        if (*p == '\n' || *p == '\r') return csv_quote_lines(open, p, end, separator, close);
        if (*p != '"') continue;
        if (p + 1 < end && p[1] == '"') {
            p++;
            continue;
        }
        *close = p;
        return csv_ends_field(p + 1, end, separator) ? CSV_CLOSED : CSV_TEXT;
    }
    return CSV_MORE;
}

/* ---- Records ---- */

static inline bool csv_stops(char byte, char separator) {
    return byte == separator || byte == '\n' || byte == '\r';
}

/* Sets the top bit of each byte of x that equals that of `pattern`. Only the lowest bit set is
 * reliable, which is all that is needed. */
static inline uint64_t csv_equal(uint64_t x, uint64_t pattern) {
    const uint64_t ones = 0x0101010101010101;
    x ^= pattern;
    return (x - ones) & ~x & ones << 7;
}

/* Looks at eight bytes at a time, after the first two: many cells have only one or two. */
static const char *csv_field_end(const char *p, const char *end, char separator) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = 0x0101010101010101;
    const uint64_t pattern = ones * (unsigned char)separator;
    if (end - p >= 2) {
        if (csv_stops(p[0], separator)) return p;
        if (csv_stops(p[1], separator)) return p + 1;
        p += 2;
    }
    for (; end - p >= 8; p += 8) {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        uint64_t hits = csv_equal(x, pattern);
        hits |= csv_equal(x, ones * '\n') | csv_equal(x, ones * '\r');
        if (hits) return p + __builtin_ctzll(hits) / 8;
    }
#endif
    while (p < end && !csv_stops(*p, separator)) p++;
    return p;
}

/* Returns the byte after the line end of the record. Returns NULL if the text ends first or, unless
 * it is `final`, if more text may change the answer. */
static const char *csv_record_end(const char *p, const char *end, char separator, bool final) {
    while (p < end) {
        p = csv_skip_space(p, end, separator);
        if (p < end && *p == '"') {
            const char *close = p;
            csv_quote quote = csv_quote_find(p, end, separator, &close);
            if (quote == CSV_MORE && !final) return NULL;
            if (quote == CSV_STRAY || quote == CSV_MORE) {
                p = line_find(p, end);
                return p < end ? p + line_end_bytes(p, end) : NULL;
            }
            p = close + 1;
        }
        p = csv_field_end(p, end, separator);
        if (p == end) break;
        if (*p == separator) {
            p++;
            continue;
        }
        return final || line_is_decided(p, end) ? p + line_end_bytes(p, end) : NULL;
    }
    return NULL;
}

/* Lines without a quote are records; memchr() and line_cut() skip them fast. */
size_t csv_cut(const char *text, size_t n, char separator, cut_what what) {
    const char *end = text + n;
    const char *cut = text;
    if (what != CUT_ALL) {
        cut = csv_record_end(text, end, separator, what == CUT_FINAL);
        return cut ? (size_t)(cut - text) : 0;
    }
    for (;;) {
        const char *quote = cut < end ? memchr(cut, '"', (size_t)(end - cut)) : NULL;
        if (!quote) return (size_t)(cut - text) + line_cut(cut, (size_t)(end - cut));
        while (quote > cut && quote[-1] != '\n' && quote[-1] != '\r') quote--;
        cut = quote;
        const char *next = csv_record_end(cut, end, separator, false);
        if (!next) return (size_t)(cut - text);
        cut = next;
    }
}

bool csv_begin(csv_cursor *c) {
    c->record = c->at;
    return c->at < c->end;
}

/* A line of - in groups of two or more, with separators and blanks between. */
static bool csv_is_ruler(const char *p, const char *end, char separator) {
    size_t run = 0;
    for (; p < end; p++) {
        bool gap = *p == separator || *p == ' ' || *p == '\t';
        if (gap ? run == 1 : *p != '-') return false;
        run = gap ? 0 : run + 1;
    }
    return run != 1;
}

/* "(3 rows affected)" */
static bool csv_is_row_count(const char *p, const char *end) {
    const char *digits = ++p;
    while (p < end && *p >= '0' && *p <= '9') p++;
    size_t n = (size_t)(end - p);
    bool one = n == 14 && memcmp(p, " row affected)", 14) == 0;
    bool several = n == 15 && memcmp(p, " rows affected)", 15) == 0;
    return p > digits && (one || several);
}

bool csv_is_drawn(const csv_cursor *c) {
    const char *p = c->record;
    if (p == c->end || (*p != '-' && *p != '(')) return false;
    const char *end = line_find(p, c->end);
    while (end > p && end[-1] == ' ') end--;
    return *p == '-' ? csv_is_ruler(p, end, c->separator) : csv_is_row_count(p, end);
}

void csv_skip(csv_cursor *c) {
    const char *next = csv_record_end(c->record, c->end, c->separator, true);
    c->at = next ? next : c->end;
    *c->bare = true;
}

lode_status csv_malformed(csv_cursor *c, const char *at, const char *what) {
    c->bad_at = at;
    c->bad = what;
    return LODE_PARSE;
}

/* Copies quoted text, with single quotes for doubled ones. */
static lode_status csv_unquote(csv_cursor *c, csv_field *field) {
    const char *p = field->text;
    const char *end = p + field->n;
    c->unquoted->n = 0;
    lode_status status = vec_char_reserve(c->mem, c->unquoted, field->n);
    if (status != LODE_OK) return status;
    char *to = c->unquoted->data;
    for (; p < end; p++) {
        *to++ = *p;
        p += *p == '"';
    }
    field->text = c->unquoted->data;
    field->n = (size_t)(to - c->unquoted->data);
    return LODE_OK;
}

/* The quoted field whose opening quote is at `open`; *p moves to what follows it. */
static lode_status csv_quoted(csv_cursor *c, const char *open, csv_field *field, const char **p) {
    const char *close = open;
    csv_quote quote = csv_quote_find(open, c->end, c->separator, &close);
    if (quote == CSV_STRAY || quote == CSV_MORE) {
        return csv_malformed(
            c, open,
            "unclosed quote; expected a closing quote on this line or one of the next 100");
    }
    field->text = open + 1;
    field->n = (size_t)(close - field->text);
    field->quoted = true;
    *p = csv_skip_space(close + 1, c->end, c->separator);
    if (quote == CSV_TEXT) {
        return csv_malformed(c, *p, "text after a closing quote; expected the separator");
    }
    if (quote == CSV_LINES) *c->bare = true;
    if (field->n == 0 || !memchr(field->text, '"', field->n)) return LODE_OK;
    return csv_unquote(c, field);
}

static void csv_unquoted(const csv_cursor *c, const char *start, csv_field *field, const char **p) {
    *p = csv_field_end(start, c->end, c->separator);
    const char *end = *p;
    while (end > start && csv_is_space(end[-1], c->separator)) end--;
    field->text = start;
    field->n = (size_t)(end - start);
}

lode_status csv_next(csv_cursor *c, csv_field *field) {
    lode_status status = LODE_OK;
    const char *p = csv_skip_space(c->at, c->end, c->separator);
    *field = (csv_field){.at = p};
    if (p < c->end && *p == '"') {
        LODE_TRY(csv_quoted(c, p, field, &p));
    } else {
        csv_unquoted(c, p, field, &p);
    }
    const char *zero = field->n > 0 ? memchr(field->text, 0, field->n) : NULL;
    if (zero) LODE_LEAVE(csv_malformed(c, field->at, "zero byte in a field; expected text"));
    if (p < c->end && *p == c->separator) {
        c->at = p + 1;
        goto done;
    }
    field->last = true;
    c->at = p < c->end ? p + 1 : p;
    if (p < c->end && *p == '\r') {
        c->at = p + line_end_bytes(p, c->end);
        *c->bare |= c->at == p + 1;
    }
done:
    return status;
}
