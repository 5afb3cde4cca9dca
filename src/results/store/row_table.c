/* row_table.c - see row_table.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/row_table.h"

#include <math.h>
#include <stdio.h>

#include "base/reals.h"
#include "base/utf8.h"
#include "results/arrow/sheet.h"
#include "results/store/item_names.h"
#include "runtime/lease.h"
#include "runtime/output.h"
#include "runtime/valid.h"
#include "write/core/smarts.h"

#define TABLE_DIGITS 4 /* of numbers for people */

static mem *table_mem(const table *t) {
    return &t->store->job->mem;
}

static lode_status table_put(table *t, const char *text, size_t n) {
    return vec_char_append(table_mem(t), &t->line, text, n);
}

lode_status table_put_text(table *t, const char *text) {
    return table_put(t, text, strlen(text));
}

static bool table_is_number(const stored_column *c) {
    return c->type == LODE_COLUMN_COUNT || c->type == LODE_COLUMN_REAL;
}

/* ---- columns -------------------------------------------------------------------------------- */

static bool table_shows(const table *t, const stored_column *c) {
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i] == c) return true;
    }
    return false;
}

static lode_status table_add_others(table *t, const char *names) {
    lode_status status = LODE_OK;
    char name[128];
    while (names && *names) {
        size_t n = strcspn(names, ",");
        const stored_column *c = NULL;
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), names);
        LODE_TRY(stored_need(t->store, "measure", name, &c));
        if (!table_shows(t, c)) t->columns[t->n_columns++] = c;
        names += n + (names[n] == ',');
    }
done:
    return status;
}

lode_status table_init(table *t, lode_store *s, lode_store_format format, const char *others) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    *t = (table){.store = s, .format = format, .csv = csv_style_of(0)};
    t->columns_bytes = s->info.n_columns * sizeof *t->columns;
    t->widths_bytes = s->info.n_columns * sizeof *t->widths;
    LODE_TRY(mem_zalloc(m, (void **)&t->columns, t->columns_bytes));
    LODE_TRY(mem_zalloc(m, (void **)&t->widths, t->widths_bytes));
    LODE_TRY(mem_zalloc(m, (void **)&t->batch.cells, stored_cells_bytes(s)));
    for (uint32_t i = 0; i < s->info.n_columns; i++) {
        const stored_column *c = &s->columns[i];
        bool lists = c->at == s->items || c->at == s->rhs || c->at == s->text;
        if (c->form != STORED_CELLS || (!table_is_number(c) && !lists)) continue;
        t->columns[t->n_columns++] = c;
    }
    LODE_TRY(table_add_others(t, others));
    LODE_TRY(names_load(s));
done:
    return status;
}

void table_clear(table *t) {
    if (!t->store) return;
    mem *m = table_mem(t);
    mem_free(m, (void *)t->columns, t->columns ? t->columns_bytes : 0);
    mem_free(m, t->widths, t->widths ? t->widths_bytes : 0);
    mem_free(m, t->batch.cells, t->batch.cells ? stored_cells_bytes(t->store) : 0);
    vec_char_free(m, &t->line);
    *t = (table){0};
}

/* ---- cells ---------------------------------------------------------------------------------- */

uint32_t table_turn(table *t, uint64_t row) {
    uint32_t batch = arrow_batch_of(t->store->file, row);
    if (!t->has_batch || t->batch.batch != batch) stored_turn(&t->batch, t->store, batch);
    t->has_batch = true;
    return (uint32_t)(row - t->batch.first);
}

/* A number as text. */
static lode_status table_number(table *t, const stored_column *c, uint32_t at,
                                char text[REALS_BYTES]) {
    uint8_t mask = 1;
    uint64_t count;
    double real;
    stored_range range = {at, 1, &mask};
    lode_status status = LODE_OK;
    if (c->type == LODE_COLUMN_COUNT) {
        LODE_TRY(stored_counts(&t->batch, c, range, &count));
        snprintf(text, REALS_BYTES, "%llu", (unsigned long long)count);
        return LODE_OK;
    }
    LODE_TRY(stored_reals(&t->batch, c, range, &real));
    reals_put(text, real, t->format == LODE_STORE_TEXT ? TABLE_DIGITS : 0);
    if (t->format == LODE_STORE_CSV) csv_set_point(&t->csv, text, text + strlen(text));
    if (isfinite(real) || t->format == LODE_STORE_TEXT) return LODE_OK;
    if (t->format == LODE_STORE_CSV && isnan(real)) text[0] = 0;
    if (t->format == LODE_STORE_JSONL) memcpy(text, "null", 5); /* JSON has no infinity */
done:
    return status;
}

