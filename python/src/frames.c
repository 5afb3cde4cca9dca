/* frames.c - what the files of frames.h share, and their table of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frames.h"

#include <stdlib.h>

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
