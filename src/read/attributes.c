/* attributes.c - a table of attributes: one line per transaction, and an item for every cell
 *
 *     id,age,colour        with --ignore id, the items of the first transaction are age=37 and
 *     7,37,red             colour=red, and that of the second is colour=blue; with --keep-missing
 *     8,NA,blue            the second has age=missing, too
 *
 * The first line has the names of the columns. A first column without a name, or with a name for
 * row numbers, is not read, nor is the column of --tid. Cells with words for missing values
 * (cells.h) are no items. If there are several files, all must have the same columns, in any order.
 *
 * Columns of --bins are read like all others; then the values become ranges (number_bins.h). So the
 * file is read once, and weights, --drop-rows and standard input need nothing more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/cells.h"
#include "read/column_names.h"
#include "read/number_bins.h"
#include "read/read.h"
#include "read/read_advice.h"

#define ATTRIBUTE_NAME 128 /* bytes of an option's column, with a terminating zero */

/* The columns of a file: "age=" for each that has items, one after the other, "" for the others. */
typedef struct attributes_header {
    vec_char text;
    vec_u64 ends;
} attributes_header;

/* What all files have in common. */
typedef struct attributes_state {
    dict *names; /* of the first of several files */
    bins *bins;  /* NULL = none */
} attributes_state;

/* ---- the header ------------------------------------------------------------------------------ */

static bool attributes_is_id(const read_task *task, size_t column, const csv_field *f) {
    const char *tid = task->options.tid_column;
    size_t number = columns_number(tid);
    if (tid) return number > 0 ? column == number - 1 : columns_alike(f->text, f->n, tid);
    return column == 0 && columns_is_index(f->text, f->n);
}

static lode_status attributes_column(read_task *task, attributes_header *h, const csv_cursor *c,
                                     const csv_field *f) {
    lode_status status = LODE_OK;
    size_t column = h->ends.n, *id = &task->file->found.id_column;
    bool is_id = *id == SNIFF_NONE && attributes_is_id(task, column, f);
    if (is_id) {
        *id = column;
        if (f->n > 0) read_note_column(task, column, f->text, f->n);
    }
    if (!is_id && !rows_is_ignored(task, task->file, column)) {
        if (f->n == 0) {
            LODE_LEAVE(
                read_bad_at(task, task->file->lines_above + 1, (uint64_t)(f->at - c->record) + 1,
                            "column without a name; expected a name, or --ignore %zu", column + 1));
        }
        LODE_TRY(vec_char_append(c->mem, &h->text, f->text, f->n));
        LODE_TRY(vec_char_append(c->mem, &h->text, "=", 1));
    }
    status = vec_u64_push(c->mem, &h->ends, h->text.n);
done:
    return status;
}

/* The column that --bins names, in the spelling of the header: "age=". */
static lode_status attributes_resolve(read_task *task, csv_cursor header, const char *option,
                                      size_t n, vec_char *out) {
    lode_status status = LODE_OK;
    char name[ATTRIBUTE_NAME];
    csv_cursor c = header;
    csv_field f = {0};
    n = n < sizeof name - 1 ? n : sizeof name - 1;
    memcpy(name, option, n);
    name[n] = 0;
    size_t number = columns_number(name), column = 0;
    for (csv_begin(&c); !f.last; column++) {
        LODE_TRY(csv_next(&c, &f));
        if (number > 0 ? column != number - 1 : !columns_alike(f.text, f.n, name)) continue;
        if (rows_is_ignored(task, task->file, column) || column == task->file->found.id_column) {
            LODE_LEAVE(job_fail(task->job, LODE_INVALID,
                                "--bins: the column '%s' is not read as items", name));
        }
        out->n = 0;
        LODE_TRY(vec_char_append(c.mem, out, f.text, f.n));
        LODE_LEAVE(vec_char_append(c.mem, out, "=", 1));
    }
    status = read_no_column(task, header, name);
done:
    return status;
}

