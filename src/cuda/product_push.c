/* product_frames.c - the stack of frames on the device: push, pop, and what does not fit
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "cuda/product_device.h"

/* ---- life ---------------------------------------------------------------------------------- */

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
    vec_u64_free(m, &f->cube_sets_at);
    vec_u32_free(m, &f->large);
    mem_free(m, f->spilled, f->spilled_bytes);
    mem_free(m, f, sizeof *f);
}

/* ---- what does not fit --------------------------------------------------------------------- */

static lode_status spill(product_device *d, product_frame *top) {
    lode_status status = LODE_OK;
    size_t bytes = top->begin;
    LODE_TRY(mem_resize(&d->job->mem, &top->spilled, 0, bytes));
    top->spilled_bytes = bytes;
    LODE_TRY(product_fetch(d, top->spilled, d->pool, bytes));
    d->report.spilled_bytes += bytes;
    top->low_before = d->low;
    top->high_before = d->high;
    d->low = top->low = 0;
    d->high = top->high = bytes;
done:
    return status;
}

static lode_status unspill(product_device *d, product_frame *top) {
    lode_status status = LODE_OK;
    LODE_TRY(product_send(d, d->pool, top->spilled, top->spilled_bytes));
    d->low = top->low_before;
    d->high = top->high_before;
done:
    return status;
}

lode_status product_make_room(product_device *d, size_t bytes, const char *what) {
    lode_status status = LODE_OK;
    product_frame *top = product_top(d);
    if (product_room(d) >= bytes) return LODE_OK;
    if (!top->spilled && top->begin >= bytes) {
        LODE_TRY(spill(d, top));
        return LODE_OK;
    }
    size_t missing = bytes - product_room(d);
    return job_fail(d->job, LODE_BUDGET, "the device memory is too small: %s need %.1f MiB more",
                    what, job_mib_up(missing));
done:
    return status;
}

/* ---- push ---------------------------------------------------------------------------------- */

/* What a part of the children takes. */
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

#define TABLES 9 /* of a frame; each may be rounded up */

static size_t frame_bytes(const children *c) {
    size_t classes = (size_t)(c->end - c->first) + 1;
    return c->vectors * 16 + (size_t)c->rows * 8 + classes * 32 + (size_t)TABLES * 128;
}

/* Groups of rows, in parts of the columns where they are many. */
static size_t build_tasks(const product_frame *from, const children *c) {
    size_t parts = (size_t)from->max_vectors * 4 / CUDA_PART_WORDS + 1;
    return (c->rows / CUDA_GROUP_ROWS + (size_t)(c->end - c->first)) * parts;
}

/* For building: sources of rows, and tasks. */
static size_t build_bytes(const product_frame *from, const children *c) {
    size_t tasks = build_tasks(from, c);
    size_t fill = (size_t)(c->end - c->first) * 4;
    return (size_t)c->rows * 4 + fill + 2 * (tasks * sizeof(cuda_build_task) + 128) + 256;
}

/* What a frame needs behind it at the least: one row counted at a time, and one cube. */
#define LEAST_BEHIND ((size_t)1 << 20)

