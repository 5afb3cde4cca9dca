/* span.c - see span.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/span.h"

#include <math.h>

/* Numbers of sets of some items, by the logarithm of their support: bin b counts those with a
 * support of about support * exp(-b * width). */
typedef struct set_counts {
    double n[SPAN_BINS];
    double root[SPAN_BINS]; /* square root of exp(-b * width) */
    double width, scale;
    double carried; /* part of a bin that rounding has left over */
} set_counts;

static void counts_add(set_counts *c, double cost) {
    double steps = cost / c->width + c->carried;
    unsigned move = steps < SPAN_BINS ? (unsigned)steps : SPAN_BINS;
    c->carried = steps < SPAN_BINS ? steps - move : 0;
    for (unsigned b = SPAN_BINS; b-- > move;) c->n[b] += c->n[b - move];
    if (c->n[0] + c->n[SPAN_BINS - 1] < 1e100) return;
    for (unsigned b = 0; b < SPAN_BINS; b++) c->n[b] *= 1e-100;
    c->scale *= 1e100;
}

static double counts_work(const set_counts *c, double support, double slack) {
    double work = 0, rows = SPAN_MERGED * sqrt(support);
    unsigned last = (unsigned)(slack / c->width);
    for (unsigned b = 0; b < SPAN_BINS && b <= last; b++) {
        work += c->n[b] * (SPAN_NODE + rows * c->root[b]);
    }
    return work * c->scale;
}

/* The work if at most SPAN_FEW_SIZES items may be added: all sets of that size count. */
static double work_of_few(double support, uint32_t n_before, uint32_t sizes) {
    double ways = 1;
    for (uint32_t k = 1; k < sizes && k < SPAN_FEW_SIZES; k++) ways *= n_before + 1.0;
    return (SPAN_NODE + SPAN_MERGED * sqrt(support)) * ways;
}

double span_weigh(const adaptive *a, const item_list *items, uint32_t support, uint32_t first,
                  uint32_t end, double *weights) {
    double min = adaptive_threshold(a) > 0 ? adaptive_threshold(a) : 1, sum = 0;
    double range = log(support / min), step = exp(-range / SPAN_BINS / 2), here = 1;
    uint32_t sizes = a->wanted.max_size - a->path.n_prefix,
             lattice = adaptive_uses_lattices(a) ? LATTICE_ITEMS : 0;
    bool few = sizes <= SPAN_FEW_SIZES || range <= 0, known = false;
    set_counts c = {.n = {1}, .width = range / SPAN_BINS, .scale = 1};
    for (unsigned b = 0; b < SPAN_BINS; b++, here *= step) c.root[b] = here;
    for (uint32_t i = 0; i < end; i++) {
        double s = items->supports[i];
        if (i >= first) {
            if (known && items->supports[i] == items->supports[i - 1]) {
                weights[i] = weights[i - 1];
            } else {
                weights[i] = few ? work_of_few(s, i, sizes) : counts_work(&c, s, log(s / min));
            }
            sum += weights[i];
        }
        /* Later items are rarer: from some point on, no set of theirs with this item reaches min.
         * */
        bool matters = !few && i >= lattice && s * s >= min * support;
        if (matters) counts_add(&c, log(support / s));
        known = !few && !matters && i >= first;
    }
    return sum;
}

void span_divide(adaptive *a, span_split *s, const item_list *items, uint32_t first, uint32_t end) {
    double *weights;
    uint64_t cost = (uint64_t)end * SPAN_ITEM_COST;
    if (a->progress.span_cost + cost > a->progress.nodes * SPAN_NODE_GAIN) return;
    if (arena_take(&a->arena, end * sizeof *weights, (void **)&weights) != LODE_OK) return;
    a->progress.span_cost += cost;
    s->sum = span_weigh(a, items, s->support, first, end, weights);
    s->weights = weights;
}

lode_status span_weigh_child(adaptive *a, const child_items *c, double *work) {
    item_list items = child_list(c);
    double *weights;
    lode_status status = arena_take(&a->arena, c->addable * sizeof *weights, (void **)&weights);
    if (status != LODE_OK) return status;
    *work = SPAN_NODE + SPAN_MERGED * sqrt(c->support);
    if (c->subsumed || c->addable == 0) return LODE_OK;
    a->path.n_prefix++;
    *work += span_weigh(a, &items, c->support, 0, c->addable, weights);
    a->path.n_prefix--;
    return LODE_OK;
}
