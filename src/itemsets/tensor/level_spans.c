/* level_spans.c - what share of the progress each step of a search is; see run.h and spans.c
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/forecast.h"
#include "itemsets/tensor/run.h"

#define CHILD_LATTICES 16    /* where nothing is known, a child is the work of this many lattices */
#define FORECAST_SPAN  0.005 /* children with at least this span are looked into */

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

/* The same for rows below the root; returns what is done. */
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

/* The share of a child in what is left of the span of its level. */
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
