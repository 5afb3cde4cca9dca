/* onehot.c - a table of true and false: one column per item, one line per transaction
 *
 *     order,bread,milk,Total   the header names the items
 *     17,1,0,1                 also true/false, yes/no, y/n, x; a number above 0 is true;
 *     18,x,,1                  an empty cell, NaN, NA, ? and - are false: see cells.h
 *     Total,2,0,2
 *
 * The column of ids is not an item; it is the one that options.tid_column names, or the one that
 * was detected (sniff.h). Totals of pivot tables are left out: the last column, if its name is a
 * word for totals, and lines whose id is such a word. A last column without a name comes from a
 * separator at the end of each line, and must be blank. If there are several files, each has its
 * own columns: an item without a column in a file does not occur in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/cells.h"
#include "read/column_names.h"
#include "read/read.h"
#include "read/read_advice.h"

/* In place of the code of a column that is not an item: its cells are ignored, or must be blank. */
#define ONEHOT_PASSED UINT32_MAX
#define ONEHOT_BLANK  (UINT32_MAX - 1)

/* Names of the columns, one after the other; "" for those that are not items. */
typedef struct onehot_header {
    vec_char text;
    vec_u64 ends;
    bool open; /* the last column has no name */
} onehot_header;

/* What the first of several files has, for comparison. */
typedef struct onehot_first {
    dict *items;
    bool has_id;
    vec_char id; /* its name, with a terminating zero */
    bool warned;
} onehot_first;

/* What a thread keeps: its own code of every column of a file. */
typedef struct onehot_worker {
    const read_file *file;
    uint32_t *codes;
    size_t n;
} onehot_worker;

static lode_status onehot_name(read_task *task, onehot_header *h, csv_cursor *c,
                               const csv_field *f) {
    lode_status status = LODE_OK;
    const size_t column = h->ends.n;
    const sniff_result *found = &task->file->found;
    bool id = column == found->id_column;
    bool passed = id || column == found->total || rows_is_taken(task, task->file, column);
    h->open = f->last && f->n == 0 && !passed && column > 0;
    if (f->n == 0 && !passed && !h->open) {
        LODE_LEAVE(read_bad_at(task, task->file->lines_above + 1, (uint64_t)(f->at - c->record) + 1,
                               "column without a name; expected an item name"));
    }
    if (id && f->n > 0) read_note_column(task, column, f->text, f->n);
    if (!passed) LODE_TRY(vec_char_append(c->mem, &h->text, f->text, f->n));
    LODE_TRY(vec_u64_push(c->mem, &h->ends, h->text.n));
done:
    return status;
}

/* Looks for a column by its number or, if that is 0, by its name. */
static lode_status onehot_find(csv_cursor c, const char *name, size_t number, size_t *found) {
    csv_field f = {0};
    *found = SNIFF_NONE;
    for (size_t column = 0; !f.last; column++) {
        lode_status status = csv_next(&c, &f);
        if (status != LODE_OK) return status;
        bool is_it = number > 0
                         ? column == number - 1
                         : columns_alike(f.text, f.n, name) || columns_same(f.text, f.n, name);
        if (!is_it) continue;
        *found = column;
        break;
    }
    return LODE_OK;
}

/* If recognition found ids in the first of several files, the others have their ids in the column
 * of the same name, whatever its cells look like. */
static lode_status onehot_same_id(read_task *task, csv_cursor c) {
    lode_status status = LODE_OK;
    onehot_first *first = task->own;
    size_t *id = &task->file->found.id_column;
    if (!first->has_id) {
        *id = SNIFF_NONE;
        goto done;
    }
    LODE_TRY(onehot_find(c, first->id.data, 0, id));
    if (*id == SNIFF_NONE) {
        LODE_LEAVE(read_differs(task, "the first file has the column '%.60s', the second does not",
                                first->id.data));
    }
done:
    return status;
}

/* Finds the column of ids before the other names are read. */
static lode_status onehot_find_id(read_task *task, csv_cursor c) {
    const char *option = task->options.tid_column;
    if (!option) return read_is_later(task) ? onehot_same_id(task, c) : LODE_OK;
    size_t *id = &task->file->found.id_column;
    lode_status status = onehot_find(c, option, columns_number(option), id);
    if (status != LODE_OK || *id != SNIFF_NONE) return status;
    return read_no_column(task, c, option);
}

static lode_status onehot_header_fields(read_task *task, onehot_header *h, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field field;
    LODE_TRY(onehot_find_id(task, *c));
    LODE_TRY(rows_find(task, *c, true));
    do {
        LODE_TRY(csv_next(c, &field));
        LODE_TRY(onehot_name(task, h, c, &field));
    } while (!field.last);
done:
    return status;
}

/* ---- several files ---- */

