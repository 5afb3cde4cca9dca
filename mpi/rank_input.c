/* rank_input.c - see rank_input.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_input.h"

#include <stdlib.h>
#include <string.h>

/* Messages smaller than this are awaited asleep, because a rank may wait long for others. For
 * larger ones a rank calls MPI all the time: all ranks have just agreed to exchange them, and MPI
 * libraries transfer large messages only while they are called. */
#define INPUT_SMALL   ((uint64_t)64 << 10)
#define INPUT_AT_ONCE ((uint64_t)1 << 30)

/* One call for all ranks. */
static lode_status gather_at_once(const rank_run *r, const void *mine, void *all,
                                  const uint64_t *bytes, uint64_t sum) {
    int *counts = calloc((size_t)r->n_ranks * 2, sizeof *counts), *places = counts + r->n_ranks;
    if (!counts) MPI_Abort(r->comm, CLI_FAILED);
    for (int k = 0, at = 0; k < r->n_ranks; k++) {
        places[k] = at;
        counts[k] = (int)bytes[k];
        at += counts[k];
    }
    if (sum <= INPUT_SMALL) {
        MPI_Request request;
        MPI_Iallgatherv(mine, (int)bytes[r->rank], MPI_BYTE, all, counts, places, MPI_BYTE, r->comm,
                        &request);
        rank_wait(request);
    } else {
        MPI_Allgatherv(mine, (int)bytes[r->rank], MPI_BYTE, all, counts, places, MPI_BYTE, r->comm);
    }
    free(counts);
    return LODE_OK;
}

/* One rank after the other, in pieces. */
static lode_status gather_in_pieces(const rank_exchange *e, const void *mine, char *all,
                                    const uint64_t *bytes) {
    const rank_run *r = e->run;
    for (int k = 0; k < r->n_ranks; k++) {
        if (k == r->rank && bytes[k] > 0) memcpy(all, mine, bytes[k]);
        for (uint64_t at = 0; at < bytes[k]; at += e->piece) {
            uint64_t left = bytes[k] - at;
            int n = (int)(left < e->piece ? left : e->piece);
            MPI_Bcast(all + at, n, MPI_BYTE, k, r->comm);
        }
        all += bytes[k];
    }
    return LODE_OK;
}

lode_status rank_gather(void *user, const void *mine, void *all, const uint64_t *bytes) {
    const rank_exchange *e = user;
    uint64_t sum = 0;
    for (int k = 0; k < e->run->n_ranks; k++) sum += bytes[k];
    if (sum <= e->at_once) return gather_at_once(e->run, mine, all, bytes, sum);
    return gather_in_pieces(e, mine, all, bytes);
}

lode_status rank_open(rank_run *r) {
    rank_exchange exchange =
        (rank_exchange){.run = r, .at_once = INPUT_AT_ONCE, .piece = INPUT_AT_ONCE};
    lode_peers peers = {.size = sizeof peers,
                        .n = (uint32_t)r->n_ranks,
                        .index = (uint32_t)r->rank,
                        .gather = rank_gather,
                        .user = &exchange};
    return r->kind->open(r->job, r->args, &peers, &r->data);
}
