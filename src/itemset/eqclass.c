/* eqclass.c - candidates by equivalence class: the prefix once, then the members
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a trie on the host joins and prunes. The device gets two lists: the prefixes (k - 1
 *           items, once a class) and, per class, the last items.
 *
 *               classes   (A B) (A C) (B C)      prefixes  A B|A C|B C
 *               members    C D   D     D         members   C D' D' D'   (' = the last of its class)
 *
 * Counting: first AND of the prefix rows into a row of the BitsetCache, once a class; then AND of
 *           that row with each member's item row.
 * Memory:   4 bytes a member and 4(k-1) a class, against 4k a member in gpapriori; the cache holds as
 *           many classes at a time as there are lists (the paper: one).
 * Wins:     over gpapriori from level 3 on, the more the larger the classes. At level 2 the cache is
 *           a copy of the item's row.
 * After:    Bhalodia, Patel: Mining frequent patterns with optimized candidate representation on
 *           graphics processor, 2014.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/trie_method.h"

#define CACHE_BYTES ((size_t)4 << 20) /* of rows at a time: more would only leave the caches */
#define CACHE_LEAST 16

#define LAST_OF_CLASS 0x80000000u /* a mark costs nothing, a list of offsets 4 bytes a class */

typedef struct eqclass_state {
    trie_method base;
    vec_u32 prefixes; /* k - 1 items per class */
    vec_u32 members;  /* last items, class by class; the last of a class carries LAST_OF_CLASS */
    vec_u32 cache;    /* rows for the prefixes in work */
    backend_work *work;
    size_t cap_work;
} eqclass_state;

static lode_status eqclass_list(levelwise *w) {
    lode_status status = LODE_OK;
    eqclass_state *s = w->state;
    uint32_t prefix = w->k - 1;
    s->prefixes.n = s->members.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &s->members, w->n_pairs));
    for (size_t i = 0; i < w->n_pairs; i++) {
        if (i == 0 || w->pairs[i].a != w->pairs[i - 1].a) {
            LODE_TRY(vec_u32_reserve(w->mem, &s->prefixes, prefix));
            trie_path(&s->base.trie, prefix, w->pairs[i].a, s->prefixes.data + s->prefixes.n);
            s->prefixes.n += prefix;
        }
        bool last = i + 1 == w->n_pairs || w->pairs[i + 1].a != w->pairs[i].a;
        s->members.data[s->members.n++] = w->last[w->pairs[i].b] | (last ? LAST_OF_CLASS : 0);
    }
    w->tally->candidate_bytes += (s->prefixes.n + s->members.n) * sizeof(uint32_t);
done:
    return status;
}

/* Takes lists for the cache, once. */
static lode_status eqclass_open_cache(levelwise *w) {
    lode_status status = LODE_OK;
    eqclass_state *s = w->state;
    size_t wanted = CACHE_BYTES / (w->v.words * sizeof(uint64_t) + 1);
    if (wanted < CACHE_LEAST) wanted = CACHE_LEAST;
    while (s->cache.n < wanted && !list_pool_is_empty(&w->pool)) {
        LODE_TRY(vec_u32_reserve(w->mem, &s->cache, 1));
        LODE_TRY(list_pool_prepare(&w->pool));
        status = w->backend->back_lists(w->device, w->pool.fresh + 1);
        if (status == LODE_BUDGET && s->cache.n > 0) return LODE_OK; /* what there is must do */
        if (status != LODE_OK) goto done;
        s->cache.data[s->cache.n++] = list_pool_take(&w->pool);
    }
    if (s->cache.n == 0) status = LODE_NOMEM;
done:
    return status;
}

/* Classes [first, first + n), whose members start at `from`: fills the cache, then counts the members
 * against it. Returns where the members of the next class start. */
static lode_status eqclass_count_classes(levelwise *w, size_t first, size_t n, size_t *from) {
    lode_status status = LODE_OK;
    eqclass_state *s = w->state;
    size_t n_work = 0;
    LODE_TRY(w->backend->and_rows(w->device, s->cache.data, s->prefixes.data + first * (w->k - 1),
                                  w->k - 1, n));
    for (size_t c = 0, m = *from; c < n; m++) {
        s->work[n_work++] =
            (backend_work){s->cache.data[c], s->members.data[m] & ~LAST_OF_CLASS, BACKEND_NO_ROW};
        c += s->members.data[m] >= LAST_OF_CLASS;
    }
    LODE_TRY(w->backend->and_count(w->device, s->work, n_work, 0, w->counts.data + *from));
    *from += n_work;
done:
    return status;
}

static lode_status eqclass_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    eqclass_state *s = w->state;
    LODE_TRY(trie_method_generate(w, first, end, bound));
    LODE_TRY(eqclass_list(w));
    if (s->cap_work < w->n_pairs) {
        LODE_TRY(vec_grow(w->mem, (void **)&s->work, 0, &s->cap_work, w->n_pairs, sizeof *s->work));
    }
    levelwise_lap(w, &w->tally->candidate);
    size_t n_classes = s->prefixes.n / (w->k - 1), from = 0;
    for (size_t c = 0; c < n_classes; c += s->cache.n) {
        size_t n = n_classes - c < s->cache.n ? n_classes - c : s->cache.n;
        LODE_TRY(eqclass_count_classes(w, c, n, &from));
    }
    levelwise_lap(w, &w->tally->counting);
    LODE_TRY(levelwise_settle(w));
done:
    return status;
}

static lode_status eqclass_level(levelwise *w) {
    return levelwise_blocks(
        w, sizeof(backend_pair) + sizeof(backend_work) + (w->k + 1) * sizeof(uint32_t),
        eqclass_block);
}

static lode_status eqclass_start(levelwise *w) {
    lode_status status = trie_method_start(w);
    return status == LODE_OK && w->n_sets >= 2 ? eqclass_open_cache(w) : status;
}

static void eqclass_stop(levelwise *w) {
    eqclass_state *s = w->state;
    vec_u32_free(w->mem, &s->prefixes);
    vec_u32_free(w->mem, &s->members);
    vec_u32_free(w->mem, &s->cache);
    mem_free(w->mem, s->work, s->cap_work * sizeof *s->work);
    trie_method_stop(w);
}

static const levelwise_method eqclass_method = {
    .state_bytes = sizeof(eqclass_state),
    .start = eqclass_start,
    .level = eqclass_level,
    .keep = trie_method_keep,
    .advance = trie_method_advance,
    .items = trie_method_items,
    .stop = eqclass_stop,
};

static lode_status eqclass_run(engine_job *job) {
    return levelwise_run(job, &eqclass_method);
}

const lode_engine lode_engine_eqclass = {
    .name = "eqclass",
    .summary = "Apriori: prefixes stored and intersected once a class, then one row per member.",
    .estimate = levelwise_estimate,
    .run = eqclass_run,
};
