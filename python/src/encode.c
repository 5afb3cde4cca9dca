/* encode.c - transactions from lists of lists: any iterable of iterables of items
 *
 * Items are integers, which stand for themselves, or strings and other hashable objects, which get
 * numbers in the order in which they come. All items of a data set must be of the same kind: a NaN,
 * a None or a number among strings is nearly always a mistake in the data, and the message says
 * where it is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "pylode.h"

#define SIGNALS_EVERY 4096 /* transactions between looks for Ctrl-C */

typedef enum item_kind { KIND_NONE, KIND_NUMBER, KIND_TEXT, KIND_OTHER } item_kind;

typedef struct encoder {
    uint64_t *offsets;
    size_t n, offsets_room; /* transactions so far */
    uint32_t *items;
    size_t n_items, items_room;
    item_kind kind;
    int as_names;    /* numbers are names, too */
    PyObject *codes; /* {name: code} */
    PyObject *names; /* in the order of the codes */
} encoder;

static const char *const kind_names[] = {"nothing", "integers", "strings", "other objects"};

/* ---- Growing arrays ---- */

static int encode_grow(void **array, size_t n, size_t *room, size_t bytes) {
    if (n < *room) return 0;
    size_t more = *room ? *room * 2 : 1024;
    void *moved = realloc(*array, more * bytes);
    if (!moved) {
        PyErr_NoMemory();
        return -1;
    }
    *array = moved;
    *room = more;
    return 0;
}

static int encode_push(encoder *e, uint32_t code) {
    if (encode_grow((void **)&e->items, e->n_items, &e->items_room, sizeof *e->items) != 0) {
        return -1;
    }
    e->items[e->n_items++] = code;
    return 0;
}

static int encode_end(encoder *e) {
    if (encode_grow((void **)&e->offsets, e->n + 1, &e->offsets_room, sizeof *e->offsets) != 0) {
        return -1;
    }
    e->offsets[++e->n] = e->n_items;
    return 0;
}

/* ---- One item ---- */

bool code_fits(Py_ssize_t code) {
    if (code >= 0 && (size_t)code <= UINT32_MAX) return true;
    PyErr_SetString(PyExc_ValueError, "more than 2^32 different names");
    return false;
}

static item_kind encode_kind(PyObject *item) {
    if (PyUnicode_Check(item)) return KIND_TEXT;
    if (PyBool_Check(item) || item == Py_None) return KIND_NONE;
    if (PyFloat_Check(item)) {
        double value = PyFloat_AsDouble(item);
        return value == value ? KIND_OTHER : KIND_NONE;
    }
    if (PyLong_Check(item) || PyIndex_Check(item)) return KIND_NUMBER;
    return KIND_OTHER;
}

static int encode_refuse(const encoder *e, PyObject *item, item_kind kind) {
    if (kind == KIND_NONE) {
        PyErr_Format(PyExc_TypeError,
                     "transaction %zu: %R is not an item; expected integers from 0, or strings",
                     e->n, item);
    } else {
        PyErr_Format(
            PyExc_TypeError,
            "transaction %zu has the item %R, but earlier items are %s; expected items of one kind",
            e->n, item, kind_names[e->kind]);
    }
    return -1;
}

static int encode_name(encoder *e, PyObject *item) {
    PyObject *known = PyDict_GetItemWithError(e->codes, item);
    if (known) return encode_push(e, (uint32_t)PyLong_AsUnsignedLong(known));
    if (PyErr_Occurred()) return -1;
    Py_ssize_t next = PyList_Size(e->names);
    if (!code_fits(next)) return -1;
    PyObject *code = PyLong_FromSsize_t(next);
    int failed =
        !code || PyDict_SetItem(e->codes, item, code) != 0 || PyList_Append(e->names, item) != 0;
    Py_XDECREF(code);
    return failed ? -1 : encode_push(e, (uint32_t)next);
}

/* A number that does not fit is an OverflowError, so that the package can try again with names. */
static int encode_number(encoder *e, PyObject *item) {
    PyObject *index = PyNumber_Index(item);
    int overflow = 0;
    long long value = index ? PyLong_AsLongLongAndOverflow(index, &overflow) : -1;
    if (!index || (value == -1 && PyErr_Occurred())) {
        Py_XDECREF(index);
        return -1;
    }
    int negative = overflow < 0 || (overflow == 0 && value < 0), failed = -1;
    if (negative) {
        PyErr_Format(PyExc_ValueError,
                     "transaction %zu: the item %R is negative; expected integers from 0, or "
                     "strings",
                     e->n, item);
    } else if (e->as_names) {
        failed = encode_name(e, index);
    } else if (overflow > 0 || value > (long long)UINT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "transaction %zu: the item %R is above 4294967295", e->n,
                     item);
    } else {
        failed = encode_push(e, (uint32_t)value);
    }
    Py_DECREF(index);
    return failed;
}

