/* table.c - a long table: one (transaction, item) pair a line, in any order
 *
 *     order_id,sku,price         columns by name or number; a line of names is a header
 *     17,bread,1.20
 *     18,milk,0.90               transactions are numbered by first appearance:
 *     17,milk,0.90               0 = {bread, milk}, 1 = {milk}
 *
 * Pairs become transactions in pairs.c. Of several files, each has the columns in the order of its
 * own header; a transaction may have lines in several files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/column_names.h"
#include "read/pairs.h"
#include "read/table_header.h"

typedef struct table_state {
    pairs_state pairs; /* must be the first */
    table_first first;
} table_state;

static lode_status table_prepare(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    if (!task->own) {
        LODE_TRY(mem_zalloc(m, &task->own, sizeof(table_state)));
        for (unsigned i = 0; i < task->n_workers; i++) {
            LODE_TRY(mem_zalloc(m, &task->workers[i].own, sizeof(pairs_worker)));
        }
    }
    LODE_TRY(mem_zalloc(m, &task->file->own, sizeof(table_file)));
    LODE_TRY(table_take_header(task, task->file->own, &((table_state *)task->own)->first));
done:
    return status;
}

static void table_clear_file(read_task *task, read_file *file) {
    mem_free(&task->job->mem, file->own, sizeof(table_file));
}

/* ---- Parsing ---- */

/* Fields with doubled quotes share one buffer: copies the transaction, so that the item does not
 * overwrite it. */
static lode_status table_keep(read_worker *w, csv_field *field) {
    if (field->text != w->unquoted.data || field->n == 0) return LODE_OK;
    vec_char *kept = &w->kept;
    kept->n = 0;
    lode_status status = vec_char_append(&w->task->job->mem, kept, field->text, field->n);
    field->text = kept->data;
    return status;
}

/* A line of totals has a word such as "Total" in place of the transaction. */
static bool table_is_total(const csv_field *f) {
    bool digits = f->n > 0 && f->text[0] >= '0' && f->text[0] <= '9'; /* most transactions do */
    return f->n > 0 && !digits && columns_is_total(f->text, f->n);
}

static lode_status table_add(read_worker *w, csv_cursor *c, const csv_field *tid, uint32_t item) {
    const char *wrong = rows_wrong_weight(w);
    if (rows_drops(w)) return pairs_drop(w, tid->text, tid->n);
    if (wrong) return csv_malformed(c, w->rows.weight_at ? w->rows.weight_at : c->record, wrong);
    if (tid->n == 0) {
        return csv_malformed(c, tid->at, ((const table_file *)w->file->own)->no_tid);
    }
    return pairs_add(w, &(pairs_record){tid->text, tid->n, item});
}

static lode_status table_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    const table_file *t = w->file->own;
    const bool looks = w->task->rows != NULL;
    csv_field field;
    csv_field tid = {0};
    uint32_t item = PAIRS_NO_ITEM;
    size_t column = 0;
    LODE_TRY(csv_next(c, &field));
    if (csv_is_blank(&field)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    if (looks) rows_begin(w);
    for (;; column++) {
        if (column == t->n_columns) {
            return csv_malformed(c, field.at, t->too_many);
        }
        if (looks) rows_look(w, column, field.text, field.n, field.at);
        if (column == t->item_column && field.n > 0) {
            LODE_TRY(worker_code(w->out, field.text, field.n, &item));
        }
        if (column == t->tid_column) {
            if (table_is_total(&field)) {
                csv_skip(c);
                w->n_totals++;
                return LODE_OK;
            }
            tid = field;
            LODE_TRY(table_keep(w, &tid));
        }
        if (field.last) break;
        LODE_TRY(csv_next(c, &field));
    }
    if (column + 1 < t->n_columns) {
        return csv_malformed(c, field.at, t->too_few);
    }
    LODE_TRY(table_add(w, c, &tid, item));
done:
    return status;
}

static lode_status table_parse(read_worker *w) {
    pairs_begin(w);
    lode_status status = read_records(w, table_record);
    return status == LODE_OK ? pairs_end(w) : status;
}

static void table_clear(read_task *task) {
    mem *m = &task->job->mem;
    table_state *t = task->own;
    pairs_clear(task);
    for (unsigned i = 0; i < task->n_workers; i++) {
        mem_free(m, task->workers[i].own, sizeof(pairs_worker));
    }
    if (!t) return;
    table_first_free(m, &t->first);
    mem_free(m, t, sizeof *t);
}

const read_format read_table = {.name = "table",
                                .format = LODE_FORMAT_TABLE,
                                .separated = true,
                                .joins = true,
                                .prepare = table_prepare,
                                .parse = table_parse,
                                .finish = pairs_finish,
                                .clear = table_clear,
                                .clear_file = table_clear_file};
