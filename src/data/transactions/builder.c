/* builder.c - fills blocks with transactions; see builder.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/builder.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/sort.h"
#include "data/transactions/builder_state.h"

#define BUILDER_COUNTS_FIRST 1024
#define COUNTS_SHARE         32 /* of a budget, a table of counts takes one in this many parts, */
#define COUNTS_SHARE_SPILL   6 /* or in so many, where transactions need not fit: names take more */
#define BUILDER_SLAB         ((size_t)2 << 20) /* the usual size of a large page */

lode_status builder_create(lode_job *job, builder **out, unsigned n_workers, const char *source) {
    lode_status status = LODE_OK;
    builder *b = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&b, sizeof *b));
    b->job = job;
    pthread_mutex_init(&b->lock, NULL);
    LODE_TRY(ctx_home_create(job, &b->home));
    b->mem = &b->home->mem;
    b->source = source;
    LODE_TRY(mem_zalloc(b->mem, (void **)&b->workers, n_workers * sizeof *b->workers));
    b->n_workers = n_workers;
    for (unsigned i = 0; i < n_workers; i++) {
        b->workers[i].parent = b;
        b->workers[i].mem = b->mem;
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
    vec_u32_free(w->mem, &w->buckets);
    vec_u32_free(w->mem, &w->owners);
    vec_u32_free(w->mem, &w->name_counts);
    vec_u32_free(w->mem, &w->weights);
    vec_u32_free(w->mem, &w->id_ends);
    vec_char_free(w->mem, &w->ids);
    mem_free(w->mem, w->counts, w->n_counts * sizeof *w->counts);
    dict_free(w->names);
}

static void builder_drop_blocks(builder *b) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        data_block_free(b->mem, &b->blocks[i].data);
        mem_free(b->mem, b->blocks[i].notes.words, b->blocks[i].notes.bytes);
    }
    data_slabs_free(b->mem, &b->slabs);
    mem_free(b->mem, b->blocks, b->blocks_cap * sizeof *b->blocks);
    b->blocks = NULL;
    b->n_blocks = b->blocks_cap = 0;
}

void builder_free(builder *b) {
    if (!b) return;
    mem *m = b->mem;
    if (m) builder_drop_blocks(b);
    builder_drop_spool(b);
    for (unsigned i = 0; i < b->n_workers; i++) builder_clear_worker(&b->workers[i]);
    if (m) mem_free(m, b->workers, b->n_workers * sizeof *b->workers);
    dict_free(b->alias_from);
    dict_free(b->alias_to);
    if (m) vec_u32_free(m, &b->alias_ids);
    pthread_mutex_destroy(&b->lock);
    ctx_home_release(b->home);
    mem_free(&b->job->mem, b, sizeof *b);
}

builder_worker *builder_get_worker(builder *b, unsigned worker) {
    return &b->workers[worker];
}

void builder_set_scratch(builder *b, builder_scratch_fn scratch) {
    b->scratch = scratch;
}