/* A name for a terminal, where control characters could do anything. */
static lode_status table_put_printable(table *t, const char *name, size_t n) {
    lode_status status = LODE_OK;
    while (n > 0) {
        utf8_char c = utf8_next(name, n);
        LODE_TRY(utf8_steers(c) ? table_put(t, "?", 1) : table_put(t, c.bytes, c.n));
        name += c.taken;
        n -= c.taken;
    }
done:
    return status;
}

#define CELL_QUOTED_FOR 5
/* The characters for which a cell of csv is quoted. */
static const char *table_quoted_for(const table *t, char text[CELL_QUOTED_FOR]) {
    snprintf(text, CELL_QUOTED_FOR, "%c\"\n\r", t->csv.comma);
    return text;
}

/* Quotes the text from `start` on, if it contains one of these characters. */
static lode_status table_quote(table *t, size_t start, const char *quoted_for) {
    lode_status status = LODE_OK;
    mem *m = table_mem(t);
    vec_char plain = {0};
    bool needed = false;
    for (size_t i = start; i < t->line.n; i++)
        needed |= strchr(quoted_for, t->line.data[i]) != NULL;
    if (!needed) return LODE_OK;
    LODE_TRY(vec_char_append(m, &plain, t->line.data + start, t->line.n - start));
    t->line.n = start;
    LODE_TRY(utf8_put_quoted(m, &t->line, plain.data, plain.n));
done:
    vec_char_free(m, &plain);
    return status;
}

/* Returns a prefix for the text of a cell, so that no spreadsheet takes it for a formula. */
static const char *table_mark(const table *t, const char *text, size_t n) {
    return t->csv_safe && utf8_is_formula(text, n) ? "'" : "";
}

/* Writes one of several names of a cell. A name that contains a | or a quote is quoted, as in
 * item_lines.c. */
static lode_status table_put_part(table *t, const char *name, size_t n) {
    lode_status status = LODE_OK;
    size_t start = t->line.n;
    LODE_TRY(table_put_text(t, table_mark(t, name, n)));
    LODE_TRY(table_put(t, name, n));
    status = table_quote(t, start, "|\"");
done:
    return status;
}

/* Writes a name for people: in quotes if it would look like several names or like nothing. */
static lode_status table_put_word(table *t, const char *name, size_t n) {
    lode_status status = LODE_OK;
    mem *m = table_mem(t);
    vec_char plain = {0};
    size_t start = t->line.n;
    bool blank = n == 0 || name[0] == ' ' || name[n - 1] == ' ';
    LODE_TRY(table_put_printable(t, name, n));
    if (!blank && !memchr(name, ',', n) && !memchr(name, '"', n)) goto done;
    LODE_TRY(vec_char_append(m, &plain, t->line.data + start, t->line.n - start));
    t->line.n = start;
    LODE_TRY(utf8_put_quoted(m, &t->line, plain.data, plain.n));
done:
    vec_char_free(m, &plain);
    return status;
}

lode_status table_put_name(table *t, uint32_t item) {
    size_t n;
    const char *name = names_at(t->store, item, &n);
    switch (t->format) {
    case LODE_STORE_JSONL: return utf8_put_json(table_mem(t), &t->line, name, n);
    case LODE_STORE_CSV: return table_put_part(t, name, n);
    case LODE_STORE_XLSX: return sheet_add_name(table_mem(t), &t->line, name, n);
    case LODE_STORE_SMARTS:
    case LODE_STORE_TEXT: break;
    }
    return table_put_word(t, name, n);
}

lode_status table_put_string(table *t, const char *text, size_t n) {
    size_t start = t->line.n;
    char quoted_for[CELL_QUOTED_FOR];
    if (t->format == LODE_STORE_JSONL) return utf8_put_json(table_mem(t), &t->line, text, n);
    if (t->format == LODE_STORE_TEXT) return table_put_printable(t, text, n);
    lode_status status = table_put_text(t, table_mark(t, text, n));
    if (status == LODE_OK) status = table_put(t, text, n);
    return status == LODE_OK ? table_quote(t, start, table_quoted_for(t, quoted_for)) : status;
}

