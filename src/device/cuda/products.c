/* products.c - opens and closes a GPU for the tensor miner; see product_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "device/cuda/device.h"
#include "device/cuda/product_device.h"

/* The first slab; there are more where it does not suffice. */
#define POOL_FACTOR   512                 /* times the bytes of the root's rows … */
#define SPARSE_FACTOR 256                 /* … or bytes for each item of its lists, … */
#define POOL_LEAST    ((size_t)256 << 20) /* … at least this … */
#define POOL_MOST     ((size_t)64 << 30) /* … and at most this, if the card has so much left; … */
#define POOL_NEEDED   ((size_t)8 << 20) /* … but never less than this */
#define PINNED_LEFT   ((size_t)1 << 20) /* of a budget, for what the driver allocates itself */

/* ---- the root ------------------------------------------------------------------------------ */

static bool is_sparse(const product_root *root) {
    return !root->rows;
}

static size_t root_bytes(const product_root *root) {
    return is_sparse(root) ? 0 : (size_t)root->n_rows * root->row_words * sizeof(uint64_t);
}

/* Copies a table to the bottom of the pool. */
static lode_status send_table(product_device *d, const void **to, const void *from, size_t bytes) {
    lode_status status = LODE_OK;
    LODE_TRY(product_make_room(d, product_align(bytes), "the tables of the items"));
    void *at = product_take_low(d, bytes);
    *to = at;
    LODE_TRY(product_send(d, at, from, bytes));
done:
    return status;
}

static lode_status send_tables(product_device *d, product_frame *f) {
    lode_status status = LODE_OK;
    uint32_t n = d->root->n_rows, zero = 0, firsts[2] = {0, n};
    uint32_t vectors = product_row_vectors(d, f);
    uint64_t ats[2] = {0, (uint64_t)n * vectors}, pairs[2] = {0, f->pairs};
    cuda_frame *v = &f->view;
    size_t bytes = n * sizeof *v->row_class;
    LODE_TRY(product_make_room(d, product_align(bytes), "the tables of the items"));
    void *row_class = product_take_low(d, bytes);
    v->row_class = row_class;
    PRODUCT_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(row_class, 0, bytes, d->stream));
    LODE_TRY(send_table(d, (const void **)&v->row_support, d->root->supports, bytes));
    LODE_TRY(send_table(d, (const void **)&v->class_first, firsts, sizeof firsts));
    LODE_TRY(send_table(d, (const void **)&v->class_at, ats, sizeof ats));
    LODE_TRY(send_table(d, (const void **)&v->class_pairs, pairs, sizeof pairs));
    LODE_TRY(send_table(d, (const void **)&v->class_vectors, &vectors, sizeof vectors));
    LODE_TRY(send_table(d, (const void **)&v->class_earlier, &zero, sizeof zero));
    LODE_TRY(send_table(d, (const void **)&v->class_free, &zero, sizeof zero));
done:
    return status;
}

/* Copies the lists by column; those by row are made on the device. */
static lode_status send_lists(product_device *d, product_frame *f) {
    lode_status status = LODE_OK;
    const product_root *root = d->root;
    cuda_lists *lists = &f->view.lists;
    size_t n = root->starts[root->n_columns], row_bytes = (root->n_rows + (size_t)1) * 8;
    const void *cursors = NULL;
    vec_u64 row_at = {0};
    LODE_TRY(vec_u64_push(&d->job->mem, &row_at, 0));
    for (uint32_t r = 0; r < root->n_rows; r++) {
        LODE_TRY(vec_u64_push(&d->job->mem, &row_at, row_at.data[r] + root->supports[r]));
    }
    LODE_TRY(send_table(d, (const void **)&lists->starts, root->starts, (root->n_columns + 1) * 8));
    LODE_TRY(send_table(d, (const void **)&lists->items, root->items, n * sizeof *lists->items));
    LODE_TRY(send_table(d, (const void **)&lists->row_at, row_at.data, row_bytes));
    LODE_TRY(product_make_room(d, product_align(n * sizeof *lists->columns) + row_bytes,
                               "the tables of the items"));
    uint32_t *columns = product_take_low(d, n * sizeof *lists->columns);
    lists->columns = columns;
    product_room room = d->room; /* the cursors are not kept */
    LODE_TRY(send_table(d, &cursors, row_at.data, row_bytes));
    d->room = room;
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_list_columns(lists, (uint32_t)root->n_columns,
                                         (uint64_t *)(uintptr_t)cursors, columns, d->card->n_sm,
                                         d->stream));
