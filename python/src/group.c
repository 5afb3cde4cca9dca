/* group.c - transactions from rows (transaction, item), by counting
 *
 * The rows of a transaction come in any order and need not be neighbours: how many each has is
 * counted, then every item goes to its place. Two passes, whatever the order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "pylode.h"

typedef struct group {
    const int64_t *rows;
    const uint32_t *items;
    size_t n_rows;
    uint64_t n; /* transactions */
    uint64_t *offsets;
    uint32_t *grouped;
} group;

/* False: a row has a number that is no transaction. */
static bool group_count(const group *g) {
    for (size_t i = 0; i < g->n_rows; i++) {
        if ((uint64_t)g->rows[i] >= g->n) return false;
        g->offsets[g->rows[i] + 1]++;
    }
    for (uint64_t t = 0; t < g->n; t++) g->offsets[t + 1] += g->offsets[t];
    return true;
}

/* While items are placed, offsets[t] moves from the beginning of its transaction to the end, where
 * the next one begins: so afterwards all move one place on. */
static void group_place(const group *g) {
    for (size_t i = 0; i < g->n_rows; i++) {
        g->grouped[g->offsets[g->rows[i]]++] = g->items[i];
    }
    for (uint64_t t = g->n; t > 0; t--) g->offsets[t] = g->offsets[t - 1];
    g->offsets[0] = 0;
}

static PyObject *group_done(group *g) {
    PyObject *offsets = block_new(g->offsets, (g->n + 1) * sizeof *g->offsets);
    PyObject *items = block_new(g->grouped, g->n_rows * sizeof *g->grouped);
    if (offsets && items) return Py_BuildValue("NN", offsets, items);
    Py_XDECREF(offsets);
    Py_XDECREF(items);
    return NULL;
}

static PyObject *group_work(group *g) {
    g->offsets = calloc(g->n + 1, sizeof *g->offsets);
    g->grouped = malloc(g->n_rows * sizeof *g->grouped + 1);
    bool memory = g->offsets && g->grouped, right = false;
    if (memory) {
        PyThreadState *thread = PyEval_SaveThread();
        right = group_count(g);
        if (right) group_place(g);
        PyEval_RestoreThread(thread);
    }
    if (right) return group_done(g);
    free(g->offsets);
    free(g->grouped);
    return memory ? run_refuse("a row is of no transaction") : PyErr_NoMemory();
}

static PyObject *group_rows(PyObject *module, PyObject *args) {
    PyObject *rows, *items, *grouped = NULL;
    Py_buffer row_view, item_view;
    unsigned long long n;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOK", &rows, &items, &n) ||
        !buffer_get(rows, &row_view, sizeof(int64_t), "rows")) {
        return NULL;
    }
    if (buffer_get(items, &item_view, sizeof(uint32_t), "items")) {
        group g = {row_view.buf, item_view.buf, (size_t)row_view.len / sizeof(int64_t), n,
                   NULL,         NULL};
        grouped = g.n_rows == (size_t)item_view.len / sizeof(uint32_t)
                      ? group_work(&g)
                      : run_refuse("expected an item for each row");
        PyBuffer_Release(&item_view);
    }
    PyBuffer_Release(&row_view);
    return grouped;
}

PyMethodDef group_functions[] = {
    {"group", group_rows, METH_VARARGS, "group(rows, items, n) -> (offsets, items)"},
    {NULL, NULL, 0, NULL},
};
