/* adaptive_root.c - see adaptive_root.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/adaptive_root.h"

#include <string.h>

#include "data/vertical.h"
#include "itemset/adaptive_lists.h"
#include "itemset/adaptive_twins.h"
#include "itemset/adaptive_words.h"

#define MERGE_BATCH  65536 /* words collected before equal ones are merged */
#define ROWS_DENSITY 0.025
#define WAY_LEAST    ((uint64_t)384 << 10)
#define ROWS_SHARE   2 /* of the budget that is left, rows may take one in so many parts */

/* The root in the making. */
typedef struct ranking {
    const engine_task *task;
    adaptive_root *root;
    const uint32_t *rank;
    item_list items;
} ranking;

typedef struct ranked {
    uint64_t support;
    uint32_t id;
} ranked;

static bool ranked_before(const ranked *a, const ranked *b) {
    return a->support != b->support ? a->support > b->support : a->id < b->id;
}

#define SORT_NAME   sort_ranked
#define SORT_TYPE   ranked
#define SORT_BEFORE ranked_before
#include "base/sort_body.h"

/* Frequent items from the most frequent, those in every transaction first. */
static lode_status rank_collect(const ranking *r, ranked **out, uint32_t *n) {
    const lode_dataset *data = r->task->data;
    lode_status status = LODE_OK;
    *n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        *n += data->item_supports[id] >= r->task->min_count;
    }
    LODE_TRY(arena_take(&r->root->arena, *n * sizeof **out, (void **)out));
    *n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        uint64_t support = data->item_supports[id];
        if (support >= r->task->min_count) (*out)[(*n)++] = (ranked){support, id};
    }
    sort_stop stop = job_sort_stop(r->task->job);
    if (!sort_ranked(*out, *n, &stop)) status = job_check(r->task->job);
done:
    return status;
}

static lode_status rank_items(ranking *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = r->task->data;
    adaptive_root *root = r->root;
    ranked *all;
    uint32_t n, *ids, *supports, *rank, first = 0;
    LODE_TRY(rank_collect(r, &all, &n));
    LODE_TRY(arena_take(&root->arena, n * sizeof *ids, (void **)&ids));
    LODE_TRY(arena_take(&root->arena, n * sizeof *supports, (void **)&supports));
    LODE_TRY(arena_take(&root->arena, data->item_bound * sizeof *rank, (void **)&rank));
    memset(rank, 0xff, data->item_bound * sizeof *rank);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = all[i].id;
        supports[i] = (uint32_t)all[i].support;
        if (all[i].support == data->total_weight) first = i + 1;
    }
    for (uint32_t i = first; i < n; i++) rank[ids[i]] = i - first;
    root->n_frequent = n;
    root->always = ids;
    root->n_always = first;
    root->rank = rank;
    root->items = (item_list){n - first, n - first, ids + first, supports + first};
done:
    return status;
}

/* ---- words --------------------------------------------------------------------------------- */

typedef struct word_buffer {
    uint64_t *words;
    uint32_t *weights;
    size_t n, room;
} word_buffer;