lode_status table_put_list(table *t, uint32_t column, uint32_t at) {
    static const char *const between[] = {", ", "|", ",", ""};
    char quoted_for[CELL_QUOTED_FOR];
    lode_status status = LODE_OK;
    const arrow_cells *cells;
    bool json = t->format == LODE_STORE_JSONL;
    size_t start = t->line.n;
    LODE_TRY(stored_cells(&t->batch, column, &cells));
    if (json) LODE_TRY(table_put(t, "[", 1));
    arrow_list list = arrow_list_at(cells, at);
    for (uint32_t i = 0; i < list.n; i++) {
        if (i > 0) LODE_TRY(table_put_text(t, between[t->format]));
        LODE_TRY(table_put_name(t, ((const uint32_t *)cells->values)[list.first + i]));
    }
    if (json) LODE_TRY(table_put(t, "]", 1));
    if (t->format == LODE_STORE_CSV) {
        LODE_TRY(table_quote(t, start, table_quoted_for(t, quoted_for)));
    }
done:
    return status;
}

static lode_status table_put_code(table *t, uint32_t at) {
    const arrow_cells *cells;
    lode_status status = stored_cells(&t->batch, t->store->text, &cells);
    if (status != LODE_OK) return status;
    arrow_list text = arrow_list_at(cells, at);
    return table_put_string(t, (const char *)cells->values + text.first, text.n);
}

static lode_status table_put_cell(table *t, const stored_column *c, uint32_t at) {
    char text[REALS_BYTES];
    if (c->form == STORED_CELLS && c->type == LODE_COLUMN_TEXT) return table_put_code(t, at);
    if (c->form == STORED_CELLS && c->type == LODE_COLUMN_ITEMS) {
        return table_put_list(t, c->at, at);
    }
    lode_status status = table_number(t, c, at, text);
    return status == LODE_OK ? table_put_text(t, text) : status;
}

void table_begin(table *t) {
    t->line.n = 0;
    t->n_cells = 0;
}

