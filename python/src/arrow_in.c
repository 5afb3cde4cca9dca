/* arrow_in.c - an Arrow stream as Python objects: arrays as buffers, without a copy
 *
 * Every array becomes a tuple
 *
 *     (name, format, length, offset, null_count, buffers, children, dictionary or None)
 *
 * and lode/_arrow.py does the rest. Buffers are Columns that keep a reference to the array to which
 * they belong. The interface does not give the sizes of buffers, so they are computed from format
 * and length. An array of an unknown format comes without buffers, and the package refuses it with
 * a message that names the format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
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

/* Bytes of a value of a format of fixed width; 0: it has none. */
static uint64_t in_width(const char *format) {
    static const char *const narrow[] = {"tdD", "tts", "ttm", "tiM"};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        if (strcmp(format, narrow[i]) == 0) return 4;
    }
    if (format[0] == 't') return strcmp(format, "tin") == 0 ? 16 : 8;
    if (format[1] != 0) return 0;
    switch (format[0]) {
    case 'c':
    case 'C': return 1;
    case 's':
    case 'S':
    case 'e': return 2;
    case 'i':
    case 'I':
    case 'f': return 4;
    case 'l':
    case 'L':
    case 'g': return 8;
    default: return 0;
    }
}

/* Bytes of an offset of strings and lists; 0: the format has no offsets. */
static uint64_t in_offset_width(const char *format) {
    if (strcmp(format, "u") == 0 || strcmp(format, "+l") == 0) return 4;
    return strcmp(format, "U") == 0 || strcmp(format, "+L") == 0 ? 8 : 0;
}

static uint64_t in_text_bytes(const struct ArrowArray *array, uint64_t width, uint64_t end) {
    const void *offsets = array->buffers[1];
    if (!offsets) return 0;
    int64_t bytes = width == 8 ? ((const int64_t *)offsets)[end] : ((const int32_t *)offsets)[end];
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Strings by views: 16 bytes each, then buffers of text, and last the sizes of these. */
static uint64_t in_view_bytes(const struct ArrowArray *array, uint64_t end, int64_t i) {
    int64_t last = array->n_buffers - 1;
    if (i == 1) return end * 16;
    if (i == last) return (uint64_t)(last - 2) * sizeof(int64_t);
    return (uint64_t)((const int64_t *)array->buffers[last])[i - 2];
}

static uint64_t in_buffer_bytes(const struct ArrowArray *array, const char *format, int64_t i) {
    uint64_t end = (uint64_t)(array->offset + array->length), width = in_offset_width(format);
    if (i == 0 || strcmp(format, "b") == 0) return (end + 7) / 8;
    if (strcmp(format, "vu") == 0) return in_view_bytes(array, end, i);
    if (width == 0) return end * in_width(format);
    return i == 1 ? (end + 1) * width : in_text_bytes(array, width, end);
}

/* Whether an array is what its schema says, as far as that can be seen. */
static bool in_fits(const struct ArrowSchema *schema, const struct ArrowArray *array, bool known) {
    int64_t least = strcmp(schema->format, "vu") == 0 ? 3 : 2;
    bool fits = array->length >= 0 && array->offset >= 0 &&
                array->length <= INT64_MAX / 16 - array->offset - 1 &&
                array->n_children == schema->n_children &&
                !array->dictionary == !schema->dictionary;
    if (fits && known) {
        fits = array->n_buffers >= least && (array->buffers[1] || array->length == 0);
    }
    if (!fits) {
        run_refuse("the Arrow stream has an array that does not match its schema; expected the "
                   "same number of children, and all buffers");
    }
    return fits;
}

/* ---- Tuples ---- */

static PyObject *in_array(PyObject *held, const struct ArrowSchema *schema,
                          const struct ArrowArray *array);

static PyObject *in_buffers(PyObject *held, const char *format, const struct ArrowArray *array) {
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < array->n_buffers; i++) {
        PyObject *buffer = column_new(held, array->buffers[i],
                                      array->buffers[i] ? in_buffer_bytes(array, format, i) : 0);
        if (!buffer || PyList_Append(list, buffer) != 0) Py_CLEAR(list);
        Py_XDECREF(buffer);
    }
    return list;
}

static PyObject *in_children(PyObject *held, const struct ArrowSchema *schema,
                             const struct ArrowArray *array) {
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < array->n_children; i++) {
        PyObject *child = in_array(held, schema->children[i], array->children[i]);
        if (!child || PyList_Append(list, child) != 0) Py_CLEAR(list);
        Py_XDECREF(child);
    }
    return list;
}

