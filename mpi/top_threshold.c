/* top_threshold.c - see top_threshold.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "top_threshold.h"

#include <stdlib.h>

static int top_higher(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The K-th highest of all ranks, on rank 0; 0: there are fewer. */
static uint64_t top_kth(const rank_run *r, const uint64_t *all, size_t n) {
    return n >= r->asked.top_k ? all[r->asked.top_k - 1] : 0;
}

/* Brings the best of all ranks together, and tells all which threshold they give. */
static uint64_t top_gather(const rank_run *r) {
    int n = (int)r->out.n_best, total = 0;
    int *counts = calloc((size_t)r->n_ranks, sizeof *counts);
    int *places = calloc((size_t)r->n_ranks, sizeof *places);
    if (!counts || !places) MPI_Abort(r->comm, CLI_FAILED);
    MPI_Request request;
    MPI_Iallgather(&n, 1, MPI_INT, counts, 1, MPI_INT, r->comm, &request);
    rank_wait(request);
    for (int i = 0; i < r->n_ranks; i++) {
        places[i] = total;
        total += counts[i];
    }
    uint64_t *all = malloc(((size_t)total + 1) * sizeof *all), kth = 0;
    if (!all) MPI_Abort(r->comm, CLI_FAILED);
    MPI_Igatherv(r->out.best, n, MPI_UINT64_T, all, counts, places, MPI_UINT64_T, 0, r->comm,
                 &request);
    rank_wait(request);
    if (r->rank == 0) {
        qsort(all, (size_t)total, sizeof *all, top_higher);
        kth = top_kth(r, all, (size_t)total);
    }
    rank_tell_all(r, 0, &kth, sizeof kth);
    free(all);
    free(counts);
    free(places);
    return kth;
}

int top_find_threshold(rank_run *r) {
    uint64_t most = (uint64_t)1 << 26; /* numbers of K × ranks must fit into an int */
    bool fits = r->asked.top_k <= most && r->asked.top_k * (uint64_t)r->n_ranks < INT_MAX;
    int code = rank_agree(r, fits ? LODE_OK : LODE_INVALID,
                          "top:K: K is too large for this number of ranks");
    if (code != CLI_DONE) return code;
    r->present.limit_patterns = 0;
    r->out = (rank_output){.args = r->args,
                           .kind = r->kind,
                           .data = r->data,
                           .mode = OUTPUT_BEST,
                           .k = r->asked.top_k};
    code = rank_divide(r);
    if (code == CLI_DONE) code = rank_agree(r, outcome_open(&r->out, r->job, NULL), NULL);
    if (code == CLI_DONE) code = rank_search(r);
    if (code == CLI_DONE && r->ended != SCHED_GOES_ON) {
        code = r->ended == SCHED_LIMIT ? CLI_LIMIT : CLI_INTERRUPTED;
        if (r->rank == 0) {
            cli_error("%s before the best %llu were known; nothing was written",
                      r->ended == SCHED_LIMIT ? "stopped by a limit" : "interrupted",
                      (unsigned long long)r->asked.top_k);
        }
    }
    uint64_t kth = code == CLI_DONE ? top_gather(r) : 0;
    outcome_close(&r->out);
    if (kth > r->present.min_support.numerator) r->present.min_support.numerator = kth;
    r->present.target = LODE_TARGET_ALL;
    r->present.top_k = 0;
    r->present.limit_patterns = r->asked.limit_patterns;
    r->threshold = 0;
    r->found_before = 0;
    return code;
}
