/* walk.c - the search: a depth-first walk with one loop for all shapes
 *
 * The databases in work are a stack of nodes in the arena, because a branch may be as deep as a
 * transaction is long. What is done to a node is told in adaptive.h, "the life of a node".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "adaptive/walk.h"

#include "adaptive/lattice.h"
#include "adaptive/part.h"
#include "adaptive/rules.h"
#include "adaptive/share.h"
#include "adaptive/span.h"

/* A database in work, and the item of it whose branch is searched. */
typedef struct walk_node {
    struct walk_node *above; /* NULL: the first one */
    const shape_ops *ops;
    database db;
    pending plain;      /* children that are reported together when all items are done */
    uint32_t n_lattice; /* items that are left to a lattice: the first ones */
    uint32_t item;      /* the one that is added … */
    shape_child child;  /* … what it led to … */
    arena_mark mark;    /* … and the arena before */
    span_split split;
} walk_node;

/* ---- a database ------------------------------------------------------------------------------ */

/* For maximal sets: if all addable items together are frequent, no other set below can be maximal,
 * and this one is if no earlier item is frequent with it. */
static lode_status walk_look_ahead(adaptive *a, const database *db, bool *done) {
    lode_status status = LODE_OK;
    const item_list *items = &db->items;
    uint32_t support;
    bool earlier = false;
    LODE_TRY(a->shapes[db->shape]->together(a, db, &support, &earlier));
    *done = support >= adaptive_threshold(a);
    if (!*done || earlier) return LODE_OK;
    for (uint32_t i = 1; i < items->addable; i++) a->prefix[a->n_prefix++] = items->ids[i];
    status = adaptive_emit_one(a, items->ids[0], support);
    a->n_prefix -= items->addable - 1;
done:
    return status;
}

/* Opens a node that has got its database; leaves it in *out if items are to be added one by one. */
static lode_status walk_open(adaptive *a, walk_node *node, walk_node **out) {
    lode_status status = LODE_OK;
    const database *db = &node->db;
    const shape_ops *ops = a->shapes[db->shape];
    uint32_t n_lattice = shape_lattice_items(a, db);
    bool done = false;
    if (!ops->node_per_child) LODE_TRY(adaptive_check(a));
    if (n_lattice == db->items.addable) return lattice_search_first(a, db, n_lattice);
    if (a->target == LODE_TARGET_MAXIMAL && ops->together) LODE_TRY(walk_look_ahead(a, db, &done));
    if (done) return LODE_OK;
    node->above = NULL;
    node->ops = ops;
    node->n_lattice = node->item = n_lattice;
    span_open(a, &node->split);
    LODE_TRY(pending_take(a, db->items.addable - n_lattice, &node->plain));
    *out = node;
done:
    return status;
}

/* All items have been added: what is left of the node. */
static lode_status walk_close(adaptive *a, walk_node *node) {
    lode_status status = LODE_OK;
    LODE_TRY(pending_emit(a, &node->plain));
    if (node->n_lattice > 0) LODE_TRY(lattice_search_first(a, &node->db, node->n_lattice));
    span_close(a, &node->split);
done:
    return status;
}

/* ---- a child --------------------------------------------------------------------------------- */

/* Searches below the child, or leaves its database to be worked on in *out. */
static lode_status walk_descend(adaptive *a, walk_node *node, walk_node **out) {
    lode_status status = LODE_OK;
    walk_node *below;
    LODE_TRY(arena_take(&a->arena, sizeof *below, (void **)&below));
    database *db = &below->db;
    db->shape = shape_of_child(a, &node->db, &node->child);
    db->items = child_list(&node->child.items);
    LODE_TRY(node->ops->make(a, &node->db, &node->child, db));
    if (db->shape == SHAPE_SINGLES) return LODE_OK;
    if (db->shape == SHAPE_LATTICE) return a->shapes[SHAPE_LATTICE]->search_whole(a, db);
    if (node->ops->gives_children && share_is_wanted(a) && share_give(a, db)) return LODE_OK;
    status = walk_open(a, below, out);
done:
    return status;
}

