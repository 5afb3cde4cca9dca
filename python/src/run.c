/* run.c - a job that Python runs: options by name, signals, progress, warnings, outcomes
 *
 * A job runs on the calling thread, without the GIL. Its progress callback, which lode calls on
 * that same thread, takes the GIL for a moment: it lets Python's signal handlers run, so that
 * Ctrl-C works, and calls the function that shows progress. If either of them raises an exception,
 * the job is cancelled, and the exception is kept, so that the package can raise it together with
 * the patterns found so far.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pylode.h"

#define LOG_MOST ((size_t)1 << 16) /* bytes of warnings that are kept */
/* At most this many patterns of a search that was ended by time or Ctrl-C are sorted. Sorting a
 * million takes 0.35 s of one core. */
#define SORTED_IN_A_HURRY 500000

/* ---- The shared context ---- */

static lode_ctx *shared_ctx;

/* After a fork the child has none of the parent's threads. What the old context knows about them
 * would be wrong, so the child starts with a new context. */
static void run_after_fork(void) {
    shared_ctx = NULL;
}

/* The context that jobs share unless they have their own; NULL and an exception on failure. */
static lode_ctx *run_shared_ctx(void) {
    static int watched;
    if (!watched) watched = pthread_atfork(NULL, NULL, run_after_fork) == 0;
    if (!shared_ctx && lode_ctx_create(&shared_ctx, NULL) != LODE_OK) {
        PyErr_SetString(PyExc_MemoryError, lode_job_error(NULL));
        return NULL;
    }
    return shared_ctx;
}

PyObject *run_refuse(const char *message) {
    PyObject *errors = PyImport_ImportModule("lode._errors");
    PyObject *type = errors ? PyObject_GetAttrString(errors, "InvalidError") : NULL;
    if (type) PyErr_SetString(type, message);
    Py_XDECREF(type);
    Py_XDECREF(errors);
    return NULL;
}

/* ---- Callbacks ---- */

static int run_show_progress(run *r, const lode_progress *p) {
    PyObject *done = PyObject_CallFunction(r->progress, "sddKd", p->phase, p->share, p->seconds,
                                           (unsigned long long)p->patterns, p->left);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Takes the exception out of the thread, with its traceback. */
static void run_keep_raised(run *r) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    r->raised = value;
}

/* Raises if the result no longer fits into memory: lode would go on to the end of the search to
 * report how much memory is enough. */
static int run_check_budget(const run *r, const lode_progress *p) {
    if (!r->sink || !lode_sink_is_over_budget(r->sink)) return 0;
    const lode_job_options *job = lode_options_job(r->options);
    PyObject *errors = PyImport_ImportModule("lode._errors");
    PyObject *done =
        errors ? PyObject_CallMethod(errors, "refuse_result", "KzKd",
                                     (unsigned long long)job->memory_bytes, job->memory_origin,
                                     (unsigned long long)p->patterns, p->seconds)
               : NULL;
    Py_XDECREF(errors);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int run_on_progress(void *user, const lode_progress *progress) {
    run *r = user;
    run_take_gil(r);
    if (!r->raised && (PyErr_CheckSignals() != 0 || run_check_budget(r, progress) != 0 ||
                       (r->progress && run_show_progress(r, progress) != 0))) {
        run_keep_raised(r);
    }
    int stop = r->raised != NULL;
    run_release_gil(r);
    return stop;
}

/* On any thread, without the GIL; calls of one job do not overlap. */
static void run_on_log(void *user, lode_log_level level, const char *message) {
    run *r = user;
    size_t n = strlen(message);
    if (level != LODE_LOG_WARNING || r->log_bytes + n + 1 > LOG_MOST) return;
    char *log = realloc(r->log, r->log_bytes + n + 1);
    if (!log) return;
    r->log = log;
    memcpy(log + r->log_bytes, message, n);
    log[r->log_bytes + n] = '\n';
    r->log_bytes += n + 1;
}

void run_release_gil(run *r) {
    r->thread = PyEval_SaveThread();
}

void run_take_gil(run *r) {
    PyEval_RestoreThread(r->thread);
}

/* ---- Options ---- */

static int run_set_option(run *r, unsigned groups, PyObject *pair) {
    const char *name, *value;
    char message[512], named[640];
    if (!PyArg_ParseTuple(pair, "sz", &name, &value)) return -1;
    if (lode_options_set_in(r->options, groups, name, value, message, sizeof message) == LODE_OK) {
        return 0;
    }
    snprintf(named, sizeof named, "--%s %s", name,
             message); /* the package says it as an argument */
    run_refuse(named);
    return -1;
}

static int run_set_options(run *r, unsigned groups, PyObject *options) {
    Py_ssize_t n = PyList_Size(options);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (run_set_option(r, groups, PyList_GetItem(options, i)) != 0) return -1;
    }
    return n < 0 ? -1 : 0;
}

