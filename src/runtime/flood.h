/* flood.h - warns of an output that nobody can read on a terminal, or that the disk cannot hold
 *
 * The size of the whole output is guessed from the progress so far. The warning goes to the log of
 * the job, once, and the search goes on. Every block is checked before it is written, so that the
 * warning comes in time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_FLOOD_H
#define LODE_RUNTIME_FLOOD_H

#include "runtime/job.h"

#define FLOOD_LINES ((uint64_t)1000000) /* on a terminal */
#define FLOOD_EVERY ((uint64_t)1 << 20) /* bytes between looks at the disk */

typedef struct flood {
    int fd;
    bool is_terminal, is_file; /* neither: there is nothing to check */
    bool is_over;              /* the warning was given, or there is nothing to check */
    uint64_t look_at;          /* check again when this many bytes are written */
} flood;

/* Starts to check an open output. */
void flood_begin(flood *f, int fd);

void flood_look(flood *f, lode_job *job, const char *path, uint64_t written);

/* To be called before a block is written to `path`, after this many bytes; under the lock of the
 * output.
 */
static inline void flood_watch(flood *f, lode_job *job, const char *path, uint64_t written) {
    if (!f->is_over && (f->is_terminal || written >= f->look_at)) {
        flood_look(f, job, path, written);
    }
}

#endif
