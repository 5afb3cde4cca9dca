/* outfile.h - an output file that appears under its name only when it is complete
 *
 *     "-", /dev/stdout    standard output, written in place
 *     /dev/…, a pipe      written in place
 *     anything else       PATH.tmp.PID, renamed to PATH by outfile_commit(), or to PATH.partial
 *
 * Why:    a reader of PATH sees the old file or the complete new one, and a run that fails, is
 *         cancelled or runs out of disk leaves nothing behind.
 * Safety: only PATH itself is ever overwritten, removed or followed. Unfinished files get a name
 *         that is not taken; PATH.partial becomes PATH.partial.2 and so on if it exists. Names too
 *         long for a suffix are cut before it.
 * Use:    start from OUTFILE_INIT; open; write …; commit or not; then always discard, which frees
 *         the names. Discarding an outfile that was never opened does nothing. Names are allocated
 *         at open, so that commit and discard cannot fail for lack of memory.
 * Errors: LODE_IO stores errno in `error`, which stays readable afterwards, for the message "cannot
 *         write 'PATH': REASON".
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
    char *final;   /* with room for a suffix; NULL = standard output */
    char *temp;    /* in the same block; NULL = written in place */
    int note;      /* index of the copy of `temp` for outfile_abandon_all(); -1 = none */
    bool keeps;    /* `temp` is not removed when discarded */
    unsigned mode; /* permissions */
    size_t name_bytes;
} outfile;

#define OUTFILE_INIT                                                                               \
    { .fd = -1, .note = -1 }

/* How to treat a symbolic link at PATH. */
typedef enum outfile_links {
    OUTFILE_FOLLOW, /* write its target: the user gave the name */
    OUTFILE_REPLACE /* replace it: the program made up the name */
} outfile_links;

/* Errors: IO, NOMEM, BUDGET. */
LODE_NODISCARD lode_status outfile_open(outfile *f, mem *m, const char *path, outfile_links links);

/* The same with an unfinished file, PATH + suffix (at most OUTFILE_SUFFIX_MAX characters), that
 * stays until commit renames it: for output that a journal describes. The name must not exist; with
 * `resume`, it must be a regular file, which is continued. */
LODE_NODISCARD lode_status outfile_keep(outfile *f, mem *m, const char *path, const char *suffix,
                                        bool resume);

LODE_NODISCARD lode_status outfile_write(outfile *f, const void *bytes, size_t n);

/* Truncates a temporary file to n bytes, and continues after them. */
LODE_NODISCARD lode_status outfile_cut(outfile *f, uint64_t n);

/* Syncs the file to disk, closes it, and renames it to PATH. With a `suffix` (".partial"), for what
 * could be saved of an interrupted run, the name is PATH + suffix, or a free variant of it, and the
 * call does not wait for the disk. `final` is then the name that it got. The suffix has no effect
 * on output written in place. On failure the temporary file is removed. */
LODE_NODISCARD lode_status outfile_commit(outfile *f, const char *suffix);

/* Closes the file, removes the temporary file unless it is kept, and frees the names. */
void outfile_discard(outfile *f);

/* Removes the temporary files of all outfiles of the process, which must then exit. Safe in signal
 * handlers: takes no lock and allocates nothing. */
void outfile_abandon_all(void);
/* Calls `tell` with the paths of these files, which stay. Signal-safe, if `tell` is. */
void outfile_tell_all(void (*tell)(void *user, const char *path), void *user);

/* Whether outfile_open() would succeed. Leaves nothing behind, and does not open what would be
 * written in place. Errors: as outfile_open(). */
LODE_NODISCARD lode_status outfile_check(outfile *f, mem *m, const char *path);

/* Advice for an errno, to append to a message: "; its folder must be writable", or "". */
const char *outfile_remedy(int error);

#endif
