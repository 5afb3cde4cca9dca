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

LODE_NODISCARD lode_status pending_take(adaptive *a, uint32_t room, pending *out);

static inline void pending_add(pending *p, uint32_t id, uint32_t support) {
    LODE_DEBUG_CHECK(p->n < p->room, "more than %u items are pending", p->room);
    p->ids[p->n] = id;
    p->supports[p->n++] = support;
}

LODE_NODISCARD lode_status pending_emit(adaptive *a, pending *p);

/* Reports prefix + id, with all perfect extensions. */
LODE_NODISCARD lode_status adaptive_emit_one(adaptive *a, uint32_t id, uint32_t support);

/* ---- the prefix with one more item ----------------------------------------------------------- */

typedef struct generators_node generators_node;

/* The position of the search for generators: see generators.h. NULL = a missing node. */
typedef struct generators_place {
    generators_node *node;
    generators_node **subsets; /* the prefix without its first item, its second, … */
} generators_place;

/* The items of a database when one of them was added. */
typedef struct child_items {
    uint32_t item, id, support;   /* the one added, and the support with it */
    uint32_t n_prefix, n_perfect; /* of the worker, before */
    generators_place outer;       /* the position before */
    uint32_t *numbers;            /* of the items that are left, in the parent; ascending */
    uint32_t *ids, *supports;
    uint32_t n, addable; /* as in item_list */
    uint32_t room;       /* capacity */
    bool subsumed;       /* an earlier item is in all transactions: no set from here on is closed */
} child_items;

void child_begin(const adaptive *a, const item_list *of, uint32_t item, child_items *c);
/* Makes room for n items. */
LODE_NODISCARD lode_status child_take(adaptive *a, uint32_t n, child_items *c);
/* Adds an item that is frequent in the child; perfect ones go to the worker's list. */
void child_add(adaptive *a, const item_list *of, child_items *c, uint32_t number, uint32_t support);
/* Drops the items that are useless for the target. */
LODE_NODISCARD lode_status child_filter(adaptive *a, child_items *c);
/* Reports what the target requires, and sets prefix and perfect extensions to those of the child.
 * With `plain` NULL, the item without perfect extensions was reported before. */
LODE_NODISCARD lode_status child_enter(adaptive *a, const child_items *c, pending *plain);
void child_leave(adaptive *a, const child_items *c);

static inline item_list child_list(const child_items *c) {
    return (item_list){c->n, c->addable, c->ids, c->supports};
}

/* Whether there is anything below the child to search. */
static inline bool child_leads_on(const adaptive *a, const child_items *c) {
    return c->addable > 0 && !c->subsumed && a->path.n_prefix < a->wanted.max_size;
}

#endif