static PyObject *in_array(PyObject *held, const struct ArrowSchema *schema,
                          const struct ArrowArray *array) {
    bool known = schema->format[0] == 'b' || strcmp(schema->format, "vu") == 0 ||
                 in_width(schema->format) || in_offset_width(schema->format);
    if (!in_fits(schema, array, known)) return NULL;
    PyObject *buffers = known ? in_buffers(held, schema->format, array) : PyList_New(0);
    PyObject *children = in_children(held, schema, array), *dictionary = NULL;
    if (schema->dictionary && array->dictionary) {
        dictionary = in_array(held, schema->dictionary, array->dictionary);
    } else {
        Py_INCREF(Py_None);
        dictionary = Py_None;
    }
    if (buffers && children && dictionary) {
        return Py_BuildValue("zsLLLNNN", schema->name, schema->format, (long long)array->length,
                             (long long)array->offset, (long long)array->null_count, buffers,
                             children, dictionary);
    }
    Py_XDECREF(buffers);
    Py_XDECREF(children);
    Py_XDECREF(dictionary);
    return NULL;
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

/* The names and formats of a schema, for streams without an array. */
static PyObject *in_fields(const struct ArrowSchema *schema) {
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < schema->n_children; i++) {
        PyObject *field =
            Py_BuildValue("zs", schema->children[i]->name, schema->children[i]->format);
        if (!field || PyList_Append(list, field) != 0) Py_CLEAR(list);
        Py_XDECREF(field);
    }
    return list;
}

static PyObject *in_read(PyObject *module, PyObject *args) {
    PyObject *capsule;
    struct ArrowSchema schema = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream) return NULL;
    if (!stream->release || stream->get_schema(stream, &schema) != 0) {
        return run_refuse("the Arrow stream has no schema, or was read before; expected a stream "
                          "that was not read yet");
    }
    PyObject *fields = in_fields(&schema), *arrays = in_all(stream, &schema), *read = NULL;
    if (fields && arrays) read = Py_BuildValue("sOO", schema.format, fields, arrays);
    Py_XDECREF(fields);
    Py_XDECREF(arrays);
    PyObject *raised[3];
    PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    schema.release(&schema);
    if (stream->release) stream->release(stream); /* a second request sees that it was read */
    PyErr_Restore(raised[0], raised[1], raised[2]);
    return read;
}

/* ---- Codes of strings ---- */

/* The code of a name, which gets the next one if it is new; -1 and an exception on failure. */
static int64_t in_code(PyObject *codes, PyObject *names, PyObject *name) {
    PyObject *known = PyDict_GetItemWithError(codes, name);
    if (known) return (int64_t)PyLong_AsUnsignedLong(known);
    if (PyErr_Occurred()) return -1;
    Py_ssize_t next = PyList_Size(names);
    if (!code_fits(next)) return -1;
    PyObject *code = PyLong_FromSsize_t(next);
    int failed = !code || PyDict_SetItem(codes, name, code) != 0 || PyList_Append(names, name) != 0;
    Py_XDECREF(code);
    return failed ? -1 : (int64_t)next;
}

/* Whether offsets do not fall, and stay within the text. */
static bool in_are_offsets(const int64_t *at, size_t n, int64_t bytes) {
    bool fine = at[0] >= 0 && at[n] <= bytes;
    for (size_t i = 0; fine && i < n; i++) fine = at[i] <= at[i + 1];
    if (!fine)
        run_refuse("the Arrow stream has strings whose offsets decrease or lie outside the text");
    return fine;
}

static PyObject *in_codes(const Py_buffer *offsets, const Py_buffer *characters, PyObject *codes,
                          PyObject *names) {
    const int64_t *at = offsets->buf;
    const char *text = characters->buf;
    size_t n = (size_t)offsets->len / sizeof *at;
    n = n > 0 ? n - 1 : 0;
    if (n > 0 && !in_are_offsets(at, n, (int64_t)characters->len)) return NULL;
    uint32_t *out = malloc(n * sizeof *out + 1);
    if (!out) return PyErr_NoMemory();
    for (size_t i = 0; i < n; i++) {
        PyObject *name =
            PyUnicode_DecodeUTF8(text + at[i], (Py_ssize_t)(at[i + 1] - at[i]), "strict");
        int64_t code = name ? in_code(codes, names, name) : -1;
        Py_XDECREF(name);
        if (code < 0) {
            free(out);
            return NULL;
        }
        out[i] = (uint32_t)code;
    }
    return block_new(out, n * sizeof *out);
}

/* Codes of the strings of a column as u32; dictionary and list of names grow. */
static PyObject *in_intern(PyObject *module, PyObject *args) {
    PyObject *offsets_of, *text_of, *names, *codes, *block = NULL;
    Py_buffer offsets, text;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!O!", &offsets_of, &text_of, &PyDict_Type, &codes, &PyList_Type,
                          &names) ||
        !buffer_get(offsets_of, &offsets, sizeof(int64_t), "offsets")) {
        return NULL;
    }
    if (buffer_get(text_of, &text, 1, "text")) {
        block = in_codes(&offsets, &text, codes, names);
        PyBuffer_Release(&text);
    }
    PyBuffer_Release(&offsets);
    return block;
}

PyMethodDef arrow_in_functions[] = {
    {"arrow_read", in_read, METH_VARARGS,
     "arrow_read(capsule) -> (format, [(name, format)], [arrays])"},
    {"intern", in_intern, METH_VARARGS,
     "intern(offsets, text, {name: code}, [names]) -> codes as a block of u32"},
    {NULL, NULL, 0, NULL},
};
