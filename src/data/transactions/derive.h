/* derive.h - makes a data set from another: renames or drops items, drops transactions
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_DERIVE_H
#define LODE_DATA_TRANSACTIONS_DERIVE_H

#include "data/transactions/dataset.h"

#define DERIVE_DROPPED UINT32_MAX

/* The changes to items and transactions of a data set. */
typedef struct derive_plan {
    const dict *names;      /* new names; NULL = items keep their names */
    const uint32_t *to;     /* by id: DERIVE_DROPPED = drop the item; otherwise the number of its
                             * new name (not used if `names` is NULL) */
    const uint8_t *dropped; /* by transaction: 1 = drop it; NULL = drop none */
} derive_plan;

/* Makes the data set; weights and ids of transactions are kept. Sets *n_merged to the number of
 * items that became equal to another item of their transaction. Errors: NOMEM, BUDGET,
 * CANCELLED. */
LODE_NODISCARD lode_status derive_run(lode_job *job, const lode_dataset *from,
                                      const derive_plan *plan, lode_dataset **out,
                                      uint64_t *n_merged);

#endif