static lode_status attributes_resolve_bins(read_task *task, csv_cursor header) {
    lode_status status = LODE_OK;
    bins *b = ((attributes_state *)task->own)->bins;
    for (size_t i = 0; b && i < b->n; i++) {
        bins_column *c = &b->columns[i];
        LODE_TRY(attributes_resolve(task, header, c->asked, c->n_asked, &c->prefix));
        if (c->how != BINS_MDLP) continue;
        LODE_TRY(attributes_resolve(task, header, c->values, c->n_values, &c->class_prefix));
    }
done:
    return status;
}

/* The number of columns. Rows of a sheet may have empty cells beside the table, also the header. */
static lode_status attributes_width(const read_task *task, csv_cursor c, size_t *width) {
    lode_status status = LODE_OK;
    csv_field f = {0};
    *width = 0;
    csv_begin(&c);
    for (size_t n = 1; !f.last; n++) {
        LODE_TRY(csv_next(&c, &f));
        if (f.n > 0 || !task->file->found.sheet) *width = n;
    }
done:
    return status;
}

/* Several files must have the same columns. */
static lode_status attributes_compare(read_task *task, csv_cursor c, size_t width) {
    lode_status status = LODE_OK;
    attributes_state *state = task->own;
    csv_field f = {0};
    uint32_t id;
    size_t n = 0;
    if (task->n_files == 1) goto done;
    if (!state->names) LODE_TRY(dict_create(c.mem, &state->names));
    for (csv_begin(&c); n < width; n++) {
        LODE_TRY(csv_next(&c, &f));
        if (!read_is_later(task)) {
            LODE_TRY(dict_add(state->names, f.text, f.n, &id));
        } else if (dict_find(state->names, f.text, f.n) == DICT_NONE) {
            LODE_LEAVE(read_differs(task, "only the second file has the column '%.*s'",
                                    (int)(f.n < 60 ? f.n : 60), f.text));
        }
    }
    if (read_is_later(task) && n < dict_count(state->names)) {
        status = read_differs(task, "the second file has fewer columns");
    }
done:
    return status;
}

static lode_status attributes_fields(read_task *task, csv_cursor *c) {
    lode_status status = LODE_OK;
    const csv_cursor header = *c;
    csv_field f = {0};
    size_t width;
    LODE_TRY(attributes_width(task, header, &width));
    LODE_TRY(rows_find(task, header, true));
    LODE_TRY(attributes_compare(task, header, width));
    csv_begin(c);
    for (size_t i = 0; i < width; i++) {
        LODE_TRY(csv_next(c, &f));
        LODE_TRY(attributes_column(task, task->file->own, c, &f));
    }
    if (task->options.tid_column && task->file->found.id_column == SNIFF_NONE) {
        LODE_LEAVE(read_no_column(task, header, task->options.tid_column));
    }
    status = attributes_resolve_bins(task, header);
done:
    return status;
}

