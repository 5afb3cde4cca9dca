/* walk.c - the search: a depth-first walk with one loop for all shapes
 *
 * The databases on the current path are a stack of nodes in the arena. The walk does not recurse,
 * because a branch may be as deep as a transaction is long. adaptive.h, "The life of a node",
 * describes the steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/walk.h"

#include "itemsets/adaptive/lattice.h"
#include "itemsets/adaptive/plan.h"
#include "itemsets/adaptive/rules.h"
#include "itemsets/adaptive/span.h"

/* A database in work, and the item of it whose branch is searched. */
typedef struct walk_node {
    struct walk_node *above; /* NULL: the first one */
    const shape_ops *ops;
    database db;
    pending plain;      /* children that are reported together when all items are done */
    uint32_t n_lattice; /* items that are left to a lattice: the first ones */
    uint32_t n_prefix;  /* of the worker, here */
    uint32_t end;       /* items from here on are left to others, or may not be added */
    uint32_t item;      /* the one that is added … */
    shape_child child;  /* … its child … */
    arena_mark mark;    /* … and the arena before */
    span_split split;
} walk_node;

/* ---- a database ------------------------------------------------------------------------------ */

/* For maximal sets: if all addable items together are frequent, no other set below can be maximal.
 * The set with all of them is maximal if no earlier item is frequent with it. */
static lode_status walk_look_ahead(adaptive *a, const database *db, bool *done) {
    lode_status status = LODE_OK;
    const item_list *items = &db->items;
    uint32_t support;
    bool earlier = false;
    LODE_TRY(a->shapes[db->shape]->together(a, db, &support, &earlier));
    *done = support >= adaptive_threshold(a);
    if (!*done || earlier) return LODE_OK;
    for (uint32_t i = 1; i < items->addable; i++)
        a->path.prefix[a->path.n_prefix++] = items->ids[i];
    status = adaptive_emit_one(a, items->ids[0], support);
    a->path.n_prefix -= items->addable - 1;
done:
    return status;
}

/* Items are added one by one from here on; the first ones are left to a lattice. */
static lode_status walk_begin_items(adaptive *a, walk_node *node, uint32_t n_lattice) {
    node->above = NULL;
    node->ops = a->shapes[node->db.shape];
    node->n_prefix = a->path.n_prefix;
    node->n_lattice = node->item = n_lattice;
    span_open(a, &node->split);
    return pending_take(a, node->db.items.addable - n_lattice, &node->plain);
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
    if (a->wanted.target == LODE_TARGET_MAXIMAL && ops->together)
        LODE_TRY(walk_look_ahead(a, db, &done));
    if (done) return LODE_OK;
    LODE_TRY(walk_begin_items(a, node, n_lattice));
    node->end = db->items.addable;
    *out = node;
done:
    return status;
}

/* All items have been added: completes the node. */
static lode_status walk_close(adaptive *a, walk_node *node) {
    lode_status status = LODE_OK;
    LODE_TRY(pending_emit(a, &node->plain));
    if (node->n_lattice > 0) LODE_TRY(lattice_search_first(a, &node->db, node->n_lattice));
    span_close(a, &node->split);
done:
    return status;
}

/* ---- a child --------------------------------------------------------------------------------- */

/* The rank of an item of a database, for other processes: items in every transaction come first. */
static uint32_t walk_rank(const adaptive *a, const database *db, uint32_t item) {
    return a->root.n_always + a->root.rank[db->items.ids[item]];
}

/* Copies the prefix of a node in an order that another process can follow: by descending rank. The
 * prefix of closed and maximal sets also contains perfect extensions, some of which come before the
 * item they were found with. */
static lode_status walk_copy_prefix(adaptive *a, uint32_t n, const uint32_t **out) {
    lode_status status = LODE_OK;
    uint32_t *copy;
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *copy, (void **)&copy));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = a->path.prefix[i], k = i;
        for (; k > 0 && a->root.rank[copy[k - 1]] < a->root.rank[id]; k--) copy[k] = copy[k - 1];
        copy[k] = id;
    }
    *out = copy;
done:
    return status;
}

/* Answers another process that asks for a branch: with branches that no worker has begun, or else
 * with half of the remaining items of the oldest node that has any. */
