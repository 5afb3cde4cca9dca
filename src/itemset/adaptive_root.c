/* adaptive_root.c - see adaptive_root.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/adaptive_root.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "itemset/adaptive_words.h"

#define NO_RANK     UINT32_MAX
#define MERGE_BATCH 65536 /* words collected before equal ones are merged */

typedef struct ranking {
    const engine_job *job;
    adaptive_root *root;
    uint32_t *rank; /* by item id, or NO_RANK */
    item_list items;
} ranking;

typedef struct ranked {
    uint64_t support;
    uint32_t id;
} ranked;

static int compare_ranked(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->support != b->support) return a->support < b->support ? 1 : -1;
    return a->id < b->id ? -1 : 1;
}

/* Frequent items from the most frequent, those in every transaction first. */
static lode_status rank_collect(const ranking *r, ranked **out, uint32_t *n) {
    const lode_dataset *data = r->job->data;
    lode_status status = LODE_OK;
    *n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        *n += data->item_supports[id] >= r->job->min_count;
    }
    LODE_TRY(arena_take(&r->root->arena, *n * sizeof **out, (void **)out));
    *n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        uint64_t support = data->item_supports[id];
        if (support >= r->job->min_count) (*out)[(*n)++] = (ranked){support, id};
    }
    qsort(*out, *n, sizeof **out, compare_ranked);
done:
    return status;
}

static lode_status rank_items(ranking *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = r->job->data;
    adaptive_root *root = r->root;
    ranked *all;
    uint32_t n, *ids, *supports, first = 0;
    LODE_TRY(rank_collect(r, &all, &n));
    LODE_TRY(arena_take(&root->arena, n * sizeof *ids, (void **)&ids));
    LODE_TRY(arena_take(&root->arena, n * sizeof *supports, (void **)&supports));
    LODE_TRY(arena_take(&root->arena, data->item_bound * sizeof *r->rank, (void **)&r->rank));
    memset(r->rank, 0xff, data->item_bound * sizeof *r->rank);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = all[i].id;
        supports[i] = (uint32_t)all[i].support;
        if (all[i].support == data->total_weight) first = i + 1;
    }
    for (uint32_t i = first; i < n; i++) r->rank[ids[i]] = i - first;
    root->n_frequent = n;
    root->always = ids;
    root->n_always = first;
    r->items = (item_list){n - first, n - first, ids + first, supports + first};
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
    arena *from = &r->root->arena;
    word_buffer wider = {0};
    if (b->n > 0) LODE_TRY(words_merge(from, ~(uint64_t)0, b->words, b->weights, &b->n));
    if (b->room - b->n >= MERGE_BATCH / 2) return LODE_OK;
    wider.n = b->n;
    wider.room = 2 * b->n + MERGE_BATCH;
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
    const lode_dataset *data = r->job->data;
    word_buffer b = {0};
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(ctx_check(r->job->ctx));
        for (uint32_t t = 0; t < block->n; t++) {
            if (b.n == b.room) LODE_TRY(buffer_make_room(r, &b));
            uint32_t start = block->offsets[t], n = block->offsets[t + 1] - start;
            b.words[b.n] = word_of(r->rank, block->items + start, n);
            b.weights[b.n] = data->weights ? data->weights[block->first + t] : 1;
            b.n += b.words[b.n] != 0;
        }
    }
    if (b.n > 0) LODE_TRY(words_merge(&r->root->arena, ~(uint64_t)0, b.words, b.weights, &b.n));
    r->root->is_words = true;
    r->root->words = (words_db){r->items, b.words, b.weights, b.n};
done:
    return status;
}

/* ---- lists --------------------------------------------------------------------------------- */

typedef struct list_maker {
    uint32_t *places, *starts, *cursors;
    uint32_t *ends; /* by transaction: how many items, then where its list ends */
    uint32_t *lists;
    uint32_t n_lists;
} list_maker;

