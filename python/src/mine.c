/* mine.c - itemsets, rules, suggestions and measures
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pylode.h"

/* ---- itemsets, rules and suggestions --------------------------------------------------------- */

#define JOB_GROUPS (LODE_OPTION_JOB | LODE_OPTION_DEVICE)
#define MINE_GROUPS                                                                                \
    (JOB_GROUPS | LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT | LODE_OPTION_SHARE | LODE_OPTION_CLASS)
#define RULE_GROUPS    (JOB_GROUPS | LODE_OPTION_RULE)
#define SUGGEST_GROUPS (JOB_GROUPS | LODE_OPTION_SUGGEST)

/* Creates the sink, mines into it and completes it, without the GIL. The status says what ended the
 * search, if anything did. If the sink exists, it has results to show. */
static lode_status mine_work(run *r, const lode_dataset *data, int kind, bool count,
                             lode_sink **sink) {
    lode_status status;
    if (count) {
        status = lode_sink_count(r->job, sink);
    } else if (kind == LODE_RULES) {
        status = lode_rule_sink_memory(r->job, sink);
    } else {
        status = lode_sink_memory(r->job, sink);
    }
    if (status != LODE_OK) return status;
    r->sink = *sink;
    status = kind == LODE_RULES
                 ? lode_rules_mine(r->job, data, lode_options_rule(r->options), *sink)
                 : lode_mine(r->job, data, lode_options_mine(r->options), *sink);
    return run_finish(r, status, *sink);
}

static PyObject *mine_any(PyObject *args, int kind, unsigned groups) {
    PyObject *object, *options, *progress;
    int count;
    lode_sink *sink = NULL;
    if (!PyArg_ParseTuple(args, "O!OOp", data_type, &object, &options, &progress, &count)) {
        return NULL;
    }
    const data_object *data = (data_object *)object;
    run *r = run_begin(data->ctx, groups, options, progress);
    if (!r) return NULL;
    run_release_gil(r);
    lode_status status = mine_work(r, data->data, kind, count, &sink);
    run_take_gil(r);
    return result_outcome(r, status, sink, kind);
}

static PyObject *mine_itemsets(PyObject *module, PyObject *args) {
    (void)module;
    return mine_any(args, LODE_ITEMSETS, MINE_GROUPS);
}

static PyObject *mine_rules(PyObject *module, PyObject *args) {
    (void)module;
    return mine_any(args, LODE_RULES, RULE_GROUPS);
}

/* ---- Suggestions ---- */

static PyObject *mine_point(const lode_suggest_point *p) {
    return Py_BuildValue("sKdddOO", lode_suggest_target_name(p->target),
                         (unsigned long long)p->min_count, p->patterns, p->low, p->high,
                         p->exact ? Py_True : Py_False, p->answer ? Py_True : Py_False);
}

static PyObject *mine_points(const lode_suggestion *suggestion) {
    PyObject *list = PyList_New(0);
    lode_suggest_point p = LODE_INIT(lode_suggest_point);
    for (size_t i = 0; list && lode_suggestion_point(suggestion, i, &p); i++) {
        PyObject *point = mine_point(&p);
        if (!point || PyList_Append(list, point) != 0) Py_CLEAR(list);
        Py_XDECREF(point);
    }
    return list;
}

static PyObject *mine_suggest(PyObject *module, PyObject *args) {
    PyObject *object, *options, *progress, *points = NULL;
    lode_suggestion *suggestion = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO", data_type, &object, &options, &progress)) return NULL;
    const data_object *data = (data_object *)object;
    run *r = run_begin(data->ctx, SUGGEST_GROUPS, options, progress);
    if (!r) return NULL;
    run_release_gil(r);
    lode_status status =
        lode_suggest(r->job, data->data, lode_options_suggest(r->options), &suggestion);
    run_take_gil(r);
    bool failed = status == LODE_OK && !(points = mine_points(suggestion));
    PyObject *outcome = failed ? NULL : run_outcome(r, status, points);
    lode_suggestion_free(suggestion);
    run_free(r);
    return outcome;
}

PyMethodDef mine_functions[] = {
    {"itemsets", mine_itemsets, METH_VARARGS,
     "itemsets(data, options, progress, count) -> outcome"},
    {"rules", mine_rules, METH_VARARGS, "rules(data, options, progress, count) -> outcome"},
    {"suggest", mine_suggest, METH_VARARGS, "suggest(data, options, progress) -> outcome"},
    {NULL, NULL, 0, NULL},
};

/* ---- the table of measures, and the values of a measure for columns of counts ---------------- */

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
    Py_buffer both, lhs, rhs, best_confidence, best_lift, adjusted_p, held_out;
} measure_columns;

