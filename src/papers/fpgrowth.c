/* fpgrowth.c - the textbook search of conditional prefix trees
 *
 * Problem:  all frequent itemsets. A baseline for comparisons: plain, and on one thread.
 * Method:   an FP-tree stores transactions as paths from the root, the most frequent items first,
 *           so that transactions with equal beginnings share nodes. For each item, the paths above
 *           its nodes are the transactions of the next, conditional tree; items that are not
 *           frequent in them are left out.
 *
 *               a b c   a b d   a c             root ─ a:3 ┬ b:2 ┬ c:1
 *                                                          │     └ d:1
 *                                                          └ c:1       nodes of c: a b (1), a (1)
 *
 * Children: a hash table finds the child of a node. It exists only while a tree is built.
 * Wins:     on dense data, whose transactions share long paths; not against `adaptive`.
 * After:    Han, Pei, Yin, "Mining frequent patterns without candidate generation", SIGMOD 2000: a
 *           baseline on CPUs of several papers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "base/sort.h"
#include "itemsets/common/prepare.h"
#include "papers/depth_first.h"
#include "papers/horizontal.h"

#define NO_NODE   0                 /* the root: it has no item, and is on no list */
#define MAX_NODES ((size_t)1 << 30) /* of a tree, so that its hash table has 32-bit slots */

typedef struct fp_node {
    uint32_t item; /* its number in the tree; 0 is the most frequent */
    uint32_t parent;
    uint32_t next; /* the next node of the same item; NO_NODE = there is none */
    uint32_t count;
} fp_node;

/* The transactions of a class, over its members. */
typedef struct fp_tree {
    fp_node *nodes;
    size_t n_nodes, cap_nodes;
    vec_u32 first; /* by item: its first node */
    vec_u32 ids;   /* by item */
} fp_tree;

typedef struct fpgrowth {
    engine_task *task;
    mem *mem;
    vertical v;
    fp_tree *trees; /* by depth */
    size_t n_trees, cap_trees;
    uint32_t *counts; /* by item of the current tree; all 0 between trees */
    uint32_t *number; /* by item of the current tree: its number in the next one */
    vec_u32 touched;  /* items whose count is not 0 */
    vec_u32 path;     /* of a transaction, the most frequent item last */
    vec_u32 slots;    /* the hash table: nodes, NO_NODE = free */
    uint32_t mask;
} fpgrowth;

/* ---- building a tree ------------------------------------------------------------------------- */

/* Begins a tree over the members of a class, with at most `most` nodes besides the root. */
static lode_status tree_begin(fpgrowth *f, size_t depth, const depth_class *c, size_t most) {
    lode_status status = LODE_OK;
    if (depth == f->n_trees) {
        LODE_TRY(
            vec_grow(f->mem, (void **)&f->trees, f->n_trees, &f->cap_trees, 1, sizeof *f->trees));
        f->trees[f->n_trees++] = (fp_tree){0};
    }
    fp_tree *t = &f->trees[depth];
    t->n_nodes = 0;
    if (t->cap_nodes < most + 1) {
        LODE_TRY(
            vec_grow(f->mem, (void **)&t->nodes, 0, &t->cap_nodes, most + 1, sizeof *t->nodes));
    }
    t->nodes[t->n_nodes++] = (fp_node){.item = UINT32_MAX};
    t->first.n = t->ids.n = 0;
    for (size_t i = 0; i < c->n; i++) {
        LODE_TRY(vec_u32_push(f->mem, &t->first, NO_NODE));
        LODE_TRY(vec_u32_push(f->mem, &t->ids, c->members[i].item));
    }
    uint32_t size = 16;
    while (size < 2 * most) size *= 2;
    f->mask = size - 1;
    f->slots.n = 0;
    LODE_TRY(vec_u32_reserve(f->mem, &f->slots, size));
    memset(f->slots.data, 0, size * sizeof *f->slots.data);
done:
    return status;
}

