/* pylode.h - the Python module lode._lode: what its files share
 *
 * What:  a thin layer over lode.h for the package `lode`, which is written in Python and does all
 *        that is not hot: it chooses, checks and explains. Nothing here is an interface for users.
 * How:   every function that works returns an OUTCOME, a tuple (object, status, message, warnings,
 *        raised, needed), and lode/errors.py turns it into a result or an exception. So one place
 *        knows the exceptions, and a partial result can travel together with what ended it.
 * Threads: the GIL is released while lode works. The calling thread takes it back ten times a
 *        second, to look for signals and to show progress (run.c).
 * Memory: results are not copied. A Column lends an array of a Result by the buffer protocol and
 *        holds the Result, so that numpy arrays keep alive what they show.
 * API:   the limited API of Python 3.11: one module for that version and all later ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PYTHON_PYLODE_H
#define LODE_PYTHON_PYLODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lode.h"

/* ---- run.c: a job, from Python's point of view ---- */

typedef struct run {
    lode_options *options;
    lode_job *job;
    PyObject *progress;    /* called with (phase, share, seconds, patterns, left), or NULL */
    PyObject *raised;      /* what a signal handler or `progress` has raised, or NULL */
    const lode_sink *sink; /* where its result is kept in memory, or NULL; lent */
    PyThreadState *thread; /* the caller's, while lode works */
    char *log;             /* warnings, one a line */
    size_t log_bytes;
} run;

/* Makes a job with options, a sequence of (name, value) where the value may be None for a switch.
 * `groups` says which options are meant, `ctx` NULL the context of the process. NULL and an
 * exception on failure. */
run *run_begin(lode_ctx *ctx, unsigned groups, PyObject *options, PyObject *progress);
void run_free(run *r);

/* Around each call of lode that may take long. */
void run_release_gil(run *r);
void run_take_gil(run *r);

/* Whether a search that ended like this has patterns to show. */
bool run_delivers(lode_status status);
/* Completes the sink of such a search. Returns what the search ended with, or why that failed. Many
 * patterns of a search that was to end at once are left in the order in which they were found. */
lode_status run_finish(const run *r, lode_status status, lode_sink *sink);

/* The outcome of a call; takes over `object`, which may be NULL for None. */
PyObject *run_outcome(run *r, lode_status status, PyObject *object);

/* A lode.InvalidError, which is a ValueError; returns NULL. */
PyObject *run_refuse(const char *message);

/* ---- block.c: memory that Python can see ---- */

/* Bytes of malloc(), or of an owner, as a read-only buffer. */
extern PyTypeObject *block_type, *column_type;
PyObject *block_new(void *memory, size_t bytes);                           /* takes it over */
PyObject *column_new(PyObject *owner, const void *memory, uint64_t bytes); /* holds the owner */
int block_init(PyObject *module);

/* A contiguous buffer of n elements of `bytes` each; 0 and an exception if it is none. */
int buffer_get(PyObject *object, Py_buffer *view, size_t bytes, const char *what);

/* Whether the number of a name fits 32 bits; false with an exception set. */
bool code_fits(Py_ssize_t code);

/* ---- the types, and the functions of each file ---- */

typedef struct data_object {
    PyObject_HEAD lode_ctx *ctx; /* its own, or NULL: that of the process */
    lode_dataset *data;
} data_object;

typedef struct graphs_object {
    PyObject_HEAD lode_graphs *graphs;
} graphs_object;

extern PyTypeObject *data_type, *graphs_type;
int data_init(PyObject *module);
int graphs_init(PyObject *module);
int result_init(PyObject *module);
int arrow_init(PyObject *module);

extern PyMethodDef data_functions[], encode_functions[], onehot_functions[], group_functions[],
    mine_functions[], graph_functions[], arrow_out_functions[], arrow_in_functions[],
    measure_functions[], store_functions[];

/* A Result takes over run and sink. `kind` is a lode_pattern_kind. */
PyObject *result_outcome(run *r, lode_status status, lode_sink *sink, int kind);

#endif
