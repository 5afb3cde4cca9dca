/* matrix.c - many small searches in one launch of MPI, each compared with a search by one process
 *
 *     mpirun -n 4 mpi-matrix [CASES [LIST]]
 *
 * Every rank makes the same random data. All ranks mine them together, for each target in turn;
 * rank 0 also mines them alone, and compares hashes. A launch takes longer than most searches, so
 * one launch does many of them, and also the searches of LIST (matrix_files.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "rank_input.h"

static uint64_t state;

static uint32_t draw(uint32_t below) { /* splitmix64 */
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (uint32_t)((x ^ (x >> 31)) % below);
}

/* ---- data ------------------------------------------------------------------------------------ */

#define MOST_ROWS  400
#define MOST_ITEMS 24

static lode_status random_items(lode_job *job, const void *unused, void **out) {
    (void)unused;
    static uint64_t offsets[MOST_ROWS + 1];
    static uint32_t items[MOST_ROWS * MOST_ITEMS];
    uint32_t rows = 1 + draw(MOST_ROWS), n_items = 1 + draw(MOST_ITEMS), dense = 10 + draw(80);
    uint64_t n = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t kind = draw(3);
        for (uint32_t item = 0; item < n_items; item++) {
            uint32_t share = (item + kind) % 3 == 0 ? (dense + 100) / 2 : dense;
            if (draw(100) < share) items[n++] = item * 7;
        }
        offsets[row + 1] = n;
    }
    return lode_dataset_from_arrays(job, (lode_dataset **)out, rows, offsets, items, NULL);
}

static lode_status random_graphs(lode_job *job, const void *unused, void **out) {
    (void)unused;
    static char text[65536];
    uint32_t n_graphs = 1 + draw(30), labels = 1 + draw(4);
    size_t at = 0;
    for (uint32_t g = 0; g < n_graphs; g++) {
        uint32_t vertices = 1 + draw(9);
        at += (size_t)snprintf(text + at, sizeof text - at, "t # %u\n", g);
        for (uint32_t v = 0; v < vertices; v++) {
            at += (size_t)snprintf(text + at, sizeof text - at, "v %u %u\n", v, draw(labels));
        }
        for (uint32_t v = 1; v < vertices; v++) { /* a tree */
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "e %u %u %u\n", draw(v), v, draw(2));
        }
        if (vertices == 3) { /* or a triangle */
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "t # x\nv 0 0\nv 1 0\nv 2 1\ne 0 1 0\ne 1 2 0\ne 0 2 1\n");
        }
    }
    return lode_graphs_parse(job, (lode_graphs **)out, text, at, "random", NULL);
}

/* ---- one search ------------------------------------------------------------------------------ */

static const rank_request requests[] = {
    {.target = LODE_TARGET_ALL},        {.target = LODE_TARGET_CLOSED},
    {.target = LODE_TARGET_MAXIMAL},    {.target = LODE_TARGET_TOP, .top_k = 20},
    {.target = LODE_TARGET_GENERATORS}, /* of itemsets only */
};
#define N_REQUESTS (sizeof requests / sizeof *requests)

static uint64_t mine_alone(rank_run *r) {
    lode_sink *sink = NULL;
    rank_options o = r->options;
    r->kind->ask_for(&o, &r->asked);
    lode_status status = r->kind->hash_sink(r->job, &sink, r->data);
    if (status == LODE_OK && r->kind->patterns == LODE_GRAPHS) {
        status = lode_graphs_mine(r->job, r->data, &o.graphs, sink);
    } else if (status == LODE_OK) {
        status = lode_mine(r->job, r->data, &o.items, sink);
    }
    if (status != LODE_OK) {
        fprintf(stderr, "alone: %s\n", lode_job_error(r->job));
        MPI_Abort(r->comm, 1);
    }
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return hash;
}

