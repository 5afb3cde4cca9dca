/* table.c - a long table: one (transaction, item) pair a line, in any order
 *
 *     order_id,sku,price         columns by name or number; a line of names is a header
 *     17,bread,1.20
 *     18,milk,0.90               transactions are numbered by first appearance:
 *     17,milk,0.90               0 = {bread, milk}, 1 = {milk}
 *
 * While parsing, each thread numbers the transactions it meets in a dictionary of its own and keeps
 * pairs (transaction, item code). At the end, table_finish() joins these numberings in the order of
 * the file, sorts the pairs by transaction (a counting sort) and pushes the transactions through
 * the first worker. Of several files, each has the columns in the order of its own header; a
 * transaction may have lines in several files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/column_names.h"
#include "format/table_header.h"

#define TABLE_NO_ITEM     UINT32_MAX
#define TABLE_BLOCK_ITEMS ((size_t)1 << 17)

typedef struct table_pair {
    uint32_t transaction, item;
} table_pair;

typedef struct table_block {
    table_pair *pairs;
    size_t n;
    unsigned worker;
} table_block;

typedef struct table_state {
    table_block *blocks; /* by sequence */
    size_t n_blocks, blocks_cap;
    table_first first;
} table_state;

/* What a thread keeps. */
typedef struct table_worker {
    dict *tids;
    table_pair *pairs; /* of the current block */
    size_t n, cap;
} table_worker;

