/* base.c - see base.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/base.h"

#include <string.h>

#include "base/os.h"
#include "base/sort.h"
#include "data/transactions/item_order.h"
#include "data/transactions/vertical.h"
#include "itemsets/adaptive/merge.h"
#include "itemsets/adaptive/twins.h"
#include "runtime/parallel.h"

/* Numbers the frequent items from the most frequent one on; items in every transaction come first.
 * Counted from the rarest item, this is the order of all other engines, so root ranges mean the
 * same. If the caller has given an order, items in every transaction stay in their place and are
 * searched like all others. */
static lode_status base_rank_items(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->items.data;
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
    return base->items.n * vertical_row_bytes(task->items.data->profile.n_transactions);
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
    status = vertical_fill_rows(task->job, task->items.data, base->rank, base->items.n,
                                base->key.spread, rows);
done:
    return status;
}

/* ---- how much memory ------------------------------------------------------------------------- */

/* Estimates the memory of the base. Words are merged from time to time, but the memory in which
 * they were collected stays allocated; lists need a place and an entry for each occurrence. */
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

/* ---- the words of the empty prefix ----------------------------------------------------------- */

/* Takes room for this many words, and copies those of `b` there. */
static lode_status buffer_move(arena *to, size_t room, word_buffer *b) {
    lode_status status = LODE_OK;
    word_buffer moved = {.n = b->n};
    LODE_TRY(arena_take(to, room * sizeof *b->words, (void **)&moved.words));
    LODE_TRY(arena_take(to, room * sizeof *b->weights, (void **)&moved.weights));
    if (b->n > 0) {
        memcpy(moved.words, b->words, b->n * sizeof *b->words);
        memcpy(moved.weights, b->weights, b->n * sizeof *b->weights);
    }
    *b = moved;
done:
    return status;
}

/* Merges what there is, and takes more room if that does not help. */
static lode_status buffer_make_room(adaptive_base *base, const engine_task *task, word_buffer *b,
                                    size_t *room) {
    lode_status status = LODE_OK;
    if (b->n > 0) LODE_TRY(merge_words(&base->slice, ~(uint64_t)0, b));
    if (b->n > 0 && *room - b->n >= MERGE_BATCH / 2) return LODE_OK;
    uint64_t most =
        task->items.data->profile.n_transactions; /* there are no more words than these */
    *room = most < 2 * b->n + MERGE_BATCH ? most : 2 * b->n + MERGE_BATCH;
    status = buffer_move(&base->slice, *room, b);
done:
    return status;
}

/* Moves the words to an arena of the right size if many were equal, because then most of the memory
 * in which they were collected is empty. */
static lode_status buffer_shrink(adaptive_base *base, word_buffer *b) {
    arena tight;
    size_t held = 0;
    for (unsigned i = 0; i < base->slice.n; i++) held += base->slice.chunks[i].bytes;
    if (b->n * (sizeof *b->words + sizeof *b->weights) > held / WORDS_WASTE) return LODE_OK;
    arena_init(&tight, base->slice.mem);
    lode_status status = buffer_move(&tight, b->n, b);
    if (status != LODE_OK) {
        arena_clear(&tight);
        return status;
    }
    arena_clear(&base->slice);
    base->slice = tight;
    return LODE_OK;
}

static uint64_t word_of(const uint32_t *rank, const uint32_t *items, uint32_t n) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = rank[items[i]];
        word |= (uint64_t)(bit < WORD_ITEMS) << (bit & (WORD_ITEMS - 1));
    }
    return word;
}

/* For adaptive_base_next(). Makes the words of all items (base.c). */
static lode_status adaptive_base_words(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->items.data;
    word_buffer b = {0};
    size_t room = 0;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(job_check(task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            if (b.n == room) LODE_TRY(buffer_make_room(base, task, &b, &room));
            uint32_t start = block->offsets[t], n = block->offsets[t + 1] - start;
            b.words[b.n] = word_of(base->rank, block->items + start, n);
            b.weights[b.n] = data->weights ? data->weights[block->first + t] : 1;
            b.n += b.words[b.n] != 0 && b.weights[b.n] != 0;
        }
    }
    if (b.n > 0) LODE_TRY(merge_words(&base->slice, ~(uint64_t)0, &b));
    LODE_TRY(buffer_shrink(base, &b));
    base->end = base->items.n;
    base->db.words = (words_db){.all = {b.words, b.weights, b.n}};
done:
    return status;
}

