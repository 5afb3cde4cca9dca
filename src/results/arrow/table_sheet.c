/* table_sheet.c - see table_sheet.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/table_sheet.h"

#include "base/vec.h"
#include "results/arrow/sheet.h"

/* The names of a dictionary. */
typedef struct sheet_names {
    vec_u64 offsets;
    vec_char text;
} sheet_names;

struct table_sheet {
    lode_job *job;
    sheet *file;
    arrow_column *columns; /* without their names */
    uint32_t n_columns;
    uint32_t *places; /* the column of the sheet, by column of the table; UINT32_MAX = none */
    sheet_names *names;
    uint32_t n_names;
    vec_char list;      /* scratch: a cell with names */
    lode_status broken; /* a restart has failed */
};

static lode_status sheet_copy_dictionary(mem *m, sheet_names *to, const arrow_dictionary *d) {
    lode_status status = LODE_OK;
    if (d->n == 0) return LODE_OK;
    LODE_TRY(vec_u64_reserve(m, &to->offsets, d->n + 1));
    for (uint64_t i = 0; i <= d->n; i++) {
        to->offsets.data[to->offsets.n++] = d->offsets[i] - d->offsets[0];
    }
    LODE_TRY(vec_char_append(m, &to->text, d->text + d->offsets[0],
                             (size_t)(d->offsets[d->n] - d->offsets[0])));
done:
    return status;
}

static bool sheet_shows(const arrow_table *table, uint32_t column) {
    bool has_text = false;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        has_text |= table->columns[i].type == ARROW_TEXT;
    }
    arrow_type type = table->columns[column].type;
    return type != ARROW_LIST && (type != ARROW_NAMES || !has_text);
}

static sheet_look sheet_look_at(const arrow_column *c) {
    switch (c->type) {
    case ARROW_U32:
    case ARROW_U64: return SHEET_COUNT;
    case ARROW_F64: return sheet_look_of(c->name);
    case ARROW_TEXT:
    case ARROW_LIST:
    case ARROW_NAMES: break;
    }
    return SHEET_TEXT;
}

static lode_status table_sheet_open(table_sheet *t, output *to, const arrow_table *table) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    sheet_column *shown = NULL;
    size_t bytes = table->n_columns * sizeof *shown;
    uint32_t n = 0;
    LODE_TRY(mem_zalloc(m, (void **)&shown, bytes));
    LODE_TRY(mem_zalloc(m, (void **)&t->columns, table->n_columns * sizeof *t->columns));
    t->n_columns = table->n_columns;
    LODE_TRY(mem_zalloc(m, (void **)&t->places, table->n_columns * sizeof *t->places));
    LODE_TRY(mem_zalloc(m, (void **)&t->names, table->n_dictionaries * sizeof *t->names));
    t->n_names = table->n_dictionaries;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const arrow_column *c = &table->columns[i];
        t->columns[i] = (arrow_column){NULL, c->type, c->dictionary};
        t->places[i] = sheet_shows(table, i) ? n : UINT32_MAX;
        if (t->places[i] == n) shown[n++] = (sheet_column){c->name, sheet_look_at(c)};
    }
    for (uint32_t i = 0; i < table->n_dictionaries; i++) {
        LODE_TRY(sheet_copy_dictionary(m, &t->names[i], &table->dictionaries[i]));
    }
    status = sheet_begin(t->job, to, table->keys[0].value, shown, n, &t->file);
done:
    mem_free(m, shown, shown ? bytes : 0);
    return status;
}

lode_status table_sheet_begin(lode_job *job, output *to, const arrow_table *table,
                              table_sheet **out) {
    table_sheet *t = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&t, sizeof *t);
    if (status != LODE_OK) return status;
    t->job = job;
    status = table_sheet_open(t, to, table);
    if (status == LODE_OK) {
        *out = t;
    } else {
        table_sheet_free(t);
    }
    return status;
}

static lode_status sheet_put_names(table_sheet *t, uint32_t column, const arrow_cells *cells,
                                   uint32_t row) {
    lode_status status = LODE_OK;
    const sheet_names *names = &t->names[t->columns[column].dictionary];
    const uint32_t *codes = cells->values;
    t->list.n = 0;
    for (int32_t i = cells->offsets[row]; i < cells->offsets[row + 1]; i++) {
        const uint64_t *at = names->offsets.data + codes[i];
        LODE_TRY(sheet_add_name(&t->job->mem, &t->list, names->text.data + at[0],
                                (size_t)(at[1] - at[0])));
    }
    status = sheet_put_text(t->file, t->places[column], t->list.data, t->list.n);
done:
    return status;
}

static lode_status sheet_put_cell(table_sheet *t, uint32_t column, const arrow_cells *c,
                                  uint32_t row) {
    uint32_t to = t->places[column];
    switch (t->columns[column].type) {
    case ARROW_U32: return sheet_put_number(t->file, to, ((const uint32_t *)c->values)[row]);
    case ARROW_U64:
        return sheet_put_number(t->file, to, (double)((const uint64_t *)c->values)[row]);
    case ARROW_F64: return sheet_put_number(t->file, to, ((const double *)c->values)[row]);
    case ARROW_TEXT:
        return sheet_put_text(t->file, to, (const char *)c->values + c->offsets[row],
                              (size_t)(c->offsets[row + 1] - c->offsets[row]));
    case ARROW_NAMES: return sheet_put_names(t, column, c, row);
    case ARROW_LIST: break;
    }
    return LODE_INTERNAL;
}

lode_status table_sheet_batch(table_sheet *t, uint32_t n_rows, const arrow_cells *cells) {
    lode_status status = t->broken;
    for (uint32_t row = 0; row < n_rows && status == LODE_OK; row++) {
        for (uint32_t i = 0; i < t->n_columns; i++) {
            if (t->places[i] != UINT32_MAX) LODE_TRY(sheet_put_cell(t, i, &cells[i], row));
        }
        sheet_next(t->file);
    }
done:
    return status;
}

void table_sheet_restart(table_sheet *t) {
    t->broken = sheet_restart(t->file);
}

lode_status table_sheet_end(table_sheet *t) {
    return t->broken == LODE_OK ? sheet_end(t->file) : t->broken;
}

void table_sheet_free(table_sheet *t) {
    if (!t) return;
    mem *m = &t->job->mem;
    sheet_free(t->file);
    for (uint32_t i = 0; i < t->n_names; i++) {
        vec_u64_free(m, &t->names[i].offsets);
        vec_char_free(m, &t->names[i].text);
    }
    mem_free(m, t->names, t->n_names * sizeof *t->names);
    mem_free(m, t->places, t->places ? t->n_columns * sizeof *t->places : 0);
    mem_free(m, t->columns, t->n_columns * sizeof *t->columns);
    vec_char_free(m, &t->list);
    mem_free(m, t, sizeof *t);
}
