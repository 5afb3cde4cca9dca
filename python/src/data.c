/* data.c - data sets of transactions: made from files and arrays, and described
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "pylode.h"

#define READ_GROUPS                                                                                \
    (LODE_OPTION_READ | LODE_OPTION_JOB | LODE_OPTION_SPILL | LODE_OPTION_BASKET_WRITE)

PyTypeObject *data_type;

static void data_dealloc(PyObject *self) {
    data_object *data = (data_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    lode_dataset_free(data->data);
    lode_ctx_free(data->ctx);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *data_new(lode_ctx *ctx, lode_dataset *dataset) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(data_type, Py_tp_alloc);
    data_object *data = (data_object *)alloc(data_type, 0);
    if (!data) {
        lode_dataset_free(dataset);
        lode_ctx_free(ctx);
        return NULL;
    }
    data->ctx = ctx;
    data->data = dataset;
    return (PyObject *)data;
}

#define UNLIMITED UINT64_MAX /* bytes that mean no budget; 0 = the default */

/* A data set with its own memory budget, or explicitly with none, has its own context, whose limit
 * applies to all its jobs together. *ctx stays NULL if each job uses the default. */
static int data_make_ctx(unsigned long long memory, lode_ctx **ctx) {
    lode_ctx_options options = {.size = sizeof options,
                                .memory_bytes = memory == UNLIMITED ? 0 : memory};
    if (memory == 0 || lode_ctx_create(ctx, &options) == LODE_OK) return 0;
    run_refuse(lode_job_error(NULL));
    return -1;
}

/* The job that makes a data set, in *ctx if it has a budget; NULL and an exception on failure. */
static run *data_begin(unsigned long long memory, PyObject *options, PyObject *progress,
                       lode_ctx **ctx) {
    run *r =
        data_make_ctx(memory, ctx) == 0 ? run_begin(*ctx, READ_GROUPS, options, progress) : NULL;
    if (!r) lode_ctx_free(*ctx);
    return r;
}

/* The outcome with the data set, which it takes over together with the context and the run. */
static PyObject *data_outcome(run *r, lode_status status, lode_ctx *ctx, lode_dataset *dataset) {
    PyObject *object = NULL;
    if (status == LODE_OK) {
        object = data_new(ctx, dataset);
    } else {
        lode_ctx_free(ctx);
    }
    PyObject *outcome = status == LODE_OK && !object ? NULL : run_outcome(r, status, object);
    run_free(r);
    return outcome;
}

/* ---- Files ---- */

/* The paths of a list of bytes, lent; NULL and an exception if it is none. */
static const char **data_paths(PyObject *list, size_t *n) {
    Py_ssize_t count = PyList_Size(list);
    if (count < 0) return NULL;
    const char **paths = calloc((size_t)count + 1, sizeof *paths);
    if (!paths) PyErr_NoMemory();
    for (Py_ssize_t i = 0; paths && i < count; i++) {
        char *path = NULL;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &path, NULL) == 0) {
            paths[i] = path;
            continue;
        }
        free(paths);
        return NULL;
    }
    *n = (size_t)count;
    return paths;
}

static PyObject *data_open(PyObject *module, PyObject *args) {
    PyObject *list, *options, *progress;
    unsigned long long memory;
    size_t n = 0;
    lode_ctx *ctx = NULL;
    lode_dataset *dataset = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOK", &list, &options, &progress, &memory)) return NULL;
    const char **paths = data_paths(list, &n);
    if (!paths) return NULL;
    run *r = data_begin(memory, options, progress, &ctx);
    if (!r) {
        free(paths);
        return NULL;
    }
    run_release_gil(r);
    const lode_read_options *how = lode_options_read(r->options);
    lode_status status = n == 1 ? lode_dataset_open(r->job, &dataset, paths[0], how)
                                : lode_dataset_open_files(r->job, &dataset, paths, n, how);
    run_take_gil(r);
    free(paths);
    return data_outcome(r, status, ctx, dataset);
}

/* ---- Arrow streams ---- */

static PyObject *data_from_arrow(PyObject *module, PyObject *args) {
    PyObject *capsule, *options, *progress;
    unsigned long long memory;
    lode_ctx *ctx = NULL;
    lode_dataset *dataset = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOK", &capsule, &options, &progress, &memory)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    run *r = stream ? data_begin(memory, options, progress, &ctx) : NULL;
    if (!r) return NULL;
    run_release_gil(r);
    lode_status status =
        lode_dataset_from_arrow(r->job, &dataset, stream, lode_options_read(r->options));
    run_take_gil(r);
    return data_outcome(r, status, ctx, dataset);
}

/* ---- Arrays ---- */