/* The child of a node for an item, made if it does not exist. */
static uint32_t tree_child(fpgrowth *f, fp_tree *t, uint32_t parent, uint32_t item) {
    uint64_t mixed = ((uint64_t)parent << 32 | item) * 0x9e3779b97f4a7c15;
    uint32_t slot = (uint32_t)(mixed >> 32) & f->mask;
    uint32_t *slots = f->slots.data, node;
    while ((node = slots[slot]) != NO_NODE) {
        if (t->nodes[node].parent == parent && t->nodes[node].item == item) return node;
        slot = (slot + 1) & f->mask;
    }
    node = slots[slot] = (uint32_t)t->n_nodes++;
    t->nodes[node] = (fp_node){.item = item, .parent = parent, .next = t->first.data[item]};
    t->first.data[item] = node;
    return node;
}

/* Adds f->path `count` times. */
static void tree_add(fpgrowth *f, fp_tree *t, uint32_t count) {
    uint32_t node = 0;
    for (size_t i = f->path.n; i-- > 0;) {
        node = tree_child(f, t, node, f->path.data[i]);
        t->nodes[node].count += count;
    }
}

/* The tree of all transactions. The class at depth 0 has the most frequent item first. */
static lode_status tree_of_data(fpgrowth *f, const depth_class *c, const horizontal *rows) {
    lode_status status = LODE_OK;
    LODE_TRY(tree_begin(f, 0, c, rows->items.n));
    for (uint64_t k = 0; k < rows->n; k++) {
        size_t n = (size_t)(rows->offsets[k + 1] - rows->offsets[k]);
        const uint32_t *ranks = rows->items.data + rows->offsets[k];
        f->path.n = 0;
        LODE_TRY(vec_u32_reserve(f->mem, &f->path, n));
        for (size_t i = 0; i < n; i++) f->path.data[i] = f->v.n_items - 1 - ranks[i];
        f->path.n = n;
        tree_add(f, &f->trees[0], 1);
        if (k % 1024 == 0) LODE_TRY(job_check(f->task->job));
    }
done:
    return status;
}

/* ---- conditional trees ----------------------------------------------------------------------- */

/* Counts the items on the paths above the nodes of an item. *steps receives the sum of the lengths
 * of these paths. */
static lode_status count_above(fpgrowth *f, const fp_tree *t, uint32_t item, size_t *steps) {
    *steps = 0;
    f->touched.n = 0;
    lode_status status = vec_u32_reserve(f->mem, &f->touched, item);
    if (status != LODE_OK) return status;
    for (uint32_t n = t->first.data[item]; n != NO_NODE; n = t->nodes[n].next) {
        for (uint32_t up = t->nodes[n].parent; up != 0; up = t->nodes[up].parent) {
            uint32_t above = t->nodes[up].item;
            if (f->counts[above] == 0) f->touched.data[f->touched.n++] = above;
            f->counts[above] += t->nodes[n].count;
            ++*steps;
        }
    }
    return LODE_OK;
}

#define NO_ITEM UINT32_MAX

/* The tree at depth + 1: the paths above the nodes of an item, without infrequent items. */
static lode_status tree_above(fpgrowth *f, size_t depth, uint32_t item, const depth_class *members,
                              size_t most) {
    lode_status status = LODE_OK;
    LODE_TRY(tree_begin(f, depth + 1, members, most));
    const fp_tree *t = &f->trees[depth];
    LODE_TRY(vec_u32_reserve(f->mem, &f->path, item));
    for (uint32_t n = t->first.data[item]; n != NO_NODE; n = t->nodes[n].next) {
        f->path.n = 0;
        for (uint32_t up = t->nodes[n].parent; up != 0; up = t->nodes[up].parent) {
            uint32_t number = f->number[t->nodes[up].item];
            if (number != NO_ITEM) f->path.data[f->path.n++] = number;
        }
        tree_add(f, &f->trees[depth + 1], t->nodes[n].count);
    }
done:
    return status;
}

/* Chooses the items of the tree at depth + 1, which are the members of its class, from the counted
 * ones, and numbers them. `of`: the support of the prefix of this class. */
static lode_status choose_items(depth_first *d, size_t depth, uint32_t of) {
    lode_status status = LODE_OK;
    fpgrowth *f = d->state;
    uint32_t n_items = 0;
    sort_u32(f->touched.data, f->touched.n);
    for (size_t k = 0; k < f->touched.n; k++) {
        uint32_t item = f->touched.data[k];
        depth_member found = {f->trees[depth].ids.data[item], f->counts[item], n_items};
        bool is_member;
        LODE_TRY(depth_first_judge(d, depth + 1, of, found, &is_member));
        f->number[item] = is_member ? n_items++ : NO_ITEM;
    }
done:
    return status;
}

