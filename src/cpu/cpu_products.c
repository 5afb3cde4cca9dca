/* cpu_products.c - backend/products.h on the CPU: frames, calls, tallies
 *
 * Calls do as much as keeps what they make in the cache, and a signal from the user waiting for
 * milliseconds only; where the budget is tight they do less, down to one row. What one row needs is
 * in product_rows.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cpu/device.h"
#include "cpu/product.h"

#define STEP_PARTNERS 65536  /* found by a call of count() */
#define STEP_BITS     4e9    /* compared by one */
#define STEP_SETS     65536  /* found by a call of cubes() */
#define CUBE          12     /* partners that a cube takes */
#define STEP_COLUMNS  4e6    /* looked at by one */
#define STEP_WORDS    131072 /* written by a call of push() */

/* ---- rows that were counted ------------------------------------------------------------------ */

const product_class *product_class_of(const product_frame *f, uint32_t row) {
    size_t low = 0, high = f->classes.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(f->classes.data[middle].first <= row ? &low : &high) = middle;
    }
    return &f->classes.data[low];
}

product_row product_counted_row(const product_frame *f, uint32_t row) {
    size_t at = row - f->first;
    uint64_t from = at > 0 ? f->ends.data[at - 1] : 0;
    product_row r = {.row = row,
                     .support = f->supports[row],
                     .of = product_class_of(f, row),
                     .partners = f->partners.data + from,
                     .counts = f->counts.data + from,
                     .n = (uint32_t)(f->ends.data[at] - from)};
    for (uint32_t i = 0; i < r.n; i++) {
        bool perfect = r.counts[i] == r.support, watched = r.partners[i] < row;
        r.n_perfect += perfect;
        r.n_watched += watched && !perfect;
        r.subsumed = r.subsumed || (watched && perfect);
    }
    return r;
}

static product_depth *depth_report(product_device *d, uint32_t depth) {
    return &d->report.depths[depth < PRODUCT_DEPTHS ? depth : PRODUCT_DEPTHS - 1];
}

/* ---- tallies --------------------------------------------------------------------------------- */

static void tally_add(product_device *d, uint64_t size, uint64_t n_free, uint64_t n) {
    if (n == 0) return;
    if (size >= PRODUCT_SIZES || n_free >= PRODUCT_SIZES) {
        d->too_large = true;
    } else {
        d->tally[size * PRODUCT_SIZES + n_free] += n;
    }
}

/* Whether the row itself is in the result. */
static bool row_is_wanted(const product_device *d, const product_row *r) {
    switch (d->how.target) {
    case LODE_TARGET_CLOSED: return !r->subsumed;
    case LODE_TARGET_MAXIMAL: return !r->subsumed && r->n == r->n_perfect;
    default: return true;
    }
}

static void tally_row(product_device *d, const product_frame *f, const product_row *r) {
    uint64_t size = f->depth + (uint64_t)1, n_free = (uint64_t)r->of->n_free + r->n_perfect;
    if (row_is_wanted(d, r)) tally_add(d, size, n_free, 1);
    if (f->asked.more == 1) tally_add(d, size + 1, n_free, r->n - r->n_perfect);
}

/* ---- count ----------------------------------------------------------------------------------- */

/* What is left to do below the rows that were counted. */
static lode_status count_finish(product_device *d, product_frame *f, product_counted *out) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    out->cube = d->how.cube ? d->how.cube : CUBE;
    f->cubes.n = f->children.n = 0;
    for (uint32_t row = f->first; row < f->end; row++) {
        product_row r = product_counted_row(f, row);
        if (row - r.of->first < r.of->n_watched) continue;
        if (!d->how.fetch) tally_row(d, f, &r);
        out->n_subsumed += r.subsumed;
        uint32_t k = r.n - r.n_perfect;
        if (r.subsumed || k == r.n_watched || f->asked.more < 2) continue;
        LODE_TRY(vec_u32_push(m, k <= out->cube ? &f->cubes : &f->children, row));
    }
    out->first = f->first;
    out->end = f->end;
    out->n_partners = f->partners.n;
    out->n_cubes = (uint32_t)f->cubes.n;
    out->n_children = (uint32_t)f->children.n;
    if (d->how.fetch) {
        out->ends = f->ends.data;
        out->partners = f->partners.data;
        out->supports = f->counts.data;
    }
done:
    return status;
}

/* Whether a call has found enough. */
static bool count_is_full(const product_device *d, const product_frame *f, double bits) {
    size_t most = d->how.step > 0 ? d->how.step : STEP_PARTNERS;
    return f->partners.n >= most || bits >= STEP_BITS;
}

