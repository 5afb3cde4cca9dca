/* arrays_cells.c - types of Arrow columns, and the text of their cells; see arrays.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/figures.h"
#include "base/reals.h"
#include "read/arrays.h"

#define ARRAYS_SHORT_VIEW 12 /* longest string that is within its view, in bytes */
#define ARRAYS_MOST_ROWS  ((int64_t)1 << 56)
#define ARRAYS_MOST_SCALE 38

#define WRONG_LENGTHS  "an array whose length or offset does not fit"
#define WRONG_BUFFERS  "an array without the buffers of its type"
#define WRONG_CHILDREN "an array without the child or the dictionary of its type"
#define WRONG_OFFSETS  "offsets that decrease or lie outside the values"
#define WRONG_INDEX    "an index outside its dictionary"

/* ---- types ---- */

typedef struct arrays_format {
    const char *format;
    arrays_kind kind;
    uint8_t width;
    char unit;
} arrays_format;

static const arrays_format arrays_formats[] = {
    {"n", ARRAYS_NULL, 0, 0},     {"b", ARRAYS_BOOL, 0, 0},    {"c", ARRAYS_INT, 1, 0},
    {"C", ARRAYS_UINT, 1, 0},     {"s", ARRAYS_INT, 2, 0},     {"S", ARRAYS_UINT, 2, 0},
    {"i", ARRAYS_INT, 4, 0},      {"I", ARRAYS_UINT, 4, 0},    {"l", ARRAYS_INT, 8, 0},
    {"L", ARRAYS_UINT, 8, 0},     {"f", ARRAYS_FLOAT, 4, 0},   {"g", ARRAYS_FLOAT, 8, 0},
    {"u", ARRAYS_TEXT, 4, 0},     {"U", ARRAYS_TEXT, 8, 0},    {"vu", ARRAYS_VIEW, 16, 0},
    {"tdD", ARRAYS_DATE, 4, 'D'}, {"tdm", ARRAYS_DATE, 8, 'm'}};

/* "d:19,2" or "d:9,2,32": precision, scale and bits. */
static void arrays_decimal(const char *format, arrays_type *out) {
    char *end;
    strtol(format + 2, &end, 10);
    long scale = *end == ',' ? strtol(end + 1, &end, 10) : -1;
    long bits = *end == ',' ? strtol(end + 1, &end, 10) : 128;
    bool known = (bits == 32 || bits == 64 || bits == 128) && *end == 0;
    if (!known || scale < 0 || scale > ARRAYS_MOST_SCALE) return;
    out->kind = ARRAYS_DECIMAL;
    out->scale = (int)scale;
    out->width = (uint8_t)(bits / 8);
}

static void arrays_format_of(const char *format, arrays_type *out) {
    out->format = format;
    out->kind = ARRAYS_OTHER;
    for (size_t i = 0; i < sizeof arrays_formats / sizeof *arrays_formats; i++) {
        const arrays_format *f = &arrays_formats[i];
        if (strcmp(format, f->format) != 0) continue;
        out->kind = f->kind;
        out->width = f->width;
        out->unit = f->unit;
    }
    if (strncmp(format, "d:", 2) == 0) arrays_decimal(format, out);
    bool time = strncmp(format, "ts", 2) == 0 && format[2] && strchr("smun", format[2]);
    if (!time || format[3] != ':') return;
    out->kind = ARRAYS_TIMESTAMP;
    out->width = 8;
    out->unit = format[2];
    out->zoned = format[4] != 0;
}

void arrays_type_of(const struct ArrowSchema *schema, arrays_type *out) {
    const struct ArrowSchema *s = schema;
    *out = (arrays_type){.name = schema->name ? schema->name : ""};
    bool list = strcmp(s->format, "+l") == 0 || strcmp(s->format, "+L") == 0;
    if (list && s->n_children == 1 && s->children && s->children[0] && s->children[0]->format) {
        out->list = s->format[1] == 'l' ? 4 : 8;
        s = s->children[0];
    }
    arrays_format_of(s->format, out);
    if (!s->dictionary) return;
    if ((out->kind != ARRAYS_INT && out->kind != ARRAYS_UINT) || !s->dictionary->format) {
        out->kind = ARRAYS_OTHER;
        return;
    }
    out->code = out->width;
    out->signed_code = out->kind == ARRAYS_INT;
    arrays_format_of(s->dictionary->format, out);
    if (s->dictionary->dictionary) out->kind = ARRAYS_OTHER;
}

