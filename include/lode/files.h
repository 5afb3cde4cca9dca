/* lode/files.h - files that appear under their name only when complete; part of lode.h
 *
 * Sinks, drawings and generators write such files by themselves. These calls are for programs that
 * write other files, such as a report or a picture.
 *
 *     lode_file_create()       makes PATH.tmp.PID; PATH is unchanged
 *     lode_file_write() …      or write to its descriptor
 *     lode_file_commit()       syncs the file to disk and renames it to PATH
 *     lode_file_free()         removes the file if it was not committed
 *
 * No existing file except PATH is ever overwritten or removed, and no symbolic link except PATH is
 * followed: an unfinished file gets a name that does not exist yet. Anything that is not a regular
 * file (a device, a pipe, "-" for standard output, /dev/stdout) is written in place.
 *
 * These calls need no job. When one fails, lode_job_error(NULL) has the message, "cannot write
 * 'PATH': why", and errno has the reason.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FILES_H
#define LODE_FILES_H

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lode_file lode_file;

/* Begins a file. Set `follow` if the user chose PATH: if PATH is a symbolic link, the target of the
 * link is written, whether the target exists or not. Without `follow`, which is for names that the
 * program makes up, a symbolic link is replaced. A file that replaces another one gets the same
 * permissions.
 * Errors: IO, NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_file_create(lode_file **out, const char *path,
                                                     bool follow);

/* Begins a file that stays if it is not committed, even when the process is killed. Until
 * lode_file_commit() renames it to PATH, its name is PATH + suffix (PATH.partial if the suffix is
 * ".partial"), which must not exist yet, not even as a link. Use this for output that a journal
 * describes.
 * Errors: IO (errno is EEXIST if the name exists), NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_file_keep(lode_file **out, const char *path,
                                                   const char *suffix);
/* Reopens a file that lode_file_keep() began. The descriptor is positioned at the beginning of the
 * file; the program must check the content, and truncate it where needed. Links are not
 * followed. */
LODE_API LODE_NODISCARD lode_status lode_file_resume(lode_file **out, const char *path,
                                                     const char *suffix);

/* Whether lode_file_create(path, true) would succeed now, so that a program can fail before it
 * computes. Leaves nothing behind, and does not open a file that would be written in place. */
LODE_API LODE_NODISCARD lode_status lode_file_check(const char *path);

/* Writes all n bytes. Errors: IO, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_file_write(lode_file *file, const void *bytes, size_t n);

/* The file descriptor, for reading and writing; for a file that is written in place, only for
 * writing. -1 after a commit. */
LODE_API int lode_file_descriptor(const lode_file *file);

/* The current name of the file: before the commit, the name of the unfinished file; after the
 * commit, the final name; "-" for standard output. Lent until the file is freed. */
LODE_API const char *lode_file_path(const lode_file *file);

/* Syncs the file to disk and renames it. With `partial`, for an interrupted run, the new name is
 * PATH.partial (or PATH.partial.2 and so on if that exists), and the call does not wait for the
 * disk. Errors: IO; the unfinished file is then removed, unless it was begun by lode_file_keep().
 */
LODE_API LODE_NODISCARD lode_status lode_file_commit(lode_file *file, bool partial);

/* Closes the file, and removes it if it was not committed, unless it was begun by lode_file_keep().
 * For signal handlers, see lode_outputs_discard(). */
LODE_API void lode_file_free(lode_file *file);

/* ---- a limit on what is written ---- */

/* Called before `bytes` are written, from any thread. Returning false refuses the write. */
typedef bool (*lode_take_fn)(void *user, uint64_t bytes);

/* Makes the library call `take` before it writes anything in this process, scratch files included:
 * for programs that share a disk with others. A refused write fails with LODE_IO ("Disk quota
 * exceeded"), as on a full disk. Call it before the first job; NULL = no limit. */
LODE_API void lode_files_limit(lode_take_fn take, void *user);

#ifdef __cplusplus
}
#endif
#endif
