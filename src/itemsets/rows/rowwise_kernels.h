/* rowwise_kernels.h - the inner loops of the search, for each instruction set
 *
 * The choice is that of the other kernels, and LODE_CPU forces one: scalar, avx2 or avx512. Only
 * the last has its own code; avx2 is the plain code with its instructions for single words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_KERNELS_H
#define LODE_ITEMSETS_ROWS_ROWWISE_KERNELS_H

#include "itemsets/rows/rowwise_table.h"

/* A node: a closed set of rows and the columns that contain it. */
typedef struct rowwise_node {
    rowwise_list list;
    uint64_t weight;              /* of the rows */
    uint32_t row;                 /* the one added last */
    uint64_t held[ROWWISE_WORDS]; /* the rows */
    uint64_t left[ROWWISE_WORDS]; /* later rows still to be added, each in some column */
} rowwise_node;

typedef struct rowwise_kernels {
    const char *name;
    /* Moves to the next child whose columns can be frequent: their rows from the new one on,
     * together with those held, weigh at least min. Removes the rows that it tried from node->left.
     * All of `child` is set; its list has room for that of the node. False: there is none. */
    bool (*next)(const rowwise_rows *rows, rowwise_node *node, uint64_t min, rowwise_node *child);
    /* Whether a column lacks one of these rows, and the rows that it holds still weigh min. */
    bool (*meets)(const rowwise_rows *rows, const rowwise_list *list, const uint64_t *held,
                  uint64_t min);
    /* Copies the columns with at least min of these rows, whatever the rows weigh, and the number
     * of these rows in each; `to` NULL = only the numbers. Returns how many columns these are. */
    uint32_t (*share)(unsigned words, const rowwise_list *list, const uint64_t *held, uint32_t min,
                      rowwise_list *to, uint32_t *counts);
} rowwise_kernels;

const rowwise_kernels *rowwise_kernels_pick(void);

#endif
