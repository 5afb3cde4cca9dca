/* builder.c - filling blocks with transactions; see builder.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/builder.h"

#include <stdio.h>

#include "base/os.h"
#include "base/sort.h"
#include "data/builder_state.h"

#define BUILDER_COUNTS_FIRST 1024

lode_status builder_create(lode_ctx *ctx, builder **out, unsigned n_workers, const char *source) {
    lode_status status = LODE_OK;
    builder *b = NULL;
    LODE_TRY(mem_zalloc(&ctx->mem, (void **)&b, sizeof *b));
    b->ctx = ctx;
    b->source = source;
    pthread_mutex_init(&b->lock, NULL);
    LODE_TRY(mem_zalloc(&ctx->mem, (void **)&b->workers, n_workers * sizeof *b->workers));
    b->n_workers = n_workers;
    for (unsigned i = 0; i < n_workers; i++) {
        b->workers[i].parent = b;
        b->workers[i].mem = &ctx->mem;
    }
    *out = b;
    b = NULL;
done:
    builder_free(b);
    return status;
}

static void builder_clear_worker(builder_worker *w) {
    vec_u32_free(w->mem, &w->items);
    vec_u32_free(w->mem, &w->ends);
    vec_u32_free(w->mem, &w->name_counts);
    mem_free(w->mem, w->counts, w->n_counts * sizeof *w->counts);
    dict_free(w->names);
}

void builder_drop_blocks(builder *b) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        data_block *block = &b->blocks[i].data;
        if (block->offsets) mem_free(&b->ctx->mem, block->offsets, data_block_bytes(block));
    }
    mem_free(&b->ctx->mem, b->blocks, b->blocks_cap * sizeof *b->blocks);
    b->blocks = NULL;
    b->n_blocks = b->blocks_cap = 0;
}

void builder_free(builder *b) {
    if (!b) return;
    mem *m = &b->ctx->mem;
    builder_drop_blocks(b);
    for (unsigned i = 0; i < b->n_workers; i++) builder_clear_worker(&b->workers[i]);
    mem_free(m, b->workers, b->n_workers * sizeof *b->workers);
    dict_free(b->alias_from);
    dict_free(b->alias_to);
    vec_u32_free(m, &b->alias_ids);
    pthread_mutex_destroy(&b->lock);
    mem_free(m, b, sizeof *b);
}

builder_worker *builder_get_worker(builder *b, unsigned worker) {
    return &b->workers[worker];
}

void builder_set_scratch(builder *b, size_t (*scratch)(size_t budget, unsigned threads)) {
    b->scratch = scratch;
}

lode_status builder_rename(builder *b, const char *item, size_t n_item, const char *name,
                           size_t n_name) {
    lode_status status = LODE_OK;
    mem *m = &b->ctx->mem;
    uint32_t from, to;
    if (!b->alias_from) LODE_TRY(dict_create(m, &b->alias_from));
    if (!b->alias_to) LODE_TRY(dict_create(m, &b->alias_to));
    LODE_TRY(dict_add(b->alias_to, name, n_name, &to));
    LODE_TRY(vec_u32_reserve(m, &b->alias_ids, 1));
    LODE_TRY(dict_add(b->alias_from, item, n_item, &from));
    if (from == b->alias_ids.n) b->alias_ids.n++;
    b->alias_ids.data[from] = to;
done:
    return status;
}

/* ---- Codes ---- */

static lode_status worker_grow_counts(builder_worker *w, uint32_t number) {
    size_t n = w->n_counts ? w->n_counts : BUILDER_COUNTS_FIRST;
    while (n <= number) n *= 2;
    size_t old_bytes = w->n_counts * sizeof *w->counts;
    lode_status status = mem_resize(w->mem, (void **)&w->counts, old_bytes, n * sizeof *w->counts);
    if (status != LODE_OK) return status;
    memset(w->counts + w->n_counts, 0, (n - w->n_counts) * sizeof *w->counts);
    w->n_counts = n;
    return LODE_OK;
}

static lode_status worker_code_name(builder_worker *w, const char *text, size_t n, uint32_t *code) {
    lode_status status = LODE_OK;
    uint32_t id;
    if (!w->names) LODE_TRY(dict_create(w->mem, &w->names));
    LODE_TRY(vec_u32_reserve(w->mem, &w->name_counts, 1)); /* first, so that the two agree */
    LODE_TRY(dict_add(w->names, text, n, &id));
    if (id == w->name_counts.n) w->name_counts.data[w->name_counts.n++] = 0;
    if (id >= UINT32_MAX - BUILDER_NAME_BASE) LODE_LEAVE(LODE_UNSUPPORTED);
    *code = BUILDER_NAME_BASE + id;
done:
    return status;
}

lode_status worker_code(builder_worker *w, const char *text, size_t n, uint32_t *code) {
    uint32_t number = builder_canonical(text, n);
    if (number == UINT32_MAX) return worker_code_name(w, text, n, code);
    *code = number;
    return number < w->n_counts ? LODE_OK : worker_grow_counts(w, number);
}

