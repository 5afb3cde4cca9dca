/* product_count.c - count(): decides how many rows, launches products, lists partners; see
 * product_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "device/cuda/product_device.h"

#define EACH(type, field) sizeof(*((type *)NULL)->field)

/* Bytes for a pair: its count, and its entry in the lists should it be a partner. */
#define PAIR_BYTES                                                                                 \
    (EACH(cuda_request, counts) + EACH(cuda_found, partners) + EACH(cuda_found, supports))
/* Memory per row: its plan, the end of its partners, and the entries that take_found() and
 * find_histograms() need if it has a lattice or a child. */
#define LATTICE_BYTES                                                                              \
    (EACH(cuda_found, lattice_row) + EACH(cuda_found, lattice_partners) +                          \
     EACH(cuda_found, lattice_at) + EACH(cuda_found, lattice_sets_at))
#define CHILD_BYTES                                                                                \
    (EACH(cuda_found, child_row) + EACH(cuda_found, child_partners) +                              \
     EACH(cuda_found, child_partners_at) + EACH(cuda_found, child_first) +                         \
     EACH(cuda_found, child_vectors) + EACH(cuda_found, child_earlier) +                           \
     EACH(cuda_found, child_free) + EACH(cuda_found, child_at) + EACH(cuda_found, child_pairs))
#define HISTOGRAM_BYTES                                                                            \
    (EACH(cuda_histograms, joint) + EACH(cuda_histograms, large) + EACH(cuda_histograms, single) + \
     EACH(cuda_histograms, taken))
#define ROW_BYTES                                                                                  \
    (sizeof(cuda_row_plan) + sizeof(uint64_t) + LATTICE_BYTES + CHILD_BYTES + HISTOGRAM_BYTES)
/* For rounding up, the last entries of tables, and the scratch memory of the scan. */
#define FIXED_BYTES ((size_t)64 << 10)

/* ---- which rows ---------------------------------------------------------------------------- */

static lode_status fetch_classes(product_device *d, product_frame *f) {
    lode_status status = LODE_OK;
    size_t n = (size_t)f->view.n_classes + 1;
    if (f->firsts.n == n) return LODE_OK;
    LODE_TRY(product_fetch_u32(d, &f->firsts, f->view.class_first, n));
    LODE_TRY(product_fetch_u64(d, &f->pairs_at, f->view.class_pairs, n));
done:
    return status;
}