done:
    vec_u64_free(&d->job->mem, &row_at);
    return status;
}

/* Vectors of the row with the most columns, which need not be the last one: the data may have an
 * order of their own. */
static uint32_t longest_row(const product_root *root) {
    uint32_t most = 0;
    if (!is_sparse(root)) return (uint32_t)(root->row_words / 2);
    for (uint32_t r = 0; r < root->n_rows; r++) {
        if (root->supports[r] > most) most = root->supports[r];
    }
    return most / 128 + (most % 128 > 0);
}

static lode_status open_root(product_device *d) {
    lode_status status = LODE_OK;
    product_frame *f = NULL;
    uint64_t n = d->root->n_rows;
    uint32_t side = (uint32_t)((n + CUDA_TILE_ROWS - 1) / CUDA_TILE_ROWS);
    LODE_TRY(product_frame_add(d, &f));
    if (d->n_slices > 0) f->view.total_vectors = longest_row(d->root);
    if (d->shares_rows) f->view.base = (const uint4 *)(const void *)d->card->rows;
    f->view.n_rows = d->root->n_rows;
    f->view.n_classes = 1;
    f->view.items = 1;
    f->max_vectors = longest_row(d->root);
    f->n_vectors = n * f->max_vectors;
    f->pairs = n * n;
    f->pair_vectors = n > 0 && !is_sparse(d->root) ? n * (n - 1) / 2 * f->max_vectors : 0;
    f->tiles = n > CUDA_SMALL_ROWS ? (uint64_t)side * side : 0;
    if (d->n_slices > 0) {
        size_t bytes = n * d->slice_vectors * 16;
        LODE_TRY(product_make_room(d, product_align(bytes), "a slice of the rows of the items"));
        f->view.base = product_take_low(d, bytes);
    }
    LODE_TRY(send_tables(d, f));
    if (is_sparse(d->root)) LODE_TRY(send_lists(d, f));
    f->after = d->room;
done:
    return status;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void product_close(product_device *d) {
    if (!d) return;
    mem *m = &d->job->mem;
    (void)cudaSetDevice((int)d->card->index);
    product_pool_close(d);
    while (d->n_frames > 0) product_frame_drop(d);
    mem_free(m, d->frames, d->frames_cap * sizeof *d->frames);
    vec_u64_free(m, &d->ends);
    vec_u32_free(m, &d->partners);
    vec_u32_free(m, &d->supports);
    vec_u32_free(m, &d->lattice_rows);
    if (d->shares_rows) cuda_card_drop_rows(d->card);
    cuda_card_close(d->card);
    mem_free(m, d, sizeof *d);
}

static size_t pool_bytes(product_device *d) {
    const product_root *root = d->root;
    size_t left = cuda_card_left(d->card) / d->sharers;
    size_t wanted = is_sparse(root) ? SPARSE_FACTOR * root->starts[root->n_columns]
                                    : POOL_FACTOR * root_bytes(root);
    size_t held = sizeof(product_numbers) + PINNED_LEFT;
    left = left > held ? left - held : 0;
    if (wanted < POOL_LEAST) wanted = POOL_LEAST;
    if (wanted > POOL_MOST) wanted = POOL_MOST;
    if (wanted > left) wanted = left;
    if (d->config.slab_bytes > 0 && d->config.slab_bytes < wanted) return d->config.slab_bytes;
    return wanted < POOL_NEEDED ? POOL_NEEDED : wanted / 128 * 128;
}

#define WHOLE_SHARE 4  /* a root of more than 1/4 of the memory is sliced */
#define SLICE_UNIT  64 /* vectors, so that a slice is a whole number of gather batches */

/* Decides whether the root is sliced, and how. */
static void choose_slices(product_device *d) {
    size_t bytes = root_bytes(d->root), share = cuda_card_left(d->card) / d->sharers / WHOLE_SHARE;
    bool forced = d->config.step > 0 && d->config.step < 100; /* by a test */
    if (forced) share = SLICE_UNIT;
    if (bytes <= share) return;
    size_t vectors = share / 16 / d->root->n_rows / SLICE_UNIT * SLICE_UNIT;
    if (vectors < SLICE_UNIT) vectors = SLICE_UNIT;
    if (vectors > PRODUCT_HALF / 16) vectors = PRODUCT_HALF / 16;
    d->slice_vectors = (uint32_t)vectors;
    d->n_slices = (uint32_t)((d->root->row_words / 2 + vectors - 1) / vectors);
    if (d->n_slices < 2) d->n_slices = 2; /* the second one is empty */
}

/* Loads the code of the kernels now and not with their first launch. That of a scan is loaded by
 * running one. */
static lode_status load_code(product_device *d) {
    static cudaError_t (*const loads[])(void) = {cuda_load_plan,  cuda_load_small,
                                                 cuda_load_build, cuda_load_lattices,
                                                 cuda_load_joint, cuda_load_large};
    lode_status status = LODE_OK;
    cuda_row_plan *plan = (cuda_row_plan *)(void *)d->room.base;
    size_t scratch_bytes = 0;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        PRODUCT_TRY(d, "cudaFuncGetAttributes", loads[i]());
    }
    PRODUCT_TRY(d, "cub scan", cuda_launch_plan_scan(plan, 0, NULL, &scratch_bytes, d->stream));
    if (sizeof *plan + scratch_bytes > d->room.end) return LODE_OK;
    PRODUCT_TRY(d, "cub scan", cuda_launch_plan_scan(plan, 0, plan + 1, &scratch_bytes, d->stream));
done:
    return status;
}

