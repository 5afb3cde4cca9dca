/* arrow_rows.c - see arrow_rows.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/arrow_rows.h"

#include "results/arrow/metadata.h"

#define FEED_ROWS_LEAST 256
#define FEED_SHARE      32  /* rows take 1/32 of the memory that is left, over all threads */
#define FEED_ROW_BYTES  256 /* of a row, on average, that make a batch shorter */

static bool rows_has_offsets(const arrow_column *c) {
    return c->type == ARROW_TEXT || arrow_is_list(c->type);
}

lode_status arrow_rows_init(arrow_rows *r, mem *m, const arrow_column *columns,
                            uint32_t n_columns) {
    lode_status status = LODE_OK;
    *r = (arrow_rows){.mem = m, .columns = columns, .n_columns = n_columns};
    LODE_TRY(mem_zalloc(m, (void **)&r->cells, n_columns * sizeof *r->cells));
    LODE_TRY(mem_zalloc(m, (void **)&r->scratch, n_columns * sizeof *r->scratch));
    for (uint32_t i = 0; i < n_columns; i++) {
        if (rows_has_offsets(&columns[i])) LODE_TRY(vec_u32_push(m, &r->cells[i].offsets, 0));
    }
done:
    if (status != LODE_OK) arrow_rows_free(r);
    return status;
}

void arrow_rows_free(arrow_rows *r) {
    if (!r->mem) return;
    for (uint32_t i = 0; r->cells && i < r->n_columns; i++) {
        vec_char_free(r->mem, &r->cells[i].values);
        vec_u32_free(r->mem, &r->cells[i].offsets);
    }
    mem_free(r->mem, r->cells, r->cells ? r->n_columns * sizeof *r->cells : 0);
    mem_free(r->mem, r->scratch, r->scratch ? r->n_columns * sizeof *r->scratch : 0);
    *r = (arrow_rows){0};
}

lode_status arrow_rows_u32(arrow_rows *r, uint32_t column, uint32_t value) {
    return vec_char_append(r->mem, &r->cells[column].values, &value, sizeof value);
}

lode_status arrow_rows_u64(arrow_rows *r, uint32_t column, uint64_t value) {
    return vec_char_append(r->mem, &r->cells[column].values, &value, sizeof value);
}

lode_status arrow_rows_f64(arrow_rows *r, uint32_t column, double value) {
    return vec_char_append(r->mem, &r->cells[column].values, &value, sizeof value);
}

lode_status arrow_rows_list(arrow_rows *r, uint32_t column, const void *values, uint64_t n) {
    arrow_rows_column *c = &r->cells[column];
    uint64_t end = c->offsets.data[c->offsets.n - 1] + n;
    if (n > INT32_MAX || end > INT32_MAX) return LODE_UNSUPPORTED;
    lode_status status = vec_u32_reserve(r->mem, &c->offsets, 1);
    if (status != LODE_OK) return status;
    size_t bytes = (size_t)n * arrow_width(r->columns[column].type);
    status = vec_char_append(r->mem, &c->values, values, bytes);
    if (status == LODE_OK) c->offsets.data[c->offsets.n++] = (uint32_t)end;
    return status;
}

/* Bytes of the values of the first n rows of a column. */
static size_t rows_value_bytes(const arrow_rows *r, uint32_t column, uint32_t n) {
    const arrow_column *c = &r->columns[column];
    size_t values = rows_has_offsets(c) ? r->cells[column].offsets.data[n] : n;
    return values * arrow_width(c->type);
}

void arrow_rows_cut(arrow_rows *r) {
    for (uint32_t i = 0; i < r->n_columns; i++) {
        arrow_rows_column *c = &r->cells[i];
        if (rows_has_offsets(&r->columns[i])) c->offsets.n = r->n + (size_t)1;
        size_t bytes = rows_value_bytes(r, i, r->n);
        if (c->values.n > bytes) c->values.n = bytes;
    }
}

size_t arrow_rows_bytes(const arrow_rows *r) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < r->n_columns; i++) bytes += r->cells[i].values.n;
    return bytes;
}

