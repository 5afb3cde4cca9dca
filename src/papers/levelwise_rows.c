/* levelwise_rows.c - candidates counted by the rows of the two sets they are joined from
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/prepare.h"
#include "papers/levelwise.h"

/* Lays out the work of the device: for a pair whose left set has a row, three row numbers; for any
 * other, the list of its k items. */
static lode_status rows_lay_out(levelwise *w) {
    lode_status status = LODE_OK;
    size_t n = w->n_pairs;
    bool grows = w->k < w->task->options->max_size;
    w->work_index.n = w->list_index.n = w->lists.n = w->dst.n = 0;
    if (w->cap_work < n) {
        LODE_TRY(vec_grow(w->mem, (void **)&w->work, 0, &w->cap_work, n, sizeof *w->work));
    }
    LODE_TRY(vec_u32_reserve(w->mem, &w->work_index, n));
    LODE_TRY(vec_u32_reserve(w->mem, &w->dst, n));
    for (size_t i = 0; i < n; i++) {
        backend_pair p = w->pairs[i];
        uint32_t left = w->rows.data[p.a], right = w->rows.data[p.b];
        w->dst.data[w->dst.n++] = BACKEND_NO_ROW;
        if (left == BACKEND_NO_ROW) {
            LODE_TRY(vec_u32_push(w->mem, &w->list_index, (uint32_t)i));
            LODE_TRY(vec_u32_reserve(w->mem, &w->lists, w->k));
            w->method->sets->items(w, p.a, w->lists.data + w->lists.n);
            w->lists.data[w->lists.n + w->k - 1] = levelwise_extra(w, p);
            w->lists.n += w->k;
            continue;
        }
        if (right == BACKEND_NO_ROW) right = levelwise_extra(w, p); /* the same intersection */
        uint32_t dst = grows ? prepare_take_list(w->backend, w->device, &w->pool) : BACKEND_NO_ROW;
        w->dst.data[i] = dst;
        w->work[w->work_index.n] = (backend_work){left, right, dst};
        w->work_index.data[w->work_index.n++] = (uint32_t)i;
    }
done:
    return status;
}

lode_status levelwise_count_rows(levelwise *w) {
    lode_status status = LODE_OK;
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    LODE_TRY(rows_lay_out(w));
    levelwise_lap(w, &w->tally->candidate);
    size_t n_work = w->work_index.n, n_lists = w->list_index.n;
    size_t most = n_work > n_lists ? n_work : n_lists;
    w->list_counts.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->list_counts, most));
    if (n_work > 0) {
        LODE_TRY(w->ops->and_count(w->papers, w->work, n_work, min_count, w->list_counts.data));
    }
    for (size_t i = 0; i < n_work; i++) {
        w->counts.data[w->work_index.data[i]] = w->list_counts.data[i];
    }
    if (n_lists > 0) {
        LODE_TRY(
            w->ops->and_count_lists(w->papers, w->lists.data, w->k, n_lists, w->list_counts.data));
        w->task->report->lists_rebuilt += n_lists;
    }
    for (size_t i = 0; i < n_lists; i++) {
        w->counts.data[w->list_index.data[i]] = w->list_counts.data[i];
    }
    levelwise_lap_count(w);
done:
    return status;
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
    w->fused = w->ops->join_count && rows_of_all(w);
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
