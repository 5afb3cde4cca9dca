/* generators.c - see generators.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/generators.h"

#include <stdatomic.h>

#include "base/bits.h"

typedef _Atomic(generators_node *) node_link; /* NULL until the search has been there */

/* The items that make a generator with the set of the node, in the order of the search. */
struct generators_node {
    uint32_t n;
    uint32_t *supports;
    node_link *below;
    uint32_t items[]; /* by their numbers in the root, ascending; then supports and links */
};

/* Below a set that leads to no generator. */
static generators_node nothing_below;

/* ---- the tree -------------------------------------------------------------------------------- */

/* Room in the tree, or NULL: it does not grow any more. */
static char *tree_take(generators *g, size_t bytes) {
    size_t more = bytes > GENERATORS_BLOCK ? bytes : GENERATORS_BLOCK;
    generators_tree *t = g->tree;
    if (bytes > g->block_left) {
        pthread_mutex_lock(&t->lock);
        bool got = more <= t->left && arena_take(&t->arena, more, (void **)&g->block) == LODE_OK;
        t->left = got ? t->left - more : 0;
        pthread_mutex_unlock(&t->lock);
        g->block_left = got ? more : 0;
        if (!got) return NULL;
    }
    char *room = g->block;
    g->block += bytes;
    g->block_left -= bytes;
    return room;
}

/* A node with these items, which are not filled in yet; NULL: there is no room. */
static generators_node *node_take(generators *g, uint32_t n) {
    size_t bytes = bits_round_up(sizeof(generators_node) + 2 * n * sizeof(uint32_t), 8);
    char *room = tree_take(g, bytes + n * sizeof(node_link));
    generators_node *node = (generators_node *)(void *)room;
    if (!node) return NULL;
    node->n = n;
    node->supports = node->items + n;
    node->below = (node_link *)(void *)(room + bytes);
    for (uint32_t i = 0; i < n; i++) atomic_init(&node->below[i], NULL);
    return node;
}

/* The number of the first entry from `from` on that is not before an item. */
static uint32_t node_find(const generators_node *node, uint32_t from, uint32_t item) {
    const uint32_t *low = node->items + from;
    uint32_t n = node->n - from;
    while (n > 0) {
        uint32_t half = n / 2;
        bool after = low[half] < item;
        low = after ? low + half + 1 : low;
        n = after ? n - half - 1 : half;
    }
    return (uint32_t)(low - node->items);
}

/* The node below an item; NULL if it, or the node, is not there. */
static generators_node *node_below(const generators_node *node, uint32_t item) {
    uint32_t i = node ? node_find(node, 0, item) : 0;
    bool there = node && i < node->n && node->items[i] == item;
    return there ? atomic_load_explicit(&node->below[i], memory_order_acquire) : NULL;
}

lode_status generators_tree_open(generators_tree *t, const adaptive_root *root,
                                 const engine_task *task, bool sure) {
    lode_status status = LODE_OK;
    generators g = {.tree = t};
    size_t left = mem_left(&task->job->mem);
    *t = (generators_tree){.of = root};
    arena_init(&t->arena, &task->job->mem);
    pthread_mutex_init(&t->lock, NULL);
    t->open = true;
    if (sure) LODE_TRY(occurrences_open(&t->where, root, task, false));
    atomic_store(&t->has_occurrences, sure);
    t->left =
        left / OCCURRENCES_SHARE < GENERATORS_BYTES ? left / OCCURRENCES_SHARE : GENERATORS_BYTES;
    t->root = node_take(&g, root->items.n);
    for (uint32_t i = 0; i < root->items.n && t->root; i++) {
        t->root->items[i] = i;
        t->root->supports[i] = root->items.supports[i];
    }
done:
    return status;
}

void generators_tree_close(generators_tree *t) {
    if (!t->open) return;
    occurrences_close(&t->where);
    arena_clear(&t->arena);
    pthread_mutex_destroy(&t->lock);
}

/* ---- a worker -------------------------------------------------------------------------------- */

lode_status generators_open(adaptive *a, generators_tree *t, uint32_t n_frequent) {
    lode_status status = LODE_OK;
    generators *g;
    size_t n = n_frequent + (size_t)1;
    LODE_TRY(arena_take(&a->arena, sizeof *g, (void **)&g));
    *g = (generators){.tree = t, .place = {.node = t->root}};
    LODE_TRY(arena_take(&a->arena, n * sizeof *g->items, (void **)&g->items));
    LODE_TRY(arena_take(&a->arena, n * sizeof *g->rows, (void **)&g->rows));
    a->generators = g;
done:
    return status;
}

/* Looks for the subset of the prefix without one of its items. */
static generators_node *find_subset(const adaptive *a, uint32_t without) {
    generators_node *node = a->generators->tree->root;
    for (uint32_t i = 0; i < a->path.n_prefix && node; i++) {
        if (i != without) node = node_below(node, a->root.rank[a->path.prefix[i]]);
    }
    return node;
}

lode_status generators_jump(adaptive *a) {
    uint32_t n = a->path.n_prefix;
    generators_place place = {.node = find_subset(a, n)};
    size_t bytes = n * sizeof *place.subsets;
    lode_status status = arena_take(&a->arena, bytes, (void **)&place.subsets);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) place.subsets[i] = find_subset(a, i);
    a->generators->place = place;
    return LODE_OK;
}

