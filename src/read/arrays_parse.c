/* arrays_parse.c - transactions of the rows of Arrow tables; see arrays.h
 *
 * Rows are parsed as their text in a CSV file would be: the same cells are empty, the same rows are
 * totals or malformed, and the same names are made. Only the way from a cell to its code is
 * shorter: a number or the entry of a dictionary becomes text when a thread meets it first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/hash.h"
#include "read/column_names.h"
#include "read/pairs.h"
#include "read/read_advice.h"

#define ARRAYS_NO_CODE   UINT32_MAX       /* null, or an empty text */
#define ARRAYS_TOTAL     (UINT32_MAX - 1) /* in place of a transaction: a row of totals */
#define ARRAYS_ZERO_BYTE "a name with a zero byte"

/* The place of the current row in the text of the block. */
static const char *arrays_place(const read_worker *w) {
    return w->block.text.data + (w->arrays->row - w->arrays->block.first);
}

static lode_status arrays_broken(read_worker *w, const arrays_column *c, const char *wrong) {
    char what[READ_WHAT_BYTES];
    snprintf(what, sizeof what, "column '%.60s' has %s", c->type->name, wrong);
    return read_bad_for_good(w, arrays_place(w), what);
}

/* ---- codes of cells ---- */

/* Makes the code of a text that is not empty. */
typedef lode_status (*arrays_make_fn)(read_worker *w, const arrays_cell *cell, uint32_t *code);

static lode_status arrays_make_item(read_worker *w, const arrays_cell *cell, uint32_t *code) {
    size_t before = w->out->name_counts.n;
    lode_status status = worker_code(w->out, cell->text, cell->n, code);
    bool fresh = status == LODE_OK && w->out->name_counts.n > before;
    if (!fresh || !memchr(cell->text, 0, cell->n)) return status;
    return read_bad_for_good(w, arrays_place(w), ARRAYS_ZERO_BYTE);
}

static lode_status arrays_make_tid(read_worker *w, const arrays_cell *cell, uint32_t *code) {
    const pairs_worker *own = w->own;
    const char *text = cell->text;
    size_t before = own->tids ? dict_count(own->tids) : 0;
    bool digits = text[0] >= '0' && text[0] <= '9';
    *code = ARRAYS_TOTAL;
    if (!digits && columns_is_total(text, cell->n)) return LODE_OK;
    lode_status status = pairs_number(w, text, cell->n, code);
    bool fresh = status == LODE_OK && *code == before;
    if (!fresh || !memchr(text, 0, cell->n)) return status;
    return read_bad_for_good(w, arrays_place(w), ARRAYS_ZERO_BYTE);
}

/* Makes the code of a value from its text. */
static lode_status arrays_make(read_worker *w, const arrays_column *c, uint64_t value,
                               arrays_make_fn make, uint32_t *code) {
    char scratch[ARRAYS_SCRATCH];
    arrays_cell cell;
    const char *wrong = arrays_text(c, value, scratch, &cell);
    *code = ARRAYS_NO_CODE;
    if (wrong) return arrays_broken(w, c, wrong);
    return cell.n > 0 ? make(w, &cell, code) : LODE_OK;
}

/* ---- texts, a few at a time ---- */

/* The dictionary of a role; items that are numbers are not in it. */
static const dict *arrays_names(const read_worker *w, arrays_make_fn make) {
    return make == arrays_make_item ? w->out->names : ((const pairs_worker *)w->own)->tids;
}

static void arrays_look_ahead(const read_worker *w, arrays_ahead *a, const arrays_column *c,
                              uint64_t i, arrays_make_fn make) {
    const dict *names = arrays_names(w, make);
    char scratch[ARRAYS_SCRATCH];
    a->batch = w->arrays->block.batch->number;
    a->first = i;
    for (a->n = 0; a->n < ARRAYS_AHEAD && i + a->n < c->leaf.n; a->n++) {
        arrays_cell *cell = &a->cells[a->n];
        *cell = (arrays_cell){NULL, 0};
        a->hashes[a->n] = 0;
        if (arrays_is_null(&c->leaf, i + a->n)) continue;
        if (arrays_text(c, i + a->n, scratch, cell)) break;
        if (names) a->hashes[a->n] = dict_prepare(names, cell->text, cell->n);
    }
}

