/* outfile.h - an output that appears under its name only when it is complete
 *
 *     "-"                 standard output, written in place, never closed
 *     /dev/…, a pipe      written in place
 *     anything else       PATH.tmp.PID, renamed to PATH (or PATH + suffix) by outfile_commit()
 *
 * Why:    a reader of PATH sees the old file or the whole new one, and a run that fails, is
 *         cancelled or runs out of disk leaves nothing behind.
 * Use:    start from OUTFILE_INIT; open; write …; then commit or discard. Both end the life of the
 *         outfile; to discard one that has ended, or was never opened, does nothing. Memory for
 *         names is allocated at open, so that commit and discard never fail for want of it.
 * Errors: LODE_IO stores errno in `error`, which stays readable afterwards, so that the caller can
 *         say "cannot write 'PATH': REASON".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_OUTFILE_H
#define LODE_BASE_OUTFILE_H

#include "base/mem.h"

#define OUTFILE_SUFFIX_MAX 31

typedef struct outfile {
    int fd;    /* -1 = ended or never opened */
    int error; /* errno of the last failure */
    mem *mem;
    char *final; /* with room for a suffix after it; NULL = standard output */
    char *temp;  /* in the same block; NULL = written in place */
    int note;    /* index of the copy of `temp` for outfile_abandon_all(); -1 = there is none */
    size_t name_bytes;
} outfile;

#define OUTFILE_INIT                                                                               \
    { .fd = -1, .note = -1 }

/* Errors: IO, NOMEM, BUDGET. */
LODE_NODISCARD lode_status outfile_open(outfile *f, mem *m, const char *path);

LODE_NODISCARD lode_status outfile_write(outfile *f, const void *bytes, size_t n);

/* Brings everything to disk, closes the file, and renames it to PATH. With a `suffix` (at most
 * OUTFILE_SUFFIX_MAX characters) the name is PATH + suffix, and it does not wait for the disk: such
 * a file is what could be saved of a run that has to end now. The suffix has no effect on what is
 * written in place. On failure the temporary file is removed. */
LODE_NODISCARD lode_status outfile_commit(outfile *f, const char *suffix);

/* Closes, and removes the temporary file. */
void outfile_discard(outfile *f);

/* Removes the temporary files of all outfiles of the process, which must then end. Safe in signal
 * handlers: takes no lock and allocates nothing. */
void outfile_abandon_all(void);

#endif
