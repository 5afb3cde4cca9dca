/* stored_file.h - the internals of a store: the file, its columns, and a thread's view of a batch
 *
 * What:  a store is an Arrow file written by lode (results/arrow/arrow.h), with its columns, and
 *        with columns computed from its counts. A query walks over batches of rows; each thread
 *        reads one batch at a time, through a stored_batch.
 * Files: each of these files calls only earlier ones: stored_file.c
 *        (opening, cells, values); item_names.c (items by name), query_plan.c (parsing a query);
 *        scan_rows.c (one pass over the rows that match); page.c, bins.c, supports.c, pair_rows.c
 *        (queries); row_table.c (lines of text); apply_index.c, apply_rules.c (rules for
 *        transactions).
 * Trust: the file is not trusted. The Arrow reader checks that cells lie within the file. Their
 *        content is checked once, when a column of a batch is first read (`checked`). The file may
 *        be truncated after this check (base/mapped.h). Therefore lists are read by
 *        arrow_list_at(), the codes of names are compared with n_names where they are used, and
 *        every call ends with stored_end().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_STORED_FILE_H
#define LODE_RESULTS_STORE_STORED_FILE_H

#include "base/vec.h"
#include "results/arrow/arrow.h"

#define STORED_NONE UINT32_MAX

/* The source of the values of a column. */
typedef enum stored_form {
    STORED_CELLS,   /* the file */
    STORED_SIZE,    /* values are the number of items of the lists */
    STORED_SHARE,   /* values are count / total */
    STORED_MEASURE, /* values are computed from the four counts of a rule */
    STORED_ITEMSET  /* values are computed from the counts of an itemset and of its items */
} stored_form;

typedef struct stored_column {
    const char *name;
    stored_form form;
    /* for CELLS: the column of the file; for MEASURE and ITEMSET: the number of the measure */
    uint32_t at;
    arrow_type cells; /* for CELLS: the type of the column */
    lode_column_type type;
    int better;
} stored_column;

struct lode_store {
    lode_job *job;
    char *path; /* a copy, for messages */
    size_t path_bytes;
    bool noted; /* a bound that no row meets: several calls may have the same query */
    arrow_file *file;
    lode_store_info info;
    stored_column *columns; /* info.n_columns entries */
    size_t columns_bytes;
    /* Columns of the file with a special meaning; STORED_NONE = no such column. */
    uint32_t items, rhs, text, count, lhs_count, rhs_count;
    _Atomic bool *checked; /* whether cells were checked; by batch, then by column of the file */
    size_t checked_bytes;
    bool has_names; /* item names are checked, and the table below is built */
    uint32_t n_names;
    uint64_t *item_counts; /* by name: transactions with the item; NULL = the file lacks them */
    uint32_t n_item_counts;
    uint32_t *slots; /* names by hash: item + 1, or 0 */
    size_t n_slots;
    uint32_t n_guesses;        /* number of name suggestions made so far */
    _Atomic uint64_t match_ns; /* time that the query has spent on matching, on all threads */
    void *histogram;           /* arrays lent by lode_store_histogram() */
    size_t histogram_bytes;
};

/* A thread's view of a batch. */
typedef struct stored_batch {
    lode_store *store;
    uint32_t batch, rows;
    uint64_t first;     /* number of its first row */
    arrow_cells *cells; /* by column of the file; values NULL = not read yet */
} stored_batch;

/* Returns the bytes of `cells`. */
static inline size_t stored_cells_bytes(const lode_store *s) {
    return (arrow_n_columns(s->file) + (size_t)1) * sizeof(arrow_cells);
}
/* Moves to a batch of the store. b->cells must have room for stored_cells_bytes(). */
void stored_turn(stored_batch *b, lode_store *s, uint32_t batch);
/* Lends the cells of a column of the file, in this batch. Errors: PARSE. */
LODE_NODISCARD lode_status stored_cells(stored_batch *b, uint32_t column, const arrow_cells **out);

/* The n rows of a batch that begin with the row `from`. mask[i] is 1 if row from + i is wanted,
 * otherwise 0. */
typedef struct stored_range {
    uint32_t from, n;
    const uint8_t *mask;
} stored_range;

/* Reads the values of a COUNT or REAL column. Rows that are not wanted get 0 or their value. */
LODE_NODISCARD lode_status stored_reals(stored_batch *b, const stored_column *c, stored_range r,
                                        double *out);
/* Reads the values of a COUNT column. */
LODE_NODISCARD lode_status stored_counts(stored_batch *b, const stored_column *c, stored_range r,
                                         uint64_t *out);
/* Reads the counts of one row. */
LODE_NODISCARD lode_status stored_counts_of(stored_batch *b, uint32_t row, lode_counts *out);

/* Returns OK if a pass may go on: the status of job_check(), or IO if a read of the file has
 * failed. */
LODE_NODISCARD static inline lode_status stored_poll(lode_store *s) {
    lode_status status = job_check(s->job);
    return status == LODE_OK && arrow_is_lost(s->file) ? LODE_IO : status;
}
/* Ends a public call: returns its status, or IO if the data that the call has read cannot be
 * trusted. */
lode_status stored_end(const lode_store *s, lode_status status);
/* Ends a call for a single row. Because there may be many such calls, it only checks
 * arrow_is_lost(). */
lode_status stored_end_row(const lode_store *s, lode_status status);

/* Finds the numeric column with a name, for the option `what`. If there is none, returns INVALID,
 * with a message that lists the columns. */
LODE_NODISCARD lode_status stored_need(lode_store *s, const char *what, const char *name,
                                       const stored_column **out);

#endif
