/* kept_output.h - the output of a run that may be ended and resumed: PATH.partial, later PATH
 *
 * Unlike the library's own files, it stays when the process is killed: it can be used again up to
 * the last length that is recorded in a journal. It also keeps a hash of what was written. The file
 * is created only if its name is free. A run without a journal cannot be resumed: like any other,
 * its file is removed when it fails. Graphs of -w gspan are numbered consecutively, also after a
 * resume, although the library begins at 0 each time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_KEPT_OUTPUT_H
#define LODE_CLI_KEPT_OUTPUT_H

#include "byte_hash.h"
#include "cli.h"

#define KEPT_SUFFIX ".partial"

typedef struct kept_output {
    lode_file *file;     /* NULL: not open */
    int reason;          /* errno of a failure; 0: none */
    byte_hash hash;      /* of what was written, and its length */
    bool skips;          /* the next write is a title that the file already has */
    bool numbers;        /* -w gspan */
    uint64_t next, base; /* the number of the next graph, and of the sink's 0 */
    char *room;          /* for text with other numbers */
    size_t room_bytes;
} kept_output;

/* Whether anything named PATH.partial exists. */
bool kept_exists(const char *path);
/* Begins a new file, which is kept after a failure if it `stays`; or continues an existing one
 * after its first bytes, if they have this hash. Returns false after printing a message. */
bool kept_create(kept_output *k, const char *path, bool stays);
bool kept_resume(kept_output *k, const char *path, bool numbers, uint64_t bytes, uint64_t hash);
/* Removes PATH.partial if its first bytes have this hash. Returns false after printing a
 * message. */
bool kept_remove(const char *path, uint64_t bytes, uint64_t hash);

/* A lode_write_fn. */
int kept_write(void *kept, const char *text, size_t bytes);
/* Flushes the output to disk; if it returns false, `reason` says why. */
bool kept_sync(kept_output *k);
/* Gives the file its final name and flushes that to disk; with `partial`, the name of an incomplete
 * file. */
bool kept_finish(kept_output *k, bool partial);
/* Closes the file, which stays PATH.partial if it can be resumed. */
void kept_close(kept_output *k);

#endif
