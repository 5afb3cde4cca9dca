/* rank_input.h - input that the ranks of a job read together
 *
 * Each rank reads its part of a file, and the library combines the parts
 * (lode_dataset_open_together()). For this, the library needs only one operation of MPI, an
 * all-gather, which is implemented here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RANK_INPUT_H
#define LODE_MPI_RANK_INPUT_H

#include "rank_run.h"

/* How the bytes of all ranks are exchanged. Tests use other sizes. */
typedef struct rank_exchange {
    const rank_run *run;
    uint64_t at_once; /* up to this many bytes, of all ranks together, take one call of MPI */
    uint64_t piece;   /* more bytes are sent in pieces of this size: counts of MPI have 31 bits */
} rank_exchange;

/* A lode_gather_fn; `user` is a rank_exchange. */
lode_status rank_gather(void *user, const void *mine, void *all, const uint64_t *bytes);

/* Reads the data, together with the other ranks. */
lode_status rank_open(rank_run *r);

#endif