static lode_status buffer_make_room(ranking *r, word_buffer *b) {
    lode_status status = LODE_OK;
    arena *from = &r->root->slice;
    word_buffer wider = {0};
    if (b->n > 0) LODE_TRY(words_merge(from, ~(uint64_t)0, b->words, NULL, b->weights, &b->n));
    if (b->n > 0 && b->room - b->n >= MERGE_BATCH / 2) return LODE_OK;
    uint64_t most = r->task->data->profile.n_transactions; /* there are no more words than these */
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

static lode_status make_words(ranking *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = r->task->data;
    word_buffer b = {0};
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(job_check(r->task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            if (b.n == b.room) LODE_TRY(buffer_make_room(r, &b));
            uint32_t start = block->offsets[t], n = block->offsets[t + 1] - start;
            b.words[b.n] = word_of(r->rank, block->items + start, n);
            b.weights[b.n] = data->weights ? data->weights[block->first + t] : 1;
            b.n += b.words[b.n] != 0 && b.weights[b.n] != 0;
        }
    }
    if (b.n > 0)
        LODE_TRY(words_merge(&r->root->slice, ~(uint64_t)0, b.words, NULL, b.weights, &b.n));
    r->root->shape = ROOT_WORDS;
    r->root->words =
        (words_db){.items = r->items, .words = b.words, .weights = b.weights, .n = b.n};
done:
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows take n * n / 2 * N / 64 words to find the pairs of n items in N transactions, lists N times
 * length * length / 2 steps. A step takes 5 ns, a word 0.15: rows pay from a density of 2 % on, and
 * take less memory from 1.6 % on. */
static bool rows_pay(const adaptive_root *root, const engine_task *task, size_t bytes) {
    size_t left = mem_left(&task->job->mem);
    double occurrences = 0, n = (double)task->data->profile.n_transactions;
    for (uint32_t i = 0; i < root->items.n; i++) occurrences += root->items.supports[i];
    if (task->data->weights || (left != SIZE_MAX && bytes > left / ROWS_SHARE)) return false;
    return occurrences >= ROWS_DENSITY * n * root->items.n;
}

static lode_status make_rows(adaptive_root *root, const engine_task *task, size_t bytes) {
    lode_status status = LODE_OK;
    uint64_t *rows = NULL;
    root->rows_bytes = bytes;
    root->end = root->items.n;
    root->shape = ROOT_ROWS;
    bool spread = task->options->target == LODE_TARGET_CLOSED; /* see adaptive_watch.h */
    status = vertical_make_rows(task->job, task->data, root->rank, root->items.n, spread, &rows);
    root->rows = (rows_db){
        .items = root->items, .rows = rows, .words = bytes / root->items.n / sizeof *rows};
    return status;
}

/* ---- how much ------------------------------------------------------------------------------ */

/* Words are merged now and then, and what they were collected in stays; lists have a place and an
 * entry for each occurrence. */
uint64_t adaptive_root_need(const engine_sizes *s) {
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

/* Whether single items are all that is wanted: see adaptive_ends(). */
static bool root_ends(const engine_task *task) {
    lode_target target = task->options->target;
    bool watches = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    return !watches && task->options->max_size <= 1;
}

lode_status adaptive_root_make(adaptive_root *root, const engine_task *task) {
    ranking r = {.task = task, .root = root};
    *root = (adaptive_root){0};
    arena_init(&root->arena, &task->job->mem);
    arena_init(&root->slice, &task->job->mem);
    if (task->data->total_weight > UINT32_MAX) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "adaptive counts in 32 bits; these transactions weigh %llu",
                        (unsigned long long)task->data->total_weight);
    }
    lode_status status = rank_items(&r);
    return status == LODE_OK && !root_ends(task) ? twins_merge(root, task) : status;
}

lode_status adaptive_root_next(adaptive_root *root, const engine_task *task) {
    lode_status status = LODE_OK;
    ranking r = {.task = task, .root = root, .rank = root->rank, .items = root->items};
    root->first = root->end;
    if (root->first == root->items.n) return LODE_OK;
    arena_clear(&root->slice);
    if (root_ends(task)) {
        root->shape = ROOT_ITEMS;
        root->end = root->items.n;
        return LODE_OK;
    }
    if (root->items.n > WORD_ITEMS) {
        size_t bytes = root->items.n * vertical_row_bytes(task->data->profile.n_transactions);
        if (root->first == 0 && rows_pay(root, task, bytes)) return make_rows(root, task, bytes);
        root->shape = ROOT_LISTS;
        return adaptive_root_lists(root, task);
    }
    LODE_TRY(make_words(&r));
    root->end = root->items.n;
done:
    return status;
}

void adaptive_root_clear(adaptive_root *root) {
    if (root->rows_bytes > 0) {
        mem_free(root->arena.mem, (void *)(uintptr_t)root->rows.rows, root->rows_bytes);
    }
    arena_clear(&root->slice);
    arena_clear(&root->arena);
}
