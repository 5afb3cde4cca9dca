/* store.c - results in files: lode's Arrow files, saved and loaded
 *
 * Saving writes buffers as they are, without a copy. Loading copies rows out of the mapped file, so
 * that the file may be replaced while its result is in use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "pylode.h"

/* ---- Saving ---- */

typedef struct store_buffers {
    Py_buffer offsets, items, counts, lhs, rhs, name_offsets, names;
} store_buffers;

static void store_release(store_buffers *b) {
    Py_buffer *all[] = {&b->offsets, &b->items,        &b->counts, &b->lhs,
                        &b->rhs,     &b->name_offsets, &b->names};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) PyBuffer_Release(all[i]);
}

/* A buffer of a dictionary; one that is None is empty. */
static int store_get(PyObject *columns, const char *name, Py_buffer *view, size_t bytes) {
    PyObject *object = PyDict_GetItemString(columns, name);
    return !object || object == Py_None || buffer_get(object, view, bytes, name);
}

static int store_get_all(store_buffers *b, PyObject *columns) {
    const size_t word = sizeof(uint64_t);
    return store_get(columns, "offsets", &b->offsets, word) &&
           store_get(columns, "items", &b->items, sizeof(uint32_t)) &&
           store_get(columns, "counts", &b->counts, word) &&
           store_get(columns, "body", &b->lhs, word) && store_get(columns, "head", &b->rhs, word) &&
           store_get(columns, "name_offsets", &b->name_offsets, word) &&
           store_get(columns, "names", &b->names, 1);
}

static uint64_t store_words(const Py_buffer *view) {
    return (uint64_t)view->len / sizeof(uint64_t);
}

/* Whether there are as many of all as the columns say; the library checks the rest. */
static int store_fits(const store_buffers *b, bool rules) {
    uint64_t n = store_words(&b->counts), lists = rules ? 2 * n : n;
    bool fits = store_words(&b->offsets) == lists + 1 && store_words(&b->name_offsets) > 0 &&
                (!rules || (store_words(&b->lhs) == n && store_words(&b->rhs) == n));
    if (fits) {
        const uint64_t *offsets = b->offsets.buf, *names = b->name_offsets.buf;
        fits = offsets[lists] == (uint64_t)b->items.len / sizeof(uint32_t) &&
               names[store_words(&b->name_offsets) - 1] == (uint64_t)b->names.len;
    }
    if (!fits) PyErr_SetString(PyExc_ValueError, "the columns have different lengths");
    return fits;
}

static lode_save_columns store_columns(const store_buffers *b, bool rules) {
    lode_save_columns c = LODE_INIT(lode_save_columns);
    c.n = store_words(&b->counts);
    c.offsets = b->offsets.buf;
    c.items = b->items.buf;
    c.counts = b->counts.buf;
    c.lhs = b->lhs.buf;
    c.rhs = b->rhs.buf;
    c.n_names = store_words(&b->name_offsets) - 1;
    c.name_offsets = b->name_offsets.buf;
    c.names = b->names.buf;
    c.kind = rules ? LODE_RULES : LODE_ITEMSETS;
    return c;
}

static PyObject *store_save(PyObject *module, PyObject *args) {
    const char *path;
    PyObject *columns, *outcome = NULL;
    unsigned long long total, min_count;
    int rules, ended;
    store_buffers b = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "yO!ppKK", &path, &PyDict_Type, &columns, &rules, &ended, &total,
                          &min_count)) {
        return NULL;
    }
    PyObject *none = PyList_New(0);
    run *r = none && store_get_all(&b, columns) && store_fits(&b, rules)
                 ? run_begin(NULL, LODE_OPTION_JOB, none, NULL)
                 : NULL;
    if (r) {
        lode_save_columns c = store_columns(&b, rules);
        c.total = total;
        c.min_count = min_count;
        c.ended = ended;
        run_release_gil(r);
        lode_status status = lode_store_save(r->job, path, &c);
        run_take_gil(r);
        outcome = run_outcome(r, status, NULL);
        run_free(r);
    }
    store_release(&b);
    Py_XDECREF(none);
    return outcome;
}

/* ---- Loading ---- */

typedef struct store_loaded {
    uint64_t *offsets, *counts[3]; /* of rules three: both, antecedent, consequent */
    uint32_t *items;
    uint64_t n_items, room;
} store_loaded;

static void store_free(store_loaded *l) {
    free(l->offsets);
    free(l->items);
    for (int i = 0; i < 3; i++) free(l->counts[i]);
}

/* Appends a list of items; 0 if there is no memory. */
static int store_put(store_loaded *l, const uint32_t *items, uint32_t n, uint64_t list) {
    if (l->n_items + n > l->room) {
        uint64_t room = 2 * (l->n_items + n);
        uint32_t *more = realloc(l->items, room * sizeof *more);
        if (!more) return 0;
        l->items = more;
        l->room = room;
    }
    if (n > 0) memcpy(l->items + l->n_items, items, n * sizeof *items);
    l->n_items += n;
    l->offsets[list + 1] = l->n_items;
    return 1;
}

