/* rowwise_give.c - see rowwise_give.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_give.h"

#include <string.h>

/* One block of memory: the record, then its columns and their numbers. */
struct rowwise_record {
    rowwise_node node;
    double span;
    size_t bytes;
};

static rowwise_record *record_of(rowwise_walker *w, const rowwise_level *level) {
    const rowwise_list *from = &level->node.list;
    unsigned words = w->table->rows.words;
    size_t stride = rowwise_stride(from->n);
    size_t bytes =
        sizeof(rowwise_record) + stride * (words * sizeof *from->columns + sizeof *from->which);
    rowwise_record *r = NULL;
    if (mem_zalloc(&w->job->mem, (void **)&r, bytes) != LODE_OK) return NULL;
    *r = (rowwise_record){.node = level->node, .span = level->span, .bytes = bytes};
    rowwise_list *to = &r->node.list;
    to->stride = stride;
    to->columns = (uint64_t *)(r + 1);
    to->which = (uint32_t *)(to->columns + words * stride);
    for (unsigned i = 0; i < words; i++) {
        memcpy(to->columns + i * stride, from->columns + i * from->stride,
               from->n * sizeof *from->columns);
    }
    memcpy(to->which, from->which, from->n * sizeof *from->which);
    return r;
}

bool rowwise_give(rowwise_walker *w, const rowwise_level *level) {
    rowwise_record *r = record_of(w, level);
    if (!r) return false;
    if (tasks_offer(w->tasks, (tasks_item){.record = r})) return true;
    rowwise_record_free(&w->job->mem, r);
    return false;
}

void rowwise_take(rowwise_walker *w, rowwise_record *record) {
    w->levels[0].node = record->node;
    w->levels[0].span = record->span;
}

void rowwise_record_free(mem *m, rowwise_record *record) {
    mem_free(m, record, record->bytes);
}
