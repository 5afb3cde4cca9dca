/* trie_sets.c - see trie_sets.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/trie_sets.h"

#include "base/check.h"

static lode_status trie_sets_start(levelwise *w) {
    trie_sets *s = w->sets;
    lode_status status = trie_init(&s->trie, w->mem, w->v.n_items);
    if (status == LODE_OK) w->last = trie_at(&s->trie, 1)->items.data;
    return status;
}

lode_status trie_sets_join(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    trie_sets *s = w->sets;
    uint32_t k = w->k;
    w->n_pairs = 0;
    LODE_TRY(levelwise_reserve(w, bound));
    s->candidate.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &s->candidate, k));
    for (uint32_t a = first; a < end; a++) {
        if (a + 1 == w->group_end.data[a]) continue;
        LODE_TRY(job_check(w->job));
        trie_path(&s->trie, k - 1, a, s->candidate.data);
        for (uint32_t b = a + 1; b < w->group_end.data[a]; b++) {
            s->candidate.data[k - 1] = w->last[b];
            w->tally->generated++;
            if (trie_has_subsets(&s->trie, s->candidate.data, k)) {
                w->pairs[w->n_pairs++] = (backend_pair){a, b};
            } else {
                w->tally->pruned++;
            }
        }
    }
    levelwise_lap(w, &w->tally->candidate);
done:
    return status;
}

static lode_status trie_sets_keep(levelwise *w, backend_pair pair) {
    trie_sets *s = w->sets;
    if (!s->growing) {
        lode_status status = trie_begin_level(&s->trie);
        if (status != LODE_OK) return status;
        s->growing = true;
    }
    return trie_append(&s->trie, pair.a, w->last[pair.b]);
}

static lode_status trie_sets_advance(levelwise *w) {
    trie_sets *s = w->sets;
    if (!s->growing) return LODE_OK; /* nothing was kept: the search ends here */
    s->growing = false;
    w->last = trie_at(&s->trie, s->trie.depth)->items.data;
    lode_status status = trie_end_level(&s->trie);
    const char *broken = "";
    LODE_DEBUG_CHECK(status != LODE_OK || trie_validate(&s->trie, &broken), "%s", broken);
    return status;
}

static void trie_sets_items(const levelwise *w, uint32_t set, uint32_t *out) {
    trie_path(trie_of(w), w->k - 1, set, out);
}

static void trie_sets_stop(levelwise *w) {
    trie_sets *s = w->sets;
    vec_u32_free(w->mem, &s->candidate);
    trie_clear(&s->trie);
}

const levelwise_sets levelwise_trie = {
    .state_bytes = sizeof(trie_sets),
    .start = trie_sets_start,
    .keep = trie_sets_keep,
    .advance = trie_sets_advance,
    .items = trie_sets_items,
    .stop = trie_sets_stop,
};
