/* project.h - projections: the part of a data set that a constraint leaves
 *
 * Patterns that must have an item are mined from the transactions with that item; patterns that
 * must not have an item, as if it did not exist. So a search under such a constraint is a plain
 * search of a smaller data set, by any engine.
 *
 *     1 milk bread        groups {milk}, drop {milk, bag}       1 bread
 *     2 bread beer        ------------------------------>       2 beer
 *     3 milk bag beer
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_PROJECT_H
#define LODE_DATA_TRANSACTIONS_PROJECT_H

#include "data/transactions/select.h"

/* Makes a data set of the transactions that have at least `least` items of every group, in the same
 * order and with their weights, without the items for which `drop` (by id; NULL = none) is not 0.
 * Transactions that become empty stay: they count.
 *
 * Ids, names and numbers are lent by `data`, which must outlive the new data set, as must the job,
 * in which the memory counts. The new data set has its own prepared data. `groups` may be NULL.
 * Errors: those of job_check(); NOMEM, BUDGET. */
LODE_NODISCARD lode_status dataset_project(lode_job *job, const lode_dataset *data,
                                           const select_groups *groups, const uint8_t *drop,
                                           lode_dataset **out);

/* Likewise the transactions selected by `takes`, by number, with all items. */
LODE_NODISCARD lode_status dataset_divide(lode_job *job, const lode_dataset *data,
                                          bool (*takes)(void *user, uint64_t transaction),
                                          void *user, lode_dataset **out);

/* Likewise the n transactions with these numbers, which ascend, without the items of `drop`. */
typedef struct picked_rows {
    const uint32_t *rows;
    size_t n;
} picked_rows;
LODE_NODISCARD lode_status dataset_pick(lode_job *job, const lode_dataset *data, picked_rows picked,
                                        const uint8_t *drop, lode_dataset **out);

#endif