lode_status builder_rename(builder *b, const char *item, size_t n_item, const char *name,
                           size_t n_name) {
    lode_status status = LODE_OK;
    mem *m = b->mem;
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

const char *builder_alias(const builder *b, const char *item, size_t n_item, size_t *n_name) {
    uint32_t id = b->alias_from ? dict_find(b->alias_from, item, n_item) : DICT_NONE;
    return id != DICT_NONE ? dict_name(b->alias_to, b->alias_ids.data[id], n_name) : NULL;
}

/* ---- Codes ---- */

static size_t worker_counts_for(uint32_t number) {
    size_t n = BUILDER_COUNTS_FIRST;
    while (n <= number) n *= 2;
    return n;
}

/* A table of counts has an entry for every integer up to the largest. If the budget has no room for
 * such a table, large integers are treated as names. */
bool worker_has_room(const builder_worker *w, uint32_t number) {
    size_t n = worker_counts_for(number),
           share = w->parent->spill ? COUNTS_SHARE_SPILL : COUNTS_SHARE;
    return n == BUILDER_COUNTS_FIRST || n <= mem_budget(w->mem) / sizeof *w->counts / share;
}

static lode_status worker_grow_counts(builder_worker *w, uint32_t number) {
    size_t n = worker_counts_for(number);
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
    if (!w->names) {
        LODE_TRY(dict_create(w->mem, &w->names));
        dict_stop_by(w->names, job_sort_stop(w->parent->job));
    }
    LODE_TRY(vec_u32_reserve(w->mem, &w->name_counts, 1)); /* before the name: they must agree */
    LODE_TRY(dict_add(w->names, text, n, &id));
    if (id == w->name_counts.n) w->name_counts.data[w->name_counts.n++] = 0;
    if (id >= UINT32_MAX - BUILDER_NAME_BASE) LODE_LEAVE(LODE_UNSUPPORTED);
    *code = BUILDER_NAME_BASE + id;
done:
    return status;
}

lode_status worker_code(builder_worker *w, const char *text, size_t n, uint32_t *code) {
    uint32_t number = builder_canonical(text, n);
    *code = number;
    if (number < w->n_counts) return LODE_OK;
    bool counted = number != UINT32_MAX && worker_has_room(w, number);
    return counted ? worker_grow_counts(w, number) : worker_code_name(w, text, n, code);
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
    w->weights.n = w->id_ends.n = w->ids.n = 0;
    w->next = 0;
    w->falls = 0;
}

lode_status worker_end_transaction(builder_worker *w) {
    w->next = 0;
    w->open = w->items.n;
    return vec_u32_push(w->mem, &w->ends, (uint32_t)w->items.n);
}

lode_status worker_end_noted(builder_worker *w, const builder_note *note) {
    lode_status status = LODE_OK;
    if (note->weighted && note->weight == 0) {
        worker_drop_transaction(w);
        w->totals.n_weightless++;
        return LODE_OK;
    }
    if (note->weighted) LODE_TRY(vec_u32_push(w->mem, &w->weights, note->weight));
    if (note->named) {
        LODE_TRY(vec_char_append(w->mem, &w->ids, note->id, note->id_bytes));
        LODE_TRY(vec_u32_push(w->mem, &w->id_ends, (uint32_t)w->ids.n));
    }
    LODE_TRY(worker_end_transaction(w));
done:
    return status;
}

void worker_drop_transaction(builder_worker *w) {
    w->items.n = w->open;
    w->next = 0;
}

void worker_skip_transaction(builder_worker *w) {
    worker_drop_transaction(w);
    w->totals.n_skipped++;
}

/* ---- Order ----
 *
 * If few transactions are out of order, each of them is sorted. If many are, all are sorted at once
 * by a bucket sort: the number of each transaction goes into the buckets of its items, and then the
 * buckets are emptied, from the last to the first. These two passes have no branches that are hard
 * to predict.
 */

/* Sorts all transactions at once if more than one item in ORDER_ONE_IN is out of order and there
 * are only a few times as many buckets as items. Sorting one by one costs 15 to 40 ns per item of
 * the affected transactions; all at once, 10 ns per item and 1 ns per bucket. */
#define ORDER_ONE_IN  16
#define ORDER_BUCKETS 4

static bool worker_is_ordered(const uint32_t *items, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (items[i] <= items[i - 1]) return false;
    }
    return true;
}

static void worker_order_each(builder_worker *w) {
    uint32_t start = 0;
    for (size_t t = 0; t < w->ends.n; t++) {
        uint32_t *items = w->items.data + start;
        size_t n = w->ends.data[t] - start;
        if (!worker_is_ordered(items, n)) sort_u32(items, n);
        start = w->ends.data[t];
    }
}

/* Buckets are in the order of the codes. */
static size_t worker_bucket(const builder_worker *w, uint32_t code) {
    return code < BUILDER_NAME_BASE ? code : w->n_counts + (code - BUILDER_NAME_BASE);
}

/* Puts the number of each transaction into the buckets of its items. Bucket i then begins at
 * starts[i + 1]; `starts` has n_buckets + 1 elements, which must be zero. */
static void worker_fill_buckets(const builder_worker *w, uint32_t *starts, size_t n_buckets,
                                uint32_t *owners) {
    const uint32_t *items = w->items.data;
    for (size_t i = 0; i < w->items.n; i++) starts[worker_bucket(w, items[i]) + 1]++;
    for (size_t i = 0; i < n_buckets; i++) starts[i + 1] += starts[i];
    for (size_t t = w->ends.n, i = w->items.n; t-- > 0;) {
        size_t start = t > 0 ? w->ends.data[t - 1] : 0;
        while (i > start) owners[--starts[worker_bucket(w, items[--i]) + 1]] = (uint32_t)t;
    }
}