/* Keeps what the first file has. */
static lode_status onehot_keep(read_task *task, const onehot_header *h, csv_cursor c) {
    lode_status status = LODE_OK;
    onehot_first *first = task->own;
    const size_t id = task->file->found.id_column;
    csv_field f = {0};
    uint32_t ignored;
    first->has_id = id != SNIFF_NONE;
    for (size_t column = 0; first->has_id && column <= id && !f.last; column++) {
        LODE_TRY(csv_next(&c, &f));
    }
    LODE_TRY(vec_char_append(c.mem, &first->id, f.text, first->has_id ? f.n : 0));
    LODE_TRY(vec_char_append(c.mem, &first->id, "", 1));
    LODE_TRY(dict_create(c.mem, &first->items));
    for (size_t i = 0; i < h->ends.n; i++) {
        uint64_t start = i > 0 ? h->ends.data[i - 1] : 0, n = h->ends.data[i] - start;
        if (n > 0) LODE_TRY(dict_add(first->items, h->text.data + start, (size_t)n, &ignored));
    }
done:
    return status;
}

/* Warns, once, if a file has other items than the first. */
static void onehot_compare(read_task *task, const onehot_header *h) {
    onehot_first *first = task->own;
    size_t known = 0, fresh = 0;
    for (size_t i = 0; i < h->ends.n; i++) {
        uint64_t start = i > 0 ? h->ends.data[i - 1] : 0, n = h->ends.data[i] - start;
        bool has = n > 0 && dict_find(first->items, h->text.data + start, (size_t)n) != DICT_NONE;
        known += has;
        fresh += n > 0 && !has;
    }
    size_t missing = dict_count(first->items) - known;
    if (first->warned || (missing == 0 && fresh == 0)) return;
    first->warned = true;
    job_log(task->job, LODE_LOG_WARNING,
            "%s lacks %zu of the item columns of %s, and has %zu others; if a file has no column "
            "for an item, lode takes the item as absent from that file",
            task->file->name, missing, task->kind->name, fresh);
}

/* In an Arrow table, items are bools or quantities. */
static lode_status onehot_check_types(read_task *task) {
    const sniff_result *found = &task->file->found;
    lode_status status = LODE_OK;
    for (size_t i = 0; status == LODE_OK && i < arrays_n_columns(task->arrays); i++) {
        bool read = i != found->total && (i != found->id_column || task->options.keep_ids);
        if (read || rows_is_taken(task, task->file, i)) status = arrays_check_type(task, i);
    }
    return status;
}

static lode_status onehot_prepare(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    const char *text;
    size_t n;
    if (!task->own) LODE_TRY(mem_zalloc(m, &task->own, sizeof(onehot_first)));
    LODE_TRY(mem_zalloc(m, &task->file->own, sizeof(onehot_header)));
    LODE_TRY(input_take_record(task->in, &text, &n));
    csv_cursor c = read_cursor_over(task, text, n);
    if (!csv_begin(&c)) LODE_LEAVE(read_bad_at(task, 1, 1, "empty file; expected a header line"));
    csv_cursor start = c;
    status = onehot_header_fields(task, task->file->own, &c);
    if (status == LODE_PARSE && c.bad) status = read_bad_header(task, &c);
    if (status == LODE_OK && task->arrays) status = onehot_check_types(task);
    if (status != LODE_OK || task->n_files == 1) goto done;
    if (read_is_later(task)) {
        onehot_compare(task, task->file->own);
    } else {
        LODE_TRY(onehot_keep(task, task->file->own, start));
    }
done:
    return status;
}

static void onehot_clear_file(read_task *task, read_file *file) {
    mem *m = &task->job->mem;
    onehot_header *h = file->own;
    vec_char_free(m, &h->text);
    vec_u64_free(m, &h->ends);
    mem_free(m, h, sizeof *h);
}

static void onehot_clear(read_task *task) {
    mem *m = &task->job->mem;
    onehot_first *first = task->own;
    for (unsigned i = 0; i < task->n_workers; i++) {
        onehot_worker *own = task->workers[i].own;
        if (!own) continue;
        mem_free(m, own->codes, own->n * sizeof *own->codes);
        mem_free(m, own, sizeof *own);
    }
    if (!first) return;
    dict_free(first->items);
    vec_char_free(m, &first->id);
    mem_free(m, first, sizeof *first);
}

/* ---- parsing ---- */

/* Makes room for the codes of the columns of the worker's file. */
static lode_status onehot_room(read_worker *w, size_t n) {
    mem *m = &w->task->job->mem;
    lode_status status = LODE_OK;
    if (!w->own) LODE_TRY(mem_zalloc(m, &w->own, sizeof(onehot_worker)));
    onehot_worker *own = w->own;
    LODE_TRY(
        mem_resize(m, (void **)&own->codes, own->n * sizeof *own->codes, n * sizeof *own->codes));
    own->n = n;
done:
    return status;
}

