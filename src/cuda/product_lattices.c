/* product_cubes.c - the cubes of what was counted: a launch, and the results
 * SPDX-License-Identifier: Apache-2.0 */

#include "base/os.h"
#include "cuda/product_device.h"

#define SET_BYTES  16 /* for a set: its place, and where it is moved to */
#define CUBE_BYTES 16 /* for a cube: how many it has, and where they end */
#define FIXED      ((size_t)64 << 10)

#define HISTOGRAM       (sizeof(uint32_t) << CUDA_CUBE_DIMS)
#define LARGE_HISTOGRAM (sizeof(uint32_t) << CUDA_LARGE_DIMS)
#define LARGE_AT_ONCE   16 /* large cubes that there should be room for */

/* With slices, histograms wait for the next one. */
static size_t cubes_bytes(const product_frame *f, uint64_t sets, uint32_t cubes) {
    size_t waiting = f->view.total_vectors ? HISTOGRAM + sizeof(uint32_t) : 0;
    size_t large = f->ask.cube > CUDA_CUBE_DIMS ? LARGE_AT_ONCE * LARGE_HISTOGRAM : 0;
    return sets * SET_BYTES + cubes * (CUBE_BYTES + waiting) + large + FIXED;
}

#define HOST_SHARE 8                   /* of the budget that is left, for the sets of a call … */
#define HOST_MOST  ((size_t)512 << 20) /* … and bytes at the most */

/* Sets that the host has room for, should all of them be results. */
static uint64_t host_sets(const product_device *d) {
    size_t bytes = mem_left(&d->job->mem) / HOST_SHARE;
    return (bytes < HOST_MOST ? bytes : HOST_MOST) / (2 * sizeof(uint32_t));
}

/* How many cubes there is room for, and how many sets these may have. One goes in any case. */
static lode_status choose_cubes(product_device *d, product_frame *f, uint32_t first, uint32_t *end,
                                uint64_t *sets0, uint64_t *sets) {
    lode_status status = LODE_OK;
    size_t most = product_room(d);
    uint64_t most_sets = host_sets(d);
    if (d->how.step > 0 && most_sets > d->how.step) most_sets = d->how.step;
    *end = f->totals.cubes;
    *sets0 = 0;
    *sets = f->totals.cube_sets;
    if (first == 0 && *sets <= most_sets && cubes_bytes(f, *sets, *end) <= most) return LODE_OK;
    if (f->cube_sets_at.n == 0) {
        LODE_TRY(product_fetch_u64(d, &f->cube_sets_at, f->found.cube_sets_at, (size_t)*end + 1));
    }
    const uint64_t *at = f->cube_sets_at.data;
    uint32_t low = first + 1, high = *end;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        uint64_t some = at[middle] - at[first];
        if (some <= most_sets && cubes_bytes(f, some, middle - first) <= most) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *end = low;
    *sets0 = at[first];
    *sets = at[low] - at[first];
done:
    return status;
}

#define PART_WORDS 1024 /* of a row, that a block should find at the least */
#define TURNS      2    /* that a block should have, or one may keep all others waiting */

/* Few cubes of many columns are cut into parts, to keep all multiprocessors busy. */
static lode_status divide(product_device *d, const product_frame *f, size_t places, unsigned dims,
                          cuda_cube_work *work) {
    lode_status status = LODE_OK;
    size_t n = work->n, parts = TURNS * places / n, most = (size_t)f->max_vectors * 4 / PART_WORDS;
    size_t histogram = sizeof *work->histograms << dims;
    size_t bytes = n * (histogram + sizeof *work->arrived) + 256;
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(work->next, 0, sizeof *work->next, d->stream));
    if (parts > most) parts = most;
    work->sliced = f->view.total_vectors > 0;
    if (work->sliced) parts = d->n_slices;
    work->n_parts = 1;
    if (!work->sliced && (parts < 2 || bytes > product_room(d))) return LODE_OK;
    LODE_TRY(product_make_room(d, bytes, "the sets of cubes"));
    work->n_parts = (uint32_t)parts;
    work->histograms = product_take_high(d, n * histogram);
    work->arrived = product_take_high(d, n * sizeof *work->arrived);
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(work->histograms, 0, n * histogram, d->stream));
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(work->arrived, 0, n * sizeof *work->arrived, d->stream));
done:
    return status;
}

