/* tensor_root.c - the rows that the miner by products starts from: bits, or lists for sparse data
 *
 * A list of a transaction takes 4 bytes an item, a column of bits 1/8 byte for every frequent item
 * there is. Below a density of half a per cent, lists are what a device is quicker with, too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/sort.h"
#include "itemset/prepare.h"
#include "itemset/tensor.h"

#define LISTS_DENSITY 0.005
#define HOST_BYTES    ((size_t)128 << 10) /* for what is made of the rows, at the least */

static uint64_t count_occurrences(const vertical *v) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < v->n_items; i++) n += v->supports[i];
    return n;
}

static size_t list_bytes(const engine_task *task, uint64_t n_occurrences) {
    return (task->data->profile.n_transactions + 1) * sizeof(uint64_t) +
           n_occurrences * sizeof(uint32_t);
}

static bool lists_pay(const engine_task *task, const tensor_root *r) {
    double n = (double)task->data->profile.n_transactions * r->v.n_items;
    size_t lists = list_bytes(task, r->n_occurrences), left = mem_left(&task->job->mem);
    size_t rows = r->v.n_items * vertical_row_bytes(task->data->profile.n_transactions);
    if ((double)r->n_occurrences < LISTS_DENSITY * n) return true;
    return rows + HOST_BYTES > left && lists < rows;
}

uint64_t tensor_root_need(const engine_sizes *s) {
    uint64_t rows = engine_need_rows(s);
    uint64_t lists =
        (s->data.n_transactions + 1) * sizeof(uint64_t) + s->data.n_occurrences * sizeof(uint32_t);
    double cells = (double)s->data.n_transactions * (double)s->data.n_items;
    return (double)s->data.n_occurrences < LISTS_DENSITY * cells ? lists : rows;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static lode_status fill_lists(const engine_task *task, const uint32_t *rank, tensor_root *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->data;
    uint64_t n = 0, column = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        LODE_TRY(job_check(task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            r->starts[column++] = n;
            uint64_t first = n;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t row = rank[block->items[i]];
                if (row != VERTICAL_NO_RANK) r->items[n++] = row;
            }
            sort_u32(r->items + first, (size_t)(n - first));
        }
    }
    r->starts[column] = n;
done:
    return status;
}

static lode_status make_lists(const engine_task *task, tensor_root *r) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    const lode_dataset *data = task->data;
    uint32_t *rank = NULL;
    size_t rank_bytes = data->item_bound * sizeof *rank, left = mem_left(m);
    size_t needed = list_bytes(task, r->n_occurrences) + rank_bytes + HOST_BYTES;
    if (needed > left) {
        return job_over_budget(task->job, mem_budget(m) - left + needed,
                               "mining by lists of %llu items beside the data",
                               (unsigned long long)r->n_occurrences);
    }
    LODE_TRY(mem_resize(m, (void **)&rank, 0, rank_bytes));
    LODE_TRY(mem_keep(m, &r->kept, (void **)&r->starts,
                      (data->profile.n_transactions + 1) * sizeof *r->starts));
    LODE_TRY(mem_keep(m, &r->kept, (void **)&r->items, r->n_occurrences * sizeof *r->items));
    for (uint32_t i = 0; i < data->item_bound; i++) rank[i] = VERTICAL_NO_RANK;
    for (uint32_t k = 0; k < r->v.n_items; k++) rank[r->v.ids[k]] = k;
    status = fill_lists(task, rank, r);
done:
    mem_free(m, rank, rank_bytes);
    return status;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Rows as prepare_rows() makes them, after the ranking. */
static lode_status make_rows(const engine_task *task, tensor_root *r) {
    vertical_clear(&r->v);
    return prepare_rows(task, &r->v, 0, HOST_BYTES * task->plan->n);
}

lode_status tensor_root_make(const engine_task *task, tensor_root *r) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    uint64_t n = task->data->profile.n_transactions;
    if (n > UINT32_MAX) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "tensor counts in 32 bits; there are %llu transactions",
                        (unsigned long long)n);
    }
    LODE_TRY(prepare_rank(task, &r->v));
    r->n_occurrences = count_occurrences(&r->v);
    LODE_TRY(lists_pay(task, r) ? make_lists(task, r) : make_rows(task, r));
    LODE_TRY(mem_keep(m, &r->kept, (void **)&r->supports, r->v.n_items * sizeof *r->supports));
    for (uint32_t i = 0; i < r->v.n_items; i++) r->supports[i] = (uint32_t)r->v.supports[i];
    r->root = (product_root){.n_rows = r->v.n_items,
                             .supports = r->supports,
                             .n_columns = n,
                             .rows = r->v.rows,
                             .row_words = r->v.words,
                             .starts = r->starts,
                             .items = r->items};
done:
    return status;
}

void tensor_root_clear(mem *m, tensor_root *r) {
    mem_drop(m, &r->kept);
    vertical_clear(&r->v);
}