typedef struct data_arrays {
    Py_buffer offsets, items, weights;
} data_arrays;

static void data_release_arrays(data_arrays *a) {
    PyBuffer_Release(&a->offsets);
    PyBuffer_Release(&a->items);
    PyBuffer_Release(&a->weights);
}

static int data_refuse(const char *message) {
    run_refuse(message);
    return 0;
}

/* Whether the arrays belong together; lode itself looks whether offsets fall. */
static int data_check_arrays(const data_arrays *a) {
    size_t n = (size_t)a->offsets.len / sizeof(uint64_t);
    if (n == 0)
        return data_refuse(
            "offsets is empty; expected one number more than there are transactions");
    const uint64_t *offsets = a->offsets.buf;
    if (offsets[n - 1] > (size_t)a->items.len / sizeof(uint32_t)) {
        return data_refuse("the last offset is greater than the number of items");
    }
    if (a->weights.obj && (size_t)a->weights.len / sizeof(uint32_t) != n - 1) {
        return data_refuse("expected one weight for each transaction");
    }
    return 1;
}

static int data_get_arrays(data_arrays *a, PyObject *offsets, PyObject *items, PyObject *weights) {
    *a = (data_arrays){0};
    if (buffer_get(offsets, &a->offsets, sizeof(uint64_t), "offsets") &&
        buffer_get(items, &a->items, sizeof(uint32_t), "items") &&
        (weights == Py_None || buffer_get(weights, &a->weights, sizeof(uint32_t), "weights")) &&
        data_check_arrays(a)) {
        return 1;
    }
    data_release_arrays(a);
    return 0;
}

static PyObject *data_from_arrays(PyObject *module, PyObject *args) {
    PyObject *offsets, *items, *weights, *options, *progress;
    unsigned long long memory;
    data_arrays a;
    lode_ctx *ctx = NULL;
    lode_dataset *dataset = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOK", &offsets, &items, &weights, &options, &progress,
                          &memory) ||
        !data_get_arrays(&a, offsets, items, weights)) {
        return NULL;
    }
    run *r = data_begin(memory, options, progress, &ctx);
    if (!r) {
        data_release_arrays(&a);
        return NULL;
    }
    run_release_gil(r);
    lode_status status =
        lode_dataset_from_arrays(r->job, &dataset, (uint64_t)a.offsets.len / sizeof(uint64_t) - 1,
                                 a.offsets.buf, a.items.buf, a.weights.buf);
    run_take_gil(r);
    data_release_arrays(&a);
    return data_outcome(r, status, ctx, dataset);
}

/* ---- Rows of bits ---- */

/* The rows, and the weights if there are any. */
typedef struct data_bits {
    Py_buffer bits, weights;
    unsigned long long n;
    unsigned int n_items;
} data_bits;

static void data_release_bits(data_bits *b) {
    PyBuffer_Release(&b->bits);
    PyBuffer_Release(&b->weights);
}

static int data_check_bits(const data_bits *b) {
    unsigned long long words = ((unsigned long long)b->n_items + 63) / 64, all;
    if (__builtin_mul_overflow(b->n, words, &all) ||
        (unsigned long long)b->bits.len / sizeof(uint64_t) != all) {
        return data_refuse("the bits do not have the given number of rows");
    }
    if (b->weights.obj && (unsigned long long)b->weights.len / sizeof(uint32_t) != b->n) {
        return data_refuse("expected one weight for each transaction");
    }
    return 1;
}

static int data_get_bits(data_bits *b, PyObject *bits, PyObject *weights) {
    if (buffer_get(bits, &b->bits, sizeof(uint64_t), "bits") &&
        (weights == Py_None || buffer_get(weights, &b->weights, sizeof(uint32_t), "weights")) &&
        data_check_bits(b)) {
        return 1;
    }
    data_release_bits(b);
    return 0;
}

static PyObject *data_from_bits(PyObject *module, PyObject *args) {
    PyObject *bits, *weights, *options, *progress;
    unsigned long long memory;
    data_bits b = {0};
    lode_ctx *ctx = NULL;
    lode_dataset *dataset = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OKIOOOK", &bits, &b.n, &b.n_items, &weights, &options, &progress,
                          &memory) ||
        !data_get_bits(&b, bits, weights)) {
        return NULL;
    }
    run *r = data_begin(memory, options, progress, &ctx);
    if (!r) {
        data_release_bits(&b);
        return NULL;
    }
    run_release_gil(r);
    lode_status status =
        lode_dataset_from_bits(r->job, &dataset, b.n, b.n_items, b.bits.buf, b.weights.buf);
    run_take_gil(r);
    data_release_bits(&b);
    return data_outcome(r, status, ctx, dataset);
}

/* ---- What is known of a data set ---- */

