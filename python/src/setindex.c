/* setindex.c - SetIndex: finds itemsets by their items
 *
 * association_rules() needs, for each itemset, the supports of all of its subsets. Looking them up
 * as frozensets would create and hash one object per subset. Here each item has a number and a
 * random-looking code, and the hash of a set is the sum of the codes of its items. So the hash of a
 * subset follows from that of a smaller one by one addition. A set that is found by its hash is
 * confirmed by comparing its items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "frames.h"

/* A well-mixed code of a number (the finaliser of splitmix64). */
uint64_t sets_code(int32_t item) {
    uint64_t x = ((uint64_t)item + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

int32_t sets_length(const set_index *index, int64_t set) {
    return (int32_t)(index->offsets[set + 1] - index->offsets[set]);
}

static uint64_t sets_hash(const int32_t *items, int32_t count) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += sets_code(items[i]);
    }
    return sum;
}

/* The sum of codes is spread over the table by its upper bits. */
static int64_t sets_first_slot(const set_index *index, uint64_t hash) {
    return (int64_t)((hash ^ (hash >> 32)) & (uint64_t)(index->slot_count - 1));
}

/* Whether a set's items are those of a key. */
static bool sets_equal(const set_index *index, int64_t set, const sets_key *key) {
    const int32_t *mine = index->sorted + index->offsets[set];
    int32_t left = sets_length(index, set);
    if (left != __builtin_popcount(key->mask)) return false;
    for (int32_t i = 0; left > 0; i++) {
        if ((key->mask & key->bits[i]) == 0) continue;
        if (*mine++ != key->items[i]) return false;
        left--;
    }
    return true;
}

int32_t sets_find(const set_index *index, uint64_t hash, const sets_key *key, int64_t *slot) {
    int64_t at = sets_first_slot(index, hash);
    while (index->slots[at] != SETS_NONE && !sets_equal(index, index->slots[at], key)) {
        at = (at + 1) & (index->slot_count - 1);
    }
    *slot = at;
    return index->slots[at];
}

bool sets_resize(void *memory, int64_t count, size_t size) {
    void *old = NULL;
    memcpy(&old, memory, sizeof(old));
    void *bigger = PyMem_Realloc(old, (size_t)count * size);
    if (bigger == NULL) {
        PyErr_NoMemory();
        return false;
    }
    memcpy(memory, &bigger, sizeof(bigger));
    return true;
}

static bool sets_rehash(set_index *index) {
    const int64_t slots = index->slot_count == 0 ? 64 : 2 * index->slot_count;
    if (!sets_resize(&index->slots, slots, sizeof(int32_t))) {
        return false;
    }
    index->slot_count = slots;
    memset(index->slots, 0xFF, sizeof(int32_t) * (size_t)slots);
    for (int64_t set = 0; set < index->count; set++) {
        const uint64_t hash =
            sets_hash(index->sorted + index->offsets[set], sets_length(index, set));
        int64_t at = sets_first_slot(index, hash);
        while (index->slots[at] != SETS_NONE) {
            at = (at + 1) & (slots - 1);
        }
        index->slots[at] = (int32_t)set;
    }
    return true;
}

bool sets_reserve(set_index *index, int32_t length) {
    if (index->count == INT32_MAX - 1) {
        PyErr_SetString(PyExc_OverflowError, "more than 2^31 itemsets");
        return false;
    }
    if (index->count + 1 >= index->capacity) {
        const int64_t more = 2 * index->capacity + 64;
        if (!sets_resize(&index->offsets, more, sizeof(int64_t))) {
            return false;
        }
        index->capacity = more;
        index->offsets[0] = 0;
    }
    const int64_t needed = index->offsets[index->count] + length;
    if (needed >= index->item_capacity) { /* so that there is memory, even for an empty set */
        const int64_t more = 2 * needed + 64;
        if (!sets_resize(&index->yielded, more, sizeof(int32_t)) ||
            !sets_resize(&index->sorted, more, sizeof(int32_t))) {
            return false;
        }
        index->item_capacity = more;
    }
    return 2 * (index->count + 1) < index->slot_count || sets_rehash(index);
}

