/* kept_output.h - the output of a run that may be ended and resumed: PATH.partial, later PATH
 *
 * Unlike the library's own files, this file stays when the process is killed: it can be used again
 * up to the last length that is recorded in a journal. A hash of the written text is computed, too.
 * The file is created only if its name is free. A run without a journal cannot be resumed, so its
 * file is removed when it fails, like any other output. Graphs of -w gspan are numbered
 * consecutively, even after a resume, although the library begins at 0 each time.
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
    byte_hash hash;      /* of the text written; also has its length */
    bool skips;          /* the next write is a title that the file already has */
    bool numbers;        /* -w gspan: graphs are renumbered */
    uint64_t next, base; /* the number of the next graph; the number that the sink's graph 0 gets */
    char *room;          /* buffer for renumbered text */
    size_t room_bytes;
} kept_output;

/* Whether anything named PATH.partial exists. */
bool kept_exists(const char *path);
/* kept_create() begins a new file, which is kept after a failure if `stays` is set. kept_resume()
 * continues an existing file after its first `bytes` bytes, if these have this hash. Both return
 * false after printing a message. */
bool kept_create(kept_output *k, const char *path, bool stays);
bool kept_resume(kept_output *k, const char *path, bool numbers, uint64_t bytes, uint64_t hash);
/* Removes PATH.partial if its first bytes have this hash. Returns false after printing a
 * message. */
bool kept_remove(const char *path, uint64_t bytes, uint64_t hash);

/* A lode_write_fn; `kept` is a kept_output. */
int kept_write(void *kept, const char *text, size_t bytes);
/* Flushes the output to disk; if it returns false, `reason` says why. */
bool kept_sync(kept_output *k);
/* Gives the file its final name or, with `partial`, the name of an incomplete file, and flushes the
 * new name to disk. */
bool kept_finish(kept_output *k, bool partial);
/* Closes the file, which stays PATH.partial if it can be resumed. */
void kept_close(kept_output *k);

#endif
