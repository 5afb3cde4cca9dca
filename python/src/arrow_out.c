/* arrow_out.c - columns of Python as an Arrow stream, without a copy
 *
 * A stream has one batch: a struct with a child for each column. The arrays of the children are the
 * memory of Python objects (usually numpy arrays), whose buffers are held until the consumer
 * releases them, on any thread. A column is a tuple:
 *
 *     (name, "l" | "g" | "I", values)                      int64, double or uint32
 *     (name, "+L", offsets, values, None)                  lists of uint32
 *     (name, "+L", offsets, values, (offsets, text))       lists of names: the values are positions
 *                                                          in a dictionary of large strings
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pylode.h"

/* ---- Schemas ---- */

static void out_schema_release(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child && child->release) child->release(child);
        free(child);
    }
    if (schema->dictionary) {
        if (schema->dictionary->release) schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    free(schema->children);
    free((char *)(uintptr_t)schema->name);
    schema->release = NULL;
}

/* Formats are static texts. */
static int out_schema_init(struct ArrowSchema *schema, const char *format, const char *name,
                           int64_t n_children) {
    *schema = (struct ArrowSchema){.format = format, .release = out_schema_release};
    schema->name = strdup(name);
    if (n_children > 0) schema->children = calloc((size_t)n_children, sizeof *schema->children);
    if (!schema->name || (n_children > 0 && !schema->children)) return ENOMEM;
    for (int64_t i = 0; i < n_children; i++, schema->n_children++) {
        schema->children[i] = calloc(1, sizeof **schema->children);
        if (!schema->children[i]) return ENOMEM;
    }
    return 0;
}

static int out_schema_dictionary(struct ArrowSchema *schema) {
    schema->dictionary = calloc(1, sizeof *schema->dictionary);
    return schema->dictionary ? out_schema_init(schema->dictionary, "U", "", 0) : ENOMEM;
}

/* ---- Arrays ---- */

#define MOST_BUFFERS 3

typedef struct out_array {
    const void *buffers[MOST_BUFFERS];
    Py_buffer views[MOST_BUFFERS]; /* of those that Python owns */
} out_array;

static void out_array_release(struct ArrowArray *array) {
    out_array *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child && child->release) child->release(child);
        free(child);
    }
    if (array->dictionary) {
        if (array->dictionary->release) array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->children);
    if (own && Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        for (int i = 0; i < MOST_BUFFERS; i++) PyBuffer_Release(&own->views[i]);
        PyGILState_Release(state);
    }
    free(own);
    array->release = NULL;
}

static int out_array_init(struct ArrowArray *array, int64_t length, int64_t n_buffers,
                          int64_t n_children) {
    out_array *own = calloc(1, sizeof *own);
    *array = (struct ArrowArray){.length = length,
                                 .n_buffers = n_buffers,
                                 .release = out_array_release,
                                 .private_data = own};
    if (!own) return ENOMEM;
    array->buffers = own->buffers;
    if (n_children > 0) array->children = calloc((size_t)n_children, sizeof *array->children);
    if (n_children > 0 && !array->children) return ENOMEM;
    for (int64_t i = 0; i < n_children; i++, array->n_children++) {
        array->children[i] = calloc(1, sizeof **array->children);
        if (!array->children[i]) return ENOMEM;
    }
    return 0;
}

/* Buffer i of an array becomes that of a Python object; an exception on failure. */
static int out_array_hold(struct ArrowArray *array, int i, PyObject *object) {
    out_array *own = array->private_data;
    if (PyObject_GetBuffer(object, &own->views[i], PyBUF_C_CONTIGUOUS) != 0) return EINVAL;
    own->buffers[i] = own->views[i].buf;
    return 0;
}

static int64_t out_length(const struct ArrowArray *array, int i, size_t bytes) {
    return (int64_t)((size_t)((out_array *)array->private_data)->views[i].len / bytes);
}

/* ---- Columns ---- */

static int out_dictionary(struct ArrowArray *array, PyObject *names) {
    PyObject *offsets, *text;
    if (!PyArg_ParseTuple(names, "OO", &offsets, &text)) return EINVAL;
    array->dictionary = calloc(1, sizeof *array->dictionary);
    if (!array->dictionary || out_array_init(array->dictionary, 0, 3, 0) != 0) return ENOMEM;
    int failed =
        out_array_hold(array->dictionary, 1, offsets) || out_array_hold(array->dictionary, 2, text);
    if (!failed) array->dictionary->length = out_length(array->dictionary, 1, 8) - 1;
    return failed;
}