lode_status adaptive_narrow_words(arena *to, uint32_t n, words_db *words) {
    lode_status status = LODE_OK;
    uint64_t mask = ((uint64_t)1 << n) - 1;
    word_buffer b = {.n = words->all.n};
    LODE_TRY(arena_take(to, b.n * sizeof *b.words, (void **)&b.words));
    LODE_TRY(arena_take(to, b.n * sizeof *b.weights, (void **)&b.weights));
    for (size_t i = 0; i < b.n; i++) {
        b.words[i] = words->all.words[i] & mask;
        b.weights[i] = words->all.weights[i];
    }
    if (b.n > 0) LODE_TRY(merge_words(to, ~(uint64_t)0, &b));
    words->all = (weighted_words){b.words, b.weights, b.n};
done:
    return status;
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
    double transactions = (double)task->items.data->profile.n_transactions;
    bool merged = transactions > (double)base->db.words.all.n * WORDS_REPEAT;
    if (status != LODE_OK || base->key.lattices || !rows_fit || merged) return status;
    arena_clear(&base->slice);
    base->db.shape = SHAPE_ROWS;
    return base_rows(base, task);
}

lode_status adaptive_base_next(adaptive_base *base, const engine_task *task) {
    const lode_dataset *data = task->items.data;
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

/* ---- the lists of the empty prefix ----------------------------------------------------------- */

/* If there is room for everything, the numbers of the transactions are collected by item, and then
 * the lists are filled item by item, which makes ascending lists without sorting. Each thread takes
 * a range of transactions. The places of an item are in the order of transactions, so each thread
 * knows which places are its own.
 *
 * A slice needs the transactions of a few items only; these are copied and sorted one by one. */

#define LISTS_MOST LISTS_END /* entries: places above would look like sentinels */

typedef struct list_maker {
    const engine_task *task;
    adaptive_base *base;
    uint32_t bound; /* items from here on are not needed */
    unsigned n_threads;
    uint32_t *starts;  /* where an item's places begin; of the items of the slice only */
    uint32_t *cursors; /* by thread and item: where its next place goes */
    uint32_t *places;
    uint32_t *ends; /* by transaction: how many items, then where its list ends */
    uint32_t *lists;
} list_maker;

/* ---- slices ---------------------------------------------------------------------------------- */

/* Returns the first item that a slice does not need. Some targets need the items after the slice as
 * earlier items. */
static uint32_t slice_bound(const adaptive_base *base, const engine_task *task, uint32_t end) {
    return adaptive_task_keeps_earlier(task) ? base->items.n : end;
}

/* Bytes that the slice from base->first to `end` takes; UINT64_MAX: more than can be numbered. */
static uint64_t slice_bytes(const adaptive_base *base, const engine_task *task, uint32_t end) {
    const lode_dataset *data = task->items.data;
    uint32_t bound = slice_bound(base, task, end);
    uint64_t places = 0, listed = 0;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t t = 0; t < block->n; t++) {
            uint64_t within = 0, needed = 0;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t rank = base->rank[block->items[i]];
                within += rank >= base->first && rank < end;
                needed += rank < bound;
            }
            places += within;
            listed += within > 0 ? needed + 1 : 0;
        }
    }
    if (listed >= LISTS_MOST) return UINT64_MAX;
    uint64_t fixed = data->profile.n_transactions + 2 * (uint64_t)base->items.n + 1024;
    return (places + listed + fixed) * sizeof(uint32_t);
}

static lode_status slice_refuse(const adaptive_base *base, const engine_task *task) {
    double least = (double)slice_bytes(base, task, base->first + 1) / LISTS_SHARE;
    size_t used = mem_used(mem_tightest(&task->job->mem));
    return job_over_budget(task->job, used + (uint64_t)least, "mining");
}

/* Makes the slice as large as the budget allows, by bisection: each try is a pass over the data. */
static lode_status slice_choose(adaptive_base *base, const engine_task *task) {
    size_t left = mem_left(&task->job->mem);
    double room = left == SIZE_MAX ? (double)UINT64_MAX / 2 : (double)left * LISTS_SHARE;
    uint32_t fits = base->first, fails = base->items.n + 1;
    const lode_profile *p = &task->items.data->profile;
    base->end = base->items.n;
    uint64_t most = p->n_occurrences + p->n_transactions; /* should each item be needed */
    double bytes = ((double)most + (double)base->items.n + 512) * 2 * sizeof(uint32_t);
    if (most < LISTS_MOST && bytes <= room) return LODE_OK;
    for (uint32_t end = base->items.n; fails - fits > 1; end = fits + (fails - fits) / 2) {
        lode_status status = job_check(task->job);
        if (status != LODE_OK) return status;
        if ((double)slice_bytes(base, task, end) <= room) {
            fits = end;
        } else {
            fails = end;
        }
    }
    base->end = fits;
    return fits > base->first ? LODE_OK : slice_refuse(base, task);
}

/* ---- for both ways ------------------------------------------------------------------- */

