/* rowwise_table.h - the data as columns: the rows of each item, as bits
 *
 * Rows of weight 0 are left out; the others are numbered from the one with the fewest frequent
 * items on, so that the branches with the most later rows have the fewest columns. Items that are
 * in the same rows are one column. Columns are in the order of their smallest item ids.
 *
 * In a list of columns, word w of column i is columns[w * stride + i], because loops process eight
 * columns at a time. Weights are stored as bit planes: plane b has the rows whose weight has bit b,
 * so the weight of some rows is found by counting bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_TABLE_H
#define LODE_ITEMSETS_ROWS_ROWWISE_TABLE_H

#include "pipeline/engine/item_task.h"

#define ROWWISE_WORDS  16 /* maximum words of a column */
#define ROWWISE_ROWS   (64 * ROWWISE_WORDS)
#define ROWWISE_PLANES 32
#define ROWWISE_LANES                                                                              \
    8 /* columns processed at a time; each list has this many columns of padding */

typedef struct rowwise_list {
    uint64_t *columns;
    uint32_t *which; /* numbers of the columns in the table */
    uint32_t n;      /* columns */
    size_t stride;   /* capacity, with padding: rowwise_stride() */
} rowwise_list;

typedef struct rowwise_rows {
    uint32_t n;
    unsigned words;    /* of a column */
    unsigned n_planes; /* 1 if every row weighs 1 */
    uint32_t lightest; /* the smallest weight of a row */
    uint64_t planes[ROWWISE_PLANES][ROWWISE_WORDS];
} rowwise_rows;

typedef struct rowwise_table {
    rowwise_rows rows;
    rowwise_list list; /* all columns */
    uint32_t n_items;  /* frequent items */
    uint32_t *first;   /* by column: where its items begin in `ids`; list.n + 1 entries */
    uint32_t *ids;     /* of the n_items items, column by column */
    uint32_t most_ids; /* the largest number of items in a column */
    mem_kept kept;     /* owns the arrays */
} rowwise_table;

/* The capacity that a list of n columns needs, with padding for whole vectors. */
static inline size_t rowwise_stride(uint32_t n) {
    return ((size_t)n + ROWWISE_LANES - 1) / ROWWISE_LANES * ROWWISE_LANES + ROWWISE_LANES;
}

/* The number of rows of weight > 0; more than ROWWISE_ROWS rows count as ROWWISE_ROWS + 1. */
uint32_t rowwise_count_rows(const lode_dataset *data);

/* Makes the table of the frequent items of a task. `table` must be zero. Call rowwise_table_close()
 * also after a failure. */
LODE_NODISCARD lode_status rowwise_table_open(rowwise_table *table, const engine_task *task);
void rowwise_table_close(rowwise_table *table, mem *m);

/* The number of items of a column. */
static inline uint32_t rowwise_column_size(const rowwise_table *t, uint32_t column) {
    return t->first[column + 1] - t->first[column];
}

/* The number of items of all columns of a list. */
uint32_t rowwise_list_size(const rowwise_table *table, const rowwise_list *list);

#endif
