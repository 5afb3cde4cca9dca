/* rowwise_table.c - see rowwise_table.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_table.h"

#include <string.h>

#include "base/bits.h"

#define NO_COLUMN UINT32_MAX

/* A transaction that becomes a row. */
typedef struct rowwise_row {
    uint32_t transaction;
    uint32_t weight;
    uint64_t size; /* its frequent items */
} rowwise_row;

static bool rowwise_row_before(const rowwise_row *a, const rowwise_row *b) {
    return a->size != b->size ? a->size < b->size : a->transaction < b->transaction;
}
#define SORT_NAME   sort_cross_rows
#define SORT_TYPE   rowwise_row
#define SORT_BEFORE rowwise_row_before
#include "base/sort_body.h"

static uint32_t row_weight(const lode_dataset *data, uint64_t t) {
    return data->weights ? data->weights[t] : 1;
}

uint32_t rowwise_count_rows(const lode_dataset *data) {
    uint32_t n = 0;
    for (uint64_t t = 0; t < data->profile.n_transactions && n <= ROWWISE_ROWS; t++) {
        n += row_weight(data, t) > 0;
    }
    return n;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void table_take_rows(const engine_task *task, rowwise_row *rows) {
    const lode_dataset *data = task->items.data;
    uint32_t n = 0;
    for (uint64_t t = 0; t < data->profile.n_transactions; t++) {
        uint32_t n_ids, weight = row_weight(data, t);
        if (weight == 0) continue;
        const uint32_t *ids = dataset_row(data, t, &n_ids);
        rowwise_row *row = &rows[n++];
        *row = (rowwise_row){.transaction = (uint32_t)t, .weight = weight};
        for (uint32_t i = 0; i < n_ids; i++) {
            row->size += data->item_supports[ids[i]] >= task->min_count;
        }
    }
}

static void table_weigh(rowwise_rows *rows, const rowwise_row *from) {
    rows->words = (rows->n + 63) / 64;
    rows->n_planes = 1;
    rows->lightest = UINT32_MAX;
    for (uint32_t r = 0; r < rows->n; r++) {
        if (from[r].weight < rows->lightest) rows->lightest = from[r].weight;
        for (unsigned b = 0; b < ROWWISE_PLANES; b++) {
            if (!(from[r].weight >> b & 1)) continue;
            rows->planes[b][r / 64] |= (uint64_t)1 << r % 64;
            if (b >= rows->n_planes) rows->n_planes = b + 1;
        }
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* State while columns are made: one for each frequent item, then the distinct ones. */
typedef struct column_maker {
    const engine_task *task;
    rowwise_row *rows;
    uint32_t *rank;   /* by item id: its number among the frequent ones */
    uint32_t *ids;    /* the reverse */
    uint32_t *column; /* by number: the column that the item belongs to */
    uint32_t *slots;  /* a hash table of columns */
    size_t n_slots;
    uint64_t *words; /* of all frequent items, as in a list */
    size_t stride;
} column_maker;

static lode_status maker_open(column_maker *m, rowwise_table *t, mem_kept *scratch) {
    lode_status status = LODE_OK;
    mem *memory = &m->task->job->mem;
    uint32_t bound = m->task->items.data->item_bound;
    size_t n = t->n_items + (size_t)1;
    m->n_slots = bits_next_power_of_two(2 * n);
    m->stride = rowwise_stride(t->n_items);
    LODE_TRY(mem_keep(memory, scratch, (void **)&m->rank, (bound + (size_t)1) * sizeof *m->rank));
    LODE_TRY(mem_keep(memory, scratch, (void **)&m->ids, n * sizeof *m->ids));
    LODE_TRY(mem_keep(memory, scratch, (void **)&m->column, n * sizeof *m->column));
    LODE_TRY(mem_keep(memory, scratch, (void **)&m->slots, m->n_slots * sizeof *m->slots));
    LODE_TRY(mem_keep_zero(memory, &t->kept, (void **)&m->words,
                           m->stride * t->rows.words * sizeof *m->words));
    memset(m->slots, 0xff, m->n_slots * sizeof *m->slots);
done:
    return status;
}

static void maker_rank(column_maker *m) {
    const lode_dataset *data = m->task->items.data;
    uint32_t n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        bool frequent =
            data->item_supports[id] > 0 && data->item_supports[id] >= m->task->min_count;
        m->rank[id] = frequent ? n : NO_COLUMN;
        if (frequent) m->ids[n++] = id;
    }
}

static lode_status maker_fill(column_maker *m, const rowwise_rows *rows) {
    lode_status status = LODE_OK;
    for (uint32_t r = 0; r < rows->n; r++) {
        uint32_t n;
        const uint32_t *ids = dataset_row(m->task->items.data, m->rows[r].transaction, &n);
        uint64_t *words = m->words + r / 64 * m->stride, bit = (uint64_t)1 << r % 64;
        LODE_TRY(job_check(m->task->job));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = m->rank[ids[i]];
            if (at != NO_COLUMN) words[at] |= bit;
        }
    }
done:
    return status;
}

static bool columns_equal(const column_maker *m, unsigned words, uint32_t a, uint32_t b) {
    for (unsigned w = 0; w < words; w++) {
        if (m->words[w * m->stride + a] != m->words[w * m->stride + b]) return false;
    }
    return true;
}

/* Finds the column that is equal to that of item i among the first n, or makes it the next one. */
static uint32_t maker_place(column_maker *m, unsigned words, uint32_t i, uint32_t n) {
    uint64_t hash = 0;
    for (unsigned w = 0; w < words; w++) hash = bits_mix(hash ^ m->words[w * m->stride + i]);
    size_t at = hash & (m->n_slots - 1);
    while (m->slots[at] != NO_COLUMN) {
        if (columns_equal(m, words, m->slots[at], i)) return m->slots[at];
        at = (at + 1) & (m->n_slots - 1);
    }
    m->slots[at] = n;
    for (unsigned w = 0; w < words; w++) {
        m->words[w * m->stride + n] = m->words[w * m->stride + i];
    }
    return n;
}

/* Makes equal columns one. */
static void maker_merge(column_maker *m, rowwise_table *t) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_items; i++) {
        m->column[i] = maker_place(m, t->rows.words, i, n);
        if (m->column[i] == n) n++;
    }
    t->list = (rowwise_list){.columns = m->words, .n = n, .stride = m->stride};
}

