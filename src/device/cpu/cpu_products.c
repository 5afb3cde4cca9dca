/* cpu_products.c - device/api/products.h on the CPU: frames, calls, tallies; see product.h
 *
 * A call of count(), lattices() or push() does limited work: its results stay in the cache, and
 * Ctrl-C is noticed within milliseconds. If the memory budget is tight, it does less: at least one
 * row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/os.h"
#include "device/cpu/device.h"
#include "device/cpu/product.h"

#define STEP_PARTNERS 65536  /* a count() stops when it has found this many partners … */
#define STEP_BITS     4e9    /* … or compared this many bits */
#define STEP_SETS     65536  /* a lattices() stops when it has found this many sets … */
#define STEP_COLUMNS  4e6    /* … or read this many columns */
#define STEP_WORDS    131072 /* a push() stops before it writes more words */
#define LATTICE_ITEMS 12     /* the most partners of a lattice */

/* ---- rows that were counted ------------------------------------------------------------------ */

/* The class of a row. */
static const product_class *product_class_of(const product_frame *f, uint32_t row) {
    size_t low = 0, high = f->classes.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(f->classes.data[middle].first <= row ? &low : &high) = middle;
    }
    return &f->classes.data[low];
}

/* A row of the last count() on this frame. */
static product_row product_counted_row(const product_frame *f, uint32_t row) {
    size_t at = row - f->first;
    uint64_t from = at > 0 ? f->ends.data[at - 1] : 0;
    return product_row_of(row, f->supports[row], f->partners.data + from,
                          f->partner_supports.data + from, (uint32_t)(f->ends.data[at] - from));
}

/* ---- checks ---------------------------------------------------------------------------------- */

#if LODE_DEBUG
/* A new frame: its classes follow each other, and the bits of each row are its support. */
static void frame_validate(const product_frame *f) {
    uint32_t row = 0;
    for (size_t i = 0; i < f->classes.n; i++) {
        const product_class *c = &f->classes.data[i];
        LODE_DEBUG_CHECK(c->first == row && c->n_earlier <= c->end - c->first,
                         "class %zu begins at row %u instead of %u", i, c->first, row);
        for (; row < c->end; row++) {
            uint64_t n = 0;
            for (size_t w = 0; w < c->words; w++) n += bits_count(product_bits(c, row)[w]);
            LODE_DEBUG_CHECK(n == f->supports[row], "row %u has %llu bits set, but support %u", row,
                             (unsigned long long)n, f->supports[row]);
        }
    }
    LODE_DEBUG_CHECK(row == f->n_rows, "classes have %u rows, but the frame has %u", row,
                     f->n_rows);
}

/* What was found for the rows of a frame. */
static void frame_validate_counted(const product_frame *f) {
    LODE_DEBUG_CHECK(f->ends.n == f->end - f->first && f->end <= f->request.end,
                     "%zu rows were counted, but the range is %u to %u", f->ends.n, f->first,
                     f->end);
    LODE_DEBUG_CHECK(f->partners.n == f->partner_supports.n &&
                         (f->ends.n == 0 || f->ends.data[f->ends.n - 1] == f->partners.n),
                     "%zu partners have %zu supports; expected one each", f->partners.n,
                     f->partner_supports.n);
    for (size_t i = 0; i < f->partners.n; i++) {
        LODE_DEBUG_CHECK(f->partner_supports.data[i] <= f->supports[f->partners.data[i]],
                         "a pair with row %u has support %u, more than the row alone",
                         f->partners.data[i], f->partner_supports.data[i]);
    }
}
#endif

/* ---- tallies --------------------------------------------------------------------------------- */

static void tally_add(product_device *d, uint64_t size, uint64_t n_free, uint64_t n) {
    if (n == 0) return;
    if (size >= PRODUCT_SIZES || n_free >= PRODUCT_SIZES) {
        d->too_large = true;
    } else {
        d->tally[size * PRODUCT_SIZES + n_free] += n;
    }
}

static void tally_row(product_device *d, const product_frame *f, const product_class *c,
                      const product_row *r) {
    uint64_t size = f->depth + (uint64_t)1, n_free = (uint64_t)c->n_free + r->n_perfect;
    if (product_row_is_result(r, d->config.target)) tally_add(d, size, n_free, 1);
    if (f->request.max_added == 1) tally_add(d, size + 1, n_free, r->n - r->n_perfect);
}

/* ---- count ----------------------------------------------------------------------------------- */

