/* rowwise_emit.c - see rowwise_emit.h
 *
 * A frequent set is maximal if no other column can be added to it: none has so many of its rows
 * that they are still frequent. Where no row can be spared, that needs no look. Columns of the
 * parent share the most rows with the set, so they are asked first, and most sets that are not
 * maximal are found out there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_emit.h"

static bool emit_wants(const rowwise_walker *w, const rowwise_node *node, const rowwise_list *above,
                       uint64_t min) {
    const rowwise_rows *rows = &w->table->rows;
    if (w->target != LODE_TARGET_MAXIMAL) return true;
    if (node->weight - rows->lightest < min) return true;
    if (above && w->kernels->meets(rows, above, node->held, min)) return false;
    return !w->kernels->meets(rows, &w->table->list, node->held, min);
}

static uint32_t emit_collect(rowwise_walker *w, const rowwise_list *list) {
    const rowwise_table *t = w->table;
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const uint32_t *ids = t->ids + t->first[list->which[i]];
        uint32_t size = rowwise_column_size(t, list->which[i]);
        for (uint32_t k = 0; k < size; k++) w->ids[n++] = ids[k];
    }
    return n;
}

lode_status rowwise_emit(rowwise_walker *w, const rowwise_node *node, const rowwise_list *above,
                         uint64_t min) {
    uint32_t size = rowwise_list_size(w->table, &node->list);
    if (size < w->min_size || size > w->max_size || !emit_wants(w, node, above, min)) {
        return LODE_OK;
    }
    if (w->numbers) return sink_add_number(w->out, size, 1);
    emit_collect(w, &node->list);
    lode_batch batch = {.prefix = w->ids,
                        .n_prefix = size - 1,
                        .items = w->ids + size - 1,
                        .supports = &node->weight,
                        .n = 1};
    return sink_emit(w->out, &batch);
}
