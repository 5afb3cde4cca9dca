/* base.c - see base.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/base.h"

#include <string.h>

#include "data/transactions/rank.h"
#include "data/transactions/vertical.h"
#include "itemsets/adaptive/twins.h"

/* Numbers the frequent items from the most frequent on, those in every transaction first. Ranked
 * from the rarest, the order is that of all other engines: root ranges are the same. In an order
 * that was given, items in every transaction are where they are, and searched as all others. */
static lode_status base_rank_items(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->data;
    ranking ranked = {0};
    uint32_t *ids, *supports, *rank, first = 0;
    LODE_TRY(rank_frequent(task->job, data, data->item_supports, base->key.min_count, &ranked));
    uint32_t n = ranked.n;
    LODE_TRY(arena_take(&base->arena, n * sizeof *ids, (void **)&ids));
    LODE_TRY(arena_take(&base->arena, n * sizeof *supports, (void **)&supports));
    LODE_TRY(arena_take(&base->arena, data->item_bound * sizeof *rank, (void **)&rank));
    memset(rank, 0xff, data->item_bound * sizeof *rank);
    for (uint32_t i = 0; i < n; i++) {
        ranked_item item = ranked.items[n - 1 - i];
        ids[i] = item.id;
        supports[i] = (uint32_t)item.support;
        if (item.support == data->total_weight && !data->order) first = i + 1;
    }
    for (uint32_t i = first; i < n; i++) rank[ids[i]] = i - first;
    base->n_frequent = n;
    base->ids = ids;
    base->all_supports = supports;
    base->n_always = first;
    base->rank = rank;
    base->items = (item_list){n - first, n - first, ids + first, supports + first};
done:
    rank_free(task->job, &ranked);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t base_row_bytes(const adaptive_base *base, const engine_task *task) {
    return base->items.n * vertical_row_bytes(task->data->profile.n_transactions);
}

static bool base_rows_fit(const adaptive_base *base, const engine_task *task) {
    size_t left = mem_left(&task->job->mem);
    return left == SIZE_MAX || base_row_bytes(base, task) <= left / ROWS_SHARE;
}

static lode_status base_rows(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    uint64_t *rows = NULL;
    size_t bytes = base_row_bytes(base, task);
    LODE_TRY(mem_zalloc(base->arena.mem, (void **)&rows, bytes));
    base->rows_bytes = bytes;
    base->end = base->items.n;
    base->db.rows = (rows_db){.rows = rows, .words = bytes / base->items.n / sizeof *rows};
    status = vertical_fill_rows(task->job, task->data, base->rank, base->items.n, base->key.spread,
                                rows);
done:
    return status;
}

/* ---- how much memory ------------------------------------------------------------------------- */

/* Words are merged now and then, but the memory they were collected in is kept; lists have a place
 * and an entry for each occurrence. */
uint64_t adaptive_base_need(const engine_sizes *s) {
    const job_sizes *d = &s->data;
    if (d->n_items <= WORD_ITEMS) {
        return d->n_transactions * 3 * (sizeof(uint64_t) + sizeof(uint32_t));
    }
    return (2 * d->n_occurrences + 2 * d->n_transactions + 2 * d->n_items + 1024) *
           sizeof(uint32_t);
}

/* A conditional database is a part of the one before. What real and generated data take is less. */
uint64_t adaptive_path_need(uint64_t root, const engine_sizes *s) {
    return root / (adaptive_keeps_earlier(s->target, s->rules) ? 4 : 8) + PATH_LEAST_BYTES;
}

/* ---- all ------------------------------------------------------------------------------------- */

root_counts adaptive_base_survey(const lode_dataset *data, uint64_t min_count) {
    root_counts s = {.transactions = (double)data->profile.n_transactions,
                     .weighted = data->weights != NULL,
                     .rows_fit = true};
    for (uint32_t id = 0; id < data->item_bound; id++) {
        uint64_t support = data->item_supports[id];
        if (support < min_count) continue;
        if (support == data->total_weight && !data->order) continue;
        s.n++;
        s.occurrences += (double)support;
    }
    return s;
}

base_key adaptive_base_key(const lode_dataset *data, lode_target target, uint64_t min_count) {
    root_counts s = adaptive_base_survey(data, min_count);
    base_key key = {.min_count = min_count, .shape = shape_of_root(&s)};
    key.twins = twins_pay(data, target, s.n);
    key.lattices = target != LODE_TARGET_GENERATORS;
    key.spread = key.shape == SHAPE_ROWS && target == LODE_TARGET_CLOSED;
    return key;
}

lode_status adaptive_base_rank(adaptive_base *base, const engine_task *task, mem *m) {
    lode_status status = LODE_OK;
    arena_init(&base->arena, m);
    arena_init(&base->slice, m);
    LODE_TRY(base_rank_items(base, task));
    if (!base->key.twins) return LODE_OK;
    /* The slice is scratch memory until its database is made. */
    twins_search search = {task, &base->arena, &base->slice, base->items, base->rank};
    LODE_TRY(twins_find(&search, &base->twins));
    base->items = search.items;
    base->rank = search.rank;
done:
    return status;
}

/* Words, or rows: without lattices, what words gain is that equal ones are merged. */
static lode_status base_words_or_rows(adaptive_base *base, const engine_task *task, bool rows_fit) {
    lode_status status = adaptive_base_words(base, task);
    double transactions = (double)task->data->profile.n_transactions;
    bool merged = transactions > (double)base->db.words.all.n * WORDS_REPEAT;
    if (status != LODE_OK || base->key.lattices || !rows_fit || merged) return status;
    arena_clear(&base->slice);
    base->db.shape = SHAPE_ROWS;
    return base_rows(base, task);
}

lode_status adaptive_base_next(adaptive_base *base, const engine_task *task) {
    const lode_dataset *data = task->data;
    root_counts s = {.n = base->items.n,
                     .transactions = (double)data->profile.n_transactions,
                     .weighted = data->weights != NULL,
                     .rows_fit = base->end == 0 && base_rows_fit(base, task)};
    base->first = base->end;
    if (base->first == base->items.n) return LODE_OK;
    arena_clear(&base->slice);
    for (uint32_t i = 0; i < s.n; i++) s.occurrences += base->items.supports[i];
    base->db = (database){.shape = shape_of_root(&s), .items = base->items};
    switch (base->db.shape) {
    case SHAPE_WORDS: return base_words_or_rows(base, task, s.rows_fit && !s.weighted);
    case SHAPE_ROWS: return base_rows(base, task);
    default: return adaptive_base_lists(base, task);
    }
}

void adaptive_base_clear(adaptive_base *base) {
    if (base->rows_bytes > 0) {
        mem_free(base->arena.mem, (void *)(uintptr_t)base->db.rows.rows, base->rows_bytes);
    }
    arena_clear(&base->slice);
    arena_clear(&base->arena);
}
