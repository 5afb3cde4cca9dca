/* lode/files.h - files that appear under their name when they are complete; part of lode.h
 *
 * Sinks, drawings and generators write such files by themselves. This is for programs that write
 * others: a report, a picture, what they have joined of parts.
 *
 *     lode_file_create()       makes PATH.tmp.PID; PATH stays as it is
 *     lode_file_write() …      or write to its descriptor
 *     lode_file_commit()       brings it to disk, and renames it to PATH
 *     lode_file_free()         removes what was not committed
 *
 * Nothing is overwritten, removed or followed but PATH itself: unfinished files are made under a
 * name that nobody has. What is no regular file (a device, a pipe, "-" for standard output,
 * /dev/stdout) is written in place.
 *
 * These calls need no job. When one fails, lode_job_error(NULL) has the message, "cannot write
 * 'PATH': why", and errno the reason.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FILES_H
#define LODE_FILES_H

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lode_file lode_file;

/* Begins a file. `follow`: PATH is a name that a user has given; if it is a symbolic link, what it
 * leads to is written, be it there or not. Otherwise PATH is a name that the program has made up,
 * and a link of that name is replaced. A file that is replaced hands on its permissions.
 * Errors: IO, NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_file_create(lode_file **out, const char *path,
                                                     bool follow);

/* Begins a file that stays when it is not committed, also when the process is killed: PATH +
 * suffix, such as ".partial", until lode_file_commit() renames it to PATH. It is for output of
 * which a journal knows how much is right. Nothing may have that name, not even a link.
 * Errors: IO (errno is EEXIST if something has it), NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_file_keep(lode_file **out, const char *path,
                                                   const char *suffix);
/* Goes on with such a file. The descriptor stands at its beginning; what it has is up to the
 * program to check, and to cut. Links are not followed. */
LODE_API LODE_NODISCARD lode_status lode_file_resume(lode_file **out, const char *path,
                                                     const char *suffix);

/* Whether lode_file_create(path, true) would work just now, so that a program can say so before it
 * begins to compute. Leaves nothing behind, and does not open what is written in place. */
LODE_API LODE_NODISCARD lode_status lode_file_check(const char *path);

/* Writes all of it. Errors: IO, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_file_write(lode_file *file, const void *bytes, size_t n);

/* The descriptor, for reading and writing; for writing only in place. -1: the file is committed. */
LODE_API int lode_file_descriptor(const lode_file *file);

/* The name that the file has now: first that of the unfinished file, and that which it got when it
 * was committed. "-" for standard output. Lent. */
LODE_API const char *lode_file_path(const lode_file *file);

/* Brings the file to disk and gives it its name. With `partial` it gets the name PATH.partial, or
 * PATH.partial.2 and so on if that is taken, and the call does not wait for the disk: for what was
 * found until a user has interrupted the program. Errors: IO; the unfinished file is then removed,
 * unless it is one that stays. */
LODE_API LODE_NODISCARD lode_status lode_file_commit(lode_file *file, bool partial);

/* Closes the file, and removes it if it is not finished, unless it is one that stays. For the
 * handler of a signal, see lode_outputs_discard(). */
LODE_API void lode_file_free(lode_file *file);

/* ---- how much may be written ---- */

/* Called before `bytes` are written, from any thread. Returning false refuses the write. */
typedef bool (*lode_take_fn)(void *user, uint64_t bytes);

/* Has `take` asked before the library writes anything, scratch files as well, in the whole process:
 * for programs that share a disk with others. What is refused fails with LODE_IO ("Disk quota
 * exceeded"), as on a disk that is full. Call it before the first job; NULL = no limit. */
LODE_API void lode_files_limit(lode_take_fn take, void *user);

#ifdef __cplusplus
}
#endif
#endif
