/* product_lattices.c - lattices(): launches histograms and fetches their results; see
 * product_device.h
 * SPDX-License-Identifier: Apache-2.0 */

#include "base/os.h"
#include "device/cuda/product_device.h"

#define SET_BYTES     16 /* for each set: its place, and the place that it is packed to */
#define LATTICE_BYTES 16 /* for each lattice: how many results it has, and where they end */
#define FIXED         ((size_t)64 << 10)

#define HISTOGRAM       (sizeof(uint32_t) << CUDA_LATTICE_DIMS)
#define LARGE_HISTOGRAM (sizeof(uint32_t) << CUDA_LARGE_DIMS)
#define LARGE_AT_ONCE   16 /* large lattices that there should be room for */

/* Bytes of a large histogram; for closed sets, with its supports. */
static size_t large_bytes(const product_frame *f) {
    return f->request.target == CUDA_CLOSED ? 2 * LARGE_HISTOGRAM : LARGE_HISTOGRAM;
}

/* Returns the device memory for lattices of this many sets. If the root is sliced, each lattice
 * needs a histogram that persists from slice to slice. */
static size_t lattices_bytes(const product_frame *f, uint64_t sets, uint32_t lattices) {
    bool has_large = f->request.lattice_items > CUDA_LATTICE_DIMS;
    size_t sliced = f->view.total_vectors ? HISTOGRAM + sizeof(uint32_t) : 0;
    size_t large = has_large ? LARGE_AT_ONCE * large_bytes(f) : 0;
    return sets * SET_BYTES + lattices * (LATTICE_BYTES + sliced) + large + FIXED;
}

#define HOST_SHARE 8                   /* sets of a call take 1/8 of the budget that is left … */
#define HOST_MOST  ((size_t)512 << 20) /* … and at most this many bytes */

/* How many sets the host has room for, should all of them be results. */
static uint64_t host_sets(const product_device *d) {
    size_t bytes = mem_left(&d->job->mem) / HOST_SHARE;
    return (bytes < HOST_MOST ? bytes : HOST_MOST) / (2 * sizeof(uint32_t));
}

/* Some lattices, and the sets that they have together. */
typedef struct lattice_range {
    uint32_t first, end;
    uint64_t set_origin, sets;
} lattice_range;

/* Takes lattices from r->first on: as many as there is room for, and one in any case. */
static lode_status choose_lattices(product_device *d, product_frame *f, lattice_range *r) {
    lode_status status = LODE_OK;
    size_t most = product_left(d);
    uint64_t most_sets = host_sets(d);
    if (d->config.step > 0 && most_sets > d->config.step) most_sets = d->config.step;
    r->end = f->totals.lattices;
    r->set_origin = 0;
    r->sets = f->totals.lattice_sets;
    bool all = r->sets <= most_sets && lattices_bytes(f, r->sets, r->end) <= most;
    if (r->first == 0 && all) return LODE_OK;
    if (f->lattice_sets_at.n == 0) {
        LODE_TRY(product_fetch_u64(d, &f->lattice_sets_at, f->found.lattice_sets_at,
                                   (size_t)r->end + 1));
    }
    const uint64_t *at = f->lattice_sets_at.data;
    uint32_t low = r->first + 1, high = r->end;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        uint64_t some = at[middle] - at[r->first];
        if (some <= most_sets && lattices_bytes(f, some, middle - r->first) <= most) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    r->end = low;
    r->set_origin = at[r->first];
    r->sets = at[low] - at[r->first];
done:
    return status;
}

#define PART_WORDS 1024 /* the fewest words of a row in a part */
#define TURNS      2 /* parts for each block: with one, a long part may keep all others waiting */

/* Divides the columns of a few lattices into parts, to keep all multiprocessors busy. `places` is
 * the number of blocks that run at the same time. */
static lode_status divide_columns(product_device *d, const product_frame *f, size_t places,
                                  unsigned dims, cuda_lattice_work *work) {
    lode_status status = LODE_OK;
    size_t n = work->n, parts = TURNS * places / n, most = (size_t)f->max_vectors * 4 / PART_WORDS;
    size_t histogram = sizeof *work->histograms << dims;
    size_t bytes = n * (histogram + sizeof *work->arrived) + 256;
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(work->next, 0, sizeof *work->next, d->stream));
    if (parts > most) parts = most;
    work->sliced = f->view.total_vectors > 0;
    if (work->sliced) parts = d->n_slices;
    work->n_parts = 1;
    if (!work->sliced && (parts < 2 || bytes > product_left(d))) return LODE_OK;
    LODE_TRY(product_make_room(d, bytes, "the sets of subset lattices"));
    work->n_parts = (uint32_t)parts;
    work->histograms = product_take_high(d, n * histogram);
    work->arrived = product_take_high(d, n * sizeof *work->arrived);
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(work->histograms, 0, n * histogram, d->stream));
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(work->arrived, 0, n * sizeof *work->arrived, d->stream));
done:
    return status;
}