const char *arrays_type_called(const arrays_type *type) {
    static const struct {
        const char *format, *called;
    } names[] = {{"+s", "struct"},          {"+m", "map"},           {"+u", "union"},
                 {"+r", "run-end encoded"}, {"+l", "list of lists"}, {"+L", "list of lists"},
                 {"+w", "fixed-size list"}, {"+v", "list view"},     {"z", "binary"},
                 {"Z", "binary"},           {"vz", "binary"},        {"w", "fixed-size binary"},
                 {"tt", "time of day"},     {"tD", "duration"},      {"ti", "interval"},
                 {"d", "decimal"},          {"e", "half float"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(type->format, names[i].format, strlen(names[i].format)) == 0) {
            return names[i].called;
        }
    }
    return type->code ? "dictionary" : "unknown";
}

/* ---- arrays ---- */

/* Takes the part of an array that is common to all types. */
static const char *arrays_level_of(const struct ArrowArray *a, int64_t n_buffers, uint64_t end,
                                   arrays_level *out) {
    if (a->length < 0 || a->offset < 0 || a->length > ARRAYS_MOST_ROWS ||
        a->offset > ARRAYS_MOST_ROWS || end > (uint64_t)a->length) {
        return WRONG_LENGTHS;
    }
    *out = (arrays_level){.offset = (uint64_t)a->offset, .n = (uint64_t)a->length};
    if (n_buffers == 0) return NULL;
    if (a->n_buffers < n_buffers || !a->buffers) return WRONG_BUFFERS;
    if (!a->buffers[1] && out->n > 0) return WRONG_BUFFERS;
    out->values = a->buffers[1];
    if (a->null_count != 0) out->valid = a->buffers[0];
    return NULL;
}

static uint64_t arrays_offset(const arrays_level *level, unsigned width, uint64_t i) {
    return arrays_number(level, width, true, i);
}

/* Text needs its last offset and its buffer of characters to fit. */
static const char *arrays_check_text(const arrays_column *c) {
    const arrays_level *leaf = &c->leaf;
    if (c->type->kind != ARRAYS_TEXT || leaf->n == 0) return NULL;
    uint64_t last = arrays_offset(leaf, c->type->width, leaf->n);
    if (last > INT64_MAX) return WRONG_OFFSETS;
    return last > 0 && !c->end->buffers[2] ? WRONG_BUFFERS : NULL;
}

static const char *arrays_leaf_of(const struct ArrowArray *a, uint64_t end, arrays_column *out) {
    const arrays_kind kind = out->type->kind;
    int64_t n_buffers = kind == ARRAYS_NULL                          ? 0
                        : kind == ARRAYS_TEXT || kind == ARRAYS_VIEW ? 3
                                                                     : 2;
    if (kind == ARRAYS_OTHER) return NULL;
    const char *wrong = arrays_level_of(a, n_buffers, end, &out->leaf);
    out->end = a;
    return wrong ? wrong : arrays_check_text(out);
}

const char *arrays_column_of(const arrays_type *type, const struct ArrowArray *array, uint64_t from,
                             uint64_t n, arrays_column *out) {
    const struct ArrowArray *a = array;
    uint64_t end = from + n;
    *out = (arrays_column){.type = type};
    if (type->kind == ARRAYS_OTHER) return NULL;
    if (type->list) {
        const char *wrong = arrays_level_of(a, 2, end, &out->lists);
        if (wrong) return wrong;
        if (a->n_children != 1 || !a->children || !a->children[0]) return WRONG_CHILDREN;
        out->lists.offset += from;
        a = a->children[0];
        from = end = 0;
    }
    if (type->code) {
        const char *wrong = arrays_level_of(a, 2, end, &out->codes);
        if (wrong) return wrong;
        if (!a->dictionary) return WRONG_CHILDREN;
        out->codes.offset += from;
        a = a->dictionary;
        from = end = 0;
    }
    const char *wrong = arrays_leaf_of(a, end, out);
    out->leaf.offset += from;
    out->leaf.n -= wrong ? 0 : from;
    return wrong;
}

/* ---- cells ---- */

bool arrays_list_at(const arrays_column *c, uint64_t row, uint64_t *first, uint64_t *n) {
    const unsigned width = c->type->list;
    const arrays_level *inner = c->type->code ? &c->codes : &c->leaf;
    *first = *n = 0;
    if (arrays_is_null(&c->lists, row)) return true;
    uint64_t start = arrays_offset(&c->lists, width, row);
    uint64_t end = arrays_offset(&c->lists, width, row + 1);
    if (start > end || end > inner->n) return false;
    *first = start;
    *n = end - start;
    return true;
}