/* The code of a text that is not an entry of a dictionary. */
static lode_status arrays_text_code(read_worker *w, arrays_known *k, const arrays_column *c,
                                    uint64_t i, arrays_make_fn make, uint32_t *code) {
    const bool item = make == arrays_make_item;
    arrays_ahead *a = k->ahead;
    if (!a) {
        lode_status status = mem_zalloc(&w->task->job->mem, (void **)&k->ahead, sizeof *k->ahead);
        if (status != LODE_OK) return status;
        a = k->ahead;
    }
    bool ready = a->batch == w->arrays->block.batch->number && i >= a->first && i < a->first + a->n;
    if (!ready) arrays_look_ahead(w, a, c, i, make);
    if (a->n == 0) return arrays_make(w, c, i, make, code); /* it is broken */
    const arrays_cell *cell = &a->cells[i - a->first];
    const dict *names = arrays_names(w, make);
    if (cell->n == 0) return LODE_OK;
    if (names && a->hashes[i - a->first] &&
        (!item || builder_canonical(cell->text, cell->n) == UINT32_MAX)) {
        uint32_t id = dict_find_prepared(names, a->hashes[i - a->first], cell->text, cell->n);
        *code = id == DICT_NONE ? id : item ? BUILDER_NAME_BASE + id : id;
        if (id != DICT_NONE) return LODE_OK;
    }
    return make(w, cell, code);
}

/* The slot of a number: where it is, or where it belongs. */
static arrays_slot *arrays_slot_of(const arrays_known *k, uint64_t key) {
    size_t i = (size_t)keyed_number(keyed_process(), key) & (k->cap - 1);
    while (k->slots[i].code && k->slots[i].key != key) i = (i + 1) & (k->cap - 1);
    return &k->slots[i];
}

/* Makes room for n more numbers in the table. */
static lode_status arrays_grow(mem *m, arrays_known *k, size_t n) {
    const arrays_known old = *k;
    arrays_known new = {.cap = old.cap ? old.cap : 256};
    while (4 * (old.n + n) > 3 * new.cap) new.cap *= 2;
    if (new.cap == old.cap) return LODE_OK;
    lode_status status = mem_zalloc(m, (void **)&new.slots, new.cap * sizeof *new.slots);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slots[i].code) *arrays_slot_of(&new, old.slots[i].key) = old.slots[i];
    }
    k->slots = new.slots;
    k->cap = new.cap;
    mem_free(m, old.slots, old.cap * sizeof *old.slots);
    return LODE_OK;
}

/* Puts the ascending numbers into the table, and makes room for one more. */
static lode_status arrays_settle(mem *m, arrays_known *k) {
    lode_status status = arrays_grow(m, k, k->n_later + 1);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < k->n_later; i++) *arrays_slot_of(k, k->later[i].key) = k->later[i];
    k->n += k->n_later;
    k->n_later = 0;
    return LODE_OK;
}

/* The code of a number that is above all others. */
static lode_status arrays_next_code(read_worker *w, arrays_known *k, const arrays_column *c,
                                    uint64_t value, arrays_make_fn make, uint32_t *code) {
    lode_status status = LODE_OK;
    if (k->n_later == k->later_cap) {
        LODE_TRY(vec_grow(&w->task->job->mem, (void **)&k->later, k->n_later, &k->later_cap, 1,
                          sizeof *k->later));
    }
    LODE_TRY(arrays_make(w, c, value, make, code));
    k->later[k->n_later] = (arrays_slot){k->highest, *code + 1};
    k->n_later += *code + 1 != 0;
done:
    return status;
}

/* The code of a value that a number stands for. */
static lode_status arrays_number_code(read_worker *w, arrays_known *k, const arrays_column *c,
                                      uint64_t value, arrays_make_fn make, uint32_t *code) {
    lode_status status = LODE_OK;
    uint64_t key;
    if (!arrays_key(c, value, &key)) return arrays_make(w, c, value, make, code);
    if (k->has_last && k->last == key) {
        *code = k->last_code;
        return LODE_OK;
    }
    if (!k->has_last || key > k->highest) {
        k->highest = key;
        LODE_TRY(arrays_next_code(w, k, c, value, make, code));
    } else {
        if (k->n_later > 0 || 4 * k->n >= 3 * k->cap) {
            LODE_TRY(arrays_settle(&w->task->job->mem, k));
        }
        arrays_slot *slot = arrays_slot_of(k, key);
        if (!slot->code) {
            LODE_TRY(arrays_make(w, c, value, make, code));
            *slot = (arrays_slot){key, *code + 1};
            k->n += slot->code != 0;
        }
        *code = slot->code - 1;
    }
    k->has_last = true;
    k->last = key;
    k->last_code = *code;
done:
    return status;
}