/* The lattices that have a histogram of their own, slice by slice if the root is sliced. */
static lode_status launch_single(product_device *d, const product_frame *f,
                                 const cuda_lattice_call *call) {
    lode_status status = LODE_OK;
    cuda_lattice_work work = {.next = &d->numbers->next_lattice, .n = call->end - call->first};
    if (f->has_histograms) {
        work.list = f->histograms.single;
        work.n = f->n_histograms[CUDA_N_SINGLE];
    }
    if (work.n == 0) return LODE_OK;
    LODE_TRY(
        divide_columns(d, f, (size_t)d->card->n_sm * CUDA_LATTICES_SM, CUDA_LATTICE_DIMS, &work));
    for (uint32_t s = 0; s < product_slices(d, f); s++) {
        if (work.sliced) {
            LODE_TRY(product_load_slice(d, s));
            PRODUCT_TRY(d, "cudaMemsetAsync",
                        cudaMemsetAsync(work.next, 0, sizeof *work.next, d->stream));
        }
        PRODUCT_TRY(d, "kernel launch", cuda_launch_lattices(call, &work));
    }
done:
    return status;
}

static lode_status launch_joint(product_device *d, const product_frame *f,
                                const cuda_lattice_call *call) {
    lode_status status = LODE_OK;
    cuda_lattice_work work = {.next = &d->numbers->next_joint, .n = f->n_histograms[CUDA_N_JOINT]};
    if (work.n == 0) return LODE_OK;
    LODE_TRY(divide_columns(d, f, (size_t)d->card->n_sm * CUDA_JOINT_SM, CUDA_JOINT_ROWS, &work));
    PRODUCT_TRY(d, "kernel launch", cuda_launch_joint(call, f->histograms.joint, &work));
done:
    return status;
}

static bool histogram_before(const cuda_histogram *a, const cuda_histogram *b) {
    return a->first_lattice < b->first_lattice;
}

#define SORT_NAME   sort_histograms
#define SORT_TYPE   cuda_histogram
#define SORT_BEFORE histogram_before
#include "base/sort_body.h"

/* Finds the large histograms [*from, *to) with lattices among [first, end). They are sorted by
 * lattice, so that a call for some lattices does not count all histograms. */
static lode_status find_large(product_device *d, product_frame *f, const cuda_lattice_call *call,
                              uint32_t *from, uint32_t *to) {
    lode_status status = LODE_OK;
    uint32_t n = f->n_histograms[CUDA_N_LARGE];
    *from = 0;
    *to = n;
    if (n == 0 || call->end - call->first == f->totals.lattices) return LODE_OK;
    if (f->large.n == 0) {
        LODE_TRY(product_fetch_u32(d, &f->large, (const uint32_t *)f->histograms.large,
                                   n * (sizeof *f->histograms.large / sizeof(uint32_t))));
        sort_histograms((cuda_histogram *)f->large.data, n, NULL);
        LODE_TRY(
            product_send(d, f->histograms.large, f->large.data, n * sizeof *f->histograms.large));
    }
    const cuda_histogram *large = (const cuda_histogram *)f->large.data;
    while (*from < n && large[*from].first_lattice + large[*from].n_lattices <= call->first) {
        ++*from;
    }
    while (*to > *from && large[*to - 1].first_lattice >= call->end) --*to;
done:
    return status;
}

/* Large histograms [from, to), as many at a time as there is room for. */
static lode_status launch_large(product_device *d, const product_frame *f,
                                const cuda_lattice_call *call, uint32_t from, uint32_t to) {
    lode_status status = LODE_OK;
    if (from == to) return LODE_OK;
    bool closed = f->request.target == CUDA_CLOSED;
    LODE_TRY(product_make_room(d, large_bytes(f), "the sets of a subset lattice"));
    size_t most = product_left(d) / large_bytes(f);
    if (most > to - from) most = to - from;
    uint32_t *histograms = product_take_high(d, most * LARGE_HISTOGRAM);
    uint32_t *supports = closed ? product_take_high(d, most * LARGE_HISTOGRAM) : NULL;
    for (uint32_t at = from, next; at < to; at = next) {
        next = to - at < most ? to : at + (uint32_t)most;
        cuda_lattice_work work = {.n = next - at,
                                  .n_parts = f->max_vectors * 4 / CUDA_LARGE_WORDS + 1,
                                  .histograms = histograms,
                                  .supports = supports};
        PRODUCT_TRY(d, "cudaMemsetAsync",
                    cudaMemsetAsync(histograms, 0, work.n * LARGE_HISTOGRAM, d->stream));
        PRODUCT_TRY(d, "kernel launch", cuda_launch_large(call, f->histograms.large + at, &work));
    }
done:
    return status;
}

