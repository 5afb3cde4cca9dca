/* trie.c - see trie.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/trie.h"

#include "base/check.h"

#define TRIE_NONE UINT32_MAX

static void level_free(mem *m, trie_level *level) {
    vec_u32_free(m, &level->items);
    vec_u32_free(m, &level->parents);
    vec_u32_free(m, &level->first);
}

lode_status trie_init(trie *t, mem *m, uint32_t n) {
    lode_status status = LODE_OK;
    *t = (trie){.mem = m};
    LODE_TRY(trie_begin_level(t));
    for (uint32_t i = 0; i < n; i++) LODE_TRY(trie_append(t, 0, i));
done:
    if (status != LODE_OK) trie_clear(t);
    return status;
}

void trie_clear(trie *t) {
    if (!t->mem) return;
    for (uint32_t i = 0; i < t->depth; i++) level_free(t->mem, &t->levels[i]);
    mem_free(t->mem, t->levels, t->cap * sizeof *t->levels);
    *t = (trie){0};
}

lode_status trie_begin_level(trie *t) {
    size_t cap = t->cap;
    if (t->depth == t->cap) {
        lode_status status =
            vec_grow(t->mem, (void **)&t->levels, t->depth, &cap, 1, sizeof *t->levels);
        if (status != LODE_OK) return status;
        t->cap = (uint32_t)cap;
    }
    t->levels[t->depth++] = (trie_level){0};
    return LODE_OK;
}

lode_status trie_append(trie *t, uint32_t parent, uint32_t item) {
    trie_level *level = &t->levels[t->depth - 1];
    lode_status status = vec_u32_push(t->mem, &level->items, item);
    return status == LODE_OK ? vec_u32_push(t->mem, &level->parents, parent) : status;
}

/* Notes for each node of the level above where its children start. */
lode_status trie_end_level(trie *t) {
    const trie_level *level = &t->levels[t->depth - 1];
    trie_level *above = &t->levels[t->depth - 2];
    lode_status status = vec_u32_reserve(t->mem, &above->first, above->items.n + 1);
    if (status != LODE_OK) return status;
    size_t child = 0;
    for (size_t node = 0; node <= above->items.n; node++) {
        while (child < level->parents.n && level->parents.data[child] < node) child++;
        above->first.data[node] = (uint32_t)child;
    }
    above->first.n = above->items.n + 1;
    return LODE_OK;
}

void trie_path(const trie *t, uint32_t k, uint32_t node, uint32_t *items) {
    for (uint32_t d = k; d > 0; d--) {
        const trie_level *level = trie_at(t, d);
        items[d - 1] = level->items.data[node];
        node = level->parents.data[node];
    }
}

/* The node among [low, high) of a level that has this item. */
static uint32_t find_item(const trie_level *level, uint32_t low, uint32_t high, uint32_t item) {
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (level->items.data[middle] == item) return middle;
        if (level->items.data[middle] < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return TRIE_NONE;
}

/* The node of the candidate without one of its items. The number of a node of level 1 is its item,
 * as that level has all of them. */
static uint32_t find_without(const trie *t, const uint32_t *items, uint32_t k, uint32_t left_out) {
    uint32_t node = left_out == 0 ? items[1] : items[0];
    uint32_t depth = 1;
    for (uint32_t i = left_out == 0 ? 2 : 1; i < k; i++) {
        if (i == left_out) continue;
        const trie_level *here = trie_at(t, depth);
        node = find_item(trie_at(t, ++depth), here->first.data[node], here->first.data[node + 1],
                         items[i]);
        if (node == TRIE_NONE) return TRIE_NONE;
    }
    return node;
}

bool trie_has_subsets(const trie *t, const uint32_t *items, uint32_t k) {
    for (uint32_t i = 0; i + 2 < k; i++) {
        if (find_without(t, items, k, i) == TRIE_NONE) return false;
    }
    return true;
}

/* Level 1 is 0, 1, 2, …; the items of the others are among those. */
static bool level_has_items(const trie *t, uint32_t k) {
    const trie_level *level = trie_at(t, k);
    for (size_t i = 0; i < level->items.n; i++) {
        uint32_t item = level->items.data[i];
        if (k == 1 ? item != i : item >= trie_at(t, 1)->items.n) return false;
    }
    return level->parents.n == level->items.n;
}

static bool level_is_sorted(const trie_level *level) {
    for (size_t i = 1; i < level->items.n; i++) {
        uint32_t p = level->parents.data[i - 1], q = level->parents.data[i];
        if (p > q || (p == q && level->items.data[i - 1] >= level->items.data[i])) return false;
    }
    return true;
}

/* Whether the starts of children rise, from the first node of the next level to its end. */
static bool starts_rise(const trie_level *above, const trie_level *level) {
    size_t n = above->items.n;
    if (above->first.n != n + 1) return false;
    for (size_t i = 0; i < n; i++) {
        if (above->first.data[i] > above->first.data[i + 1]) return false;
    }
    return above->first.data[0] == 0 && above->first.data[n] == level->items.n;
}

static bool level_is_linked(const trie_level *above, const trie_level *level) {
    if (!starts_rise(above, level)) return false;
    for (size_t i = 0; i < level->items.n; i++) {
        uint32_t p = level->parents.data[i];
        if (p >= above->items.n) return false;
        if (i < above->first.data[p] || i >= above->first.data[p + 1]) return false;
        if (above->items.data[p] >= level->items.data[i]) return false;
    }
    return true;
}

bool trie_validate(const trie *t, const char **reason) {
    for (uint32_t k = 1; k <= t->depth; k++) {
        if (!level_has_items(t, k)) {
            *reason = "a node's item is none of level 1, or it has no parent";
            return false;
        }
        if (!level_is_sorted(trie_at(t, k))) {
            *reason = "nodes are not in lexicographic order";
            return false;
        }
        if (k > 1 && !level_is_linked(trie_at(t, k - 1), trie_at(t, k))) {
            *reason = "parents and children do not match, or the item number of a node is not "
                      "higher than that of its parent";
            return false;
        }
    }
    return true;
}

/* ---- the frequent sets of a level as a trie: tbi, gpapriori, eqclass and goethals ------------ */

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