static lode_status walk_hand_out(adaptive *a, walk_node *node) {
    lode_status status = LODE_OK;
    const engine_branches *to = a->task->parts.branches;
    engine_branch b = {0};
    walk_node *oldest = NULL;
    if (!job_claim_ask(a->job)) return LODE_OK;
    if (a->sharing.giver->take(a->sharing.giver->run, &b)) return to->give(to->user, &b);
    for (; node; node = node->above) {
        if (node->item + 1 < node->end) oldest = node;
    }
    if (!oldest) {
        job_ask_again(a->job);
        return LODE_OK;
    }
    uint32_t next = oldest->item + 1, from = next + (oldest->end - next) / 2;
    arena_mark mark = arena_here(&a->arena);
    b = (engine_branch){.n_prefix = oldest->n_prefix};
    LODE_TRY(walk_copy_prefix(a, b.n_prefix, &b.prefix));
    b.first = walk_rank(a, &oldest->db, from);
    b.end = walk_rank(a, &oldest->db, oldest->end - 1) + 1;
    oldest->end = from;
    status = to->give(to->user, &b);
    arena_return(&a->arena, mark);
done:
    return status;
}

/* Searches below the child, or leaves its database to be worked on in *out. */
static lode_status walk_descend(adaptive *a, walk_node *node, walk_node **out) {
    lode_status status = LODE_OK;
    walk_node *below;
    LODE_TRY(arena_take(&a->arena, sizeof *below, (void **)&below));
    database *db = &below->db;
    db->shape = shape_of_child(a, &node->db, &node->child);
    db->items = child_list(&node->child.items);
    LODE_TRY(node->ops->make(a, &node->db, &node->child, db));
    LODE_VALIDATE(shape_validate(a, db));
    if (a->sharing.giver && job_is_asked(a->job)) LODE_TRY(walk_hand_out(a, node));
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
    if (a->wanted.rules && a->path.n_prefix < a->wanted.max_size) rules_drop_hopeless(a, c);
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

/* Ends the branch of a node's item. In a search of samples, what was found in this part is reported
 * before the next part begins. */
static lode_status walk_end_branch(adaptive *a, walk_node *node) {
    walk_leave(a, node);
    if (!a->wanted.sample || node->above) return LODE_OK;
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
    if (a->wanted.sample && !node->above && !part_enter(a, items->ids[item])) {
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
        if (node->item < node->end) {
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

lode_status walk_root(adaptive *a, const database *db, uint32_t item, bool reports) {
    lode_status status = LODE_OK;
    walk_node root = {.ops = a->shapes[db->shape], .db = *db, .item = item}, *below = NULL;
    pending single = {0};
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(adaptive_check(a));
    if (db->items.supports[item] < adaptive_threshold(a) || adaptive_ends(a)) return LODE_OK;
    if (!adaptive_may_add(a, db->items.ids[item])) return LODE_OK;
    if (a->wanted.sample && !part_enter_root(a, db->items.ids[item])) return LODE_OK;
    if (reports) LODE_TRY(pending_take(a, 1, &single));
    LODE_TRY(walk_enter(a, &root, reports ? &single : NULL, &below));
    LODE_TRY(walk_down(a, below));
    if (a->wanted.sample) a->out->part = 0;
    child_leave(a, &root.child.items);
    LODE_TRY(pending_emit(a, &single));
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

/* ---- branches of a search that is divided ---------------------------------------------------- */

/* A path from the root to a node, all of which is left together. */
typedef struct walk_path {
    arena_mark mark;
    walk_node root;
    const child_items *first, *last; /* the first child of the path, and the last; NULL: none */
    walk_node *end;                  /* the node it leads to; NULL: there is nothing below */
    pending own;
} walk_path;

static bool walk_holds(const adaptive *a, uint32_t id) {
    for (uint32_t i = 0; i < a->path.n_prefix; i++) {
        if (a->path.prefix[i] == id) return true;
    }
    for (uint32_t i = 0; i < a->path.n_perfect; i++) {
        if (a->path.perfect[i] == id) return true;
    }
    return false;
}

/* Whether a range has all items that can be added to a set whose rarest item is `id`. */
static bool walk_is_whole(const adaptive *a, const engine_branch *b, uint32_t id) {
    return b->first <= a->root.n_always && b->end >= (uint64_t)a->root.n_always + a->root.rank[id];
}

/* Enters the child of the node's item, like walk_enter(), but reports nothing unless the child is
 * the branch's own. */
static lode_status walk_follow(adaptive *a, walk_node *node, walk_path *path, bool own) {
    lode_status status = LODE_OK;
    child_items *c = &node->child.items;
    bool mute = a->path.mute;
    walk_node *below;
    path->end = NULL;
    child_begin(a, &node->db.items, node->item, c);
    LODE_TRY(node->ops->count(a, &node->db, &node->child));
    LODE_TRY(child_filter(a, c));
    a->path.mute = mute || !own;
    status = child_enter(a, c, own ? &path->own : NULL);
    a->path.mute = mute;
    LODE_TRY(status);
    path->last = c;
    if (!path->first) path->first = c;
    if (!child_leads_on(a, c)) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, sizeof *below, (void **)&below));
    *below = (walk_node){.db = {.shape = shape_of_child(a, &node->db, &node->child)}};
    below->db.items = child_list(c);
    LODE_TRY(node->ops->make(a, &node->db, &node->child, &below->db));
    LODE_VALIDATE(shape_validate(a, &below->db));
    below->ops = a->shapes[below->db.shape];
    path->end = below;
done:
    return status;
}

/* One step: to the child of an item of the prefix, if that is still frequent. */
static lode_status walk_to_child(adaptive *a, walk_path *path, uint32_t id, bool own) {
    walk_node *node = path->end;
    const item_list *items = &node->db.items;
    path->end = NULL;
    uint32_t i = 0;
    while (i < items->addable && items->ids[i] != id) i++;
    node->item = i;
    bool frequent =
        node->item < items->addable && items->supports[node->item] >= adaptive_threshold(a);
    if (!frequent) return LODE_OK; /* the threshold has risen: there is nothing any more */
    if (!adaptive_ends(a)) return walk_follow(a, node, path, own);
    return own ? adaptive_emit_one(a, id, items->supports[node->item]) : LODE_OK;
}

static lode_status walk_go(adaptive *a, const database *root, const engine_branch *b,
                           walk_path *path) {
    lode_status status = LODE_OK;
    *path = (walk_path){.mark = arena_here(&a->arena)};
    path->root = (walk_node){.ops = a->shapes[root->shape], .db = *root};
    path->end = &path->root;
    LODE_TRY(pending_take(a, 1, &path->own));
    for (uint32_t i = 0; i < b->n_prefix && path->end; i++) {
        uint32_t id = b->prefix[i];
        bool last = i + 1 == b->n_prefix;
        if (walk_holds(a, id)) continue; /* it is in all transactions of those before */
        if (a->root.rank[id] == NO_RANK) path->end = NULL;
        if (!path->end) break;
        a->path.one_by_one = !last || !walk_is_whole(a, b, id);
        LODE_TRY(walk_to_child(a, path, id, last && b->own));
    }
done:
    a->path.one_by_one = false;
    return status;
}

static lode_status walk_return(adaptive *a, walk_path *path) {
    if (path->last) child_leave(a, path->last);
    lode_status status = pending_emit(a, &path->own);
    if (path->first) child_leave(a, path->first);
    arena_return(&a->arena, path->mark);
    return status;
}

/* Opens the node at the end of a path for some of its items. A lattice is used only if the range
 * includes all of its first items. */
static lode_status walk_open_some(adaptive *a, walk_node *node, const engine_branch *b,
                                  walk_node **out) {
    lode_status status = LODE_OK;
    const database *db = &node->db;
    uint32_t n = db->items.addable, first = 0, end = n;
    while (first < n && walk_rank(a, db, first) < b->first) first++;
    while (end > first && walk_rank(a, db, end - 1) >= b->end) end--;
    if (first == 0 && end == n) return walk_open(a, node, out);
    uint32_t n_lattice = shape_lattice_items(a, db);
    bool lattice = first == 0 && end >= n_lattice;
    LODE_TRY(walk_begin_items(a, node, lattice ? n_lattice : 0));
    if (!lattice) node->item = first;
    node->end = end;
    *out = node;
done:
    return status;
}

lode_status walk_branch(adaptive *a, const database *root, const engine_branch *b) {
    lode_status status = LODE_OK;
    walk_path path;
    walk_node *node = NULL;
    LODE_TRY(adaptive_check(a));
    LODE_TRY(walk_go(a, root, b, &path));
    shape_kind shape = path.end ? path.end->db.shape : SHAPE_SINGLES;
    if (shape == SHAPE_LATTICE) {
        LODE_TRY(path.end->ops->search_whole(a, &path.end->db));
    } else if (shape != SHAPE_SINGLES) {
        LODE_TRY(walk_open_some(a, path.end, b, &node));
        LODE_TRY(walk_down(a, node));
    }
    status = walk_return(a, &path);
done:
    return status;
}

lode_status walk_survey(adaptive *a, const database *root, const engine_branch *b,
                        walk_found *found) {
    lode_status status = LODE_OK;
    walk_path path;
    LODE_TRY(walk_go(a, root, b, &path));
    found->items = path.end ? path.end->db.items : (item_list){0};
    found->items.n = found->items.addable;
    LODE_TRY(arena_take(&a->arena, (found->items.n + (size_t)1) * sizeof *found->weights,
                        (void **)&found->weights));
    if (path.end) {
        span_weigh(a, &found->items, a->path.support, 0, found->items.n, found->weights);
    }
    LODE_TRY(found->add(found));
    status = walk_return(a, &path);
done:
    return status;
}

/* ---- branches that change hands -------------------------------------------------------------- */

/* One block of memory: the record, then everything it points to. */
struct share_record {
    size_t bytes;
    uint32_t n_prefix, n_perfect;
    uint32_t support;
    double span;
    const uint32_t *prefix, *perfect;
    database db;
};

/* Copies what the record points to, or adds up how much that is. */
static void record_copy(const adaptive *a, share_record *r, copier *c) {
    item_list *items = &r->db.items;
    r->prefix = copier_put(c, r->prefix, r->n_prefix * sizeof *r->prefix);
    r->perfect = copier_put(c, r->perfect, r->n_perfect * sizeof *r->perfect);
    items->ids = copier_put(c, items->ids, items->n * sizeof *items->ids);
    items->supports = copier_put(c, items->supports, items->n * sizeof *items->supports);
    a->shapes[r->db.shape]->copy(&r->db, c);
}

static share_record *record_make(adaptive *a, const database *db) {
    share_record here = {.n_prefix = a->path.n_prefix,
                         .n_perfect = a->path.n_perfect,
                         .support = a->path.support,
                         .span = a->progress.span,
                         .prefix = a->path.prefix,
                         .perfect = a->path.perfect,
                         .db = *db};
    share_record *r = NULL;
    copier c = {0};
    copier_put(&c, &here, sizeof *r);
    record_copy(a, &here, &c);
    here.bytes = c.bytes;
    if (mem_resize(&a->job->mem, (void **)&r, 0, here.bytes) != LODE_OK) return NULL;
    c = (copier){.to = (char *)r};
    copier_put(&c, &here, sizeof *r);
    record_copy(a, r, &c);
    LODE_DEBUG_CHECK(c.bytes == here.bytes, "a branch needs %zu bytes, but %zu were allocated",
                     c.bytes, here.bytes);
    return r;
}

bool share_give(adaptive *a, const database *db) {
    share_record *r = record_make(a, db);
    if (!r) return false;
    if (tasks_offer(a->sharing.tasks, (tasks_item){.record = r})) {
        a->progress.span = 0; /* its taker retires it */
        return true;
    }
    share_free(&a->job->mem, r);
    return false;
}

const database *share_take(adaptive *a, const share_record *r) {
    if (r->n_prefix > 0) memcpy(a->path.prefix, r->prefix, r->n_prefix * sizeof *a->path.prefix);
    if (r->n_perfect > 0)
        memcpy(a->path.perfect, r->perfect, r->n_perfect * sizeof *a->path.perfect);
    a->path.n_prefix = r->n_prefix;
    a->path.n_perfect = r->n_perfect;
    a->path.support = r->support;
    a->progress.span = r->span;
    LODE_VALIDATE(shape_validate(a, &r->db));
    return &r->db;
}

void share_free(mem *m, share_record *r) {
    if (r) mem_free(m, r, r->bytes);
}