/* The class of a row, or the number of classes for the end. */
static uint32_t class_of(const product_frame *f, uint32_t row) {
    uint32_t low = 0, high = f->view.n_classes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->firsts.data[middle + 1] <= row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Pairs of the rows before this one. */
static uint64_t pairs_before(const product_frame *f, uint32_t row) {
    uint32_t c = class_of(f, row);
    if (c == f->view.n_classes) return f->pairs;
    uint64_t n = f->firsts.data[c + 1] - f->firsts.data[c];
    return f->pairs_at.data[c] + (row - f->firsts.data[c]) * n;
}

#define SMALL_MOST  128 /* the most vectors in a chunk of a small class … */
#define SMALL_LEAST 16  /* … and the fewest, if there would be too few tasks else */
#define SMALL_SM    16  /* tasks that there should be for each multiprocessor */

/* Estimates the vectors of one row of each class, added up over the classes. Every class except the
 * root (a single class) has more rows than a lattice has partners. */
static uint64_t class_vectors(const product_device *d, const product_frame *f) {
    return f->view.n_classes == 1 ? product_row_vectors(d, f) : f->n_vectors / CUDA_LATTICE_DIMS;
}

static uint32_t small_chunk(const product_device *d, const product_frame *f) {
    uint64_t chunk = class_vectors(d, f) / ((uint64_t)SMALL_SM * d->card->n_sm) / 4 * 4;
    return chunk < SMALL_LEAST ? SMALL_LEAST : chunk > SMALL_MOST ? SMALL_MOST : (uint32_t)chunk;
}

static size_t small_tasks(const product_device *d, const product_frame *f) {
    return f->view.n_classes + class_vectors(d, f) / small_chunk(d, f) + 1;
}

/* How products are cut into tiles. */
typedef struct tiling {
    uint32_t columns, chunk;
    size_t n; /* the most tasks */
} tiling;

#define WIDE_ROWS   1024 /* a single class of this many rows has wide tiles */
#define LEAST_CHUNK 64   /* vectors */
#define TILES_SM    4    /* tasks that there should be for each multiprocessor, at the least */

static tiling choose_tiling(const product_device *d, const product_frame *f) {
    uint32_t vectors = product_row_vectors(d, f);
    bool wide = f->view.n_classes == 1 && f->view.n_rows >= WIDE_ROWS;
    size_t tiles = f->tiles + (d->kernel == CUDA_POPC ? f->view.n_classes : 0);
    size_t aim = (size_t)TILES_SM * d->card->n_sm;
    size_t real = d->target == CUDA_ALL ? tiles / 2 + 1 : tiles + 1;
    size_t chunks = real >= aim ? 1 : (aim + real - 1) / real;
    size_t chunk = (vectors + chunks - 1) / chunks;
    if (chunk < LEAST_CHUNK) chunk = LEAST_CHUNK;
    chunk = (chunk + 7) / 8 * 8;
    return (tiling){.columns = wide && d->kernel == CUDA_WGMMA ? 256 : 128,
                    .chunk = (uint32_t)chunk,
                    .n = tiles * ((vectors + chunk - 1) / chunk + 1)};
}

static size_t tasks_bytes(const product_device *d, const product_frame *f) {
    return CUDA_SMALL_SHAPES * small_tasks(d, f) * sizeof(cuda_small_task) +
           choose_tiling(d, f).n * sizeof(cuda_tile_task);
}

static size_t count_bytes(const product_device *d, const product_frame *f, uint64_t pairs,
                          uint32_t rows) {
    return pairs * PAIR_BYTES + rows * ROW_BYTES + tasks_bytes(d, f) + FIXED_BYTES;
}

/* If the rows do not all fit half of the free memory, the counts take a quarter of it (DEEP_SHARE),
 * up to two thirds of which stay while the children are searched. A sliced root is read as a whole
 * for each count, so it takes half. */
#define DEEP_SHARE 4

/* The largest end such that rows [first, end) fit `most` bytes, but at least one row. */
static uint32_t last_row(const product_device *d, const product_frame *f, uint32_t first,
                         uint32_t end, size_t most) {
    uint64_t before = pairs_before(f, first);
    uint32_t low = first + 1;
    while (low < end) {
        uint32_t middle = end - (end - low) / 2;
        uint64_t pairs = pairs_before(f, middle) - before;
        bool fits = count_bytes(d, f, pairs, middle - first) <= most;
        if (d->config.step > 0 && pairs > d->config.step) fits = false;
        if (fits) {
            low = middle;
        } else {
            end = middle - 1;
        }
    }
    return low;
}

#define LARGE_VECTORS 2048               /* rows of this many vectors make large lattices pay … */
#define LARGE_ROOM    ((size_t)16 << 20) /* … if there is room for this much */

/* Limits for closed sets of joint and large lattices. These lattices save passes over the columns.
 * Their cost is checking sets that separate lattices would not contain: most of 2^16 sets have many
 * rows, and if rows have a share p of the columns, k rows together have about p^k. So they pay if
 * there are many columns, and rows have most of them. On an H200, closed sets found one by one,
 * milliseconds:
 *
 *                         vectors of a row    share of the columns    before    joint and large
 *     connect x50 45%               26,068                    0.85       118                 23
 *     connect x50 60%               26,389                    0.88        11                5.6
 *     chess x407 25%                 8,388                    0.68        41                 25
 *     chess x407 40%                 9,997                    0.78       6.2                6.5
 *     accidents x227 12%            14,840                    0.45      12.6               12.4
 *     accidents x227 20%            19,286                    0.54       4.4                6.6
 *     connect x10 60%                5,277                    0.88       1.2                2.1
 *     T40I10 1 M 1%           up to  7,813                    0.13        21                 62
 *     chess 25%                         25                    0.68       2.9                 28
 *
 * (Vectors are the mean of the classes below the root; they and the shares were computed from the
 * data, some of it sampled.) The limits lie between chess x407 25% and the rows with losses. Since
 * then, masks serve many sets at once (product_closure.cuh): that should lower the last column, but
 * was not measured. */
#define CLOSED_VECTORS 6656
#define CLOSED_PERCENT 61

/* Whether the rows of the root have most of its columns. */
static bool is_root_dense(const product_root *root) {
    double share = 0;
    for (uint32_t row = 0; row < root->n_rows; row++) share += root->supports[row];
    return share * 100 >= (double)CLOSED_PERCENT * root->n_rows * (double)root->n_columns;
}

/* Whether joint and large lattices serve the target. */
static bool joins_pay(const product_device *d, const product_frame *f) {
    if (d->target == CUDA_MAXIMAL || f->view.lists.items || f->view.total_vectors) return false;
    if (d->target == CUDA_ALL || d->config.lattice_items > 0) return true;
    return f->n_vectors >= (uint64_t)CLOSED_VECTORS * f->view.n_rows && is_root_dense(d->root);
}

/* The most partners of a lattice. */
static uint32_t choose_lattice_items(const product_device *d, const product_frame *f) {
    bool can = d->has_large && joins_pay(d, f) && f->after.high - f->after.low >= LARGE_ROOM;
    bool pays = f->n_vectors >= (uint64_t)LARGE_VECTORS * f->view.n_rows;
    if (!can) return CUDA_LATTICE_DIMS;
    if (d->config.lattice_items > 0) return d->config.lattice_items;
    return pays ? CUDA_LARGE_DIMS : CUDA_LATTICE_DIMS;
}

/* Whether earlier partners are checked separately, so that their number is not limited: for closed
 * sets this needs no counting (product_lattices.cu). */
static bool lattice_excludes_earlier(const product_device *d, const product_frame *f) {
    return d->target == CUDA_CLOSED && !f->view.lists.items && !f->view.total_vectors;
}

/* Chooses how many of the rows this call counts, and fills in the request for the kernels. */
static lode_status choose_rows(product_device *d, product_frame *f, const product_request *request,
                               uint64_t *n_pairs) {
    lode_status status = LODE_OK;
    cuda_request *a = &f->request;
    *a = (cuda_request){.first = request->first,
                        .end = request->end,
                        .end_class = f->view.n_classes,
                        .min_count = request->min_count ? request->min_count : 1,
                        .max_added = request->max_added,
                        .lattice_items = choose_lattice_items(d, f),
                        .excludes_earlier = lattice_excludes_earlier(d, f),
                        .target = d->target};
    *n_pairs = f->pairs;
    bool whole = a->first == 0 && a->end == f->view.n_rows;
    if (!whole) {
        LODE_TRY(fetch_classes(d, f));
        *n_pairs = pairs_before(f, a->end) - pairs_before(f, a->first);
    }
    size_t bytes = count_bytes(d, f, *n_pairs, a->end - a->first);
    product_widen(d, bytes);
    bool fits = bytes <= product_left(d) / 2;
    if (whole && fits && d->config.step == 0) return LODE_OK;
    LODE_TRY(fetch_classes(d, f));
    size_t most = product_left(d) / (fits || f->view.total_vectors ? 2 : DEEP_SHARE);
    a->end = last_row(d, f, a->first, a->end, most);
    a->first_class = class_of(f, a->first);
    a->end_class = class_of(f, a->end - 1) + 1;
    a->origin = pairs_before(f, a->first);
    *n_pairs = pairs_before(f, a->end) - a->origin;
done:
    return status;
}

/* ---- products ------------------------------------------------------------------------------ */

static cuda_product_tasks take_tasks(product_device *d, const product_frame *f) {
    tiling t = choose_tiling(d, f);
    size_t n = small_tasks(d, f);
    cuda_product_tasks tasks = {.n = d->numbers->tasks,
                                .tile_columns = t.columns,
                                .tile_chunk = t.chunk,
                                .small_chunk = small_chunk(d, f),
                                .all_in_tiles = d->kernel == CUDA_POPC};
    for (unsigned i = 0; i < CUDA_SMALL_SHAPES; i++) {
        tasks.small[i] = product_take_high(d, n * sizeof *tasks.small[i]);
    }
    tasks.tiles = product_take_high(d, t.n * sizeof *tasks.tiles);
    return tasks;
}

#define ONE_VECTORS 32 /* vectors of a row for each block, where there is one small class */
/* Pairs are counted one by one: a few pairs by a warp … */
#define FEW_VECTORS  64   /* … for rows of at most this many vectors … */
#define FEW_ROWS     256  /* … and at most this many rows; or by a block … */
#define SOME_VECTORS 1024 /* … for longer rows … */
#define SOME_ROWS    64   /* … if there are fewer of them */

/* Whether counting pair by pair is fastest; *wide: with a block, not a warp, for a few pairs. */
static bool pairs_pay(const product_device *d, const product_frame *f, bool *wide) {
    uint32_t n = f->view.n_rows, vectors = product_row_vectors(d, f);
    *wide = vectors > FEW_VECTORS;
    if (d->kernel == CUDA_POPC || f->request.adds) return false;
    return *wide ? n <= SOME_ROWS && vectors <= SOME_VECTORS : n <= FEW_ROWS;
}

/* Counts start from zero, unless they hold those of other slices. */
static lode_status clear_counts(product_device *d, const product_frame *f, size_t bytes) {
    lode_status status = LODE_OK;
    if (f->request.adds) return LODE_OK;
    PRODUCT_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(f->request.counts, 0, bytes, d->stream));
done:
    return status;
}

