/* base.c - see adaptive_base.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "adaptive/base.h"

#include <string.h>

#include "adaptive/lists.h"
#include "adaptive/twins.h"
#include "adaptive/words.h"
#include "data/vertical.h"

#define MERGE_BATCH  65536 /* words collected before equal ones are merged */
#define ROWS_DENSITY 0.025
#define WAY_LEAST    ((uint64_t)384 << 10)
#define ROWS_SHARE   2 /* of the budget that is left, rows may take one in so many parts */
#define WORDS_WASTE  8 /* words that take less than one in so many parts of their memory move */

typedef struct ranked {
    uint64_t support;
    uint32_t id;
} ranked;

/* From the rarest, this is the order of all other engines: root ranges are the same. */
static bool ranked_before(const ranked *a, const ranked *b) {
    return a->support != b->support ? a->support > b->support : a->id > b->id;
}

#define SORT_NAME   sort_ranked
#define SORT_TYPE   ranked
#define SORT_BEFORE ranked_before
#include "base/sort_body.h"

/* Frequent items from the most frequent, those in every transaction first. */
static lode_status rank_collect(const adaptive_base *base, const engine_task *task, ranked *all,
                                uint32_t n) {
    const lode_dataset *data = task->data;
    uint32_t at = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        uint64_t support = data->item_supports[id];
        if (support >= base->key.min_count) all[at++] = (ranked){support, id};
    }
    sort_stop stop = job_sort_stop(task->job);
    return sort_ranked(all, n, &stop) ? LODE_OK : job_check(task->job);
}

static lode_status rank_items(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->data;
    ranked *all = NULL;
    uint32_t n = 0, *ids, *supports, *rank, first = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        n += data->item_supports[id] >= base->key.min_count;
    }
    size_t bytes = n * sizeof *all;
    LODE_TRY(mem_resize(&task->job->mem, (void **)&all, 0, bytes));
    LODE_TRY(rank_collect(base, task, all, n));
    LODE_TRY(arena_take(&base->arena, n * sizeof *ids, (void **)&ids));
    LODE_TRY(arena_take(&base->arena, n * sizeof *supports, (void **)&supports));
    LODE_TRY(arena_take(&base->arena, data->item_bound * sizeof *rank, (void **)&rank));
    memset(rank, 0xff, data->item_bound * sizeof *rank);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = all[i].id;
        supports[i] = (uint32_t)all[i].support;
        if (all[i].support == data->total_weight) first = i + 1;
    }
    for (uint32_t i = first; i < n; i++) rank[ids[i]] = i - first;
    base->n_frequent = n;
    base->ids = ids;
    base->all_supports = supports;
    base->n_always = first;
    base->rank = rank;
    base->items = (item_list){n - first, n - first, ids + first, supports + first};
done:
    mem_free(&task->job->mem, all, all ? bytes : 0);
    return status;
}

/* ---- words --------------------------------------------------------------------------------- */

typedef struct word_buffer {
    uint64_t *words;
    uint32_t *weights;
    size_t n, room;
} word_buffer;

static lode_status buffer_make_room(adaptive_base *base, const engine_task *task, word_buffer *b) {
    lode_status status = LODE_OK;
    arena *from = &base->slice;
    word_buffer wider = {0};
    if (b->n > 0) LODE_TRY(words_merge(from, ~(uint64_t)0, b->words, NULL, b->weights, &b->n));
    if (b->n > 0 && b->room - b->n >= MERGE_BATCH / 2) return LODE_OK;
    uint64_t most = task->data->profile.n_transactions; /* there are no more words than these */
    wider.n = b->n;
    wider.room = most < 2 * b->n + MERGE_BATCH ? most : 2 * b->n + MERGE_BATCH;
    LODE_TRY(arena_take(from, wider.room * sizeof *b->words, (void **)&wider.words));
    LODE_TRY(arena_take(from, wider.room * sizeof *b->weights, (void **)&wider.weights));
    if (b->n > 0) {
        memcpy(wider.words, b->words, b->n * sizeof *b->words);
        memcpy(wider.weights, b->weights, b->n * sizeof *b->weights);
    }
    *b = wider;
done:
    return status;
}

static uint64_t word_of(const uint32_t *rank, const uint32_t *items, uint32_t n) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = rank[items[i]];
        word |= (uint64_t)(bit < WORD_ITEMS) << (bit & (WORD_ITEMS - 1));
    }
    return word;
}

/* Most of what words were collected in is empty where many were equal: leaves what they take. */
static lode_status buffer_shrink(adaptive_base *base, word_buffer *b) {
    lode_status status = LODE_OK;
    arena tight;
    word_buffer fit = {.n = b->n};
    size_t held = 0;
    for (unsigned i = 0; i < base->slice.n; i++) held += base->slice.chunks[i].bytes;
    if (b->n * (sizeof *b->words + sizeof *b->weights) > held / WORDS_WASTE) return LODE_OK;
    arena_init(&tight, base->slice.mem);
    LODE_TRY(arena_take(&tight, b->n * sizeof *b->words, (void **)&fit.words));
    LODE_TRY(arena_take(&tight, b->n * sizeof *b->weights, (void **)&fit.weights));
    if (b->n > 0) {
        memcpy(fit.words, b->words, b->n * sizeof *b->words);
        memcpy(fit.weights, b->weights, b->n * sizeof *b->weights);
    }
    arena_clear(&base->slice);
    base->slice = tight;
    *b = fit;
    return LODE_OK;
done:
    arena_clear(&tight);
    return status;
}

