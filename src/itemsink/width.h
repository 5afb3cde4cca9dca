/* width.h - how many items a frequent itemset can have at most
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSINK_WIDTH_H
#define LODE_ITEMSINK_WIDTH_H

#include "data/dataset.h"
#include "runtime/job.h"

/* A set that occurs in `threshold` transactions is no longer than the shortest of the longest so
 * many, counting only items that are frequent themselves. Looks at all transactions. Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status width_bound(lode_job *job, const lode_dataset *data, uint64_t threshold,
                                       uint32_t *width);

#endif
