/* cross_give.c - see cross_give.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/cross_give.h"

#include <string.h>

/* One block of memory: the record, then its columns and their numbers. */
struct cross_record {
    cross_node node;
    double span;
    size_t bytes;
};

static cross_record *record_of(cross_walker *w, const cross_level *level) {
    const cross_list *from = &level->node.list;
    unsigned words = w->table->rows.words;
    size_t stride = cross_stride(from->n);
    size_t bytes =
        sizeof(cross_record) + stride * (words * sizeof *from->columns + sizeof *from->which);
    cross_record *r = NULL;
    if (mem_zalloc(&w->job->mem, (void **)&r, bytes) != LODE_OK) return NULL;
    *r = (cross_record){.node = level->node, .span = level->span, .bytes = bytes};
    cross_list *to = &r->node.list;
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

bool cross_give(cross_walker *w, const cross_level *level) {
    cross_record *r = record_of(w, level);
    if (!r) return false;
    if (tasks_offer(w->tasks, (tasks_item){.record = r})) return true;
    cross_record_free(&w->job->mem, r);
    return false;
}

void cross_take(cross_walker *w, cross_record *record) {
    w->levels[0].node = record->node;
    w->levels[0].span = record->span;
}

void cross_record_free(mem *m, cross_record *record) {
    mem_free(m, record, record->bytes);
}
