/* measures.c - the table of measures, and the values of a measure for columns of counts
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pylode.h"

static PyObject *measure_list(PyObject *module, PyObject *unused) {
    PyObject *list = PyList_New(0);
    lode_measure m = LODE_INIT(lode_measure);
    (void)module;
    (void)unused;
    for (size_t i = 0; list && lode_measure_at(i, &m); i++) {
        PyObject *row = Py_BuildValue("{sssssssssssisi}", "name", m.name, "aliases", m.aliases,
                                      "formula", m.formula, "help", m.help, "singular", m.singular,
                                      "better", m.better, "needs", (int)m.needs);
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

typedef struct measure_columns {
    Py_buffer both, body, head, best_confidence, best_lift, adjusted_p, held_out;
} measure_columns;

static void measure_release(measure_columns *c) {
    Py_buffer *all[] = {&c->both,      &c->body,       &c->head,    &c->best_confidence,
                        &c->best_lift, &c->adjusted_p, &c->held_out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) PyBuffer_Release(all[i]);
}

/* A column of n elements, or None. */
static int measure_get(PyObject *columns, const char *name, Py_buffer *view, size_t bytes,
                       Py_ssize_t n) {
    PyObject *object = PyDict_GetItemString(columns, name);
    if (!object || object == Py_None) return 1;
    if (!buffer_get(object, view, bytes, name)) return 0;
    if (n < 0 || view->len == n * (Py_ssize_t)bytes) return 1;
    PyErr_Format(PyExc_ValueError, "%s: expected %zd elements", name, n);
    return 0;
}

static int measure_get_columns(measure_columns *c, PyObject *columns) {
    if (!measure_get(columns, "both", &c->both, sizeof(uint64_t), -1)) return 0;
    Py_ssize_t n = c->both.len / (Py_ssize_t)sizeof(uint64_t);
    int got = measure_get(columns, "body", &c->body, sizeof(uint64_t), n) &&
              measure_get(columns, "head", &c->head, sizeof(uint64_t), n) &&
              measure_get(columns, "best_confidence", &c->best_confidence, sizeof(double), n) &&
              measure_get(columns, "best_lift", &c->best_lift, sizeof(double), n) &&
              measure_get(columns, "adjusted_p", &c->adjusted_p, sizeof(double), n) &&
              measure_get(columns, "held_out", &c->held_out, sizeof(lode_counts), n);
    if (!got) return 0;
    if (c->both.obj && c->body.obj && c->head.obj) return 1;
    run_refuse("expected the columns both, body and head");
    return 0;
}

static double measure_real(const Py_buffer *view, size_t i) {
    return view->obj ? ((const double *)view->buf)[i] : NAN;
}

static void measure_compute(const measure_columns *c, uint64_t total, size_t measure,
                            double *values) {
    size_t n = (size_t)c->both.len / sizeof(uint64_t);
    const uint64_t *both = c->both.buf, *body = c->body.buf, *head = c->head.buf;
    const lode_counts *held_out = c->held_out.buf;
    lode_rule rule = LODE_INIT(lode_rule);
    for (size_t i = 0; i < n; i++) {
        rule.counts = (lode_counts){both[i], body[i], head[i], total};
        if (held_out) rule.held_out = held_out[i];
        rule.best_confidence = measure_real(&c->best_confidence, i);
        rule.best_lift = measure_real(&c->best_lift, i);
        rule.adjusted_p = measure_real(&c->adjusted_p, i);
        values[i] = lode_measure_value(measure, &rule);
    }
}

static PyObject *measure_values(PyObject *module, PyObject *args) {
    PyObject *columns;
    const char *name;
    unsigned long long total;
    size_t measure;
    measure_columns c = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!K", &name, &PyDict_Type, &columns, &total)) return NULL;
    if (!lode_measure_find(name, &measure)) {
        char message[256];
        snprintf(message, sizeof message,
                 "there is no measure '%.100s'; lode.measures() lists them", name);
        return run_refuse(message);
    }
    double *values = NULL;
    if (measure_get_columns(&c, columns)) {
        values = malloc((size_t)c.both.len + 1);
        if (!values) PyErr_NoMemory();
    }
    PyObject *block = NULL;
    if (values) {
        PyThreadState *thread = PyEval_SaveThread();
        measure_compute(&c, total, measure, values);
        PyEval_RestoreThread(thread);
        block = block_new(values, (size_t)c.both.len);
    }
    measure_release(&c);
    return block;
}

PyMethodDef measure_functions[] = {
    {"measures", measure_list, METH_NOARGS, "The table of measures."},
    {"measure", measure_values, METH_VARARGS, "measure(name, columns, total) -> block of doubles"},
    {NULL, NULL, 0, NULL},
};