/* Sorts the items by their columns. */
static lode_status maker_sort_items(const column_maker *m, rowwise_table *t) {
    lode_status status = LODE_OK;
    mem *memory = &m->task->job->mem;
    uint32_t n = t->list.n;
    LODE_TRY(
        mem_keep_zero(memory, &t->kept, (void **)&t->first, ((size_t)n + 2) * sizeof *t->first));
    LODE_TRY(
        mem_keep(memory, &t->kept, (void **)&t->ids, (t->n_items + (size_t)1) * sizeof *t->ids));
    LODE_TRY(mem_keep(memory, &t->kept, (void **)&t->list.which,
                      rowwise_stride(n) * sizeof *t->list.which));
    for (uint32_t i = 0; i < t->n_items; i++) t->first[m->column[i] + 2]++;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t size = t->first[c + 2];
        if (size > t->most_ids) t->most_ids = size;
        t->first[c + 2] += t->first[c + 1];
        t->list.which[c] = c;
    }
    for (uint32_t i = 0; i < t->n_items; i++) t->ids[t->first[m->column[i] + 1]++] = m->ids[i];
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static uint32_t table_count_items(const engine_task *task) {
    const lode_dataset *data = task->items.data;
    uint32_t n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        n += data->item_supports[id] > 0 && data->item_supports[id] >= task->min_count;
    }
    return n;
}

lode_status rowwise_table_open(rowwise_table *t, const engine_task *task) {
    lode_status status = LODE_OK;
    mem *memory = &task->job->mem;
    mem_kept scratch = {0};
    column_maker m = {.task = task};
    t->rows.n = rowwise_count_rows(task->items.data);
    t->n_items = table_count_items(task);
    LODE_TRY(mem_keep(memory, &scratch, (void **)&m.rows, (t->rows.n + 1) * sizeof *m.rows));
    table_take_rows(task, m.rows);
    sort_cross_rows(m.rows, t->rows.n, NULL);
    table_weigh(&t->rows, m.rows);
    LODE_TRY(maker_open(&m, t, &scratch));
    maker_rank(&m);
    LODE_TRY(maker_fill(&m, &t->rows));
    maker_merge(&m, t);
    status = maker_sort_items(&m, t);
done:
    mem_drop(memory, &scratch);
    return status;
}

void rowwise_table_close(rowwise_table *t, mem *m) {
    mem_drop(m, &t->kept);
}

uint32_t rowwise_list_size(const rowwise_table *t, const rowwise_list *list) {
    uint32_t size = 0;
    if (t->most_ids <= 1) return list->n;
    for (uint32_t i = 0; i < list->n; i++) size += rowwise_column_size(t, list->which[i]);
    return size;
}
