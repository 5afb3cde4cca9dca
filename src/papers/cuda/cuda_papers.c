/* cuda_papers.c - opens a GPU for the papers' miners, and counts rows in their ways
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

#include "base/bits.h"

#define TABLE_BYTES   65536
#define TREE_PARTIALS 1024 /* as in paper_kernels.cu */

static void cuda_papers_close(backend_papers *p) {
    if (!p) return;
    backend_device *d = p->device;
    cuda_buffer *buffers[] = {&p->table,  &p->prefixes, &p->members,     &p->class_of,
                              &p->cached, &p->sets,     &p->group_end,   &p->set_rows,
                              &p->places, &p->all,      &p->keep,        &p->pairs,
                              &p->counts, &p->scratch,  &p->kept_counts, &p->totals};
    cuda_grid_free(p);
    (void)cudaSetDevice((int)d->card->index);
    cuda_level_ops.stop(p);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) cuda_buffer_free(d, buffers[i]);
    mem_free(&d->job->mem, p, sizeof *p);
}

static lode_status cuda_papers_fill_table(backend_papers *p) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(cuda_buffer_need(d, &p->table, TABLE_BYTES));
    p->config.table = p->table.data;
    CUDA_TRY(d, "fill_table", cuda_launch_fill_table(p->table.data, d->slots[0].stream));
    CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->slots[0].stream));
done:
    return status;
}

static lode_status cuda_papers_open(backend_device *device, const backend_paper_config *config,
                                    backend_papers **out) {
    backend_papers *p = NULL;
    lode_status status = mem_zalloc(&device->job->mem, (void **)&p, sizeof *p);
    if (status != LODE_OK) return status;
    p->device = device;
    p->trees = config->trees;
    p->config.count.n_sm = device->config.n_sm;
    p->config.popcount = (cuda_popcount)config->popcount;
    p->config.pow2 = config->reduce == LODE_REDUCE_POW2;
    p->config.n_words = (uint32_t)((config->n_columns + 31) / 32);
    if (config->popcount == LODE_POPCOUNT_TABLE16) status = cuda_papers_fill_table(p);
    if (status == LODE_OK) {
        *out = p;
    } else {
        cuda_papers_close(p);
    }
    return status;
}

static backend_paper_counters cuda_papers_counters(const backend_papers *p) {
    return p->counters;
}

/* ---- two rows ------------------------------------------------------------------------------ */

static cudaError_t cuda_papers_launch_count(void *arg, cuda_slot *slot) {
    backend_papers *p = arg;
    const cuda_rows *rows = &p->device->rows;
    cuda_paper_work work = {(const cuda_work *)(const void *)slot->up, slot->n, slot->counts};
    p->config.count = p->device->config;
    return p->trees ? cuda_launch_tree_count(rows, &p->config, &work, slot->stream)
                    : cuda_launch_paper_count(rows, &p->config, &work, slot->stream);
}

/* What the trees of n candidates add up, by their definition: as the CPU counts it. */
static void cuda_papers_count_trees(backend_papers *p, size_t n) {
    uint64_t partials = p->config.n_words < TREE_PARTIALS ? p->config.n_words : TREE_PARTIALS;
    uint64_t power = bits_next_power_of_two(partials);
    if (!p->trees || partials == 0) return;
    p->counters.reduce_adds += n * ((p->config.pow2 ? power : partials) - 1);
    p->counters.reduce_idle += p->config.pow2 ? n * (power - partials) : 0;
}

static lode_status cuda_papers_and_count(backend_papers *p, const backend_work *work, size_t n,
                                         uint32_t min_count, uint32_t *counts) {
    cuda_counting c = {work, n, min_count, counts};
    lode_status status = cuda_count_work(p->device, &c, cuda_papers_launch_count, p);
    if (status == LODE_OK) cuda_papers_count_trees(p, n);
    return status;
}

/* ---- lists of rows ------------------------------------------------------------------------- */

typedef struct cuda_list_call {
    backend_papers *p;
    uint32_t k;
} cuda_list_call;

static cudaError_t cuda_papers_launch_lists(void *arg, cuda_slot *slot) {
    const cuda_list_call *call = arg;
    cuda_paper_lists lists = {.rows = (const uint32_t *)(const void *)slot->up,
                              .k = call->k,
                              .n = slot->n,
                              .counts = slot->counts};
    return cuda_launch_list_count(&call->p->device->rows, &call->p->config, &lists, slot->stream);
}

static lode_status cuda_papers_and_count_lists(backend_papers *p, const uint32_t *rows, uint32_t k,
                                               size_t n, uint32_t *counts) {
    cuda_list_call call = {p, k};
    backend_device *d = p->device;
    lode_status status = cuda_bind(d);
    d->counters.rows_read += n * k;
    if (status != LODE_OK) return status;
    cuda_batch batch = {rows, k * sizeof *rows, n, cuda_papers_launch_lists, &call, counts};
    return cuda_ring_run(d, &batch);
}

const backend_paper_ops cuda_paper_ops = {
    .open = cuda_papers_open,
    .close = cuda_papers_close,
    .counters = cuda_papers_counters,
    .and_count = cuda_papers_and_count,
    .and_count_lists = cuda_papers_and_count_lists,
    .and_count_classes = cuda_and_count_classes,
    .use_sets = cuda_use_sets,
    .join_sets = cuda_join_sets,
    .join_count = cuda_join_count,
    .or_pairs = cuda_or_pairs,
    .levels = &cuda_level_ops,
    .pgm = &cuda_pgm_ops,
};
