/* matchsets.c - which itemsets each transaction contains
 *
 * The sets are a tree of prefixes, laid out so that a node's descendants follow it and `after` says
 * where they end. A transaction marks its items; then one loop walks the tree forward: into a node
 * whose item is marked, over the descendants of another. Only the roots of the transaction's own
 * items are entered.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

typedef struct prefix_tree {
    int32_t *item;   /* of each node, in preorder */
    int32_t *set;    /* that ends there, or -1 */
    int32_t *after;  /* the node behind its descendants */
    int32_t *root;   /* by item: the node, or -1 */
    int64_t *marked; /* by item: the last transaction that had it, plus 1 */
    int32_t *path;   /* while the tree is built: the nodes of the last set */
    int32_t nodes;
} prefix_tree;

static void tree_free(prefix_tree *tree) {
    free(tree->item);
    free(tree->set);
    free(tree->after);
    free(tree->root);
    free(tree->marked);
    free(tree->path);
}

static bool tree_alloc(prefix_tree *tree, size_t nodes, size_t items) {
    tree->item = malloc((nodes + 1) * sizeof(int32_t));
    tree->set = malloc((nodes + 1) * sizeof(int32_t));
    tree->after = malloc((nodes + 1) * sizeof(int32_t));
    tree->path = malloc((nodes + 1) * sizeof(int32_t));
    tree->root = malloc((items + 1) * sizeof(int32_t));
    tree->marked = calloc(items + 1, sizeof(int64_t));
    return tree->item && tree->set && tree->after && tree->path && tree->root && tree->marked;
}

/* Adds a set behind one that precedes it in order; `shared` items are those of the one before. */
static void tree_add(prefix_tree *tree, const int32_t *items, int32_t count, int32_t shared,
                     int32_t set) {
    for (int32_t depth = shared; depth < count; depth++) {
        const int32_t node = tree->nodes++;
        tree->item[node] = items[depth];
        tree->set[node] = -1;
        tree->path[depth] = node;
        if (depth == 0) tree->root[items[0]] = node;
    }
    tree->set[tree->path[count - 1]] = set;
}

/* Builds the tree from sets in the order of their items. */
static void tree_build(prefix_tree *tree, const frames_sets *sets, const int64_t *order) {
    const int32_t *last = NULL;
    int32_t last_count = 0;
    for (Py_ssize_t i = 0; i < sets->count; i++) {
        const int32_t *items = sets->items + sets->offsets[order[i]];
        const int32_t count = (int32_t)(sets->offsets[order[i] + 1] - sets->offsets[order[i]]);
        int32_t shared = 0;
        while (shared < count && shared < last_count && items[shared] == last[shared]) shared++;
        for (int32_t depth = shared; depth < last_count; depth++) {
            tree->after[tree->path[depth]] = tree->nodes;
        }
        tree_add(tree, items, count, shared, (int32_t)order[i]);
        last = items;
        last_count = count;
    }
    for (int32_t depth = 0; depth < last_count; depth++) {
        tree->after[tree->path[depth]] = tree->nodes;
    }
}

/* Appends the sets below a root whose items are all marked. */
static bool tree_walk(const prefix_tree *tree, int32_t node, int64_t mark, frames_numbers *out) {
    const int32_t end = tree->after[node];
    while (node < end) {
        if (tree->marked[tree->item[node]] != mark) {
            node = tree->after[node];
            continue;
        }
        if (tree->set[node] >= 0 && !frames_push(out, tree->set[node])) return false;
        node++;
    }
    return true;
}

