/* flood.h - a warning before an output that nobody can read, or that the disk cannot hold
 *
 * Both are guesses from how far the search has come; it goes on, and the log of the job is told
 * once. Watched before every block, so that the warning comes before what it warns of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_FLOOD_H
#define LODE_RUNTIME_FLOOD_H

#include "runtime/job.h"

#define FLOOD_LINES ((uint64_t)1000000) /* on a terminal */
#define FLOOD_EVERY ((uint64_t)1 << 20) /* bytes between looks at the disk */

typedef struct flood {
    int fd;
    bool is_terminal, is_file; /* neither: there is nothing to watch */
    bool is_over;              /* said, or nothing to watch */
    uint64_t look_at;          /* bytes */
} flood;

/* Begins to watch an output that is open. */
void flood_begin(flood *f, int fd);

void flood_look(flood *f, lode_job *job, const char *path, uint64_t written);

/* Before a block is written to `path`, behind so many bytes. Under the lock of the output. */
static inline void flood_watch(flood *f, lode_job *job, const char *path, uint64_t written) {
    if (!f->is_over && (f->is_terminal || written >= f->look_at)) {
        flood_look(f, job, path, written);
    }
}

#endif