/* ---- looks for a transaction that shows that a subset has more support ----------------------- */

/* If the item that must be missing has no row, each match is checked again. */
static bool exists_in_rows(const witness_search *s) {
    const occurrences *o = s->where;
    bool by_row = s->lacks < o->n_rows;
    const uint64_t *lacks = by_row ? occurrences_row(o, s->lacks) : o->zeros;
    uint64_t found[ROW_LINE];
    for (row_range range = {0, o->words}; range.from < o->words; range.from += ROW_LINE) {
        range.from = s->a->kernels->find_common(s->rows, s->n, lacks, range, found);
        if (range.from == o->words) return false;
        if (by_row) return true;
        for (size_t i = 0; i < ROW_LINE; i++) {
            if (found[i] & ~occurrences_word(o, s->lacks, range.from + i)) return true;
        }
    }
    return false;
}

/* Where the rarest item has no row. */
static bool exists_in_words(const witness_search *s) {
    const occurrences *o = s->where;
    const row_word *end = occurrences_end(o, s->items[0]);
    for (const row_word *w = occurrences_from(o, s->items[0], 0); w < end; w++) {
        uint64_t bits = w->bits & ~occurrences_word(o, s->lacks, w->at);
        for (uint32_t i = 1; i < s->n && bits != 0; i++) {
            bits &= occurrences_word(o, s->items[i], w->at);
        }
        if (bits != 0) return true;
    }
    return false;
}

static bool witness_exists(const witness_search *s) {
    return s->items[0] < s->where->n_rows ? exists_in_rows(s) : exists_in_words(s);
}

/* ---- the test of a child --------------------------------------------------------------------- */

/* Keeps the items for which the subset in the tree is a generator with more support. */
static void keep_by_tree(const adaptive *a, const generators_node *subset, child_items *c) {
    uint32_t n = c->n, at = 0;
    c->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item = a->root.rank[c->ids[i]];
        at = node_find(subset, at, item);
        if (at == subset->n) return;
        if (subset->items[at] != item || subset->supports[at] == c->supports[i]) continue;
        c->numbers[c->n] = c->numbers[i];
        c->ids[c->n] = c->ids[i];
        c->supports[c->n++] = c->supports[i];
    }
}

/* Makes the occurrences when they are asked for, if that has not been done before. */
static lode_status generators_need_data(const adaptive *a) {
    generators_tree *t = a->generators->tree;
    lode_status status = LODE_OK;
    if (atomic_load_explicit(&t->has_occurrences, memory_order_acquire)) return LODE_OK;
    pthread_mutex_lock(&t->lock);
    if (!atomic_load_explicit(&t->has_occurrences, memory_order_relaxed)) {
        status = occurrences_open(&t->where, t->of, a->task, true);
        bool made = status == LODE_OK;
        atomic_store_explicit(&t->has_occurrences, made, memory_order_release);
    }
    pthread_mutex_unlock(&t->lock);
    return status;
}

/* Keeps the items with which the i-th item of the prefix has a witness. */
static void keep_by_data(const adaptive *a, uint32_t without, child_items *c) {
    const generators *g = a->generators;
    witness_search s = {
        a, &g->tree->where, g->items, g->rows, 0, a->root.rank[a->path.prefix[without]]};
    uint32_t n = c->n;
    c->n = 0;
    for (uint32_t i = 0; i < a->path.n_prefix; i++) {
        if (i != without) witness_add(&s, a->root.rank[a->path.prefix[i]]);
    }
    witness_add(&s, a->root.rank[c->id]);
    for (uint32_t i = 0; i < n; i++) {
        witness_search with = s;
        witness_add(&with, a->root.rank[c->ids[i]]);
        if (!witness_exists(&with)) continue;
        c->numbers[c->n] = c->numbers[i];
        c->ids[c->n] = c->ids[i];
        c->supports[c->n++] = c->supports[i];
    }
}

/* The child's node, from the items that are left. */
static generators_node *node_make(const adaptive *a, const child_items *c) {
    if (c->n == 0) return &nothing_below;
    generators_node *node = node_take(a->generators, c->n);
    for (uint32_t i = 0; i < c->n && node; i++) {
        node->items[i] = a->root.rank[c->ids[i]];
        node->supports[i] = c->supports[i];
    }
    return node;
}

lode_status generators_enter(adaptive *a, child_items *c) {
    lode_status status = LODE_OK;
    generators *g = a->generators;
    uint32_t n = a->path.n_prefix, item = a->root.rank[c->id];
    generators_place child = {0}, place = g->place;
    if (c->n > 0) {
        size_t bytes = (n + (size_t)1) * sizeof *child.subsets;
        LODE_TRY(arena_take(&a->arena, bytes, (void **)&child.subsets));
    }
    for (uint32_t i = 0; i < n && c->n > 0; i++) {
        child.subsets[i] = node_below(place.subsets[i], item);
        if (child.subsets[i]) {
            keep_by_tree(a, child.subsets[i], c);
        } else {
            LODE_TRY(generators_need_data(a));
            keep_by_data(a, i, c);
        }
    }
    c->addable = c->n;
    if (c->n > 0) child.subsets[n] = place.node;
    child.node = place.node ? node_make(a, c) : NULL;
    if (child.node) { /* the items of the node are those of the database */
        atomic_store_explicit(&place.node->below[c->item], child.node, memory_order_release);
    }
    g->place = child;
done:
    return status;
}
