/* subsets.c - all rules of the sets of a SetIndex
 *
 * A rule consists of the numbers of three sets: the whole, the antecedent, the consequent. No
 * Python objects are made before a rule has passed its threshold, and then only frozensets are used
 * that the caller already has.
 *
 * The order of rules is that of mlxtend: itemsets as they come, larger antecedents first, then the
 * combinations in the order in which the frozenset yields its items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frames.h"

/* The set at hand as the masks see it: ascending items, and which bit each has. */
typedef struct sets_masks {
    const int32_t *items;
    uint32_t bits[32];
    uint64_t codes[32]; /* By bit. */
    int32_t length;
} sets_masks;

static void sets_view(const set_index *index, int64_t set, sets_masks *view) {
    const int32_t *yielded = index->yielded + index->offsets[set];
    view->items = index->sorted + index->offsets[set];
    view->length = sets_length(index, set);
    for (int32_t bit = 0; bit < view->length; bit++) {
        view->codes[bit] = sets_code(yielded[bit]);
        for (int32_t i = 0; i < view->length; i++) {
            if (view->items[i] == yielded[bit]) {
                view->bits[i] = 1u << bit;
            }
        }
    }
}

static bool sets_reserve_masks(set_index *index, int32_t length) {
    const int64_t masks = INT64_C(1) << length;
    if (masks <= index->mask_capacity) {
        return true;
    }
    if (!sets_resize(&index->subsets, masks, sizeof(int32_t)) ||
        !sets_resize(&index->sums, masks, sizeof(uint64_t))) {
        return false;
    }
    index->mask_capacity = masks;
    return true;
}

/* Looks all proper subsets up; returns how many are missing, -1 if a signal handler has raised. */
static int64_t sets_look_up(const set_index *index, const sets_masks *view) {
    int64_t missing = 0;
    index->sums[0] = 0;
    for (uint32_t mask = 1; mask < sets_full_mask(view->length); mask++) {
        if (!frames_goes_on(mask)) {
            return -1;
        }
        const uint32_t rest = mask & (mask - 1);
        index->sums[mask] = index->sums[rest] + view->codes[__builtin_ctz(mask)];
        const sets_key key = {view->items, view->bits, mask};
        int64_t slot = 0;
        index->subsets[mask] = sets_find(index, index->sums[mask], &key, &slot);
        missing += index->subsets[mask] == SETS_NONE;
    }
    return missing;
}

/* Where rules are written: three numbers each. */
typedef struct sets_rule_list {
    int32_t *whole;
    int32_t *antecedent;
    int32_t *consequent;
    int64_t count;
    int64_t capacity;
} sets_rule_list;

/* The next combination of the positions below `length`; false after the last. */
static bool sets_next_combination(int32_t *chosen, int32_t size, int32_t length) {
    int32_t at = size - 1;
    while (at >= 0 && chosen[at] == length - size + at) {
        at--;
    }
    if (at < 0) {
        return false;
    }
    chosen[at]++;
    for (int32_t i = at + 1; i < size; i++) {
        chosen[i] = chosen[i - 1] + 1;
    }
    return true;
}

/* Writes the rules of the current set, whose subsets have been looked up. Returns false if a signal
 * handler has raised. */
static bool sets_write_rules(const set_index *index, int64_t set, int32_t length,
                             sets_rule_list *rules) {
    const uint32_t full = sets_full_mask(length);
    for (int32_t size = length - 1; size > 0; size--) {
        int32_t chosen[32];
        for (int32_t i = 0; i < size; i++) {
            chosen[i] = i;
        }
        do {
            uint32_t mask = 0;
            for (int32_t i = 0; i < size; i++) {
                mask |= 1u << chosen[i];
            }
            rules->whole[rules->count] = (int32_t)set;
            rules->antecedent[rules->count] = index->subsets[mask];
            rules->consequent[rules->count] = index->subsets[full ^ mask];
            rules->count++;
            if (!frames_goes_on(rules->count)) {
                return false;
            }
        } while (sets_next_combination(chosen, size, length));
    }
    return true;
}

/* Writes the rules of sets from `set` on, as many whole sets as fit. Returns the first set left, or
 * -1 if a signal handler has raised. */
static int64_t sets_some_rules(const set_index *index, int64_t set, int64_t end,
                               sets_rule_list *rules, int64_t *missing) {
    for (; set < end; set++) {
        const int32_t length = sets_length(index, set);
        if (length < 2) {
            continue;
        }
        if (rules->count + (INT64_C(1) << length) - 2 > rules->capacity) {
            break;
        }
        sets_masks view;
        sets_view(index, set, &view);
        const int64_t lacks = sets_look_up(index, &view);
        if (lacks < 0 || !frames_goes_on(set) || !sets_write_rules(index, set, length, rules)) {
            return -1;
        }
        *missing += lacks;
    }
    return set;
}

