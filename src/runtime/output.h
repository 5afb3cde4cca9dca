/* output.h - where the text of a sink goes: a file, or a function of the program
 *
 *     output_open or output_call; output_write …; then output_finish or output_discard
 *
 * A file appears under its name when it is finished (base/outfile.h); flood.h warns while it grows.
 * A function gets the same text in the same pieces; when it asks to stop, it is not called again.
 * Rules: all zero is an output that was never opened, which may be discarded. Calls must not
 *        overlap: sinks write under their lock.
 * Errors: IO, with a message; STOPPED if the function has asked for it, now or before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_OUTPUT_H
#define LODE_RUNTIME_OUTPUT_H

#include "base/outfile.h"
#include "runtime/flood.h"

typedef struct output {
    lode_job *job;
    uint64_t bytes; /* written so far */
    char *path;     /* a copy; NULL: a function */
    size_t path_bytes;
    outfile file;
    flood flood;
    bool screen; /* it is a terminal, which gets nothing that could steer it */
    lode_write_fn write;
    void *user;
    bool stopped; /* by the function */
} output;

LODE_NODISCARD lode_status output_open(output *o, lode_job *job, const char *path);
void output_call(output *o, lode_job *job, lode_write_fn write, void *user);

/* Whole lines. */
LODE_NODISCARD lode_status output_write(output *o, const char *text, size_t n);

/* Whether what was written can be taken back: nobody sees a file that has not got its name. And
 * does so, for all that was written after `bytes` bytes. */
bool output_can_cut(const output *o);
LODE_NODISCARD lode_status output_cut(output *o, uint64_t bytes);

/* Brings a file to disk, under its name, or as PATH.partial or another name that is free. */
LODE_NODISCARD lode_status output_finish(output *o, bool partial);
/* For calls outside of a search: a function that has stopped such a call does not halt the job
 * beyond it. */
lode_status output_settle(lode_job *job, lode_status status);
/* Removes a file that is not finished, and frees what the output holds. */
void output_discard(output *o);

/* The path of the file; NULL for standard output and for a function. */
const char *output_path(const output *o);

#endif
