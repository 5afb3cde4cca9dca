/* frames.h - loops of lode.mlxtend for which Python is too slow
 *
 * mlxtend's interface is a data frame with one frozenset per row. Making these objects, sorting
 * rows in mlxtend's order and finding the subsets of each set for rules are loops over millions of
 * small objects. Here they are written in C, on arrays that numpy lends by the buffer protocol.
 * Only the limited API of Python is used.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PYTHON_FRAMES_H
#define LODE_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "pylode.h"

/* Adds the functions and the type below to the module. Returns -1 with an exception on failure. */
int frames_init(PyObject *module);

/* An array that Python lends: its memory, and its number of elements. */
typedef struct frames_array {
    Py_buffer view;
    Py_ssize_t length;
} frames_array;

/* Borrows a contiguous array of elements of `size` bytes. Returns false with an exception that
 * names the argument. Release the array by PyBuffer_Release(&array->view). */
bool frames_borrow(PyObject *object, size_t size, bool writable, const char *name,
                   frames_array *array);

/* The sets of a result: set i is items[offsets[i]] … items[offsets[i + 1] - 1]. */
typedef struct frames_sets {
    const int64_t *offsets;
    const int32_t *items;
    Py_ssize_t count;
} frames_sets;

/* Returns whether the offsets ascend from 0 to the number of items; if not, sets ValueError. */
bool frames_check_offsets(const int64_t *offsets, Py_ssize_t count, Py_ssize_t items);

/* Call in every step of a long loop, holding the GIL; returns false if a signal handler raised. */
static inline bool frames_goes_on(int64_t step) {
    return (step & 0x3fff) != 0 || PyErr_CheckSignals() == 0;
}

PyObject *frames_match_sets(PyObject *module, PyObject *arguments);
PyObject *frames_match_graphs(PyObject *module, PyObject *arguments);

/* A growing array of 32-bit numbers. `values` comes from malloc(), so that block_new() can take it
 * over. */
typedef struct frames_numbers {
    int32_t *values;
    size_t count, capacity;
} frames_numbers;

/* Appends a number. Returns false if memory runs out. Needs no GIL. */
bool frames_push(frames_numbers *numbers, int32_t value);

/* Returns a tuple of two blocks: where each row begins, and the numbers of all rows. Takes over
 * both arrays. */
PyObject *frames_row_blocks(int64_t *starts, Py_ssize_t rows, frames_numbers *numbers);

/* ---- setindex.c: finds itemsets by their items ---- */

/* A longer set has more than 2^30 rules, which no frame can hold. */
enum { SETS_MAX_LENGTH = 30, SETS_NONE = -1 };

typedef struct set_index {
    PyObject_HEAD PyObject *generic; /* numpy.generic, whose instances become plain numbers */
    PyObject *numbers;               /* dict: the number of each item */
    PyObject *labels;                /* list: the item of each number */
    PyObject *sets;                  /* list: the frozenset of each set */
    int64_t *offsets;                /* where each set begins; count + 1 entries */
    int32_t *yielded;                /* the items of each set, in the order of its frozenset */
    int32_t *sorted;                 /* the items of each set, ascending */
    int32_t *slots;                  /* hash table of sets, open addressing; SETS_NONE = free */
    int32_t *subsets;                /* scratch, by mask: the number of this subset of a set */
    uint64_t *sums;                  /* scratch, by mask: the hash of this subset */
    int64_t count, capacity, item_capacity, slot_count, mask_capacity;
} set_index;

/* A subset to look up. It has those of the ascending `items` whose bit is in `mask`; bits[i] is the
 * bit of items[i]. */
typedef struct sets_key {
    const int32_t *items;
    const uint32_t *bits;
    uint32_t mask;
} sets_key;

int32_t sets_length(const set_index *index, int64_t set);
uint32_t sets_full_mask(int32_t length);
uint64_t sets_code(int32_t item);

/* Returns the number of the set, or SETS_NONE. *slot receives the slot where the set is or belongs.
 */
int32_t sets_find(const set_index *index, uint64_t hash, const sets_key *key, int64_t *slot);

/* Resizes *memory to `count` elements of `size` bytes. Returns false with MemoryError set. */
bool sets_resize(void *memory, int64_t count, size_t size);

/* Makes room for one more set of `length` items. Returns false with an exception set. */
bool sets_reserve(set_index *index, int32_t length);

/* Enters the set whose items are in `yielded` after the last set, unless the index has it already.
 * Returns its number, or SETS_NONE with an exception set. If the set is new, the index keeps
 * `object`. */
int32_t sets_enter(set_index *index, int32_t length, PyObject *object);

/* ---- subsets.c: methods of SetIndex ---- */

int sets_init_type(PyObject *module);
PyObject *sets_rules(PyObject *self, PyObject *arguments);
PyObject *sets_complete(PyObject *self, PyObject *argument);
PyObject *sets_needed(PyObject *self, PyObject *argument);

#endif