static lode_status count_row(product_device *d, product_frame *f, uint32_t row) {
    lode_status status = LODE_OK;
    const product_class *c = product_class_of(f, row);
    bool watched = row - c->first < c->n_watched;
    LODE_TRY(vec_u64_reserve(&d->job->mem, &f->ends, 1));
    if (!watched && f->asked.more > 0 && f->supports[row] >= f->asked.min_count) {
        LODE_TRY(product_count_row(d, f, c, row));
    }
    f->ends.data[f->ends.n++] = f->partners.n;
done:
    return status;
}

/* Says what the budget lacks for the smallest step. */
static lode_status explain(product_device *d, lode_status status, const char *what) {
    return status == LODE_BUDGET ? job_explain(d->job, status, what) : status;
}

static lode_status count_rows(product_device *d, product_frame *f) {
    double before = depth_report(d, f->depth)->pair_bits;
    while (f->end < f->asked.end) {
        size_t n_partners = f->partners.n;
        lode_status status = job_check(d->job);
        if (status == LODE_OK) status = count_row(d, f, f->end);
        if (status == LODE_BUDGET && f->end > f->first) { /* the rows before are fine */
            f->partners.n = f->counts.n = n_partners;
            break;
        }
        if (status != LODE_OK) return explain(d, status, "counting a row");
        f->end++;
        if (count_is_full(d, f, depth_report(d, f->depth)->pair_bits - before)) break;
    }
    return LODE_OK;
}

static lode_status cpu_count_rows(product_device *d, const product_ask *ask, product_counted *out) {
    lode_status status = LODE_OK;
    product_frame *f = product_top(d);
    double start = os_seconds();
    *out = (product_counted){0};
    f->asked = *ask;
    f->first = f->end = ask->first;
    f->ends.n = f->partners.n = f->counts.n = 0;
    LODE_TRY(count_rows(d, f));
    LODE_TRY(explain(d, count_finish(d, f, out), "a list of rows"));
done:
    d->report.counting += os_seconds() - start;
    return status;
}

/* ---- cubes ----------------------------------------------------------------------------------- */

/* Whether a frequent set of a cube is in the result: nothing goes with it that must not. */
static bool set_is_wanted(const product_device *d, uint32_t set, uint32_t k, uint32_t min) {
    const uint32_t *cube = d->cube.data;
    if (d->how.target == LODE_TARGET_ALL) return true;
    uint32_t most = d->how.target == LODE_TARGET_CLOSED ? cube[set] : min;
    for (uint32_t p = 0; p < k; p++) {
        uint32_t more = set | (uint32_t)1 << p;
        if (more != set && cube[more] >= most) return false;
    }
    return true;
}

static lode_status cube_row(product_device *d, const product_frame *f, uint32_t row) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    product_row r = product_counted_row(f, row);
    uint32_t k, min = f->asked.min_count;
    LODE_TRY(product_fill_cube(d, &r, &k));
    LODE_TRY(vec_u64_reserve(m, &d->set_ends, 1));
    LODE_TRY(vec_u32_reserve(m, &d->cube_rows, 1));
    for (uint32_t i = 1; i < (uint32_t)1 << (k - r.n_watched); i++) {
        uint32_t set = i << r.n_watched, size = (uint32_t)__builtin_popcount(i);
        if (d->cube.data[set] < min || size > f->asked.more) continue;
        if (!set_is_wanted(d, set, k, min)) continue;
        if (!d->how.fetch) {
            tally_add(d, f->depth + (uint64_t)1 + size, (uint64_t)r.of->n_free + r.n_perfect, 1);
            continue;
        }
        LODE_TRY(vec_u32_push(m, &d->sets, i));
        LODE_TRY(vec_u32_push(m, &d->set_supports, d->cube.data[set]));
    }
    d->set_ends.data[d->set_ends.n++] = d->sets.n;
    d->cube_rows.data[d->cube_rows.n++] = row;
    product_depth *depth = depth_report(d, f->depth);
    depth->cubes++;
    depth->cube_sets += ((uint64_t)1 << (k - r.n_watched)) - 1;
    depth->cube_bits += (double)r.support * (k + 1);
done:
    return status;
}

static lode_status cube_rows(product_device *d, const product_frame *f, uint32_t first,
                             uint32_t *end) {
    size_t most = d->how.step > 0 ? d->how.step : STEP_SETS;
    double looked_at = 0;
    for (*end = first; *end < f->cubes.n && d->sets.n < most && looked_at < STEP_COLUMNS;) {
        uint32_t row = f->cubes.data[*end];
        size_t n_sets = d->sets.n;
        lode_status status = job_check(d->job);
        if (status == LODE_OK) status = cube_row(d, f, row);
        if (status == LODE_BUDGET && *end > first) {
            d->sets.n = d->set_supports.n = n_sets;
            break;
        }
        if (status != LODE_OK) return explain(d, status, "a cube");
        looked_at += f->supports[row];
        ++*end;
    }
    return LODE_OK;
}

