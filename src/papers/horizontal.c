/* horizontal.c - see horizontal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/horizontal.h"

#include "base/sort.h"

static void copy_block(horizontal *h, const data_block *block, const uint32_t *rank) {
    for (uint32_t t = 0; t < block->n; t++) {
        uint32_t *at = h->items.data + h->items.n;
        size_t kept = 0;
        h->offsets[block->first + t] = h->items.n;
        for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
            uint32_t r = rank[block->items[i]];
            if (r != UINT32_MAX) at[kept++] = r;
        }
        sort_u32(at, kept);
        h->items.n += kept;
    }
}

lode_status horizontal_read(lode_job *job, horizontal *h, const lode_dataset *data,
                            const vertical *v) {
    lode_status status = LODE_OK;
    uint64_t occurrences = 0;
    size_t rank_bytes = data->item_bound * sizeof(uint32_t);
    uint32_t *rank = NULL;
    LODE_TRY(mem_resize(&job->mem, (void **)&rank, 0, rank_bytes));
    for (uint32_t id = 0; id < data->item_bound; id++) rank[id] = UINT32_MAX;
    for (uint32_t i = 0; i < v->n_items; i++) {
        rank[v->ids[i]] = i;
        occurrences += data->item_supports[v->ids[i]];
    }
    LODE_TRY(vec_u32_reserve(&job->mem, &h->items, occurrences));
    h->n = data->profile.n_transactions;
    status = mem_resize(&job->mem, (void **)&h->offsets, 0, (h->n + 1) * sizeof *h->offsets);
    if (status != LODE_OK) goto done;
    for (size_t b = 0; b < data->n_blocks; b++) {
        LODE_TRY(job_check(job));
        copy_block(h, &data->blocks[b], rank);
    }
    h->offsets[h->n] = h->items.n;
done:
    mem_free(&job->mem, rank, rank ? rank_bytes : 0);
    return status;
}

void horizontal_free(mem *m, horizontal *h) {
    mem_free(m, h->offsets, h->offsets ? (h->n + 1) * sizeof *h->offsets : 0);
    vec_u32_free(m, &h->items);
    *h = (horizontal){0};
}
