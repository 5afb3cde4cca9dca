/* machine.c - a report for machines: its rows as JSON, or as name<TAB>value lines
 *
 * A name with a dot is a field of an object; rows of one object stand together (report_rows.def).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/report/fields.h"
#include "runtime/report/report.h"

/* The length of the object's name within a name; 0 = it is not in an object. */
static size_t object_length(const char *name) {
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

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
        size_t n = object_length(name);
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
