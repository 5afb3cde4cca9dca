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
 *           that row with each member's item row. Classes too small to pay for a cache row are
 *           counted directly.
 * Memory:   4 bytes a member and 4(k-1) a class, against 4k a member in gpapriori; the cache holds
 *           as many classes at a time as keep the device busy (the paper: one).
 * Wins:     over gpapriori from level 3 on, the more the larger the classes. At level 2 the prefix
 *           is a row already.
 * After:    Bhalodia, Patel: Mining frequent patterns with optimized candidate representation on
 *           graphics processor, 2014.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/prepare.h"
#include "papers/levelwise.h"
#include "papers/trie_sets.h"

typedef struct eqclass_state {
    vec_u32 prefixes; /* k - 1 items per class */
    vec_u32 members;  /* last items, class by class; the last of a class is marked */
    vec_u32 cache;    /* lists for the prefixes in work */
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
            trie_path(trie_of(w), prefix, w->pairs[i].a, s->prefixes.data + s->prefixes.n);
            s->prefixes.n += prefix;
        }
        bool last = i + 1 == w->n_pairs || w->pairs[i + 1].a != w->pairs[i].a;
        s->members.data[s->members.n++] = w->last[w->pairs[i].b] | (last ? BACKEND_LAST_MEMBER : 0);
    }
    w->tally->candidate_bytes += (s->prefixes.n + s->members.n) * sizeof(uint32_t);
done:
    return status;
}

/* Takes lists for the cache, once. */
static lode_status eqclass_start(levelwise *w) {
    lode_status status = LODE_OK;
    if (w->n_sets < 2) return LODE_OK;
    eqclass_state *s = w->state;
    uint64_t wanted = w->backend->fill(w->device, w->v.words);
    uint32_t row = 0;
    while (s->cache.n < wanted && row != BACKEND_NO_ROW) {
        row = prepare_take_list(w->backend, w->device, &w->pool);
        if (row != BACKEND_NO_ROW) LODE_TRY(vec_u32_push(w->mem, &s->cache, row));
    }
    w->n_cache = (uint32_t)s->cache.n;
    if (s->cache.n == 0) status = mem_left(w->mem) == SIZE_MAX ? LODE_NOMEM : LODE_BUDGET;
done:
    return status;
}

static lode_status eqclass_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    const eqclass_state *s = w->state;
    LODE_TRY(trie_sets_join(w, first, end, bound));
    LODE_TRY(eqclass_list(w));
    levelwise_lap(w, &w->tally->candidate);
    backend_classes classes = {
        .prefixes = s->prefixes.data,
        .members = s->members.data,
        .n_prefix = w->k - 1,
        .n_classes = s->prefixes.n / (w->k - 1),
        .n_members = s->members.n,
    };
    LODE_TRY(
        w->ops->and_count_classes(w->papers, &classes, s->cache.data, s->cache.n, w->counts.data));
    levelwise_lap_count(w);
done:
    return status;
}

static size_t eqclass_candidate_bytes(const levelwise *w) {
    return sizeof(backend_pair) + (w->k + 2) * sizeof(uint32_t);
}

static void eqclass_stop(levelwise *w) {
    eqclass_state *s = w->state;
    vec_u32_free(w->mem, &s->prefixes);
    vec_u32_free(w->mem, &s->members);
    vec_u32_free(w->mem, &s->cache);
}

const levelwise_method eqclass_method = {
    .sets = &levelwise_trie,
    .state_bytes = sizeof(eqclass_state),
    .list_share = 0.125,
    .start = eqclass_start,
    .stop = eqclass_stop,
    .candidate_bytes = eqclass_candidate_bytes,
    .block = eqclass_block,
};