/* Vectors of a row of the root; 0 for other frames, where classes differ. */
static uint32_t root_vectors(const product_device *d, const product_frame *f) {
    return f == d->frames[0] ? product_row_vectors(d, f) : 0;
}

/* A single class of few rows. */
static lode_status multiply_small(product_device *d, product_frame *f, size_t count_bytes) {
    lode_status status = LODE_OK;
    uint32_t vectors = product_row_vectors(d, f);
    unsigned blocks = (vectors + ONE_VECTORS - 1) / ONE_VECTORS, most = 2 * d->card->n_sm;
    if (blocks > most) blocks = most;
    if (blocks > 1) LODE_TRY(clear_counts(d, f, count_bytes));
    PRODUCT_TRY(
        d, "kernel launch",
        cuda_launch_product_one(&f->view, &f->request, root_vectors(d, f), blocks, d->stream));
done:
    return status;
}

/* Handles a single class, such as the root. Its tasks need not be listed, which could take longer
 * than the product itself. */
static lode_status multiply_one(product_device *d, product_frame *f, cuda_product_tasks *tasks,
                                size_t count_bytes) {
    lode_status status = LODE_OK;
    uint32_t n = f->view.n_rows, vectors = product_row_vectors(d, f);
    bool wide;
    if (pairs_pay(d, f, &wide)) {
        PRODUCT_TRY(
            d, "kernel launch",
            cuda_launch_product_pairs(&f->view, &f->request, root_vectors(d, f), wide, d->stream));
        return LODE_OK;
    }
    if (n <= CUDA_SMALL_ROWS && !tasks->all_in_tiles) return multiply_small(d, f, count_bytes);
    if (tasks->tile_chunk < vectors) LODE_TRY(clear_counts(d, f, count_bytes));
    tasks->n_direct = cuda_direct_tile_tasks(tasks, &f->request, n, vectors);
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_product_tiles(&f->view, &f->request, tasks, d->kernel, d->card->n_sm,
                                          d->stream));