static PyObject *data_profile(PyObject *self, PyObject *unused) {
    const lode_dataset *data = ((data_object *)self)->data;
    lode_profile p = LODE_INIT(lode_profile);
    (void)unused;
    lode_dataset_profile(data, &p);
    return Py_BuildValue(
        "{sKsKsKsKsKsKsIsdsKss}", "transactions", (unsigned long long)p.n_transactions, "empty",
        (unsigned long long)p.n_empty, "items", (unsigned long long)p.n_items, "occurrences",
        (unsigned long long)p.n_occurrences, "repeated", (unsigned long long)p.n_repeated,
        "skipped", (unsigned long long)p.n_skipped, "longest", p.longest, "read_seconds",
        p.read_seconds, "weight", (unsigned long long)lode_dataset_total_weight(data), "columns",
        p.columns);
}

/* A list of strings from text and offsets; the exception of the decoder says which is no UTF-8. */
static PyObject *data_decode(uint32_t n, const uint64_t *offsets, const char *text) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (uint32_t i = 0; list && i < n; i++) {
        PyObject *name = PyUnicode_DecodeUTF8(text + offsets[i],
                                              (Py_ssize_t)(offsets[i + 1] - offsets[i]), "strict");
        if (name && PyList_SetItem(list, (Py_ssize_t)i, name) == 0) continue;
        Py_DECREF(list);
        return NULL;
    }
    return list;
}

static PyObject *data_names(PyObject *self, PyObject *unused) {
    const lode_dataset *data = ((data_object *)self)->data;
    (void)unused;
    if (lode_dataset_has_numbers(data)) Py_RETURN_NONE;
    uint32_t n = lode_dataset_item_bound(data);
    size_t bytes = lode_dataset_item_names(data, 0, n, NULL, NULL, 0);
    uint64_t *offsets = malloc(((size_t)n + 1) * sizeof *offsets);
    char *text = malloc(bytes + 1);
    PyObject *list = NULL;
    if (offsets && text) {
        lode_dataset_item_names(data, 0, n, offsets, text, bytes);
        list = data_decode(n, offsets, text);
    } else {
        PyErr_NoMemory();
    }
    free(offsets);
    free(text);
    return list;
}

/* The id of a transaction, as a string. */
static PyObject *data_id(const lode_dataset *data, uint64_t t, char **text, size_t *room) {
    size_t n = lode_dataset_transaction_id(data, t, *text, *room);
    if (n > *room) {
        char *more = realloc(*text, n);
        if (!more) return PyErr_NoMemory();
        *text = more;
        *room = n;
        lode_dataset_transaction_id(data, t, *text, *room);
    }
    return PyUnicode_DecodeUTF8(n > 0 ? *text : "", (Py_ssize_t)n, "strict");
}

static PyObject *data_ids(PyObject *self, PyObject *unused) {
    const lode_dataset *data = ((data_object *)self)->data;
    lode_profile p = LODE_INIT(lode_profile);
    char *text = NULL;
    size_t room = 0;
    (void)unused;
    lode_dataset_profile(data, &p);
    PyObject *list = PyList_New((Py_ssize_t)p.n_transactions);
    for (uint64_t t = 0; list && t < p.n_transactions; t++) {
        PyObject *id = data_id(data, t, &text, &room);
        if (!id || PyList_SetItem(list, (Py_ssize_t)t, id) != 0) Py_CLEAR(list);
    }
    free(text);
    return list;
}

/* (items, supports) of all items, as blocks of u32 and u64. */
static PyObject *data_items(PyObject *self, PyObject *unused) {
    const lode_dataset *data = ((data_object *)self)->data;
    uint32_t n = lode_dataset_item_bound(data);
    uint32_t *items = malloc((size_t)n * sizeof *items + 1);
    uint64_t *supports = malloc((size_t)n * sizeof *supports + 1);
    (void)unused;
    if (!items || !supports) {
        free(items);
        free(supports);
        return PyErr_NoMemory();
    }
    lode_dataset_items(data, 0, n, items, supports);
    PyObject *a = block_new(items, (size_t)n * sizeof *items);
    PyObject *b = block_new(supports, (size_t)n * sizeof *supports);
    if (a && b) return Py_BuildValue("NN", a, b);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return NULL;
}

/* The items of transaction t, as a block of u32. */
static PyObject *data_transaction(PyObject *self, PyObject *args) {
    const lode_dataset *data = ((data_object *)self)->data;
    unsigned long long t;
    if (!PyArg_ParseTuple(args, "K", &t)) return NULL;
    uint32_t n = lode_dataset_transaction(data, t, NULL, 0);
    uint32_t *items = malloc((size_t)n * sizeof *items + 1);
    if (!items) return PyErr_NoMemory();
    lode_dataset_transaction(data, t, items, n);
    return block_new(items, (size_t)n * sizeof *items);
}

