/* width.h - how many items a frequent itemset can have at most
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_WIDTH_H
#define LODE_WRITE_ITEMSETS_WIDTH_H

#include "data/transactions/dataset.h"
#include "runtime/job.h"

/* A set that occurs in t = `threshold` transactions is part of each, so it has no more items than
 * the t-th longest transaction. Only items that are frequent themselves are counted.
 * Looks at all transactions. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status width_bound(lode_job *job, const lode_dataset *data, uint64_t threshold,
                                       uint32_t *width);

#endif
