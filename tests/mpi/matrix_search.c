/* matrix_search.c - one search by all ranks, as in lode-mpi, which only counts patterns; see
 * matrix.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "matrix.h"
#include "top_threshold.h"

/* A case that cannot be done ends the launch. */
static void matrix_need(const rank_run *r, bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "rank %d: %s: %s\n", r->rank, what, r->job ? lode_job_error(r->job) : "");
    MPI_Abort(r->comm, 1);
}

void matrix_begin(rank_run *r, unsigned threads, matrix_open_fn *open, const void *from) {
    lode_job_options o = {.size = sizeof o, .device = "cpu", .threads = threads};
    matrix_need(r, lode_job_create(&r->job, NULL, &o) == LODE_OK, "no job");
    matrix_need(r, open(r->job, from, &r->data) == LODE_OK, "no data");
    r->total = r->kind->total(r->data);
    r->fingerprint = r->kind->fingerprint(r->data);
    r->options = (rank_options){LODE_INIT(lode_mine_options), LODE_INIT(lode_graph_options)};
}

matrix_found matrix_together(rank_run *r) {
    uint64_t *hashes = calloc((size_t)r->n_ranks, sizeof *hashes);
    matrix_found found = {0};
    r->present = r->asked;
    r->threshold = 0;
    r->began = cli_seconds();
    int code = r->asked.target == LODE_TARGET_TOP ? top_find_threshold(r) : CLI_DONE;
    r->out = (rank_output){.kind = r->kind, .data = r->data, .mode = OUTPUT_HASH};
    if (code == CLI_DONE) code = rank_divide(r);
    if (code == CLI_DONE) code = rank_agree(r, outcome_open(&r->out, r->job, NULL), NULL);
    if (code == CLI_DONE) code = rank_search(r);
    matrix_need(r, code == CLI_DONE && hashes, "no search");
    MPI_Request both[2];
    MPI_Igather(&r->out.hash, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, r->comm, &both[0]);
    MPI_Ireduce(&r->out.patterns, &found.patterns, 1, MPI_UINT64_T, MPI_SUM, 0, r->comm, &both[1]);
    for (int i = 0; i < 2; i++) rank_wait(both[i]);
    found.hash = lode_hash_join(r->kind->patterns, hashes, (size_t)r->n_ranks);
    outcome_close(&r->out);
    free(hashes);
    return found;
}

void matrix_end(rank_run *r) {
    rank_close(r);
    r->tasks = NULL;
    r->data = NULL;
    r->job = NULL;
}
