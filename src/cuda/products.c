/* products.c - the miner by products on a GPU: how it begins and ends
 *
 * The stack of frames is in product_frames.c, counting in product_count.c and product_cubes.c,
 * memory and copies in product_pool.c; kernels in product_*.cu.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda/products.h"

#include <stdio.h>

#include "base/os.h"
#include "cuda/product_device.h"

/* Device memory that is taken unless there is less: the more, the fewer rounds the search takes. */
#define POOL_LEAST  ((size_t)4 << 30)
#define POOL_MOST   ((size_t)64 << 30)
#define POOL_FACTOR 32 /* of the rows of the root */
#define POOL_NEEDED ((size_t)8 << 20)
#define PINNED_LEFT ((size_t)1 << 20) /* of a budget, for what drivers take beside */

/* ---- the root ------------------------------------------------------------------------------ */

static size_t root_bytes(const product_root *root) {
    return (size_t)root->n_rows * root->row_words * sizeof(uint64_t);
}

static lode_status send_root(product_device *d, product_frame *f) {
    lode_status status = LODE_OK;
    const product_root *root = d->root;
    uint32_t n = root->n_rows, vectors = (uint32_t)(root->row_words / 2), zero = 0;
    uint32_t firsts[2] = {0, n};
    uint64_t ats[2] = {0, (uint64_t)n * vectors}, pairs[2] = {0, (uint64_t)n * n};
    cuda_frame *v = &f->view;
    const struct {
        const void **to;
        const void *from;
        size_t bytes;
    } tables[] = {
        {(const void **)&v->row_support, root->supports, n * sizeof *root->supports},
        {(const void **)&v->class_first, firsts, sizeof firsts},
        {(const void **)&v->class_at, ats, sizeof ats},
        {(const void **)&v->class_pairs, pairs, sizeof pairs},
        {(const void **)&v->class_vectors, &vectors, sizeof vectors},
        {(const void **)&v->class_watch, &zero, sizeof zero},
        {(const void **)&v->class_free, &zero, sizeof zero},
    };
    void *row_class = product_take_low(d, n * sizeof *v->row_class);
    v->row_class = row_class;
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(row_class, 0, n * sizeof *v->row_class, d->stream));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        void *to = product_take_low(d, tables[i].bytes);
        *tables[i].to = to;
        LODE_TRY(product_send(d, to, tables[i].from, tables[i].bytes));
    }
done:
    return status;
}

static lode_status open_root(product_device *d) {
    lode_status status = LODE_OK;
    product_frame *f = NULL;
    uint64_t n = d->root->n_rows;
    uint32_t side = (uint32_t)((n + CUDA_TILE_ROWS - 1) / CUDA_TILE_ROWS);
    LODE_TRY(product_frame_add(d, &f));
    f->view.base = (const uint4 *)(const void *)d->card->rows;
    f->view.n_rows = d->root->n_rows;
    f->view.n_classes = 1;
    f->view.items = 1;
    f->max_vectors = (uint32_t)(d->root->row_words / 2);
    f->n_vectors = n * f->max_vectors;
    f->pairs = n * n;
    f->pair_vectors = n > 0 ? n * (n - 1) / 2 * f->max_vectors : 0;
    f->tiles = n > CUDA_SMALL_ROWS ? (uint64_t)side * side : 0;
    LODE_TRY(product_make_room(d, n * 8 + 2048, "the tables of the items"));
    LODE_TRY(send_root(d, f));
    f->low = d->low;
    f->high = d->high;
done:
    return status;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void product_close(product_device *d) {
    if (!d) return;
    mem *m = &d->ctx->mem;
    (void)cudaSetDevice((int)d->card->index);
    product_pool_close(d);
    while (d->n_frames > 0) product_frame_drop(d);
    mem_free(m, d->frames, d->frames_cap * sizeof *d->frames);
    vec_u64_free(m, &d->ends);
    vec_u32_free(m, &d->partners);
    vec_u32_free(m, &d->supports);
    vec_u32_free(m, &d->cube_rows);
    if (d->shares_rows) cuda_card_drop_rows(d->card);
    cuda_card_close(d->card);
    mem_free(m, d, sizeof *d);
}

static size_t pool_bytes(product_device *d) {
    size_t left = cuda_card_left(d->card) / d->sharers, wanted = POOL_FACTOR * root_bytes(d->root);
    size_t held = sizeof(product_numbers) + PINNED_LEFT;
    left = left > held ? left - held : 0;
    if (wanted < POOL_LEAST) wanted = POOL_LEAST;
    if (wanted > POOL_MOST) wanted = POOL_MOST;
    if (wanted > left) wanted = left;
    return wanted < POOL_NEEDED ? POOL_NEEDED : wanted;
}

static lode_status open_on_card(product_device *d) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    CUDA_TRY(d, "cudaSetDevice", cudaSetDevice((int)d->card->index));
    LODE_TRY(cuda_card_share_rows(d->card, d->root->rows, root_bytes(d->root)));
    d->shares_rows = true;
    d->report.bytes_up += root_bytes(d->root);
    LODE_TRY(product_pool_open(d, pool_bytes(d)));
    LODE_TRY(product_choose_kernel(d));
    LODE_TRY(open_root(d));
    d->opened = d->report.transfer = os_seconds() - start; /* with the start of CUDA in it */
done:
    return status;
}

