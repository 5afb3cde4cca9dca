/* cli_file.c - see cli_file.h
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie() */
#include "cli_file.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Takes what stdio has collected; a stream alone would not know later why it failed. */
static ssize_t cli_file_put(void *file, const char *text, size_t bytes) {
    cli_file *f = file;
    if (lode_file_write(f->file, text, bytes) == LODE_OK) return (ssize_t)bytes;
    if (f->reason == 0) f->reason = errno;
    return 0;
}

bool cli_file_open(cli_file *f, const char *path, bool follow) {
    *f = (cli_file){.name = path};
    if (!path || strcmp(path, "-") == 0) {
        f->stream = path ? stdout : stderr;
        f->name = path ? "standard output" : "standard error";
        return true;
    }
    if (lode_file_create(&f->file, path, follow) != LODE_OK) {
        cli_error("%s", lode_job_error(NULL));
        return false;
    }
    f->stream = fopencookie(f, "w", (cookie_io_functions_t){.write = cli_file_put});
    if (f->stream) return true;
    cli_error("cannot write '%s': %s", path, strerror(errno));
    cli_file_drop(f);
    return false;
}

/* Brings everything to the descriptor. */
static bool cli_file_flush(cli_file *f) {
    errno = 0;
    bool fine = fflush(f->stream) == 0 && !ferror(f->stream);
    if (!fine && f->reason == 0) f->reason = errno ? errno : EIO; /* it failed some time ago */
    if (!fine) cli_error("cannot write '%s': %s", f->name, strerror(f->reason));
    return fine;
}

bool cli_file_commit(cli_file *f) {
    if (!cli_file_flush(f)) return false;
    if (!f->file || lode_file_commit(f->file, f->partial) == LODE_OK) return true;
    cli_error("%s", lode_job_error(NULL));
    return false;
}

bool cli_file_close(cli_file *f) {
    bool fine = cli_file_commit(f);
    cli_file_drop(f);
    return fine;
}

void cli_file_drop(cli_file *f) {
    if (f->file && f->stream) fclose(f->stream);
    lode_file_free(f->file);
    *f = (cli_file){0};
}

/* It makes a file and removes it again: a signal waits until that is done. */
bool cli_file_check(const char *path) {
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &before);
    bool fine = !path || lode_file_check(path) == LODE_OK;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!fine) cli_error("%s", lode_job_error(NULL));
    return fine;
}

int cli_file_write(void *stream, const char *text, size_t bytes) {
    return fwrite(text, 1, bytes, stream) == bytes ? 0 : -1;
}

bool cli_file_finish(cli_file *f, lode_status status) {
    if (status == LODE_OK || ferror(f->stream)) return cli_file_close(f);
    cli_error("cannot write '%s': %s", f->name, lode_status_text(status));
    cli_file_drop(f);
    return false;
}