/* Lists the rows that are left for lattices() and push(). */
static lode_status count_finish(product_device *d, product_frame *f, product_counted *out) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    out->lattice_items = d->config.lattice_items ? d->config.lattice_items : LATTICE_ITEMS;
    f->lattices.n = f->children.n = 0;
    for (uint32_t row = f->first; row < f->end; row++) {
        const product_class *c = product_class_of(f, row);
        if (row - c->first < c->n_earlier) continue;
        product_row r = product_counted_row(f, row);
        if (!d->config.fetch) tally_row(d, f, c, &r);
        out->n_subsumed += r.subsumed;
        if (!product_row_leads_on(&r, f->request.max_added)) continue;
        bool fits = r.n - r.n_perfect <= out->lattice_items;
        LODE_TRY(vec_u32_push(m, fits ? &f->lattices : &f->children, row));
    }
    out->first = f->first;
    out->end = f->end;
    out->n_partners = f->partners.n;
    out->n_lattices = (uint32_t)f->lattices.n;
    out->n_children = (uint32_t)f->children.n;
    if (d->config.fetch) {
        out->ends = f->ends.data;
        out->partners = f->partners.data;
        out->supports = f->partner_supports.data;
    }
done:
    return status;
}

/* Whether a call has found enough. */
static bool count_is_full(const product_device *d, const product_frame *f, double bits) {
    size_t most = d->config.step > 0 ? d->config.step : STEP_PARTNERS;
    return f->partners.n >= most || bits >= STEP_BITS;
}

static lode_status count_row(product_device *d, product_frame *f, uint32_t row) {
    lode_status status = LODE_OK;
    const product_class *c = product_class_of(f, row);
    bool earlier = row - c->first < c->n_earlier;
    LODE_TRY(vec_u64_reserve(&d->job->mem, &f->ends, 1));
    if (!earlier && f->request.max_added > 0 && f->supports[row] >= f->request.min_count) {
        LODE_TRY(product_count_row(d, f, c, row));
    }
    f->ends.data[f->ends.n++] = f->partners.n;
done:
    return status;
}

/* Adds what the smallest step needed to a BUDGET error. */
static lode_status budget_explain(product_device *d, lode_status status, const char *what) {
    return status == LODE_BUDGET ? job_explain(d->job, status, what) : status;
}

static lode_status count_rows(product_device *d, product_frame *f) {
    double before = product_depth_at(d, f->depth)->pair_bits;
    while (f->end < f->request.end) {
        size_t n_partners = f->partners.n;
        lode_status status = job_check(d->job);
        if (status == LODE_OK) status = count_row(d, f, f->end);
        if (status == LODE_BUDGET && f->end > f->first) { /* deliver the rows before this one */
            f->partners.n = f->partner_supports.n = n_partners;
            break;
        }
        if (status != LODE_OK) return budget_explain(d, status, "counting a row");
        f->end++;
        if (count_is_full(d, f, product_depth_at(d, f->depth)->pair_bits - before)) break;
    }
    return LODE_OK;
}

static lode_status cpu_products_count(product_device *d, const product_request *request,
                                      product_counted *out) {
    lode_status status = LODE_OK;
    product_frame *f = top_frame(d);
    double start = os_seconds();
    *out = (product_counted){0};
    f->request = *request;
    f->first = f->end = request->first;
    f->ends.n = f->partners.n = f->partner_supports.n = 0;
    LODE_TRY(count_rows(d, f));
    LODE_VALIDATE(frame_validate_counted(f));
    LODE_TRY(budget_explain(d, count_finish(d, f, out), "a list of rows"));
done:
    d->report.counting += os_seconds() - start;
    return status;
}

/* ---- lattices ------------------------------------------------------------------------------- */

/* Whether a frequent set of a lattice is a result: the closure check, or that of maximality,
 * against all sets of one more partner, earlier ones too. */
static bool set_is_result(const product_device *d, uint32_t set, uint32_t k, uint32_t min) {
    const uint32_t *lattice = d->lattice.data;
    if (d->config.target == LODE_TARGET_ALL) return true;
    uint32_t least = d->config.target == LODE_TARGET_CLOSED ? lattice[set] : min;
    for (uint32_t p = 0; p < k; p++) {
        uint32_t superset = set | (uint32_t)1 << p;
        if (superset != set && lattice[superset] >= least) return false;
    }
    return true;
}

