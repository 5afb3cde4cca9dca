/* product_stack.c - the stack of frames in device memory, and spilling; see product_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "device/cuda/product_device.h"

lode_status product_frame_add(product_device *d, product_frame **out) {
    lode_status status = LODE_OK;
    void *frame = NULL;
    LODE_TRY(mem_zalloc(&d->job->mem, &frame, sizeof **d->frames));
    if (d->n_frames == d->frames_cap) {
        status = vec_grow(&d->job->mem, (void **)&d->frames, d->n_frames, &d->frames_cap, 1,
                          sizeof(void *));
    }
    if (status != LODE_OK) {
        mem_free(&d->job->mem, frame, sizeof **d->frames);
        return status;
    }
    *out = d->frames[d->n_frames++] = frame;
done:
    return status;
}

void product_frame_drop(product_device *d) {
    mem *m = &d->job->mem;
    product_frame *f = d->frames[--d->n_frames];
    vec_u32_free(m, &f->firsts);
    vec_u64_free(m, &f->pairs_at);
    vec_u32_free(m, &f->child_firsts);
    vec_u64_free(m, &f->child_ats);
    vec_u64_free(m, &f->child_pairs);
    vec_u64_free(m, &f->lattice_sets_at);
    vec_u32_free(m, &f->large);
    mem_free(m, f->spilled, f->spilled_bytes);
    mem_free(m, f, sizeof *f);
}

/* ---- spilling ------------------------------------------------------------------------------ */

/* Moves the frames below the top one, in its slab, to the host; all of their place becomes room. */
static lode_status spill(product_device *d, product_frame *top) {
    lode_status status = LODE_OK;
    size_t bytes = top->before.low;
    LODE_TRY(mem_resize(&d->job->mem, &top->spilled, 0, bytes));
    top->spilled_bytes = bytes;
    LODE_TRY(product_fetch(d, top->spilled, top->before.base, bytes));
    d->report.spilled_bytes += bytes;
    d->room = top->after = (product_room){top->before.base, 0, bytes, bytes, top->before.slab};
done:
    return status;
}

/* The frames below come back. */
static lode_status unspill(product_device *d, const product_frame *top) {
    return product_send(d, top->before.base, top->spilled, top->spilled_bytes);
}

lode_status product_make_room(product_device *d, size_t bytes, const char *what) {
    lode_status status = LODE_OK;
    product_frame *top = product_top(d);
    if (product_left(d) >= bytes || product_enter_slab(d, bytes)) return LODE_OK;
    if (!top->spilled && top->before.low >= bytes) {
        LODE_TRY(spill(d, top));
        return LODE_OK;
    }
    size_t missing = bytes - product_left(d);
    return job_fail(d->job, LODE_BUDGET, "the device memory is too small: %s need %.1f MiB more",
                    what, job_mib_up(missing));
done:
    return status;
}

void product_pop(product_device *d) {
    product_frame *f = product_top(d);
    double start = os_seconds();
    /* A failure stays with the device: the next call reports it. */
    if (f->spilled && unspill(d, f) != LODE_OK) d->failed = true;
    d->room = f->before;
    product_frame_drop(d);
    d->called += os_seconds() - start;
}

/* ---- a root that is larger than the device comes up in slices of its columns ----------------- */

/* Counts, histograms of lattices and rows of children grow from slice to slice. Every operation on
 * the root takes all slices once; frames below it are never sliced. */

/* Packs the slice of as many rows, starting with `row`, as fit half of the pinned memory. Returns
 * their number. */
static uint32_t slice_pack_rows(const product_device *d, uint32_t s, uint32_t row, uint8_t *to) {
    const product_root *root = d->root;
    size_t width = (size_t)d->slice_vectors * 16, length = root->row_words * 8, at = s * width;
    size_t left = at < length ? length - at : 0, there = left < width ? left : width;
    uint32_t most = (uint32_t)(PRODUCT_HALF / width), n = root->n_rows - row;
    if (n > most) n = most;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *from = (const uint8_t *)root->rows + (row + i) * length;
        memcpy(to + i * width, from + (there > 0 ? at : 0), there);
        memset(to + i * width + there, 0, width - there);
    }
    return n;
}

lode_status product_load_slice(product_device *d, uint32_t s) {
    lode_status status = LODE_OK;
    size_t width = (size_t)d->slice_vectors * 16;
    uint8_t *to = (uint8_t *)(uintptr_t)d->frames[0]->view.base;
    double start = os_seconds();
    unsigned turn = 0;
    for (uint32_t row = 0, n = 0; row < d->root->n_rows; row += n, turn ^= 1) {
        uint8_t *half = d->pinned + turn * PRODUCT_HALF;
        PRODUCT_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn]));
        n = slice_pack_rows(d, s, row, half);
        PRODUCT_TRY(
            d, "cudaMemcpyAsync",
            cudaMemcpyAsync(to + row * width, half, n * width, cudaMemcpyHostToDevice, d->stream));
        PRODUCT_TRY(d, "cudaEventRecord", cudaEventRecord(d->half_done[turn], d->stream));
        d->report.bytes_up += n * width;
    }
    /* The copies must finish before anything else uses the pinned memory. */
    for (turn = 0; turn < 2; turn++) {
        PRODUCT_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn]));
    }
    d->report.slices++;
    d->report.transfer += os_seconds() - start;
