/* patterns_write.h - writes rows of a result as JSON; on task threads
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_PATTERNS_WRITE_H
#define LODE_SERVER_PATTERNS_WRITE_H

#include "http/text.h"
#include "results/query_code.h"
#include "results/stores.h"

#define ROWS_MEASURES 64 /* maximum number of additional columns of a page */

/* How rows are written. */
typedef struct row_writer {
    store_handle *handle;
    text *out;
    uint32_t columns[ROWS_MEASURES]; /* additional columns */
    const char *names[ROWS_MEASURES];
    unsigned n_columns;
    char *list;               /* their names in one string; owned */
    size_t lift;              /* index of the measure lift */
    uint32_t vertices, edges; /* columns of graphs; UINT32_MAX: none */
} row_writer;

/* `measures`: names separated by commas, or NULL. LODE_INVALID with a sentence in `why`: a name is
 * not a numeric column. Call row_writer_clear() in any case. */
lode_status row_writer_init(row_writer *w, store_handle *h, text *out, const char *measures,
                            store_failure *why);
void row_writer_clear(row_writer *w);
/* Writes one row as an object. */
lode_status row_write(row_writer *w, uint64_t row);
/* The vertices and edges of a row of a graph result; free them with code_graph_free(). Labels point
 * into the store. */
lode_status row_graph(row_writer *w, const lode_store_row *row, code_graph *out);

#endif
