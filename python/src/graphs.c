/* graphs.c - graphs: from files and arrays, their labels, and frequent subgraphs
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "pylode.h"

#define GRAPH_READ_GROUPS (LODE_OPTION_GRAPH_READ | LODE_OPTION_JOB)
#define GRAPH_GROUPS                                                                               \
    (LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_GRAPH | LODE_OPTION_GRAPH_SHARE |          \
     LODE_OPTION_CLASS)

PyTypeObject *graphs_type;

static void graphs_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    lode_graphs_free(((graphs_object *)self)->graphs);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* The outcome with the graphs, which it takes over together with the run. */
static PyObject *graphs_outcome(run *r, lode_status status, lode_graphs *graphs) {
    graphs_object *object = NULL;
    if (status == LODE_OK) {
        allocfunc alloc = (allocfunc)PyType_GetSlot(graphs_type, Py_tp_alloc);
        object = (graphs_object *)alloc(graphs_type, 0);
        if (object) object->graphs = graphs;
    }
    bool failed = status == LODE_OK && !object;
    if (failed) lode_graphs_free(graphs);
    PyObject *outcome = failed ? NULL : run_outcome(r, status, (PyObject *)object);
    run_free(r);
    return outcome;
}

static PyObject *graphs_open(PyObject *module, PyObject *args) {
    const char *path;
    PyObject *options, *progress;
    lode_graphs *graphs = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "yOO", &path, &options, &progress)) return NULL;
    run *r = run_begin(NULL, GRAPH_READ_GROUPS, options, progress);
    if (!r) return NULL;
    run_release_gil(r);
    lode_status status =
        lode_graphs_open(r->job, &graphs, path, lode_options_graph_read(r->options));
    run_take_gil(r);
    return graphs_outcome(r, status, graphs);
}

static PyObject *graphs_from_arrow(PyObject *module, PyObject *args) {
    PyObject *capsule, *options, *progress;
    lode_graphs *graphs = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &capsule, &options, &progress)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    run *r = stream ? run_begin(NULL, GRAPH_READ_GROUPS, options, progress) : NULL;
    if (!r) return NULL;
    run_release_gil(r);
    lode_status status =
        lode_graphs_from_arrow(r->job, &graphs, stream, lode_options_graph_read(r->options));
    run_take_gil(r);
    return graphs_outcome(r, status, graphs);
}

/* ---- Arrays ---- */

enum { VERTEX_OFFSETS, VERTEX_LABELS, EDGE_OFFSETS, EDGE_FROM, EDGE_TO, EDGE_LABELS, N_ARRAYS };

static const struct {
    const char *name;
    size_t bytes;
} graph_array[N_ARRAYS] = {
    {"vertex_offsets", 8}, {"vertex_labels", 4}, {"edge_offsets", 8}, {"from", 4}, {"to", 4},
    {"edge_labels", 4},
};

static void graphs_release_arrays(Py_buffer *views) {
    for (int i = 0; i < N_ARRAYS; i++) PyBuffer_Release(&views[i]);
}

static uint64_t graphs_length(const Py_buffer *views, int i) {
    return (uint64_t)views[i].len / graph_array[i].bytes;
}

static uint64_t graphs_last(const Py_buffer *views, int i) {
    return ((const uint64_t *)views[i].buf)[graphs_length(views, i) - 1];
}

static int graphs_check_arrays(const Py_buffer *views) {
    uint64_t n = graphs_length(views, VERTEX_OFFSETS);
    if (n > 0 && graphs_length(views, EDGE_OFFSETS) == n &&
        graphs_last(views, VERTEX_OFFSETS) <= graphs_length(views, VERTEX_LABELS)) {
        uint64_t edges = graphs_last(views, EDGE_OFFSETS);
        if (edges <= graphs_length(views, EDGE_FROM) && edges <= graphs_length(views, EDGE_TO) &&
            edges <= graphs_length(views, EDGE_LABELS)) {
            return 1;
        }
    }
    run_refuse("the arrays of the graphs have different lengths");
    return 0;
}

static int graphs_get_arrays(PyObject *arrays, Py_buffer *views) {
    for (int i = 0; i < N_ARRAYS; i++) {
        PyObject *array = PyDict_GetItemString(arrays, graph_array[i].name);
        if (array && buffer_get(array, &views[i], graph_array[i].bytes, graph_array[i].name)) {
            continue;
        }
        if (!array) PyErr_SetString(PyExc_KeyError, graph_array[i].name);
        return 0;
    }
    return graphs_check_arrays(views);
}

