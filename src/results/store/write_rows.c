/* write_rows.c - a page of rows, or all of them, to a file
 *
 * Rows are asked for in pieces, so that memory does not depend on how many there are: in the order
 * of the file each piece begins where the last one ended; in the order of a column, pieces are
 * larger, because each of them takes passes over the whole file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/row_table.h"
#include "runtime/lease.h"
#include "runtime/output.h"
#include "runtime/valid.h"

#define WRITE_PIECE  65536
#define WRITE_SORTED (1 << 20)
#define WRITE_ROWS   20 /* of a page of text */
#define WRITE_BUFFER (1 << 18)

typedef struct write_run {
    lode_store *store;
    lode_query_options query;
    lode_query_write_options how;
    table table;
    output out;
    vec_char text;
    uint64_t *rows;
    size_t piece; /* most rows of a piece */
    uint64_t written;
} write_run;

static lode_status write_line(write_run *w, bool last) {
    lode_status status = LODE_OK;
    mem *m = &w->store->job->mem;
    LODE_TRY(vec_char_append(m, &w->text, w->table.line.data, w->table.line.n));
    if (w->text.n == 0 || (!last && w->text.n < WRITE_BUFFER)) goto done;
    LODE_TRY(output_write(&w->out, w->text.data, w->text.n));
    w->text.n = 0;
done:
    return status;
}

static lode_status write_piece(write_run *w, size_t n) {
    lode_status status = LODE_OK;
    bool first = w->written == 0;
    if (first && w->how.format == LODE_STORE_TEXT) LODE_TRY(table_measure(&w->table, w->rows, n));
    if (first) {
        LODE_TRY(table_title(&w->table));
        LODE_TRY(write_line(w, false));
    }
    for (size_t i = 0; i < n; i++) {
        if (i % 256 == 0) LODE_TRY(stored_poll(w->store));
        LODE_TRY(table_row(&w->table, w->rows[i]));
        LODE_TRY(write_line(w, false));
    }
    w->written += n;
done:
    return status;
}

static lode_status write_all_rows(write_run *w) {
    lode_status status = LODE_OK;
    uint64_t left = w->how.rows, page = w->how.page ? w->how.page - 1 : 0, skip = 0;
    size_t n = 0;
    if (page > 0 && left > UINT64_MAX / 4 / page) goto title; /* beyond the end of any file */
    skip = page * left;
    do {
        size_t room = left < w->piece ? (size_t)left : w->piece;
        LODE_TRY(lode_store_rows(w->store, &w->query, skip, w->rows, room, &n));
        if (n == 0) break;
        LODE_TRY(write_piece(w, n));
        left -= n;
        if (w->query.sort_by) {
            skip += n;
        } else {
            w->query.from = w->rows[n - 1] + 1;
            skip = 0;
        }
        if (n < room) break;
    } while (left > 0);
title:
    if (w->written == 0) LODE_TRY(write_piece(w, 0)); /* the title alone */
    w->table.line.n = 0;
    LODE_TRY(write_line(w, true));
done:
    return status;
}

/* Fills in what was left open. */
static void write_settle(write_run *w) {
    bool pages = w->how.format == LODE_STORE_TEXT || w->how.page > 0;
    if (w->how.rows == 0) w->how.rows = pages ? WRITE_ROWS : UINT64_MAX;
    if (w->how.rows > w->store->info.rows + 1) w->how.rows = w->store->info.rows + 1;
    w->piece = w->query.sort_by ? WRITE_SORTED : WRITE_PIECE;
    if (w->how.rows < w->piece) w->piece = (size_t)w->how.rows;
}

/* To a file or, if `path` is NULL, to a function that w->out has already. */
static lode_status write_run_all(write_run *w, const char *path) {
    lode_status status = LODE_OK;
    mem *m = &w->store->job->mem;
    size_t bytes;
    write_settle(w);
    bytes = w->piece * sizeof *w->rows;
    LODE_TRY(mem_resize(m, (void **)&w->rows, 0, bytes));
    LODE_TRY(table_init(&w->table, w->store, w->how.format, w->how.measures));
    w->table.csv_safe = w->how.csv_safe;
    if (path) LODE_TRY(output_open(&w->out, w->store->job, path));
    LODE_TRY(write_all_rows(w));
    LODE_TRY(stored_end(w->store, LODE_OK));
    status = output_finish(&w->out, false);
done:
    output_discard(&w->out);
    table_clear(&w->table);
    vec_char_free(m, &w->text);
    if (w->rows) mem_free(m, w->rows, bytes);
    return output_settle(w->store->job, stored_end_row(w->store, status));
}

static lode_status write_ask(write_run *w, const lode_query_options *query,
                             const lode_query_write_options *options, const char *path) {
    lode_job *job = w->store->job;
    lease_call call = {0};
    lode_status status = valid_take(job, VALID_QUERY, query, &w->query);
    if (status == LODE_OK) status = valid_take(job, VALID_QUERY_WRITE, options, &w->how);
    if (status != LODE_OK) return status;
    if (w->how.csv_safe && w->how.format != LODE_STORE_CSV) {
        return job_fail(job, LODE_INVALID, "--csv-safe is for csv only");
    }
    status = lease_enter(job, LEASE_ANY, &call);
    if (status == LODE_OK) status = write_run_all(w, path);
    lease_leave(&call);
    return job_explain(job, status, "writing rows of a stored result");
}

lode_status lode_store_write(lode_store *store, const lode_query_options *query, const char *path,
                             const lode_query_write_options *options, uint64_t *written) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(path));
    write_run w = {.store = store};
    lode_status status = write_ask(&w, query, options, path);
    if (status == LODE_OK && written) *written = w.written;
    return status;
}

lode_status lode_store_write_call(lode_store *store, const lode_query_options *query,
                                  lode_write_fn write, void *user,
                                  const lode_query_write_options *options, uint64_t *written) {
    VALID_CALL(store ? store->job : NULL, {write != NULL, "write"});
    write_run w = {.store = store};
    output_call(&w.out, store->job, write, user);
    lode_status status = write_ask(&w, query, options, NULL);
    if (status == LODE_OK && written) *written = w.written;
    return status;
}