static lode_status cpu_cubes(product_device *d, uint32_t first, product_cubes *out) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    *out = (product_cubes){.first = first};
    d->sets.n = d->set_supports.n = d->set_ends.n = d->cube_rows.n = 0;
    LODE_TRY(cube_rows(d, product_top(d), first, &out->end));
    if (d->how.fetch) {
        out->rows = d->cube_rows.data;
        out->ends = d->set_ends.data;
        out->sets = d->sets.data;
        out->supports = d->set_supports.data;
    }
done:
    d->report.counting += os_seconds() - start;
    return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void frame_free(mem *m, product_frame *f) {
    mem_free(m, f->classes.data, f->classes.cap * sizeof *f->classes.data);
    vec_u32_free(m, &f->own_supports);
    vec_u64_free(m, &f->bits);
    vec_u64_free(m, &f->ends);
    vec_u32_free(m, &f->partners);
    vec_u32_free(m, &f->counts);
    vec_u32_free(m, &f->cubes);
    vec_u32_free(m, &f->children);
    mem_free(m, f, sizeof *f);
}

/* Makes sure that there is a frame at this depth. */
static lode_status frame_prepare(product_device *d, size_t depth) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    if (depth < d->n_frames) return LODE_OK;
    if (depth == d->cap_frames) {
        LODE_TRY(
            vec_grow(m, (void **)&d->frames, d->n_frames, &d->cap_frames, 1, sizeof *d->frames));
    }
    LODE_TRY(mem_zalloc(m, (void **)&d->frames[depth], sizeof(product_frame)));
    d->frames[depth]->depth = (uint32_t)depth;
    d->n_frames++;
done:
    return status;
}

/* What some children need together. */
typedef struct children {
    uint32_t first, end;
    size_t n_rows, n_words;
} children;

/* As many children as a call should take, or those up to `end`. */
static children children_plan(const product_device *d, const product_frame *from, uint32_t first,
                              uint32_t end) {
    children c = {.first = first, .end = first};
    size_t most_rows = d->how.step > 0 ? d->how.step : UINT32_MAX / 2;
    while (c.end < end) {
        product_row r = product_counted_row(from, from->children.data[c.end]);
        size_t n = r.n - r.n_perfect, words = n * product_child_words(d, &r);
        bool enough = c.n_rows + n > most_rows || c.n_words + words > STEP_WORDS;
        if (c.end > first && enough) break;
        c.n_rows += n;
        c.n_words += words;
        c.end++;
    }
    return c;
}

static lode_status children_make_room(product_device *d, product_frame *to, const children *c) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    to->bits.n = to->own_supports.n = to->classes.n = 0;
    LODE_TRY(vec_u64_reserve(m, &to->bits, c->n_words));
    LODE_TRY(vec_u32_reserve(m, &to->own_supports, c->n_rows));
    if (to->classes.cap < c->end - c->first) {
        LODE_TRY(vec_grow(m, (void **)&to->classes.data, 0, &to->classes.cap, c->end - c->first,
                          sizeof *to->classes.data));
    }
done:
    return status;
}

static lode_status child_make(product_device *d, const product_frame *from, uint32_t row,
                              product_frame *to) {
    product_row r = product_counted_row(from, row);
    size_t words = product_child_words(d, &r), n = r.n - r.n_perfect;
    uint64_t *bits = to->bits.data + to->bits.n;
    uint32_t first = (uint32_t)to->own_supports.n;
    for (uint32_t i = 0; i < r.n; i++) {
        if (r.counts[i] == r.support) continue;
        to->own_supports.data[to->own_supports.n++] = r.counts[i];
    }
    to->classes.data[to->classes.n++] = (product_class){.first = first,
                                                        .end = (uint32_t)to->own_supports.n,
                                                        .n_watched = r.n_watched,
                                                        .n_free = r.of->n_free + r.n_perfect,
                                                        .rows = bits,
                                                        .words = words};
    to->bits.n += n * words;
    return product_fill_child(d, &r, bits, words);
}