static PyObject *graphs_from_arrays(PyObject *module, PyObject *args) {
    PyObject *arrays, *options, *progress;
    int directed;
    lode_graphs *graphs = NULL;
    Py_buffer views[N_ARRAYS] = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!pOO", &PyDict_Type, &arrays, &directed, &options, &progress)) {
        return NULL;
    }
    run *r = graphs_get_arrays(arrays, views)
                 ? run_begin(NULL, GRAPH_READ_GROUPS, options, progress)
                 : NULL;
    if (!r) {
        graphs_release_arrays(views);
        return NULL;
    }
    lode_graph_arrays a = {.size = sizeof a,
                           .n_graphs = graphs_length(views, VERTEX_OFFSETS) - 1,
                           .vertex_offsets = views[VERTEX_OFFSETS].buf,
                           .vertex_labels = views[VERTEX_LABELS].buf,
                           .edge_offsets = views[EDGE_OFFSETS].buf,
                           .from = views[EDGE_FROM].buf,
                           .to = views[EDGE_TO].buf,
                           .edge_labels = views[EDGE_LABELS].buf,
                           .directed = directed != 0};
    run_release_gil(r);
    lode_status status = lode_graphs_from_arrays(r->job, &graphs, &a);
    run_take_gil(r);
    graphs_release_arrays(views);
    return graphs_outcome(r, status, graphs);
}

/* ---- What is known of graphs ---- */

static PyObject *graphs_profile(PyObject *self, PyObject *unused) {
    lode_graph_profile p = LODE_INIT(lode_graph_profile);
    (void)unused;
    lode_graphs_profile(((graphs_object *)self)->graphs, &p);
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsO}", "graphs", (unsigned long long)p.n_graphs, "empty",
        (unsigned long long)p.n_empty, "disconnected", (unsigned long long)p.n_disconnected,
        "vertices", (unsigned long long)p.n_vertices, "edges", (unsigned long long)p.n_edges,
        "vertex_labels", (unsigned long long)p.n_vertex_labels, "edge_labels",
        (unsigned long long)p.n_edge_labels, "directed", p.directed ? Py_True : Py_False);
}

typedef size_t (*label_fn)(const lode_graphs *, uint32_t *, uint64_t *, char *, size_t);

static PyObject *graphs_label_dict(const uint32_t *labels, const uint64_t *offsets,
                                   const char *text, uint64_t n) {
    PyObject *names = PyDict_New();
    for (uint64_t k = 0; names && k < n; k++) {
        PyObject *label = PyLong_FromUnsignedLong(labels[k]);
        PyObject *name = PyUnicode_DecodeUTF8(
            text + offsets[k], (Py_ssize_t)(offsets[k + 1] - offsets[k]), "backslashreplace");
        if (!label || !name || PyDict_SetItem(names, label, name) != 0) Py_CLEAR(names);
        Py_XDECREF(label);
        Py_XDECREF(name);
    }
    return names;
}

/* {label: name}. */
static PyObject *graphs_label_names(const lode_graphs *graphs, label_fn list, uint64_t n) {
    uint32_t *labels = malloc((n + 1) * sizeof *labels);
    uint64_t *offsets = calloc(n + 1, sizeof *offsets);
    size_t bytes = list(graphs, NULL, NULL, NULL, 0);
    char *text = malloc(bytes + 1);
    PyObject *names = NULL;
    if (labels && offsets && text) {
        list(graphs, labels, offsets, text, bytes);
        names = graphs_label_dict(labels, offsets, text, n);
    } else {
        PyErr_NoMemory();
    }
    free(labels);
    free(offsets);
    free(text);
    return names;
}

/* ({label: name} of vertices, the same of edges). */
static PyObject *graphs_labels(PyObject *self, PyObject *unused) {
    const lode_graphs *graphs = ((graphs_object *)self)->graphs;
    lode_graph_profile p = LODE_INIT(lode_graph_profile);
    (void)unused;
    lode_graphs_profile(graphs, &p);
    PyObject *vertices = graphs_label_names(graphs, lode_graphs_vertex_labels, p.n_vertex_labels);
    PyObject *edges = graphs_label_names(graphs, lode_graphs_edge_labels, p.n_edge_labels);
    if (vertices && edges) return Py_BuildValue("NN", vertices, edges);
    Py_XDECREF(vertices);
    Py_XDECREF(edges);
    return NULL;
}

