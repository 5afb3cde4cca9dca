/* outfile.h - an output file that appears under its name only when it is complete
 *
 *     "-", /dev/stdout    standard output, written in place
 *     /dev/…, a pipe      written in place
 *     anything else       PATH.tmp.PID, renamed to PATH by outfile_commit(), or to PATH.partial
 *
 * Why:    a reader of PATH sees either the old file or the complete new file. A run that fails, is
 *         cancelled or fills the disk leaves no file behind.
 * Safety: no existing file except PATH is ever overwritten or removed, and no symbolic link except
 *         PATH is followed. An unfinished file gets a name that does not exist yet; if PATH.partial
 *         exists, PATH.partial.2 and so on is used. Names too long for a suffix are cut before the
 *         suffix.
 * Use:    start from OUTFILE_INIT; open; write …; commit or not; then always discard, because
 *         outfile_discard() frees the names. Discarding an outfile that was never opened does
 *         nothing. Names are allocated at open, so that commit and discard cannot fail for lack of
 *         memory.
 * Errors: when a call returns LODE_IO, the field `error` has the errno, for the message "cannot
 *         write 'PATH': REASON". The field stays readable after outfile_discard().
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
    char *final; /* PATH, with room for a suffix; NULL = standard output */
    /* the temporary name, in the same block as `final`; NULL = the file is written in place */
    char *temp;
    int note;      /* index of the copy of `temp` for outfile_abandon_all(); -1 = none */
    bool keeps;    /* outfile_discard() does not remove `temp` */
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

/* Opens an output whose unfinished file stays until outfile_commit() renames it, for output that a
 * journal describes. The unfinished file is PATH + suffix (at most OUTFILE_SUFFIX_MAX characters).
 * Without `resume`, the file must not exist. With `resume`, it must be a regular file, and writing
 * continues at its end. */
LODE_NODISCARD lode_status outfile_keep(outfile *f, mem *m, const char *path, const char *suffix,
                                        bool resume);

/* Writes n bytes. Errors: IO. */
LODE_NODISCARD lode_status outfile_write(outfile *f, const void *bytes, size_t n);

/* Truncates a temporary file to n bytes, and continues after them. */
LODE_NODISCARD lode_status outfile_cut(outfile *f, uint64_t n);

/* Syncs the file to disk, closes it, and renames it to PATH. A `suffix` (".partial") is for the
 * output of an interrupted run: the new name is PATH + suffix, or a free variant of this name, and
 * is stored in `final`; the call then does not sync. The suffix has no effect on output written in
 * place. On failure the temporary file is removed. */
LODE_NODISCARD lode_status outfile_commit(outfile *f, const char *suffix);

/* Closes the file, removes the temporary file unless it is kept, and frees the names. */
void outfile_discard(outfile *f);

/* Removes the temporary files of all outfiles of the process, which must then exit. Signal handlers
 * may call this function: it takes no lock and allocates nothing. */
void outfile_abandon_all(void);
/* Calls `tell` with the path of each temporary file, and leaves the files in place. Signal handlers
 * may call this function if they may call `tell`. */
void outfile_tell_all(void (*tell)(void *user, const char *path), void *user);

/* Returns OK if outfile_open() would succeed. Leaves no file behind, and does not open an output
 * that would be written in place. Errors: as outfile_open(). */
LODE_NODISCARD lode_status outfile_check(outfile *f, mem *m, const char *path);

/* Returns advice for an errno, to append to a message, such as "; its folder must be writable", or
 * "". */
const char *outfile_remedy(int error);

#endif
