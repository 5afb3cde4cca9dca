/* adaptive_lists.c - see adaptive_lists.h
 *
 * With room for everything, transactions are put into the lists of their items, and the lists are
 * filled item by item: that gives ascending lists without sorting. A slice needs the transactions
 * of a few items only; these are copied and sorted one by one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/adaptive_lists.h"

#include <string.h>

#include "base/os.h"
#include "base/sort.h"

/* Of the budget, for the lists; the rest is for the search. */
#define LISTS_SHARE 0.75

typedef struct list_maker {
    const engine_job *job;
    adaptive_root *root;
    uint32_t bound;    /* items from here on are not needed */
    uint32_t *starts;  /* where an item's places begin; of the items of the slice only */
    uint32_t *cursors; /* where its next place goes */
    uint32_t *places;
    uint32_t *ends; /* by transaction: how many items, then where its list ends */
    uint32_t *lists;
} list_maker;

/* ---- slices ---------------------------------------------------------------------------------- */

static bool is_whole(const adaptive_root *root) {
    return root->first == 0 && root->end == root->items.n;
}

/* Whether the items behind the slice are needed, too: to see what a set could have in addition. */
static bool needs_all(const engine_job *job) {
    lode_target target = job->options->target;
    return target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
}

/* Bytes that the slice from root->first to `end` takes. */
static uint64_t slice_bytes(const adaptive_root *root, const engine_job *job, uint32_t end) {
    const lode_dataset *data = job->data;
    uint32_t bound = needs_all(job) ? root->items.n : end;
    uint64_t places = 0, listed = 0;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t t = 0; t < block->n; t++) {
            uint64_t within = 0, needed = 0;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t rank = root->rank[block->items[i]];
                within += rank >= root->first && rank < end;
                needed += rank < bound;
            }
            places += within;
            listed += within > 0 ? needed + 1 : 0;
        }
    }
    uint64_t fixed = data->profile.n_transactions + 2 * (uint64_t)root->items.n + 1024;
    return (places + listed + fixed) * sizeof(uint32_t);
}

static lode_status slice_refuse(const adaptive_root *root, const engine_job *job, size_t left) {
    double least = (double)slice_bytes(root, job, root->first + 1) / LISTS_SHARE;
    size_t used = job->ctx->mem.budget - left;
    return ctx_fail(job->ctx, LODE_BUDGET,
                    "the memory budget of %.1f MiB is too small: mining needs %.1f MiB (the "
                    "transactions of one item at a time, beside the data)",
                    ctx_mib(job->ctx->mem.budget), ctx_mib_up(used + (size_t)least));
}

/* Goes as far as the budget allows, by halving: each look is a pass over the data. */
static lode_status slice_choose(adaptive_root *root, const engine_job *job) {
    size_t left = mem_left(&job->ctx->mem);
    double room = (double)left * LISTS_SHARE;
    uint32_t fits = root->first, fails = root->items.n + 1;
    root->end = root->items.n;
    if (left == SIZE_MAX) return LODE_OK;
    for (uint32_t end = root->items.n; fails - fits > 1; end = fits + (fails - fits) / 2) {
        lode_status status = ctx_check(job->ctx);
        if (status != LODE_OK) return status;
        if ((double)slice_bytes(root, job, end) <= room) {
            fits = end;
        } else {
            fails = end;
        }
    }
    root->end = fits;
    return fits > root->first ? LODE_OK : slice_refuse(root, job, left);
}

/* ---- what both ways share -------------------------------------------------------------------- */

static bool is_within(const list_maker *m, uint32_t rank) {
    return rank >= m->root->first && rank < m->root->end;
}

/* Where the places of each item begin: unweighted, the supports say how many there are. */
static lode_status make_starts(list_maker *m) {
    const lode_dataset *data = m->job->data;
    const item_list *items = &m->root->items;
    size_t bytes = (items->n + (size_t)1) * sizeof *m->starts;
    uint64_t total = 0;
    lode_status status = arena_take(&m->root->slice, bytes, (void **)&m->starts);
    if (status != LODE_OK) return status;
    memset(m->starts, 0, bytes);
    for (uint32_t i = m->root->first; i < m->root->end && !data->weights; i++) {
        m->starts[i] = items->supports[i];
    }
    for (size_t k = 0; data->weights && k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t i = 0; i < block->offsets[block->n]; i++) {
            uint32_t rank = m->root->rank[block->items[i]];
            if (is_within(m, rank)) m->starts[rank]++;
        }
    }
    for (uint32_t i = 0; i <= items->n; i++) {
        uint32_t here = m->starts[i];
        m->starts[i] = (uint32_t)total;
        total += here;
    }
    return LODE_OK;
}

