/* item_lattice.c - lattices: passed on as a whole, counted as a whole, or multiplied out
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_count.h"
#include "write/itemsets/item_sink.h"

/* Emits the wanted sets of a lattice that are `set` and items below n, batch by batch. Recursion:
 * SINK_LATTICE_ITEMS deep at the most. */
static lode_status lattice_walk(item_worker *w, const sink_lattice *l, uint32_t *prefix,
                                uint32_t n_prefix, uint32_t set, uint32_t n) {
    uint32_t ids[SINK_LATTICE_ITEMS], found = 0;
    uint64_t supports[SINK_LATTICE_ITEMS];
    for (uint32_t b = 0; b < n; b++) {
        uint32_t support = l->supports[set | (uint32_t)1 << b];
        ids[found] = l->items[b];
        supports[found] = support;
        found += support >= l->min;
    }
    lode_batch batch = {.prefix = prefix,
                        .n_prefix = n_prefix,
                        .items = ids,
                        .supports = supports,
                        .n = found,
                        .perfect = l->perfect,
                        .n_perfect = l->n_perfect};
    lode_status status = found > 0 ? sink_emit(&w->base, &batch) : LODE_OK;
    if (n_prefix + (uint64_t)2 > w->base.sink->max_size) return status;
    for (uint32_t b = 1; b < n && status == LODE_OK; b++) {
        uint32_t superset = set | (uint32_t)1 << b;
        if (!l->has_gaps && l->supports[superset] < l->min) continue;
        prefix[n_prefix] = l->items[b];
        status = lattice_walk(w, l, prefix, n_prefix + 1, superset, b);
    }
    return status;
}

static lode_status lattice_multiply(item_worker *w, const sink_lattice *l) {
    mem *m = &w->base.sink->job->mem;
    w->lattice_prefix.n = 0;
    lode_status status =
        vec_u32_reserve(m, &w->lattice_prefix, l->n_prefix + (size_t)SINK_LATTICE_ITEMS);
    if (status != LODE_OK) return status;
    uint32_t *prefix = w->lattice_prefix.data;
    if (l->n_prefix > 0) memcpy(prefix, l->prefix, l->n_prefix * sizeof *prefix);
    return lattice_walk(w, l, prefix, l->n_prefix, 0, l->n_items);
}

static lode_status lattice_count(item_worker *w, const sink_lattice *l) {
    for (uint32_t i = 1; i <= l->n_items; i++) {
        if (l->sizes[i] == 0) continue;
        lode_status status = item_count(w, (uint64_t)l->n_prefix + i, l->sizes[i], l->n_perfect);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Whether all of a lattice is written in a moment. */
static bool lattice_is_short(const sink_lattice *l) {
    uint64_t items = l->n_prefix + (uint64_t)l->n_items + l->n_perfect;
    return l->n_perfect <= SINK_PERFECT &&
           items <= (uint64_t)SINK_PIECE_ITEMS >> (l->n_items + l->n_perfect);
}

/* Takes a lattice of which all is wanted as a whole; not *done: its batches have to be emitted. */
static lode_status lattice_take(sink_worker *worker, const sink_lattice *l, bool *done) {
    item_worker *w = (item_worker *)worker;
    const lode_sink *sink = worker->sink;
    bool all = !sink_is_limited(sink) && job_threshold(sink->job) <= l->min;
    *done = all && !w->ops->emit;
    lode_status status = sink_check_bounds(sink, (uint64_t)l->n_prefix + l->n_perfect, 0);
    if (status != LODE_OK) return status;
    if (w->ops->take_lattice) return w->ops->take_lattice(worker, l);
    if (all && w->ops->emit_family && sink_takes_all(sink) && lattice_is_short(l)) {
        status = w->ops->emit_family(worker, l, done);
        if (status != LODE_OK) return status;
    }
    return *done ? lattice_count(w, l) : LODE_OK;
}

lode_status sink_emit_lattice(sink_worker *worker, const sink_lattice *l) {
    item_worker *w = (item_worker *)worker;
    const item_filter *filter = worker->sink->filter;
    filter_verdict verdict = FILTER_ALL;
    sink_lattice wanted = *l;
    lode_status status = LODE_OK;
    bool done = false;
    if (filter) LODE_TRY(filter_lattice(filter, &w->filtered, l, &wanted, &verdict));
    if (verdict == FILTER_NOTHING) goto done;
    if (verdict == FILTER_ALL) LODE_TRY(lattice_take(worker, &wanted, &done));
    if (!done) status = lattice_multiply(w, l); /* whose batches the filter sees, too */
done:
    return status;
}
