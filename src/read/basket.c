/* basket.c - one transaction per line: names separated by one character
 *
 *     bread,milk,"cheese, grated"
 *     bread,,beer                      an empty field is not an item
 *
 * With options.header the first line contains column names and is skipped. options.tid_column names
 * a column that is not an item, such as the receipt number. options.weight_column names the column
 * with the weight of the transaction. In files that are read in parts, names must not contain line
 * ends, because a part begins after a newline, even if it is within quotes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/cells.h"
#include "read/column_names.h"
#include "read/read.h"
#include "read/read_advice.h"

/* Finds the column that the options name in the header. */
static lode_status basket_find(read_task *task, csv_cursor *c) {
    lode_status status = LODE_OK;
    const char *option = task->options.tid_column;
    const csv_cursor header = *c;
    csv_field f;
    size_t column = 0;
    csv_begin(c);
    do {
        LODE_TRY(csv_next(c, &f));
        if (columns_alike(f.text, f.n, option)) {
            task->file->found.id_column = column;
            read_note_column(task, column, f.text, f.n);
            goto done;
        }
        column++;
    } while (!f.last);
    status = read_no_column(task, header, option);
done:
    return status;
}

/* Several files: if one has a header, all must have it, or a transaction would be lost. Headers are
 * compared by their first name; the number of columns may differ. */
static lode_status basket_compare(read_task *task, csv_cursor c) {
    lode_status status = LODE_OK;
    csv_field f;
    if (task->n_files == 1 || !csv_begin(&c)) return LODE_OK;
    LODE_TRY(csv_next(&c, &f));
    if (!read_is_later(task)) {
        LODE_TRY(vec_char_append(c.mem, &task->header, f.text, f.n));
        LODE_TRY(vec_char_append(c.mem, &task->header, "", 1));
    } else if (!columns_same(f.text, f.n, task->header.data)) {
        LODE_LEAVE(read_differs(task,
                                "the header of the first file begins with '%.40s', the header of "
                                "the second with '%.*s'",
                                task->header.data, (int)(f.n < 40 ? f.n : 40), f.text));
    }
done:
    return status;
}

/* Finds the columns of weights and conditions. */
static lode_status basket_find_rows(read_task *task, csv_cursor *c, bool has_names) {
    if (has_names && c->at == c->end && task->rows) {
        return job_fail(task->job, LODE_INVALID, "%s is empty: it has no columns",
                        task->file->name);
    }
    return rows_find(task, *c, has_names);
}

static lode_status basket_prepare(read_task *task) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    const char *tid = task->options.tid_column;
    size_t number = columns_number(tid);
    task->file->found.id_column = number > 0 ? number - 1 : SNIFF_NONE;
    if (number > 0) read_note_column(task, number - 1, NULL, 0);
    bool by_name = tid && number == 0;
    bool takes = task->options.header || by_name || rows_need_header(task);
    if (!takes && !task->rows) return LODE_OK;
    LODE_TRY(takes ? input_take_record(task->in, &text, &n)
                   : input_peek_record(task->in, &text, &n));
    csv_cursor c = read_cursor_over(task, text, n);
    LODE_TRY(basket_find_rows(task, &c, takes));
    if (!takes) goto done;
    LODE_TRY(basket_compare(task, c));
    if (!by_name) goto done;
    status = basket_find(task, &c);
    if (status == LODE_PARSE && c.bad) status = read_bad_header(task, &c);
done:
    return status;
}

static lode_status basket_push(read_worker *w, const char *text, size_t n) {
    uint32_t code;
    lode_status status = worker_code(w->out, text, n, &code);
    if (status == LODE_OK) status = worker_reserve(w->out, 1);
    if (status == LODE_OK) worker_push(w->out, code);
    return status;
}

/* The item of a field or, with --split, its items. */
static lode_status basket_item(read_worker *w, const csv_field *field) {
    lode_status status = LODE_OK;
    const char separator = w->task->options.split;
    if (!separator) return basket_push(w, field->text, field->n);
    cell_list list = cell_list_of(field->text, field->n, separator);
    const char *text;
    size_t n;
    while (status == LODE_OK && cell_list_next(&list, &text, &n)) status = basket_push(w, text, n);
    return status;
}

static lode_status basket_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    const size_t id = w->file->found.id_column;
    csv_field field;
    size_t column = 0;
    do {
        LODE_TRY(csv_next(c, &field));
        if (column++ == id || field.n == 0) continue;
        uint32_t code;
        LODE_TRY(worker_code(w->out, field.text, field.n, &code));
        LODE_TRY(worker_reserve(w->out, 1));
        worker_push(w->out, code);
    } while (!field.last);
    LODE_TRY(worker_end_transaction(w->out));
done:
    return status;
}

/* The same where cells decide about the row or its weight, or ids are kept. */
static lode_status basket_record_noted(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    const size_t id = w->file->found.id_column;
    const bool looks = w->task->rows != NULL;
    builder_note note = {.named = id != SNIFF_NONE && w->task->options.keep_ids, .id = ""};
    csv_field field;
    rows_begin(w);
    w->kept.n = 0;
    for (size_t column = 0;; column++) {
        LODE_TRY(csv_next(c, &field));
        if (looks) rows_look(w, column, field.text, field.n, field.at);
        if (column == id && note.named) {
            LODE_TRY(vec_char_append(c->mem, &w->kept, field.text, field.n));
        }
        bool item = column != id && field.n > 0 && !rows_is_taken(w->task, w->file, column);
        if (item) LODE_TRY(basket_item(w, &field));
        if (field.last) break;
    }
    LODE_TRY(read_end_noted(w, c, &note));
done:
    return status;
}

static lode_status basket_parse(read_worker *w) {
    const lode_read_options *o = &w->task->options;
    bool noted = w->task->rows || o->keep_ids || o->split;
    return read_records(w, noted ? basket_record_noted : basket_record);
}

const read_format read_basket = {.name = "basket",
                                 .format = LODE_FORMAT_BASKET,
                                 .separated = true,
                                 .parts = true,
                                 .prepare = basket_prepare,
                                 .parse = basket_parse};