static lode_status store_load_row(lode_store *store, store_loaded *l, uint64_t i, bool rules) {
    lode_store_row row = LODE_INIT(lode_store_row);
    lode_status status = lode_store_row_at(store, i, &row);
    if (status != LODE_OK) return status;
    int put = store_put(l, row.items, row.n_items, rules ? 2 * i : i) &&
              (!rules || store_put(l, row.rhs, row.n_rhs, 2 * i + 1));
    l->counts[0][i] = row.counts.both;
    l->counts[1][i] = row.counts.lhs;
    l->counts[2][i] = row.counts.rhs;
    return put ? LODE_OK : LODE_NOMEM;
}

static lode_status store_load_rows(lode_store *store, store_loaded *l,
                                   const lode_store_info *about) {
    bool rules = about->kind == LODE_RULES;
    uint64_t lists = rules ? 2 * about->rows : about->rows;
    lode_status status = LODE_OK;
    l->offsets = calloc(lists + 1, sizeof *l->offsets);
    l->items = malloc(sizeof *l->items);
    l->room = 1;
    bool room = l->offsets && l->items;
    for (int i = 0; i < 3; i++) {
        l->counts[i] = malloc(about->rows * sizeof(uint64_t) + 1);
        room = room && l->counts[i];
    }
    if (!room) return LODE_NOMEM;
    for (uint64_t i = 0; status == LODE_OK && i < about->rows; i++) {
        status = store_load_row(store, l, i, rules);
    }
    return status;
}

static PyObject *store_names(lode_store *store, uint32_t n) {
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < n; i++) {
        size_t bytes = 0;
        const char *name = lode_store_item_name(store, i, &bytes);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)bytes, "strict");
        if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* Makes (about, names, offsets, items, counts, antecedent, consequent); takes over the loaded
 * arrays. */
static PyObject *store_result(lode_store *store, store_loaded *l, const lode_store_info *about,
                              uint32_t n_names) {
    uint64_t lists = about->kind == LODE_RULES ? 2 * about->rows : about->rows;
    size_t counts = (size_t)about->rows * sizeof(uint64_t);
    PyObject *names = store_names(store, n_names);
    if (!names) return NULL;
    PyObject *made = Py_BuildValue(
        "(iKKO)NNNNNN", (int)about->kind, (unsigned long long)about->total,
        (unsigned long long)about->min_count, about->ended ? Py_True : Py_False, names,
        block_new(l->offsets, (size_t)(lists + 1) * sizeof(uint64_t)),
        block_new(l->items, (size_t)l->n_items * sizeof(uint32_t)), block_new(l->counts[0], counts),
        block_new(l->counts[1], counts), block_new(l->counts[2], counts));
    *l = (store_loaded){0};
    return made;
}

static PyObject *store_load(PyObject *module, PyObject *args) {
    const char *path;
    PyObject *made = NULL, *none;
    lode_store *store = NULL;
    lode_store_info about = LODE_INIT(lode_store_info);
    store_loaded loaded = {0};
    uint32_t n_names = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y", &path) || !(none = PyList_New(0))) return NULL;
    run *r = run_begin(NULL, LODE_OPTION_JOB, none, NULL);
    Py_DECREF(none);
    if (!r) return NULL;
    run_release_gil(r);
    lode_store_guard(); /* faulthandler may have been enabled since the last time */
    lode_status status = lode_store_open(r->job, &store, path);
    if (status == LODE_OK) lode_store_about(store, &about);
    bool graphs = status == LODE_OK && about.kind == LODE_GRAPHS;
    if (status == LODE_OK && !graphs) status = lode_store_items(store, &n_names);
    if (status == LODE_OK && !graphs) status = store_load_rows(store, &loaded, &about);
    if (status == LODE_OK) status = lode_store_check(store);
    run_take_gil(r);
    if (graphs) {
        run_refuse(
            "this file has graphs, which only `lode query` can show; expected itemsets or rules");
    } else if (status == LODE_OK) {
        made = store_result(store, &loaded, &about, n_names);
    }
    bool failed = graphs || (status == LODE_OK && !made);
    PyObject *outcome = failed ? NULL : run_outcome(r, status, made);
    store_free(&loaded);
    lode_store_free(store);
    run_free(r);
    return outcome;
}

PyMethodDef store_functions[] = {
    {"store_save", store_save, METH_VARARGS,
     "store_save(path, columns, rules, ended, total, min_count) -> outcome"},
    {"store_load", store_load, METH_VARARGS,
     "store_load(path) -> outcome of ((kind, total, min_count, ended), names, offsets, items, "
     "counts, body, head)"},
    {NULL, NULL, 0, NULL},
};