static int encode_item(encoder *e, PyObject *item) {
    item_kind kind = encode_kind(item);
    if (e->kind == KIND_NONE) e->kind = kind;
    if (kind == KIND_NONE || kind != e->kind) return encode_refuse(e, item, kind);
    return kind == KIND_NUMBER ? encode_number(e, item) : encode_name(e, item);
}

/* ---- Transactions ---- */

static int encode_no_transaction(const encoder *e, PyObject *transaction) {
    PyErr_Format(PyExc_TypeError,
                 "transaction %zu is %R; expected a list, set or other collection of items", e->n,
                 transaction);
    return -1;
}

static int encode_items_of(encoder *e, PyObject *iterator) {
    PyObject *item;
    while ((item = PyIter_Next(iterator))) {
        int failed = encode_item(e, item);
        Py_DECREF(item);
        if (failed) return -1;
    }
    return PyErr_Occurred() ? -1 : encode_end(e);
}

static int encode_transaction(encoder *e, PyObject *transaction) {
    if (PyUnicode_Check(transaction) || PyBytes_Check(transaction)) {
        return encode_no_transaction(e, transaction);
    }
    PyObject *iterator = PyObject_GetIter(transaction);
    if (!iterator) {
        PyErr_Clear();
        return encode_no_transaction(e, transaction);
    }
    int failed = encode_items_of(e, iterator);
    Py_DECREF(iterator);
    if (!failed && e->n % SIGNALS_EVERY == 0) failed = PyErr_CheckSignals();
    return failed;
}

static int encode_all(encoder *e, PyObject *source) {
    PyObject *iterator = PyObject_GetIter(source), *transaction;
    if (!iterator) return -1;
    int failed = 0;
    while (!failed && (transaction = PyIter_Next(iterator))) {
        failed = encode_transaction(e, transaction);
        Py_DECREF(transaction);
    }
    Py_DECREF(iterator);
    return failed || PyErr_Occurred() ? -1 : 0;
}

static PyObject *encode_done(encoder *e) {
    PyObject *offsets = block_new(e->offsets, (e->n + 1) * sizeof *e->offsets);
    PyObject *items = block_new(e->items, e->n_items * sizeof *e->items);
    e->offsets = NULL;
    e->items = NULL;
    int named = e->kind > KIND_NUMBER || (e->kind == KIND_NUMBER && e->as_names);
    if (offsets && items) return Py_BuildValue("NNO", offsets, items, named ? e->names : Py_None);
    Py_XDECREF(offsets);
    Py_XDECREF(items);
    return NULL;
}

static PyObject *encode_lists(PyObject *module, PyObject *args) {
    PyObject *source, *result = NULL;
    encoder e = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "Op", &source, &e.as_names)) return NULL;
    e.codes = PyDict_New();
    e.names = PyList_New(0);
    if (e.codes && e.names &&
        encode_grow((void **)&e.offsets, 0, &e.offsets_room, sizeof *e.offsets) == 0) {
        e.offsets[0] = 0;
        if (encode_all(&e, source) == 0) result = encode_done(&e);
    }
    free(e.offsets);
    free(e.items);
    Py_XDECREF(e.codes);
    Py_XDECREF(e.names);
    return result;
}

PyMethodDef encode_functions[] = {
    {"encode", encode_lists, METH_VARARGS,
     "encode(transactions, as_names) -> (offsets, items, names or None)"},
    {NULL, NULL, 0, NULL},
};

/* ---- transactions from rows (transaction, item), by counting --------------------------------- */

/* The rows of a transaction may come in any order and need not be neighbours. One pass counts the
 * rows of each transaction, and another puts every item in its place. */

typedef struct group {
    const int64_t *rows;
    const uint32_t *items;
    size_t n_rows;
    uint64_t n; /* transactions */
    uint64_t *offsets;
    uint32_t *grouped;
} group;

/* Counts rows per transaction. Returns false if a row has an invalid transaction number. */
static bool group_count(const group *g) {
    for (size_t i = 0; i < g->n_rows; i++) {
        if ((uint64_t)g->rows[i] >= g->n) return false;
        g->offsets[g->rows[i] + 1]++;
    }
    for (uint64_t t = 0; t < g->n; t++) g->offsets[t + 1] += g->offsets[t];
    return true;
}

/* While items are placed, offsets[t] moves from the beginning of its transaction to its end, where
 * the next one begins. So afterwards all offsets are shifted by one entry. */
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
    return memory ? run_refuse("a row belongs to no transaction") : PyErr_NoMemory();
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
                      : run_refuse("expected one item for each row");
        PyBuffer_Release(&item_view);
    }
    PyBuffer_Release(&row_view);
    return grouped;
}

PyMethodDef group_functions[] = {
    {"group", group_rows, METH_VARARGS, "group(rows, items, n) -> (offsets, items)"},
    {NULL, NULL, 0, NULL},
};