static lode_status make_words(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->data;
    word_buffer b = {0};
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(job_check(task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            if (b.n == b.room) LODE_TRY(buffer_make_room(base, task, &b));
            uint32_t start = block->offsets[t], n = block->offsets[t + 1] - start;
            b.words[b.n] = word_of(base->rank, block->items + start, n);
            b.weights[b.n] = data->weights ? data->weights[block->first + t] : 1;
            b.n += b.words[b.n] != 0 && b.weights[b.n] != 0;
        }
    }
    if (b.n > 0) {
        LODE_TRY(words_merge(&base->slice, ~(uint64_t)0, b.words, NULL, b.weights, &b.n));
    }
    LODE_TRY(buffer_shrink(base, &b));
    base->shape = BASE_WORDS;
    base->end = base->items.n;
    base->words =
        (words_db){.items = base->items, .words = b.words, .weights = b.weights, .n = b.n};
done:
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows take n * n / 2 * N / 64 words to find the pairs of n items in N transactions, lists N times
 * length * length / 2 steps. A step takes 5 ns, a word 0.15: rows pay from a density of 2 % on, and
 * take less memory from 1.6 % on. */
static bool rows_pay(const lode_dataset *data, const base_survey *s) {
    double n = (double)data->profile.n_transactions;
    return !data->weights && s->occurrences >= ROWS_DENSITY * n * s->n;
}

static bool rows_fit(const engine_task *task, size_t bytes) {
    size_t left = mem_left(&task->job->mem);
    return left == SIZE_MAX || bytes <= left / ROWS_SHARE;
}

static lode_status make_rows(adaptive_base *base, const engine_task *task, size_t bytes) {
    lode_status status = LODE_OK;
    uint64_t *rows = NULL;
    LODE_TRY(mem_zalloc(base->arena.mem, (void **)&rows, bytes));
    base->rows_bytes = bytes;
    base->end = base->items.n;
    base->shape = BASE_ROWS;
    base->rows = (rows_db){
        .items = base->items, .rows = rows, .words = bytes / base->items.n / sizeof *rows};
    status = vertical_fill_rows(task->job, task->data, base->rank, base->items.n, base->key.spread,
                                rows);
done:
    return status;
}

/* ---- how much ------------------------------------------------------------------------------ */

/* Words are merged now and then, and what they were collected in stays; lists have a place and an
 * entry for each occurrence. */
uint64_t adaptive_base_need(const engine_sizes *s) {
    const job_sizes *d = &s->data;
    if (d->n_items <= WORD_ITEMS) {
        return d->n_transactions * 3 * (sizeof(uint64_t) + sizeof(uint32_t));
    }
    return (2 * d->n_occurrences + 2 * d->n_transactions + 2 * d->n_items + 1024) *
           sizeof(uint32_t);
}

/* A conditional database is a part of the one before. What real and generated data take is less. */
uint64_t adaptive_way_need(uint64_t root, lode_target target) {
    return root / (adaptive_target_watches(target) ? 4 : 8) + WAY_LEAST;
}

/* ---- all ------------------------------------------------------------------------------------- */

base_survey adaptive_base_survey(const lode_dataset *data, uint64_t min_count) {
    base_survey s = {0};
    for (uint32_t id = 0; id < data->item_bound; id++) {
        uint64_t support = data->item_supports[id];
        if (support < min_count || support == data->total_weight) continue;
        s.n++;
        s.occurrences += (double)support;
    }
    return s;
}

static base_shape best_shape(const lode_dataset *data, const base_survey *s) {
    if (s->n <= WORD_ITEMS) return BASE_WORDS;
    return rows_pay(data, s) ? BASE_ROWS : BASE_LISTS;
}

base_key adaptive_base_key(const lode_dataset *data, lode_target target, uint64_t min_count) {
    base_survey s = adaptive_base_survey(data, min_count);
    base_key key = {.min_count = min_count, .shape = best_shape(data, &s)};
    key.twins = twins_pay(data, target, s.n);
    key.spread = key.shape == BASE_ROWS && target == LODE_TARGET_CLOSED;
    return key;
}

lode_status adaptive_base_rank(adaptive_base *base, const engine_task *task, mem *m) {
    arena_init(&base->arena, m);
    arena_init(&base->slice, m);
    lode_status status = rank_items(base, task);
    return status == LODE_OK && base->key.twins ? twins_merge(base, task) : status;
}

lode_status adaptive_base_next(adaptive_base *base, const engine_task *task) {
    base_survey s = {.n = base->items.n};
    base->first = base->end;
    if (base->first == base->items.n) return LODE_OK;
    arena_clear(&base->slice);
    for (uint32_t i = 0; i < s.n; i++) s.occurrences += base->items.supports[i];
    if (s.n <= WORD_ITEMS) return make_words(base, task);
    size_t bytes = s.n * vertical_row_bytes(task->data->profile.n_transactions);
    if (base->first == 0 && rows_pay(task->data, &s) && rows_fit(task, bytes)) {
        return make_rows(base, task, bytes);
    }
    base->shape = BASE_LISTS;
    return adaptive_base_lists(base, task);
}

void adaptive_base_clear(adaptive_base *base) {
    if (base->rows_bytes > 0) {
        mem_free(base->arena.mem, (void *)(uintptr_t)base->rows.rows, base->rows_bytes);
    }
    arena_clear(&base->slice);
    arena_clear(&base->arena);
}
