/* cross_table.h - the data as columns: for each item the rows that hold it, as bits
 *
 * Rows that weigh nothing are left out; the others are numbered from the one with the fewest
 * frequent items on, so that the branches with the most rows to come have the fewest columns. Items
 * in the same rows are one column, in the order of their smallest ids.
 *
 * A list of columns has word w of column i at columns[w * stride + i]: loops go over columns, eight
 * at a time. Weights are planes of bits: plane b holds the rows whose weight has bit b, so that
 * weighing rows is counting bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_CROSS_TABLE_H
#define LODE_ITEMSETS_ROWS_CROSS_TABLE_H

#include "pipeline/engine/engine.h"

#define CROSS_WORDS  16 /* of a column, at most */
#define CROSS_ROWS   (64 * CROSS_WORDS)
#define CROSS_PLANES 32
#define CROSS_LANES  8 /* columns that loops take at a time: room for these follows each list */

typedef struct cross_list {
    uint64_t *columns;
    uint32_t *which; /* numbers of the columns in the table */
    uint32_t n;
    size_t stride;
} cross_list;

typedef struct cross_rows {
    uint32_t n;
    unsigned words;    /* of a column */
    unsigned n_planes; /* 1 where every row weighs 1 */
    uint32_t lightest; /* weight of a row */
    uint64_t planes[CROSS_PLANES][CROSS_WORDS];
} cross_rows;

typedef struct cross_table {
    cross_rows rows;
    cross_list list;   /* all columns */
    uint32_t n_items;  /* frequent ones */
    uint32_t *first;   /* by column: its first item in `ids`; list.n + 1 of them */
    uint32_t *ids;     /* n_items of them */
    uint32_t most_ids; /* of a column */
    mem_kept kept;
} cross_table;

/* How many columns there is room for in a list that must hold n. */
static inline size_t cross_stride(uint32_t n) {
    return ((size_t)n + CROSS_LANES - 1) / CROSS_LANES * CROSS_LANES + CROSS_LANES;
}

/* Rows that weigh something; more than CROSS_ROWS count as CROSS_ROWS + 1. */
uint32_t cross_count_rows(const lode_dataset *data);

/* `table` must be zero. Also after a failure, cross_table_close() frees what it holds. */
LODE_NODISCARD lode_status cross_table_open(cross_table *table, const engine_task *task);
void cross_table_close(cross_table *table, mem *m);

/* The items of a column. */
static inline uint32_t cross_column_size(const cross_table *t, uint32_t column) {
    return t->first[column + 1] - t->first[column];
}

/* The number of items of some columns. */
uint32_t cross_list_size(const cross_table *table, const cross_list *list);

#endif
