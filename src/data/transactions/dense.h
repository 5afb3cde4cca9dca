/* dense.h - transactions as bit rows, until they are needed as lists
 *
 * A one-hot table of 100,000 rows and 1,000 columns, half of them set, takes 12.5 MB as bits and
 * 200 MB as lists of items. Making the lists takes many times as long as packing the table, mostly
 * because of page faults. So the first job that reads transactions as lists makes them:
 *
 *     lode_dataset_from_bits()     bits                   no blocks
 *     dataset_in_memory()          bits                   blocks, made by all threads of the job
 *     vertical_fill_rows()         reads the bits: transposing them is faster than using lists
 *
 * Lists are made at once if the context has a memory budget, if the data are weighted, and if the
 * lists are no longer than the bits or would take much of the job's budget. So lists that are made
 * later count in the context and never exceed a budget.
 * Threads: any job may request the lists. One job makes them, and the other jobs wait. The bits
 *          never change and live as long as the data set, so they are read without a lock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_DENSE_H
#define LODE_DATA_TRANSACTIONS_DENSE_H

#include <pthread.h>

#include "data/transactions/dataset.h"

#define DENSE_WORD 64 /* bits per word */

typedef struct dense_rows {
    lode_dataset *owner;
    uint64_t *bits;
    size_t words;         /* words per row */
    size_t bytes;         /* bytes of all rows */
    pthread_mutex_t lock; /* held while the blocks of the owner are made */
    bool listed;          /* the blocks exist */
} dense_rows;

/* Returns the words of transaction t. */
static inline const uint64_t *dense_row(const dense_rows *d, uint64_t t) {
    return d->bits + (size_t)t * d->words;
}

/* Frees `d`, which may be NULL. */
void dense_free(mem *m, dense_rows *d);

/* Makes the blocks of the data set, unless they exist already. Errors: NOMEM, and those of
 * job_check(). */
LODE_NODISCARD lode_status dense_list(lode_job *job, dense_rows *d);

/* Returns the number of items in a bit row. */
uint32_t dense_count_row(const uint64_t *row, size_t words);

/* Writes the items of a bit row in ascending order, and returns their end. May write up to three
 * more numbers after the end. */
uint32_t *dense_write_items(const uint64_t *row, size_t words, uint32_t *items);
#define DENSE_SPARE 3

/* Works like lode_dataset_transaction(). */
uint32_t dense_transaction(const dense_rows *d, uint64_t t, uint32_t *items, uint32_t room);

#endif
