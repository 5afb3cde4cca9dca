/* spans.c - divides the progress among the rows of the root; see tensor.h
 *
 * How the constants were found. For frames of seven runs (chess 20%, connect 25%, accidents 4%,
 * kosarak 0.08%, retail 0.003%, T10I4 0.003%, T40I10 0.25%) the time of the children was compared
 * with forecast_below(). If the work is the number of sets to the power 0.7, a unit of work is
 * mostly 0.3 to 0.9 µs at any depth; the exceptions are connect (0.2 to 2.9) and the roots of
 * T40I10 (2.6) and kosarak (3.4). A lattice takes 2 to 4 µs in sparse data, 10 to 30 in dense data,
 * 130 to 350 in connect. A word of a row takes 0.35 ns; an item of a list is assumed to take 1.5
 * ns.
 *
 * At lower thresholds the power 0.7 overestimates large classes. TENSOR_POWER was chosen among
 * 0.65, 0.7 and 0.75 (times BLUNT, if no pairs were counted) on six other runs; their mean errors
 * were 0.083, 0.088 and 0.096. chess 14% and accidents 2.5% are better with a higher power, connect
 * 17% and T40I10 0.12% with a lower one. kosarak 0.07% is off by 0.2 with 0.7, 0.75 and 0.875.
 *
 * In sparse data there is far more work below the root than if items were independent. So if the
 * forecast did not count pairs, the children of each counted range of rows show its error, and the
 * forecasts of the following rows are corrected by the same factor.
 *
 * With a sink that takes numbers only, a GPU reports how many rows become children, but not which
 * ones. They are assumed to be the rows with the most work below them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "itemsets/common/forecast.h"
#include "itemsets/tensor/run.h"
#include "itemsets/tensor/tensor.h"

#define WORD_WORK   0.0007 /* to count a word of a row */
#define ITEM_WORK   0.003  /* to count an item of a list */
#define SET_WORDS   300.0  /* words that a set costs; decides whether looking at pairs pays */
#define LEAST_PARTS 16
#define LONG_WORK   1e5 /* a twentieth of a second: from here on a search is long */

/* The work to count a row of the root. `behind`: the sum of the supports of all rows after it. */
static double own_work(const product_root *root, uint32_t row, double behind) {
    if (root->rows) {
        return WORD_WORK * (double)(root->n_rows - row) * (double)root->row_words;
    }
    return ITEM_WORK * root->supports[row] * (1 + behind / (double)root->n_columns);
}

lode_status tensor_spans_make(const engine_task *task, const tensor_root *r, root_range range,
                              tensor_spans *out) {
    const product_root *root = &r->root;
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    double behind = 0, sets = 0;
    out->bytes = root->n_rows * sizeof *out->own;
    LODE_TRY(mem_zalloc(m, (void **)&out->own, out->bytes));
    LODE_TRY(mem_zalloc(m, (void **)&out->below, out->bytes));
    const forecast_config config = {
        .power = TENSOR_POWER, .set_work = SET_WORDS, .skip_perfect = true};
    forecast_class c = {.n = root->n_rows,
                        .supports = root->supports,
                        .of = root->n_columns,
                        .min_count = task->min_count,
                        .max_added = task->items.options->max_size - 1};
    forecast_rows rows = {.rows = root->rows, .words = root->row_words};
    out->is_sure = forecast_roots(&c, &config, &rows, range.first, range.end, out->below);
    for (uint32_t row = root->n_rows; row-- > range.first;) {
        out->own[row] = own_work(root, row, behind);
        behind += root->supports[row];
        if (row < range.end) sets += out->below[row];
    }
    tensor_spans_begin(out, range);
    out->is_long = out->is_sure || sets + out->own_left >= LONG_WORK;
done:
    return status;
}

void tensor_spans_begin(tensor_spans *spans, root_range range) {
    spans->span = 1;
    spans->own_left = spans->below_left = spans->seen = spans->foreseen = 0;
    for (uint32_t row = range.first; row < range.end; row++) {
        spans->own_left += spans->own[row];
        spans->below_left += spans->below[row];
    }
}

void tensor_spans_clear(mem *m, tensor_spans *spans) {
    if (spans->own) mem_free(m, spans->own, spans->bytes);
    if (spans->below) mem_free(m, spans->below, spans->bytes);
    *spans = (tensor_spans){0};
}