/* The cubes that have a histogram each, slice by slice; mostly there is one. */
static lode_status launch_loose(product_device *d, const product_frame *f, uint32_t first,
                                uint32_t end, const cuda_cube_results *results) {
    lode_status status = LODE_OK;
    cuda_cube_work work = {.next = &d->numbers->next_cube, .n = end - first};
    if (f->has_tails) {
        work.list = f->tails.loose;
        work.n = f->n_tails[CUDA_N_LOOSE];
    }
    if (work.n == 0) return LODE_OK;
    LODE_TRY(divide(d, f, (size_t)d->card->n_sm * CUDA_CUBES_SM, CUDA_CUBE_DIMS, &work));
    for (uint32_t s = 0; s < product_slices(d, f); s++) {
        if (work.sliced) {
            LODE_TRY(product_load_slice(d, s));
            CUDA_TRY(d, "cudaMemsetAsync",
                     cudaMemsetAsync(work.next, 0, sizeof *work.next, d->stream));
        }
        CUDA_TRY(d, "kernel launch",
                 cuda_launch_cubes(&f->view, &f->ask, &f->found, first, end, results, &work,
                                   d->card->n_sm, d->stream));
    }
done:
    return status;
}

static lode_status launch_tails(product_device *d, const product_frame *f, uint32_t first,
                                uint32_t end, const cuda_cube_results *results) {
    lode_status status = LODE_OK;
    cuda_cube_work work = {.next = &d->numbers->next_tail, .n = f->n_tails[CUDA_N_TAILS]};
    if (work.n == 0) return LODE_OK;
    LODE_TRY(divide(d, f, (size_t)d->card->n_sm * CUDA_TAILS_SM, CUDA_TAIL_ROWS, &work));
    CUDA_TRY(d, "kernel launch",
             cuda_launch_tails(&f->view, &f->ask, &f->found, &f->tails, first, end, results, &work,
                               d->card->n_sm, d->stream));
done:
    return status;
}

static bool tail_before(const cuda_tail *a, const cuda_tail *b) {
    return a->first_cube < b->first_cube;
}

#define SORT_NAME   sort_tails
#define SORT_TYPE   cuda_tail
#define SORT_BEFORE tail_before
#include "base/sort_body.h"

/* Which of the large ones have cubes among [first, end): [*from, *to) of them, once they are in
 * order, so that a call which takes some cubes does not count all. */
static lode_status find_large(product_device *d, product_frame *f, uint32_t first, uint32_t end,
                              uint32_t *from, uint32_t *to) {
    lode_status status = LODE_OK;
    uint32_t n = f->n_tails[CUDA_N_LARGE];
    *from = 0;
    *to = n;
    if (n == 0 || end - first == f->totals.cubes) return LODE_OK;
    if (f->large.n == 0) {
        LODE_TRY(product_fetch_u32(d, &f->large, (const uint32_t *)f->tails.large,
                                   n * (sizeof *f->tails.large / sizeof(uint32_t))));
        sort_tails((cuda_tail *)f->large.data, n, NULL);
        LODE_TRY(product_send(d, f->tails.large, f->large.data, n * sizeof *f->tails.large));
    }
    const cuda_tail *large = (const cuda_tail *)f->large.data;
    while (*from < n && large[*from].first_cube + large[*from].n_cubes <= first) ++*from;
    while (*to > *from && large[*to - 1].first_cube >= end) --*to;
done:
    return status;
}

/* As many at a time as there is room for histograms. */
static lode_status launch_large(product_device *d, const product_frame *f, uint32_t from,
                                uint32_t to, uint32_t first, uint32_t end,
                                const cuda_cube_results *results) {
    lode_status status = LODE_OK;
    if (from == to) return LODE_OK;
    LODE_TRY(product_make_room(d, LARGE_HISTOGRAM, "the sets of a cube"));
    size_t most = product_room(d) / LARGE_HISTOGRAM;
    if (most > to - from) most = to - from;
    uint32_t *histograms = product_take_high(d, most * LARGE_HISTOGRAM);
    for (uint32_t at = from, next; at < to; at = next) {
        next = to - at < most ? to : at + (uint32_t)most;
        cuda_cube_work work = {.n = next - at,
                               .n_parts = f->max_vectors * 4 / CUDA_LARGE_WORDS + 1,
                               .histograms = histograms};
        CUDA_TRY(d, "cudaMemsetAsync",
                 cudaMemsetAsync(histograms, 0, work.n * LARGE_HISTOGRAM, d->stream));
        CUDA_TRY(d, "kernel launch",
                 cuda_launch_large(&f->view, &f->ask, &f->found, f->tails.large + at, first, end,
                                   results, &work, d->card->n_sm, d->stream));
    }
done:
    return status;
}