lode_status worker_code_number(builder_worker *w, uint32_t number, uint32_t *code) {
    if (number < w->n_counts) {
        *code = number;
        return LODE_OK;
    }
    char text[16];
    int n = snprintf(text, sizeof text, "%u", number);
    return worker_code(w, text, (size_t)n, code);
}

/* ---- Transactions ---- */

void worker_begin_block(builder_worker *w, uint64_t sequence) {
    w->sequence = sequence;
    w->items.n = w->ends.n = w->open = 0;
    w->next = 0;
    w->unordered = false;
}

static void worker_uncount(builder_worker *w, uint32_t code) {
    if (code < BUILDER_NAME_BASE) {
        w->counts[code]--;
    } else {
        w->name_counts.data[code - BUILDER_NAME_BASE]--;
    }
}

/* Drops repeated items of the sorted transaction in work. */
static void worker_drop_repeated(builder_worker *w) {
    uint32_t *items = w->items.data;
    size_t kept = w->open + 1;
    for (size_t i = w->open + 1; i < w->items.n; i++) {
        if (items[i] != items[kept - 1]) {
            items[kept++] = items[i];
        } else {
            worker_uncount(w, items[i]);
        }
    }
    w->totals.n_repeated += w->items.n - kept;
    w->items.n = kept;
}

lode_status worker_end_transaction(builder_worker *w) {
    if (w->unordered) {
        sort_u32(w->items.data + w->open, w->items.n - w->open);
        worker_drop_repeated(w);
        w->unordered = false;
    }
    size_t length = w->items.n - w->open;
    if (w->items.n > UINT32_MAX) {
        return ctx_fail(w->parent->ctx, LODE_UNSUPPORTED,
                        "%s: more than 2^32 - 1 items in one block of lines", w->parent->source);
    }
    if (length > w->totals.longest) w->totals.longest = (uint32_t)length;
    w->totals.n_empty += length == 0;
    w->next = 0;
    w->open = w->items.n;
    return vec_u32_push(w->mem, &w->ends, (uint32_t)w->items.n);
}

void worker_skip_transaction(builder_worker *w) {
    for (size_t i = w->open; i < w->items.n; i++) worker_uncount(w, w->items.data[i]);
    w->items.n = w->open;
    w->next = 0;
    w->unordered = false;
    w->totals.n_skipped++;
}

/* ---- Blocks ---- */

/* Copies the block in work into memory of exactly its size. */
static lode_status worker_copy_block(builder_worker *w, data_block *out) {
    data_block block = {.n = (uint32_t)w->ends.n};
    size_t words = w->ends.n + 1 + w->items.n;
    lode_status status =
        mem_resize(w->mem, (void **)&block.offsets, 0, words * sizeof *block.offsets);
    if (status != LODE_OK) return status;
    os_pages_populate(block.offsets, words * sizeof *block.offsets);
    block.items = block.offsets + block.n + 1;
    block.offsets[0] = 0;
    memcpy(block.offsets + 1, w->ends.data, w->ends.n * sizeof *block.offsets);
    if (w->items.n > 0) memcpy(block.items, w->items.data, w->items.n * sizeof *block.items);
    *out = block;
    return LODE_OK;
}

/* Puts the block into its place. Called with the lock held. */
static lode_status builder_place(builder *b, const builder_worker *w, data_block block) {
    size_t at = (size_t)w->sequence;
    if (at >= b->blocks_cap) {
        lode_status status = vec_grow(&b->ctx->mem, (void **)&b->blocks, b->n_blocks,
                                      &b->blocks_cap, at + 1 - b->n_blocks, sizeof *b->blocks);
        if (status != LODE_OK) return status;
    }
    for (; b->n_blocks <= at; b->n_blocks++) b->blocks[b->n_blocks] = (builder_block){0};
    b->blocks[at] = (builder_block){block, (unsigned)(w - b->workers)};
    return LODE_OK;
}

static lode_status worker_keep_block(builder_worker *w) {
    builder *b = w->parent;
    data_block block = {0};
    lode_status status = worker_copy_block(w, &block);
    pthread_mutex_lock(&b->lock);
    if (status == LODE_OK && !atomic_load(&b->over)) status = builder_place(b, w, block);
    if (status == LODE_BUDGET) {
        atomic_store(&b->over, true);
        builder_drop_blocks(b);
    }
    if (status != LODE_OK || atomic_load(&b->over)) {
        if (block.offsets) mem_free(w->mem, block.offsets, data_block_bytes(&block));
    }
    pthread_mutex_unlock(&b->lock);
    return status == LODE_BUDGET ? LODE_OK : status;
}

lode_status worker_end_block(builder_worker *w) {
    w->totals.n_transactions += w->ends.n;
    w->totals.n_occurrences += w->items.n;
    if (w->ends.n == 0 || atomic_load(&w->parent->over)) return LODE_OK;
    return worker_keep_block(w);
}
