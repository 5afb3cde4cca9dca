/* matching.h - tests which transactions match a selection, by bit sets
 *
 * Every item has a word of bits: those of its groups, and one if it is excluded. A transaction
 * matches if all bits of groups are there (or one of them), and the excluded one is not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_MATCHING_H
#define LODE_EXTRAS_CLEAN_MATCHING_H

#include "data/transactions/dataset.h"

#define MATCHING_GROUPS 64

typedef struct matching {
    mem *mem;
    const lode_dataset *data;
    uint64_t *groups;  /* by id */
    uint8_t *unwanted; /* by id */
    size_t bound;
    uint64_t all; /* the bits of all groups */
    bool any;
} matching;

/* Errors: INVALID, IO, NOTFOUND, NOMEM, BUDGET. `options` was checked. */
LODE_NODISCARD lode_status matching_create(lode_job *job, const lode_dataset *data,
                                           const lode_select_options *options, matching *out);
void matching_clear(matching *m);

bool matching_fits(const matching *m, const uint32_t *ids, uint32_t n);

/* Called for each match with its number; a status other than OK ends the walk. */
typedef lode_status (*matching_fn)(void *user, uint64_t t, const uint32_t *ids, uint32_t n);
/* Calls `each` for the transactions that match, up to `limit` (0 = all); *n: their number. */
LODE_NODISCARD lode_status matching_walk(lode_job *job, const matching *m, uint64_t limit,
                                         matching_fn each, void *user, uint64_t *n);

#endif