/* Goes to the child of the node's item. */
static lode_status walk_enter(adaptive *a, walk_node *node, pending *plain, walk_node **out) {
    lode_status status = LODE_OK;
    child_items *c = &node->child.items;
    child_begin(a, &node->db.items, node->item, c);
    LODE_TRY(node->ops->count(a, &node->db, &node->child));
    LODE_TRY(child_filter(a, c));
    LODE_TRY(child_enter(a, c, plain));
    if (a->rules) rules_drop_hopeless(a, c);
    if (child_leads_on(a, c)) status = walk_descend(a, node, out);
done:
    return status;
}

static void walk_leave(adaptive *a, walk_node *node) {
    span_leave(a);
    child_leave(a, &node->child.items);
    arena_return(&a->arena, node->mark);
    node->item++;
}

/* The branch of a node's item has been searched. Where only parts are: what was found in this one
 * is reported before another part begins. */
static lode_status walk_end_branch(adaptive *a, walk_node *node) {
    walk_leave(a, node);
    if (!a->sample || node->above) return LODE_OK;
    lode_status status = pending_emit(a, &node->plain);
    part_leave(a);
    return status;
}

/* Takes the next item of a node; *out is what to go on with, if that is not the node. */
static lode_status walk_next(adaptive *a, walk_node *node, walk_node **out) {
    const item_list *items = &node->db.items;
    uint32_t item = node->item, support = items->supports[item];
    bool frequent = support >= adaptive_threshold(a) && adaptive_may_add(a, items->ids[item]);
    if (!frequent || adaptive_ends(a)) {
        if (frequent) pending_add(&node->plain, items->ids[item], support);
        node->item++;
        return LODE_OK;
    }
    if (a->sample && !node->above && !part_enter(a, items->ids[item])) {
        node->item++;
        return LODE_OK;
    }
    span_enter(a, &node->split, items, item, items->addable);
    node->mark = arena_here(&a->arena);
    lode_status status = node->ops->node_per_child ? adaptive_check(a) : LODE_OK;
    if (status == LODE_OK) status = walk_enter(a, node, &node->plain, out);
    if (status == LODE_OK && !*out) status = walk_end_branch(a, node);
    return status;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Works off a node and everything below it. */
static lode_status walk_down(adaptive *a, walk_node *node) {
    lode_status status = LODE_OK;
    while (node) {
        walk_node *below = NULL;
        if (node->item < node->db.items.addable) {
            LODE_TRY(walk_next(a, node, &below));
            if (!below) continue;
            below->above = node;
            node = below;
        } else {
            LODE_TRY(walk_close(a, node));
            node = node->above;
            if (node) LODE_TRY(walk_end_branch(a, node));
        }
    }
done:
    return status;
}

lode_status walk_search(adaptive *a, const database *db) {
    lode_status status = LODE_OK;
    walk_node first = {.db = *db}, *node = NULL;
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(walk_open(a, &first, &node));
    LODE_TRY(walk_down(a, node));
    arena_return(&a->arena, mark);
done:
    return status;
}

lode_status walk_root(adaptive *a, const database *db, uint32_t item) {
    lode_status status = LODE_OK;
    walk_node root = {.ops = a->shapes[db->shape], .db = *db, .item = item}, *below = NULL;
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(adaptive_check(a));
    if (db->items.supports[item] < adaptive_threshold(a) || adaptive_ends(a)) return LODE_OK;
    if (!adaptive_may_add(a, db->items.ids[item])) return LODE_OK;
    if (a->sample && !part_enter_root(a, db->items.ids[item])) return LODE_OK;
    LODE_TRY(walk_enter(a, &root, NULL, &below));
    LODE_TRY(walk_down(a, below));
    if (a->sample) a->out->part = 0;
    child_leave(a, &root.child.items);
    arena_return(&a->arena, mark);
done:
    return status;
}

lode_status walk_probe(adaptive *a, const database *db, uint32_t item, double *work) {
    const shape_ops *ops = a->shapes[db->shape];
    shape_child c;
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, item, &c.items);
    lode_status status = ops->count(a, db, &c);
    if (status == LODE_OK) status = span_weigh_child(a, &c.items, work);
    if (status == LODE_OK) *work += ops->open_cost(db, &c);
    child_leave(a, &c.items);
    arena_return(&a->arena, mark);
    return status;
}
