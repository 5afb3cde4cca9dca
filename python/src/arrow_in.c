/* arrow_in.c - the columns of an Arrow stream: their names and formats and, of a table of bools or
 * numbers, their cells, without a copy
 *
 * lode itself reads lists and tables of pairs (data.c). Of a table with a column for each item,
 * every column of a batch becomes a tuple
 *
 *     (name, format, length, offset, null_count, [validity, values])
 *
 * and lode/_arrow.py does the rest. Buffers are Columns that keep a reference to the array to which
 * they belong. The interface does not give the sizes of buffers, so they are computed from format
 * and length. A column that is neither of bools nor of numbers comes without buffers, and the
 * package refuses it with a message that names the format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "pylode.h"

/* ---- Who holds an array ---- */

typedef struct held_object {
    PyObject_HEAD struct ArrowArray array;
} held_object;

static PyTypeObject *held_type;

static void held_dealloc(PyObject *self) {
    held_object *held = (held_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject *raised[3]; /* a release that is written in Python would lose it */
    PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    if (held->array.release) held->array.release(&held->array);
    PyErr_Restore(raised[0], raised[1], raised[2]);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyType_Slot held_slots[] = {{Py_tp_dealloc, held_dealloc}, {0, NULL}};

static PyType_Spec held_spec = {"lode._lode.ArrowHeld", sizeof(held_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, held_slots};

int arrow_init(PyObject *module) {
    held_type = (PyTypeObject *)PyType_FromSpec(&held_spec);
    return held_type ? PyModule_AddType(module, held_type) : -1;
}

/* ---- Sizes of buffers ---- */

/* Bytes of a number of this format; 0: it is another one. */
static uint64_t in_width(const char *format) {
    if (format[0] == 0 || format[1] != 0) return 0;
    switch (format[0]) {
    case 'c':
    case 'C': return 1;
    case 's':
    case 'S': return 2;
    case 'i':
    case 'I':
    case 'f': return 4;
    case 'l':
    case 'L':
    case 'g': return 8;
    default: return 0;
    }
}

static bool in_has_room(const struct ArrowArray *array) {
    return array->length >= 0 && array->offset >= 0 &&
           array->length <= INT64_MAX / 16 - array->offset - 1;
}

/* Whether an array is what its schema says, as far as that can be seen. */
static bool in_fits(const struct ArrowSchema *schema, const struct ArrowArray *array, bool known) {
    bool fits = array && in_has_room(array) && array->n_children == schema->n_children &&
                !array->dictionary == !schema->dictionary;
    if (fits && known) {
        fits = array->n_buffers >= 2 && array->buffers && (array->buffers[1] || !array->length);
    }
    if (!fits) {
        run_refuse("the Arrow stream has an array that does not match its schema; expected the "
                   "same number of children, and all buffers");
    }
    return fits;
}

/* ---- Tuples ---- */

static PyObject *in_buffers(PyObject *held, const char *format, const struct ArrowArray *array) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < 2; i++) {
        uint64_t end = (uint64_t)(array->offset + array->length), width = in_width(format);
        uint64_t bytes = i == 0 || width == 0 ? (end + 7) / 8 : end * width;
        PyObject *buffer = column_new(held, array->buffers[i], array->buffers[i] ? bytes : 0);
        if (!buffer || PyList_Append(list, buffer) != 0) Py_CLEAR(list);
        Py_XDECREF(buffer);
    }
    return list;
}

static PyObject *in_column(PyObject *held, const struct ArrowSchema *schema,
                           const struct ArrowArray *array) {
    const char *format = schema->dictionary ? "dictionary" : schema->format;
    bool known = strcmp(format, "b") == 0 || in_width(format) > 0;
    if (!in_fits(schema, array, known)) return NULL;
    PyObject *buffers = known ? in_buffers(held, format, array) : PyList_New(0);
    if (!buffers) return NULL;
    return Py_BuildValue("zsLLLN", schema->name, format, (long long)array->length,
                         (long long)array->offset, (long long)array->null_count, buffers);
}

/* (length, offset, [columns]) of a batch. */
static PyObject *in_array(PyObject *held, const struct ArrowSchema *schema,
                          const struct ArrowArray *array) {
    if (!in_fits(schema, array, false)) return NULL;
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < array->n_children; i++) {
        PyObject *column = in_column(held, schema->children[i], array->children[i]);
        if (!column || PyList_Append(list, column) != 0) Py_CLEAR(list);
        Py_XDECREF(column);
    }
    if (!list) return NULL;
    return Py_BuildValue("LLN", (long long)array->length, (long long)array->offset, list);
}

