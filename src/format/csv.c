/* csv.c - see csv.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/csv.h"

static bool csv_is_space(char byte, char separator) {
    return (byte == ' ' || byte == '\t') && byte != separator;
}

static const char *csv_skip_space(const char *p, const char *end, char separator) {
    while (p < end && csv_is_space(*p, separator)) p++;
    return p;
}

/* The byte after the quoted text that begins at p: its closing quote, or the end. */
static const char *csv_quote_end(const char *p, const char *end) {
    for (;;) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p) return end;
        if (p + 1 == end || p[1] != '"') return p;
        p += 2;
    }
}

static const char *csv_field_end(const char *p, const char *end, char separator) {
    while (p < end && *p != separator && *p != '\n') p++;
    return p;
}

/* The byte after the newline that ends the record; NULL if there is none. */
static const char *csv_record_end(const char *p, const char *end, char separator) {
    while (p < end) {
        p = csv_skip_space(p, end, separator);
        if (p < end && *p == '"') {
            p = csv_quote_end(p + 1, end);
            if (p < end) p++;
        }
        p = csv_field_end(p, end, separator);
        if (p < end && *p++ == '\n') return p;
    }
    return NULL;
}

static size_t csv_cut_plain(const char *text, size_t n) {
    while (n > 0 && text[n - 1] != '\n') n--;
    return n;
}

size_t csv_cut(const char *text, size_t n, char separator, bool first) {
    const char *end = text + n;
    const char *newline = first ? memchr(text, '\n', n) : NULL;
    size_t looked = newline ? (size_t)(newline - text) + 1 : n;
    if (!memchr(text, '"', looked)) {
        if (!first) return csv_cut_plain(text, n);
        return newline ? looked : 0;
    }
    const char *cut = text;
    for (const char *next; (next = csv_record_end(cut, end, separator)) != NULL;) {
        cut = next;
        if (first) break;
    }
    return (size_t)(cut - text);
}

bool csv_begin(csv_cursor *c) {
    c->record = c->at;
    return c->at < c->end;
}

void csv_skip(csv_cursor *c) {
    const char *next = csv_record_end(c->record, c->end, c->separator);
    c->at = next ? next : c->end;
}

lode_status csv_malformed(csv_cursor *c, const char *at, const char *what) {
    c->bad_at = at;
    c->bad = what;
    return LODE_PARSE;
}

/* Copies quoted text with its doubled quotes made single. */
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
    const char *close = csv_quote_end(open + 1, c->end);
    if (close == c->end) {
        return csv_malformed(c, open, "quote without an end; expected a closing quote");
    }
    field->text = open + 1;
    field->n = (size_t)(close - field->text);
    field->quoted = true;
    *p = csv_skip_space(close + 1, c->end, c->separator);
    if (*p < c->end && **p == '\r' && (*p + 1 == c->end || (*p)[1] == '\n')) ++*p;
    if (*p < c->end && **p != c->separator && **p != '\n') {
        return csv_malformed(c, *p, "text after a closing quote; expected the separator");
    }
    if (field->n == 0 || !memchr(field->text, '"', field->n)) return LODE_OK;
    return csv_unquote(c, field);
}

static void csv_unquoted(const csv_cursor *c, const char *start, csv_field *field, const char **p) {
    *p = csv_field_end(start, c->end, c->separator);
    const char *end = *p;
    bool at_line_end = end == c->end || *end == '\n';
    if (at_line_end && end > start && end[-1] == '\r' && c->separator != '\r') end--;
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
    field->last = p == c->end || *p == '\n';
    c->at = p < c->end ? p + 1 : p;
done:
    return status;
}
