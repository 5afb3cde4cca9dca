/* project.h - projections: data sets without the transactions and items that a constraint excludes
 *
 * Patterns that must have an item are mined from the transactions with this item. Patterns that
 * must not have an item are mined as if the item did not exist. So any engine can search under
 * these constraints, by an unconstrained search of a smaller data set.
 *
 *     1 milk bread        groups {milk}, drop {milk, bag}       1 bread
 *     2 bread beer        ------------------------------>       2 beer
 *     3 milk bag beer
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_PROJECT_H
#define LODE_DATA_TRANSACTIONS_PROJECT_H

#include "data/transactions/select.h"

/* Makes a data set of the transactions that have at least `least` items of every group.
 * Transactions keep their order and weights. Items with drop[id] != 0 are left out; `drop` may be
 * NULL. Transactions that become empty are kept, because they count in the total.
 *
 * `data` lends ids, names and numbers, and must outlive the new data set. So must the job, in which
 * the memory counts. The new data set has its own prepared data. `groups` may be NULL.
 * Errors: those of job_check(); NOMEM, BUDGET. */
LODE_NODISCARD lode_status dataset_project(lode_job *job, const lode_dataset *data,
                                           const select_groups *groups, const uint8_t *drop,
                                           lode_dataset **out);

/* Makes a data set of the transactions for whose numbers takes() returns true, with all items. */
LODE_NODISCARD lode_status dataset_divide(lode_job *job, const lode_dataset *data,
                                          bool (*takes)(void *user, uint64_t transaction),
                                          void *user, lode_dataset **out);

/* The numbers of n transactions, ascending. */
typedef struct picked_rows {
    const uint32_t *rows;
    size_t n;
} picked_rows;
/* Makes a data set of these transactions, without the items of `drop`. */
LODE_NODISCARD lode_status dataset_pick(lode_job *job, const lode_dataset *data, picked_rows picked,
                                        const uint8_t *drop, lode_dataset **out);

#endif