static lode_status launch(product_device *d, product_frame *f, uint32_t first, uint32_t end,
                          const cuda_cube_results *results) {
    lode_status status = LODE_OK;
    uint32_t from = 0, to = 0;
    if (f->has_tails && !f->tails_known) {
        LODE_TRY(product_fetch(d, f->n_tails, f->tails.n, sizeof f->n_tails));
        f->tails_known = true;
    }
    if (f->has_tails) LODE_TRY(find_large(d, f, first, end, &from, &to));
    LODE_TRY(product_span_begin(d));
    if (f->has_tails) { /* large ones first: they need room, the others can do without */
        LODE_TRY(launch_large(d, f, from, to, first, end, results));
        LODE_TRY(launch_tails(d, f, first, end, results));
    }
    LODE_TRY(launch_loose(d, f, first, end, results));
    LODE_TRY(product_span_end(d));
done:
    return status;
}

static lode_status fetch_cubes(product_device *d, product_frame *f, uint32_t first,
                               product_cubes *out) {
    lode_status status = LODE_OK;
    uint32_t end;
    uint64_t most;
    size_t scratch_bytes = 0;
    cuda_cube_results r = {0};
    LODE_TRY(choose_cubes(d, f, first, &end, &r.sets0, &most));
    uint32_t n = end - first;
    LODE_TRY(product_make_room(d, cubes_bytes(f, most, n), "the sets of a cube"));
    r.n = product_take_high(d, n * sizeof *r.n);
    r.sets = product_take_high(d, most * sizeof *r.sets);
    r.supports = product_take_high(d, most * sizeof *r.supports);
    uint64_t *ends = product_take_high(d, n * sizeof *ends);
    uint32_t *sets = product_take_high(d, most * sizeof *sets);
    uint32_t *supports = product_take_high(d, most * sizeof *supports);
    /* Its scratch before the launch, which may take all the room that is left. */
    CUDA_TRY(d, "cub scan",
             cuda_launch_cube_pack(&f->found, first, end, &r, ends, sets, supports, NULL,
                                   &scratch_bytes, d->stream));
    LODE_TRY(product_make_room(d, product_align(scratch_bytes), "the sets of a cube"));
    void *scratch = product_take_high(d, scratch_bytes);
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(r.n, 0, n * sizeof *r.n, d->stream));
    LODE_TRY(launch(d, f, first, end, &r));
    CUDA_TRY(d, "cub scan",
             cuda_launch_cube_pack(&f->found, first, end, &r, ends, sets, supports, scratch,
                                   &scratch_bytes, d->stream));
    LODE_TRY(product_fetch_u64(d, &d->ends, ends, n));
    uint64_t n_sets = d->ends.data[n - 1];
    LODE_TRY(product_fetch_u32(d, &d->partners, sets, n_sets));
    LODE_TRY(product_fetch_u32(d, &d->supports, supports, n_sets));
    LODE_TRY(product_fetch_u32(d, &d->cube_rows, f->found.cube_row + first, n));
    *out = (product_cubes){first,           end, d->cube_rows.data, d->ends.data, d->partners.data,
                           d->supports.data};
done:
    d->high = f->high;
    return status;
}

static void note_cubes(product_device *d, const product_frame *f, uint32_t first) {
    product_depth *depth = product_depth_of(d);
    if (first > 0) return;
    depth->cubes += f->totals.cubes;
    depth->cube_sets += f->totals.cube_sets;
    depth->cube_bits += (double)f->totals.cube_vectors * 128;
}

lode_status product_cubes_work(product_device *d, uint32_t first, product_cubes *out) {
    lode_status status = LODE_OK;
    product_frame *f = product_top(d);
    double start = os_seconds();
    note_cubes(d, f, first);
    if (d->how.fetch) {
        LODE_TRY(fetch_cubes(d, f, first, out));
    } else {
        cuda_cube_results r = {.tally = d->numbers->tally};
        uint32_t end = f->totals.cubes;
        /* A tail is counted as a whole, so its cubes must not be divided; they need no room. */
        while (!f->has_tails && end > first + 1 &&
               cubes_bytes(f, 0, end - first) > product_room(d)) {
            end = first + (end - first + 1) / 2;
        }
        LODE_TRY(launch(d, f, first, end, &r));
        d->high = f->high;
        *out = (product_cubes){.first = first, .end = end};
    }
    d->called += os_seconds() - start;
done:
    return status;
}
