/* files.c - files that programs write: lode/files.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/outfile.h"
#include "runtime/valid.h"

struct lode_file {
    mem mem;
    outfile out;
};

/* ---- opening -------------------------------------------------------------------------------- */

/* Says why a call has failed. */
static lode_status file_fail(lode_status status, const char *path, int reason) {
    bool system = status == LODE_IO;
    job_fail(NULL, status, "cannot write '%s': %s%s", path,
             system ? strerror(reason) : lode_status_text(status),
             system ? outfile_remedy(reason) : "");
    errno = reason;
    return status;
}

static lode_status file_check_arguments(const void *out, const char *path, const char *suffix) {
    const char *missing = !out ? "out" : !path ? "path" : !suffix ? "suffix" : NULL;
    if (missing) return job_fail(NULL, LODE_INVALID, "%s is NULL", missing);
    if (strlen(suffix) <= OUTFILE_SUFFIX_MAX) return LODE_OK;
    return job_fail(NULL, LODE_INVALID, "suffix has more than %d characters", OUTFILE_SUFFIX_MAX);
}

/* The names count in a budget of their own, which is none. */
static lode_status file_make(lode_file **out) {
    mem names;
    mem_init(&names, NULL, NULL, 0);
    lode_status status = mem_zalloc_uncounted(&names, (void **)out, sizeof **out);
    if (status != LODE_OK) return status;
    mem_init(&(*out)->mem, NULL, NULL, 0);
    (*out)->out = (outfile)OUTFILE_INIT;
    return LODE_OK;
}

/* Hands over a file that outfile_open() or outfile_keep() has opened with this status. */
static lode_status file_opened(lode_file *file, const char *path, lode_status status,
                               lode_file **out) {
    int reason = file ? file->out.error : 0;
    if (status == LODE_OK) {
        *out = file;
        return LODE_OK;
    }
    lode_file_free(file);
    return file_fail(status, path, reason);
}

lode_status lode_file_create(lode_file **out, const char *path, bool follow) {
    lode_file *file = NULL;
    lode_status status = file_check_arguments(out, path, "");
    if (status != LODE_OK) return status;
    status = file_make(&file);
    if (status == LODE_OK) {
        status =
            outfile_open(&file->out, &file->mem, path, follow ? OUTFILE_FOLLOW : OUTFILE_REPLACE);
    }
    return file_opened(file, path, status, out);
}

static lode_status file_keep(lode_file **out, const char *path, const char *suffix, bool resume) {
    lode_file *file = NULL;
    char name[OS_PATH_BYTES];
    lode_status status = file_check_arguments(out, path, suffix);
    if (status != LODE_OK) return status;
    status = file_make(&file);
    if (status == LODE_OK) status = outfile_keep(&file->out, &file->mem, path, suffix, resume);
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return file_opened(file, name, status, out);
}

lode_status lode_file_keep(lode_file **out, const char *path, const char *suffix) {
    return file_keep(out, path, suffix, false);
}

lode_status lode_file_resume(lode_file **out, const char *path, const char *suffix) {
    return file_keep(out, path, suffix, true);
}

lode_status lode_file_check(const char *path) {
    outfile file = OUTFILE_INIT;
    mem names;
    lode_status status = file_check_arguments(&file, path, "");
    if (status != LODE_OK) return status;
    mem_init(&names, NULL, NULL, 0);
    status = outfile_check(&file, &names, path);
    return status == LODE_OK ? status : file_fail(status, path, file.error);
}

/* ---- the file ------------------------------------------------------------------------------- */

int lode_file_descriptor(const lode_file *file) {
    return file ? file->out.fd : -1;
}

const char *lode_file_path(const lode_file *file) {
    if (!file) return "";
    const outfile *f = &file->out;
    return !f->final ? "-" : f->temp && f->fd >= 0 ? f->temp : f->final;
}

/* Says why a call for a file that is open has failed, if it has. */
static lode_status file_settle(const lode_file *file, lode_status status) {
    return status == LODE_OK ? status : file_fail(status, lode_file_path(file), file->out.error);
}

static lode_status file_check_open(const lode_file *file) {
    if (!file) return job_fail(NULL, LODE_INVALID, "file is NULL");
    if (file->out.fd >= 0) return LODE_OK;
    return job_fail(NULL, LODE_INVALID, "the file has been committed already");
}

lode_status lode_file_write(lode_file *file, const void *bytes, size_t n) {
    lode_status status = file_check_open(file);
    if (status != LODE_OK || n == 0) return status;
    if (!bytes) return job_fail(NULL, LODE_INVALID, "bytes is NULL");
    return file_settle(file, outfile_write(&file->out, bytes, n));
}

lode_status lode_file_commit(lode_file *file, bool partial) {
    lode_status status = file_check_open(file);
    if (status != LODE_OK) return status;
    return file_settle(file, outfile_commit(&file->out, partial ? ".partial" : NULL));
}

void lode_file_free(lode_file *file) {
    if (!file) return;
    outfile_discard(&file->out);
    mem names = file->mem;
    mem_free_uncounted(&names, file, sizeof *file);
}

/* ---- how much may be written ---------------------------------------------------------------- */

void lode_files_limit(lode_take_fn take, void *user) {
    os_limit_writes(take, user);
}
