/* output.h - where the text of a sink goes: a file, or a function of the program
 *
 *     output_open or output_call; output_write …; then output_finish or output_discard
 *
 * A file appears under its name when it is finished (base/outfile.h). A function receives the same
 * text in the same pieces. When the function asks to stop, it is not called again.
 * Rules:  an output that is all zero was never opened, and may be discarded. Calls must not
 *         overlap; sinks call these functions under their lock.
 * Errors: IO, with a message; STOPPED if the function has asked to stop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_OUTPUT_H
#define LODE_RUNTIME_OUTPUT_H

#include "base/outfile.h"
#include "runtime/job.h"

/* ---- warnings about output that floods a terminal or the disk -------------------------------- */

/* The size of the complete output is extrapolated from the progress. The job logs a warning once,
 * and the search goes on. Every block is checked before it is written, so that the warning comes in
 * time. */

#define FLOOD_LINES ((uint64_t)1000000) /* warn above this many lines on a terminal */
#define FLOOD_EVERY ((uint64_t)1 << 20) /* bytes between checks of the disk */

typedef struct flood {
    int fd;
    bool is_terminal, is_file; /* neither: the output is not checked */
    bool is_over;              /* the warning was given, or the output is not checked */
    uint64_t look_at;          /* the number of written bytes at which to check next */
} flood;

/* Starts to check an output that was opened as `fd`. */
void flood_begin(flood *f, int fd);

void flood_look(flood *f, lode_job *job, const char *path, uint64_t written);

/* Must be called before each block is written to `path`; `written` bytes were written before it.
 * The caller must hold the lock of the output.
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
    char *path;     /* a copy of the path; NULL = the text goes to a function */
    size_t path_bytes;
    outfile file;
    flood flood;
    bool screen; /* the file is a terminal: characters that could control it are replaced */
    lode_write_fn write;
    void *user;
    bool stopped; /* the function has asked to stop */
} output;

LODE_NODISCARD lode_status output_open(output *o, lode_job *job, const char *path);
void output_call(output *o, lode_job *job, lode_write_fn write, void *user);

/* Writes whole lines. */
LODE_NODISCARD lode_status output_write(output *o, const char *text, size_t n);

/* Returns whether written text can be removed: true for a file that does not have its name yet. */
bool output_can_cut(const output *o);
/* Removes all text after the first `bytes` bytes. */
LODE_NODISCARD lode_status output_cut(output *o, uint64_t bytes);

/* Syncs a file to disk and renames it to PATH or, if `partial` is set, to PATH.partial or a free
 * variant of this name. */
LODE_NODISCARD lode_status output_finish(output *o, bool partial);
/* Must be called at the end of a call outside of a search. If the function stopped the call, the
 * job is not halted for later calls. Returns the status of the call. */
lode_status output_settle(lode_job *job, lode_status status);
/* Removes an unfinished file, and frees the memory of the output. */
void output_discard(output *o);

/* Returns the path of the file; NULL for standard output and for a function. */
const char *output_path(const output *o);

#endif
