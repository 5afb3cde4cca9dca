/* generators.c - see generators.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "adaptive/generators.h"

typedef struct generators_node generators_node;

typedef struct generators_entry {
    uint32_t id, support;
    generators_node *below; /* NULL until the search has been there */
} generators_entry;

struct generators_node {
    uint32_t n;
    generators_entry entries[]; /* by id */
};

static bool generators_before(const generators_entry *a, const generators_entry *b) {
    return a->id < b->id;
}

#define SORT_NAME   sort_generators
#define SORT_TYPE   generators_entry
#define SORT_BEFORE generators_before
#include "base/sort_body.h"

static lode_status generators_make(generators *g, uint32_t n, const uint32_t *ids,
                                   const uint32_t *supports, generators_node **out) {
    generators_node *node;
    size_t bytes = sizeof *node + n * sizeof *node->entries;
    lode_status status = arena_take(&g->arena, bytes, (void **)&node);
    if (status != LODE_OK) return status;
    node->n = n;
    for (uint32_t i = 0; i < n; i++) node->entries[i] = (generators_entry){ids[i], supports[i], 0};
    sort_generators(node->entries, n, NULL);
    *out = node;
    return LODE_OK;
}

static generators_entry *generators_find(generators_node *node, uint32_t id) {
    uint32_t low = 0, high = node ? node->n : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (node->entries[middle].id == id) return &node->entries[middle];
        if (node->entries[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

lode_status generators_open(generators *g, mem *m, const item_list *root) {
    *g = (generators){0};
    arena_init(&g->arena, m);
    return generators_make(g, root->n, root->ids, root->supports, &g->place.node);
}

void generators_close(generators *g) {
    arena_clear(&g->arena);
}

/* Whether the child with the item is a generator: every subset of one item less must be one that
 * has more support. */
static bool is_generator(const generators_place *child, uint32_t id, uint32_t support) {
    for (uint32_t i = 0; i < child->n; i++) {
        const generators_entry *e = generators_find(child->subsets[i], id);
        if (!e || e->support == support) return false;
    }
    return true;
}

static void keep_generators(const generators_place *child, child_items *c) {
    uint32_t n = c->n;
    c->n = c->addable = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_generator(child, c->ids[i], c->supports[i])) continue;
        c->numbers[c->n] = c->numbers[i];
        c->ids[c->n] = c->ids[i];
        c->supports[c->n++] = c->supports[i];
        c->addable++;
    }
}

lode_status generators_enter(adaptive *a, child_items *c) {
    lode_status status = LODE_OK;
    generators *g = a->generators;
    generators_place child = {.n = g->place.n + 1};
    size_t bytes = child.n * sizeof(generators_node *);
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&child.subsets));
    for (uint32_t i = 0; i < g->place.n; i++) {
        const generators_entry *e = generators_find(g->place.subsets[i], c->id);
        child.subsets[i] = e ? e->below : NULL;
    }
    child.subsets[g->place.n] = g->place.node;
    keep_generators(&child, c);
    LODE_TRY(generators_make(g, c->n, c->ids, c->supports, &child.node));
    generators_find(g->place.node, c->id)->below = child.node;
    g->place = child;
done:
    return status;
}