static bool slice_holds(const list_maker *m, uint32_t rank) {
    return rank >= m->base->first && rank < m->base->end;
}

/* Where the places of each item begin. Without weights, its support is how many there are. */
static lode_status lists_make_starts(list_maker *m) {
    const lode_dataset *data = m->task->items.data;
    const item_list *items = &m->base->items;
    size_t bytes = (items->n + (size_t)1) * sizeof *m->starts;
    uint64_t total = 0;
    lode_status status = arena_take(&m->base->slice, bytes, (void **)&m->starts);
    if (status != LODE_OK) return status;
    memset(m->starts, 0, bytes);
    for (uint32_t i = m->base->first; i < m->base->end && !data->weights; i++) {
        m->starts[i] = items->supports[i];
    }
    for (size_t k = 0; data->weights && k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t i = 0; i < block->offsets[block->n]; i++) {
            uint32_t rank = m->base->rank[block->items[i]];
            if (slice_holds(m, rank)) m->starts[rank]++;
        }
    }
    for (uint32_t i = 0; i <= items->n; i++) {
        uint32_t here = m->starts[i];
        m->starts[i] = (uint32_t)total;
        total += here;
    }
    return LODE_OK;
}

/* Gives each list its place: a sentinel and room for the items. Empty lists get nothing. */
static lode_status lists_lay_out(list_maker *m) {
    lode_status status = LODE_OK;
    uint64_t n = m->task->items.data->profile.n_transactions, room = 1;
    uint32_t at = 0;
    for (uint64_t t = 0; t < n; t++) room += m->ends[t] > 0 ? m->ends[t] + (uint64_t)1 : 0;
    if (room > LISTS_MOST || n >= LISTS_MOST) {
        return job_fail(
            m->task->job, LODE_UNSUPPORTED,
            "adaptive does not support these data: the transactions to be searched have "
            "more than 2^31 items in total");
    }
    LODE_TRY(arena_take(&m->base->slice, room * sizeof *m->lists, (void **)&m->lists));
    os_pages_prefer_huge(m->lists, room * sizeof *m->lists);
    for (uint64_t t = 0; t < n; t++) {
        uint32_t length = m->ends[t];
        m->ends[t] = at;
        if (length == 0) continue;
        m->lists[at] = LISTS_END + (uint32_t)t;
        at += length + 1;
    }
    m->lists[at] = LISTS_END; /* where the last list ends */
done:
    return status;
}

/* ---- all lists at once ----------------------------------------------------------------------- */

/* The blocks of a thread, and its cursors. */
typedef struct list_blocks {
    const data_block *first, *end;
    uint32_t *cursors;
} list_blocks;

static list_blocks thread_blocks(const list_maker *m, unsigned thread) {
    const lode_dataset *data = m->task->items.data;
    size_t n = data->n_blocks;
    return (list_blocks){.first = data->blocks + n * thread / m->n_threads,
                         .end = data->blocks + n * (thread + 1) / m->n_threads,
                         .cursors = m->cursors + (size_t)thread * m->base->items.n};
}

/* Counts the occurrences of each item in the blocks of a thread. */
static lode_status lists_count_blocks(void *arg, unsigned thread) {
    const list_maker *m = arg;
    list_blocks s = thread_blocks(m, thread);
    memset(s.cursors, 0, m->base->items.n * sizeof *s.cursors);
    for (const data_block *block = s.first; block < s.end; block++) {
        lode_status status = job_check(m->task->job);
        if (status != LODE_OK) return status;
        for (uint32_t i = 0; i < block->offsets[block->n]; i++) {
            uint32_t rank = m->base->rank[block->items[i]];
            if (rank != NO_RANK) s.cursors[rank]++;
        }
    }
    return LODE_OK;
}

/* Turns the counts into where each thread's places of an item begin. */
static void lists_place_cursors(list_maker *m) {
    size_t n = m->base->items.n;
    for (size_t rank = 0; rank < n; rank++) {
        uint32_t at = m->starts[rank];
        for (unsigned thread = 0; thread < m->n_threads; thread++) {
            uint32_t *cursor = &m->cursors[thread * n + rank], count = *cursor;
            *cursor = at;
            at += count;
        }
    }
}

/* Puts the number of each transaction into the lists of its items. */
static lode_status lists_deliver_blocks(void *arg, unsigned thread) {
    lode_status status = LODE_OK;
    const list_maker *m = arg;
    list_blocks s = thread_blocks(m, thread);
    for (const data_block *block = s.first; block < s.end; block++) {
        LODE_TRY(job_check(m->task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            uint32_t number = (uint32_t)block->first + t, n = 0;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t rank = m->base->rank[block->items[i]];
                if (rank == NO_RANK) continue;
                m->places[s.cursors[rank]++] = number;
                n++;
            }
            m->ends[number] = n;
        }
    }
done:
    return status;
}