done:
    return status;
}

/* ---- push(): children become the classes of a new frame -------------------------------------- */

/* A range of children, and the memory they take in the new frame. */
typedef struct children {
    uint32_t first, end;
    uint32_t rows;
    uint64_t vectors, pairs;
} children;

static children all_children(const product_frame *f) {
    return (children){0, f->totals.children, f->totals.rows, f->totals.vectors, f->totals.pairs};
}

static lode_status fetch_children(product_device *d, product_frame *f) {
    lode_status status = LODE_OK;
    size_t n = (size_t)f->totals.children + 1;
    if (f->child_firsts.n == n) return LODE_OK;
    LODE_TRY(product_fetch_u32(d, &f->child_firsts, f->found.child_first, n));
    LODE_TRY(product_fetch_u64(d, &f->child_ats, f->found.child_at, n));
    LODE_TRY(product_fetch_u64(d, &f->child_pairs, f->found.child_pairs, n));
done:
    return status;
}

static children some_children(const product_frame *f, uint32_t first, uint32_t end) {
    return (children){first, end, f->child_firsts.data[end] - f->child_firsts.data[first],
                      f->child_ats.data[end] - f->child_ats.data[first],
                      f->child_pairs.data[end] - f->child_pairs.data[first]};
}

#define TABLES 9 /* of a frame; the size of each is rounded up */

/* Bytes of the new frame: rows and tables. */
static size_t frame_bytes(const children *c) {
    size_t classes = (size_t)(c->end - c->first) + 1;
    return c->vectors * 16 + (size_t)c->rows * 8 + classes * 32 + (size_t)TABLES * 128;
}

/* The most tasks: groups of rows, each cut into parts where columns are many. */
static size_t build_tasks(const product_frame *from, const children *c) {
    size_t parts = (size_t)from->max_vectors * 4 / CUDA_PART_WORDS + 1;
    return (c->rows / CUDA_GROUP_ROWS + (size_t)(c->end - c->first)) * parts;
}

/* Bytes that are needed only while the frame is built. */
static size_t build_bytes(const product_frame *from, const children *c) {
    size_t tasks = build_tasks(from, c);
    size_t fill = (size_t)(c->end - c->first) * 4;
    return (size_t)c->rows * 4 + fill + 2 * (tasks * sizeof(cuda_build_task) + 128) + 256;
}

/* The least room after a frame: enough to count one row, or compute one lattice, at a time. */
#define LEAST_BEHIND ((size_t)1 << 20)

/* If the children do not all fit half of the free memory, a frame takes one eighth of it
 * (DEEP_SHARE), because about as many frames will follow below it. A sliced root is read as a whole
 * for each frame, so it takes half. */
#define DEEP_SHARE 8

