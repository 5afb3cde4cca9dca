/* arrays_task.c - Arrow tables in a task of reading: their columns, and rows for a thread; see
 * arrays.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/column_names.h"
#include "read/read.h"

#define ARRAYS_BYTES_PER_ROW 16 /* of a block; decides how many rows a block has */

/* ---- rows ---- */

static void arrays_known_free(mem *m, arrays_known *k) {
    mem_free(m, k->slots, k->cap * sizeof *k->slots);
    mem_free(m, k->later, k->later_cap * sizeof *k->later);
    mem_free(m, k->ahead, sizeof *k->ahead);
    mem_free(m, k->entries, k->entries_cap * sizeof *k->entries);
    *k = (arrays_known){0};
}

void arrays_worker_free(mem *m, arrays_worker *own) {
    if (!own) return;
    arrays_drop(&own->block);
    arrays_known_free(m, &own->tids);
    arrays_known_free(m, &own->items);
    mem_free(m, own, sizeof *own);
}

lode_status arrays_take(read_worker *w) {
    lode_status status = LODE_OK;
    read_task *task = w->task;
    mem *m = &task->job->mem;
    vec_char *text = &w->block.text;
    if (!w->arrays) LODE_TRY(mem_zalloc(m, (void **)&w->arrays, sizeof *w->arrays));
    if (w->arrays->file != task->file) { /* other types */
        arrays_known_free(m, &w->arrays->tids);
        arrays_known_free(m, &w->arrays->items);
        w->arrays->file = task->file;
    }
    text->n = 0;
    const size_t n = task->block_bytes / ARRAYS_BYTES_PER_ROW;
    LODE_TRY(arrays_next(task->arrays, n > 0 ? n : 1, &w->arrays->block));
    LODE_TRY(vec_char_reserve(m, text, (size_t)w->arrays->block.n));
    text->n = (size_t)w->arrays->block.n;
    if (text->n > 0) memset(text->data, '\n', text->n);
done:
    return status;
}

/* ---- which columns ---- */

size_t arrays_find_column(const read_task *task, const char *option) {
    size_t number = columns_number(option), alike = SNIFF_NONE;
    const size_t n = arrays_n_columns(task->arrays);
    if (number > 0) return number <= n ? number - 1 : SNIFF_NONE;
    for (size_t i = 0; i < n; i++) {
        const char *name = arrays_type_at(task->arrays, i)->name;
        if (columns_same(name, strlen(name), option)) return i;
        if (alike == SNIFF_NONE && columns_alike(name, strlen(name), option)) alike = i;
    }
    return alike;
}

/* The only column of lists, or the one that --item names; SNIFF_NONE = there is none. */
static lode_status arrays_find_list(const read_task *task, size_t *out) {
    const lode_read_options *o = &task->options;
    size_t n = 0, first = SNIFF_NONE;
    *out = SNIFF_NONE;
    if (o->format == LODE_FORMAT_TABLE || o->format == LODE_FORMAT_ONEHOT) return LODE_OK;
    if (o->item_column) {
        size_t column = arrays_find_column(task, o->item_column);
        if (column != SNIFF_NONE && arrays_type_at(task->arrays, column)->list) *out = column;
        return LODE_OK;
    }
    for (size_t i = arrays_n_columns(task->arrays); i-- > 0;) {
        if (!arrays_type_at(task->arrays, i)->list) continue;
        first = i;
        n++;
    }
    *out = first;
    if (n < 2) return LODE_OK;
    return job_fail(task->job, LODE_INVALID,
                    "%s has %zu columns of lists; name the one with the items with --item, such as "
                    "--item '%.60s'",
                    task->file->name, n, arrays_type_at(task->arrays, first)->name);
}