static lode_status launch_all(product_device *d, product_frame *f, const cuda_lattice_call *call) {
    lode_status status = LODE_OK;
    uint32_t from = 0, to = 0;
    if (f->has_histograms && !f->histograms_known) {
        LODE_TRY(product_fetch(d, f->n_histograms, f->histograms.n, sizeof f->n_histograms));
        f->histograms_known = true;
    }
    if (f->has_histograms) LODE_TRY(find_large(d, f, call, &from, &to));
    LODE_TRY(product_timer_start(d));
    if (f->has_histograms) { /* large ones first: they need room, the others can do without */
        LODE_TRY(launch_large(d, f, call, from, to));
        LODE_TRY(launch_joint(d, f, call));
    }
    LODE_TRY(launch_single(d, f, call));
    LODE_TRY(product_timer_stop(d));
done:
    return status;
}

static cuda_lattice_call lattice_call(product_device *d, const product_frame *f,
                                      const lattice_range *range,
                                      const cuda_lattice_results *results) {
    return (cuda_lattice_call){.frame = &f->view,
                               .request = &f->request,
                               .found = &f->found,
                               .first = range->first,
                               .end = range->end,
                               .results = results,
                               .n_sm = d->card->n_sm,
                               .stream = d->stream};
}

static lode_status fetch_lattices(product_device *d, product_frame *f, uint32_t first,
                                  product_lattices *out) {
    lode_status status = LODE_OK;
    lattice_range range = {.first = first};
    LODE_TRY(choose_lattices(d, f, &range));
    uint32_t n = range.end - first;
    LODE_TRY(
        product_make_room(d, lattices_bytes(f, range.sets, n), "the sets of a subset lattice"));
    cuda_lattice_results r = {.set_origin = range.set_origin};
    r.n = product_take_high(d, n * sizeof *r.n);
    r.sets = product_take_high(d, range.sets * sizeof *r.sets);
    r.supports = product_take_high(d, range.sets * sizeof *r.supports);
    cuda_lattice_pack pack = {0};
    pack.ends = product_take_high(d, n * sizeof *pack.ends);
    pack.sets = product_take_high(d, range.sets * sizeof *pack.sets);
    pack.supports = product_take_high(d, range.sets * sizeof *pack.supports);
    cuda_lattice_call call = lattice_call(d, f, &range, &r);
    /* Take the scratch memory first: launches may take all the room that is left. */
    PRODUCT_TRY(d, "cub scan", cuda_launch_lattice_pack(&call, &pack));
    LODE_TRY(
        product_make_room(d, product_align(pack.scratch_bytes), "the sets of a subset lattice"));
    pack.scratch = product_take_high(d, pack.scratch_bytes);
    PRODUCT_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(r.n, 0, n * sizeof *r.n, d->stream));
    LODE_TRY(launch_all(d, f, &call));
    PRODUCT_TRY(d, "cub scan", cuda_launch_lattice_pack(&call, &pack));
    LODE_TRY(product_fetch_u64(d, &d->ends, pack.ends, n));
    uint64_t n_sets = d->ends.data[n - 1];
    LODE_TRY(product_fetch_u32(d, &d->partners, pack.sets, n_sets));
    LODE_TRY(product_fetch_u32(d, &d->supports, pack.supports, n_sets));
    LODE_TRY(product_fetch_u32(d, &d->lattice_rows, f->found.lattice_row + first, n));
    *out = (product_lattices){first,        range.end,        d->lattice_rows.data,
                              d->ends.data, d->partners.data, d->supports.data};
done:
    d->room.high = d->room.end;
    return status;
}

/* Without `fetch`, results are added to the tally of the device. */
static lode_status tally_lattices(product_device *d, product_frame *f, uint32_t first,
                                  product_lattices *out) {
    lode_status status = LODE_OK;
    cuda_lattice_results r = {.tally = d->numbers->tally};
    lattice_range range = {.first = first, .end = f->totals.lattices};
    /* The lattices of a joint one must not be divided. They need no room here. */
    while (!f->has_histograms && range.end > first + 1 &&
           lattices_bytes(f, 0, range.end - first) > product_left(d)) {
        range.end = first + (range.end - first + 1) / 2;
    }
    cuda_lattice_call call = lattice_call(d, f, &range, &r);
    LODE_TRY(launch_all(d, f, &call));
    d->room.high = d->room.end;
    *out = (product_lattices){.first = first, .end = range.end};
done:
    return status;
}

static void note_lattices(product_device *d, const product_frame *f) {
    product_depth *depth = product_depth_of(d);
    depth->lattices += f->totals.lattices;
    depth->lattice_sets += f->totals.lattice_sets;
    depth->lattice_bits += (double)f->totals.lattice_vectors * 128;
}

lode_status product_count_lattices(product_device *d, uint32_t first, product_lattices *out) {
    lode_status status = LODE_OK;
    product_frame *f = product_top(d);
    double start = os_seconds();
    if (first == 0) note_lattices(d, f);
    LODE_TRY(d->config.fetch ? fetch_lattices(d, f, first, out) : tally_lattices(d, f, first, out));
    d->called += os_seconds() - start;
done:
    return status;
}
