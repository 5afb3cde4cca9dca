/* horizontal.h - the transactions as ranks of frequent items, for miners that read them one by one
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_HORIZONTAL_H
#define LODE_PAPERS_HORIZONTAL_H

#include "data/transactions/vertical.h"

typedef struct horizontal {
    uint64_t *offsets; /* n + 1: where each transaction begins in `items` */
    uint64_t n;        /* number of transactions */
    vec_u32 items;     /* ranks, ascending within a transaction */
} horizontal;

/* Copies the frequent items of all transactions, which must not have weights; `v` says which ranks
 * they have. The caller must free `h`, even after a failure. */
LODE_NODISCARD lode_status horizontal_read(lode_job *job, horizontal *h, const lode_dataset *data,
                                           const vertical *v);
void horizontal_free(mem *m, horizontal *h);

#endif
