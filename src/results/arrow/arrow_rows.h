/* arrow_rows.h - rows in the making, and a file that takes them in batches of the same length
 *
 * Cells are put row by row, and lie by columns. Every thread fills rows of its own; when they make
 * a batch, it is written under a lock. What threads have left at their end is gathered, so that
 * all batches but the last have the same number of rows, and a row is found by a division; very
 * long rows make shorter ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_ARROW_ROWS_H
#define LODE_RESULTS_ARROW_ARROW_ROWS_H

#include "base/vec.h"
#include "results/arrow/arrow.h"

#define ARROW_ROWS_MOST 65536 /* of a batch */

typedef struct arrow_rows_column {
    vec_char values;
    vec_u32 offsets; /* of lists and texts: one more than rows, from 0 */
} arrow_rows_column;

typedef struct arrow_rows {
    mem *mem;
    const arrow_column *columns; /* lent */
    uint32_t n_columns;
    arrow_rows_column *cells;
    arrow_cells *scratch;
    uint32_t n; /* whole rows */
} arrow_rows;

/* All zero may be freed. */
LODE_NODISCARD lode_status arrow_rows_init(arrow_rows *r, mem *m, const arrow_column *columns,
                                           uint32_t n_columns);
void arrow_rows_free(arrow_rows *r);

/* Put a cell of the next row. Errors: NOMEM, BUDGET, UNSUPPORTED (2^31 values in a batch). */
LODE_NODISCARD lode_status arrow_rows_u32(arrow_rows *r, uint32_t column, uint32_t value);
LODE_NODISCARD lode_status arrow_rows_u64(arrow_rows *r, uint32_t column, uint64_t value);
LODE_NODISCARD lode_status arrow_rows_f64(arrow_rows *r, uint32_t column, double value);
/* A list or a text, of n numbers or characters. */
LODE_NODISCARD lode_status arrow_rows_list(arrow_rows *r, uint32_t column, const void *values,
                                           uint64_t n);
/* The row has all its cells. */
static inline void arrow_rows_next(arrow_rows *r) {
    r->n++;
}
/* Forgets the cells of a row that could not be completed. */
void arrow_rows_cut(arrow_rows *r);
size_t arrow_rows_bytes(const arrow_rows *r);

/* ---- the file ------------------------------------------------------------------------------- */

typedef struct arrow_feed {
    lode_job *job;
    arrow_writer *file;
    uint32_t n_rows; /* of a batch */
    size_t most;     /* bytes that make a batch, whatever its rows */
    arrow_rows rest;
} arrow_feed;

/* As arrow_write_begin(); the columns of the table stay the caller's. */
LODE_NODISCARD lode_status arrow_feed_begin(arrow_feed *f, lode_job *job, output *to,
                                            const arrow_table *table);
static inline bool arrow_feed_is_full(const arrow_feed *f, const arrow_rows *r) {
    return r->n >= f->n_rows || (r->n % 256 == 255 && arrow_rows_bytes(r) >= f->most);
}
/* These are called by one thread at a time. Writes full rows, which are empty then; */
LODE_NODISCARD lode_status arrow_feed_write(arrow_feed *f, arrow_rows *r);
/* takes over the rows that a thread has left; */
LODE_NODISCARD lode_status arrow_feed_leave(arrow_feed *f, arrow_rows *r);
/* writes what was left, and the footer. */
LODE_NODISCARD lode_status arrow_feed_end(arrow_feed *f, const arrow_key *keys, uint32_t n_keys);
/* Forgets all rows: see arrow_write_restart(). */
void arrow_feed_restart(arrow_feed *f);
void arrow_feed_free(arrow_feed *f);

#endif