static lode_status open_on_card(product_device *d, double start) {
    lode_status status = LODE_OK;
    int has_large = 0;
    PRODUCT_TRY(d, "cudaSetDevice", cudaSetDevice((int)d->card->index));
    PRODUCT_TRY(d, "cudaFuncGetAttributes", cuda_large_fits((int)d->card->index, &has_large));
    d->has_large = has_large;
    if (!is_sparse(d->root)) choose_slices(d);
    double ready = os_seconds();
    if (!is_sparse(d->root) && d->n_slices == 0) {
        LODE_TRY(cuda_card_share_rows(d->card, d->root->rows, root_bytes(d->root)));
        d->shares_rows = true;
        d->report.bytes_up += root_bytes(d->root);
    }
    double copying = os_seconds() - ready;
    LODE_TRY(product_pool_open(d, pool_bytes(d)));
    LODE_TRY(load_code(d));
    LODE_TRY(product_choose_kernel(d));
    ready = os_seconds();
    LODE_TRY(open_root(d));
    copying += os_seconds() - ready;
    d->opened = d->report.transfer = copying;
    d->report.start = os_seconds() - start - copying;
done:
    return status;
}

static lode_status product_open(lode_job *job, unsigned index, unsigned threads,
                                const product_root *root, const product_config *config,
                                product_device **out) {
    (void)threads;
    product_device *d = NULL;
    double start = os_seconds();
    lode_status status = mem_zalloc(&job->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->job = job;
    d->root = root;
    d->config = *config;
    d->sharers = config->sharers > 1 ? config->sharers : 1;
    d->target = config->target == LODE_TARGET_CLOSED    ? CUDA_CLOSED
                : config->target == LODE_TARGET_MAXIMAL ? CUDA_MAXIMAL
                                                        : CUDA_ALL;
    status = cuda_card_open(job, index, &d->card);
    if (status != LODE_OK) {
        mem_free(&job->mem, d, sizeof *d);
        return status;
    }
    status = open_on_card(d, start);
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
    PRODUCT_TRY(
        d, "cudaMemcpyAsync",
        cudaMemcpyAsync(d->pinned, d->numbers->tally, bytes, cudaMemcpyDeviceToHost, d->stream));
    PRODUCT_TRY(
        d, "cudaMemsetAsync",
        cudaMemsetAsync(d->numbers->tally, 0, CUDA_TALLY_MISFITS * sizeof *tally, d->stream));
    LODE_TRY(product_wait(d));
    const uint64_t *from = (const uint64_t *)(const void *)d->pinned;
    for (size_t i = 0; i < CUDA_TALLY_MISFITS; i++) tally[i] += from[i];
    d->called += os_seconds() - start;
    if (from[CUDA_TALLY_MISFITS] > 0) {
        return job_fail(d->job, LODE_UNSUPPORTED,
                        "an itemset has more than %d items, which tensor does not support on a GPU",
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
    .lattices = product_count_lattices,
    .push = product_push,
    .pop = product_pop,
    .tally = product_tally,
    .report = product_report_of,
};
