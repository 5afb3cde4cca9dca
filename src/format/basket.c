/* basket.c - one transaction a line: names separated by one character
 *
 *     bread,milk,"cheese, grated"
 *     bread,,beer                      an empty field is not an item
 *
 * With options.header the first line has the names of columns and is skipped; options.tid_column is
 * a column that holds no items, such as the number of the receipt. In files that are read in parts,
 * names must not contain line ends: a part begins after a newline, even if that is within quotes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/column_names.h"
#include "format/read.h"

/* Finds the column that the options name in the header. */
static lode_status basket_find(read_task *task, csv_cursor *c) {
    lode_status status = LODE_OK;
    const char *option = task->options.tid_column;
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
    status = job_fail(task->job, LODE_INVALID, "%s has no column '%s'", task->file->name, option);
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
                                "the header of the first begins with '%.40s', that of the "
                                "second with '%.*s'",
                                task->header.data, (int)(f.n < 40 ? f.n : 40), f.text));
    }
done:
    return status;
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
    if (!task->options.header && !by_name) return LODE_OK;
    LODE_TRY(input_take_record(task->in, &text, &n));
    csv_cursor c = read_cursor_over(task, text, n);
    LODE_TRY(basket_compare(task, c));
    if (!by_name) goto done;
    status = basket_find(task, &c);
    if (status == LODE_PARSE && c.bad) status = read_bad_header(task, &c);
done:
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

static lode_status basket_parse(read_worker *w) {
    return read_records(w, basket_record);
}

const read_format read_basket = {.name = "basket",
                                 .format = LODE_FORMAT_BASKET,
                                 .separated = true,
                                 .parts = true,
                                 .prepare = basket_prepare,
                                 .parse = basket_parse};
