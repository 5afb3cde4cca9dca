/* card.h - a GPU as its consumers share it: memory under one budget, one copy of the item rows
 *
 * Several consumers of a job may work on one GPU, each with streams and lists of its own. What they
 * must agree on is here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_CARD_H
#define LODE_CUDA_CARD_H

#include <cuda_runtime_api.h>

#include "runtime/ledger.h"

typedef struct cuda_card {
    struct cuda_card *next;
    lode_job *job;
    unsigned index, users;
    unsigned n_sm;
    pthread_mutex_t lock; /* for what follows */
    size_t budget;        /* SIZE_MAX: whatever is free */
    size_t used, peak;
    ledger_seat seat; /* beside other jobs of the context */

    const uint64_t *host_rows; /* what `rows` is a copy of */
    uint64_t *rows;
    size_t rows_bytes;
    unsigned rows_users;
} cuda_card;

/* Joins the card of this job and index, or makes it. The calling thread is bound to it. */
LODE_NODISCARD lode_status cuda_card_open(lode_job *job, unsigned index, cuda_card **out);
void cuda_card_close(cuda_card *card);

/* Device memory within the budget. BUDGET: it would exceed it; NOMEM: the card has no more. Neither
 * leaves a message: the caller knows whether it can do without. */
LODE_NODISCARD lode_status cuda_card_alloc(cuda_card *card, size_t bytes, void **out);
void cuda_card_free(cuda_card *card, void *pointer, size_t bytes);
/* The same for what cannot be done without: says what for. If other jobs of the context have the
 * memory, it waits until one of them has left the card. */
LODE_NODISCARD lode_status cuda_card_need(cuda_card *card, size_t bytes, const char *what,
                                          void **out);
/* What is left of the budget, or of the card. */
size_t cuda_card_left(cuda_card *card);

/* Copies the item rows to the card, unless another consumer has; they count once. */
LODE_NODISCARD lode_status cuda_card_share_rows(cuda_card *card, const uint64_t *host,
                                                size_t bytes);
void cuda_card_drop_rows(cuda_card *card);

#endif