static void sets_sort(int32_t *items, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        const int32_t item = items[i];
        int32_t at = i;
        for (; at > 0 && items[at - 1] > item; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

uint32_t sets_full_mask(int32_t length) {
    return (uint32_t)((UINT64_C(1) << length) - 1);
}

int32_t sets_enter(set_index *index, int32_t length, PyObject *object) {
    int32_t *sorted = index->sorted + index->offsets[index->count];
    memcpy(sorted, index->yielded + index->offsets[index->count], sizeof(int32_t) * (size_t)length);
    sets_sort(sorted, length);
    uint32_t bits[SETS_MAX_LENGTH];
    for (int32_t i = 0; i < length; i++) bits[i] = 1u << i;
    const sets_key key = {sorted, bits, sets_full_mask(length)};
    int64_t slot = 0;
    const int32_t found = sets_find(index, sets_hash(sorted, length), &key, &slot);
    if (found != SETS_NONE) {
        return found;
    }
    if (PyList_Append(index->sets, object) != 0) {
        return SETS_NONE;
    }
    index->slots[slot] = (int32_t)index->count;
    index->offsets[index->count + 1] = index->offsets[index->count] + length;
    return (int32_t)index->count++;
}

/* The number of an item, a new one if it is new; SETS_NONE with an exception set. */
static int32_t sets_number(set_index *index, PyObject *item) {
    PyObject *known = PyDict_GetItemWithError(index->numbers, item);
    if (known != NULL) {
        return (int32_t)PyLong_AsLong(known);
    }
    if (PyErr_Occurred() != NULL) {
        return SETS_NONE;
    }
    const Py_ssize_t next = PyList_Size(index->labels);
    if (next >= INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "more than 2^31 items");
        return SETS_NONE;
    }
    PyObject *number = PyLong_FromSsize_t(next);
    const bool fine = number != NULL && PyDict_SetItem(index->numbers, item, number) == 0 &&
                      PyList_Append(index->labels, item) == 0;
    Py_XDECREF(number);
    return fine ? (int32_t)next : SETS_NONE;
}

/* A numpy scalar as the Python object that it stands for, another item as it is. */
static PyObject *sets_plain_item(const set_index *index, PyObject *item, bool *changed) {
    if (Py_TYPE(item) == &PyLong_Type || Py_TYPE(item) == &PyUnicode_Type) {
        return Py_NewRef(item);
    }
    const int scalar = PyObject_IsInstance(item, index->generic);
    if (scalar <= 0) {
        return scalar < 0 ? NULL : Py_NewRef(item);
    }
    *changed = true;
    return PyObject_CallMethod(item, "item", NULL);
}

/* A list of the plain items of any collection. */
static PyObject *sets_plain_list(const set_index *index, PyObject *collection, bool *changed) {
    PyObject *list = PySequence_List(collection);
    for (Py_ssize_t i = 0; list != NULL && i < PyList_Size(list); i++) {
        PyObject *plain = sets_plain_item(index, PyList_GetItem(list, i), changed);
        if (plain == NULL || PyList_SetItem(list, i, plain) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* Writes the numbers of the items after the last set, in the order in which the frozenset yields
 * them. */
static bool sets_write_numbers(set_index *index, PyObject *frozen) {
    PyObject *items = PyObject_GetIter(frozen);
    if (items == NULL) {
        return false;
    }
    int32_t *out = index->yielded + index->offsets[index->count];
    PyObject *item = NULL;
    while ((item = PyIter_Next(items)) != NULL) {
        *out = sets_number(index, item);
        Py_DECREF(item);
        if (*out++ == SETS_NONE) {
            break;
        }
    }
    Py_DECREF(items);
    return PyErr_Occurred() == NULL;
}

static bool sets_check_length(Py_ssize_t length) {
    if (length > SETS_MAX_LENGTH) {
        PyErr_Format(PyExc_OverflowError,
                     "an itemset of %zd items has 2^%zd rules; expected itemsets of at most %d "
                     "items (leave out the larger ones, or use Data.rules())",
                     length, length, (int)SETS_MAX_LENGTH);
        return false;
    }
    return true;
}

/* Enters one collection; its number, or SETS_NONE with an exception set. */
static int32_t sets_add(set_index *index, PyObject *collection) {
    bool changed = !PyFrozenSet_CheckExact(collection);
    PyObject *list = sets_plain_list(index, collection, &changed);
    PyObject *frozen = list == NULL ? NULL : PyFrozenSet_New(list);
    Py_XDECREF(list);
    int32_t number = SETS_NONE;
    if (frozen != NULL) {
        const Py_ssize_t length = PySet_Size(frozen);
        if (sets_check_length(length) && sets_reserve(index, (int32_t)length) &&
            sets_write_numbers(index, frozen)) {
            number = sets_enter(index, (int32_t)length, changed ? frozen : collection);
        }
        Py_DECREF(frozen);
    }
    return number;
}

/* extend(column, numbers): enters every collection of a list, and writes the number of each. */
static PyObject *sets_extend(PyObject *self, PyObject *arguments) {
    set_index *index = (set_index *)self;
    PyObject *column = NULL;
    PyObject *numbers = NULL;
    if (!PyArg_ParseTuple(arguments, "O!O:extend", &PyList_Type, &column, &numbers)) {
        return NULL;
    }
    frames_array out;
    if (!frames_borrow(numbers, sizeof(int32_t), true, "numbers", &out)) {
        return NULL;
    }
    bool fine = out.length == PyList_Size(column);
    if (!fine) {
        PyErr_SetString(PyExc_ValueError, "numbers: expected room for one number per row");
    }
    int32_t *rows = out.view.buf;
    for (Py_ssize_t i = 0; fine && i < out.length; i++) {
        PyObject *one = frames_goes_on(i) ? PyList_GetItem(column, i) : NULL;
        Py_XINCREF(one); /* its items may run code that changes the list */
        rows[i] = one ? sets_add(index, one) : SETS_NONE;
        Py_XDECREF(one);
        fine = rows[i] != SETS_NONE;
    }
    PyBuffer_Release(&out.view);
    if (!fine) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *sets_get_sets(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((set_index *)self)->sets);
}

static int sets_init(PyObject *self, PyObject *arguments, PyObject *keywords) {
    set_index *index = (set_index *)self;
    PyObject *generic = NULL;
    if (index->sets != NULL || (keywords != NULL && PyDict_Size(keywords) > 0)) {
        PyErr_SetString(PyExc_TypeError,
                        "SetIndex(generic) takes one argument and can be initialised only once");
        return -1;
    }
    if (!PyArg_ParseTuple(arguments, "O:SetIndex", &generic)) {
        return -1;
    }
    index->generic = Py_NewRef(generic);
    index->numbers = PyDict_New();
    index->labels = PyList_New(0);
    index->sets = PyList_New(0);
    const bool fine = index->numbers != NULL && index->labels != NULL && index->sets != NULL;
    return fine && sets_reserve(index, 0) ? 0 : -1;
}

/* The collector's view; clearing leaves the lists, which the destructor drops. */
static int sets_traverse(PyObject *self, visitproc visit, void *arg) {
    set_index *index = (set_index *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(index->generic);
    Py_VISIT(index->numbers);
    Py_VISIT(index->labels);
    Py_VISIT(index->sets);
    return 0;
}

static int sets_clear(PyObject *self) {
    set_index *index = (set_index *)self;
    Py_CLEAR(index->generic);
    Py_CLEAR(index->numbers);
    Py_CLEAR(index->labels);
    Py_CLEAR(index->sets);
    return 0;
}

static void sets_dealloc(PyObject *self) {
    set_index *index = (set_index *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    sets_clear(self);
    PyMem_Free(index->offsets);
    PyMem_Free(index->yielded);
    PyMem_Free(index->sorted);
    PyMem_Free(index->slots);
    PyMem_Free(index->subsets);
    PyMem_Free(index->sums);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef sets_methods[] = {
    {"extend", sets_extend, METH_VARARGS,
     "Adds the collections of a list, and writes the number of each to an array."},
    {"rules", sets_rules, METH_VARARGS, "Write the rules of a range of sets."},
    {"complete", sets_complete, METH_O, "Enter all subsets of the sets before a number."},
    {"needed", sets_needed, METH_O, "How many rules a set has."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef sets_getters[] = {
    {"sets", sets_get_sets, NULL, "A list of frozensets, one per itemset.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int sets_init_type(PyObject *module) {
    PyType_Slot slots[] = {
        {Py_tp_doc, "Itemsets by their items; made for association_rules()."},
        {Py_tp_init, (void *)sets_init},
        {Py_tp_traverse, (void *)sets_traverse},
        {Py_tp_clear, (void *)sets_clear},
        {Py_tp_dealloc, (void *)sets_dealloc},
        {Py_tp_methods, sets_methods},
        {Py_tp_getset, sets_getters},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "lode._lode.SetIndex",
        .basicsize = (int)sizeof(set_index),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    PyObject *type = PyType_FromSpec(&spec);
    const int failed = type == NULL || PyModule_AddObjectRef(module, "SetIndex", type) != 0;
    Py_XDECREF(type);
    return failed ? -1 : 0;
}
