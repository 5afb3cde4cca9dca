/* card.h - a GPU as the consumers of a job share it: memory under one budget, one copy of the rows
 *
 * All device memory of a job is allocated here, by cudaMalloc(). Three limits apply:
 *     --device-memory   for this job on this GPU
 *     the ledger        for all jobs of the context on this GPU together (runtime/ledger.h)
 *     the GPU itself    cuda_card_left() leaves 1 GiB of it to other programs; the functions that
 *                       allocate fail only when it is full
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_CARD_H
#define LODE_DEVICE_CUDA_CARD_H

#include <cuda_runtime_api.h>

#include "runtime/ledger.h"

typedef struct cuda_card {
    struct cuda_card *next;
    lode_job *job;
    unsigned index, users;
    unsigned n_sm;
    pthread_mutex_t lock; /* guards the fields below */
    size_t budget;        /* --device-memory; SIZE_MAX = not given */
    size_t used, peak;
    ledger_account account; /* of this job in the ledger of the GPU */

    const uint64_t *host_rows; /* what `rows` is a copy of */
    uint64_t *rows;
    size_t rows_bytes;
    unsigned rows_users;
} cuda_card;

/* Opens the card of this job and index; the first call makes it. CUDA calls of this thread go to it
 * from now on. */
LODE_NODISCARD lode_status cuda_card_open(lode_job *job, unsigned index, cuda_card **out);
void cuda_card_close(cuda_card *card);

/* Tries to allocate device memory that the caller can do without. BUDGET: that would exceed a
 * budget; NOMEM: the GPU is full. Neither leaves a message. */
LODE_NODISCARD lode_status cuda_card_alloc(cuda_card *card, size_t bytes, void **out);
void cuda_card_free(cuda_card *card, void *pointer, size_t bytes);
/* Allocates device memory that the caller needs; `what` is for the error message. If other jobs of
 * the context hold the memory, waits until one of them has left the GPU. */
LODE_NODISCARD lode_status cuda_card_need(cuda_card *card, size_t bytes, const char *what,
                                          void **out);
/* Bytes that can still be allocated: the smallest of the three limits. */
size_t cuda_card_left(cuda_card *card);

/* Copies the item rows to the GPU, unless another consumer of the job has done so already. */
LODE_NODISCARD lode_status cuda_card_share_rows(cuda_card *card, const uint64_t *host,
                                                size_t bytes);
void cuda_card_drop_rows(cuda_card *card);

#endif
