/* frames.c - functions that the files of frames.h share, and the table of all their functions
 * SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

/* ---- frozensets from columns, and what the files of frames.h share --------------------------- */

/* A frozenset of items that cannot refer to other objects is untracked from the garbage collector,
 * as Python itself does with tuples and dicts of such items: it cannot be part of a cycle, and a
 * collection need not visit millions of them. */

bool frames_borrow(PyObject *object, size_t size, bool writable, const char *name,
                   frames_array *array) {
    const int flags = writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO;
    if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
        return false;
    }
    if ((size_t)array->view.itemsize != size) {
        PyErr_Format(PyExc_ValueError, "%s: expected elements of %zu bytes, not of %zd", name, size,
                     array->view.itemsize);
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
                        "offsets: expected ascending numbers from 0 to len(items)");
    }
    return fine;
}

/* The frozenset of one row, or NULL with an exception set. */
static PyObject *frames_one_set(const int32_t *items, Py_ssize_t count, PyObject *const *labels,
                                Py_ssize_t label_count) {
    PyObject *set = PyFrozenSet_New(NULL);
    for (Py_ssize_t i = 0; set != NULL && i < count; i++) {
        if (items[i] < 0 || items[i] >= label_count) {
            PyErr_Format(PyExc_IndexError, "items: there is no label %d; there are %zd labels",
                         (int)items[i], label_count);
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
static PyObject *frames_fill_frozensets(PyObject *module, PyObject *arguments) {
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

/* ---- the order of hmine's rows: by columns, a set before those that begin with it ------------ */

/* Sets are sequences of small ascending numbers, so they are sorted without comparisons: by the
 * last position first, each pass stable. A set joins when the passes reach its last item. The work
 * is one step per item of the result. The sets come by size, the longest at the end. */

/* Memory of a sort: two lists of set numbers (64 bits, as numpy indexes by them), and counters. */
typedef struct frames_sorting {
    int64_t *from;
    int64_t *to;
    int64_t *starts;
    int32_t longest;
    int32_t max_item;
} frames_sorting;

static int32_t frames_length(const frames_sets *sets, int64_t set) {
    return (int32_t)(sets->offsets[set + 1] - sets->offsets[set]);
}

/* Counts become starts. */
static void frames_accumulate(int64_t *counts, int64_t buckets) {
    int64_t sum = 0;
    for (int64_t i = 0; i < buckets; i++) {
        const int64_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

/* One stable pass over from[begin..count) by the item at `position`. */
static void frames_pass(const frames_sets *sets, frames_sorting *sort, Py_ssize_t begin,
                        int32_t position) {
    memset(sort->starts, 0, sizeof(int64_t) * ((size_t)sort->max_item + 1));
    for (Py_ssize_t i = begin; i < sets->count; i++) {
        sort->starts[sets->items[sets->offsets[sort->from[i]] + position]]++;
    }
    frames_accumulate(sort->starts, (int64_t)sort->max_item + 1);
    for (Py_ssize_t i = begin; i < sets->count; i++) {
        const int64_t set = sort->from[i];
        sort->to[begin + sort->starts[sets->items[sets->offsets[set] + position]]++] = set;
    }
    int64_t *old = sort->from;
    sort->from = sort->to;
    sort->to = old;
}

/* All passes; the result is in sort->from. */
static void frames_sort(const frames_sets *sets, frames_sorting *sort) {
    Py_ssize_t begin = sets->count;
    for (int32_t position = sort->longest - 1; position >= 0; position--) {
        for (; begin > 0 && frames_length(sets, begin - 1) > position; begin--) {
            sort->from[begin - 1] = begin - 1;
        }
        frames_pass(sets, sort, begin, position);
    }
}

/* Finds the largest item and the largest length. Returns false with ValueError if an item is
 * negative, a set is empty, or sets are not ordered by size. */
static bool frames_measure(const frames_sets *sets, frames_sorting *sort) {
    for (Py_ssize_t set = 0; set < sets->count; set++) {
        const int32_t length = frames_length(sets, set);
        if (length == 0 || length < sort->longest) {
            PyErr_SetString(PyExc_ValueError,
                            "offsets: expected sets in order of size, none of them empty");
            return false;
        }
        sort->longest = length;
        for (int32_t i = 0; i < length; i++) {
            const int32_t item = sets->items[sets->offsets[set] + i];
            if (item < 0) {
                PyErr_SetString(PyExc_ValueError, "items: expected numbers from 0");
                return false;
            }
            sort->max_item = item > sort->max_item ? item : sort->max_item;
        }
    }
    return true;
}

/* Sorts into `out`; false with an exception set. */
static bool frames_sort_into(const frames_sets *sets, int64_t *out) {
    frames_sorting sort = {0};
    if (!frames_measure(sets, &sort)) {
        return false;
    }
    const size_t lists = 2 * (size_t)sets->count;
    int64_t *memory = PyMem_Malloc(sizeof(int64_t) * (lists + (size_t)sort.max_item + 1));
    if (memory == NULL) {
        PyErr_NoMemory();
        return false;
    }
    sort.from = memory;
    sort.to = memory + sets->count;
    sort.starts = memory + lists;
    PyThreadState *thread = PyEval_SaveThread();
    frames_sort(sets, &sort);
    memcpy(out, sort.from, sizeof(int64_t) * (size_t)sets->count);
    PyEval_RestoreThread(thread);
    PyMem_Free(memory);
    return true;
}

/* sort_rows(offsets, items, order): writes the numbers of the sets, in order, into `order`. */
static PyObject *frames_sort_rows(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *offsets = NULL;
    PyObject *items = NULL;
    PyObject *order = NULL;
    if (!PyArg_ParseTuple(arguments, "OOO:sort_rows", &offsets, &items, &order)) {
        return NULL;
    }
    frames_array lent[3];
    bool done = false;
    if (frames_borrow(offsets, sizeof(int64_t), false, "offsets", &lent[0])) {
        if (frames_borrow(items, sizeof(int32_t), false, "items", &lent[1])) {
            if (frames_borrow(order, sizeof(int64_t), true, "order", &lent[2])) {
                const frames_sets sets = {lent[0].view.buf, lent[1].view.buf, lent[0].length - 1};
                if (lent[2].length != sets.count) {
                    PyErr_SetString(PyExc_ValueError, "order: expected one number per set");
                } else {
                    done = frames_check_offsets(sets.offsets, lent[0].length, lent[1].length) &&
                           frames_sort_into(&sets, lent[2].view.buf);
                }
                PyBuffer_Release(&lent[2].view);
            }
            PyBuffer_Release(&lent[1].view);
        }
        PyBuffer_Release(&lent[0].view);
    }
    if (!done) {
        return NULL;
    }
    Py_RETURN_NONE;
}

bool frames_push(frames_numbers *numbers, int32_t value) {
    if (numbers->count == numbers->capacity) {
        const size_t more = 2 * numbers->capacity + 1024;
        int32_t *bigger = realloc(numbers->values, more * sizeof(int32_t));
        if (bigger == NULL) return false;
        numbers->values = bigger;
        numbers->capacity = more;
    }
    numbers->values[numbers->count++] = value;
    return true;
}

PyObject *frames_row_blocks(int64_t *starts, Py_ssize_t rows, frames_numbers *numbers) {
    PyObject *begin = block_new(starts, ((size_t)rows + 1) * sizeof(int64_t));
    PyObject *values = block_new(numbers->values, numbers->count * sizeof(int32_t));
    PyObject *both = begin != NULL && values != NULL ? PyTuple_Pack(2, begin, values) : NULL;
    Py_XDECREF(begin);
    Py_XDECREF(values);
    return both;
}

static PyMethodDef frames_functions[] = {
    {"fill_frozensets", frames_fill_frozensets, METH_VARARGS,
     "fill_frozensets(out, offsets, items, order, labels)"},
    {"sort_rows", frames_sort_rows, METH_VARARGS, "sort_rows(offsets, items, order)"},
    {"match_sets", frames_match_sets, METH_VARARGS,
     "match_sets(offsets, items, order, row offsets, row items, highest item) -> (starts, sets)"},
    {"match_graphs", frames_match_graphs, METH_VARARGS,
     "match_graphs(patterns, graphs, directed) -> (starts, patterns)"},
    {NULL, NULL, 0, NULL},
};

int frames_init(PyObject *module) {
    return PyModule_AddFunctions(module, frames_functions) == 0 ? sets_init_type(module) : -1;
}