lode_status table_put_key(table *t, const char *name) {
    lode_status status = LODE_OK;
    bool json = t->format == LODE_STORE_JSONL, first = t->n_cells++ == 0;
    if (!first) LODE_TRY(table_put(t, json ? "," : &t->csv.comma, 1));
    if (!json) goto done;
    if (first) LODE_TRY(table_put(t, "{", 1));
    LODE_TRY(utf8_put_json(table_mem(t), &t->line, name, strlen(name)));
    LODE_TRY(table_put(t, ":", 1));
done:
    return status;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Blanks before a text that ends a column. */
static lode_status table_put_right(table *t, const char *text, uint32_t width) {
    lode_status status = LODE_OK;
    for (size_t n = strlen(text); n < width; n++) LODE_TRY(table_put(t, " ", 1));
    LODE_TRY(table_put_text(t, text));
    LODE_TRY(table_put(t, "  ", 2));
done:
    return status;
}

/* For text: makes columns wide enough for these rows. */
static lode_status table_measure(table *t, const uint64_t *rows, size_t n) {
    lode_status status = LODE_OK;
    char text[REALS_BYTES];
    for (uint32_t k = 0; k < t->n_columns; k++) {
        t->widths[k] = (uint32_t)strlen(t->columns[k]->name);
        for (size_t i = 0; i < n && table_is_number(t->columns[k]); i++) {
            LODE_TRY(table_number(t, t->columns[k], table_turn(t, rows[i]), text));
            if (strlen(text) > t->widths[k]) t->widths[k] = (uint32_t)strlen(text);
        }
    }
done:
    return status;
}

/* The SMARTS of a subgraph, and its count. */
static lode_status table_smarts_row(table *t, uint32_t at) {
    lode_status status = LODE_OK;
    const arrow_cells *cells;
    const stored_column *column;
    char count[REALS_BYTES];
    smarts_text bad = {"", 0};
    LODE_TRY(stored_cells(&t->batch, t->store->text, &cells));
    arrow_list code = arrow_list_at(cells, at);
    smarts_text text = {(const char *)cells->values + code.first, code.n};
    status = smarts_put(table_mem(t), &t->line, text, &bad);
    if (status == LODE_UNSUPPORTED) {
        LODE_LEAVE(job_fail(t->store->job, LODE_INVALID,
                            "--write smarts: SMARTS cannot express '%.*s' in row %llu; expected "
                            "element symbols and bonds, as lode-molecules and --labels atomic name "
                            "them",
                            (int)(bad.n < 40 ? bad.n : 40), bad.at,
                            (unsigned long long)(t->batch.first + at)));
    }
    LODE_TRY(status);
    LODE_TRY(table_put(t, "\t", 1));
    LODE_TRY(stored_need(t->store, "column", "count", &column));
    LODE_TRY(table_number(t, column, at, count));
    LODE_TRY(table_put_text(t, count));
    LODE_TRY(table_put(t, "\n", 1));
done:
    return status;
}

/* Numbers come first, and the pattern, which may be long, last. */
static lode_status table_text_row(table *t, uint32_t at) {
    lode_status status = LODE_OK;
    char text[REALS_BYTES];
    for (uint32_t k = 0; k < t->n_columns; k++) {
        if (!table_is_number(t->columns[k])) continue;
        LODE_TRY(table_number(t, t->columns[k], at, text));
        LODE_TRY(table_put_right(t, text, t->widths[k]));
    }
    if (t->store->text != STORED_NONE) LODE_TRY(table_put_code(t, at));
    if (t->store->items != STORED_NONE) LODE_TRY(table_put_list(t, t->store->items, at));
    if (t->store->rhs != STORED_NONE) {
        LODE_TRY(table_put_text(t, " → "));
        LODE_TRY(table_put_list(t, t->store->rhs, at));
    }
    LODE_TRY(table_put(t, "\n", 1));
done:
    return status;
}

static lode_status table_text_title(table *t) {
    static const char *const patterns[] = {"items", "code", "rule"};
    lode_status status = LODE_OK;
    for (uint32_t k = 0; k < t->n_columns; k++) {
        if (!table_is_number(t->columns[k])) continue;
        LODE_TRY(table_put_right(t, t->columns[k]->name, t->widths[k]));
    }
    LODE_TRY(table_put_text(t, patterns[t->store->info.kind]));
    LODE_TRY(table_put(t, "\n", 1));
done:
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Format the header, and a row: each becomes t->line, with its line end. */
static lode_status table_title(table *t) {
    lode_status status = LODE_OK;
    t->line.n = 0;
    if (t->format == LODE_STORE_JSONL || t->format == LODE_STORE_SMARTS) return LODE_OK;
    if (t->format == LODE_STORE_TEXT) return table_text_title(t);
    for (uint32_t k = 0; k < t->n_columns; k++) {
        if (k > 0) LODE_TRY(table_put(t, &t->csv.comma, 1));
        LODE_TRY(table_put_string(t, t->columns[k]->name, strlen(t->columns[k]->name)));
    }
    LODE_TRY(table_put(t, "\n", 1));
done:
    return status;
}

lode_status table_row(table *t, uint64_t row) {
    lode_status status = LODE_OK;
    bool json = t->format == LODE_STORE_JSONL;
    uint32_t at = table_turn(t, row);
    table_begin(t);
    if (t->format == LODE_STORE_TEXT) return table_text_row(t, at);
    if (t->format == LODE_STORE_SMARTS) return table_smarts_row(t, at);
    for (uint32_t k = 0; k < t->n_columns; k++) {
        LODE_TRY(table_put_key(t, t->columns[k]->name));
        LODE_TRY(table_put_cell(t, t->columns[k], at));
    }
    LODE_TRY(table_put_text(t, json ? "}\n" : "\n"));
done:
    return status;
}

/* ---- a page of rows, or all of them, to a file ----------------------------------------------- */

/* Rows are requested in pieces, so that memory does not depend on their number. In the order of the
 * file, each piece begins where the last one ended. In the order of a column, pieces are larger,
 * because each takes passes over the whole file. */

#define WRITE_PIECE  65536
#define WRITE_SORTED (1 << 20)
#define WRITE_ROWS   20 /* of a page of text */
#define WRITE_BUFFER (1 << 18)

typedef struct write_run {
    lode_store *store;
    lode_query_options query;
    lode_query_write_options how;
    table table;
    output out;
    vec_char text;
    sheet *sheet; /* for xlsx */
    uint64_t *rows;
    size_t piece; /* most rows of a piece */
    uint64_t written;
} write_run;

static lode_status write_line(write_run *w, bool last) {
    lode_status status = LODE_OK;
    mem *m = &w->store->job->mem;
    LODE_TRY(vec_char_append(m, &w->text, w->table.line.data, w->table.line.n));
    if (w->text.n == 0 || (!last && w->text.n < WRITE_BUFFER)) goto done;
    LODE_TRY(output_write(&w->out, w->text.data, w->text.n));
    w->text.n = 0;
done:
    return status;
}

/* ---- as .xlsx ---- */

static sheet_look write_column_look(const stored_column *c) {
    return c->type == LODE_COLUMN_COUNT  ? SHEET_COUNT
           : c->type == LODE_COLUMN_REAL ? sheet_look_of(c->name)
                                         : SHEET_TEXT;
}

static lode_status write_begin_sheet(write_run *w) {
    static const char *const titles[] = {"itemsets", "subgraphs", "rules"};
    const table *t = &w->table;
    mem *m = table_mem(t);
    sheet_column *columns = NULL;
    size_t bytes = t->n_columns * sizeof *columns;
    lode_status status = mem_zalloc(m, (void **)&columns, bytes);
    if (status != LODE_OK) return status;
    for (uint32_t k = 0; k < t->n_columns; k++) {
        columns[k] = (sheet_column){t->columns[k]->name, write_column_look(t->columns[k])};
    }
    status = sheet_begin(w->store->job, &w->out, titles[w->store->info.kind], columns, t->n_columns,
                         &w->sheet);
    mem_free(m, columns, bytes);
    return status;
}

static lode_status write_sheet_cell(write_run *w, uint32_t k, uint32_t at) {
    lode_status status = LODE_OK;
    table *t = &w->table;
    const stored_column *c = t->columns[k];
    uint8_t mask = 1;
    uint64_t count;
    double real;
    stored_range range = {at, 1, &mask};
    if (c->type == LODE_COLUMN_COUNT) {
        LODE_TRY(stored_counts(&t->batch, c, range, &count));
        return sheet_put_number(w->sheet, k, (double)count);
    }
    if (c->type == LODE_COLUMN_REAL) {
        LODE_TRY(stored_reals(&t->batch, c, range, &real));
        return sheet_put_number(w->sheet, k, real);
    }
    table_begin(t);
    LODE_TRY(table_put_cell(t, c, at));
    status = sheet_put_text(w->sheet, k, t->line.data, t->line.n);
done:
    return status;
}

static lode_status write_sheet_rows(write_run *w, size_t n) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < n; i++) {
        if (i % 256 == 0) LODE_TRY(stored_poll(w->store));
        uint32_t at = table_turn(&w->table, w->rows[i]);
        for (uint32_t k = 0; k < w->table.n_columns; k++) LODE_TRY(write_sheet_cell(w, k, at));
        sheet_next(w->sheet);
    }
    w->written += n;
done:
    return status;
}

