/* block.c - arrays that Python reads through the buffer protocol, without a copy
 *
 * A Block owns memory of malloc(). A Column exposes memory of another object and keeps a reference
 * to that object. Both are plain read-only bytes: numpy.frombuffer() says what type they have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "pylode.h"

typedef struct block_object {
    PyObject_HEAD PyObject *owner; /* of the memory; NULL: this object */
    void *memory;
    Py_ssize_t bytes;
} block_object;

PyTypeObject *block_type, *column_type;

static char nothing[8]; /* what an empty array points to */

static void block_dealloc(PyObject *self) {
    block_object *block = (block_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (!block->owner && block->memory != nothing) free(block->memory);
    Py_XDECREF(block->owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static int block_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    block_object *block = (block_object *)self;
    return PyBuffer_FillInfo(view, self, block->memory, block->bytes, 1, flags);
}

static Py_ssize_t block_length(PyObject *self) {
    return ((block_object *)self)->bytes;
}

static PyType_Slot block_slots[] = {
    {Py_tp_dealloc, block_dealloc},
    {Py_bf_getbuffer, block_getbuffer},
    {Py_sq_length, block_length},
    {0, NULL},
};

static PyType_Spec block_spec = {"lode._lode.Block", sizeof(block_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 block_slots};
static PyType_Spec column_spec = {"lode._lode.Column", sizeof(block_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  block_slots};

static block_object *block_alloc(PyTypeObject *type) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (block_object *)alloc(type, 0);
}

PyObject *block_new(void *memory, size_t bytes) {
    block_object *block = block_alloc(block_type);
    if (!block) {
        free(memory);
        return NULL;
    }
    block->memory = memory ? memory : nothing;
    block->bytes = (Py_ssize_t)bytes;
    return (PyObject *)block;
}

PyObject *column_new(PyObject *owner, const void *memory, uint64_t bytes) {
    block_object *column = block_alloc(column_type);
    if (!column) return NULL;
    Py_INCREF(owner);
    column->owner = owner;
    column->memory = memory ? (void *)(uintptr_t)memory : nothing;
    column->bytes = memory ? (Py_ssize_t)bytes : 0;
    return (PyObject *)column;
}

int buffer_get(PyObject *object, Py_buffer *view, size_t bytes, const char *what) {
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) != 0) return 0;
    if (view->len % (Py_ssize_t)bytes == 0) return 1;
    PyBuffer_Release(view);
    PyErr_Format(PyExc_ValueError, "%s: expected elements of %zu bytes", what, bytes);
    return 0;
}

int block_init(PyObject *module) {
    block_type = (PyTypeObject *)PyType_FromSpec(&block_spec);
    column_type = (PyTypeObject *)PyType_FromSpec(&column_spec);
    if (!block_type || !column_type) return -1;
    if (PyModule_AddType(module, block_type) != 0) return -1;
    return PyModule_AddType(module, column_type);
}