/* The worker's own code of every column. */
static lode_status onehot_codes(read_worker *w) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->file->own;
    const sniff_result *found = &w->file->found;
    if (w->own && ((onehot_worker *)w->own)->file == w->file) return LODE_OK;
    LODE_TRY(onehot_room(w, h->ends.n));
    onehot_worker *own = w->own;
    uint32_t *codes = own->codes;
    uint64_t start = 0;
    own->file = NULL;
    for (size_t i = 0; i < h->ends.n; i++) {
        uint64_t end = h->ends.data[i];
        bool passed =
            i == found->id_column || i == found->total || rows_is_taken(w->task, w->file, i);
        codes[i] = passed ? ONEHOT_PASSED : ONEHOT_BLANK;
        if (!passed && end > start) {
            LODE_TRY(worker_code(w->out, h->text.data + start, end - start, &codes[i]));
        }
        start = end;
    }
    own->file = w->file;
done:
    return status;
}

static lode_status onehot_cell(read_worker *w, csv_cursor *c, uint32_t code, const csv_field *f) {
    if (code == ONEHOT_PASSED) return LODE_OK;
    int truth = cell_truth(f->text, f->n);
    if (code == ONEHOT_BLANK && truth != 0) {
        return csv_malformed(c, f->at, "value in a column without a name; expected an empty cell");
    }
    if (truth < 0) {
        return csv_malformed(c, f->at,
                             "neither true nor false; expected 0, 1, true, false, t, f, yes, no, "
                             "y, n, x, a quantity or an empty cell (--ignore COLUMN leaves out a "
                             "column that is not an item, such as a date)");
    }
    if (truth > 0) worker_push(w->out, code);
    return LODE_OK;
}

/* A cell that may decide about the row, its weight or its id. */
static lode_status onehot_note(read_worker *w, csv_cursor *c, size_t column, const csv_field *f) {
    if (w->task->rows) rows_look(w, column, f->text, f->n, f->at);
    if (column != w->file->found.id_column) return LODE_OK;
    return vec_char_append(c->mem, &w->kept, f->text, f->n);
}

/* *totals: this is a line of totals. */
static lode_status onehot_fields(read_worker *w, csv_cursor *c, csv_field *field, bool *totals) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->file->own;
    const uint32_t *codes = ((const onehot_worker *)w->own)->codes;
    const size_t id = w->file->found.id_column;
    const bool noted = w->task->rows || w->task->options.keep_ids;
    size_t column = 0;
    for (;; column++) {
        if (column == h->ends.n) {
            return csv_malformed(c, field->at, "too many fields; expected one per item");
        }
        if (column == id) *totals = columns_is_total(field->text, field->n);
        if (noted) LODE_TRY(onehot_note(w, c, column, field));
        LODE_TRY(onehot_cell(w, c, codes[column], field));
        if (field->last) break;
        LODE_TRY(csv_next(c, field));
    }
    if (column + 1 + h->open < h->ends.n) {
        return csv_malformed(c, field->at, "too few fields; expected one per item");
    }
done:
    return status;
}

static lode_status onehot_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field field;
    bool totals = false;
    if (read_is_drawn(w, c)) return LODE_OK;
    LODE_TRY(worker_reserve(w->out, ((const onehot_header *)w->file->own)->ends.n));
    LODE_TRY(csv_next(c, &field));
    if (csv_is_blank(&field)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    rows_begin(w);
    w->kept.n = 0;
    LODE_TRY(onehot_fields(w, c, &field, &totals));
    if (totals) {
        worker_drop_transaction(w->out);
        w->n_totals++;
        goto done;
    }
    if (w->task->rows || w->task->options.keep_ids) {
        bool ids = w->task->options.keep_ids && w->file->found.id_column != SNIFF_NONE;
        LODE_TRY(read_end_noted(w, c, &(builder_note){.named = ids}));
    } else {
        LODE_TRY(worker_end_transaction(w->out));
    }
done:
    return status;
}

static lode_status onehot_parse(read_worker *w) {
    lode_status status = onehot_codes(w);
    if (status != LODE_OK) return status;
    const uint32_t *codes = ((const onehot_worker *)w->own)->codes;
    return w->file->is_arrays ? arrays_parse_onehot(w, codes, ONEHOT_BLANK)
                              : read_records(w, onehot_record);
}

const read_format read_onehot = {.name = "onehot",
                                 .format = LODE_FORMAT_ONEHOT,
                                 .separated = true,
                                 .prepare = onehot_prepare,
                                 .parse = onehot_parse,
                                 .clear = onehot_clear,
                                 .clear_file = onehot_clear_file};
