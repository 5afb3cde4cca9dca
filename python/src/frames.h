/* frames.h - what the frames of lode.mlxtend need and Python is too slow for
 *
 * mlxtend's interface is a frame with one frozenset per row. Making those objects, putting rows in
 * its order and finding the subsets of each for rules are loops over millions of small things; here
 * they are in C, on arrays that numpy lends by the buffer protocol. Only the limited API is used.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PYTHON_FRAMES_H
#define LODE_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "pylode.h"

/* Adds the functions and the type below to the module; -1 and an exception on failure. */
int frames_init(PyObject *module);

/* One lent array: its memory, and how many elements it has. */
typedef struct frames_array {
    Py_buffer view;
    Py_ssize_t length;
} frames_array;

/* Borrows a contiguous array of elements of `size` bytes; false with an exception set that names
 * the argument. Release it by PyBuffer_Release(&array->view). */
bool frames_borrow(PyObject *object, size_t size, bool writable, const char *name,
                   frames_array *array);

/* The sets of a result: offsets[i] to offsets[i + 1] is the range of set i in items. */
typedef struct frames_sets {
    const int64_t *offsets;
    const int32_t *items;
    Py_ssize_t count;
} frames_sets;

/* Whether the offsets ascend from 0 to the number of items; false with ValueError set. */
bool frames_check_offsets(const int64_t *offsets, Py_ssize_t count, Py_ssize_t items);

/* Call in every step of a long loop, holding the GIL; returns false if a signal handler raised. */
static inline bool frames_goes_on(int64_t step) {
    return (step & 0x3fff) != 0 || PyErr_CheckSignals() == 0;
}

PyObject *frames_match_sets(PyObject *module, PyObject *arguments);
PyObject *frames_match_graphs(PyObject *module, PyObject *arguments);

/* Numbers of 32 bits that become many; what malloc() gave, for block_new(). */
typedef struct frames_numbers {
    int32_t *values;
    size_t count, capacity;
} frames_numbers;

/* Appends one; false if there is no memory. Needs no GIL. */
bool frames_push(frames_numbers *numbers, int32_t value);

/* (where each row begins, numbers of all rows) as two blocks; takes both arrays over. */
PyObject *frames_row_blocks(int64_t *starts, Py_ssize_t rows, frames_numbers *numbers);

/* ---- setindex.c: itemsets by their items ---- */

/* A set of more items has more than 2^30 rules, which no frame can hold. */
enum { SETS_MAX_LENGTH = 30, SETS_NONE = -1 };

typedef struct set_index {
    PyObject_HEAD PyObject *generic; /* numpy.generic, whose instances become plain numbers */
    PyObject *numbers;               /* dict: item to its number */
    PyObject *labels;                /* list: the item of each number */
    PyObject *sets;                  /* list: the frozenset of each set */
    int64_t *offsets;                /* where each set begins; count + 1 of them */
    int32_t *yielded;                /* items in the order of the frozenset */
    int32_t *sorted;                 /* the same, ascending */
    int32_t *slots;                  /* open addressing; SETS_NONE is free */
    int32_t *subsets;                /* of the set at hand: by mask, the number of the subset */
    uint64_t *sums;                  /* of the set at hand: by mask, the hash */
    int64_t count, capacity, item_capacity, slot_count, mask_capacity;
} set_index;

/* A subset that is looked up: `items` ascending, bits[i] the bit of items[i], those in `mask`. */
typedef struct sets_key {
    const int32_t *items;
    const uint32_t *bits;
    uint32_t mask;
} sets_key;

int32_t sets_length(const set_index *index, int64_t set);
uint32_t sets_full_mask(int32_t length);
uint64_t sets_code(int32_t item);

/* The number of the set, or SETS_NONE; *slot becomes where it is or belongs. */
int32_t sets_find(const set_index *index, uint64_t hash, const sets_key *key, int64_t *slot);

/* *memory becomes room for `count` elements of `size` bytes; false with MemoryError set. */
bool sets_resize(void *memory, int64_t count, size_t size);

/* Makes room for one more set of `length` items; false with an exception set. */
bool sets_reserve(set_index *index, int32_t length);

/* Enters the set whose items lie in `yielded` behind the last set. Returns its number, old or new,
 * or SETS_NONE with an exception; `object` is kept if the set is new. */
int32_t sets_enter(set_index *index, int32_t length, PyObject *object);

/* ---- subsets.c: methods of SetIndex ---- */

int sets_init_type(PyObject *module);
PyObject *sets_rules(PyObject *self, PyObject *arguments);
PyObject *sets_complete(PyObject *self, PyObject *argument);
PyObject *sets_needed(PyObject *self, PyObject *argument);

#endif
