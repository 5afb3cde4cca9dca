/* project.h - the part of a data set that a constraint leaves: some transactions, some items
 *
 * What has to hold an item is searched among the transactions that hold it, and what must not hold
 * an item, as if that were not there. So a search under such a constraint is a plain search of a
 * smaller data set, by any engine.
 *
 *     1 milk bread        groups {milk}, drop {milk, bag}       1 bread
 *     2 bread beer        ------------------------------>       2 beer
 *     3 milk bag beer
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_PROJECT_H
#define LODE_DATA_TRANSACTIONS_PROJECT_H

#include "data/transactions/select.h"

/* Makes a data set of the transactions that hold at least `least` items of every group, in the same
 * order and with their weights, without the items for which `drop` (by id; NULL = none) is not 0.
 * Transactions of which nothing is left stay, empty: they count.
 *
 * Ids, names and numbers are those of `data`, which lends them: it must outlive the new data set.
 * So must the job, in which the memory counts. Nothing of what jobs prepare from the new data set
 * is found with the old one. `groups` may be NULL. Errors: those of job_check(); NOMEM, BUDGET. */
LODE_NODISCARD lode_status dataset_project(lode_job *job, const lode_dataset *data,
                                           const select_groups *groups, const uint8_t *drop,
                                           lode_dataset **out);

/* Likewise the transactions of which `takes` says so by their number, with all items. */
LODE_NODISCARD lode_status dataset_divide(lode_job *job, const lode_dataset *data,
                                          bool (*takes)(void *user, uint64_t transaction),
                                          void *user, lode_dataset **out);

/* Likewise the n transactions of these numbers, which ascend, without the items of `drop`. */
typedef struct picked_rows {
    const uint32_t *rows;
    size_t n;
} picked_rows;
LODE_NODISCARD lode_status dataset_pick(lode_job *job, const lode_dataset *data, picked_rows picked,
                                        const uint8_t *drop, lode_dataset **out);

#endif