const char *arrays_find(const arrays_column *c, uint64_t i, uint64_t *value, bool *there) {
    const arrays_type *t = c->type;
    *there = false;
    *value = i;
    if (t->code) {
        if (arrays_is_null(&c->codes, i)) return NULL;
        *value = arrays_number(&c->codes, t->code, t->signed_code, i);
        if (*value >= c->leaf.n) return WRONG_INDEX;
    }
    *there = t->kind != ARRAYS_NULL && !arrays_is_null(&c->leaf, *value);
    return NULL;
}

/* The date of a day, counted from 1970, in the Gregorian calendar. */
static int arrays_put_day(char *to, size_t room, int64_t day) {
    int64_t z = day + 719468, era = (z >= 0 ? z : z - 146096) / 146097, d = z - era * 146097;
    int64_t year = (d - d / 1460 + d / 36524 - d / 146096) / 365;
    int64_t of_year = d - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
    int64_t month = m < 10 ? m + 3 : m - 9;
    return snprintf(to, room, "%04lld-%02lld-%02lld", (long long)(year + era * 400 + (month <= 2)),
                    (long long)month, (long long)(of_year - (153 * m + 2) / 5 + 1));
}

/* Divides towards minus infinity; *rest is not negative. */
static int64_t arrays_divide(int64_t a, int64_t b, int64_t *rest) {
    *rest = a % b;
    bool negative = *rest < 0;
    if (negative) *rest += b;
    return a / b - negative;
}

/* A date or timestamp in ISO form: 2022-01-08, 2022-01-08T12:30:00.25Z. The lowest number is NaT of
 * numpy, which is no value. */
static int arrays_put_time(const arrays_type *t, int64_t value, char to[ARRAYS_SCRATCH]) {
    int64_t per = t->unit == 'm'   ? 1000
                  : t->unit == 'u' ? 1000000
                  : t->unit == 'n' ? 1000000000
                                   : 1;
    int64_t part, time;
    if (t->kind == ARRAYS_TIMESTAMP && value == INT64_MIN) return -1;
    if (t->kind == ARRAYS_DATE) {
        int64_t day = t->unit == 'D' ? value : arrays_divide(value, 86400000, &time);
        return arrays_put_day(to, ARRAYS_SCRATCH, day);
    }
    int64_t seconds = arrays_divide(value, per, &part);
    arrays_put_day(to, ARRAYS_SCRATCH, arrays_divide(seconds, 86400, &time));
    append_text(to, ARRAYS_SCRATCH, "T%02d:%02d:%02d", (int)(time / 3600), (int)(time / 60 % 60),
                (int)(time % 60));
    if (part > 0) {
        int digits = t->unit == 'm' ? 3 : t->unit == 'u' ? 6 : 9;
        for (; part % 10 == 0; part /= 10) digits--;
        append_text(to, ARRAYS_SCRATCH, ".%0*lld", digits, (long long)part);
    }
    append_text(to, ARRAYS_SCRATCH, t->zoned ? "Z" : "");
    return (int)strlen(to);
}

/* A decimal number of up to 128 bits: 12.50 is 1250 with the scale 2. */
static int arrays_put_decimal(const arrays_column *c, uint64_t value, char to[ARRAYS_SCRATCH]) {
    const arrays_type *t = c->type;
    char digits[ARRAYS_SCRATCH];
    int n = 0, length = 0;
    unsigned __int128 number;
    if (t->width == 16) {
        memcpy(&number, (const char *)c->leaf.values + (c->leaf.offset + value) * 16, 16);
    } else {
        number =
            (unsigned __int128)(__int128)(int64_t)arrays_number(&c->leaf, t->width, true, value);
    }
    bool negative = number >> 127;
    if (negative) number = -number;
    while (number > 0 || n <= t->scale) {
        digits[n++] = (char)('0' + (int)(number % 10));
        number /= 10;
    }
    if (negative) to[length++] = '-';
    while (n > 0) {
        to[length++] = digits[--n];
        if (n == t->scale && n > 0) to[length++] = '.';
    }
    return length;
}

