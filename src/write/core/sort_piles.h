/* sort_piles.h - rows that a worker collects, by size, until they are sorted as segments
 *
 * When the piles have grown to what the worker may keep, or memory is short, each is sorted and
 * becomes a segment in the scratch file; at the end of the worker they become segments in memory
 * (sort_store.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_PILES_H
#define LODE_WRITE_CORE_SORT_PILES_H

#include "write/core/sort_store.h"

typedef struct sort_piles {
    sort_store *store;
    const char *near;                                     /* for the scratch file; lent */
    unsigned (*words)(const void *layout, uint32_t size); /* of a row of a size */
    const void *layout;                                   /* lent */
    vec_u64 *list;                                        /* by size of the patterns */
    size_t n;
    size_t bytes, most; /* what they take, and may take */
    bool in_order;      /* rows come in order */
} sort_piles;

/* Makes sure that there are piles up to a size. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status piles_reach(sort_piles *p, size_t size);
/* Makes room for so many words in the pile of a size; the piles may be empty afterwards. */
LODE_NODISCARD lode_status piles_room(sort_piles *p, uint32_t size, size_t words);
/* Sorts the piles and hands them to the store. */
LODE_NODISCARD lode_status piles_pass_on(sort_piles *p);
void piles_free(sort_piles *p);

#endif