done:
    return status;
}

static lode_status multiply_many(product_device *d, product_frame *f, cuda_product_tasks *tasks,
                                 size_t count_bytes) {
    lode_status status = LODE_OK;
    const cuda_frame *v = &f->view;
    LODE_TRY(clear_counts(d, f, count_bytes));
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(tasks->n, 0, sizeof d->numbers->tasks, d->stream));
    PRODUCT_TRY(d, "kernel launch", cuda_launch_product_tasks(v, &f->request, tasks, d->stream));
    for (unsigned shape = 0; shape < CUDA_SMALL_SHAPES && !tasks->all_in_tiles; shape++) {
        PRODUCT_TRY(
            d, "kernel launch",
            cuda_launch_product_small(v, &f->request, tasks, shape, d->card->n_sm, d->stream));
    }
    if (f->tiles > 0 || tasks->all_in_tiles) {
        PRODUCT_TRY(
            d, "kernel launch",
            cuda_launch_product_tiles(v, &f->request, tasks, d->kernel, d->card->n_sm, d->stream));
    }
done:
    return status;
}

/* A root of lists: each column adds one to its pairs. */
static lode_status multiply_lists(product_device *d, product_frame *f, size_t count_bytes) {
    lode_status status = LODE_OK;
    LODE_TRY(clear_counts(d, f, count_bytes));
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_list_pairs(&f->view, &f->request, (uint32_t)d->root->n_columns,
                                       d->card->n_sm, d->stream));
done:
    return status;
}

/* Queues the products, slice by slice if the root is sliced. */
static lode_status multiply(product_device *d, product_frame *f, uint64_t n_pairs) {
    lode_status status = LODE_OK;
    size_t bytes = n_pairs * sizeof *f->request.counts;
    bool one = f->view.n_classes == 1 && f->view.n_rows < WIDE_ROWS;
    if (f->view.lists.items) return multiply_lists(d, f, bytes);
    cuda_product_tasks tasks = take_tasks(d, f);
    if (f->view.total_vectors) {
        LODE_TRY(clear_counts(d, f, bytes));
        f->request.adds = 1;
    }
    for (uint32_t s = 0; s < product_slices(d, f); s++) {
        if (f->view.total_vectors) LODE_TRY(product_load_slice(d, s));
        LODE_TRY(one ? multiply_one(d, f, &tasks, bytes) : multiply_many(d, f, &tasks, bytes));
    }
done:
    return status;
}