/* Whether the types alone say that this is onehot: bools, and at most one column beside them. */
static bool arrays_is_onehot(const read_task *task, size_t *id) {
    const size_t n = arrays_n_columns(task->arrays);
    size_t others = 0;
    *id = SNIFF_NONE;
    for (size_t i = 0; i < n; i++) {
        const arrays_type *t = arrays_type_at(task->arrays, i);
        if (t->kind == ARRAYS_BOOL && !t->list) continue;
        others++;
        *id = i;
    }
    return others == 0 ? n > 0 : others == 1 && n > 2;
}

static lode_status arrays_sniff(read_task *task, const char *sample, size_t n) {
    const sniff_text s = {task->job, task->file->name, sample, n, ','};
    const lode_read_options *o = &task->options;
    sniff_result *found = &task->file->found;
    sniff_table t;
    lode_status status = sniff_find_table(&s, o, &t);
    size_t id;
    if (status != LODE_OK) return status;
    bool told = o->format != LODE_FORMAT_AUTO;
    bool onehot =
        told ? o->format == LODE_FORMAT_ONEHOT : t.above == 0 && t.format == LODE_FORMAT_ONEHOT;
    if (!told && !o->item_column && arrays_is_onehot(task, &id)) {
        onehot = true;
        t.rows.id = id;
        t.guessed_id = false;
    }
    found->format = onehot ? LODE_FORMAT_ONEHOT : LODE_FORMAT_TABLE;
    if (onehot) {
        found->id_column = t.rows.id;
        found->total = t.header.total;
        return read_is_later(task) ? LODE_OK : sniff_advise(&s, o, found, &t);
    }
    bool usual = t.header.tid != SNIFF_NONE || t.header.item != SNIFF_NONE;
    if (told || usual || o->tid_column || o->item_column || task->arrays == NULL) return LODE_OK;
    if (arrays_n_columns(task->arrays) < 2) return LODE_OK;
    job_log(task->job, LODE_LOG_WARNING,
            "%s: read as a table with a transaction id and an item in each row, in the columns "
            "'%.60s' and '%.60s'; use --tid and --item to name others",
            task->file->name, arrays_type_at(task->arrays, 0)->name,
            arrays_type_at(task->arrays, 1)->name);
    return LODE_OK;
}

lode_status arrays_recognise(read_task *task, const char *sample, size_t n) {
    lode_status status = LODE_OK;
    const lode_read_options *o = &task->options;
    read_file *file = task->file;
    file->found = (sniff_result){.format = LODE_FORMAT_BASKET,
                                 .separator = ',',
                                 .id_column = SNIFF_NONE,
                                 .total = SNIFF_NONE};
    if (o->separator) {
        LODE_LEAVE(job_fail(task->job, LODE_INVALID,
                            "%s is an Arrow table, which has no separator between its columns",
                            file->name));
    }
    if (o->ignore || o->split || o->bins || o->keep_missing) {
        LODE_LEAVE(job_fail(task->job, LODE_UNSUPPORTED,
                            "%s is an Arrow table; --ignore, --split, --bins and --keep-missing "
                            "are for text: write the table as CSV to use them",
                            file->name));
    }
    if (o->format != LODE_FORMAT_AUTO && o->format != LODE_FORMAT_TABLE &&
        o->format != LODE_FORMAT_ONEHOT && o->format != LODE_FORMAT_BASKET) {
        LODE_LEAVE(job_fail(task->job, LODE_INVALID,
                            "%s is an Arrow table, not text; expected the format table, onehot, or "
                            "basket for a column of lists",
                            file->name));
    }
    task->options.header = true; /* the names of the columns */
    LODE_TRY(arrays_find_list(task, &file->list_column));
    file->lists = file->list_column != SNIFF_NONE;
    if (file->lists) goto done;
    if (o->format == LODE_FORMAT_BASKET) {
        LODE_LEAVE(
            job_fail(task->job, LODE_INVALID,
                     "%s has no column of lists, so its rows are no baskets; --format onehot "
                     "and --format table read its columns",
                     file->name));
    }
    LODE_TRY(arrays_sniff(task, sample, n));
done:
    return status;
}
