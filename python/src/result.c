/* result.c - the result of a job: columns that Python reads without a copy, and the report
 *
 * A Result owns the sink with the patterns and the job behind it. Python gets its columns as Column
 * objects, which keep a reference to the Result, so that nothing is copied and nothing is freed too
 * early.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "pylode.h"

typedef struct result_object {
    PyObject_HEAD run *run;
    lode_sink *sink;
    int kind; /* lode_pattern_kind */
} result_object;

static PyTypeObject *result_type;

static void result_dealloc(PyObject *self) {
    result_object *result = (result_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    lode_sink_free(result->sink);
    run_free(result->run);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *result_new(run *r, lode_sink *sink, int kind) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(result_type, Py_tp_alloc);
    result_object *result = (result_object *)alloc(result_type, 0);
    if (!result) {
        lode_sink_free(sink);
        run_free(r);
        return NULL;
    }
    result->run = r;
    result->sink = sink;
    result->kind = kind;
    return (PyObject *)result;
}

PyObject *result_outcome(run *r, lode_status status, lode_sink *sink, int kind) {
    if (run_delivers(status)) {
        PyObject *result = result_new(r, sink, kind);
        return result ? run_outcome(r, status, result) : NULL;
    }
    PyObject *outcome = run_outcome(r, status, NULL);
    lode_sink_free(sink);
    run_free(r);
    return outcome;
}

/* ---- Columns ---- */

/* Adds a column to a dictionary; an array that is NULL becomes None, if there are patterns. */
static int result_add(PyObject *columns, PyObject *owner, const char *name, const void *array,
                      uint64_t bytes) {
    PyObject *column;
    if (array || bytes == 0) {
        column = column_new(owner, array, bytes);
    } else {
        Py_INCREF(Py_None);
        column = Py_None;
    }
    int failed = !column || PyDict_SetItemString(columns, name, column) != 0;
    Py_XDECREF(column);
    return failed;
}

static uint64_t result_last(const uint64_t *offsets, uint64_t n) {
    return offsets ? offsets[n] : 0;
}

static int result_add_itemsets(PyObject *columns, PyObject *self, const lode_sink *sink) {
    lode_result r = LODE_INIT(lode_result);
    lode_sink_result(sink, &r);
    uint64_t n_items = result_last(r.offsets, r.n);
    return result_add(columns, self, "supports", r.supports, r.n * sizeof(uint64_t)) ||
           result_add(columns, self, "offsets", r.offsets, (r.n + 1) * sizeof(uint64_t)) ||
           result_add(columns, self, "items", r.items, n_items * sizeof(uint32_t));
}

static int result_add_rules(PyObject *columns, PyObject *self, const lode_sink *sink) {
    lode_rule_result r = LODE_INIT(lode_rule_result);
    lode_rule_sink_result(sink, &r);
    uint64_t n_items = result_last(r.offsets, 2 * r.n), counts = r.n * sizeof(uint64_t),
             reals = r.n * sizeof(double);
    return result_add(columns, self, "offsets", r.offsets, (2 * r.n + 1) * sizeof(uint64_t)) ||
           result_add(columns, self, "items", r.items, n_items * sizeof(uint32_t)) ||
           result_add(columns, self, "both", r.both, counts) ||
           result_add(columns, self, "body", r.lhs, counts) ||
           result_add(columns, self, "head", r.rhs, counts) ||
           result_add(columns, self, "best_confidence", r.best_confidence, reals) ||
           result_add(columns, self, "best_lift", r.best_lift, reals) ||
           result_add(columns, self, "adjusted_p", r.adjusted_p, reals) ||
           result_add(columns, self, "held_out", r.held_out, r.n * sizeof *r.held_out);
}

static int result_add_places(PyObject *columns, PyObject *self, const lode_graph_result *r) {
    uint64_t offsets = (r->n + 1) * sizeof(uint64_t);
    uint64_t supporters = result_last(r->supporter_offsets, r->n),
             embeddings = result_last(r->embedding_offsets, r->n),
             places = result_last(r->place_offsets, r->n);
    return result_add(columns, self, "supporter_offsets", r->supporter_offsets, offsets) ||
           result_add(columns, self, "supporters", r->supporters, supporters * sizeof(uint32_t)) ||
           result_add(columns, self, "embedding_offsets", r->embedding_offsets, offsets) ||
           result_add(columns, self, "embedded_in", r->embedded_in,
                      embeddings * sizeof(uint32_t)) ||
           result_add(columns, self, "place_offsets", r->place_offsets, offsets) ||
           result_add(columns, self, "embeddings", r->embeddings, places * sizeof(uint32_t));
}

static int result_add_graphs(PyObject *columns, PyObject *self, const lode_sink *sink) {
    lode_graph_result r = LODE_INIT(lode_graph_result);
    lode_graph_sink_result(sink, &r);
    uint64_t offsets = (r.n + 1) * sizeof(uint64_t),
             vertices = result_last(r.vertex_offsets, r.n) * sizeof(uint32_t),
             edges = result_last(r.edge_offsets, r.n) * sizeof(uint32_t);
    return result_add(columns, self, "supports", r.supports, r.n * sizeof(uint64_t)) ||
           result_add(columns, self, "vertex_offsets", r.vertex_offsets, offsets) ||
           result_add(columns, self, "vertex_labels", r.vertex_labels, vertices) ||
           result_add(columns, self, "edge_offsets", r.edge_offsets, offsets) ||
           result_add(columns, self, "from", r.from, edges) ||
           result_add(columns, self, "to", r.to, edges) ||
           result_add(columns, self, "edge_labels", r.edge_labels, edges) ||
           result_add_places(columns, self, &r);
}

/* Adds what classes say about each pattern: [(name, column of doubles), …]. */
static int result_add_classes(PyObject *columns, PyObject *self, const lode_sink *sink) {
    uint64_t bytes = lode_sink_patterns(sink) * sizeof(double);
    const char *name;
    const double *values;
    PyObject *list = PyList_New(0);
    int failed = !list;
    for (uint32_t k = 0; !failed && (values = lode_sink_class_column(sink, k, &name)); k++) {
        PyObject *column = column_new(self, values, bytes);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        PyObject *pair = column && text ? PyTuple_Pack(2, text, column) : NULL;
        failed = !pair || PyList_Append(list, pair) != 0;
        Py_XDECREF(pair);
        Py_XDECREF(text);
        Py_XDECREF(column);
    }
    failed = failed || PyDict_SetItemString(columns, "classes", list) != 0;
    Py_XDECREF(list);
    return failed;
}

static PyObject *result_columns(PyObject *self, PyObject *unused) {
    const result_object *result = (result_object *)self;
    PyObject *columns = PyDict_New();
    int failed = 1;
    (void)unused;
    if (!columns) return NULL;
    switch (result->kind) {
    case LODE_ITEMSETS: failed = result_add_itemsets(columns, self, result->sink); break;
    case LODE_RULES: failed = result_add_rules(columns, self, result->sink); break;
    default: failed = result_add_graphs(columns, self, result->sink); break;
    }
    if (!failed && !result_add_classes(columns, self, result->sink)) return columns;
    Py_DECREF(columns);
    return NULL;
}

/* ---- The report ---- */

typedef struct result_text {
    char *text;
    size_t n, room;
} result_text;

static int result_write(void *user, const char *text, size_t bytes) {
    result_text *out = user;
    if (out->n + bytes > out->room) {
        size_t room = 2 * (out->n + bytes);
        char *more = realloc(out->text, room);
        if (!more) return 1;
        out->text = more;
        out->room = room;
    }
    memcpy(out->text + out->n, text, bytes);
    out->n += bytes;
    return 0;
}

/* The report as JSON, or as text for people. */
static PyObject *result_report(PyObject *self, PyObject *args) {
    const result_object *result = (result_object *)self;
    const lode_report *report = lode_job_report(result->run->job);
    result_text out = {0};
    int json;
    if (!PyArg_ParseTuple(args, "p", &json)) return NULL;
    lode_status status = json ? lode_report_json(report, result_write, &out)
                              : lode_report_text(report, LODE_REPORT_SHORT, result_write, &out);
    PyObject *text = status == LODE_OK
                         ? PyUnicode_DecodeUTF8(out.text, (Py_ssize_t)out.n, "replace")
                         : PyErr_NoMemory();
    free(out.text);
    return text;
}

/* (patterns, min_count, n_transactions, total_weight, stopped_by). */
static PyObject *result_head(PyObject *self, PyObject *unused) {
    const result_object *result = (result_object *)self;
    lode_report_head h = LODE_INIT(lode_report_head);
    (void)unused;
    lode_report_get_head(lode_job_report(result->run->job), &h);
    return Py_BuildValue("KKKKs", (unsigned long long)lode_sink_patterns(result->sink),
                         (unsigned long long)h.min_count, (unsigned long long)h.n_transactions,
                         (unsigned long long)h.total_weight, h.stopped_by ? h.stopped_by : "");
}

/* {size: patterns}. */
static PyObject *result_sizes(PyObject *self, PyObject *unused) {
    const lode_sink *sink = ((result_object *)self)->sink;
    PyObject *sizes = PyDict_New();
    (void)unused;
    for (uint32_t k = 0; sizes && k <= lode_sink_largest(sink); k++) {
        uint64_t n = lode_sink_patterns_of_size(sink, k);
        if (n == 0) continue;
        PyObject *size = PyLong_FromUnsignedLong(k), *count = PyLong_FromUnsignedLongLong(n);
        int failed = !size || !count || PyDict_SetItem(sizes, size, count) != 0;
        Py_XDECREF(size);
        Py_XDECREF(count);
        if (failed) Py_CLEAR(sizes);
    }
    return sizes;
}

static PyMethodDef result_methods[] = {
    {"columns", result_columns, METH_NOARGS, "The columns by name, as buffers without a copy."},
    {"report", result_report, METH_VARARGS, "report(json) -> str"},
    {"head", result_head, METH_NOARGS,
     "(patterns, min_count, n_transactions, total_weight, stopped_by)"},
    {"sizes", result_sizes, METH_NOARGS, "{size: number of patterns}"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot result_slots[] = {
    {Py_tp_dealloc, result_dealloc},
    {Py_tp_methods, result_methods},
    {0, NULL},
};

static PyType_Spec result_spec = {"lode._lode.Result", sizeof(result_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  result_slots};

int result_init(PyObject *module) {
    result_type = (PyTypeObject *)PyType_FromSpec(&result_spec);
    return result_type ? PyModule_AddType(module, result_type) : -1;
}