/* Empties the buckets, the last one first: each item goes to the last free place of its
 * transaction. Afterwards `ends`, which then hold the beginnings of the transactions, are restored.
 * Returns whether a transaction has an item twice. */
static bool worker_empty_buckets(builder_worker *w, const uint32_t *starts, size_t n_buckets,
                                 const uint32_t *owners) {
    uint32_t *items = w->items.data;
    uint32_t *ends = w->ends.data;
    size_t at = w->items.n;
    bool repeated = false;
    for (size_t bucket = n_buckets; bucket-- > 0;) {
        uint32_t code =
            (uint32_t)(bucket < w->n_counts ? bucket : BUILDER_NAME_BASE + (bucket - w->n_counts));
        uint32_t before = UINT32_MAX;
        while (at > starts[bucket + 1]) {
            uint32_t owner = owners[--at];
            items[--ends[owner]] = code;
            repeated |= owner == before;
            before = owner;
        }
    }
    for (size_t t = 1; t < w->ends.n; t++) ends[t - 1] = ends[t];
    ends[w->ends.n - 1] = (uint32_t)w->items.n;
    return repeated;
}

/* Errors: BUDGET or NOMEM; then nothing has been done. */
static lode_status worker_order_all(builder_worker *w, size_t n_buckets, bool *repeated) {
    lode_status status = LODE_OK;
    w->buckets.n = w->owners.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->buckets, n_buckets + 1));
    LODE_TRY(vec_u32_reserve(w->mem, &w->owners, w->items.n));
    memset(w->buckets.data, 0, (n_buckets + 1) * sizeof *w->buckets.data);
    worker_fill_buckets(w, w->buckets.data, n_buckets, w->owners.data);
    *repeated = worker_empty_buckets(w, w->buckets.data, n_buckets, w->owners.data);
done:
    return status;
}

/* Drops items that repeat in a sorted transaction, and closes the gaps. */
static void worker_drop_repeated(builder_worker *w) {
    uint32_t *items = w->items.data;
    size_t from = 0;
    size_t to = 0;
    for (size_t t = 0; t < w->ends.n; t++) {
        size_t start = to;
        for (; from < w->ends.data[t]; from++) {
            if (to == start || items[from] != items[to - 1]) items[to++] = items[from];
        }
        w->ends.data[t] = (uint32_t)to;
    }
    w->totals.n_repeated += from - to;
    w->items.n = to;
}

/* Makes every transaction of the block ascending and distinct. */
static lode_status worker_order(builder_worker *w) {
    lode_status status = LODE_BUDGET; /* stays so if sorting all at once is not tried, or fails */
    size_t n_buckets = w->n_counts + w->name_counts.n;
    bool many = w->falls * ORDER_ONE_IN > w->items.n && n_buckets < w->items.n * ORDER_BUCKETS;
    bool repeated = true;
    if (many) status = worker_order_all(w, n_buckets, &repeated);
    if (status == LODE_BUDGET) { /* sorting one by one needs no memory */
        worker_order_each(w);
        status = LODE_OK;
    }
    if (status == LODE_OK && repeated) worker_drop_repeated(w);
    return status;
}

static void worker_count(builder_worker *w) {
    const uint32_t *items = w->items.data;
    const size_t n = w->items.n;
    uint32_t *counts = w->counts;
    uint32_t *name_counts = w->name_counts.data;
    if (w->name_counts.n == 0) {
        for (size_t i = 0; i < n; i++) counts[items[i]]++;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (items[i] < BUILDER_NAME_BASE) {
            counts[items[i]]++;
        } else {
            name_counts[items[i] - BUILDER_NAME_BASE]++;
        }
    }
}