/* Fills the lists of the thread's transactions. The most frequent item comes first, so every list
 * is ascending. The thread's places of an item end at its cursor, and begin at the cursor of the
 * previous thread. */
static lode_status lists_fill_blocks(void *arg, unsigned thread) {
    list_maker *m = arg;
    list_blocks s = thread_blocks(m, thread);
    const uint32_t *begin = thread > 0 ? thread_blocks(m, thread - 1).cursors : m->starts;
    for (uint32_t rank = 0; rank < m->base->items.n; rank++) {
        lode_status status = job_check(m->task->job);
        if (status != LODE_OK) return status;
        for (uint32_t i = begin[rank]; i < s.cursors[rank]; i++) {
            uint32_t place = ++m->ends[m->places[i]];
            m->lists[place] = rank;
            m->places[i] = place;
        }
    }
    return LODE_OK;
}

static lode_status lists_make_whole(list_maker *m) {
    lode_status status = LODE_OK;
    lode_job *job = m->task->job;
    if (m->n_threads > 1) {
        LODE_TRY(parallel_run(job, m->n_threads, false, lists_count_blocks, m));
        lists_place_cursors(m);
    }
    LODE_TRY(parallel_run(job, m->n_threads, false, lists_deliver_blocks, m));
    LODE_TRY(lists_lay_out(m));
    LODE_TRY(parallel_run(job, m->n_threads, false, lists_fill_blocks, m));
done:
    return status;
}

/* How many threads have enough to do. */
static unsigned lists_threads(const engine_task *task) {
    uint64_t worth = task->items.data->profile.n_occurrences / LISTS_PER_THREAD + 1;
    return worth < task->job->threads ? (unsigned)worth : task->job->threads;
}

/* ---- a slice of them ------------------------------------------------------------------------- */

/* Copies the items of a transaction that are needed, if one of them belongs to the slice. */
static uint32_t slice_take_items(const list_maker *m, const data_block *block, uint32_t t,
                                 uint32_t *to) {
    uint32_t n = 0;
    bool within = false;
    for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
        uint32_t rank = m->base->rank[block->items[i]];
        if (rank >= m->bound) continue;
        within = within || slice_holds(m, rank);
        if (to) to[n] = rank;
        n++;
    }
    return within ? n : 0;
}

static void slice_fill_list(list_maker *m, const data_block *block, uint32_t t) {
    uint32_t start = m->ends[block->first + t], *to = m->lists + start + 1;
    uint32_t n = slice_take_items(m, block, t, NULL);
    if (n == 0) return;
    slice_take_items(m, block, t, to);
    sort_u32(to, n);
    for (uint32_t i = 0; i < n; i++) {
        if (slice_holds(m, to[i])) m->places[m->cursors[to[i]]++] = start + 1 + i;
    }
}

static lode_status lists_make_slice(list_maker *m) {
    lode_status status = LODE_OK;
    const lode_dataset *data = m->task->items.data;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(job_check(m->task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            m->ends[block->first + t] = slice_take_items(m, block, t, NULL);
        }
    }
    LODE_TRY(lists_lay_out(m));
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(job_check(m->task->job));
        for (uint32_t t = 0; t < block->n; t++) slice_fill_list(m, block, t);
    }
done:
    return status;
}

lode_status adaptive_base_lists(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    list_maker m = {.task = task, .base = base};
    size_t n = task->items.data->profile.n_transactions, cursors = 0;
    LODE_TRY(slice_choose(base, task));
    m.bound = slice_bound(base, task, base->end);
    LODE_TRY(lists_make_starts(&m));
    m.n_threads = adaptive_base_is_whole(base) ? lists_threads(task) : 1;
    size_t total = m.starts[base->items.n];
    LODE_TRY(arena_take(&base->slice, total * sizeof *m.places, (void **)&m.places));
    cursors = m.n_threads * base->items.n * sizeof *m.cursors;
    LODE_TRY(mem_resize(&task->job->mem, (void **)&m.cursors, 0, cursors));
    LODE_TRY(mem_resize(&task->job->mem, (void **)&m.ends, 0, n * sizeof *m.ends));
    memcpy(m.cursors, m.starts, base->items.n * sizeof *m.cursors);
    LODE_TRY(adaptive_base_is_whole(base) ? lists_make_whole(&m) : lists_make_slice(&m));
    base->db.lists = (lists_db){m.lists, m.places, m.starts, task->items.data->weights};
done:
    if (m.cursors) mem_free(&task->job->mem, m.cursors, cursors);
    if (m.ends) mem_free(&task->job->mem, m.ends, n * sizeof *m.ends);
    return status;
}