static lode_status write_piece(write_run *w, size_t n) {
    lode_status status = LODE_OK;
    bool first = w->written == 0;
    if (first && w->how.format == LODE_STORE_XLSX) LODE_TRY(write_begin_sheet(w));
    if (w->sheet) return write_sheet_rows(w, n);
    if (first && w->how.format == LODE_STORE_TEXT) LODE_TRY(table_measure(&w->table, w->rows, n));
    if (first) {
        LODE_TRY(table_title(&w->table));
        LODE_TRY(write_line(w, false));
    }
    for (size_t i = 0; i < n; i++) {
        if (i % 256 == 0) LODE_TRY(stored_poll(w->store));
        LODE_TRY(table_row(&w->table, w->rows[i]));
        LODE_TRY(write_line(w, false));
    }
    w->written += n;
done:
    return status;
}

static lode_status write_all_rows(write_run *w) {
    lode_status status = LODE_OK;
    uint64_t left = w->how.rows, page = w->how.page ? w->how.page - 1 : 0, skip = 0;
    size_t n = 0;
    if (page > 0 && left > UINT64_MAX / 4 / page) goto title; /* beyond the end of any file */
    skip = page * left;
    do {
        size_t room = left < w->piece ? (size_t)left : w->piece;
        LODE_TRY(lode_store_rows(w->store, &w->query, skip, w->rows, room, &n));
        if (n == 0) break;
        LODE_TRY(write_piece(w, n));
        left -= n;
        if (w->query.sort_by) {
            skip += n;
        } else {
            w->query.from = w->rows[n - 1] + 1;
            skip = 0;
        }
        if (n < room) break;
    } while (left > 0);
title:
    if (w->written == 0) LODE_TRY(write_piece(w, 0)); /* the title alone */
    if (w->sheet) return sheet_end(w->sheet);
    w->table.line.n = 0;
    LODE_TRY(write_line(w, true));
done:
    return status;
}