/* Where the places of each item begin. */
static lode_status lists_starts(ranking *r, list_maker *m) {
    lode_status status = LODE_OK;
    const lode_dataset *data = r->job->data;
    uint32_t n = r->items.n;
    uint64_t total = 0;
    LODE_TRY(arena_take(&r->root->arena, (n + (size_t)1) * sizeof *m->starts, (void **)&m->starts));
    memset(m->starts, 0, (n + (size_t)1) * sizeof *m->starts);
    if (!data->weights) memcpy(m->starts, r->items.supports, n * sizeof *m->starts);
    for (size_t k = 0; data->weights && k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t i = 0; i < block->offsets[block->n]; i++) {
            uint32_t rank = r->rank[block->items[i]];
            if (rank != NO_RANK) m->starts[rank]++;
        }
    }
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t here = m->starts[i];
        m->starts[i] = (uint32_t)total;
        total += here;
    }
    if (total + data->profile.n_transactions >= SPARSE_END) {
        return ctx_fail(r->job->ctx, LODE_UNSUPPORTED,
                        "more than 2^31 occurrences of frequent items");
    }
done:
    return status;
}

/* Puts the number of each transaction into the lists of its items. */
static lode_status lists_deliver(ranking *r, list_maker *m) {
    lode_status status = LODE_OK;
    const lode_dataset *data = r->job->data;
    memcpy(m->cursors, m->starts, r->items.n * sizeof *m->starts);
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(ctx_check(r->job->ctx));
        for (uint32_t t = 0; t < block->n; t++) {
            uint32_t number = (uint32_t)block->first + t, n = 0;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t rank = r->rank[block->items[i]];
                if (rank == NO_RANK) continue;
                m->places[m->cursors[rank]++] = number;
                n++;
            }
            m->ends[number] = n;
        }
    }
done:
    return status;
}

/* Lays out the lists: a sentinel each, and room for the items. Empty ones get nothing. */
static void lists_lay_out(list_maker *m, uint64_t n_transactions) {
    uint32_t at = 0;
    for (uint64_t t = 0; t < n_transactions; t++) {
        uint32_t n = m->ends[t];
        m->ends[t] = at;
        if (n == 0) continue;
        m->lists[at] = SPARSE_END + (uint32_t)t;
        at += n + 1;
    }
    m->lists[at] = SPARSE_END; /* where the last list ends */
}

/* Items from the most frequent on, so that every list is ascending. */
static void lists_fill(const ranking *r, list_maker *m) {
    for (uint32_t rank = 0; rank < r->items.n; rank++) {
        for (uint32_t i = m->starts[rank]; i < m->starts[rank + 1]; i++) {
            uint32_t place = ++m->ends[m->places[i]];
            m->lists[place] = rank;
            m->places[i] = place;
        }
    }
}

static lode_status make_lists(ranking *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = r->job->data;
    arena *from = &r->root->arena;
    list_maker m = {0};
    LODE_TRY(lists_starts(r, &m));
    size_t total = m.starts[r->items.n], n = data->profile.n_transactions;
    LODE_TRY(arena_take(from, total * sizeof *m.places, (void **)&m.places));
    LODE_TRY(arena_take(from, (total + n + 1) * sizeof *m.lists, (void **)&m.lists));
    os_pages_prefer_huge(m.lists, (total + n) * sizeof *m.lists);
    arena_mark mark = arena_here(from); /* the rest is needed only here */
    LODE_TRY(arena_take(from, r->items.n * sizeof *m.cursors, (void **)&m.cursors));
    LODE_TRY(arena_take(from, n * sizeof *m.ends, (void **)&m.ends));
    LODE_TRY(lists_deliver(r, &m));
    lists_lay_out(&m, n);
    lists_fill(r, &m);
    arena_return(from, mark);
    r->root->sparse = (sparse_db){r->items, m.lists, m.places, m.starts, data->weights};
done:
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

lode_status adaptive_root_make(adaptive_root *root, const engine_job *job) {
    lode_status status = LODE_OK;
    ranking r = {.job = job, .root = root};
    *root = (adaptive_root){0};
    arena_init(&root->arena, &job->ctx->mem);
    if (job->data->total_weight > UINT32_MAX) {
        return ctx_fail(job->ctx, LODE_UNSUPPORTED,
                        "adaptive counts in 32 bits; these transactions weigh %llu",
                        (unsigned long long)job->data->total_weight);
    }
    LODE_TRY(rank_items(&r));
    if (r.items.n > 0) status = r.items.n <= WORD_ITEMS ? make_words(&r) : make_lists(&r);
done:
    return status;
}

void adaptive_root_clear(adaptive_root *root) {
    arena_clear(&root->arena);
}
