/* output.h - where the text of a sink goes: a file, or a function of the program
 *
 *     output_open or output_call; output_write …; then output_finish or output_discard
 *
 * A file appears under its name when it is finished (base/outfile.h). A function receives the same
 * text in the same pieces; when it asks to stop, it is not called again.
 * Rules:  all zero is an output that was never opened, which may be discarded. Calls must not
 *         overlap: sinks write under their lock.
 * Errors: IO, with a message; STOPPED if the function asked for it, now or before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_OUTPUT_H
#define LODE_RUNTIME_OUTPUT_H

#include "base/outfile.h"
#include "runtime/job.h"

/* ---- warnings about output that floods a terminal or the disk -------------------------------- */

/* The size of the complete output is extrapolated from the progress. The warning goes to the log of
 * the job, once, and the search goes on. Every block is checked before it is written, so that the
 * warning comes in time. */

#define FLOOD_LINES ((uint64_t)1000000) /* on a terminal */
#define FLOOD_EVERY ((uint64_t)1 << 20) /* bytes between checks of the disk */

typedef struct flood {
    int fd;
    bool is_terminal, is_file; /* neither: there is nothing to check */
    bool is_over;              /* the warning was given, or there is nothing to check */
    uint64_t look_at;          /* check again when this many bytes are written */
} flood;

/* Starts to check an open output. */
void flood_begin(flood *f, int fd);

void flood_look(flood *f, lode_job *job, const char *path, uint64_t written);

/* Call it before a block is written to `path`, after `written` bytes; under the lock of the output.
 */
static inline void flood_watch(flood *f, lode_job *job, const char *path, uint64_t written) {
    if (!f->is_over && (f->is_terminal || written >= f->look_at)) {
        flood_look(f, job, path, written);
    }
}

/* ---- the output itself ----------------------------------------------------------------------- */

typedef struct output {
    lode_job *job;
    uint64_t bytes; /* written so far */
    char *path;     /* a copy; NULL: a function */
    size_t path_bytes;
    outfile file;
    flood flood;
    bool screen; /* a terminal: characters that could control it are replaced */
    lode_write_fn write;
    void *user;
    bool stopped; /* by the function */
} output;

LODE_NODISCARD lode_status output_open(output *o, lode_job *job, const char *path);
void output_call(output *o, lode_job *job, lode_write_fn write, void *user);

/* Writes whole lines. */
LODE_NODISCARD lode_status output_write(output *o, const char *text, size_t n);

/* Whether written text can be removed again: true for a file that does not have its name yet.
 * output_cut() removes everything after `bytes` bytes. */
bool output_can_cut(const output *o);
LODE_NODISCARD lode_status output_cut(output *o, uint64_t bytes);

/* Syncs a file to disk and names it, as PATH, or as PATH.partial or a free variant of it. */
LODE_NODISCARD lode_status output_finish(output *o, bool partial);
/* For calls outside of a search: if the function stopped such a call, the job is not halted beyond
 * it. */
lode_status output_settle(lode_job *job, lode_status status);
/* Removes a file that is not finished, and frees what the output holds. */
void output_discard(output *o);

/* The path of the file; NULL for standard output and for a function. */
const char *output_path(const output *o);

#endif
