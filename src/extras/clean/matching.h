/* matching.h - tests which transactions match a selection, by bit sets
 *
 * A transaction matches if it has an item of every required group (or, on request, of any group),
 * and no excluded item. For each item, a word has a bit for each of its groups, and a byte says
 * whether the item is excluded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_MATCHING_H
#define LODE_EXTRAS_CLEAN_MATCHING_H

#include "data/transactions/dataset.h"

#define MATCHING_GROUPS 64

typedef struct matching {
    mem *mem;
    const lode_dataset *data;
    uint64_t *groups;  /* by id: the bits of its groups */
    uint8_t *unwanted; /* by id: the item is excluded */
    size_t bound;      /* length of these arrays */
    uint64_t all;      /* the bits of all groups */
    bool any;          /* an item of one group is enough */
} matching;

/* Reads a selection. `options` must have been checked. Errors: INVALID, IO, NOTFOUND, NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status matching_create(lode_job *job, const lode_dataset *data,
                                           const lode_select_options *options, matching *out);
void matching_clear(matching *m);

/* Whether a transaction with these n items matches. */
bool matching_fits(const matching *m, const uint32_t *ids, uint32_t n);

/* Called for each transaction that matches, with its number t; a status other than OK ends the
 * walk. */
typedef lode_status (*matching_fn)(void *user, uint64_t t, const uint32_t *ids, uint32_t n);
/* Calls `each` for the transactions that match, in order, up to `limit` of them (0 = all). Sets *n
 * to the number of calls. */
LODE_NODISCARD lode_status matching_walk(lode_job *job, const matching *m, uint64_t limit,
                                         matching_fn each, void *user, uint64_t *n);

#endif
