/* table_parquet.c - see table_parquet.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/table_parquet.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "results/arrow/adbc.h"
#include "results/arrow/arrow_stream.h"

#define PARQUET_PIECE ((size_t)64 << 10) /* bytes that are copied at once */
#define PARQUET_KEYS  16                 /* most keys that are written */

/* A file without a name. */
typedef struct parquet_scratch {
    int fd;
    char path[40], folder[OS_PATH_BYTES];
} parquet_scratch;

struct table_parquet {
    lode_job *job;
    output *to, rows_to; /* rows_to: the scratch file of the rows */
    parquet_scratch rows, file;
    uint64_t at; /* where to write in `rows` */
};

static lode_status parquet_open(const table_parquet *t, parquet_scratch *s) {
    s->fd = os_open_scratch(output_path(t->to), s->folder);
    if (s->fd < 0) return job_fail(t->job, LODE_IO, "no scratch file can be made in %s", s->folder);
    snprintf(s->path, sizeof s->path, "/proc/self/fd/%d", s->fd);
    return LODE_OK;
}

/* The lode_write_fn of the rows. */
static int parquet_keep(void *user, const char *text, size_t n) {
    table_parquet *t = user;
    if (!os_write_at(t->rows.fd, text, n, t->at)) return 1;
    t->at += n;
    return 0;
}

lode_status table_parquet_begin(lode_job *job, output *to, table_parquet **out) {
    lode_status status = LODE_OK;
    table_parquet *t = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&t, sizeof *t));
    t->job = job;
    t->to = to;
    t->rows.fd = t->file.fd = -1;
    LODE_TRY(adbc_write_parquet(job, NULL, "", "-w parquet", NULL));
    LODE_TRY(parquet_open(t, &t->rows));
    LODE_TRY(parquet_open(t, &t->file));
    output_call(&t->rows_to, job, parquet_keep, t);
    *out = t;
    t = NULL;
done:
    table_parquet_free(t);
    return status;
}

output *table_parquet_rows(table_parquet *t) {
    return &t->rows_to;
}

lode_status table_parquet_failed(const table_parquet *t) {
    return job_fail(t->job, LODE_IO, "a scratch file in %s cannot be written", t->rows.folder);
}

void table_parquet_cut(table_parquet *t, uint64_t bytes) {
    t->at = bytes;
}

/* ---- the end ---- */

static lode_status parquet_copy_out(const table_parquet *t) {
    lode_status status = LODE_OK;
    char *piece = NULL;
    uint64_t at = 0, bytes = 0;
    LODE_TRY(mem_resize(&t->job->mem, (void **)&piece, 0, PARQUET_PIECE));
    bool whole = os_file_size(t->file.fd, &bytes);
    for (; whole && at < bytes; at += PARQUET_PIECE) {
        size_t n = bytes - at < PARQUET_PIECE ? (size_t)(bytes - at) : PARQUET_PIECE;
        whole = os_read_at(t->file.fd, piece, n, at);
        if (whole) LODE_TRY(output_write(t->to, piece, n));
    }
    if (!whole) {
        status = job_fail(t->job, LODE_IO, "a scratch file in %s cannot be read", t->file.folder);
    }
done:
    mem_free(&t->job->mem, piece, piece ? PARQUET_PIECE : 0);
    return status;
}

/* The keys that are not about the form of an Arrow file, with their values. */
static void parquet_take_keys(const arrow_file *rows, const char *pairs[2 * PARQUET_KEYS + 1]) {
    static const char *const keys[] = {
        ARROW_KEY_KIND,        ARROW_KEY_VERSION, ARROW_KEY_TOTAL,     ARROW_KEY_COMPLETE,
        ARROW_KEY_CONSTRAINED, ARROW_KEY_TARGET,  ARROW_KEY_MIN_COUNT, ARROW_KEY_MIN_SIZE,
        ARROW_KEY_MAX_SIZE,    ARROW_KEY_ORDER,   ARROW_KEY_JOBS};
    size_t n = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = arrow_key_value(rows, keys[i]);
        if (!value) continue;
        pairs[n++] = keys[i];
        pairs[n++] = value;
    }
    pairs[n] = NULL;
}

lode_status table_parquet_end(table_parquet *t) {
    lode_status status = LODE_OK;
    arrow_file *rows = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    const char *pairs[2 * PARQUET_KEYS + 1];
    LODE_TRY(arrow_open(t->job, t->rows.path, &rows));
    parquet_take_keys(rows, pairs);
    LODE_TRY(arrow_stream_open(t->job, rows, &stream));
    LODE_TRY(adbc_write_parquet(t->job, &stream, t->file.path, "writing the Parquet file", pairs));
    LODE_TRY(parquet_copy_out(t));
done:
    arrow_close(rows);
    return status;
}

void table_parquet_free(table_parquet *t) {
    if (!t) return;
    output_discard(&t->rows_to);
    if (t->rows.fd >= 0) os_close(t->rows.fd);
    if (t->file.fd >= 0) os_close(t->file.fd);
    mem_free(&t->job->mem, t, sizeof *t);
}