/* Codes of the entries of a batch's dictionary, unless the dictionary is larger than the batch. */
static lode_status arrays_entries(read_worker *w, arrays_known *k, const arrays_column *c) {
    const arrays_batch *batch = w->arrays->block.batch;
    mem *m = &w->task->job->mem;
    size_t n = c->leaf.n < (1u << 16) + 2 * batch->n_rows ? (size_t)c->leaf.n : 0;
    k->batch = batch->number;
    k->n_entries = 0;
    if (n > k->entries_cap) {
        lode_status status =
            vec_grow(m, (void **)&k->entries, 0, &k->entries_cap, n, sizeof *k->entries);
        if (status != LODE_OK) return status;
    }
    if (n > 0) memset(k->entries, 0, n * sizeof *k->entries);
    k->n_entries = n;
    return LODE_OK;
}

/* The code of a cell or of an element of a list; ARRAYS_NO_CODE = there is nothing. */
static lode_status arrays_code(read_worker *w, arrays_known *k, const arrays_column *c, uint64_t i,
                               arrays_make_fn make, uint32_t *code) {
    const arrays_type *t = c->type;
    uint64_t value;
    bool there;
    lode_status status = LODE_OK;
    const char *wrong = arrays_find(c, i, &value, &there);
    *code = ARRAYS_NO_CODE;
    if (wrong) return arrays_broken(w, c, wrong);
    if (!there) return LODE_OK;
    if (t->code) {
        if (k->batch != w->arrays->block.batch->number) LODE_TRY(arrays_entries(w, k, c));
        if (value < k->n_entries) {
            if (!k->entries[value]) {
                LODE_TRY(arrays_make(w, c, value, make, code));
                k->entries[value] = *code + 1;
            }
            *code = k->entries[value] - 1;
            return LODE_OK;
        }
    }
    bool text = t->kind == ARRAYS_TEXT || t->kind == ARRAYS_VIEW;
    if (text && !t->code) return arrays_text_code(w, k, c, i, make, code);
    if (text) return arrays_make(w, c, value, make, code);
    return arrays_number_code(w, k, c, value, make, code);
done:
    return status;
}

/* The code of an item; whole numbers that the worker has met are their own codes. */
static inline lode_status arrays_item(read_worker *w, const arrays_column *c, uint64_t i,
                                      uint32_t *code) {
    const arrays_type *t = c->type;
    if ((t->kind == ARRAYS_INT || t->kind == ARRAYS_UINT) && !t->code &&
        !arrays_is_null(&c->leaf, i)) {
        uint64_t number = arrays_number(&c->leaf, t->width, t->kind == ARRAYS_INT, i);
        *code = (uint32_t)number;
        if (number < w->out->n_counts) return LODE_OK;
    }
    return arrays_code(w, &w->arrays->items, c, i, arrays_make_item, code);
}

/* The number of a transaction; neighbouring rows often have the same. */
static inline lode_status arrays_tid(read_worker *w, const arrays_column *c, uint64_t i,
                                     uint32_t *tid) {
    const arrays_known *k = &w->arrays->tids;
    const arrays_type *t = c->type;
    if (k->has_last && !t->code && t->kind == ARRAYS_INT && !arrays_is_null(&c->leaf, i)) {
        *tid = k->last_code;
        if (arrays_number(&c->leaf, t->width, true, i) == k->last) return LODE_OK;
    }
    return arrays_code(w, &w->arrays->tids, c, i, arrays_make_tid, tid);
}

/* ---- rows ---- */

/* Shows the options about rows the cells that they need. */
static lode_status arrays_look(read_worker *w, uint64_t row) {
    const arrays_batch *batch = w->arrays->block.batch;
    const read_task *task = w->task;
    rows_begin(w);
    for (size_t i = 0; task->rows && i < batch->n_columns; i++) {
        char scratch[ARRAYS_SCRATCH];
        arrays_cell cell;
        if (!task->census && !rows_is_taken(task, w->file, i)) continue;
        const char *wrong = arrays_cell_at(&batch->columns[i], row, scratch, &cell);
        if (wrong) return arrays_broken(w, &batch->columns[i], wrong);
        rows_look(w, i, cell.text ? cell.text : "", cell.n, arrays_place(w));
    }
    return LODE_OK;
}