/* (vertex labels, from, to, edge labels) of graph i, lent columns of u32. */
static PyObject *graphs_at(PyObject *self, PyObject *args) {
    unsigned long long i;
    lode_graph g = LODE_INIT(lode_graph);
    if (!PyArg_ParseTuple(args, "K", &i)) return NULL;
    lode_graphs_at(((graphs_object *)self)->graphs, i, &g);
    uint64_t edges = (uint64_t)g.n_edges * sizeof(uint32_t);
    return Py_BuildValue(
        "NNNN", column_new(self, g.vertex_labels, (uint64_t)g.n_vertices * sizeof(uint32_t)),
        column_new(self, g.from, edges), column_new(self, g.to, edges),
        column_new(self, g.edge_labels, edges));
}

static PyObject *graphs_name(PyObject *self, PyObject *args) {
    const lode_graphs *graphs = ((graphs_object *)self)->graphs;
    unsigned long long i;
    if (!PyArg_ParseTuple(args, "K", &i)) return NULL;
    size_t n = lode_graphs_name(graphs, i, NULL, 0);
    char *text = malloc(n + 1);
    if (!text) return PyErr_NoMemory();
    lode_graphs_name(graphs, i, text, n);
    PyObject *name = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "backslashreplace");
    free(text);
    return name;
}

/* ---- Mining ---- */

static lode_status graphs_work(run *r, const lode_graphs *graphs, bool count, lode_sink **sink) {
    lode_status status =
        count ? lode_sink_count(r->job, sink) : lode_graph_sink_memory(r->job, sink);
    if (status != LODE_OK) return status;
    r->sink = *sink;
    status = lode_graphs_mine(r->job, graphs, lode_options_graph(r->options), *sink);
    return run_finish(r, status, *sink);
}

static PyObject *graphs_mine(PyObject *module, PyObject *args) {
    PyObject *object, *options, *progress;
    int count;
    lode_sink *sink = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOp", graphs_type, &object, &options, &progress, &count)) {
        return NULL;
    }
    run *r = run_begin(NULL, GRAPH_GROUPS, options, progress);
    if (!r) return NULL;
    run_release_gil(r);
    lode_status status = graphs_work(r, ((graphs_object *)object)->graphs, count, &sink);
    run_take_gil(r);
    return result_outcome(r, status, sink, LODE_GRAPHS);
}

static PyMethodDef graphs_methods[] = {
    {"profile", graphs_profile, METH_NOARGS, "Figures of the graphs, by name."},
    {"labels", graphs_labels, METH_NOARGS, "({label: name} of vertices, the same of edges)"},
    {"at", graphs_at, METH_VARARGS, "at(i) -> (vertex labels, from, to, edge labels)"},
    {"name", graphs_name, METH_VARARGS, "name(i) -> the id of a graph in its file"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot graphs_slots[] = {
    {Py_tp_dealloc, graphs_dealloc},
    {Py_tp_methods, graphs_methods},
    {0, NULL},
};

static PyType_Spec graphs_spec = {"lode._lode.Graphs", sizeof(graphs_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  graphs_slots};

int graphs_init(PyObject *module) {
    graphs_type = (PyTypeObject *)PyType_FromSpec(&graphs_spec);
    return graphs_type ? PyModule_AddType(module, graphs_type) : -1;
}

PyMethodDef graph_functions[] = {
    {"graphs_open", graphs_open, METH_VARARGS, "graphs_open(path, options, progress) -> outcome"},
    {"graphs_from_arrow", graphs_from_arrow, METH_VARARGS,
     "graphs_from_arrow(capsule, options, progress) -> outcome"},
    {"graphs_from_arrays", graphs_from_arrays, METH_VARARGS,
     "graphs_from_arrays(arrays by name, directed, options, progress) -> outcome"},
    {"subgraphs", graphs_mine, METH_VARARGS,
     "subgraphs(graphs, options, progress, count) -> outcome"},
    {NULL, NULL, 0, NULL},
};
