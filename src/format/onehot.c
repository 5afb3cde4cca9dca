/* onehot.c - a table of true and false: one column an item, one line a transaction
 *
 *     order,bread,milk,Total   the header gives the items
 *     17,1,0,1                 also true/false, yes/no, y/n, x; a number above 0 is true;
 *     18,x,,1                  nothing, NaN, NA, ? and - are false: see cells.h
 *     Total,2,0,2
 *
 * A column of ids is no item: the one that options.tid_column names, or that recognition has found
 * (sniff.h). Totals, as pivot tables have them, are left out: the last column, and lines whose id
 * says so. A last column without a name comes from a separator at the end of the lines; it must be
 * blank.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/cells.h"
#include "format/columns.h"
#include "format/read.h"

/* In place of the code of a column that is no item: its cells are not looked at, or are blank. */
#define ONEHOT_PASSED UINT32_MAX
#define ONEHOT_BLANK  (UINT32_MAX - 1)

/* Names of the columns, one after the other; "" for those that are no items. */
typedef struct onehot_header {
    vec_char text;
    vec_u64 ends;
    bool open; /* the last column has no name */
} onehot_header;

static lode_status onehot_name(read_task *task, onehot_header *h, csv_cursor *c,
                               const csv_field *f) {
    lode_status status = LODE_OK;
    const size_t column = h->ends.n;
    bool id = column == task->found.id_column;
    bool passed = id || column == task->found.total;
    h->open = f->last && f->n == 0 && !passed && column > 0;
    if (f->n == 0 && !passed && !h->open) {
        LODE_LEAVE(read_bad_at(task, task->lines_above + 1, (uint64_t)(f->at - c->record) + 1,
                               "column without a name; expected an item"));
    }
    if (id && f->n > 0) read_note_column(task, column, f->text, f->n);
    if (!passed) LODE_TRY(vec_char_append(c->mem, &h->text, f->text, f->n));
    LODE_TRY(vec_u64_push(c->mem, &h->ends, h->text.n));
done:
    return status;
}

/* A column that was asked for is settled before the names are read. */
static lode_status onehot_find_id(read_task *task, csv_cursor c) {
    const char *option = task->options.tid_column;
    size_t number = columns_number(option);
    csv_field f = {0};
    if (!option) return LODE_OK;
    for (size_t column = 0; !f.last; column++) {
        lode_status status = csv_next(&c, &f);
        if (status != LODE_OK) return status;
        task->found.id_column = column;
        if (number > 0 ? column == number - 1 : columns_alike(f.text, f.n, option)) return LODE_OK;
    }
    return job_fail(task->job, LODE_INVALID, "%s has no column '%s'", input_name(task->in), option);
}

static lode_status onehot_header_fields(read_task *task, onehot_header *h, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field field;
    LODE_TRY(onehot_find_id(task, *c));
    do {
        LODE_TRY(csv_next(c, &field));
        LODE_TRY(onehot_name(task, h, c, &field));
    } while (!field.last);
done:
    return status;
}

static lode_status onehot_prepare(read_task *task) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    LODE_TRY(mem_zalloc(&task->job->mem, &task->own, sizeof(onehot_header)));
    LODE_TRY(input_take_record(task->in, &text, &n));
    csv_cursor c = read_cursor_over(task, text, n);
    if (!csv_begin(&c)) LODE_LEAVE(read_bad_at(task, 1, 1, "empty file; expected a header line"));
    status = onehot_header_fields(task, task->own, &c);
    if (status == LODE_PARSE && c.bad) status = read_bad_header(task, &c);
done:
    return status;
}

static void onehot_clear(read_task *task) {
    mem *m = &task->job->mem;
    onehot_header *h = task->own;
    if (!h) return;
    for (unsigned i = 0; i < task->n_workers; i++) {
        mem_free(m, task->workers[i].own, h->ends.n * sizeof(uint32_t));
    }
    vec_char_free(m, &h->text);
    vec_u64_free(m, &h->ends);
    mem_free(m, h, sizeof *h);
}

/* The worker's own code of every column. */
static lode_status onehot_codes(read_worker *w) {
    lode_status status = LODE_OK;
    const read_task *task = w->task;
    const onehot_header *h = task->own;
    if (w->own) return LODE_OK;
    LODE_TRY(mem_zalloc(&w->task->job->mem, &w->own, h->ends.n * sizeof(uint32_t)));
    uint32_t *codes = w->own;
    uint64_t start = 0;
    for (size_t i = 0; i < h->ends.n; i++) {
        uint64_t end = h->ends.data[i];
        bool passed = i == task->found.id_column || i == task->found.total;
        codes[i] = passed ? ONEHOT_PASSED : ONEHOT_BLANK;
        if (!passed && end > start) {
            LODE_TRY(worker_code(w->out, h->text.data + start, end - start, &codes[i]));
        }
        start = end;
    }
done:
    return status;
}

static lode_status onehot_cell(read_worker *w, csv_cursor *c, uint32_t code, const csv_field *f) {
    if (code == ONEHOT_PASSED) return LODE_OK;
    int truth = cell_truth(f->text, f->n);
    if (code == ONEHOT_BLANK && truth != 0) {
        return csv_malformed(c, f->at, "a cell below no name; expected nothing");
    }
    if (truth < 0) {
        return csv_malformed(c, f->at,
                             "neither true nor false; expected 0, 1, true, false, t, f, yes, no, "
                             "y, n, x, a quantity or nothing");
    }
    if (truth > 0) worker_push(w->out, code);
    return LODE_OK;
}

/* *totals: the line adds up the others. */
static lode_status onehot_fields(read_worker *w, csv_cursor *c, csv_field *field, bool *totals) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->task->own;
    const uint32_t *codes = w->own;
    const size_t id = w->task->found.id_column;
    size_t column = 0;
    for (;; column++) {
        if (column == h->ends.n) {
            return csv_malformed(c, field->at, "too many fields; expected one for each item");
        }
        if (column == id) *totals = columns_is_total(field->text, field->n);
        LODE_TRY(onehot_cell(w, c, codes[column], field));
        if (field->last) break;
        LODE_TRY(csv_next(c, field));
    }
    if (column + 1 + h->open < h->ends.n) {
        return csv_malformed(c, field->at, "too few fields; expected one for each item");
    }
done:
    return status;
}

static lode_status onehot_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field field;
    bool totals = false;
    LODE_TRY(csv_next(c, &field));
    if (csv_is_blank(&field)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    LODE_TRY(onehot_fields(w, c, &field, &totals));
    if (totals) {
        worker_drop_transaction(w->out);
        w->n_totals++;
        goto done;
    }
    LODE_TRY(worker_end_transaction(w->out));
done:
    return status;
}

static lode_status onehot_parse(read_worker *w) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->task->own;
    csv_cursor c = read_cursor(w);
    LODE_TRY(onehot_codes(w));
    while (csv_begin(&c)) {
        LODE_TRY(worker_reserve(w->out, h->ends.n));
        status = onehot_record(w, &c);
        if (status == LODE_PARSE && c.bad) status = read_bad_record(w, &c);
        if (status != LODE_OK) break;
    }
done:
    return status;
}

const read_format read_onehot = {.name = "onehot",
                                 .format = LODE_FORMAT_ONEHOT,
                                 .separated = true,
                                 .prepare = onehot_prepare,
                                 .parse = onehot_parse,
                                 .clear = onehot_clear};