static lode_status push_children(product_device *d, uint32_t first, uint32_t *end) {
    lode_status status = LODE_OK;
    const product_frame *from = product_top(d);
    LODE_TRY(frame_prepare(d, d->depth + 1));
    product_frame *to = d->frames[d->depth + 1];
    children c = children_plan(d, from, first, (uint32_t)from->children.n);
    while ((status = children_make_room(d, to, &c)) == LODE_BUDGET && c.end - first > 1) {
        c = children_plan(d, from, first, first + (c.end - first) / 2);
    }
    if (status != LODE_OK) goto done;
    for (uint32_t i = first; i < c.end; i++) {
        LODE_TRY(job_check(d->job));
        LODE_TRY(child_make(d, from, from->children.data[i], to));
    }
    to->n_rows = (uint32_t)to->own_supports.n;
    to->supports = to->own_supports.data;
    *end = c.end;
    d->depth++;
done:
    return status;
}

static lode_status cpu_push(product_device *d, uint32_t first, uint32_t *end, uint32_t *n_rows) {
    double start = os_seconds();
    lode_status status = explain(d, push_children(d, first, end), "a class of rows");
    if (status == LODE_OK) *n_rows = product_top(d)->n_rows;
    d->report.candidate += os_seconds() - start;
    return status;
}

static product_child cpu_child(const product_device *d, uint32_t depth, uint32_t i) {
    const product_frame *f = d->frames[depth];
    product_row r = product_counted_row(f, f->children.data[i]);
    return (product_child){.support = r.support, .n = r.n, .supports = r.counts};
}

static void cpu_pop(product_device *d) {
    d->depth--;
}

/* ---- the device ------------------------------------------------------------------------------ */

static lode_status cpu_tally(product_device *d, uint64_t *tally) {
    if (d->too_large) {
        return job_fail(d->job, LODE_UNSUPPORTED, "sets of %u items or more cannot be tallied",
                        PRODUCT_SIZES);
    }
    for (size_t i = 0; i < (size_t)PRODUCT_SIZES * PRODUCT_SIZES; i++) tally[i] += d->tally[i];
    memset(d->tally, 0, (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    return LODE_OK;
}

static product_report cpu_report(const product_device *d) {
    return d->report;
}

static void cpu_products_close(product_device *d) {
    if (!d) return;
    mem *m = &d->job->mem;
    for (size_t i = 0; i < d->n_frames; i++) frame_free(m, d->frames[i]);
    mem_free(m, d->frames, d->cap_frames * sizeof *d->frames);
    mem_drop(m, &d->lists_kept);
    vec_u32_free(m, &d->lines);
    vec_u32_free(m, &d->cube);
    vec_u32_free(m, &d->cube_rows);
    vec_u32_free(m, &d->sets);
    vec_u32_free(m, &d->set_supports);
    vec_u64_free(m, &d->set_ends);
    if (d->tally) mem_free(m, d->tally, (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *d->tally);
    mem_free(m, d, sizeof *d);
}

/* The root is one class, whose rows are borrowed. */
static lode_status make_root(product_device *d) {
    lode_status status = LODE_OK;
    LODE_TRY(frame_prepare(d, 0));
    product_frame *f = d->frames[0];
    LODE_TRY(vec_grow(&d->job->mem, (void **)&f->classes.data, 0, &f->classes.cap, 1,
                      sizeof *f->classes.data));
    f->classes.data[f->classes.n++] =
        (product_class){.end = d->root.n_rows, .rows = d->root.rows, .words = d->root.row_words};
    f->n_rows = d->root.n_rows;
    f->supports = d->root.supports;
    if (d->root.starts) status = product_turn_lists(d);
done:
    return status;
}

static lode_status cpu_products_open(lode_job *job, unsigned index, unsigned threads,
                                     const product_root *root, const product_how *how,
                                     product_device **out) {
    lode_status status = LODE_OK;
    product_device *d = NULL;
    (void)index;
    (void)threads;
    if (how->kernel != PRODUCT_AUTO && how->kernel != PRODUCT_POPC) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "the CPU has no tensor cores: products by popc only");
    }
    LODE_TRY(mem_zalloc(&job->mem, (void **)&d, sizeof *d));
    d->job = job;
    d->root = *root;
    d->how = *how;
    d->kernels = cpu_kernels_pick();
    snprintf(d->report.kernel, sizeof d->report.kernel, "popc (%s)", d->kernels->name);
    LODE_TRY(mem_zalloc(&job->mem, (void **)&d->tally,
                        (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *d->tally));
    LODE_TRY(explain(d, make_root(d), "the root"));
    *out = d;
done:
    if (status != LODE_OK) cpu_products_close(d);
    return status;
}

const backend_products cpu_products = {
    .open = cpu_products_open,
    .close = cpu_products_close,
    .count = cpu_count_rows,
    .cubes = cpu_cubes,
    .push = cpu_push,
    .pop = cpu_pop,
    .child = cpu_child,
    .tally = cpu_tally,
    .report = cpu_report,
};
