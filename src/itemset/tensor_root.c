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

static size_t list_bytes(const engine_job *job, uint64_t n_occurrences) {
    return (job->data->profile.n_transactions + 1) * sizeof(uint64_t) +
           n_occurrences * sizeof(uint32_t);
}

static bool lists_pay(const engine_job *job, const tensor_root *r) {
    double n = (double)job->data->profile.n_transactions * r->v.n_items;
    size_t lists = list_bytes(job, r->n_occurrences), left = mem_left(&job->ctx->mem);
    size_t rows = r->v.n_items * vertical_row_bytes(job->data->profile.n_transactions);
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

static lode_status fill_lists(const engine_job *job, const uint32_t *rank, tensor_root *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = job->data;
    uint64_t n = 0, column = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        LODE_TRY(ctx_check(job->ctx));
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

static lode_status make_lists(const engine_job *job, tensor_root *r) {
    lode_status status = LODE_OK;
    mem *m = &job->ctx->mem;
    const lode_dataset *data = job->data;
    uint32_t *rank = NULL;
    size_t rank_bytes = data->item_bound * sizeof *rank, left = mem_left(m);
    size_t needed = list_bytes(job, r->n_occurrences) + rank_bytes + HOST_BYTES;
    if (needed > left) {
        return ctx_over_budget(job->ctx, m->budget - left + needed,
                               "mining by lists of %llu items beside the data",
                               (unsigned long long)r->n_occurrences);
    }
    LODE_TRY(mem_resize(m, (void **)&rank, 0, rank_bytes));
    LODE_TRY(mem_resize(m, (void **)&r->starts, 0,
                        (data->profile.n_transactions + 1) * sizeof *r->starts));
    LODE_TRY(mem_resize(m, (void **)&r->items, 0, r->n_occurrences * sizeof *r->items));
    for (uint32_t i = 0; i < data->item_bound; i++) rank[i] = VERTICAL_NO_RANK;
    for (uint32_t k = 0; k < r->v.n_items; k++) rank[r->v.ids[k]] = k;
    status = fill_lists(job, rank, r);
done:
    mem_free(m, rank, rank_bytes);
    return status;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Rows as prepare_rows() makes them, after the ranking. */
static lode_status make_rows(const engine_job *job, tensor_root *r) {
    vertical_clear(&r->v);
    return prepare_rows(job, &r->v, 0, HOST_BYTES * job->plan->n);
}

lode_status tensor_root_make(const engine_job *job, tensor_root *r) {
    lode_status status = LODE_OK;
    mem *m = &job->ctx->mem;
    uint64_t n = job->data->profile.n_transactions;
    if (n > UINT32_MAX) {
        return ctx_fail(job->ctx, LODE_UNSUPPORTED,
                        "tensor counts in 32 bits; there are %llu transactions",
                        (unsigned long long)n);
    }
    LODE_TRY(prepare_rank(job, &r->v));
    r->n_occurrences = count_occurrences(&r->v);
    LODE_TRY(lists_pay(job, r) ? make_lists(job, r) : make_rows(job, r));
    LODE_TRY(mem_resize(m, (void **)&r->supports, 0, r->v.n_items * sizeof *r->supports));
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
    if (r->supports) mem_free(m, r->supports, r->v.n_items * sizeof *r->supports);
    if (r->starts) mem_free(m, r->starts, (r->root.n_columns + 1) * sizeof *r->starts);
    if (r->items) mem_free(m, r->items, r->n_occurrences * sizeof *r->items);
    vertical_clear(&r->v);
}