static void worker_total(builder_worker *w) {
    builder_totals *t = &w->totals;
    uint32_t longest = t->longest;
    uint32_t start = 0;
    uint64_t empty = 0;
    for (size_t i = 0; i < w->ends.n; i++) {
        uint32_t length = w->ends.data[i] - start;
        start = w->ends.data[i];
        empty += length == 0;
        longest = length > longest ? length : longest;
    }
    t->longest = longest;
    t->n_empty += empty;
    t->n_transactions += w->ends.n;
    t->n_occurrences += w->items.n;
}

/* ---- Blocks ---- */

/* Returns the size of the next slab. Slabs grow with the data, so the unused rest of the last one
 * is a small fraction of the total. */
static size_t slab_bytes(const builder_worker *w) {
    return bits_round_up(w->slabs_bytes / 2 + 1, BUILDER_SLAB);
}

/* Takes another slab, for a block of `wanted` bytes. The kernel clears a huge page as a whole when
 * it is touched. So the first slab does not ask for huge pages if its first block, which may be the
 * only one, is small. */
static lode_status worker_add_slab(builder_worker *w, size_t wanted) {
    lode_status status = LODE_OK;
    builder *b = w->parent;
    data_slab slab = {.bytes = slab_bytes(w)};
    LODE_TRY(mem_resize(w->mem, (void **)&slab.memory, 0, slab.bytes));
    if (w->slabs_bytes > 0 || wanted >= BUILDER_SLAB / 8) {
        os_pages_prefer_huge(slab.memory, slab.bytes);
    }
    poison(slab.memory, slab.bytes);
    pthread_mutex_lock(&b->lock);
    if (b->slabs.n == b->slabs.cap) {
        status =
            vec_grow(w->mem, (void **)&b->slabs.data, b->slabs.n, &b->slabs.cap, 1, sizeof slab);
    }
    if (status == LODE_OK) b->slabs.data[b->slabs.n++] = slab;
    pthread_mutex_unlock(&b->lock);
    if (status != LODE_OK) {
        mem_free(w->mem, slab.memory, slab.bytes);
        return status;
    }
    w->slab = slab.memory;
    w->slab_left = slab.bytes;
    w->slabs_bytes += slab.bytes;
done:
    return status;
}

/* Memory for a block: in a slab; or of exactly its size, if the budget is not ample, or the block
 * is very small or large. */
static lode_status worker_alloc_block(builder_worker *w, data_block *block, size_t bytes) {
    lode_status status = LODE_OK;
    size_t rounded = bits_round_up(bytes, MEM_ALIGN);
    bool fresh = w->slab_left < rounded;
    block->in_slab = bytes >= BUILDER_SLAB / 32 && rounded <= BUILDER_SLAB / 2 &&
                     (!fresh || mem_is_ample(w->mem, w->parent->n_workers * slab_bytes(w)));
    if (!block->in_slab) {
        status = mem_resize(w->mem, (void **)&block->offsets, 0, bytes);
        if (status != LODE_OK) return status;
        block->own_bytes = bytes;
        os_pages_populate(block->offsets, bytes);
        return LODE_OK;
    }
    if (fresh) LODE_TRY(worker_add_slab(w, rounded));
    block->offsets = (uint32_t *)(void *)w->slab;
    unpoison(w->slab, bytes);
    w->slab += rounded;
    w->slab_left -= rounded;
done:
    return status;
}

/* Copies the current block. */
static lode_status worker_copy_block(builder_worker *w, data_block *out) {
    data_block block = {.n = (uint32_t)w->ends.n};
    size_t words = w->ends.n + 1 + w->items.n;
    lode_status status = worker_alloc_block(w, &block, words * sizeof *block.offsets);
    if (status != LODE_OK) return status;
    block.items = block.offsets + block.n + 1;
    block.offsets[0] = 0;
    memcpy(block.offsets + 1, w->ends.data, w->ends.n * sizeof *block.offsets);
    if (w->items.n > 0) memcpy(block.items, w->items.data, w->items.n * sizeof *block.items);
    *out = block;
    return LODE_OK;
}

