/* cross_kernels.h - the inner loops of the search, for each instruction set
 *
 * The pick is that of the other kernels, and LODE_CPU forces one: scalar, avx2 or avx512. Only the
 * last has code of its own; avx2 is the plain code with its instructions for single words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_CROSS_KERNELS_H
#define LODE_ITEMSETS_ROWS_CROSS_KERNELS_H

#include "itemsets/rows/cross_table.h"

/* A node: a closed set of rows and the columns that hold it. */
typedef struct cross_node {
    cross_list list;
    uint64_t weight;            /* of the rows */
    uint32_t row;               /* the one that was added last */
    uint64_t held[CROSS_WORDS]; /* the rows */
    uint64_t left[CROSS_WORDS]; /* later ones that are still to be added, each in some column */
} cross_node;

typedef struct cross_kernels {
    const char *name;
    /* Goes on to the next child whose columns can be frequent: their rows from the new one on,
     * with those held, weigh at least min. Takes the rows that it tried out of node->left. All of
     * `child` is set; its list has room for that of the node. False: there is none. */
    bool (*next)(const cross_rows *rows, cross_node *node, uint64_t min, cross_node *child);
    /* Whether a column that does not hold all of these rows holds so many that they weigh min. */
    bool (*meets)(const cross_rows *rows, const cross_list *list, const uint64_t *held,
                  uint64_t min);
    /* Copies the columns that hold at least min of these rows, whatever the rows weigh, and says
     * how many each holds; `to` NULL: only says it. Returns how many columns these are. */
    uint32_t (*share)(unsigned words, const cross_list *list, const uint64_t *held, uint32_t min,
                      cross_list *to, uint32_t *counts);
} cross_kernels;

const cross_kernels *cross_kernels_pick(void);

#endif