static void measure_release(measure_columns *c) {
    Py_buffer *all[] = {&c->both,      &c->lhs,        &c->rhs,     &c->best_confidence,
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
    int got = measure_get(columns, "body", &c->lhs, sizeof(uint64_t), n) &&
              measure_get(columns, "head", &c->rhs, sizeof(uint64_t), n) &&
              measure_get(columns, "best_confidence", &c->best_confidence, sizeof(double), n) &&
              measure_get(columns, "best_lift", &c->best_lift, sizeof(double), n) &&
              measure_get(columns, "adjusted_p", &c->adjusted_p, sizeof(double), n) &&
              measure_get(columns, "held_out", &c->held_out, sizeof(lode_counts), n);
    if (!got) return 0;
    if (c->both.obj && c->lhs.obj && c->rhs.obj) return 1;
    run_refuse("expected three columns, named 'both', 'body' and 'head'");
    return 0;
}

static double measure_real(const Py_buffer *view, size_t i) {
    return view->obj ? ((const double *)view->buf)[i] : NAN;
}

static void measure_compute(const measure_columns *c, uint64_t total, size_t measure,
                            double *values) {
    size_t n = (size_t)c->both.len / sizeof(uint64_t);
    const uint64_t *both = c->both.buf, *lhs = c->lhs.buf, *rhs = c->rhs.buf;
    const lode_counts *held_out = c->held_out.buf;
    lode_rule rule = LODE_INIT(lode_rule);
    for (size_t i = 0; i < n; i++) {
        rule.counts = (lode_counts){both[i], lhs[i], rhs[i], total};
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

static void itemset_compute(const Py_buffer columns[3], unsigned long long total, size_t measure,
                            double *values) {
    const int64_t *offsets = columns[0].buf;
    const uint64_t *supports = columns[1].buf, *of_items = columns[2].buf;
    Py_ssize_t n = columns[1].len / (Py_ssize_t)sizeof *supports;
    for (Py_ssize_t i = 0; i < n; i++) {
        values[i] =
            lode_itemset_measure_value(measure, of_items + offsets[i],
                                       (size_t)(offsets[i + 1] - offsets[i]), supports[i], total);
    }
}

/* Whether offsets ascend from 0 to the number of items, and there is one more than itemsets. */
static bool itemset_fits(const Py_buffer columns[3]) {
    const int64_t *offsets = columns[0].buf, bytes = (int64_t)sizeof *offsets;
    int64_t n = columns[1].len / bytes, n_items = columns[2].len / bytes;
    if (columns[0].len / bytes != n + 1 || offsets[0] != 0 || offsets[n] != n_items) return false;
    for (int64_t i = 0; i < n; i++) {
        if (offsets[i] > offsets[i + 1]) return false;
    }
    return true;
}

/* The columns are those of itemsets: offsets, supports, and for each item of each itemset the
 * support of the item alone. */
static PyObject *itemset_measure_values(PyObject *module, PyObject *args) {
    static const char *const names[] = {"offsets", "supports", "item_supports"};
    PyObject *objects[3], *block = NULL;
    Py_buffer columns[3] = {{0}};
    const char *name;
    unsigned long long total;
    size_t measure;
    int got = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOOOK", &name, &objects[0], &objects[1], &objects[2], &total)) {
        return NULL;
    }
    if (!lode_itemset_measure_find(name, &measure)) {
        char message[256];
        snprintf(message, sizeof message,
                 "'%.100s' is not a column of numbers; expected one of size, count, support, lift, "
                 "leverage, allConfidence; an integer is a row number",
                 name);
        return run_refuse(message);
    }
    while (got < 3 && buffer_get(objects[got], &columns[got], sizeof(uint64_t), names[got])) got++;
    bool fits = got == 3 && itemset_fits(columns);
    if (got == 3 && !fits) PyErr_SetString(PyExc_ValueError, "the columns do not fit together");
    double *values = fits ? malloc((size_t)columns[1].len + 1) : NULL;
    if (fits && !values) PyErr_NoMemory();
    if (values) {
        PyThreadState *thread = PyEval_SaveThread();
        itemset_compute(columns, total, measure, values);
        PyEval_RestoreThread(thread);
        block = block_new(values, (size_t)columns[1].len);
    }
    for (int i = 0; i < 3; i++) PyBuffer_Release(&columns[i]);
    return block;
}

PyMethodDef measure_functions[] = {
    {"itemset_measure", itemset_measure_values, METH_VARARGS,
     "itemset_measure(name, offsets, supports, item_supports, total) -> block of doubles"},
    {"measures", measure_list, METH_NOARGS, "The table of measures."},
    {"measure", measure_values, METH_VARARGS, "measure(name, columns, total) -> block of doubles"},
    {NULL, NULL, 0, NULL},
};