/* Returns 1 if the ranks have found something else than one process. */
static int compare(rank_run *r, const rank_request *request, uint64_t support, int number) {
    r->asked = *request;
    r->asked.min_support = (lode_threshold){support, 0};
    uint64_t together = matrix_together(r).hash;
    if (r->rank != 0) return 0;
    uint64_t alone = mine_alone(r);
    if (alone == together) return 0;
    printf("case %d, %s, target %d, support %llu: %016llx by %d ranks, %016llx alone\n", number,
           r->kind->size_word, (int)request->target, (unsigned long long)support,
           (unsigned long long)together, r->n_ranks, (unsigned long long)alone);
    return 1;
}

/* Whether messages of this case went in pieces if they should: those with tasks are longer than 64
 * bytes. Returns 1 if not. */
static int check_pieces(const rank_run *r, const rank_figures *before, int number) {
    const rank_figures *now = &r->figures;
    uint64_t messages = now->sched.messages - before->sched.messages;
    uint64_t pieces = now->message_pieces - before->message_pieces;
    bool with_tasks = r->piece > 0 && now->sched.tasks_out > before->sched.tasks_out;
    if (with_tasks ? pieces > messages : pieces == messages) return 0;
    printf("case %d, rank %d: %llu messages went in %llu pieces\n", number, r->rank,
           (unsigned long long)messages, (unsigned long long)pieces);
    return 1;
}

static int run_case(rank_run *r, int number) {
    int wrong = 0;
    bool graphs = number % 3 == 1;
    rank_figures before = r->figures;
    r->piece = number % 2 ? 64 : 0;
    state = (uint64_t)number;
    r->kind = graphs ? &rank_graphs : &rank_itemsets;
    matrix_begin(r, 1 + (number % 3 == 2), graphs ? random_graphs : random_items, NULL);
    for (size_t i = 0; i < N_REQUESTS - graphs; i++) {
        uint64_t support = 1 + r->total / (graphs ? 4 : 3 + draw(4));
        wrong += compare(r, &requests[i], support, number);
    }
    wrong += rank_highest(r, check_pieces(r, &before, number));
    matrix_end(r);
    return wrong;
}

/* Exchanges bytes of ranks that have different numbers of them, at once and in pieces. Returns 1 if
 * a byte is not what its rank has sent. */
static int check_exchange(const rank_run *r, uint64_t at_once, uint64_t piece) {
    static char mine[256], all[256 * 64];
    uint64_t bytes[64], sum = 0;
    int wrong = 0;
    for (int k = 0; k < r->n_ranks; k++) sum += bytes[k] = (uint64_t)(k * 37 + 11) % 200;
    for (uint64_t i = 0; i < sizeof mine; i++) mine[i] = (char)((uint64_t)r->rank * 101 + i * 7);
    rank_exchange exchange = {.run = r, .at_once = at_once, .piece = piece};
    if (rank_gather(&exchange, mine, all, bytes) != LODE_OK) return 1;
    const char *at = all;
    for (int k = 0; k < r->n_ranks; k++) {
        for (uint64_t i = 0; i < bytes[k]; i++) {
            wrong |= *at++ != (char)((uint64_t)k * 101 + i * 7);
        }
    }
    if (wrong)
        printf("rank %d: %llu bytes were exchanged wrongly\n", r->rank, (unsigned long long)sum);
    return wrong;
}

int main(int argc, char **argv) {
    int wrong = 0, cases = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 30;
    rank_run run = {.comm = MPI_COMM_WORLD, .silence = 60};
    if (!rank_init(&argc, &argv)) return 1;
    MPI_Comm_rank(run.comm, &run.rank);
    MPI_Comm_size(run.comm, &run.n_ranks);
    for (int i = 0; i < cases; i++) wrong += run_case(&run, i);
    int exchanged = check_exchange(&run, 1 << 20, 1 << 20) | check_exchange(&run, 0, 7);
    wrong += rank_highest(&run, exchanged);
    if (argc > 2) wrong += matrix_files(&run, argv[2]);
    uint64_t given = run.figures.sched.tasks_in, all;
    MPI_Allreduce(&given, &all, 1, MPI_UINT64_T, MPI_SUM, run.comm);
    if (run.rank == 0) {
        printf("%d cases by %d ranks, %llu tasks stolen, %d wrong\n", cases, run.n_ranks,
               (unsigned long long)all, wrong);
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, run.comm);
    rank_finalize();
    return wrong > 0;
}
