/* patterns_write.h - rows of a result as JSON, written as text; on task threads
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_PATTERNS_WRITE_H
#define LODE_SERVER_PATTERNS_WRITE_H

#include "http/text.h"
#include "results/query_code.h"
#include "results/stores.h"

#define ROWS_MEASURES 64 /* columns that a page may ask for besides its own */

/* How rows are written. */
typedef struct row_writer {
    store_handle *handle;
    text *out;
    uint32_t columns[ROWS_MEASURES]; /* whose values are added */
    const char *names[ROWS_MEASURES];
    unsigned n_columns;
    char *list;               /* the names; owned */
    size_t lift;              /* the number of the measure */
    uint32_t vertices, edges; /* columns of graphs; UINT32_MAX: there are none */
} row_writer;

/* `measures`: names with commas between, or NULL. Clear it in any case. INVALID with a sentence in
 * `why`: one of them is not a column of numbers. */
lode_status row_writer_init(row_writer *w, store_handle *h, text *out, const char *measures,
                            store_failure *why);
void row_writer_clear(row_writer *w);
/* One object. */
lode_status row_write(row_writer *w, uint64_t row);
/* ["a","b"] */
void row_write_items(store_handle *h, text *out, const uint32_t *items, uint32_t n);
/* The vertices and edges of a row of a graph result; free them. They are lent from the store. */
lode_status row_graph(row_writer *w, const lode_store_row *row, code_graph *out);

#endif