/* Takes children from `first` on: all, or as many as fit. */
static lode_status choose_children(product_device *d, product_frame *f, uint32_t first,
                                   children *out) {
    lode_status status = LODE_OK;
    children c = all_children(f);
    if (first > 0) {
        LODE_TRY(fetch_children(d, f));
        c = some_children(f, first, f->totals.children);
    }
    size_t bytes = frame_bytes(&c) + build_bytes(f, &c);
    product_widen(d, bytes);
    if (bytes <= product_left(d) / 2 && d->config.step == 0) {
        *out = c;
        return LODE_OK;
    }
    size_t most = product_left(d) / (f->view.total_vectors ? 2 : DEEP_SHARE);
    LODE_TRY(fetch_children(d, f));
    uint32_t low = first + 1, high = f->totals.children;
    while (low < high) { /* finds the largest end that fits */
        uint32_t middle = high - (high - low) / 2;
        c = some_children(f, first, middle);
        bool fits = frame_bytes(&c) + build_bytes(f, &c) <= most;
        if (d->config.step > 0 && c.rows > d->config.step) fits = false;
        if (fits) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *out = some_children(f, first, low);
done:
    return status;
}

static void frame_take_tables(product_device *d, product_frame *to, const children *c) {
    cuda_frame *v = &to->view;
    size_t classes = (size_t)(c->end - c->first) + 1;
    v->n_rows = c->rows;
    v->n_classes = c->end - c->first;
    v->row_class = product_take_low(d, c->rows * sizeof *v->row_class);
    v->row_support = product_take_low(d, c->rows * sizeof *v->row_support);
    v->class_first = product_take_low(d, classes * sizeof *v->class_first);
    v->class_at = product_take_low(d, classes * sizeof *v->class_at);
    v->class_pairs = product_take_low(d, classes * sizeof *v->class_pairs);
    v->class_vectors = product_take_low(d, classes * sizeof *v->class_vectors);
    v->class_earlier = product_take_low(d, classes * sizeof *v->class_earlier);
    v->class_free = product_take_low(d, classes * sizeof *v->class_free);
    v->base = product_take_low(d, c->vectors * 16);
}

static lode_status build_rows(product_device *d, const product_frame *from, const product_frame *to,
                              const cuda_build *b) {
    lode_status status = LODE_OK;
    const cuda_frame *old = &from->view, *new = &to->view;
    if (old->lists.items) {
        PRODUCT_TRY(
            d, "cudaMemsetAsync",
            cudaMemsetAsync((void *)(uintptr_t) new->base, 0, to->n_vectors * 16, d->stream));
        PRODUCT_TRY(d, "kernel launch",
                    cuda_launch_list_children(old, new, &from->found, b, d->card->n_sm, d->stream));
    } else {
        PRODUCT_TRY(d, "kernel launch",
                    cuda_launch_build_rows(old, new, &from->found, b, d->card->n_sm, d->stream));
    }
done:
    return status;
}

static lode_status build_slices(product_device *d, const product_frame *from,
                                const product_frame *to, cuda_build *b) {
    lode_status status = LODE_OK;
    size_t bytes = to->view.n_classes * sizeof *b->fill;
    b->fill = product_take_high(d, bytes);
    PRODUCT_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(b->fill, 0, bytes, d->stream));
    for (uint32_t s = 0; s < d->n_slices; s++) {
        b->slice_at = s * d->slice_vectors;
        b->last = s + 1 == d->n_slices;
        LODE_TRY(product_load_slice(d, s));
        LODE_TRY(build_rows(d, from, to, b));
        PRODUCT_TRY(d, "kernel launch",
                    cuda_launch_build_fill(&from->view, &to->view, &from->found, b, d->stream));
    }
done:
    return status;
}

/* Queues the kernels that make the new frame. b has its origins. */
static lode_status build_frame(product_device *d, const product_frame *from, product_frame *to,
                               const children *c, cuda_build *b) {
    lode_status status = LODE_OK;
    size_t high = d->room.high;
    size_t tasks = build_tasks(from, c);
    b->first_child = c->first;
    b->row_from = product_take_high(d, c->rows * sizeof *b->row_from);
    b->copy = product_take_high(d, tasks * sizeof *b->copy);
    b->gather = product_take_high(d, tasks * sizeof *b->gather);
    b->n = d->numbers->builds;
    LODE_TRY(product_timer_start(d));
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(b->n, 0, sizeof d->numbers->builds, d->stream));
    PRODUCT_TRY(d, "kernel launch",
                cuda_launch_build_tables(&from->view, &to->view, &from->found, b, d->stream));
    LODE_TRY(from->view.total_vectors ? build_slices(d, from, to, b) : build_rows(d, from, to, b));
    LODE_TRY(product_timer_stop(d));
done:
    d->room.high = high;
    return status;
}

/* Fills in what the host knows about the new frame. If it does not contain all children, some
 * figures are scaled in proportion. */
static void describe_frame(product_frame *to, const product_frame *from, const children *c) {
    double part = from->totals.pairs ? (double)c->pairs / (double)from->totals.pairs : 0;
    to->view.items = from->view.items + 1;
    to->pairs = c->pairs;
    to->n_vectors = c->vectors;
    to->max_vectors = from->max_vectors;
    /* Tiles of n rows: at most (n / side + 1)^2. */
    uint64_t tiles = c->pairs / (CUDA_TILE_ROWS * CUDA_TILE_ROWS) +
                     (uint64_t)c->rows * 2 / CUDA_TILE_ROWS + (c->end - c->first) + 1;
    to->tiles = tiles < from->totals.tiles ? tiles : from->totals.tiles;
    to->pair_vectors = (uint64_t)(part * (double)from->totals.pair_vectors);
}

lode_status product_push(product_device *d, uint32_t first, uint32_t *end, uint32_t *n_rows) {
    lode_status status = LODE_OK;
    product_frame *from = product_top(d), *to = NULL;
    children c;
    double start = os_seconds();
    LODE_TRY(choose_children(d, from, first, &c));
    size_t bytes = frame_bytes(&c) + build_bytes(from, &c) + LEAST_BEHIND;
    LODE_TRY(product_make_room(d, bytes, "the rows of a class"));
    cuda_build b = {0};
    if (first > 0) {
        b.row_origin = from->child_firsts.data[first];
        b.vector_origin = from->child_ats.data[first];
        b.pair_origin = from->child_pairs.data[first];
    }
    LODE_TRY(product_frame_add(d, &to));
    to->before = d->room;
    frame_take_tables(d, to, &c);
    describe_frame(to, from, &c);
    LODE_TRY(build_frame(d, from, to, &c, &b));
    to->after = d->room;
    *end = c.end;
    *n_rows = c.rows;
    d->called += os_seconds() - start;
done:
    return status;
}
