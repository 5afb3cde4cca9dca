/* dense.h - transactions as rows of bits, until somebody needs them as lists
 *
 * A one-hot table of 100,000 rows and 1,000 columns, half of which are set, is 12.5 MB of bits and
 * 200 MB of items. Making the lists takes many times as long as packing the table, most of it page
 * faults, so it is left to the first job that looks at transactions:
 *
 *     lode_dataset_from_bits()     bits                   no blocks
 *     dataset_in_memory()          bits                   blocks, made by all threads of the job
 *     vertical_fill_rows()         reads the bits: turning squares of them is faster than lists
 *
 * Data in a context with a memory budget, data with weights, those whose lists are no longer than
 * their bits, or would take much of the job's budget, are lists at once. So lists that are made
 * later count in the context, and never exceed a budget.
 * Threads: any job may ask for the lists; one makes them, and the others wait for it. The bits
 * never change, and stay as long as the data set, so that they are read without a lock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_DENSE_H
#define LODE_DATA_TRANSACTIONS_DENSE_H

#include <pthread.h>

#include "data/transactions/dataset.h"

#define DENSE_WORD 64 /* bits of a word */

typedef struct dense_rows {
    lode_dataset *owner;
    uint64_t *bits;
    size_t words;         /* of a row */
    size_t bytes;         /* of all rows */
    pthread_mutex_t lock; /* held while the blocks of the owner are made */
    bool listed;          /* they are there */
} dense_rows;

/* Where the words of transaction t begin. */
static inline const uint64_t *dense_row(const dense_rows *d, uint64_t t) {
    return d->bits + (size_t)t * d->words;
}

/* NULL does nothing. */
void dense_free(mem *m, dense_rows *d);

/* Makes the blocks of the data set, unless they are there. Errors: NOMEM, and those of
 * job_check(). */
LODE_NODISCARD lode_status dense_list(lode_job *job, dense_rows *d);

/* How many items a row of bits has. */
uint32_t dense_count_row(const uint64_t *row, size_t words);

/* Writes the items of a row of bits, ascending; returns where they end. Up to three numbers more
 * than there are items may be written. */
uint32_t *dense_write_items(const uint64_t *row, size_t words, uint32_t *items);
#define DENSE_SPARE 3

/* As lode_dataset_transaction(). */
uint32_t dense_transaction(const dense_rows *d, uint64_t t, uint32_t *items, uint32_t room);

#endif
