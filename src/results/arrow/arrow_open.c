/* arrow_open.c - opening and closing: see arrow.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/os.h"
#include "results/arrow/file.h"

#define OPEN_TAIL (sizeof(uint32_t) + ARROW_MAGIC_BYTES) /* bytes behind the footer */
/* magic and padding, a schema, the tail: no file is shorter */
#define OPEN_LEAST (ARROW_MAGIC_BYTES + 2 + OPEN_TAIL)

/* ---- the ends of the file ------------------------------------------------------------------- */

static bool open_has_magic(const arrow_file *f, uint64_t at) {
    return memcmp(f->bytes + at, ARROW_MAGIC, ARROW_MAGIC_BYTES) == 0;
}

static lode_status open_check_ends(arrow_file *f) {
    if (f->n_bytes < ARROW_MAGIC_BYTES || !open_has_magic(f, 0)) {
        return job_fail(f->job, LODE_PARSE,
                        "%s: this is no Arrow file; expected a result that lode has written with "
                        "--write arrow",
                        f->name);
    }
    bool whole = f->n_bytes >= OPEN_LEAST && open_has_magic(f, f->n_bytes - ARROW_MAGIC_BYTES);
    if (whole) return LODE_OK;
    return job_fail(f->job, LODE_PARSE,
                    "%s: the Arrow file is cut off: its end is missing; write it again", f->name);
}

static lode_status open_contents(arrow_file *f) {
    lode_status status = LODE_OK;
    uint32_t footer_bytes;
    LODE_TRY(open_check_ends(f));
    uint64_t end = f->n_bytes - OPEN_TAIL;
    memcpy(&footer_bytes, f->bytes + end, sizeof footer_bytes);
    if (footer_bytes > end - ARROW_MAGIC_BYTES - 2) {
        LODE_LEAVE(file_damaged(f, "its footer is longer than the file"));
    }
    LODE_TRY(file_read_footer(f, end - footer_bytes, end));
done:
    return status;
}

/* ---- files and memory ----------------------------------------------------------------------- */

static lode_status open_create(lode_job *job, const char *name, arrow_file **out) {
    arrow_file *f = NULL;
    size_t bytes = strlen(name) + 1;
    lode_status status = mem_zalloc(&job->mem, (void **)&f, sizeof *f);
    if (status != LODE_OK) return status;
    f->job = job;
    pthread_mutex_init(&f->lock, NULL);
    status = mem_keep(&job->mem, &f->kept, (void **)&f->name, bytes);
    if (status == LODE_OK) {
        memcpy(f->name, name, bytes);
        *out = f;
    } else {
        arrow_close(f);
    }
    return status;
}

static lode_status open_map(arrow_file *f, int fd, const char *path) {
    os_stamp stamp;
    if (os_is_directory(fd)) {
        return job_fail(f->job, LODE_NOTFOUND, "cannot read '%s': it is a folder", path);
    }
    if (!os_file_stamp(fd, &stamp)) {
        return job_fail(f->job, LODE_IO, "cannot read '%s': it is no file that can be mapped",
                        path);
    }
    if (stamp.bytes == 0) return job_fail(f->job, LODE_PARSE, "%s: the file is empty", f->name);
    if (!mapped_open(&f->map, fd, &stamp)) {
        return job_fail(f->job, LODE_IO, "cannot map '%s': %s", path, strerror(errno));
    }
    f->bytes = f->map.bytes;
    f->n_bytes = stamp.bytes;
    return LODE_OK;
}

lode_status arrow_open(lode_job *job, const char *path, arrow_file **out) {
    lode_status status = LODE_OK;
    arrow_file *f = NULL;
    int fd = os_open_read(path);
    if (fd < 0) {
        LODE_LEAVE(job_fail(job, errno == ENOENT || errno == ENOTDIR ? LODE_NOTFOUND : LODE_IO,
                            "cannot open '%s': %s", path, strerror(errno)));
    }
    LODE_TRY(open_create(job, path, &f));
    LODE_TRY(open_map(f, fd, path));
    fd = -1;
    status = open_contents(f);
    if (arrow_is_lost(f)) status = arrow_check(f);
    if (status != LODE_OK) goto done;
    os_map_read_ahead(f->bytes, (size_t)f->n_bytes);
    *out = f;
    f = NULL;
done:
    if (fd >= 0) os_close(fd);
    arrow_close(f);
    return status;
}

lode_status arrow_open_memory(lode_job *job, const void *bytes, size_t n, arrow_file **out) {
    lode_status status = LODE_OK;
    arrow_file *f = NULL;
    LODE_TRY(open_create(job, "memory", &f));
    f->bytes = bytes;
    f->n_bytes = n;
    LODE_TRY(open_contents(f));
    *out = f;
    f = NULL;
done:
    arrow_close(f);
    return status;
}