/* As many children as may go together: all, if that leaves half of the room to what follows. */
static lode_status choose_children(product_device *d, product_frame *f, uint32_t first,
                                   children *out) {
    lode_status status = LODE_OK;
    children c = all_children(f);
    size_t most = product_room(d) / 2;
    bool whole = first == 0 && frame_bytes(&c) + build_bytes(f, &c) <= most && d->how.step == 0;
    if (whole) {
        *out = c;
        return LODE_OK;
    }
    LODE_TRY(fetch_children(d, f));
    uint32_t low = first + 1, high = f->totals.children;
    while (low < high) { /* the largest end that fits */
        uint32_t middle = high - (high - low) / 2;
        c = some_children(f, first, middle);
        bool fits = frame_bytes(&c) + build_bytes(f, &c) <= most;
        if (d->how.step > 0 && c.rows > d->how.step) fits = false;
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

static void take_tables(product_device *d, product_frame *to, const children *c) {
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
    v->class_watch = product_take_low(d, classes * sizeof *v->class_watch);
    v->class_free = product_take_low(d, classes * sizeof *v->class_free);
    v->base = product_take_low(d, c->vectors * 16);
}

static lode_status build_rows(product_device *d, const product_frame *from, const product_frame *to,
                              const cuda_build *b) {
    lode_status status = LODE_OK;
    const cuda_frame *old = &from->view, *new = &to->view;
    if (old->lists.items) {
        CUDA_TRY(d, "cudaMemsetAsync",
                 cudaMemsetAsync((void *)(uintptr_t) new->base, 0, to->n_vectors * 16, d->stream));
        CUDA_TRY(d, "kernel launch",
                 cuda_launch_list_children(old, new, &from->found, b, d->card->n_sm, d->stream));
    } else {
        CUDA_TRY(d, "kernel launch",
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
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(b->fill, 0, bytes, d->stream));
    for (uint32_t s = 0; s < d->n_slices; s++) {
        b->slice_at = s * d->slice_vectors;
        b->last = s + 1 == d->n_slices;
        LODE_TRY(product_load_slice(d, s));
        LODE_TRY(build_rows(d, from, to, b));
        CUDA_TRY(d, "kernel launch",
                 cuda_launch_build_fill(&from->view, &to->view, &from->found, b, d->stream));
    }
done:
    return status;
}

static lode_status build(product_device *d, const product_frame *from, product_frame *to,
                         const children *c, uint64_t at0, uint64_t pairs0, uint32_t first0) {
    lode_status status = LODE_OK;
    size_t high = d->high;
    size_t tasks = build_tasks(from, c);
    cuda_build b = {.first_child = c->first, .first0 = first0, .at0 = at0, .pairs0 = pairs0};
    b.row_from = product_take_high(d, c->rows * sizeof *b.row_from);
    b.copy = product_take_high(d, tasks * sizeof *b.copy);
    b.gather = product_take_high(d, tasks * sizeof *b.gather);
    b.n = d->numbers->builds;
    LODE_TRY(product_span_begin(d));
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(b.n, 0, sizeof d->numbers->builds, d->stream));
    CUDA_TRY(d, "kernel launch",
             cuda_launch_build_tables(&from->view, &to->view, &from->found, &b, d->stream));
    LODE_TRY(from->view.total_vectors ? build_slices(d, from, to, &b)
                                      : build_rows(d, from, to, &b));
    LODE_TRY(product_span_end(d));
done:
    d->high = high;
    return status;
}

/* What is known of the new frame; of a part of the children, in proportion. */
static void describe(product_frame *to, const product_frame *from, const children *c) {
    double part = from->totals.pairs ? (double)c->pairs / (double)from->totals.pairs : 0;
    to->view.items = from->view.items + 1;
    to->pairs = c->pairs;
    to->n_vectors = c->vectors;
    to->max_vectors = from->max_vectors;
    /* Tiles of n rows: (n / side + 1)^2 at the most. */
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
    if (product_room(d) < bytes) LODE_TRY(product_make_room(d, bytes, "the rows of a class"));
    uint64_t at0 = first ? from->child_ats.data[first] : 0;
    uint64_t pairs0 = first ? from->child_pairs.data[first] : 0;
    uint32_t first0 = first ? from->child_firsts.data[first] : 0;
    size_t begin = d->low;
    LODE_TRY(product_frame_add(d, &to));
    to->begin = begin;
    take_tables(d, to, &c);
    describe(to, from, &c);
    LODE_TRY(build(d, from, to, &c, at0, pairs0, first0));
    to->low = d->low;
    to->high = d->high;
    *end = c.end;
    *n_rows = c.rows;
    d->called += os_seconds() - start;
done:
    return status;
}

void product_pop(product_device *d) {
    product_frame *f = product_top(d);
    double start = os_seconds();
    /* A failure stays with the device: the next call reports it. */
    if (f->spilled && unspill(d, f) != LODE_OK) d->failed = true;
    d->low = f->begin;
    product_frame_drop(d);
    if (d->n_frames > 0) d->high = product_top(d)->high;
    d->called += os_seconds() - start;
}