tensor_part tensor_spans_take(tensor_spans *spans, uint32_t first, uint32_t end, double lattices,
                              double below) {
    double own = 0, foreseen = 0;
    for (uint32_t row = first; row < end; row++) {
        own += spans->own[row];
        foreseen += spans->below[row];
    }
    spans->own_left -= own;
    spans->below_left -= foreseen;
    if (below >= 0) {
        spans->seen += below + lattices;
        spans->foreseen += foreseen;
    } else {
        below = foreseen;
        lattices = 0;
    }
    double ratio = spans->foreseen > 0 ? spans->seen / spans->foreseen : 1;
    double here = own + lattices + below, behind = spans->own_left + ratio * spans->below_left;
    tensor_part part = {.span = spans->span};
    if (behind > 0) part.span *= here / (here + behind);
    spans->span -= part.span;
    part.done = here > 0 ? part.span * (own + lattices) / here : part.span;
    return part;
}

/* ---- children -------------------------------------------------------------------------------- */

static bool larger_before(const double *a, const double *b) {
    return *a > *b;
}

#define SORT_NAME   sort_largest
#define SORT_TYPE   double
#define SORT_BEFORE larger_before
#include "base/sort_body.h"

lode_status tensor_spans_children(mem *m, const tensor_spans *spans, uint32_t first, uint32_t end,
                                  uint32_t n_children, tensor_child_work *out) {
    uint32_t n = end - first;
    if (out->cap < n) {
        lode_status status = vec_grow(m, (void **)&out->of, 0, &out->cap, n, sizeof *out->of);
        if (status != LODE_OK) return status;
    }
    memcpy(out->of, spans->below + first, n * sizeof *out->of);
    if (n_children == n) return LODE_OK;
    sort_largest(out->of, n, NULL);
    double least = n_children > 0 ? out->of[n_children - 1] : 2;
    for (uint32_t row = first, i = 0; row < end; row++) {
        bool needed = n_children - i == end - row;
        if (i < n_children && (needed || spans->below[row] >= least)) {
            out->of[i++] = spans->below[row];
        }
    }
    return LODE_OK;
}

/* ---- further down ---------------------------------------------------------------------------- */

/* The first child of part i. */
static uint32_t part_first(const tensor_parts *parts, uint32_t i) {
    return (uint32_t)((uint64_t)parts->n_children * i / parts->n);
}

double tensor_parts_make(tensor_parts *parts, uint32_t n_children, double span,
                         double (*weight)(const void *user, uint32_t child), const void *user) {
    double sum = 0;
    uint32_t n = LEAST_PARTS + (uint32_t)(span * (2 * TENSOR_PARTS));
    n = n < TENSOR_PARTS ? n : TENSOR_PARTS;
    n = n < n_children ? n : n_children;
    parts->n_children = n_children;
    parts->n = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = part_first(parts, i), end = part_first(parts, i + 1);
        parts->rest[i] = weight(user, first + (end - first) / 2) * (end - first);
        sum += parts->rest[i];
    }
    forecast_to_rest(parts->rest, n);
    return sum;
}

double tensor_parts_share(const tensor_parts *parts, uint32_t n_children, uint32_t first,
                          uint32_t end) {
    double left = 1; /* share of the children that follow */
    if (parts->n_children == 0) return (double)(end - first) / (n_children - first);
    uint32_t part = 0;
    while (part_first(parts, part + 1) <= first) part++;
    while (first < end) {
        uint32_t part_end = part_first(parts, part + 1), to = end < part_end ? end : part_end;
        double rest = parts->rest[part], n = part_end - first;
        /* rest[] holds the share of the whole part. If some of its children have been removed, the
         * share of the others follows from it. */
        uint32_t whole = part_end - part_first(parts, part);
        double of_rest = rest * n / whole / (1 - rest + rest * n / whole);
        left *= 1 - of_rest * (to - first) / n;
        first = to;
        part++;
    }
    return 1 - left;
}

/* ---- what share of the progress each step of a search is ------------------------------------- */

#define CHILD_LATTICES 16    /* where nothing is known, a child is the work of this many lattices */
#define FORECAST_SPAN  0.005 /* children with at least this span get a forecast */

/* Forecasts the work below a child. */
static double child_weight(const void *user, uint32_t i) {
    const tensor_consumer *c = user;
    product_child child = c->products->child(c->device, tensor_depth(c), i);
    const forecast_config config = {.power = TENSOR_POWER, .skip_perfect = true};
    forecast_class of = {.n = child.n,
                         .supports = child.supports,
                         .of = child.support,
                         .min_count = tensor_threshold(c->run),
                         .max_added = tensor_items_to_add(c->run, tensor_depth(c))};
    return forecast_below(&of, &config);
}

/* Whether it pays to look how a span divides among children. */
static bool span_is_divided(const tensor_consumer *c, double span) {
    return span >= FORECAST_SPAN && c->products->child && c->run->spans.is_long;
}