static int out_list(struct ArrowArray *array, PyObject *offsets, PyObject *values,
                    PyObject *names) {
    if (out_array_init(array, 0, 2, 1) != 0 || out_array_init(array->children[0], 0, 2, 0) != 0) {
        return ENOMEM;
    }
    if (out_array_hold(array, 1, offsets) || out_array_hold(array->children[0], 1, values)) {
        return EINVAL;
    }
    array->length = out_length(array, 1, 8) - 1;
    array->children[0]->length = out_length(array->children[0], 1, 4);
    return names == Py_None ? 0 : out_dictionary(array->children[0], names);
}

static const char *out_format(const char *format) {
    static const char *const known[] = {"l", "g", "I", "+L"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(format, known[i]) == 0) return known[i];
    }
    PyErr_Format(PyExc_ValueError, "the format '%s' is none of l, g, I, +L", format);
    return NULL;
}

static int out_column(struct ArrowSchema *schema, struct ArrowArray *array, PyObject *column) {
    const char *name, *format;
    PyObject *first, *values = NULL, *names = Py_None;
    if (!PyArg_ParseTuple(column, "ssO|OO", &name, &format, &first, &values, &names) ||
        !(format = out_format(format))) {
        return EINVAL;
    }
    bool list = strcmp(format, "+L") == 0;
    int failed = out_schema_init(schema, format, name, list ? 1 : 0);
    if (!failed && list) failed = out_schema_init(schema->children[0], "I", "item", 0);
    if (!failed && names != Py_None) failed = out_schema_dictionary(schema->children[0]);
    if (failed) return failed;
    if (list) return out_list(array, first, values, names);
    failed = out_array_init(array, 0, 2, 0) || out_array_hold(array, 1, first);
    if (!failed) array->length = out_length(array, 1, *format == 'I' ? 4 : 8);
    return failed;
}

/* ---- The stream ---- */

typedef struct out_stream {
    struct ArrowSchema schema;
    struct ArrowArray array;
} out_stream;

/* A consumer may ask for the schema several times, and releases each. */
static int out_schema_copy(const struct ArrowSchema *schema, struct ArrowSchema *out) {
    int failed = out_schema_init(out, schema->format, schema->name, schema->n_children);
    if (!failed && schema->dictionary) failed = out_schema_dictionary(out);
    for (int64_t i = 0; !failed && i < schema->n_children; i++) {
        failed = out_schema_copy(schema->children[i], out->children[i]);
    }
    return failed;
}

static int out_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    out_stream *own = stream->private_data;
    int failed = out_schema_copy(&own->schema, out);
    if (failed) out_schema_release(out);
    return failed;
}

static int out_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    out_stream *own = stream->private_data;
    *out = own->array; /* after the first, one without a release: the end */
    own->array = (struct ArrowArray){0};
    return 0;
}

static const char *out_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the system has no more memory";
}

static void out_stream_release(struct ArrowArrayStream *stream) {
    out_stream *own = stream->private_data;
    if (own->schema.release) own->schema.release(&own->schema);
    if (own->array.release) own->array.release(&own->array);
    free(own);
    stream->release = NULL;
}

static void out_capsule_free(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream) {
        PyErr_Clear();
        return;
    }
    if (stream->release) stream->release(stream);
    free(stream);
}

static int out_fill(out_stream *own, PyObject *columns) {
    Py_ssize_t n = PyList_Size(columns);
    int failed = n < 0 ? EINVAL : 0;
    if (!failed) failed = out_schema_init(&own->schema, "+s", "", n);
    if (!failed) failed = out_array_init(&own->array, 0, 1, n);
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        failed =
            out_column(own->schema.children[i], own->array.children[i], PyList_GetItem(columns, i));
        if (!failed) own->array.length = own->array.children[i]->length;
    }
    if (failed && !PyErr_Occurred()) PyErr_NoMemory();
    return failed;
}

static PyObject *out_make(PyObject *module, PyObject *args) {
    PyObject *columns;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &columns)) return NULL;
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    out_stream *own = calloc(1, sizeof *own);
    if (!stream || !own) {
        free(stream);
        free(own);
        return PyErr_NoMemory();
    }
    *stream = (struct ArrowArrayStream){out_get_schema, out_get_next, out_last_error,
                                        out_stream_release, own};
    PyObject *capsule = NULL;
    if (out_fill(own, columns) == 0) {
        capsule = PyCapsule_New(stream, "arrow_array_stream", out_capsule_free);
    }
    if (!capsule) {
        out_stream_release(stream);
        free(stream);
    }
    return capsule;
}

PyMethodDef arrow_out_functions[] = {
    {"arrow_stream", out_make, METH_VARARGS, "arrow_stream(columns) -> capsule"},
    {NULL, NULL, 0, NULL},
};
