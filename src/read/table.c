/* table.c - a long table: one (transaction, item) pair per line, in any order
 *
 *     order_id,sku,price         columns by name or number; a line of names is a header
 *     17,bread,1.20
 *     18,milk,0.90               transactions are numbered by first appearance:
 *     17,milk,0.90               0 = {bread, milk}, 1 = {milk}
 *
 * pairs.c groups the pairs into transactions. If there are several files, each has its columns in
 * the order of its own header; a transaction may have lines in several files.
 *
 * The columns are those set by options, by name or number; otherwise those with the most usual
 * names (column_names.h); otherwise the first two. With several files, the later ones must have the
 * columns of the first, by name and in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "read/cells.h"
#include "read/column_names.h"
#include "read/pairs.h"
#include "read/read.h"

/* Data about a file. */
typedef struct table_file {
    size_t tid_column, item_column, n_columns; /* counted from 0 */
    const char *too_many, *too_few;            /* messages for lines of a wrong length */
    char no_tid[READ_WHAT_BYTES];              /* for lines without a transaction */
} table_file;

/* Data about the first of several files, for comparison. */
typedef struct table_first {
    bool has_header;
    vec_char tid, item; /* names of the two columns, with a terminating zero */
    dict *names;        /* of all columns */
} table_first;

/* Finds the columns of task->file, and reads its header, if it has one. Errors: INVALID (no such
 * column, or not as in the first file), PARSE, and those of the input. */
static lode_status table_take_header(read_task *task, table_file *out, table_first *first);
static void table_first_free(mem *m, table_first *first);

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
    if (task->arrays) {
        const table_file *file = task->file->own;
        LODE_TRY(arrays_need(task, file->tid_column, file->item_column));
    }
done:
    return status;
}

static void table_clear_file(read_task *task, read_file *file) {
    mem_free(&task->job->mem, file->own, sizeof(table_file));
}

/* ---- Parsing ---- */

/* Copies the transaction field if needed: fields with doubled quotes share one buffer, and the item
 * would overwrite it. */
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
    if (w->task->census) {
        census_count_row(w->task->census, w->index);
        return LODE_OK;
    }
    if (rows_drops(w)) return pairs_drop(w, tid->text, tid->n);
    if (wrong) return csv_malformed(c, w->rows.weight_at ? w->rows.weight_at : c->record, wrong);
    if (tid->n == 0) {
        return csv_malformed(c, tid->at, ((const table_file *)w->file->own)->no_tid);
    }
    return pairs_add(w, &(pairs_record){tid->text, tid->n, item});
}

/* The item of a cell; with --split, the first of its items, of which w->split has all. */
static lode_status table_items(read_worker *w, const csv_field *f, uint32_t *item) {
    lode_status status = LODE_OK;
    const char separator = w->task->options.split;
    if (!separator) return worker_code(w->out, f->text, f->n, item);
    cell_list list = cell_list_of(f->text, f->n, separator);
    const char *text;
    size_t n;
    uint32_t code;
    while (cell_list_next(&list, &text, &n)) {
        LODE_TRY(worker_code(w->out, text, n, &code));
        LODE_TRY(vec_u32_push(&w->task->job->mem, &w->split, code));
    }
    if (w->split.n > 0) *item = w->split.data[0];
done:
    return status;
}

static lode_status table_add_rest(read_worker *w, const csv_field *tid) {
    lode_status status = LODE_OK;
    for (size_t i = 1; i < w->split.n && !w->task->census; i++) {
        LODE_TRY(pairs_add(w, &(pairs_record){tid->text, tid->n, w->split.data[i]}));
    }
done:
    return status;
}

