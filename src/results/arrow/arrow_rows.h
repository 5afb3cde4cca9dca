/* arrow_rows.h - buffers rows, and writes them to a file in batches of equal length
 *
 * Cells are added row by row, and stored by columns. Every thread fills its own rows. When the rows
 * make a batch, the batch is written under a lock. The rows that remain in the threads at the end
 * are joined, so that all batches but the last have the same number of rows, and a row is found by
 * a division. Only very long rows make shorter batches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_ARROW_ROWS_H
#define LODE_RESULTS_ARROW_ARROW_ROWS_H

#include "base/vec.h"
#include "results/arrow/arrow.h"

#define ARROW_ROWS_MOST 65536 /* maximum rows of a batch */

typedef struct arrow_rows_column {
    vec_char values;
    vec_u32 offsets; /* for lists and texts: one more offset than rows; the first is 0 */
} arrow_rows_column;

typedef struct arrow_rows {
    mem *mem;
    const arrow_column *columns; /* lent */
    uint32_t n_columns;
    arrow_rows_column *cells; /* by column */
    arrow_cells *scratch;
    uint32_t n; /* number of complete rows */
} arrow_rows;

/* Initialises `r`. arrow_rows_free() may also be called for a struct that is all zero. */
LODE_NODISCARD lode_status arrow_rows_init(arrow_rows *r, mem *m, const arrow_column *columns,
                                           uint32_t n_columns);
void arrow_rows_free(arrow_rows *r);

/* The following functions add a cell to the next row. Errors: NOMEM, BUDGET, UNSUPPORTED (2^31
 * values in a batch). */
LODE_NODISCARD lode_status arrow_rows_u32(arrow_rows *r, uint32_t column, uint32_t value);
LODE_NODISCARD lode_status arrow_rows_u64(arrow_rows *r, uint32_t column, uint64_t value);
LODE_NODISCARD lode_status arrow_rows_f64(arrow_rows *r, uint32_t column, double value);
/* Adds a list or a text of n numbers or characters. */
LODE_NODISCARD lode_status arrow_rows_list(arrow_rows *r, uint32_t column, const void *values,
                                           uint64_t n);
/* Ends a row. All cells of the row must have been added. */
static inline void arrow_rows_next(arrow_rows *r) {
    r->n++;
}
/* Drops the cells of an incomplete row. */
void arrow_rows_cut(arrow_rows *r);
/* The bytes of all cells. */
size_t arrow_rows_bytes(const arrow_rows *r);

/* ---- the file -------------------------------------------------------------------------------- */

typedef struct arrow_feed {
    lode_job *job;
    arrow_writer *file;
    uint32_t n_rows; /* number of rows per batch */
    size_t most;     /* number of bytes that make a batch, however few rows they are */
    arrow_rows rest; /* rows that threads have left */
} arrow_feed;

/* Begins a file, as arrow_write_begin() does. The columns of the table are lent. */
LODE_NODISCARD lode_status arrow_feed_begin(arrow_feed *f, lode_job *job, output *to,
                                            const arrow_table *table);
/* Whether the rows make a batch, so that arrow_feed_write() must be called. */
static inline bool arrow_feed_is_full(const arrow_feed *f, const arrow_rows *r) {
    return r->n >= f->n_rows || (r->n % 256 == 255 && arrow_rows_bytes(r) >= f->most);
}
/* Writes rows that make a batch, and empties them. Only one thread at a time may call this function
 * or the next two. */
LODE_NODISCARD lode_status arrow_feed_write(arrow_feed *f, arrow_rows *r);
/* Takes the rows that remain in a thread. */
LODE_NODISCARD lode_status arrow_feed_leave(arrow_feed *f, arrow_rows *r);
/* Writes the remaining rows, and the footer. */
LODE_NODISCARD lode_status arrow_feed_end(arrow_feed *f, const arrow_key *keys, uint32_t n_keys);
/* Drops all rows; see arrow_write_restart(). */
void arrow_feed_restart(arrow_feed *f);
void arrow_feed_free(arrow_feed *f);

#endif
