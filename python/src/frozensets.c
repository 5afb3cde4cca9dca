/* frozensets.c - frozensets from columns, and what the files of frames.h share
 *
 * A frozenset of items that cannot refer to other objects is taken from the garbage collector's
 * list, as Python itself does with tuples and dicts of such items: it can be in no cycle, and a
 * collection need not walk over millions of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frames.h"

bool frames_borrow(PyObject *object, size_t size, bool writable, const char *name,
                   frames_array *array) {
    const int flags = writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO;
    if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
        return false;
    }
    if ((size_t)array->view.itemsize != size) {
        PyErr_Format(PyExc_ValueError, "%s: elements of %zu bytes were expected, not of %zd", name,
                     size, array->view.itemsize);
        PyBuffer_Release(&array->view);
        return false;
    }
    array->length = array->view.len / array->view.itemsize;
    return true;
}

bool frames_check_offsets(const int64_t *offsets, Py_ssize_t count, Py_ssize_t items) {
    bool fine = count > 0 && offsets[0] == 0 && offsets[count - 1] == items;
    for (Py_ssize_t i = 1; fine && i < count; i++) {
        fine = offsets[i - 1] <= offsets[i];
    }
    if (!fine) {
        PyErr_SetString(PyExc_ValueError,
                        "offsets: numbers that ascend from 0 to the length of items were expected");
    }
    return fine;
}

/* The frozenset of one row, or NULL with an exception set. */
static PyObject *frames_one_set(const int32_t *items, Py_ssize_t count, PyObject *const *labels,
                                Py_ssize_t label_count) {
    PyObject *set = PyFrozenSet_New(NULL);
    for (Py_ssize_t i = 0; set != NULL && i < count; i++) {
        if (items[i] < 0 || items[i] >= label_count) {
            PyErr_Format(PyExc_IndexError, "items: %d is not one of %zd labels", (int)items[i],
                         label_count);
            Py_CLEAR(set);
        } else if (PySet_Add(set, labels[items[i]]) != 0) {
            Py_CLEAR(set);
        }
    }
    return set;
}

/* Whether no label can refer to another object, so that a set of them can be in no cycle. */
static bool frames_all_atoms(PyObject *const *labels, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        const PyTypeObject *type = Py_TYPE(labels[i]);
        if (type != &PyLong_Type && type != &PyUnicode_Type && type != &PyFloat_Type &&
            type != &PyBytes_Type && type != &PyBool_Type) {
            return false;
        }
    }
    return true;
}

/* What fill_frozensets works on, in one piece. */
typedef struct frames_filling {
    frames_array out;
    frames_array offsets;
    frames_array items;
    frames_array order;
    PyObject **labels;
    Py_ssize_t label_count;
} frames_filling;

static bool frames_fill(const frames_filling *fill) {
    PyObject **out = fill->out.view.buf;
    const int64_t *offsets = fill->offsets.view.buf;
    const int32_t *items = fill->items.view.buf;
    const int64_t *order = fill->order.view.buf;
    const Py_ssize_t sets = fill->offsets.length - 1;
    const bool atoms = frames_all_atoms(fill->labels, fill->label_count);
    for (Py_ssize_t i = 0; i < fill->out.length; i++) {
        const int64_t row = order[i];
        if (!frames_goes_on(i)) {
            return false;
        }
        if (row < 0 || row >= sets) {
            PyErr_Format(PyExc_IndexError, "order: there is no set %lld", (long long)row);
            return false;
        }
        PyObject *set =
            frames_one_set(items + offsets[row], (Py_ssize_t)(offsets[row + 1] - offsets[row]),
                           fill->labels, fill->label_count);
        if (set == NULL) {
            return false;
        }
        if (atoms) {
            PyObject_GC_UnTrack(set);
        }
        PyObject *old = out[i];
        out[i] = set;
        Py_XDECREF(old);
    }
    return true;
}

/* The labels as an array of borrowed references, which the caller frees; NULL with an exception. */
static PyObject **frames_label_array(PyObject *labels) {
    const Py_ssize_t count = PyList_Size(labels);
    PyObject **array = PyMem_Malloc(sizeof(PyObject *) * (size_t)(count + 1));
    if (array == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        array[i] = PyList_GetItem(labels, i);
    }
    return array;
}

/* Checks what the arrays must agree in, and fills. */
static bool frames_fill_checked(frames_filling *fill, PyObject *labels) {
    if (fill->order.length != fill->out.length) {
        PyErr_SetString(PyExc_ValueError, "out and order must have the same length");
        return false;
    }
    if (!frames_check_offsets(fill->offsets.view.buf, fill->offsets.length, fill->items.length)) {
        return false;
    }
    fill->label_count = PyList_Size(labels);
    fill->labels = frames_label_array(labels);
    if (fill->labels == NULL) {
        return false;
    }
    const bool done = frames_fill(fill);
    PyMem_Free(fill->labels);
    return done;
}

/* fill_frozensets(out, offsets, items, order, labels): out[i] becomes the frozenset of the labels
 * of set order[i]. `out` is an array of objects, `labels` a list. */
PyObject *frames_fill_frozensets(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *out = NULL;
    PyObject *offsets = NULL;
    PyObject *items = NULL;
    PyObject *order = NULL;
    PyObject *labels = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOOO!:fill_frozensets", &out, &offsets, &items, &order,
                          &PyList_Type, &labels)) {
        return NULL;
    }
    frames_filling fill = {0};
    bool done = false;
    if (frames_borrow(out, sizeof(PyObject *), true, "out", &fill.out)) {
        if (frames_borrow(offsets, sizeof(int64_t), false, "offsets", &fill.offsets)) {
            if (frames_borrow(items, sizeof(int32_t), false, "items", &fill.items)) {
                if (frames_borrow(order, sizeof(int64_t), false, "order", &fill.order)) {
                    done = frames_fill_checked(&fill, labels);
                    PyBuffer_Release(&fill.order.view);
                }
                PyBuffer_Release(&fill.items.view);
            }
            PyBuffer_Release(&fill.offsets.view);
        }
        PyBuffer_Release(&fill.out.view);
    }
    if (!done) {
        return NULL;
    }
    Py_RETURN_NONE;
}