/* ---- tables ---- */

/* A row whose transaction is `tid`. */
static lode_status arrays_pair(read_worker *w, const arrays_column *tids, uint64_t row,
                               uint32_t tid, uint32_t item, const char *no_tid) {
    const char *at = arrays_place(w), *wrong = rows_wrong_weight(w);
    if (rows_drops(w)) {
        char scratch[ARRAYS_SCRATCH];
        arrays_cell cell;
        const char *broken = arrays_cell_at(tids, row, scratch, &cell);
        return broken ? LODE_OK : pairs_drop(w, cell.text, cell.n);
    }
    if (wrong) return read_bad(w, at, "%s", wrong);
    if (tid == ARRAYS_NO_CODE) return read_bad(w, at, "%s", no_tid);
    return pairs_add_number(w, tid, item);
}

lode_status arrays_parse_table(read_worker *w, size_t tid, size_t item, const char *no_tid) {
    lode_status status = LODE_OK;
    const arrays_block *block = &w->arrays->block;
    const arrays_column *tids = &block->batch->columns[tid], *items = &block->batch->columns[item];
    for (uint64_t row = block->first; row < block->first + block->n; row++) {
        w->arrays->row = row;
        uint32_t tid_code, item_code;
        if (w->task->rows) LODE_TRY(arrays_look(w, row));
        if (w->task->census) {
            census_count_row(w->task->census, w->index);
            continue;
        }
        LODE_TRY(arrays_tid(w, tids, row, &tid_code));
        if (tid_code == ARRAYS_TOTAL) {
            w->n_totals++;
            continue;
        }
        LODE_TRY(arrays_item(w, items, row, &item_code));
        LODE_TRY(arrays_pair(w, tids, row, tid_code, item_code, no_tid));
    }
done:
    return status;
}

/* ---- transactions in one row: onehot and lists ---- */

/* Ends the transaction of a row, as read_end_noted() does. */
static lode_status arrays_end(read_worker *w, uint64_t row, size_t id_column) {
    lode_status status = LODE_OK;
    char scratch[ARRAYS_SCRATCH];
    arrays_cell cell = {NULL, 0};
    const char *wrong = rows_wrong_weight(w);
    builder_note note = {.weighted = w->rows.weighted, .weight = w->rows.weight};
    if (rows_drops(w)) {
        worker_drop_transaction(w->out);
        return LODE_OK;
    }
    if (wrong) return read_bad(w, arrays_place(w), "%s", wrong);
    if (w->task->options.keep_ids && id_column != SNIFF_NONE) {
        const arrays_column *c = &w->arrays->block.batch->columns[id_column];
        const char *broken = arrays_cell_at(c, row, scratch, &cell);
        if (broken) return arrays_broken(w, c, broken);
        note.named = true;
        note.id = cell.text ? cell.text : "";
        note.id_bytes = cell.n;
    }
    LODE_TRY(note.weighted || note.named ? worker_end_noted(w->out, &note)
                                         : worker_end_transaction(w->out));
done:
    return status;
}

/* Whether a cell means true; -1 = neither true nor false. */
static int arrays_truth(const arrays_column *c, uint64_t row, const char **wrong) {
    const arrays_type *t = c->type;
    char scratch[ARRAYS_SCRATCH];
    arrays_cell cell;
    bool whole = t->kind == ARRAYS_INT || t->kind == ARRAYS_UINT;
    *wrong = NULL;
    if (!t->code && (t->kind == ARRAYS_BOOL || whole)) {
        if (arrays_is_null(&c->leaf, row)) return 0;
        if (!whole) return arrays_bit(c->leaf.values, c->leaf.offset + row);
        uint64_t number = arrays_number(&c->leaf, t->width, t->kind == ARRAYS_INT, row);
        return number > 0 && (t->kind == ARRAYS_UINT || number <= INT64_MAX);
    }
    *wrong = arrays_cell_at(c, row, scratch, &cell);
    return *wrong ? -1 : cell_truth(cell.text, cell.n);
}

