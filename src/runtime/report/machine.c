/* machine.c - a report for programs: its rows as JSON, or as lines name<TAB>value
 *
 * A name with a dot is a field of an object; the rows of an object are neighbours in
 * report_rows.def.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/report/machine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "runtime/report/report.h"

/* ---- named values for machines: one list of fields, written as JSON or as plain lines -------- */

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

static void fields_put_json_text(fields_out *out, const char *text) {
    size_t n = strlen(text);
    fields_put(out, "\"", 1);
    while (n > 0) {
        char escaped[UTF8_JSON_BYTES];
        utf8_char c = utf8_next(text, n);
        fields_put(out, escaped, utf8_write_json(escaped, c, false));
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

/* A value as JSON, and as text without tabs and line ends. */
static void fields_put_json(fields_out *out, const lode_counter *value) {
    fields_put_value(out, value, true);
}

/* A value as JSON, and as text without tabs and line ends. */
static void fields_put_plain(fields_out *out, const lode_counter *value) {
    fields_put_value(out, value, false);
}

/* ---- a report for machines: its rows as JSON, or as name<TAB>value lines --------------------- */

static void put_key(fields_out *out, const char *name, size_t n) {
    fields_put(out, "\"", 1);
    fields_put(out, name, n);
    fields_put(out, "\":", 2);
}

static void put_json_table(fields_out *out, const lode_report *r, const report_columns *t) {
    size_t n;
    t->rows(r, &n);
    bool plain = t->fields[0].name[0] == 0; /* values instead of objects */
    fields_put(out, "[", 1);
    for (size_t row = 0; row < n; row++) {
        if (row > 0) fields_put(out, ",", 1);
        if (!plain) fields_put(out, "{", 1);
        for (size_t column = 0; column < t->n; column++) {
            lode_counter cell = report_cell(r, t, row, column);
            if (column > 0) fields_put(out, ",", 1);
            if (!plain) put_key(out, cell.name, strlen(cell.name));
            fields_put_json(out, &cell);
        }
        if (!plain) fields_put(out, "}", 1);
    }
    fields_put(out, "]", 1);
}

static void put_json(fields_out *out, const lode_report *r) {
    const char *object = "";
    size_t length = 0;
    const report_row *row;
    for (size_t i = 0; (row = report_row_at(r, i)) != NULL; i++) {
        const char *name = row->field.name;
        /* The length of the object's name within a name; 0 = it is not in an object. */
        const char *dot = strchr(name, '.');
        size_t n = dot ? (size_t)(dot - name) : 0;
        bool same = n == length && strncmp(name, object, n) == 0;
        if (!same && length > 0) fields_put(out, "}", 1);
        fields_put(out, i == 0 ? "{" : ",", 1);
        if (!same && n > 0) {
            put_key(out, name, n);
            fields_put(out, "{", 1);
        }
        object = name;
        length = n;
        const char *key = n > 0 ? name + n + 1 : name;
        put_key(out, key, strlen(key));
        if (row->table) {
            put_json_table(out, r, row->table);
        } else {
            lode_counter value = report_value(&row->field, r, 0);
            fields_put_json(out, &value);
        }
    }
    fields_print(out, length > 0 ? "}}\n" : "}\n");
}

static void put_tsv_table(fields_out *out, const lode_report *r, const report_row *row) {
    size_t n;
    row->table->rows(r, &n);
    for (size_t i = 0; i < n; i++) {
        for (size_t column = 0; column < row->table->n; column++) {
            lode_counter cell = report_cell(r, row->table, i, column);
            fields_print(out, "%s.%zu%s%s\t", row->field.name, i, cell.name[0] ? "." : "",
                         cell.name);
            fields_put_plain(out, &cell);
            fields_put(out, "\n", 1);
        }
    }
}

static void put_tsv(fields_out *out, const lode_report *r) {
    const report_row *row;
    for (size_t i = 0; (row = report_row_at(r, i)) != NULL; i++) {
        if (row->table) {
            put_tsv_table(out, r, row);
            continue;
        }
        lode_counter value = report_value(&row->field, r, 0);
        fields_print(out, "%s\t", value.name);
        fields_put_plain(out, &value);
        fields_put(out, "\n", 1);
    }
}

static lode_status machine_write(const lode_report *report, lode_write_fn write, void *user,
                                 void (*put)(fields_out *, const lode_report *)) {
    if (!report || !write) return LODE_INVALID;
    fields_out out = {.write = write, .user = user};
    put(&out, report);
    return fields_flush(&out);
}

lode_status lode_report_json(const lode_report *report, lode_write_fn write, void *user) {
    return machine_write(report, write, user, put_json);
}

lode_status lode_report_tsv(const lode_report *report, lode_write_fn write, void *user) {
    return machine_write(report, write, user, put_tsv);
}