/* All rows; items above `highest` are in no set. */
static bool tree_match(prefix_tree *tree, const frames_sets *rows, int32_t highest, int64_t *starts,
                       frames_numbers *out) {
    starts[0] = 0;
    for (Py_ssize_t row = 0; row < rows->count; row++) {
        const int64_t end = rows->offsets[row + 1];
        for (int64_t i = rows->offsets[row]; i < end; i++) {
            if (rows->items[i] >= 0 && rows->items[i] <= highest) {
                tree->marked[rows->items[i]] = row + 1;
            }
        }
        for (int64_t i = rows->offsets[row]; i < end; i++) {
            const int32_t item = rows->items[i];
            const int32_t root = item >= 0 && item <= highest ? tree->root[item] : -1;
            if (root >= 0 && !tree_walk(tree, root, row + 1, out)) return false;
        }
        starts[row + 1] = (int64_t)out->count;
    }
    return true;
}

/* Whether sets are none empty, their items from 0 to `highest`, and `order` numbers of sets. */
static bool match_check(const frames_sets *sets, const frames_array *order, int32_t highest) {
    const int64_t *numbers = order->view.buf;
    bool fine = order->length == sets->count && highest >= 0 && highest < INT32_MAX &&
                sets->offsets[sets->count] < INT32_MAX;
    for (Py_ssize_t i = 0; fine && i < sets->count; i++) {
        fine =
            sets->offsets[i] < sets->offsets[i + 1] && numbers[i] >= 0 && numbers[i] < sets->count;
    }
    for (int64_t i = 0; fine && i < sets->offsets[sets->count]; i++) {
        fine = sets->items[i] >= 0 && sets->items[i] <= highest;
    }
    if (!fine) PyErr_SetString(PyExc_ValueError, "match_sets: sets by order were expected");
    return fine;
}

static PyObject *match_all(const frames_sets *sets, const int64_t *order, const frames_sets *rows,
                           int32_t highest) {
    prefix_tree tree = {0};
    frames_numbers out = {0};
    int64_t *starts = malloc(((size_t)rows->count + 1) * sizeof(int64_t));
    PyThreadState *thread = PyEval_SaveThread();
    bool fine = starts != NULL &&
                tree_alloc(&tree, (size_t)sets->offsets[sets->count], (size_t)highest + 1);
    if (fine) {
        memset(tree.root, 0xFF, ((size_t)highest + 1) * sizeof(int32_t));
        tree_build(&tree, sets, order);
        fine = tree_match(&tree, rows, highest, starts, &out);
    }
    tree_free(&tree);
    PyEval_RestoreThread(thread);
    if (fine) return frames_row_blocks(starts, rows->count, &out);
    free(starts);
    free(out.values);
    return PyErr_NoMemory();
}

/* match_sets(offsets, items, order, row offsets, row items, highest): for each row the numbers of
 * the sets that it contains. `order` is that of sort_rows(). */
PyObject *frames_match_sets(PyObject *module, PyObject *arguments) {
    (void)module;
    static const char *const names[5] = {"offsets", "items", "order", "row offsets", "row items"};
    static const size_t sizes[5] = {8, 4, 8, 8, 4};
    PyObject *given[5];
    int highest = 0;
    if (!PyArg_ParseTuple(arguments, "OOOOOi:match_sets", &given[0], &given[1], &given[2],
                          &given[3], &given[4], &highest)) {
        return NULL;
    }
    frames_array lent[5];
    int borrowed = 0;
    while (borrowed < 5 && frames_borrow(given[borrowed], sizes[borrowed], false, names[borrowed],
                                         &lent[borrowed])) {
        borrowed++;
    }
    PyObject *result = NULL;
    if (borrowed == 5 && frames_check_offsets(lent[0].view.buf, lent[0].length, lent[1].length) &&
        frames_check_offsets(lent[3].view.buf, lent[3].length, lent[4].length)) {
        const frames_sets sets = {lent[0].view.buf, lent[1].view.buf, lent[0].length - 1};
        const frames_sets rows = {lent[3].view.buf, lent[4].view.buf, lent[3].length - 1};
        if (match_check(&sets, &lent[2], highest)) {
            result = match_all(&sets, lent[2].view.buf, &rows, highest);
        }
    }
    while (borrowed > 0) PyBuffer_Release(&lent[--borrowed].view);
    return result;
}