static lode_status lattice_compute(product_device *d, const product_frame *f, uint32_t row) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    const product_class *c = product_class_of(f, row);
    product_row r = product_counted_row(f, row);
    uint32_t k, min = f->request.min_count;
    LODE_TRY(product_fill_lattice(d, c, &r, &k));
    LODE_TRY(vec_u64_reserve(m, &d->set_ends, 1));
    LODE_TRY(vec_u32_reserve(m, &d->lattice_rows, 1));
    for (uint32_t i = 1; i < (uint32_t)1 << (k - r.n_earlier); i++) {
        uint32_t set = i << r.n_earlier, size = (uint32_t)__builtin_popcount(i);
        if (d->lattice.data[set] < min || size > f->request.max_added) continue;
        if (!set_is_result(d, set, k, min)) continue;
        if (!d->config.fetch) {
            tally_add(d, f->depth + (uint64_t)1 + size, (uint64_t)c->n_free + r.n_perfect, 1);
            continue;
        }
        LODE_TRY(vec_u32_push(m, &d->sets, i));
        LODE_TRY(vec_u32_push(m, &d->set_supports, d->lattice.data[set]));
    }
    LODE_DEBUG_CHECK(d->lattice.data[0] == r.support,
                     "a lattice has %u columns, but its row has support %u", d->lattice.data[0],
                     r.support);
    d->set_ends.data[d->set_ends.n++] = d->sets.n;
    d->lattice_rows.data[d->lattice_rows.n++] = row;
    product_depth *depth = product_depth_at(d, f->depth);
    depth->lattices++;
    depth->lattice_sets += ((uint64_t)1 << (k - r.n_earlier)) - 1;
    depth->lattice_bits += (double)r.support * (k + 1);
done:
    return status;
}

static lode_status lattices_compute(product_device *d, const product_frame *f, uint32_t first,
                                    uint32_t *end) {
    size_t most = d->config.step > 0 ? d->config.step : STEP_SETS;
    double looked_at = 0;
    for (*end = first; *end < f->lattices.n && d->sets.n < most && looked_at < STEP_COLUMNS;) {
        uint32_t row = f->lattices.data[*end];
        size_t n_sets = d->sets.n;
        lode_status status = job_check(d->job);
        if (status == LODE_OK) status = lattice_compute(d, f, row);
        if (status == LODE_BUDGET && *end > first) {
            d->sets.n = d->set_supports.n = n_sets;
            break;
        }
        if (status != LODE_OK) return budget_explain(d, status, "a subset lattice");
        looked_at += f->supports[row];
        ++*end;
    }
    return LODE_OK;
}

