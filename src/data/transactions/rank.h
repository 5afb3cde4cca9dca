/* rank.h - the frequent items of a data set, from the rarest to the most frequent
 *
 * All engines rank items in this order (some from its end), so that ranges of roots mean the same
 * to each of them. Parts of a data set may have its order, and not that of their supports
 * (lode_dataset.order).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_RANK_H
#define LODE_DATA_TRANSACTIONS_RANK_H

#include "data/transactions/dataset.h"

typedef struct ranked_item {
    uint64_t support;
    uint32_t id;
} ranked_item;

typedef struct ranking {
    ranked_item *items; /* by ascending support; of equal support, by ascending id. Where the data
                         * set has an order of its own, in this one */
    uint32_t n;
} ranking;

/* How many items have a support of min_count or more; `supports` has item_bound entries. */
uint32_t rank_count(const lode_dataset *data, const uint64_t *supports, uint64_t min_count);

/* Ranks these items, in memory of the job. Errors: NOMEM, BUDGET, and those of job_check(). On
 * failure there is nothing to free. */
LODE_NODISCARD lode_status rank_frequent(lode_job *job, const lode_dataset *data,
                                         const uint64_t *supports, uint64_t min_count,
                                         ranking *out);
void rank_free(lode_job *job, ranking *r);

#endif