/* Adds to the report. */
static void note_products(product_device *d, const product_frame *f, uint64_t n_pairs) {
    product_depth *depth = product_depth_of(d);
    double part = f->pairs ? (double)n_pairs / (double)f->pairs : 0;
    uint32_t rows = f->request.end - f->request.first;
    depth->classes += f->request.end_class - f->request.first_class;
    depth->rows += rows;
    depth->pairs += n_pairs > rows ? (n_pairs - rows) / 2 : 0;
    depth->pair_bits += part * (double)f->pair_vectors * 128;
}

/* ---- what the counts say ------------------------------------------------------------------- */

static lode_status plan_rows(product_device *d, product_frame *f, cuda_row_plan *plans) {
    lode_status status = LODE_OK;
    uint32_t n = f->request.end - f->request.first;
    uint64_t *tally = d->config.fetch ? NULL : d->numbers->tally;
    size_t scratch_bytes = 0;
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_plan_rows(&f->view, &f->request, plans, tally, d->stream));
    PRODUCT_TRY(d, "cub scan", cuda_launch_plan_scan(plans, n, NULL, &scratch_bytes, d->stream));
    LODE_TRY(product_make_room(d, product_align(scratch_bytes), "the counts"));
    void *scratch = product_take_high(d, scratch_bytes);
    PRODUCT_TRY(d, "cub scan", cuda_launch_plan_scan(plans, n, scratch, &scratch_bytes, d->stream));
    PRODUCT_TRY(
        d, "cudaMemcpyAsync",
        cudaMemcpyAsync(d->pinned, plans + n, sizeof *plans, cudaMemcpyDeviceToHost, d->stream));
done:
    return status;
}

static void take_found(product_device *d, product_frame *f) {
    cuda_found *o = &f->found;
    size_t lattices = (size_t)f->totals.lattices + 1, children = (size_t)f->totals.children + 1;
    o->partners = product_take_low(d, f->totals.partners * sizeof *o->partners);
    o->supports = product_take_low(d, f->totals.partners * sizeof *o->supports);
    o->lattice_row = product_take_low(d, lattices * sizeof *o->lattice_row);
    o->lattice_partners = product_take_low(d, lattices * sizeof *o->lattice_partners);
    o->lattice_at = product_take_low(d, lattices * sizeof *o->lattice_at);
    o->lattice_sets_at = product_take_low(d, lattices * sizeof *o->lattice_sets_at);
    o->child_row = product_take_low(d, children * sizeof *o->child_row);
    o->child_partners = product_take_low(d, children * sizeof *o->child_partners);
    o->child_partners_at = product_take_low(d, children * sizeof *o->child_partners_at);
    o->child_first = product_take_low(d, children * sizeof *o->child_first);
    o->child_vectors = product_take_low(d, children * sizeof *o->child_vectors);
    o->child_earlier = product_take_low(d, children * sizeof *o->child_earlier);
    o->child_free = product_take_low(d, children * sizeof *o->child_free);
    o->child_at = product_take_low(d, children * sizeof *o->child_at);
    o->child_pairs = product_take_low(d, children * sizeof *o->child_pairs);
}

static lode_status place_found(product_device *d, product_frame *f, const cuda_row_plan *plans,
                               uint64_t **ends) {
    lode_status status = LODE_OK;
    uint32_t n = f->request.end - f->request.first;
    take_found(d, f);
    *ends = d->config.fetch ? product_take_high(d, n * sizeof **ends) : NULL;
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_plan_place(&f->view, &f->request, plans, &f->found, *ends, d->stream));
done:
    return status;
}