/* To a file or, if `path` is NULL, to a function that w->out has already. */
static lode_status write_run_all(write_run *w, const char *path) {
    lode_status status = LODE_OK;
    mem *m = &w->store->job->mem;
    size_t bytes;
    /* Fills in the defaults. */
    bool pages = w->how.format == LODE_STORE_TEXT || w->how.page > 0;
    if (w->how.rows == 0) w->how.rows = pages ? WRITE_ROWS : UINT64_MAX;
    if (w->how.rows > w->store->info.rows + 1) w->how.rows = w->store->info.rows + 1;
    w->piece = w->query.sort_by ? WRITE_SORTED : WRITE_PIECE;
    if (w->how.rows < w->piece) w->piece = (size_t)w->how.rows;
    bytes = w->piece * sizeof *w->rows;
    LODE_TRY(mem_resize(m, (void **)&w->rows, 0, bytes));
    LODE_TRY(table_init(&w->table, w->store, w->how.format, w->how.measures));
    w->table.csv_safe = w->how.csv_safe;
    w->table.csv = csv_style_of(w->how.csv_separator);
    if (path) LODE_TRY(output_open(&w->out, w->store->job, path));
    if (w->how.bom) LODE_TRY(output_write(&w->out, "\xef\xbb\xbf", 3));
    LODE_TRY(write_all_rows(w));
    LODE_TRY(stored_end(w->store, LODE_OK));
    if (csv_is_for_people(w->how.bom, w->how.csv_safe, w->how.csv_separator)) {
        csv_warn_rows(w->store->job, w->written);
    }
    status = output_finish(&w->out, false);
done:
    sheet_free(w->sheet);
    output_discard(&w->out);
    table_clear(&w->table);
    vec_char_free(m, &w->text);
    if (w->rows) mem_free(m, w->rows, bytes);
    return output_settle(w->store->job, stored_end_row(w->store, status));
}

static lode_status write_ask(write_run *w, const lode_query_options *query,
                             const lode_query_write_options *options, const char *path) {
    lode_job *job = w->store->job;
    lease_call call = {0};
    lode_status status = valid_take(job, VALID_QUERY, query, &w->query);
    if (status == LODE_OK) status = valid_take(job, VALID_QUERY_WRITE, options, &w->how);
    if (status != LODE_OK) return status;
    bool about_csv = w->how.csv_safe || w->how.bom || w->how.csv_separator;
    if (about_csv && w->how.format != LODE_STORE_CSV) {
        return job_fail(job, LODE_INVALID, "%s is for csv only",
                        w->how.csv_safe ? "--csv-safe"
                        : w->how.bom    ? "--bom"
                                        : "--csv-separator");
    }
    if (w->how.format == LODE_STORE_SMARTS && w->store->info.kind != LODE_GRAPHS) {
        return job_fail(job, LODE_INVALID, "--write smarts is for results of lode graphs only");
    }
    if (!csv_can_separate(w->how.csv_separator)) {
        return job_fail(job, LODE_INVALID, CSV_SEPARATOR_WORDS);
    }
    status = lease_enter(job, LEASE_ANY, &call);
    if (status == LODE_OK) status = write_run_all(w, path);
    lease_leave(&call);
    return job_explain(job, status, "writing rows of a stored result");
}

lode_status lode_store_write(lode_store *store, const lode_query_options *query, const char *path,
                             const lode_query_write_options *options, uint64_t *written) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(path));
    write_run w = {.store = store};
    lode_status status = write_ask(&w, query, options, path);
    if (status == LODE_OK && written) *written = w.written;
    return status;
}

lode_status lode_store_write_call(lode_store *store, const lode_query_options *query,
                                  lode_write_fn write, void *user,
                                  const lode_query_write_options *options, uint64_t *written) {
    VALID_CALL(store ? store->job : NULL, {write != NULL, "write"});
    write_run w = {.store = store};
    output_call(&w.out, store->job, write, user);
    lode_status status = write_ask(&w, query, options, NULL);
    if (status == LODE_OK && written) *written = w.written;
    return status;
}

bool lode_writes_xlsx(void) {
    return sheet_is_known();
}
