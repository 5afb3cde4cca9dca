/* rowwise_levels.c - see rowwise_walk.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_walk.h"

static size_t rowwise_level_bytes(unsigned words, size_t stride) {
    return stride * (words * sizeof(uint64_t) + sizeof(uint32_t));
}

uint64_t rowwise_walker_need(uint32_t n_rows, uint32_t n_items) {
    unsigned words = (n_rows + 63) / 64;
    uint64_t level = rowwise_level_bytes(words, rowwise_stride(n_items)) + sizeof(rowwise_level);
    return (n_rows + (uint64_t)2) * level + (n_items + (uint64_t)1) * sizeof(uint32_t);
}

lode_status rowwise_walker_open(rowwise_walker *w) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    w->ids_bytes = (w->table->n_items + (size_t)1) * sizeof *w->ids;
    w->n_levels = w->table->rows.n + 2;
    LODE_TRY(mem_resize(m, (void **)&w->ids, 0, w->ids_bytes));
    LODE_TRY(mem_zalloc(m, (void **)&w->levels, w->n_levels * sizeof *w->levels));
done:
    return status;
}

void rowwise_walker_close(rowwise_walker *w) {
    mem *m = &w->job->mem;
    for (uint32_t i = 0; w->levels && i < w->n_levels; i++) {
        mem_free(m, w->levels[i].block, w->levels[i].block_bytes);
    }
    mem_free(m, w->levels, w->levels ? w->n_levels * sizeof *w->levels : 0);
    mem_free(m, w->ids, w->ids ? w->ids_bytes : 0);
}

lode_status rowwise_level_reserve(rowwise_walker *w, rowwise_level *level, uint32_t n) {
    rowwise_list *list = &level->node.list;
    size_t stride = rowwise_stride(n), most = rowwise_stride(w->table->list.n);
    unsigned words = w->table->rows.words;
    if (level->block && list->stride >= stride) return LODE_OK;
    if (level->block && 2 * list->stride > stride) stride = 2 * list->stride;
    if (stride > most) stride = most;
    mem_free(&w->job->mem, level->block, level->block_bytes);
    level->block = NULL;
    level->block_bytes = 0;
    size_t bytes = rowwise_level_bytes(words, stride);
    lode_status status = mem_resize(&w->job->mem, &level->block, 0, bytes);
    if (status != LODE_OK) return status;
    level->block_bytes = bytes;
    list->columns = level->block;
    list->which = (uint32_t *)(list->columns + words * stride);
    list->stride = stride;
    return LODE_OK;
}
