/* match.c - finds the patterns that each transaction, or each graph, contains
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "frames.h"

/* ---- which itemsets each transaction contains ------------------------------------------------ */

/* The sets form a tree of prefixes, stored so that the descendants of a node follow it; `after` is
 * the index after the last of them. A transaction marks its items. Then one loop walks the tree
 * forward: it enters a node whose item is marked, and skips the descendants of others. Only roots
 * for items of the transaction are visited. */

typedef struct prefix_tree {
    int32_t *item;   /* of each node, in preorder */
    int32_t *set;    /* that ends there, or -1 */
    int32_t *after;  /* the node after its descendants */
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

/* Adds a set after the previous one in order; the first `shared` items are those of the previous
 * set. */
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

/* Whether no set is empty, items are from 0 to `highest`, and `order` contains numbers of sets. */
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
    if (!fine)
        PyErr_SetString(PyExc_ValueError, "match_sets: expected sets that are not empty, with "
                                          "items up to the highest, and the order of the sets");
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

/* ---- which subgraphs each graph contains ----------------------------------------------------- */

/* A pattern is found by placing its edges one after the other, each at a vertex that is already
 * placed, and backtracking if no edge of the graph fits. Patterns are small and connected, and
 * labels differ, so nothing more elaborate is needed.
 *
 * Labels are numbers from 0; a label that occurs in a graph but in no pattern is -1. */

/* Many graphs: as six arrays lent by the caller. */
typedef struct graph_list {
    frames_array lent[6]; /* vertex offsets, labels; edge offsets, from, to, labels */
    int borrowed;
    Py_ssize_t count;
} graph_list;

typedef struct graph_view {
    const int32_t *labels, *from, *to, *kinds;
    int32_t vertices, edges;
} graph_view;

static const char *const graph_arrays[6] = {
    "vertex offsets", "vertex labels", "edge offsets", "from", "to", "edge labels"};

static graph_view graph_at(const graph_list *list, Py_ssize_t i) {
    const int64_t *vertices = list->lent[0].view.buf;
    const int64_t *edges = list->lent[2].view.buf;
    return (graph_view){
        .labels = (const int32_t *)list->lent[1].view.buf + vertices[i],
        .from = (const int32_t *)list->lent[3].view.buf + edges[i],
        .to = (const int32_t *)list->lent[4].view.buf + edges[i],
        .kinds = (const int32_t *)list->lent[5].view.buf + edges[i],
        .vertices = (int32_t)(vertices[i + 1] - vertices[i]),
        .edges = (int32_t)(edges[i + 1] - edges[i]),
    };
}

static void graphs_release(graph_list *list) {
    while (list->borrowed > 0) PyBuffer_Release(&list->lent[--list->borrowed].view);
}

/* Whether the ends of all edges are vertices; false with ValueError set. */
static bool graphs_check(const graph_list *list) {
    for (Py_ssize_t i = 0; i < list->count; i++) {
        const graph_view graph = graph_at(list, i);
        for (int32_t e = 0; e < graph.edges; e++) {
            if (graph.from[e] < 0 || graph.from[e] >= graph.vertices || graph.to[e] < 0 ||
                graph.to[e] >= graph.vertices) {
                PyErr_Format(PyExc_ValueError,
                             "graph %zd: edge %d has a vertex that does not exist", i, (int)e);
                return false;
            }
        }
    }
    return true;
}

static bool graphs_borrow(PyObject *tuple, graph_list *list) {
    PyObject *arrays[6];
    if (!PyArg_ParseTuple(tuple, "OOOOOO", &arrays[0], &arrays[1], &arrays[2], &arrays[3],
                          &arrays[4], &arrays[5])) {
        return false;
    }
    while (list->borrowed < 6) {
        const int i = list->borrowed;
        const size_t size = i == 0 || i == 2 ? sizeof(int64_t) : sizeof(int32_t);
        if (!frames_borrow(arrays[i], size, false, graph_arrays[i], &list->lent[i])) return false;
        list->borrowed++;
    }
    const frames_array *lent = list->lent;
    list->count = lent[0].length - 1;
    if (lent[2].length != lent[0].length || lent[3].length != lent[4].length ||
        lent[3].length != lent[5].length) {
        PyErr_SetString(PyExc_ValueError, "graphs: expected arrays of matching lengths");
        return false;
    }
    return frames_check_offsets(lent[0].view.buf, lent[0].length, lent[1].length) &&
           frames_check_offsets(lent[2].view.buf, lent[2].length, lent[3].length) &&
           graphs_check(list);
}

/* An edge as it is seen from one of its ends. */
typedef struct graph_arc {
    int32_t end, kind;
    int32_t out; /* 1: the edge goes out of this end; 0: into it; of undirected ones always 1 */
} graph_arc;

/* The graph at hand by its vertices, and the state of a search in it. */
typedef struct graph_match {
    graph_view graph, pattern;
    int32_t *starts; /* of each vertex's arcs */
    graph_arc *arcs;
    int32_t *placed; /* by pattern vertex: its place, or -1 */
    bool *taken;     /* by graph vertex */
    int32_t *plan;   /* the pattern's edges in an order in which each touches one before */
    bool directed;
} graph_match;

static void match_free(graph_match *match) {
    free(match->starts);
    free(match->arcs);
    free(match->placed);
    free(match->taken);
    free(match->plan);
}

/* Room for the largest graph and the largest pattern. */
static bool match_alloc(graph_match *match, const graph_list *patterns, const graph_list *graphs) {
    size_t vertices = 1;
    size_t edges = 1;
    for (int which = 0; which < 2; which++) {
        const graph_list *list = which == 0 ? patterns : graphs;
        for (Py_ssize_t i = 0; i < list->count; i++) {
            const graph_view one = graph_at(list, i);
            if ((size_t)one.vertices > vertices) vertices = (size_t)one.vertices;
            if ((size_t)one.edges > edges) edges = (size_t)one.edges;
        }
    }
    match->starts = malloc((vertices + 2) * sizeof(int32_t));
    match->arcs = malloc(2 * edges * sizeof(graph_arc));
    match->placed = malloc(vertices * sizeof(int32_t));
    match->taken = malloc(vertices * sizeof(bool));
    match->plan = malloc(edges * sizeof(int32_t));
    return match->starts && match->arcs && match->placed && match->taken && match->plan;
}

/* Sorts the arcs of the graph at hand by vertex; those of v are then from starts[v] on. */
static void match_index_graph(graph_match *match) {
    const graph_view *graph = &match->graph;
    int32_t *starts = match->starts;
    memset(starts, 0, ((size_t)graph->vertices + 2) * sizeof(int32_t));
    for (int32_t e = 0; e < graph->edges; e++) {
        starts[graph->from[e] + 2]++;
        starts[graph->to[e] + 2]++;
    }
    for (int32_t v = 0; v < graph->vertices; v++) starts[v + 2] += starts[v + 1];
    for (int32_t e = 0; e < graph->edges; e++) {
        const int32_t a = graph->from[e];
        const int32_t b = graph->to[e];
        match->arcs[starts[a + 1]++] = (graph_arc){b, graph->kinds[e], 1};
        match->arcs[starts[b + 1]++] = (graph_arc){a, graph->kinds[e], match->directed ? 0 : 1};
    }
    memset(match->taken, 0, (size_t)graph->vertices * sizeof(bool));
}

/* Orders the pattern's edges so that each but the first touches an earlier one; returns false if
 * the pattern is not connected. `placed` holds the marks. */
static bool match_make_plan(graph_match *match) {
    const graph_view *pattern = &match->pattern;
    int32_t *seen = match->placed;
    memset(seen, 0, (size_t)pattern->vertices * sizeof(int32_t));
    int32_t planned = 0;
    for (int32_t e = 0; e < pattern->edges; e++) match->plan[e] = e;
    while (planned < pattern->edges) {
        int32_t at = planned;
        while (planned > 0 && at < pattern->edges && !seen[pattern->from[match->plan[at]]] &&
               !seen[pattern->to[match->plan[at]]]) {
            at++;
        }
        if (at == pattern->edges) return false;
        const int32_t edge = match->plan[at];
        match->plan[at] = match->plan[planned];
        match->plan[planned++] = edge;
        seen[pattern->from[edge]] = seen[pattern->to[edge]] = 1;
    }
    memset(match->placed, 0xFF, (size_t)pattern->vertices * sizeof(int32_t));
    return true;
}

/* Whether the graph has an arc of a kind between two places. */
static bool match_has_arc(const graph_match *match, int32_t a, int32_t b, int32_t kind) {
    for (int32_t i = match->starts[a]; i < match->starts[a + 1]; i++) {
        const graph_arc *arc = &match->arcs[i];
        if (arc->end == b && arc->kind == kind && arc->out) return true;
    }
    return false;
}

static bool match_from(graph_match *match, int32_t step);

/* Tries a vertex of the pattern at a place, and what follows. */
static bool match_try(graph_match *match, int32_t vertex, int32_t place, int32_t step) {
    if (match->taken[place] || match->graph.labels[place] != match->pattern.labels[vertex]) {
        return false;
    }
    match->placed[vertex] = place;
    match->taken[place] = true;
    const bool found = match_from(match, step);
    match->taken[place] = false;
    match->placed[vertex] = -1;
    return found;
}

/* Places the free end of an edge by the arcs of the other end. */
static bool match_free_end(graph_match *match, int32_t step, int32_t anchor, int32_t vertex,
                           int32_t out) {
    const int32_t kind = match->pattern.kinds[match->plan[step]];
    const int32_t place = match->placed[anchor];
    for (int32_t i = match->starts[place]; i < match->starts[place + 1]; i++) {
        const graph_arc *arc = &match->arcs[i];
        if (arc->kind == kind && arc->out == out && match_try(match, vertex, arc->end, step + 1)) {
            return true;
        }
    }
    return false;
}

/* Places a vertex anywhere. */
static bool match_anywhere(graph_match *match, int32_t vertex, int32_t step) {
    for (int32_t place = 0; place < match->graph.vertices; place++) {
        if (match_try(match, vertex, place, step)) return true;
    }
    return false;
}

/* Whether the edges from `step` on can be placed. */
static bool match_from(graph_match *match, int32_t step) {
    const graph_view *pattern = &match->pattern;
    if (step == pattern->edges) return true;
    const int32_t edge = match->plan[step];
    const int32_t a = pattern->from[edge];
    const int32_t b = pattern->to[edge];
    if (match->placed[a] >= 0 && match->placed[b] >= 0) {
        return match_has_arc(match, match->placed[a], match->placed[b], pattern->kinds[edge]) &&
               match_from(match, step + 1);
    }
    if (match->placed[a] >= 0) return match_free_end(match, step, a, b, 1);
    if (match->placed[b] >= 0) return match_free_end(match, step, b, a, match->directed ? 0 : 1);
    return match_anywhere(match, a, step);
}

/* Whether the graph at hand contains the pattern at hand. */
static bool match_contains(graph_match *match) {
    const graph_view *pattern = &match->pattern;
    if (pattern->vertices > match->graph.vertices || pattern->edges > match->graph.edges ||
        pattern->vertices == 0 || !match_make_plan(match)) {
        return false;
    }
    return pattern->edges == 0 ? match_anywhere(match, 0, 0) : match_from(match, 0);
}

static bool match_lists(const graph_list *patterns, const graph_list *graphs, bool directed,
                        int64_t *starts, frames_numbers *out) {
    graph_match match = {.directed = directed};
    bool fine = match_alloc(&match, patterns, graphs);
    starts[0] = 0;
    for (Py_ssize_t g = 0; fine && g < graphs->count; g++) {
        match.graph = graph_at(graphs, g);
        match_index_graph(&match);
        for (Py_ssize_t p = 0; fine && p < patterns->count; p++) {
            match.pattern = graph_at(patterns, p);
            fine = !match_contains(&match) || frames_push(out, (int32_t)p);
        }
        starts[g + 1] = (int64_t)out->count;
    }
    match_free(&match);
    return fine;
}

static PyObject *match_borrowed(const graph_list *patterns, const graph_list *graphs,
                                bool directed) {
    frames_numbers out = {0};
    int64_t *starts = malloc(((size_t)graphs->count + 1) * sizeof(int64_t));
    PyThreadState *thread = PyEval_SaveThread();
    const bool fine = starts != NULL && match_lists(patterns, graphs, directed, starts, &out);
    PyEval_RestoreThread(thread);
    if (fine) return frames_row_blocks(starts, graphs->count, &out);
    free(starts);
    free(out.values);
    return PyErr_NoMemory();
}

/* match_graphs(patterns, graphs, directed): for each graph the numbers of the patterns that it
 * contains. Patterns and graphs are tuples of six arrays: graph_arrays. */
PyObject *frames_match_graphs(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *given[2];
    int directed = 0;
    if (!PyArg_ParseTuple(arguments, "O!O!p:match_graphs", &PyTuple_Type, &given[0], &PyTuple_Type,
                          &given[1], &directed)) {
        return NULL;
    }
    graph_list patterns = {0};
    graph_list graphs = {0};
    PyObject *result = NULL;
    if (graphs_borrow(given[0], &patterns) && graphs_borrow(given[1], &graphs)) {
        result = match_borrowed(&patterns, &graphs, directed != 0);
    }
    graphs_release(&patterns);
    graphs_release(&graphs);
    return result;
}
