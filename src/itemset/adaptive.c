/* adaptive.c - the adaptive miner: a representation to fit each conditional database
 *
 * Problem:  all frequent itemsets, on any data.
 * Method:   depth first, the rarest item first, so that conditional databases shrink at once. Each
 *           is kept in the shape that is cheapest to search (adaptive.h). Items in every
 *           transaction of a prefix are set aside and multiplied at the output, equal transactions
 *           are merged with weights where that is cheap, and the last few items of every branch are
 *           not searched at all but counted together, as a cube.
 * After:    occurrence deliver and the merging of transactions: Uno, Kiyomi, Arimura: LCM ver. 3,
 *           2005. Rows of bits: Zaki: Scalable algorithms for association mining, 2000.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "itemset/adaptive_root.h"
#include "runtime/parallel.h"

typedef struct adaptive_run {
    engine_job *job;
    adaptive_root root;
    uint64_t nodes;
} adaptive_run;

/* ---- a worker ------------------------------------------------------------------------------ */

static lode_status worker_open(adaptive *a, adaptive_run *run) {
    lode_status status = LODE_OK;
    mem *m = &run->job->ctx->mem;
    size_t n = run->root.n_frequent + (size_t)1;
    *a = (adaptive){.job = run->job, .ctx = run->job->ctx, .max_size = run->job->options->max_size};
    arena_init(&a->arena, m);
    a->kernels = adaptive_kernels_pick();
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->prefix, (void **)&a->prefix));
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->perfect, (void **)&a->perfect));
    LODE_TRY(mem_zalloc(m, (void **)&a->cube, sizeof *a->cube << CUBE_MAX));
    LODE_TRY(mem_zalloc(m, (void **)&a->counts, n * sizeof *a->counts));
    LODE_TRY(mem_zalloc(m, (void **)&a->item_bits, n * sizeof *a->item_bits));
    LODE_TRY(sink_open_worker(run->job->sink, &a->out));
    a->counts_only = sink_counts_only(a->out);
done:
    return status;
}

static lode_status worker_close(adaptive *a, const adaptive_run *run, lode_status status) {
    mem *m = &run->job->ctx->mem;
    size_t n = run->root.n_frequent + (size_t)1;
    lode_status closed = sink_close_worker(a->out);
    mem_free(m, a->cube, sizeof *a->cube << CUBE_MAX);
    mem_free(m, a->counts, n * sizeof *a->counts);
    mem_free(m, a->item_bits, n * sizeof *a->item_bits);
    arena_clear(&a->arena);
    return status != LODE_OK ? status : closed;
}

/* Reports the sets of items that are in every transaction, and leaves these as perfect. */
static lode_status emit_always(adaptive *a, const adaptive_root *root, uint64_t all) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < root->n_always; i++) {
        LODE_TRY(adaptive_emit_one(a, root->always[i], (uint32_t)all));
        a->perfect[a->n_perfect++] = root->always[i];
    }
done:
    return status;
}

static lode_status run_alone(void *arg, unsigned index) {
    adaptive_run *run = arg;
    const adaptive_root *root = &run->root;
    lode_status status = LODE_OK;
    adaptive a;
    (void)index;
    LODE_TRY(worker_open(&a, run));
    LODE_TRY(emit_always(&a, root, run->job->data->total_weight));
    if (root->is_words) {
        LODE_TRY(words_search(&a, &root->words));
    } else {
        LODE_TRY(sparse_search(&a, &root->sparse));
    }
done:
    run->nodes += a.nodes;
    return worker_close(&a, run, status);
}

/* ---- the engine ---------------------------------------------------------------------------- */

static lode_status adaptive_run_job(engine_job *job) {
    lode_status status = LODE_OK;
    adaptive_run run = {.job = job};
    double start = os_seconds();
    LODE_TRY(adaptive_root_make(&run.root, job));
    job->report->times.preprocess = os_seconds() - start;
    status = parallel_run(job->ctx, 1, true, run_alone, &run);
    job->report->times.counting = os_seconds() - start - job->report->times.preprocess;
    job->report->n_threads = 1;
    job->report->n_devices = 1;
    job->report->frequent_items = run.root.n_frequent;
done:
    adaptive_root_clear(&run.root);
    return status;
}

static double adaptive_estimate(const engine_job *job) {
    (void)job;
    return 0;
}

const lode_engine lode_engine_adaptive = {
    .name = "adaptive",
    .summary =
        "Fits its representation to each conditional database: lists, bit rows, words, cubes.",
    .oracle = false,
    .weights = true,
    .shared = false,
    .estimate = adaptive_estimate,
    .run = adaptive_run_job,
};