/* Finds which lattices are joint, and which are large. */
static lode_status find_histograms(product_device *d, product_frame *f,
                                   const cuda_row_plan *plans) {
    lode_status status = LODE_OK;
    cuda_histograms *t = &f->histograms;
    uint32_t n = f->totals.lattices;
    f->histograms_known = false;
    bool has_large = f->request.lattice_items > CUDA_LATTICE_DIMS;
    f->has_histograms = n > 0 && (has_large || joins_pay(d, f));
    if (!f->has_histograms) return LODE_OK;
    *t = (cuda_histograms){.rows = has_large ? CUDA_LARGE_DIMS : CUDA_JOINT_ROWS, .n_lattices = n};
    t->n = product_take_low(d, CUDA_N_LISTS * sizeof *t->n);
    t->joint = product_take_low(d, n * sizeof *t->joint);
    t->large = product_take_low(d, n * sizeof *t->large);
    t->single = product_take_low(d, n * sizeof *t->single);
    t->taken = product_take_high(d, n);
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(t->n, 0, CUDA_N_LISTS * sizeof *t->n, d->stream));
    PRODUCT_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(t->taken, 0, n, d->stream));
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_find_joint(&f->view, &f->request, plans, &f->found, t, d->stream));
done:
    return status;
}

static lode_status fetch_found(product_device *d, const product_frame *f, const uint64_t *ends,
                               product_counted *out) {
    lode_status status = LODE_OK;
    LODE_TRY(product_fetch_u64(d, &d->ends, ends, f->request.end - f->request.first));
    LODE_TRY(product_fetch_u32(d, &d->partners, f->found.partners, f->totals.partners));
    LODE_TRY(product_fetch_u32(d, &d->supports, f->found.supports, f->totals.partners));
    out->ends = d->ends.data;
    out->partners = d->partners.data;
    out->supports = d->supports.data;
done:
    return status;
}

/* ---- count --------------------------------------------------------------------------------- */

/* Forgets what the last count() found. */
static void start_over(product_device *d, product_frame *f) {
    d->room = f->after;
    f->child_firsts.n = f->child_ats.n = f->child_pairs.n = 0;
    f->lattice_sets_at.n = f->large.n = 0;
}

/* For benchmarks: keeps the device busy while the kernels after this are launched. */
static lode_status warm_up(product_device *d) {
    lode_status status = LODE_OK;
    size_t bytes =
        d->config.warmup_bytes < product_left(d) ? d->config.warmup_bytes : product_left(d);
    if (bytes == 0) return LODE_OK;
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(d->room.base + d->room.low, 0, bytes, d->stream));
done:
    return status;
}

static lode_status count_chosen(product_device *d, product_frame *f, uint64_t n_pairs,
                                product_counted *out) {
    lode_status status = LODE_OK;
    uint32_t n = f->request.end - f->request.first;
    uint64_t *ends = NULL;
    f->request.counts = product_take_high(d, n_pairs * sizeof *f->request.counts);
    cuda_row_plan *plans = product_take_high(d, ((size_t)n + 1) * sizeof *plans);
    LODE_TRY(warm_up(d));
    LODE_TRY(product_timer_start(d));
    if (n_pairs > 0) LODE_TRY(multiply(d, f, n_pairs));
    LODE_TRY(product_timer_stop(d));
    LODE_TRY(plan_rows(d, f, plans));
    LODE_TRY(product_wait(d));
    memcpy(&f->totals, d->pinned, sizeof f->totals);
    LODE_TRY(place_found(d, f, plans, &ends));
    LODE_TRY(find_histograms(d, f, plans));
    if (d->config.fetch) LODE_TRY(fetch_found(d, f, ends, out));
done:
    return status;
}

lode_status product_count(product_device *d, const product_request *request, product_counted *out) {
    lode_status status = LODE_OK;
    product_frame *f = product_top(d);
    uint64_t n_pairs = 0;
    double start = os_seconds();
    if (d->failed) return job_fail(d->job, LODE_DEVICE, "[cuda:%u] a copy failed", d->card->index);
    start_over(d, f);
    LODE_TRY(choose_rows(d, f, request, &n_pairs));
    if (request->max_added == 0) n_pairs = 0;
    LODE_TRY(product_make_room(d, count_bytes(d, f, n_pairs, f->request.end - f->request.first),
                               "the counts of a row"));
    LODE_TRY(count_chosen(d, f, n_pairs, out));
    if (n_pairs > 0) note_products(d, f, n_pairs);
    d->room.high = d->room.end;
    out->first = f->request.first;
    out->end = f->request.end;
    out->n_partners = f->totals.partners;
    out->n_subsumed = f->totals.subsumed;
    out->n_lattices = f->totals.lattices;
    out->n_children = f->totals.children;
    out->lattice_items = f->request.lattice_items;
    out->excludes_earlier = f->request.excludes_earlier;
    d->called += os_seconds() - start;
done:
    return status;
}