static lode_status product_open(lode_ctx *ctx, unsigned index, unsigned threads,
                                const product_root *root, const product_how *how,
                                product_device **out) {
    (void)threads;
    product_device *d = NULL;
    lode_status status = mem_zalloc(&ctx->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->ctx = ctx;
    d->root = root;
    d->how = *how;
    d->sharers = 1;
    d->target = how->target == LODE_TARGET_CLOSED    ? CUDA_CLOSED
                : how->target == LODE_TARGET_MAXIMAL ? CUDA_MAXIMAL
                                                     : CUDA_ALL;
    status = cuda_card_open(ctx, index, &d->card);
    if (status != LODE_OK) {
        mem_free(&ctx->mem, d, sizeof *d);
        return status;
    }
    status = open_on_card(d);
    if (status == LODE_OK) {
        *out = d;
    } else {
        product_close(d);
    }
    return status;
}

/* ---- results ------------------------------------------------------------------------------- */

static lode_status product_tally(product_device *d, uint64_t *tally) {
    lode_status status = LODE_OK;
    size_t bytes = sizeof d->numbers->tally;
    double start = os_seconds();
    CUDA_TRY(
        d, "cudaMemcpyAsync",
        cudaMemcpyAsync(d->pinned, d->numbers->tally, bytes, cudaMemcpyDeviceToHost, d->stream));
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(d->numbers->tally, 0, CUDA_TALLY_MISFITS * sizeof *tally, d->stream));
    LODE_TRY(product_wait(d));
    const uint64_t *from = (const uint64_t *)(const void *)d->pinned;
    for (size_t i = 0; i < CUDA_TALLY_MISFITS; i++) tally[i] += from[i];
    d->called += os_seconds() - start;
    if (from[CUDA_TALLY_MISFITS] > 0) {
        return ctx_fail(d->ctx, LODE_UNSUPPORTED, "a set of more than %d items",
                        CUDA_TALLY_SIZES - 1);
    }
done:
    return status;
}

static product_report product_report_of(const product_device *d) {
    product_report report = d->report;
    report.memory_peak = d->card->peak;
    double rest = d->called - report.counting - (report.transfer - d->opened);
    report.candidate = rest > 0 ? rest : 0;
    return report;
}

const backend_products cuda_products = {
    .open = product_open,
    .close = product_close,
    .count = product_count,
    .cubes = product_cubes_work,
    .push = product_push,
    .pop = product_pop,
    .tally = product_tally,
    .report = product_report_of,
};