/* The arrays of all transactions, in the making; of malloc(). */
typedef struct data_copy {
    uint64_t *offsets;
    uint32_t *items, *weights;
    size_t n, n_items;
    bool weighted;
} data_copy;

static int data_copy_room(data_copy *c, const lode_dataset *data) {
    lode_profile p = LODE_INIT(lode_profile);
    lode_dataset_profile(data, &p);
    c->n = (size_t)p.n_transactions;
    c->n_items = (size_t)p.n_occurrences;
    c->offsets = malloc((c->n + 1) * sizeof *c->offsets);
    c->items = malloc(c->n_items * sizeof *c->items + 1);
    c->weights = malloc(c->n * sizeof *c->weights + 1);
    return c->offsets && c->items && c->weights ? 0 : -1;
}

/* Without the GIL. Ends early where transactions are on disk, which lode does not show. */
static void data_copy_all(data_copy *c, const lode_dataset *data) {
    size_t at = 0;
    for (size_t t = 0; t < c->n; t++) {
        size_t left = c->n_items - at;
        c->offsets[t] = at;
        at += lode_dataset_transaction(data, t, c->items + at,
                                       left < UINT32_MAX ? (uint32_t)left : UINT32_MAX);
        c->weights[t] = lode_dataset_transaction_weight(data, t);
        c->weighted |= c->weights[t] != 1;
    }
    c->offsets[c->n] = at;
}

static PyObject *data_copy_blocks(data_copy *c) {
    PyObject *offsets = block_new(c->offsets, (c->n + 1) * sizeof *c->offsets);
    PyObject *items = block_new(c->items, c->n_items * sizeof *c->items);
    PyObject *weights = block_new(c->weights, c->n * sizeof *c->weights);
    PyObject *all = NULL;
    if (offsets && items && weights) {
        all = PyTuple_Pack(3, offsets, items, c->weighted ? weights : Py_None);
    }
    Py_XDECREF(offsets);
    Py_XDECREF(items);
    Py_XDECREF(weights);
    return all;
}

/* (offsets, items, weights or None), as from_arrays() takes them. */
static PyObject *data_arrays_of(PyObject *self, PyObject *unused) {
    const lode_dataset *data = ((data_object *)self)->data;
    data_copy c = {0};
    (void)unused;
    if (data_copy_room(&c, data) != 0) {
        free(c.offsets);
        free(c.items);
        free(c.weights);
        return PyErr_NoMemory();
    }
    PyThreadState *thread = PyEval_SaveThread();
    data_copy_all(&c, data);
    PyEval_RestoreThread(thread);
    return data_copy_blocks(&c);
}

/* Whether the names of items are numbers to lode; names of Python are not known to it. */
static PyObject *data_numbered(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(lode_dataset_has_numbers(((data_object *)self)->data));
}

static PyMethodDef data_methods[] = {
    {"numbered", data_numbered, METH_NOARGS, "Whether lode treats the items as numbers."},
    {"profile", data_profile, METH_NOARGS, "Figures of the data set, by name."},
    {"names", data_names, METH_NOARGS, "The names of the items by number, or None."},
    {"ids", data_ids, METH_NOARGS, "The ids of all transactions, as strings."},
    {"items", data_items, METH_NOARGS, "(items, supports) as blocks of u32 and u64."},
    {"arrays", data_arrays_of, METH_NOARGS, "(offsets, items, weights or None), copied."},
    {"transaction", data_transaction, METH_VARARGS, "The items of a transaction, a block of u32."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot data_slots[] = {
    {Py_tp_dealloc, data_dealloc},
    {Py_tp_methods, data_methods},
    {0, NULL},
};

static PyType_Spec data_spec = {"lode._lode.Data", sizeof(data_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, data_slots};

int data_init(PyObject *module) {
    data_type = (PyTypeObject *)PyType_FromSpec(&data_spec);
    return data_type ? PyModule_AddType(module, data_type) : -1;
}

PyMethodDef data_functions[] = {
    {"open", data_open, METH_VARARGS, "open(paths, options, progress, memory) -> outcome"},
    {"from_arrow", data_from_arrow, METH_VARARGS,
     "from_arrow(capsule, options, progress, memory) -> outcome"},
    {"from_arrays", data_from_arrays, METH_VARARGS,
     "from_arrays(offsets, items, weights, options, progress, memory) -> outcome"},
    {"from_bits", data_from_bits, METH_VARARGS,
     "from_bits(bits, transactions, items, weights, options, progress, memory) -> outcome"},
    {NULL, NULL, 0, NULL},
};
