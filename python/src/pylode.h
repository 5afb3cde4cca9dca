/* pylode.h - the Python module lode._lode: what its files share
 *
 * What: a thin layer over lode.h for the package `lode`. The package is written in Python and does
 *        everything that does not take much time: it chooses, checks and explains. Nothing here is
 *        an interface for users.
 * How: every function that runs a job returns an OUTCOME, a tuple (object, status, message,
 *        warnings, raised, needed), which lode/errors.py turns into a result or an exception. So
 *        exceptions are made in one place, and a partial result comes together with the reason why
 *        it is partial.
 * Threads: the GIL is released while lode works. The calling thread takes it back ten times a
 *        second, to look for signals and to show progress (run.c).
 * Memory: results are not copied. A Column lends an array of a Result by the buffer protocol and
 *        holds the Result, so that a numpy array keeps alive the memory that it shows.
 * API:   the limited API of Python 3.11: one module for that version and all later ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PYTHON_PYLODE_H
#define LODE_PYTHON_PYLODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lode.h"

/* ---- run.c: a job that Python runs ---- */

typedef struct run {
    lode_options *options;
    lode_job *job;
    PyObject *progress;    /* called with (phase, share, seconds, patterns, left), or NULL */
    PyObject *raised;      /* the exception that a signal handler or `progress` raised, or NULL */
    const lode_sink *sink; /* the sink that keeps the result in memory, or NULL; lent */
    PyThreadState *thread; /* the caller's thread state, while lode works */
    char *log;             /* warnings, one per line */
    size_t log_bytes;
} run;

/* Makes a job with options, a sequence of (name, value), where the value may be None for a switch.
 * `groups` says to which groups the options belong. `ctx` NULL: the job belongs to the context that
 * the process shares. Returns NULL with an exception on failure. */
run *run_begin(lode_ctx *ctx, unsigned groups, PyObject *options, PyObject *progress);
void run_free(run *r);

/* Call these before and after each call of lode that may take long. */
void run_release_gil(run *r);
void run_take_gil(run *r);

/* Whether a search that ended with this status has patterns to show. */
bool run_delivers(lode_status status);
/* Completes the sink of such a search. Returns the status of the search or, if only completing the
 * sink failed, the status of that. If a search was cancelled or reached its time limit, and has
 * found many patterns, they stay in the order in which they were found, to save time. */
lode_status run_finish(const run *r, lode_status status, lode_sink *sink);

/* The outcome of a call; takes over `object`, which may be NULL for None. */
PyObject *run_outcome(run *r, lode_status status, PyObject *object);

/* Raises lode.InvalidError, which is a ValueError; returns NULL. */
PyObject *run_refuse(const char *message);

/* ---- block.c: memory that Python can see ---- */

/* Types that expose bytes as a read-only buffer: a Block has bytes from malloc(), and a Column has
 * bytes of an owner. */
extern PyTypeObject *block_type, *column_type;
PyObject *block_new(void *memory, size_t bytes);                           /* takes it over */
PyObject *column_new(PyObject *owner, const void *memory, uint64_t bytes); /* holds the owner */
int block_init(PyObject *module);

/* Borrows a contiguous buffer of elements of `bytes` bytes. Returns 0 with an exception if the
 * object is not such a buffer; the message calls it `what`. */
int buffer_get(PyObject *object, Py_buffer *view, size_t bytes, const char *what);

/* Returns whether the number of a name fits into 32 bits; if not, sets an exception. */
bool code_fits(Py_ssize_t code);

/* ---- the types, and the functions of each file ---- */

typedef struct data_object {
    PyObject_HEAD lode_ctx *ctx; /* its own context; NULL: the context that the process shares */
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

/* Returns the outcome of a search, with a Result that takes over run and sink. `kind` is a
 * lode_pattern_kind. */
PyObject *result_outcome(run *r, lode_status status, lode_sink *sink, int kind);

#endif