static lode_status attributes_prepare(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    const char *text;
    size_t n;
    if (!task->own) {
        LODE_TRY(mem_zalloc(m, &task->own, sizeof(attributes_state)));
        LODE_TRY(bins_parse(task->job, task->options.bins, &((attributes_state *)task->own)->bins));
    }
    LODE_TRY(mem_zalloc(m, &task->file->own, sizeof(attributes_header)));
    task->file->found.id_column = SNIFF_NONE;
    LODE_TRY(input_take_record(task->in, &text, &n));
    csv_cursor c = read_cursor_over(task, text, n), start = c;
    if (!csv_begin(&c)) LODE_LEAVE(read_bad_at(task, 1, 1, "empty file; expected a header line"));
    c = start;
    status = attributes_fields(task, &c);
    if (status == LODE_PARSE && c.bad) status = read_bad_header(task, &c);
done:
    return status;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* The item of a cell: its column and value. */
static lode_status attributes_item(read_worker *w, const char *prefix, size_t n_prefix,
                                   const char *text, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &w->task->job->mem;
    uint32_t code;
    w->item.n = 0;
    LODE_TRY(vec_char_append(m, &w->item, prefix, n_prefix));
    LODE_TRY(vec_char_append(m, &w->item, text, n));
    LODE_TRY(worker_code(w->out, w->item.data, w->item.n, &code));
    worker_push(w->out, code);
done:
    return status;
}

static lode_status attributes_cell(read_worker *w, size_t column, const csv_field *f) {
    const attributes_header *h = w->file->own;
    uint64_t start = column > 0 ? h->ends.data[column - 1] : 0;
    size_t n_prefix = (size_t)(h->ends.data[column] - start);
    bool yes;
    if (n_prefix == 0) return LODE_OK;
    bool missing = f->n == 0 || cell_look(f->text, f->n, &yes) == CELL_BLANK;
    if (!missing) return attributes_item(w, h->text.data + start, n_prefix, f->text, f->n);
    if (!w->task->options.keep_missing) return LODE_OK;
    return attributes_item(w, h->text.data + start, n_prefix, BINS_MISSING, strlen(BINS_MISSING));
}

/* A field for which there is no column. Only sheets may have such fields, if they are empty. */
static lode_status attributes_beyond(read_worker *w, csv_cursor *c, csv_field *f) {
    lode_status status = LODE_OK;
    while (w->file->found.sheet && f->n == 0 && !f->last) LODE_TRY(csv_next(c, f));
    if (w->file->found.sheet && f->n == 0) goto done;
    status = csv_malformed(c, f->at, "too many fields; expected as many as in the header");
done:
    return status;
}

static lode_status attributes_cells(read_worker *w, csv_cursor *c, csv_field *f) {
    lode_status status = LODE_OK;
    const attributes_header *h = w->file->own;
    const size_t id = w->file->found.id_column;
    size_t column = 0;
    for (;; column++) {
        if (column == h->ends.n) return attributes_beyond(w, c, f);
        if (w->task->rows) rows_look(w, column, f->text, f->n, f->at);
        if (column == id) LODE_TRY(vec_char_append(c->mem, &w->kept, f->text, f->n));
        LODE_TRY(attributes_cell(w, column, f));
        if (f->last) break;
        LODE_TRY(csv_next(c, f));
    }
    if (column + 1 < h->ends.n) {
        status = csv_malformed(c, f->at, "too few fields; expected as many as in the header");
    }
done:
    return status;
}

static lode_status attributes_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field f;
    if (read_is_drawn(w, c)) return LODE_OK;
    LODE_TRY(csv_next(c, &f));
    if (csv_is_blank(&f)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    LODE_TRY(worker_reserve(w->out, ((const attributes_header *)w->file->own)->ends.n));
    rows_begin(w);
    w->kept.n = 0;
    LODE_TRY(attributes_cells(w, c, &f));
    bool ids = w->task->options.keep_ids && w->file->found.id_column != SNIFF_NONE;
    status = read_end_noted(w, c, &(builder_note){.named = ids});
done:
    return status;
}

static lode_status attributes_parse(read_worker *w) {
    return read_records(w, attributes_record);
}

static lode_status attributes_refine(read_task *task, lode_dataset **data) {
    const bins *b = ((const attributes_state *)task->own)->bins;
    return b ? bins_apply(task->job, b, task->name.data, task->kind->found.separator, data)
             : LODE_OK;
}

static void attributes_clear(read_task *task) {
    attributes_state *state = task->own;
    if (!state) return;
    dict_free(state->names);
    bins_free(&task->job->mem, state->bins);
    mem_free(&task->job->mem, state, sizeof *state);
}

static void attributes_clear_file(read_task *task, read_file *file) {
    mem *m = &task->job->mem;
    attributes_header *h = file->own;
    vec_char_free(m, &h->text);
    vec_u64_free(m, &h->ends);
    mem_free(m, h, sizeof *h);
}

const read_format read_attributes = {.name = "attributes",
                                     .format = LODE_FORMAT_ATTRIBUTES,
                                     .separated = true,
                                     .prepare = attributes_prepare,
                                     .parse = attributes_parse,
                                     .refine = attributes_refine,
                                     .clear = attributes_clear,
                                     .clear_file = attributes_clear_file};
