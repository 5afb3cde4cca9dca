/* rowwise_kernels.h - the inner loops of the search, for each instruction set
 *
 * The table is chosen as in itemsets/adaptive/kernels.h: the best that the processor can run, or
 * the one that LODE_CPU names: scalar, avx2 or avx512. Only avx512 has its own code; avx2 is the
 * plain code, compiled for processors with AVX2.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_KERNELS_H
#define LODE_ITEMSETS_ROWS_ROWWISE_KERNELS_H

#include "itemsets/rows/rowwise_table.h"

/* A node: a closed set of rows and the columns that contain it. */
typedef struct rowwise_node {
    rowwise_list list;            /* the columns */
    uint64_t weight;              /* of the rows held */
    uint32_t row;                 /* the row added last */
    uint64_t held[ROWWISE_WORDS]; /* the rows of the set, a bit for each */
    uint64_t left[ROWWISE_WORDS]; /* later rows still to be tried; each is in some column */
} rowwise_node;

typedef struct rowwise_kernels {
    const char *name;
    /* Makes the next child of a node. The child keeps a column only if it can still be in a
     * frequent set, that is, if these rows together weigh at least min: the rows held, and the rows
     * of the column from the new row on. Removes the rows that were tried from node->left. Fills in
     * all of `child`; child->list must have room for node->list. Returns false if there is no
     * further child. */
    bool (*next)(const rowwise_rows *rows, rowwise_node *node, uint64_t min, rowwise_node *child);
    /* Whether some column of the list lacks one of the rows `held`, although the rows of `held`
     * that the column has weigh at least min. */
    bool (*meets)(const rowwise_rows *rows, const rowwise_list *list, const uint64_t *held,
                  uint64_t min);
    /* Finds the columns that have at least min of the rows `held`, whatever these weigh, and
     * returns their number. Copies these columns to `to`, unless that is NULL, and sets `counts` to
     * the number of these rows in each of the columns. `to` and `counts` have room for the capacity
     * of the list (rowwise_stride()). */
    uint32_t (*share)(unsigned words, const rowwise_list *list, const uint64_t *held, uint32_t min,
                      rowwise_list *to, uint32_t *counts);
} rowwise_kernels;

/* Returns the table to use. */
const rowwise_kernels *rowwise_kernels_pick(void);

#endif
