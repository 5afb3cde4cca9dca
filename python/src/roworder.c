/* roworder.c - the order of hmine's rows: by columns, a set before those that begin with it
 *
 * Sets are sequences of small ascending numbers, so they are sorted without comparisons: by the
 * last position first, each pass stable, and a set joins when the passes reach its last item. The
 * work is one step per item of the result. They come by size, the longest at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "frames.h"

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

/* The largest item and length; false with ValueError if an item is negative, a set empty, or sets
 * are not ordered by size. */
static bool frames_measure(const frames_sets *sets, frames_sorting *sort) {
    for (Py_ssize_t set = 0; set < sets->count; set++) {
        const int32_t length = frames_length(sets, set);
        if (length == 0 || length < sort->longest) {
            PyErr_SetString(PyExc_ValueError, "offsets: sets by size, none empty, were expected");
            return false;
        }
        sort->longest = length;
        for (int32_t i = 0; i < length; i++) {
            const int32_t item = sets->items[sets->offsets[set] + i];
            if (item < 0) {
                PyErr_SetString(PyExc_ValueError, "items: numbers from 0 on were expected");
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
PyObject *frames_sort_rows(PyObject *module, PyObject *arguments) {
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
                    PyErr_SetString(PyExc_ValueError, "order: one number per set was expected");
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
