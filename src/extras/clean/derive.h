/* derive.h - makes a data set from another: renames or drops items, drops transactions
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_DERIVE_H
#define LODE_EXTRAS_CLEAN_DERIVE_H

#include "data/transactions/dataset.h"

#define DERIVE_DROPPED UINT32_MAX

/* The changes to items and transactions of a data set. */
typedef struct derive_plan {
    const dict *names;      /* new names; NULL = items keep theirs */
    const uint32_t *to;     /* by id: a number in `names`, or any other if there are none; or
                             * DERIVE_DROPPED */
    const uint8_t *dropped; /* by transaction: 1 = drop it; NULL = none */
} derive_plan;

/* Makes the data set, with weights and ids. *n_merged: items that became equal to another of their
 * transaction. Errors: NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status derive_run(lode_job *job, const lode_dataset *from,
                                      const derive_plan *plan, lode_dataset **out,
                                      uint64_t *n_merged);

#endif