static lode_status cpu_products_lattices(product_device *d, uint32_t first, product_lattices *out) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    *out = (product_lattices){.first = first};
    d->sets.n = d->set_supports.n = d->set_ends.n = d->lattice_rows.n = 0;
    LODE_TRY(lattices_compute(d, top_frame(d), first, &out->end));
    if (d->config.fetch) {
        out->rows = d->lattice_rows.data;
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
    vec_u32_free(m, &f->partner_supports);
    vec_u32_free(m, &f->lattices);
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

/* A run of children, and what they need together. */
typedef struct children {
    uint32_t first, end;
    size_t n_rows, n_words;
} children;

/* Takes children from `first` on, up to `end` or as many as one call should push. */
static children children_plan(const product_device *d, const product_frame *from, uint32_t first,
                              uint32_t end) {
    children c = {.first = first, .end = first};
    size_t most_rows = d->config.step > 0 ? d->config.step : UINT32_MAX / 2;
    while (c.end < end) {
        product_row r = product_counted_row(from, from->children.data[c.end]);
        const product_class *of = product_class_of(from, r.row);
        size_t n = r.n - r.n_perfect, words = n * product_child_words(d, of, &r);
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
    const product_class *c = product_class_of(from, row);
    product_row r = product_counted_row(from, row);
    size_t words = product_child_words(d, c, &r), n = r.n - r.n_perfect;
    uint64_t *bits = to->bits.data + to->bits.n;
    uint32_t first = (uint32_t)to->own_supports.n;
    for (uint32_t i = 0; i < r.n; i++) {
        if (r.supports[i] == r.support) continue;
        to->own_supports.data[to->own_supports.n++] = r.supports[i];
    }
    to->classes.data[to->classes.n++] = (product_class){.first = first,
                                                        .end = (uint32_t)to->own_supports.n,
                                                        .n_earlier = r.n_earlier,
                                                        .n_free = c->n_free + r.n_perfect,
                                                        .rows = bits,
                                                        .words = words};
    to->bits.n += n * words;
    return product_fill_child(d, c, &r, bits, words);
}

static lode_status push_children(product_device *d, uint32_t first, uint32_t *end) {
    lode_status status = LODE_OK;
    const product_frame *from = top_frame(d);
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
    LODE_DEBUG_CHECK(to->n_rows == c.n_rows && to->bits.n == c.n_words,
                     "%u rows of %zu words in all, but %zu rows of %zu words were planned",
                     to->n_rows, to->bits.n, c.n_rows, c.n_words);
    LODE_VALIDATE(frame_validate(to));
    *end = c.end;
    d->depth++;
done:
    return status;
}

static lode_status cpu_products_push(product_device *d, uint32_t first, uint32_t *end,
                                     uint32_t *n_rows) {
    double start = os_seconds();
    lode_status status = budget_explain(d, push_children(d, first, end), "a class of rows");
    if (status == LODE_OK) *n_rows = top_frame(d)->n_rows;
    d->report.candidate += os_seconds() - start;
    return status;
}

static product_child cpu_products_child(const product_device *d, uint32_t depth, uint32_t i) {
    const product_frame *f = d->frames[depth];
    product_row r = product_counted_row(f, f->children.data[i]);
    return (product_child){.support = r.support, .n = r.n, .supports = r.supports};
}

static void cpu_products_pop(product_device *d) {
    LODE_DEBUG_CHECK(d->depth > 0, "the root frame cannot be popped");
    d->depth--;
}

/* ---- the device ------------------------------------------------------------------------------ */

static lode_status cpu_products_tally(product_device *d, uint64_t *tally) {
    if (d->too_large) {
        return job_fail(d->job, LODE_UNSUPPORTED,
                        "itemsets of %u or more items cannot be counted by size", PRODUCT_SIZES);
    }
    for (size_t i = 0; i < (size_t)PRODUCT_SIZES * PRODUCT_SIZES; i++) tally[i] += d->tally[i];
    memset(d->tally, 0, (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    return LODE_OK;
}

static product_report cpu_products_report(const product_device *d) {
    return d->report;
}

static void cpu_products_close(product_device *d) {
    if (!d) return;
    mem *m = &d->job->mem;
    for (size_t i = 0; i < d->n_frames; i++) frame_free(m, d->frames[i]);
    mem_free(m, d->frames, d->cap_frames * sizeof *d->frames);
    mem_drop(m, &d->lists_kept);
    vec_u32_free(m, &d->lines);
    vec_u32_free(m, &d->lattice);
    vec_u32_free(m, &d->lattice_rows);
    vec_u32_free(m, &d->sets);
    vec_u32_free(m, &d->set_supports);
    vec_u64_free(m, &d->set_ends);
    if (d->tally) mem_free(m, d->tally, (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *d->tally);
    mem_free(m, d, sizeof *d);
}

/* The root is one class, whose rows are borrowed. */
static lode_status products_open_root(product_device *d) {
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
                                     const product_root *root, const product_config *config,
                                     product_device **out) {
    lode_status status = LODE_OK;
    product_device *d = NULL;
    (void)index;
    (void)threads;
    if (config->kernel != PRODUCT_AUTO && config->kernel != PRODUCT_POPC) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "the CPU has no tensor cores; it computes products by popc only");
    }
    LODE_TRY(mem_zalloc(&job->mem, (void **)&d, sizeof *d));
    d->job = job;
    d->root = *root;
    d->config = *config;
    d->kernels = cpu_kernels_pick();
    snprintf(d->report.kernel, sizeof d->report.kernel, "popc (%s)", d->kernels->name);
    LODE_TRY(mem_zalloc(&job->mem, (void **)&d->tally,
                        (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *d->tally));
    LODE_TRY(budget_explain(d, products_open_root(d), "the root"));
    *out = d;
done:
    if (status != LODE_OK) cpu_products_close(d);
    return status;
}

const backend_products cpu_products = {
    .open = cpu_products_open,
    .close = cpu_products_close,
    .count = cpu_products_count,
    .lattices = cpu_products_lattices,
    .push = cpu_products_push,
    .pop = cpu_products_pop,
    .child = cpu_products_child,
    .tally = cpu_products_tally,
    .report = cpu_products_report,
};