static int run_make_job(run *r, lode_ctx *ctx) {
    lode_options_set_log(r->options, run_on_log, r);
    lode_options_set_progress(r->options, run_on_progress, r);
    if (!ctx && !(ctx = run_shared_ctx())) return -1;
    if (lode_job_create(&r->job, ctx, lode_options_job(r->options)) == LODE_OK) return 0;
    run_refuse(lode_job_error(NULL));
    return -1;
}

run *run_begin(lode_ctx *ctx, unsigned groups, PyObject *options, PyObject *progress) {
    run *r = calloc(1, sizeof *r);
    if (!r || lode_options_create(&r->options) != LODE_OK) {
        free(r);
        PyErr_NoMemory();
        return NULL;
    }
    if (progress && progress != Py_None) {
        Py_INCREF(progress);
        r->progress = progress;
    }
    /* A context of its own has a budget, or none by choice. */
    if (!ctx && lode_options_set(r->options, "memory", "auto", NULL, 0) != LODE_OK) {
        run_refuse("cannot apply the default memory budget");
    } else if (run_set_options(r, groups, options) == 0 && run_make_job(r, ctx) == 0) {
        return r;
    }
    run_free(r);
    return NULL;
}

void run_free(run *r) {
    if (!r) return;
    lode_job_free(r->job);
    lode_options_free(r->options);
    Py_XDECREF(r->progress);
    Py_XDECREF(r->raised);
    free(r->log);
    free(r);
}

/* ---- Outcomes ---- */

bool run_delivers(lode_status status) {
    return status == LODE_OK || status == LODE_STOPPED || status == LODE_CANCELLED;
}

/* Whether the user is waiting for the end of a search that was to stop at once. */
static bool run_hurries(const run *r, lode_status status) {
    lode_report_head h = LODE_INIT(lode_report_head);
    if (status != LODE_STOPPED) return status == LODE_CANCELLED;
    lode_report_get_head(lode_job_report(r->job), &h);
    return h.stopped_by && strcmp(h.stopped_by, "limit-time") == 0;
}

lode_status run_finish(const run *r, lode_status status, lode_sink *sink) {
    if (!run_delivers(status)) return status;
    if (run_hurries(r, status) && lode_sink_patterns(sink) > SORTED_IN_A_HURRY) return status;
    lode_status finished = lode_sink_finish(sink, status == LODE_CANCELLED);
    return status == LODE_OK ? finished : status;
}

PyObject *run_outcome(run *r, lode_status status, PyObject *object) {
    const char *message = status == LODE_OK ? "" : lode_job_error(r->job);
    PyObject *said = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    PyObject *log = PyUnicode_DecodeUTF8(r->log ? r->log : "", (Py_ssize_t)r->log_bytes, "replace");
    if (!object) {
        Py_INCREF(Py_None);
        object = Py_None;
    }
    PyObject *raised = r->raised ? r->raised : Py_None;
    PyObject *outcome = NULL;
    if (said && log) {
        outcome = Py_BuildValue("OiOOOK", object, (int)status, said, log, raised,
                                (unsigned long long)lode_job_memory_needed(r->job));
    }
    Py_DECREF(object);
    Py_XDECREF(said);
    Py_XDECREF(log);
    return outcome;
}
