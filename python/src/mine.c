/* mine.c - itemsets, rules and suggestions
 * SPDX-License-Identifier: Apache-2.0 */
#include "pylode.h"

#define JOB_GROUPS     (LODE_OPTION_JOB | LODE_OPTION_DEVICE)
#define MINE_GROUPS    (JOB_GROUPS | LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT | LODE_OPTION_SHARE)
#define RULE_GROUPS    (JOB_GROUPS | LODE_OPTION_RULE)
#define SUGGEST_GROUPS (JOB_GROUPS | LODE_OPTION_SUGGEST)

/* Without the GIL: makes the sink, mines into it and completes it. What ended the search, if
 * anything did, is the status; a sink that is there has something to show. */
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
