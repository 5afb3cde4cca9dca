/* cli_file.h - a file that a command writes with stdio: it appears when it is complete
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_CLI_FILE_H
#define LODE_CLI_CLI_FILE_H

#include "cli.h"

/* Must not be moved in memory while it is open, because its stream points to it. */
typedef struct cli_file {
    FILE *stream;    /* to write to; NULL: it is not open */
    lode_file *file; /* NULL: standard output or standard error */
    const char *name;
    int reason;   /* errno of the first write that failed; 0: none has failed */
    bool partial; /* the file is not complete, so its name will be that of a partial file */
} cli_file;

/* Opens a file; "-" is standard output, and NULL is standard error. `follow` is as in
 * lode_file_create(). Returns false after printing why. */
bool cli_file_open(cli_file *f, const char *path, bool follow);
/* Flushes the file to disk and gives it its name. Returns false after printing why. */
bool cli_file_commit(cli_file *f);
/* The same, and then closes it. */
bool cli_file_close(cli_file *f);
/* Closes the file, and removes it if it was not committed; does nothing if it is not open. */
void cli_file_drop(cli_file *f);

/* Checks before a search whether a file can be written, so that nobody waits for a result that
 * cannot be saved. `path` may be NULL. Returns false after printing why not. */
bool cli_file_check(const char *path);

/* cli_file_write() is a lode_write_fn for the stream of a file. After the call that used it,
 * cli_file_finish() closes the file if `status` is OK; otherwise it prints an error and drops the
 * file. Returns whether the file is complete. */
int cli_file_write(void *stream, const char *text, size_t bytes);
bool cli_file_finish(cli_file *f, lode_status status);

#endif