static lode_status table_prepare(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    if (!task->own) {
        LODE_TRY(mem_zalloc(m, &task->own, sizeof(table_state)));
        for (unsigned i = 0; i < task->n_workers; i++) {
            LODE_TRY(mem_zalloc(m, &task->workers[i].own, sizeof(table_worker)));
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

/* Numbers the transaction and keeps the pair. */
static lode_status table_add(read_worker *w, const csv_field *tid, uint32_t item) {
    lode_status status = LODE_OK;
    table_worker *t = w->own;
    mem *m = &w->task->job->mem;
    uint32_t transaction;
    if (!t->tids) {
        LODE_TRY(dict_create(m, &t->tids));
        dict_stop_by(t->tids, job_sort_stop(w->task->job));
    }
    if (t->n == t->cap) {
        LODE_TRY(vec_grow(m, (void **)&t->pairs, t->n, &t->cap, 1, sizeof *t->pairs));
    }
    LODE_TRY(dict_add(t->tids, tid->text, tid->n, &transaction));
    t->pairs[t->n++] = (table_pair){transaction, item};
done:
    return status;
}

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

static lode_status table_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    const table_file *t = w->file->own;
    csv_field field;
    csv_field tid = {0};
    uint32_t item = TABLE_NO_ITEM;
    size_t column = 0;
    LODE_TRY(csv_next(c, &field));
    if (csv_is_blank(&field)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    for (;; column++) {
        if (column == t->n_columns) {
            return csv_malformed(c, field.at, t->too_many);
        }
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
    if (tid.n == 0) {
        return csv_malformed(c, tid.at, "no transaction; expected its name or number");
    }
    LODE_TRY(table_add(w, &tid, item));
done:
    return status;
}

/* Keeps the pairs of the block in memory of exactly their size. */
static lode_status table_keep_block(read_worker *w) {
    lode_status status = LODE_OK;
    table_worker *own = w->own;
    table_state *t = w->task->own;
    mem *m = &w->task->job->mem;
    size_t at = (size_t)w->block.sequence;
    table_block block = {.n = own->n, .worker = w->index};
    LODE_TRY(mem_resize(m, (void **)&block.pairs, 0, own->n * sizeof *block.pairs));
    if (own->n > 0) memcpy(block.pairs, own->pairs, own->n * sizeof *block.pairs);
    pthread_mutex_lock(&w->task->lock);
    if (at >= t->blocks_cap) {
        status = vec_grow(m, (void **)&t->blocks, t->n_blocks, &t->blocks_cap, at + 1 - t->n_blocks,
                          sizeof *t->blocks);
    }
    if (status == LODE_OK) {
        for (; t->n_blocks <= at; t->n_blocks++) t->blocks[t->n_blocks] = (table_block){0};
        t->blocks[at] = block;
        block.pairs = NULL;
    }
    pthread_mutex_unlock(&w->task->lock);
done:
    mem_free(m, block.pairs, block.n * sizeof *block.pairs);
    return status;
}

static lode_status table_parse(read_worker *w) {
    table_worker *own = w->own;
    own->n = 0;
    lode_status status = read_records(w, table_record);
    return status == LODE_OK ? table_keep_block(w) : status;
}

/* ---- The end: pairs become transactions ---- */

/* Translates the numbers and codes of one thread to those of all. */
typedef struct table_maps {
    uint32_t *tids;  /* the thread's number -> the common one; DICT_NONE = not met yet */
    uint32_t *names; /* the thread's name -> the code of worker 0 */
    size_t n_tids, n_names;
} table_maps;

static void table_free_maps(read_task *task, table_maps *maps) {
    for (unsigned i = 0; maps && i < task->n_workers; i++) {
        mem_free(&task->job->mem, maps[i].tids, maps[i].n_tids * sizeof(uint32_t));
        mem_free(&task->job->mem, maps[i].names, maps[i].n_names * sizeof(uint32_t));
    }
    mem_free(&task->job->mem, maps, task->n_workers * sizeof *maps);
}

static lode_status table_fill_map(const read_task *task, const read_worker *w, table_maps *map) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    const table_worker *own = w->own;
    builder_worker *first = task->workers[0].out;
    size_t n_tids = own->tids ? dict_count(own->tids) : 0;
    size_t n_names = w->out->name_counts.n;
    LODE_TRY(mem_zalloc(m, (void **)&map->tids, n_tids * sizeof(uint32_t)));
    map->n_tids = n_tids;
    LODE_TRY(mem_zalloc(m, (void **)&map->names, n_names * sizeof(uint32_t)));
    map->n_names = n_names;
    for (size_t i = 0; i < n_tids; i++) map->tids[i] = DICT_NONE;
    for (uint32_t i = 0; i < n_names; i++) {
        size_t n;
        const char *name = dict_name(w->out->names, i, &n);
        if (w->out == first) {
            map->names[i] = BUILDER_NAME_BASE + i;
        } else {
            LODE_TRY(worker_code(first, name, n, &map->names[i]));
        }
    }
done:
    return status;
}

/* Rewrites the pairs of a block with the common numbers; counts the items of each transaction. */
static lode_status table_join_block(read_task *task, const table_block *block, table_maps *map,
                                    dict *tids, vec_u64 *starts) {
    lode_status status = LODE_OK;
    const table_worker *own = task->workers[block->worker].own;
    builder_worker *first = task->workers[0].out;
    LODE_TRY(job_check(task->job));
    for (size_t i = 0; i < block->n; i++) {
        table_pair *pair = &block->pairs[i];
        uint32_t *tid = &map->tids[pair->transaction];
        if (*tid == DICT_NONE) {
            size_t n;
            const char *name = dict_name(own->tids, pair->transaction, &n);
            LODE_TRY(dict_add(tids, name, n, tid));
            if (*tid == starts->n) LODE_TRY(vec_u64_push(&task->job->mem, starts, 0));
        }
        pair->transaction = *tid;
        if (pair->item == TABLE_NO_ITEM) continue;
        if (pair->item >= BUILDER_NAME_BASE) {
            pair->item = map->names[pair->item - BUILDER_NAME_BASE];
        } else {
            LODE_TRY(worker_code_number(first, pair->item, &pair->item));
        }
        starts->data[*tid]++;
    }
done:
    return status;
}

/* Turns the counts into positions, and puts the items there; then starts[i] is where i ends. */
static lode_status table_scatter(read_task *task, vec_u64 *starts, uint32_t *items) {
    table_state *t = task->own;
    uint64_t sum = 0;
    for (size_t i = 0; i < starts->n; i++) {
        uint64_t n = starts->data[i];
        starts->data[i] = sum;
        sum += n;
    }
    for (size_t b = 0; b < t->n_blocks; b++) {
        table_block *block = &t->blocks[b];
        lode_status status = job_check(task->job);
        if (status != LODE_OK) return status;
        for (size_t i = 0; i < block->n; i++) {
            table_pair pair = block->pairs[i];
            if (pair.item != TABLE_NO_ITEM) items[starts->data[pair.transaction]++] = pair.item;
        }
        mem_free(&task->job->mem, block->pairs, block->n * sizeof *block->pairs);
        *block = (table_block){0};
    }
    return LODE_OK;
}

static lode_status table_push(read_task *task, const vec_u64 *ends, const uint32_t *items) {
    lode_status status = LODE_OK;
    builder_worker *w = task->workers[0].out;
    uint64_t at = 0;
    worker_begin_block(w, 0);
    for (size_t i = 0; i < ends->n; i++) {
        LODE_TRY(worker_reserve(w, (size_t)(ends->data[i] - at)));
        for (; at < ends->data[i]; at++) worker_push(w, items[at]);
        LODE_TRY(worker_end_transaction(w));
        if (w->items.n + w->ends.n < TABLE_BLOCK_ITEMS && i + 1 < ends->n) continue;
        LODE_TRY(worker_end_block(w));
        worker_begin_block(w, w->sequence + 1);
    }
done:
    return status;
}

static lode_status table_join(read_task *task, table_maps *maps, dict *tids, vec_u64 *starts) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    const table_state *t = task->own;
    uint32_t *items = NULL;
    size_t n_items = 0;
    for (unsigned i = 0; i < task->n_workers; i++) {
        LODE_TRY(table_fill_map(task, &task->workers[i], &maps[i]));
    }
    for (size_t b = 0; b < t->n_blocks; b++) {
        const table_block *block = &t->blocks[b];
        LODE_TRY(table_join_block(task, block, &maps[block->worker], tids, starts));
    }
    for (size_t i = 0; i < starts->n; i++) n_items += starts->data[i];
    LODE_TRY(mem_resize(m, (void **)&items, 0, n_items * sizeof *items));
    LODE_TRY(table_scatter(task, starts, items));
    LODE_TRY(table_push(task, starts, items));
done:
    mem_free(m, items, items ? n_items * sizeof *items : 0);
    return status;
}

static lode_status table_finish(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    table_maps *maps = NULL;
    dict *tids = NULL;
    vec_u64 starts = {0};
    LODE_TRY(mem_zalloc(m, (void **)&maps, task->n_workers * sizeof *maps));
    LODE_TRY(dict_create(m, &tids));
    dict_stop_by(tids, job_sort_stop(task->job));
    LODE_TRY(table_join(task, maps, tids, &starts));
done:
    vec_u64_free(m, &starts);
    dict_free(tids);
    if (maps) table_free_maps(task, maps);
    return status;
}

static void table_clear(read_task *task) {
    mem *m = &task->job->mem;
    table_state *t = task->own;
    for (unsigned i = 0; i < task->n_workers; i++) {
        table_worker *own = task->workers[i].own;
        if (!own) continue;
        dict_free(own->tids);
        mem_free(m, own->pairs, own->cap * sizeof *own->pairs);
        mem_free(m, own, sizeof *own);
    }
    if (!t) return;
    for (size_t i = 0; i < t->n_blocks; i++) {
        mem_free(m, t->blocks[i].pairs, t->blocks[i].n * sizeof *t->blocks[i].pairs);
    }
    mem_free(m, t->blocks, t->blocks_cap * sizeof *t->blocks);
    table_first_free(m, &t->first);
    mem_free(m, t, sizeof *t);
}

const read_format read_table = {.name = "table",
                                .format = LODE_FORMAT_TABLE,
                                .separated = true,
                                .prepare = table_prepare,
                                .parse = table_parse,
                                .finish = table_finish,
                                .clear = table_clear,
                                .clear_file = table_clear_file};
