/* levelwise_sets.c - sets as a table of bits, which the device joins
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/prepare.h"
#include "papers/levelwise.h"

bool levelwise_may_stay(const levelwise *w) {
    return w->n_team == 1 && w->ops->levels;
}

/* Whether every set of the level has a row. */
static bool rows_of_all(const levelwise *w) {
    for (size_t i = 0; i < w->rows.n; i++) {
        if (w->rows.data[i] == BACKEND_NO_ROW) return false;
    }
    return true;
}

/* Stores the rows of the block's candidates, which are all frequent, while there are lists. */
static lode_status rows_store(levelwise *w) {
    lode_status status = LODE_OK;
    w->work_index.n = w->lists.n = w->dst.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->work_index, w->n_pairs));
    LODE_TRY(vec_u32_reserve(w->mem, &w->lists, 2 * w->n_pairs));
    LODE_TRY(vec_u32_reserve(w->mem, &w->dst, w->n_pairs));
    for (size_t i = 0; i < w->n_pairs; i++) {
        uint32_t dst = prepare_take_list(w->backend, w->device, &w->pool);
        w->dst.data[w->dst.n++] = dst;
        if (dst == BACKEND_NO_ROW) continue;
        w->work_index.data[w->work_index.n++] = dst;
        w->lists.data[w->lists.n++] = w->rows.data[w->pairs[i].a];
        w->lists.data[w->lists.n++] = w->rows.data[w->pairs[i].b];
    }
    LODE_TRY(
        w->backend->and_rows(w->device, w->work_index.data, w->lists.data, 2, w->work_index.n));
done:
    return status;
}

lode_status levelwise_use_sets(levelwise *w, const backend_sets *sets) {
    w->fused = w->n_team == 1 && w->ops->join_count && rows_of_all(w);
    return w->ops->use_sets(w->papers, sets, w->group_end.data, w->fused ? w->rows.data : NULL);
}

lode_status levelwise_join_count(levelwise *w, uint32_t first, uint32_t end,
                                 backend_joined *joined) {
    lode_status status = LODE_OK;
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    joined->pairs = w->pairs;
    joined->counts = w->counts.data;
    if (w->fused) {
        LODE_TRY(w->ops->join_count(w->papers, first, end, min_count, joined));
    } else {
        LODE_TRY(w->ops->join_sets(w->papers, first, end, joined));
    }
    w->n_pairs = joined->n;
    w->tally->generated += joined->generated;
    w->tally->pruned += joined->pruned;
    if (!w->fused) {
        levelwise_lap(w, &w->tally->candidate);
        return levelwise_count_rows(w);
    }
    w->tally->counted +=
        joined->generated - joined->pruned - joined->n; /* those that were dropped */
    levelwise_lap_join(w, joined->count_seconds);
    w->dst.n = 0;
    if (w->k < w->task->options->max_size) LODE_TRY(rows_store(w));
    levelwise_lap_count(w);
done:
    return status;
}