/* Lays out the lists: a sentinel each, and room for the items. Empty ones get nothing. */
static lode_status lay_out(list_maker *m) {
    lode_status status = LODE_OK;
    uint64_t n = m->job->data->profile.n_transactions, room = 1;
    uint32_t at = 0;
    for (uint64_t t = 0; t < n; t++) room += m->ends[t] > 0 ? m->ends[t] + (uint64_t)1 : 0;
    if (room >= SPARSE_END || n >= SPARSE_END) {
        return ctx_fail(m->job->ctx, LODE_UNSUPPORTED,
                        "more than 2^31 occurrences of frequent items");
    }
    LODE_TRY(arena_take(&m->root->slice, room * sizeof *m->lists, (void **)&m->lists));
    os_pages_prefer_huge(m->lists, room * sizeof *m->lists);
    for (uint64_t t = 0; t < n; t++) {
        uint32_t length = m->ends[t];
        m->ends[t] = at;
        if (length == 0) continue;
        m->lists[at] = SPARSE_END + (uint32_t)t;
        at += length + 1;
    }
    m->lists[at] = SPARSE_END; /* where the last list ends */
done:
    return status;
}

/* ---- all lists at once ----------------------------------------------------------------------- */

/* Puts the number of each transaction into the lists of its items. */
static lode_status deliver(list_maker *m) {
    lode_status status = LODE_OK;
    const lode_dataset *data = m->job->data;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(ctx_check(m->job->ctx));
        for (uint32_t t = 0; t < block->n; t++) {
            uint32_t number = (uint32_t)block->first + t, n = 0;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t rank = m->root->rank[block->items[i]];
                if (rank == ROOT_NO_RANK) continue;
                m->places[m->cursors[rank]++] = number;
                n++;
            }
            m->ends[number] = n;
        }
    }
done:
    return status;
}

/* Items from the most frequent on, so that every list is ascending. */
static void fill_by_item(list_maker *m) {
    for (uint32_t rank = 0; rank < m->root->items.n; rank++) {
        for (uint32_t i = m->starts[rank]; i < m->starts[rank + 1]; i++) {
            uint32_t place = ++m->ends[m->places[i]];
            m->lists[place] = rank;
            m->places[i] = place;
        }
    }
}

static lode_status make_whole(list_maker *m) {
    lode_status status = LODE_OK;
    LODE_TRY(deliver(m));
    LODE_TRY(lay_out(m));
    fill_by_item(m);
done:
    return status;
}

/* ---- a slice of them ------------------------------------------------------------------------- */

/* The items of a transaction that are needed, if one of them is of the slice. */
static uint32_t take_items(const list_maker *m, const data_block *block, uint32_t t, uint32_t *to) {
    uint32_t n = 0;
    bool within = false;
    for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
        uint32_t rank = m->root->rank[block->items[i]];
        if (rank >= m->bound) continue;
        within = within || is_within(m, rank);
        if (to) to[n] = rank;
        n++;
    }
    return within ? n : 0;
}

static void fill_transaction(list_maker *m, const data_block *block, uint32_t t) {
    uint32_t start = m->ends[block->first + t], *to = m->lists + start + 1;
    uint32_t n = take_items(m, block, t, NULL);
    if (n == 0) return;
    take_items(m, block, t, to);
    sort_u32(to, n);
    for (uint32_t i = 0; i < n; i++) {
        if (is_within(m, to[i])) m->places[m->cursors[to[i]]++] = start + 1 + i;
    }
}

static lode_status make_slice(list_maker *m) {
    lode_status status = LODE_OK;
    const lode_dataset *data = m->job->data;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(ctx_check(m->job->ctx));
        for (uint32_t t = 0; t < block->n; t++) {
            m->ends[block->first + t] = take_items(m, block, t, NULL);
        }
    }
    LODE_TRY(lay_out(m));
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(ctx_check(m->job->ctx));
        for (uint32_t t = 0; t < block->n; t++) fill_transaction(m, block, t);
    }
done:
    return status;
}

lode_status adaptive_root_lists(adaptive_root *root, const engine_job *job) {
    lode_status status = LODE_OK;
    list_maker m = {.job = job, .root = root};
    size_t n = job->data->profile.n_transactions;
    LODE_TRY(slice_choose(root, job));
    m.bound = needs_all(job) ? root->items.n : root->end;
    LODE_TRY(make_starts(&m));
    size_t total = m.starts[root->items.n], cursors = root->items.n * sizeof *m.cursors;
    LODE_TRY(arena_take(&root->slice, total * sizeof *m.places, (void **)&m.places));
    LODE_TRY(mem_resize(&job->ctx->mem, (void **)&m.cursors, 0, cursors));
    LODE_TRY(mem_resize(&job->ctx->mem, (void **)&m.ends, 0, n * sizeof *m.ends));
    memcpy(m.cursors, m.starts, cursors);
    LODE_TRY(is_whole(root) ? make_whole(&m) : make_slice(&m));
    root->sparse = (sparse_db){root->items, m.lists, m.places, m.starts, job->data->weights};
done:
    if (m.cursors) mem_free(&job->ctx->mem, m.cursors, root->items.n * sizeof *m.cursors);
    if (m.ends) mem_free(&job->ctx->mem, m.ends, n * sizeof *m.ends);
    return status;
}