static lode_status table_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    const table_file *t = w->file->own;
    const bool looks = w->task->rows != NULL;
    csv_field field;
    csv_field tid = {0};
    uint32_t item = PAIRS_NO_ITEM;
    size_t column = 0;
    w->split.n = 0;
    if (read_is_drawn(w, c)) return LODE_OK;
    LODE_TRY(csv_next(c, &field));
    if (csv_is_blank(&field)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    if (looks) rows_begin(w);
    for (;; column++) {
        if (column == t->n_columns) {
            if (!w->file->found.sheet) return csv_malformed(c, field.at, t->too_many);
            csv_skip(c); /* notes beside the table */
            break;
        }
        if (looks) rows_look(w, column, field.text, field.n, field.at);
        if (column == t->item_column && field.n > 0) {
            LODE_TRY(table_items(w, &field, &item));
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
    if (w->split.n > 1 && !w->rows.drop) LODE_TRY(table_add_rest(w, &tid));
done:
    return status;
}

static lode_status table_parse(read_worker *w) {
    const table_file *t = w->file->own;
    pairs_begin(w);
    lode_status status = w->file->is_arrays
                             ? arrays_parse_table(w, t->tid_column, t->item_column, t->no_tid)
                             : read_records(w, table_record);
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

/* ---- which columns of a table are used, and whether its first line is a header --------------- */

/* A column that is looked for in the header; SIZE_MAX = not found. */
typedef struct table_column {
    const char *option; /* the name or number that was given; NULL = none */
    size_t number;      /* the option as a number, counted from 1; 0 = it is a name */
    size_t named,
        spelled;      /* the column of that name, and the first of that name but for spelling */
    size_t usual;     /* the column with the most usual name, */
    unsigned rank;    /* and how usual that is; 0 = there is none */
    size_t otherwise; /* the column to use if there is none of these */
    size_t at;        /* the column that is used */
} table_column;

typedef struct table_header {
    size_t n_fields;
    table_file *file; /* the result */
    table_column tid, item;
    vec_char text; /* all names, separated by ", ", for messages */
    vec_u64 ends;  /* where each name ends in `text` */
} table_header;

static table_column table_look_for(const char *option, size_t otherwise) {
    return (table_column){.option = option,
                          .number = columns_number(option),
                          .named = SIZE_MAX,
                          .spelled = SIZE_MAX,
                          .usual = SIZE_MAX,
                          .otherwise = otherwise};
}

/* Compares a field of the header; of equally usual names the first wins. */
static void table_match(table_column *c, size_t column, const csv_field *f, unsigned rank) {
    bool by_name = c->option && c->number == 0;
    if (by_name && c->named == SIZE_MAX && columns_same(f->text, f->n, c->option)) {
        c->named = column;
    }
    if (by_name && c->spelled == SIZE_MAX && columns_alike(f->text, f->n, c->option)) {
        c->spelled = column;
    }
    if (rank == 0 || (c->rank > 0 && c->rank <= rank)) return;
    c->usual = column;
    c->rank = rank;
}

static lode_status table_header_fields(csv_cursor *c, table_header *h) {
    lode_status status = LODE_OK;
    csv_field f;
    do {
        LODE_TRY(csv_next(c, &f));
        size_t i = h->n_fields++;
        table_match(&h->tid, i, &f, columns_transaction_rank(f.text, f.n));
        table_match(&h->item, i, &f, columns_item_rank(f.text, f.n));
        if (i > 0) LODE_TRY(vec_char_append(c->mem, &h->text, ", ", 2));
        LODE_TRY(vec_char_append(c->mem, &h->text, f.text, f.n));
        LODE_TRY(vec_u64_push(c->mem, &h->ends, h->text.n));
    } while (!f.last);
done:
    return status;
}

static size_t table_find(const table_column *c, bool names) {
    if (c->number > 0) return c->number - 1;
    if (c->option) return c->named != SIZE_MAX ? c->named : c->spelled;
    return names && c->usual != SIZE_MAX ? c->usual : c->otherwise;
}

/* If both are the same column, the one that was taken for want of a better one moves. */
static void table_part(table_column *a, const table_column *b) {
    bool taken = !a->option && a->at == a->otherwise && a->at != a->usual;
    if (taken && a->at == b->at) a->at = a->at == 0;
}

static lode_status table_check(read_task *task, const table_header *h, const table_column *c) {
    if (c->at < h->n_fields) return LODE_OK;
    char fallback[24];
    if (!c->option) snprintf(fallback, sizeof fallback, "%zu", c->at + 1);
    if (read_is_later(task) && c->option) {
        return read_differs(task, "the second file has no column '%.40s'; it begins with: %.*s",
                            c->option, (int)(h->text.n < 80 ? h->text.n : 80), h->text.data);
    }
    return job_fail(task->job, LODE_INVALID, "%s has no column '%s'; its columns are: %.*s",
                    task->file->name, c->option ? c->option : fallback,
                    (int)(h->text.n < 300 ? h->text.n : 300), h->text.data);
}

/* Decides the columns, and whether the first line is a header. */
static lode_status table_columns(read_task *task, table_header *h, bool *is_header) {
    lode_status status = LODE_OK;
    table_file *t = h->file;
    table_column *tid = &h->tid, *item = &h->item;
    bool by_name = (tid->option && !tid->number) || (item->option && !item->number);
    bool numbers = tid->number > 0 && item->number > 0;
    bool usual = (tid->rank > 0 && tid->rank < COLUMNS_JUST_ID) ||
                 (item->rank > 0 && item->rank < COLUMNS_JUST_NAME);
    *is_header = by_name || rows_need_header(task) || task->options.header || (usual && !numbers) ||
                 (tid->rank > 0 && item->rank > 0);
    tid->at = table_find(tid, *is_header);
    item->at = table_find(item, *is_header);
    table_part(tid, item);
    table_part(item, tid);
    LODE_TRY(table_check(task, h, tid));
    LODE_TRY(table_check(task, h, item));
    t->tid_column = tid->at;
    t->item_column = item->at;
    t->n_columns = h->n_fields;
    bool above = task->file->lines_above > 0;
    t->too_many = above ? "too many fields; expected as many as in the header"
                        : "too many fields; expected as many as in line 1";
    t->too_few = above ? "too few fields; expected as many as in the header"
                       : "too few fields; expected as many as in line 1";
done:
    return status;
}

/* Notes their names for the profile. */
static lode_status table_note_columns(read_task *task, const table_file *t, csv_cursor c,
                                      bool is_header) {
    size_t columns[2] = {t->tid_column, t->item_column};
    for (size_t i = 0; i < 2; i++) {
        csv_cursor copy = c;
        csv_field f;
        size_t column = 0;
        csv_begin(&copy);
        do {
            lode_status status = csv_next(&copy, &f);
            if (status != LODE_OK) return status;
        } while (column++ < columns[i] && !f.last);
        read_note_column(task, columns[i], f.text, is_header ? f.n : 0);
    }
    return LODE_OK;
}

static const char *table_name(const table_header *h, size_t column, size_t *n);

/* Makes the message for lines without a transaction. */
static void table_no_tid(table_header *h, bool is_header) {
    table_file *t = h->file;
    char number[24];
    size_t n;
    const char *name = table_name(h, t->tid_column, &n);
    snprintf(number, sizeof number, "%zu", t->tid_column + 1);
    if (!is_header || n > 40) name = number, n = strlen(number);
    snprintf(t->no_tid, sizeof t->no_tid, READ_NO_TID, (int)n, name);
}

static lode_status table_first_line(read_task *task, table_header *h, const char *text, size_t n,
                                    bool *is_header) {
    lode_status status = LODE_OK;
    csv_cursor c = read_cursor_over(task, text, n);
    csv_cursor start = c;
    csv_begin(&c);
    LODE_TRY(table_header_fields(&c, h));
    LODE_TRY(table_columns(task, h, is_header));
    LODE_TRY(table_note_columns(task, h->file, start, *is_header));
    LODE_TRY(rows_find(task, start, *is_header));
    table_no_tid(h, *is_header);
    if (task->census) census_note_use(task->census, h->file->tid_column, h->file->item_column);
done:
    return status == LODE_PARSE && c.bad ? read_bad_header(task, &c) : status;
}

/* ---- Several files ---- */

static const char *table_name(const table_header *h, size_t column, size_t *n) {
    uint64_t start = column > 0 ? h->ends.data[column - 1] + 2 : 0; /* after ", " */
    *n = (size_t)(h->ends.data[column] - start);
    return h->text.data + start;
}

static lode_status table_keep_name(mem *m, const table_header *h, size_t column, vec_char *out) {
    size_t n;
    const char *name = table_name(h, column, &n);
    lode_status status = vec_char_append(m, out, name, n);
    return status == LODE_OK ? vec_char_append(m, out, "", 1) : status;
}

/* Keeps what the first file has. */
static lode_status table_keep_columns(mem *m, const table_header *h, bool is_header,
                                      table_first *t) {
    lode_status status = LODE_OK;
    uint32_t ignored;
    t->has_header = is_header;
    if (!is_header) return LODE_OK;
    LODE_TRY(table_keep_name(m, h, h->tid.at, &t->tid));
    LODE_TRY(table_keep_name(m, h, h->item.at, &t->item));
    LODE_TRY(dict_create(m, &t->names));
    for (size_t i = 0; i < h->n_fields; i++) {
        size_t n;
        const char *name = table_name(h, i, &n);
        LODE_TRY(dict_add(t->names, name, n, &ignored));
    }
done:
    return status;
}

/* A column that is used must have the same name in both files. */
static lode_status table_same_name(read_task *task, const table_header *h, size_t column,
                                   const vec_char *first) {
    size_t n;
    const char *name = table_name(h, column, &n);
    if (columns_same(name, n, first->data) || columns_alike(name, n, first->data)) return LODE_OK;
    return read_differs(task, "column %zu is '%.40s' in the first file, but '%.*s' in the second",
                        column + 1, first->data, (int)(n < 40 ? n : 40), name);
}

/* All columns must be the same, in any order, unless the options name the two that matter. */
static lode_status table_same_columns(read_task *task, const table_header *h,
                                      const table_first *t) {
    size_t n;
    if (task->options.tid_column && task->options.item_column) return LODE_OK;
    for (size_t i = 0; i < h->n_fields; i++) {
        const char *name = table_name(h, i, &n);
        if (dict_find(t->names, name, n) != DICT_NONE) continue;
        return read_differs(task,
                            "only the second file has the column '%.*s'; name the columns to read "
                            "with --tid and --item",
                            (int)(n < 60 ? n : 60), name);
    }
    if (h->n_fields >= dict_count(t->names)) return LODE_OK;
    return read_differs(
        task, "the second file has fewer columns; name the columns to read with --tid and --item");
}

static lode_status table_compare(read_task *task, const table_header *h, bool is_header,
                                 const table_first *t) {
    lode_status status = LODE_OK;
    if (t->has_header != is_header) {
        LODE_LEAVE(read_differs(task, "%s file has a header, the other has none",
                                is_header ? "the second" : "the first"));
    }
    if (!is_header) goto done;
    LODE_TRY(table_same_name(task, h, h->tid.at, &t->tid));
    LODE_TRY(table_same_name(task, h, h->item.at, &t->item));
    LODE_TRY(table_same_columns(task, h, t));
done:
    return status;
}

/* How to look for a column: by the option, or by its name in the first file. */
static table_column table_wanted(const read_task *task, const char *option, const vec_char *first,
                                 size_t otherwise) {
    bool named = !option && read_is_later(task) && first->n > 1;
    return table_look_for(named ? first->data : option, otherwise);
}

static lode_status table_take_header(read_task *task, table_file *out, table_first *first) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    bool is_header = false;
    const char *text;
    size_t n;
    table_header h = {.file = out};
    h.tid = table_wanted(task, task->options.tid_column, &first->tid, 0);
    h.item = table_wanted(task, task->options.item_column, &first->item, 1);
    LODE_TRY(input_peek_record(task->in, &text, &n));
    if (n == 0) goto done;
    LODE_TRY(table_first_line(task, &h, text, n, &is_header));
    if (read_is_later(task)) {
        LODE_TRY(table_compare(task, &h, is_header, first));
    } else if (task->n_files > 1) {
        LODE_TRY(table_keep_columns(m, &h, is_header, first));
    }
    if (is_header) LODE_TRY(input_take_record(task->in, &text, &n));
done:
    vec_char_free(m, &h.text);
    vec_u64_free(m, &h.ends);
    return status;
}

static void table_first_free(mem *m, table_first *first) {
    vec_char_free(m, &first->tid);
    vec_char_free(m, &first->item);
    dict_free(first->names);
}