lode_status arrays_parse_onehot(read_worker *w, const uint32_t *codes, uint32_t most) {
    lode_status status = LODE_OK;
    const arrays_block *block = &w->arrays->block;
    const arrays_batch *batch = block->batch;
    for (uint64_t row = block->first; row < block->first + block->n; row++) {
        w->arrays->row = row;
        bool bad = false;
        LODE_TRY(worker_reserve(w->out, batch->n_columns));
        LODE_TRY(arrays_look(w, row));
        for (size_t i = 0; i < batch->n_columns && !bad; i++) {
            const char *wrong;
            if (codes[i] >= most) continue;
            int truth = arrays_truth(&batch->columns[i], row, &wrong);
            if (wrong) LODE_LEAVE(arrays_broken(w, &batch->columns[i], wrong));
            if (truth > 0) worker_push(w->out, codes[i]);
            bad = truth < 0;
            if (bad) {
                LODE_TRY(read_bad(w, arrays_place(w),
                                  "column '%.60s' is neither true nor false; expected a bool, a "
                                  "quantity or a null",
                                  batch->columns[i].type->name));
            }
        }
        if (!bad) LODE_TRY(arrays_end(w, row, w->file->found.id_column));
    }
done:
    return status;
}

static lode_status arrays_parse_list(read_worker *w, const arrays_column *c, uint64_t row) {
    lode_status status = LODE_OK;
    uint64_t first, n;
    if (!arrays_list_at(c, row, &first, &n)) {
        return arrays_broken(w, c, "lists whose offsets decrease or lie outside the elements");
    }
    LODE_TRY(worker_reserve(w->out, (size_t)n));
    for (uint64_t i = first; i < first + n; i++) {
        uint32_t code;
        LODE_TRY(arrays_item(w, c, i, &code));
        if (code != ARRAYS_NO_CODE) worker_push(w->out, code);
    }
done:
    return status;
}

static lode_status arrays_lists_parse(read_worker *w) {
    lode_status status = LODE_OK;
    const arrays_block *block = &w->arrays->block;
    const arrays_column *c = &block->batch->columns[w->file->list_column];
    for (uint64_t row = block->first; row < block->first + block->n; row++) {
        w->arrays->row = row;
        LODE_TRY(arrays_look(w, row));
        LODE_TRY(arrays_parse_list(w, c, row));
        LODE_TRY(arrays_end(w, row, w->file->found.id_column));
    }
done:
    return status;
}

/* ---- types of the columns that are used ---- */

lode_status arrays_check_type(const read_task *task, size_t column) {
    const arrays_type *t = arrays_type_at(task->arrays, column);
    bool list = t->list && !(task->file->lists && column == task->file->list_column);
    if (t->kind != ARRAYS_OTHER && !list) return LODE_OK;
    return job_fail(task->job, LODE_UNSUPPORTED,
                    "%s: column '%.60s' has the Arrow type %s (%.20s); expected numbers, text, "
                    "bools, dates or, for items, lists of these",
                    task->file->name, t->name, list ? "list" : arrays_type_called(t), t->format);
}

lode_status arrays_need(read_task *task, size_t tid, size_t item) {
    lode_status status = LODE_OK;
    read_file *file = task->file;
    const size_t n = arrays_n_columns(task->arrays);
    LODE_TRY(mem_zalloc(&task->job->mem, (void **)&file->needed, n * sizeof *file->needed));
    file->n_needed = n;
    for (size_t i = 0; i < n; i++) {
        file->needed[i] = i == tid || i == item || rows_is_taken(task, file, i);
        if (file->needed[i]) LODE_TRY(arrays_check_type(task, i));
        file->needed[i] |= task->census != NULL;
    }
done:
    return status;
}

/* ---- the format for lists ---- */

static lode_status arrays_lists_prepare(read_task *task) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    read_file *file = task->file;
    const char *tid = task->options.tid_column, *name;
    LODE_TRY(input_peek_record(task->in, &text, &n));
    csv_cursor header = read_cursor_over(task, text, n);
    LODE_TRY(rows_find(task, header, true));
    if (tid) file->found.id_column = arrays_find_column(task, tid);
    if (tid && file->found.id_column == SNIFF_NONE) {
        LODE_LEAVE(read_no_column(task, header, tid));
    }
    LODE_TRY(arrays_need(task, tid ? file->found.id_column : SNIFF_NONE, file->list_column));
    name = arrays_type_at(task->arrays, file->list_column)->name;
    read_note_column(task, file->list_column, name, strlen(name));
done:
    return status;
}

const read_format read_lists = {.name = "basket",
                                .format = LODE_FORMAT_BASKET,
                                .prepare = arrays_lists_prepare,
                                .parse = arrays_lists_parse};
