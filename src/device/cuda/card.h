/* card.h - what the consumers of a job share on one GPU: a memory budget, one copy of the item rows
 *
 * All device memory of a job is allocated here, by cudaMalloc(). Three limits apply:
 *     --device-memory   limits this job on this GPU
 *     the ledger        limits all jobs of the context on this GPU together (runtime/ledger.h)
 *     the GPU itself    allocation fails when the memory of the GPU is full (but cuda_card_left()
 *                       leaves 1 GiB to other programs)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_CARD_H
#define LODE_DEVICE_CUDA_CARD_H

#include <cuda_runtime_api.h>

#include "runtime/ledger.h"

typedef struct cuda_card {
    struct cuda_card *next; /* in the list of all cards of the process (card.c) */
    lode_job *job;
    unsigned index, users;  /* the CUDA device number; how many consumers have it open */
    unsigned n_sm;          /* multiprocessors */
    pthread_mutex_t lock;   /* guards the fields below */
    size_t budget;          /* bytes: --device-memory; SIZE_MAX = not given */
    size_t used, peak;      /* bytes allocated now, and the most so far */
    ledger_account account; /* of this job, for this GPU */

    const uint64_t *host_rows; /* what `rows` is a copy of */
    uint64_t *rows;            /* the item rows, in device memory */
    size_t rows_bytes;
    unsigned rows_users; /* consumers that use `rows`; the last of them frees it */
} cuda_card;

/* Opens the card of this job for this GPU; the first call for a job and a GPU makes the card. The
 * GPU becomes the current device of this thread. Errors: DEVICE (the GPU is too old, or a CUDA call
 * failed), NOMEM, BUDGET. */
LODE_NODISCARD lode_status cuda_card_open(lode_job *job, unsigned index, cuda_card **out);
void cuda_card_close(cuda_card *card);

/* Tries to allocate device memory that the caller can do without. BUDGET: the allocation would
 * exceed a budget; NOMEM: the GPU is full. Neither error sets a message. */
LODE_NODISCARD lode_status cuda_card_alloc(cuda_card *card, size_t bytes, void **out);
/* NULL is allowed. `bytes` as allocated. Waits for kernels that are running. */
void cuda_card_free(cuda_card *card, void *pointer, size_t bytes);
/* Allocates device memory that the caller needs; `what` is for the error message. If other jobs of
 * the context hold the memory, waits until one of them has left the GPU. */
LODE_NODISCARD lode_status cuda_card_need(cuda_card *card, size_t bytes, const char *what,
                                          void **out);
/* Bytes that can still be allocated: the smallest of the three limits. */
size_t cuda_card_left(cuda_card *card);

/* Copies the item rows to card->rows. If another consumer of the job has already done so, `host`
 * must be the same rows, and nothing is copied. When the caller no longer needs the rows, it must
 * call cuda_card_drop_rows(). */
LODE_NODISCARD lode_status cuda_card_share_rows(cuda_card *card, const uint64_t *host,
                                                size_t bytes);
void cuda_card_drop_rows(cuda_card *card);

#endif
