/* cli_file.h - a file that a command writes with stdio: it appears when it is complete
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_CLI_FILE_H
#define LODE_CLI_CLI_FILE_H

#include "cli.h"

/* Stays where it is while it is open. */
typedef struct cli_file {
    FILE *stream;    /* to write to; NULL: it is not open */
    lode_file *file; /* NULL: standard output or standard error */
    const char *name;
    int reason;   /* errno of the first write that failed; 0: none has */
    bool partial; /* it is not complete: its name will say so */
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

/* Whether a file can be written, checked before the search so that nobody waits for a result that
 * cannot be saved. NULL is allowed. Returns false after printing why. */
bool cli_file_check(const char *path);

/* A lode_write_fn for the stream of a file; and the end of a call that has written so. */
int cli_file_write(void *stream, const char *text, size_t bytes);
bool cli_file_finish(cli_file *f, lode_status status);

#endif