/* Takes the span of rows [first, end) from a level below the root. Within a class, a row counts for
 * as much as there are rows after it. */
static double span_rows(const tensor_consumer *c, tensor_level *level, uint32_t first,
                        uint32_t end) {
    const class_span *of = c->classes + level->first_class;
    double span = 0;
    if (level->n_classes == 0) span = level->span * (end - first) / (level->end - first);
    for (uint32_t i = 0, from = 0; i < level->n_classes && from < end; from = of[i++].end) {
        if (of[i].end <= first) continue;
        double n = of[i].end - from, behind = first > from ? of[i].end - first : n;
        double then = end < of[i].end ? of[i].end - end : 0;
        span += of[i].span * (behind * behind - then * then) / (n * n);
    }
    if (end == level->end) span = level->span;
    level->span -= span;
    return span;
}

/* Divides the span of root rows that were counted. *done: the part of it that is done. */
static lode_status span_roots(tensor_consumer *c, tensor_level *level, double lattices,
                              double *done) {
    tensor_run *run = c->run;
    double below = -1;
    if (c->products->child && run->spans.is_long && !run->spans.is_sure) {
        double span = (double)(level->first - level->counted) / run->root.root.n_rows;
        below = tensor_parts_make(&level->parts, level->n_children, span, child_weight, c);
    }
    pthread_mutex_lock(&run->lock);
    tensor_part part =
        tensor_spans_take(&run->spans, level->counted, level->first, lattices, below);
    pthread_mutex_unlock(&run->lock);
    level->below = part.span - part.done;
    *done = part.done;
    if (below >= 0) return LODE_OK;
    lode_status status = tensor_spans_children(tensor_mem(run), &run->spans, level->counted,
                                               level->first, level->n_children, &c->children);
    if (status == LODE_OK) forecast_to_rest(c->children.of, level->n_children);
    return status;
}

/* The same for rows below the root; returns the finished share. */
static double span_further(tensor_consumer *c, tensor_level *level, double lattices) {
    double span = span_rows(c, level, level->counted, level->first);
    double below = level->n_children * CHILD_LATTICES * TENSOR_LATTICE_WORK;
    if (level->n_children > 1 && span_is_divided(c, span)) {
        below = tensor_parts_make(&level->parts, level->n_children, span, child_weight, c);
    }
    double done = level->n_children > 0 ? span * lattices / (lattices + below) : span;
    level->below = span - done;
    return done;
}

lode_status tensor_level_counted(tensor_consumer *c, tensor_level *level, uint32_t n_lattices) {
    lode_status status = LODE_OK;
    double done = 0, lattices = n_lattices * TENSOR_LATTICE_WORK;
    level->parts.n_children = 0;
    if (tensor_depth(c) == 0) {
        status = span_roots(c, level, lattices, &done);
    } else {
        done = span_further(c, level, lattices);
    }
    if (level->n_children == 0) {
        done += level->below;
        level->below = 0;
    }
    progress_retire(&c->run->task->job->at, &c->progress, done);
    return status;
}

/* The share of a child in the rest of the span of its level. */
static double child_share(const tensor_consumer *c, const tensor_level *level, uint32_t i) {
    bool foreseen = tensor_depth(c) == 0 && level->parts.n_children == 0;
    return foreseen ? c->children.of[i]
                    : tensor_parts_share(&level->parts, level->n_children, i, i + 1);
}

lode_status tensor_level_pushed(tensor_consumer *c, tensor_level *level, uint32_t first,
                                uint32_t end, double *span) {
    uint32_t n = end - first, n_rows = 0;
    double all = level->below;
    bool notes = n > 1 && span_is_divided(c, all);
    *span = 0;
    if (notes && c->cap_classes - c->n_classes < n) {
        lode_status status = vec_grow(tensor_mem(c->run), (void **)&c->classes, c->n_classes,
                                      &c->cap_classes, n, sizeof *c->classes);
        if (status != LODE_OK) return status;
    }
    if (end == level->n_children && !notes) {
        *span = all;
        level->below = 0;
        return LODE_OK;
    }
    for (uint32_t i = first; i < end; i++) {
        double share = level->below * child_share(c, level, i);
        level->below -= share;
        *span += share;
        if (!notes) continue;
        product_child child = c->products->child(c->device, tensor_depth(c), i);
        for (uint32_t k = 0; k < child.n; k++) n_rows += child.supports[k] != child.support;
        c->classes[c->n_classes++] = (class_span){n_rows, share};
    }
    return LODE_OK;
}
