/* strips.h - what makes strips: strips.c, and gather.c for children of lists
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_STRIPS_H
#define LODE_ITEMSETS_ADAPTIVE_STRIPS_H

#include "itemsets/adaptive/shape.h"

/* Strips that so many transactions need. */
static inline unsigned strips_for(uint32_t transactions) {
    return (transactions + 63) / 64;
}

/* Takes memory for the strips of a database, to be filled in at *out: as many for each item as
 * transactions need, and a little more, which the kernels read and do not use. */
LODE_NODISCARD lode_status strips_take(adaptive *a, uint32_t n_items, uint32_t transactions,
                                       strips_db *below, uint64_t **out);

#endif