/* rules(set, end, whole, antecedent, consequent) -> (next set, rules written, missing subsets):
 * fills the three arrays of 32-bit numbers. A missing subset has the number -1. If not even the
 * rules of one set fit, none is written; needed(set) says how many it has. */
PyObject *sets_rules(PyObject *self, PyObject *arguments) {
    set_index *index = (set_index *)self;
    long long set = 0;
    long long end = 0;
    PyObject *arrays[3] = {NULL, NULL, NULL};
    if (!PyArg_ParseTuple(arguments, "LLOOO:rules", &set, &end, &arrays[0], &arrays[1],
                          &arrays[2])) {
        return NULL;
    }
    if (set < 0 || end > index->count) {
        PyErr_SetString(PyExc_IndexError, "rules: set numbers out of range");
        return NULL;
    }
    frames_array lent[3];
    int32_t lent_count = 0;
    sets_rule_list rules = {.capacity = INT64_MAX};
    int64_t missing = 0;
    bool fine = true;
    for (; fine && lent_count < 3; lent_count += fine) {
        fine = frames_borrow(arrays[lent_count], sizeof(int32_t), true, "rules", &lent[lent_count]);
        rules.capacity = fine && lent[lent_count].length < rules.capacity ? lent[lent_count].length
                                                                          : rules.capacity;
    }
    for (int64_t i = set; fine && i < end; i++) {
        fine = sets_reserve_masks(index, sets_length(index, i));
    }
    if (fine) {
        rules.whole = lent[0].view.buf;
        rules.antecedent = lent[1].view.buf;
        rules.consequent = lent[2].view.buf;
        set = sets_some_rules(index, set, end, &rules, &missing);
        fine = set >= 0;
    }
    for (int32_t i = 0; i < lent_count; i++) {
        PyBuffer_Release(&lent[i].view);
    }
    return fine ? Py_BuildValue("LLL", set, (long long)rules.count, (long long)missing) : NULL;
}

/* Enters the subset of a mask, whose items lie in a set before; false with an exception set. */
static bool sets_enter_subset(set_index *index, int64_t set, uint32_t mask) {
    if (!sets_reserve(index, __builtin_popcount(mask))) {
        return false;
    }
    PyObject *object = PyFrozenSet_New(NULL);
    bool fine = object != NULL;
    int32_t *out = index->yielded + index->offsets[index->count];
    for (int32_t i = 0; fine && i < sets_length(index, set); i++) {
        if ((mask >> i & 1) != 0) {
            *out = index->yielded[index->offsets[set] + i];
            fine = PySet_Add(object, PyList_GetItem(index->labels, *out++)) == 0;
        }
    }
    fine = fine && sets_enter(index, __builtin_popcount(mask), object) != SETS_NONE;
    Py_XDECREF(object);
    return fine;
}

/* complete(end): enters the subsets that sets before `end` have and the index has not. */
PyObject *sets_complete(PyObject *self, PyObject *argument) {
    set_index *index = (set_index *)self;
    const long long end = PyLong_AsLongLong(argument);
    if (PyErr_Occurred() != NULL || end > index->count) {
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_IndexError, "complete: set number out of range");
        }
        return NULL;
    }
    for (int64_t set = 0; set < end; set++) {
        sets_masks view;
        sets_view(index, set, &view);
        if (!sets_reserve_masks(index, view.length)) {
            return NULL;
        }
        const int64_t lacks = view.length < 2 ? 0 : sets_look_up(index, &view);
        if (lacks < 0 || !frames_goes_on(set)) {
            return NULL;
        }
        if (lacks == 0) {
            continue;
        }
        for (uint32_t mask = 1; mask < sets_full_mask(view.length); mask++) {
            if (!frames_goes_on(mask) ||
                (index->subsets[mask] == SETS_NONE && !sets_enter_subset(index, set, mask))) {
                return NULL;
            }
        }
    }
    Py_RETURN_NONE;
}

/* needed(set): how many rules a set has. */
PyObject *sets_needed(PyObject *self, PyObject *argument) {
    const set_index *index = (const set_index *)self;
    const long long set = PyLong_AsLongLong(argument);
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    if (set < 0 || set >= index->count) {
        PyErr_SetString(PyExc_IndexError, "needed: set number out of range");
        return NULL;
    }
    const int32_t length = sets_length(index, set);
    return PyLong_FromLongLong(length < 2 ? 0 : (INT64_C(1) << length) - 2);
}