/* ---- The stream ---- */

static PyObject *in_next(struct ArrowArrayStream *stream, const struct ArrowSchema *schema,
                         bool *end) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(held_type, Py_tp_alloc);
    held_object *held = (held_object *)alloc(held_type, 0);
    PyObject *array = NULL;
    if (!held) return NULL;
    if (stream->get_next(stream, &held->array) != 0) {
        const char *why = stream->get_last_error(stream);
        PyErr_Format(PyExc_ValueError, "the Arrow stream failed: %s",
                     why ? why : "without an error message");
    } else if (held->array.release) {
        array = in_array((PyObject *)held, schema, &held->array);
    } else {
        *end = true;
    }
    Py_DECREF(held);
    return array;
}

static PyObject *in_all(struct ArrowArrayStream *stream, const struct ArrowSchema *schema) {
    PyObject *list = PyList_New(0);
    bool end = false;
    while (list && !end) {
        PyObject *array = in_next(stream, schema, &end);
        if (end) break;
        if (!array || PyList_Append(list, array) != 0) Py_CLEAR(list);
        Py_XDECREF(array);
    }
    return list;
}

/* (name, format, format of the values) of a column. The values are those of lists, or the entries
 * of a dictionary. */
static PyObject *in_field(const struct ArrowSchema *schema) {
    const struct ArrowSchema *values = schema;
    if (values->format[0] == '+' && values->n_children == 1) values = values->children[0];
    if (values->dictionary) values = values->dictionary;
    return Py_BuildValue("zss", schema->name, schema->format, values->format);
}

static PyObject *in_fields(const struct ArrowSchema *schema) {
    bool table = strcmp(schema->format, "+s") == 0;
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < (table ? schema->n_children : 1); i++) {
        PyObject *field = in_field(table ? schema->children[i] : schema);
        if (!field || PyList_Append(list, field) != 0) Py_CLEAR(list);
        Py_XDECREF(field);
    }
    return list;
}

/* The stream of a capsule, and its schema; NULL and an exception on failure. */
static struct ArrowArrayStream *in_open(PyObject *args, struct ArrowSchema *schema) {
    PyObject *capsule;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream) return NULL;
    if (stream->release && stream->get_schema(stream, schema) == 0 && schema->format) return stream;
    run_refuse("the Arrow stream has no schema, or was read before; expected a stream that was not "
               "read yet");
    return NULL;
}

static void in_release(struct ArrowSchema *schema, struct ArrowArrayStream *stream) {
    PyObject *raised[3];
    PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    schema->release(schema);
    if (stream && stream->release) stream->release(stream); /* later, it was read */
    PyErr_Restore(raised[0], raised[1], raised[2]);
}

/* Reads only the schema. */
static PyObject *in_look(PyObject *module, PyObject *args) {
    struct ArrowSchema schema = {0};
    (void)module;
    if (!in_open(args, &schema)) return NULL;
    PyObject *fields = in_fields(&schema);
    PyObject *look = fields ? Py_BuildValue("sN", schema.format, fields) : NULL;
    in_release(&schema, NULL);
    return look;
}

static PyObject *in_read(PyObject *module, PyObject *args) {
    struct ArrowSchema schema = {0};
    (void)module;
    struct ArrowArrayStream *stream = in_open(args, &schema);
    if (!stream) return NULL;
    PyObject *arrays = in_all(stream, &schema);
    in_release(&schema, stream);
    return arrays;
}

PyMethodDef arrow_in_functions[] = {
    {"arrow_fields", in_look, METH_VARARGS,
     "arrow_fields(capsule) -> (format, [(name, format, format of values)])"},
    {"arrow_read", in_read, METH_VARARGS, "arrow_read(capsule) -> [(length, offset, [columns])]"},
    {NULL, NULL, 0, NULL},
};