static int arrays_put_whole(uint64_t number, bool negative, char to[ARRAYS_SCRATCH]) {
    char *start = to + 24, *end = start;
    do {
        *--start = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (negative) *--start = '-';
    memmove(to, start, (size_t)(end - start));
    return (int)(end - start);
}

/* A float as programs write it: 1.5, 3.0. NaN is no value. */
static int arrays_put_float(double x, char to[ARRAYS_SCRATCH]) {
    if (isnan(x)) return -1;
    int n = (int)reals_put(to, x, 0);
    bool whole = strspn(to, "-0123456789") == (size_t)n;
    if (whole) append_text(to, ARRAYS_SCRATCH, ".0");
    return whole ? n + 2 : n;
}

static const char *arrays_view(const arrays_column *c, uint64_t value, arrays_cell *out) {
    const struct ArrowArray *a = c->end;
    const char *view = (const char *)c->leaf.values + (c->leaf.offset + value) * 16;
    int32_t parts[4]; /* the length; then text, or its first letters, buffer and position */
    memcpy(parts, view, sizeof parts);
    if (parts[0] < 0) return WRONG_OFFSETS;
    *out = (arrays_cell){view + 4, (size_t)parts[0]};
    if (parts[0] <= ARRAYS_SHORT_VIEW) return NULL;
    int64_t bytes, buffers = a->n_buffers - 3;
    if (parts[2] < 0 || parts[2] >= buffers || parts[3] < 0 || !a->buffers[a->n_buffers - 1]) {
        return WRONG_OFFSETS;
    }
    memcpy(&bytes, (const char *)a->buffers[a->n_buffers - 1] + (size_t)parts[2] * 8, sizeof bytes);
    const char *text = a->buffers[2 + parts[2]];
    if (!text || (int64_t)parts[3] + parts[0] > bytes) return WRONG_OFFSETS;
    out->text = text + parts[3];
    return NULL;
}

static const char *arrays_string(const arrays_column *c, uint64_t value, arrays_cell *out) {
    const unsigned width = c->type->width;
    if (c->type->kind == ARRAYS_VIEW) return arrays_view(c, value, out);
    uint64_t start = arrays_offset(&c->leaf, width, value);
    uint64_t end = arrays_offset(&c->leaf, width, value + 1);
    if (start > end || end > arrays_offset(&c->leaf, width, c->leaf.n)) return WRONG_OFFSETS;
    const char *text = c->end->buffers[2];
    *out = (arrays_cell){text ? text + start : "", (size_t)(end - start)};
    return NULL;
}

const char *arrays_text(const arrays_column *c, uint64_t value, char scratch[ARRAYS_SCRATCH],
                        arrays_cell *out) {
    const arrays_type *t = c->type;
    uint64_t raw = 0;
    int n = 0;
    if (t->kind == ARRAYS_TEXT || t->kind == ARRAYS_VIEW) return arrays_string(c, value, out);
    if (t->kind == ARRAYS_DECIMAL) {
        n = arrays_put_decimal(c, value, scratch);
    } else if (arrays_key(c, value, &raw)) {
        uint32_t low = (uint32_t)raw;
        float narrow;
        double real;
        memcpy(&narrow, &low, sizeof narrow);
        memcpy(&real, &raw, sizeof real);
        if (t->kind == ARRAYS_BOOL) n = snprintf(scratch, ARRAYS_SCRATCH, raw ? "true" : "false");
        if (t->kind == ARRAYS_UINT) n = arrays_put_whole(raw, false, scratch);
        if (t->kind == ARRAYS_INT) {
            n = arrays_put_whole((int64_t)raw < 0 ? 0 - raw : raw, (int64_t)raw < 0, scratch);
        }
        if (t->kind == ARRAYS_FLOAT) n = arrays_put_float(t->width == 4 ? narrow : real, scratch);
        if (t->unit) n = arrays_put_time(t, (int64_t)raw, scratch);
    }
    *out = (arrays_cell){n < 0 ? NULL : scratch, n < 0 ? 0 : (size_t)n};
    return NULL;
}

const char *arrays_cell_at(const arrays_column *c, uint64_t i, char scratch[ARRAYS_SCRATCH],
                           arrays_cell *out) {
    uint64_t value;
    bool there;
    *out = (arrays_cell){"[]", 2};
    if (c->type->list || c->type->kind == ARRAYS_OTHER) return NULL;
    const char *wrong = arrays_find(c, i, &value, &there);
    *out = (arrays_cell){NULL, 0};
    return wrong || !there ? wrong : arrays_text(c, value, scratch, out);
}