static lode_status extend_by_tree(depth_first *d, size_t depth, size_t at) {
    lode_status status = LODE_OK;
    fpgrowth *f = d->state;
    const depth_member member = d->classes[depth].members[at];
    uint32_t item = (uint32_t)member.place;
    f->touched.n = 0;
    if (item == 0) return LODE_OK; /* no item is above it */
    size_t most = 0;
    LODE_TRY(count_above(f, &f->trees[depth], item, &most));
    LODE_TRY(choose_items(d, depth, member.support));
    if (most > f->trees[depth].n_nodes) most = f->trees[depth].n_nodes;
    if (d->classes[depth + 1].n > 1) {
        LODE_TRY(tree_above(f, depth, item, &d->classes[depth + 1], most));
    }
done:
    for (size_t k = 0; k < f->touched.n; k++) f->counts[f->touched.data[k]] = 0;
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

static lode_status fpgrowth_prepare(fpgrowth *f, depth_first *d) {
    lode_status status = LODE_OK;
    horizontal rows = {0};
    LODE_TRY(prepare_rank(f->task, &f->v));
    LODE_TRY(mem_zalloc(f->mem, (void **)&f->counts, f->v.n_items * sizeof *f->counts));
    LODE_TRY(mem_zalloc(f->mem, (void **)&f->number, f->v.n_items * sizeof *f->number));
    LODE_TRY(depth_first_open(d, 0));
    for (uint32_t i = 0; i < f->v.n_items; i++) {
        uint32_t rank = f->v.n_items - 1 - i;
        LODE_TRY(depth_first_add(d, 0,
                                 (depth_member){f->v.ids[rank], (uint32_t)f->v.supports[rank], i}));
    }
    LODE_TRY(horizontal_read(f->task->job, &rows, f->task->items.data, &f->v));
    if (rows.items.n >= MAX_NODES) {
        status = job_fail(f->task->job, LODE_UNSUPPORTED,
                          "fpgrowth supports fewer than 2^30 occurrences of frequent items; use "
                          "another algorithm");
        goto done;
    }
    LODE_TRY(tree_of_data(f, &d->classes[0], &rows));
done:
    horizontal_free(f->mem, &rows);
    return status;
}

static void fpgrowth_free(fpgrowth *f) {
    for (size_t i = 0; i < f->n_trees; i++) {
        fp_tree *t = &f->trees[i];
        mem_free(f->mem, t->nodes, t->cap_nodes * sizeof *t->nodes);
        vec_u32_free(f->mem, &t->first);
        vec_u32_free(f->mem, &t->ids);
    }
    mem_free(f->mem, f->trees, f->cap_trees * sizeof *f->trees);
    mem_free(f->mem, f->counts, f->counts ? f->v.n_items * sizeof *f->counts : 0);
    mem_free(f->mem, f->number, f->number ? f->v.n_items * sizeof *f->number : 0);
    vec_u32_free(f->mem, &f->touched);
    vec_u32_free(f->mem, &f->path);
    vec_u32_free(f->mem, &f->slots);
    vertical_clear(&f->v);
}

static lode_status fpgrowth_run(engine_task *task) {
    lode_status status = LODE_OK;
    fpgrowth f = {.task = task, .mem = &task->job->mem};
    depth_first d = {.task = task, .state = &f, .extend = extend_by_tree};
    double start = os_seconds(), begin;
    LODE_TRY(fpgrowth_prepare(&f, &d));
    begin = os_seconds();
    task->report->times.preprocess = begin - start;
    status = depth_first_search(&d);
    task->report->times.counting = os_seconds() - begin;
done:
    depth_first_free(&d);
    fpgrowth_free(&f);
    return status;
}

/* The transactions, and a tree that shares nothing with its hash table. */
static uint64_t fpgrowth_need(const engine_sizes *s) {
    return s->data.n_transactions * sizeof(uint64_t) +
           s->data.n_occurrences * (sizeof(fp_node) + 5 * sizeof(uint32_t));
}

const lode_engine lode_engine_fpgrowth = {
    .name = "fpgrowth",
    .summary = "Baseline: depth-first over conditional prefix trees, as in textbooks.",
    .grows = true,
    .need = fpgrowth_need,
    .run = fpgrowth_run,
};
