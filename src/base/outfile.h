/* outfile.h - an output that appears under its name only when it is complete
 *
 *     "-", /dev/stdout    standard output, written in place
 *     /dev/…, a pipe      written in place
 *     anything else       PATH.tmp.PID, renamed to PATH by outfile_commit(), or to PATH.partial
 *
 * Why:    a reader of PATH sees the old file or the whole new one, and a run that fails, is
 *         cancelled or runs out of disk leaves nothing behind.
 * Others: what the caller did not name is never overwritten, removed or followed. Unfinished files
 *         are made under a name that nobody has; PATH.partial becomes PATH.partial.2 and so on
 *         where that name is taken. Names that are too long for a suffix are cut before it.
 * Use:    start from OUTFILE_INIT; open; write …; then commit, or not; then discard, which frees
 *         the names. To discard one that was never opened does nothing. Memory for names is
 *         allocated at open, so that commit and discard never fail for want of it.
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
    char *final;   /* with room for a suffix after it; NULL = standard output */
    char *temp;    /* in the same block; NULL = written in place */
    int note;      /* index of the copy of `temp` for outfile_abandon_all(); -1 = there is none */
    bool keeps;    /* `temp` stays when it is discarded */
    unsigned mode; /* permissions */
    size_t name_bytes;
} outfile;

#define OUTFILE_INIT                                                                               \
    { .fd = -1, .note = -1 }

/* What a symbolic link at PATH is. */
typedef enum outfile_links {
    OUTFILE_FOLLOW, /* another name of what is to be written: the user has given it */
    OUTFILE_REPLACE /* in the way: the program has made up the name */
} outfile_links;

/* Errors: IO, NOMEM, BUDGET. */
LODE_NODISCARD lode_status outfile_open(outfile *f, mem *m, const char *path, outfile_links links);

/* The same with an unfinished file that stays, PATH + suffix (at most OUTFILE_SUFFIX_MAX
 * characters), until commit gives it its name: for output of which a journal knows how much is
 * right. Nothing may have that name; with `resume`, a regular file must, to go on with. */
LODE_NODISCARD lode_status outfile_keep(outfile *f, mem *m, const char *path, const char *suffix,
                                        bool resume);

LODE_NODISCARD lode_status outfile_write(outfile *f, const void *bytes, size_t n);

/* Drops all but the first n bytes of a temporary file, and goes on after them. */
LODE_NODISCARD lode_status outfile_cut(outfile *f, uint64_t n);

/* Brings everything to disk, closes the file, and renames it to PATH. With a `suffix` (".partial")
 * the name is PATH + suffix, or one that is free, and it does not wait for the disk: such a file is
 * what could be saved of a run that has to end now. `final` is then the name that it got. The
 * suffix has no effect on what is written in place. On failure the temporary file is removed. */
LODE_NODISCARD lode_status outfile_commit(outfile *f, const char *suffix);

/* Closes, removes the temporary file, unless it is kept, and frees the names. */
void outfile_discard(outfile *f);

/* Removes the temporary files of all outfiles of the process, which must then end. Safe in signal
 * handlers: takes no lock and allocates nothing. */
void outfile_abandon_all(void);
/* Tells the paths of these files, and leaves them. Safe in signal handlers, if `tell` is. */
void outfile_tell_all(void (*tell)(void *user, const char *path), void *user);

/* Whether outfile_open() would find a place to write at; nothing is left there, and nothing that is
 * written in place is opened. Errors: as outfile_open(). */
LODE_NODISCARD lode_status outfile_check(outfile *f, mem *m, const char *path);

/* What can be done about an errno, to be said after it: "; its folder must be writable", or "". */
const char *outfile_remedy(int error);

#endif