/* Copies the weights and ids of the current block. */
static lode_status worker_copy_notes(builder_worker *w, builder_notes *out) {
    const size_t word = sizeof *out->words;
    builder_notes notes = {.weighted = w->weights.n > 0, .named = w->id_ends.n > 0};
    notes.bytes = (w->weights.n + w->id_ends.n) * word + w->ids.n;
    if (notes.bytes == 0) return LODE_OK;
    lode_status status = mem_resize(w->mem, (void **)&notes.words, 0, notes.bytes);
    if (status != LODE_OK) return status;
    uint32_t *ends = notes.words + w->weights.n;
    if (notes.weighted) memcpy(notes.words, w->weights.data, w->weights.n * word);
    if (notes.named) memcpy(ends, w->id_ends.data, w->id_ends.n * word);
    if (w->ids.n > 0) memcpy(ends + w->id_ends.n, w->ids.data, w->ids.n);
    *out = notes;
    return LODE_OK;
}

/* Puts the block into its place. Called with the lock held. */
static lode_status builder_place(builder *b, const builder_worker *w, builder_block block) {
    size_t at = (size_t)w->sequence;
    if (at >= b->blocks_cap) {
        lode_status status = vec_grow(b->mem, (void **)&b->blocks, b->n_blocks, &b->blocks_cap,
                                      at + 1 - b->n_blocks, sizeof *b->blocks);
        if (status != LODE_OK) return status;
    }
    for (; b->n_blocks <= at; b->n_blocks++) b->blocks[b->n_blocks] = (builder_block){0};
    block.worker = (unsigned)(w - b->workers);
    b->blocks[at] = block;
    return LODE_OK;
}

/* Memory is short: moves the blocks to disk, or drops them. Called with the lock held. */
static lode_status builder_shorten(builder *b) {
    lode_status status = LODE_OK;
    if (b->spill) {
        status = builder_move_to_disk(b);
    } else {
        atomic_store(&b->over, true);
    }
    builder_drop_blocks(b);
    return status;
}

lode_status builder_give_up(builder *b, bool *gained) {
    pthread_mutex_lock(&b->lock);
    *gained = !atomic_load(&b->over) && !atomic_load(&b->spool);
    lode_status status = *gained ? builder_shorten(b) : LODE_OK;
    pthread_mutex_unlock(&b->lock);
    return status;
}

/* Whether blocks are still kept in memory. */
static bool builder_keeps(const builder *b) {
    return !atomic_load(&b->over) && !atomic_load(&b->spool);
}

static lode_status worker_keep_block(builder_worker *w) {
    builder *b = w->parent;
    builder_block block = {0};
    lode_status status = worker_copy_block(w, &block.data);
    if (status == LODE_OK) status = worker_copy_notes(w, &block.notes);
    pthread_mutex_lock(&b->lock);
    if (status == LODE_OK && builder_keeps(b)) status = builder_place(b, w, block);
    bool kept = status == LODE_OK && builder_keeps(b);
    if (!kept) {
        data_block_free(w->mem, &block.data);
        mem_free(w->mem, block.notes.words, block.notes.bytes);
    }
    if (status == LODE_BUDGET) status = builder_keeps(b) ? builder_shorten(b) : LODE_OK;
    pthread_mutex_unlock(&b->lock);
    if (status != LODE_OK || kept || !atomic_load(&b->spool)) return status;
    return builder_spool_block(w);
}

/* Counts the memory of weights and ids, for the message of LODE_BUDGET. */
static void worker_count_notes(builder_worker *w) {
    size_t bytes = (w->weights.n + w->id_ends.n) * sizeof(uint32_t) + w->ids.n;
    if (bytes == 0) return;
    pthread_mutex_lock(&w->parent->lock);
    w->parent->notes_bytes += bytes;
    pthread_mutex_unlock(&w->parent->lock);
}

lode_status worker_end_block(builder_worker *w) {
    if (job_is_cancelled(w->parent->job)) return LODE_CANCELLED;
    if (w->items.n > UINT32_MAX || w->ids.n > UINT32_MAX) {
        return job_fail(w->parent->job, LODE_UNSUPPORTED,
                        "%s: one block of lines has more than 2^32 - 1 items", w->parent->source);
    }
    lode_status status = w->falls > 0 ? worker_order(w) : LODE_OK;
    if (status != LODE_OK) return status;
    worker_count(w);
    worker_total(w);
    worker_count_notes(w);
    if (w->ends.n == 0 || atomic_load(&w->parent->over)) return LODE_OK;
    return atomic_load(&w->parent->spool) ? builder_spool_block(w) : worker_keep_block(w);
}
