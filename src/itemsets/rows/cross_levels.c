/* cross_levels.c - see cross_walk.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/cross_walk.h"

static size_t cross_level_bytes(unsigned words, size_t stride) {
    return stride * (words * sizeof(uint64_t) + sizeof(uint32_t));
}

uint64_t cross_walker_need(uint32_t n_rows, uint32_t n_items) {
    unsigned words = (n_rows + 63) / 64;
    uint64_t level = cross_level_bytes(words, cross_stride(n_items)) + sizeof(cross_level);
    return (n_rows + (uint64_t)2) * level + (n_items + (uint64_t)1) * sizeof(uint32_t);
}

lode_status cross_walker_open(cross_walker *w) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    w->ids_bytes = (w->table->n_items + (size_t)1) * sizeof *w->ids;
    w->n_levels = w->table->rows.n + 2;
    LODE_TRY(mem_resize(m, (void **)&w->ids, 0, w->ids_bytes));
    LODE_TRY(mem_zalloc(m, (void **)&w->levels, w->n_levels * sizeof *w->levels));
done:
    return status;
}

void cross_walker_close(cross_walker *w) {
    mem *m = &w->job->mem;
    for (uint32_t i = 0; w->levels && i < w->n_levels; i++) {
        mem_free(m, w->levels[i].block, w->levels[i].block_bytes);
    }
    mem_free(m, w->levels, w->levels ? w->n_levels * sizeof *w->levels : 0);
    mem_free(m, w->ids, w->ids ? w->ids_bytes : 0);
}

lode_status cross_level_reserve(cross_walker *w, cross_level *level, uint32_t n) {
    cross_list *list = &level->node.list;
    size_t stride = cross_stride(n), most = cross_stride(w->table->list.n);
    unsigned words = w->table->rows.words;
    if (level->block && list->stride >= stride) return LODE_OK;
    if (level->block && 2 * list->stride > stride) stride = 2 * list->stride;
    if (stride > most) stride = most;
    mem_free(&w->job->mem, level->block, level->block_bytes);
    level->block = NULL;
    level->block_bytes = 0;
    size_t bytes = cross_level_bytes(words, stride);
    lode_status status = mem_resize(&w->job->mem, &level->block, 0, bytes);
    if (status != LODE_OK) return status;
    level->block_bytes = bytes;
    list->columns = level->block;
    list->which = (uint32_t *)(list->columns + words * stride);
    list->stride = stride;
    return LODE_OK;
}