/* Drops the first n rows. */
static void rows_skip(arrow_rows *r, uint32_t n) {
    uint32_t left = r->n - n;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        arrow_rows_column *c = &r->cells[i];
        size_t bytes = rows_value_bytes(r, i, n);
        if (left > 0) memmove(c->values.data, c->values.data + bytes, c->values.n - bytes);
        c->values.n -= bytes;
        if (!rows_has_offsets(&r->columns[i])) continue;
        uint32_t first = c->offsets.data[n];
        for (uint32_t k = 0; k <= left; k++) c->offsets.data[k] = c->offsets.data[n + k] - first;
        c->offsets.n = left + (size_t)1;
    }
    r->n = left;
}

/* Appends the first n rows of `from`. On failure `to` is as it was. */
static lode_status rows_append(arrow_rows *to, const arrow_rows *from, uint32_t n) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < to->n_columns; i++) {
        arrow_rows_column *c = &to->cells[i];
        const arrow_rows_column *d = &from->cells[i];
        size_t bytes = rows_value_bytes(from, i, n);
        LODE_TRY(vec_char_append(to->mem, &c->values, d->values.data, bytes));
        if (!rows_has_offsets(&to->columns[i])) continue;
        uint32_t before = c->offsets.data[c->offsets.n - 1];
        if (d->offsets.data[n] > INT32_MAX - before) LODE_LEAVE(LODE_UNSUPPORTED);
        LODE_TRY(vec_u32_reserve(to->mem, &c->offsets, n));
        for (uint32_t k = 1; k <= n; k++) {
            c->offsets.data[c->offsets.n++] = before + d->offsets.data[k];
        }
    }
    to->n += n;
done:
    if (status != LODE_OK) arrow_rows_cut(to);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Fewer rows where memory is short. */
static uint32_t feed_choose_rows(const lode_job *job) {
    size_t left = mem_left(&job->mem);
    size_t rows = left / FEED_SHARE / job->wish / FEED_ROW_BYTES;
    if (left == SIZE_MAX || rows > ARROW_ROWS_MOST) return ARROW_ROWS_MOST;
    return rows < FEED_ROWS_LEAST ? FEED_ROWS_LEAST : (uint32_t)rows;
}

lode_status arrow_feed_begin(arrow_feed *f, lode_job *job, output *to, const arrow_table *table) {
    *f = (arrow_feed){.job = job, .n_rows = feed_choose_rows(job)};
    f->most = (size_t)f->n_rows * FEED_ROW_BYTES;
    lode_status status = arrow_rows_init(&f->rest, &job->mem, table->columns, table->n_columns);
    return status == LODE_OK ? arrow_write_begin(job, to, table, &f->file) : status;
}

/* Writes the first n rows as a batch, and drops them. */
static lode_status feed_write(arrow_feed *f, arrow_rows *r, uint32_t n) {
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const arrow_rows_column *c = &r->cells[i];
        r->scratch[i] =
            (arrow_cells){.offsets = (const int32_t *)c->offsets.data, .values = c->values.data};
    }
    lode_status status = arrow_write_batch(f->file, n, r->scratch);
    if (status == LODE_OK) rows_skip(r, n);
    return status;
}

lode_status arrow_feed_write(arrow_feed *f, arrow_rows *r) {
    return feed_write(f, r, r->n < f->n_rows ? r->n : f->n_rows);
}

lode_status arrow_feed_leave(arrow_feed *f, arrow_rows *r) {
    lode_status status = LODE_OK;
    while (r->n > 0) {
        uint32_t room = f->n_rows - f->rest.n, n = r->n < room ? r->n : room;
        LODE_TRY(rows_append(&f->rest, r, n));
        rows_skip(r, n);
        bool full = f->rest.n >= f->n_rows || arrow_rows_bytes(&f->rest) >= f->most;
        if (full) LODE_TRY(arrow_feed_write(f, &f->rest));
    }
done:
    return status;
}

lode_status arrow_feed_end(arrow_feed *f, const arrow_key *keys, uint32_t n_keys) {
    lode_status status = arrow_feed_write(f, &f->rest);
    return status == LODE_OK ? arrow_write_end(f->file, keys, n_keys) : status;
}

void arrow_feed_restart(arrow_feed *f) {
    arrow_write_restart(f->file);
    rows_skip(&f->rest, f->rest.n);
}

void arrow_feed_free(arrow_feed *f) {
    arrow_write_free(f->file);
    arrow_rows_free(&f->rest);
}
