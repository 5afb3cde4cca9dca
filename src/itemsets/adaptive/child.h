/* child.h - the prefix with one more item: what is reported of it, and which items are searched
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_CHILD_H
#define LODE_ITEMSETS_ADAPTIVE_CHILD_H

#include "itemsets/adaptive/adaptive.h"

/* ---- from the search to the sink ------------------------------------------------------------- */

/* Items to report together: they share the prefix and the perfect extensions. */
typedef struct pending {
    uint32_t *ids;
    uint64_t *supports;
    uint32_t n, room;
} pending;

/* Makes an empty list for up to `room` items, in the arena of the worker. */
LODE_NODISCARD lode_status pending_take(adaptive *a, uint32_t room, pending *out);

static inline void pending_add(pending *p, uint32_t id, uint32_t support) {
    LODE_DEBUG_CHECK(p->n < p->room, "more than %u items are pending", p->room);
    p->ids[p->n] = id;
    p->supports[p->n++] = support;
}

/* Reports the items with the current prefix, and empties the list. */
LODE_NODISCARD lode_status pending_emit(adaptive *a, pending *p);

/* Reports prefix + id, with all perfect extensions. */
LODE_NODISCARD lode_status adaptive_emit_one(adaptive *a, uint32_t id, uint32_t support);

/* ---- the prefix with one more item ----------------------------------------------------------- */

typedef struct generators_node generators_node;

/* Where a prefix is in the tree of generators (generators.h). NULL = the tree lacks that node. */
typedef struct generators_place {
    generators_node *node;     /* of the prefix */
    generators_node **subsets; /* of the prefix without its first item, its second, … */
} generators_place;

/* A child: the prefix with one more item of the parent's database. */
typedef struct child_items {
    uint32_t item, id, support;   /* the added item's number in the parent; its id; its support */
    uint32_t n_prefix, n_perfect; /* of the worker, before the item was added */
    generators_place outer;       /* of the parent */
    uint32_t *numbers;            /* the child's items, by their numbers in the parent; ascending */
    uint32_t *ids, *supports;     /* of these items */
    uint32_t n, addable;          /* as in item_list */
    uint32_t room;                /* capacity of the three arrays */
    bool subsumed; /* an earlier item is in all transactions: no set from here on is closed */
} child_items;

/* Begins the child that adds the item number `item` of the list `of`. It has no items yet. */
void child_begin(const adaptive *a, const item_list *of, uint32_t item, child_items *c);
/* Makes room for n items, in the arena of the worker. */
LODE_NODISCARD lode_status child_take(adaptive *a, uint32_t n, child_items *c);
/* Adds an item that is frequent in the child. `number` is its number in the parent's list `of`, and
 * must be larger than that of the item added before. Perfect extensions go to the worker's path. */
void child_add(adaptive *a, const item_list *of, child_items *c, uint32_t number, uint32_t support);
/* For generators: drops the items that make no generator with the child. */
LODE_NODISCARD lode_status child_filter(adaptive *a, child_items *c);
/* Makes the child the prefix of the worker, and reports what the target requires. For all
 * frequent sets and for generators, a child without new perfect extensions is added to `plain`, to
 * be reported later together with its siblings. `plain` is NULL if the set of the child was
 * reported before. */
LODE_NODISCARD lode_status child_enter(adaptive *a, const child_items *c, pending *plain);
/* Returns to the parent. */
void child_leave(adaptive *a, const child_items *c);

static inline item_list child_list(const child_items *c) {
    return (item_list){c->n, c->addable, c->ids, c->supports};
}

/* Whether there is anything below the child to search. */
static inline bool child_leads_on(const adaptive *a, const child_items *c) {
    return c->addable > 0 && !c->subsumed && a->path.n_prefix < a->wanted.max_size;
}

#endif
