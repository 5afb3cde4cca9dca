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
