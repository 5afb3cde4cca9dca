/* item_sink.c - see item_sink.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_sink.h"

#include <string.h>

#include "base/os.h"
#include "write/itemsets/item_count.h"

#define SINK_LONG 8 /* perfect extensions that are multiplied out between looks at the clock */

static lode_status item_close(sink_worker *worker) {
    item_worker *w = (item_worker *)worker;
    mem *m = &worker->sink->job->mem;
    lode_status verified = verify_end(worker->sink->verify, m, &w->unverified);
    lode_status status = w->ops->close ? w->ops->close(worker) : LODE_OK;
    lode_status counted = item_count_noted(w);
    if (status == LODE_OK) status = verified;
    if (counted != LODE_OK) worker->by_size.n = worker->patterns = 0; /* no sum is right */
    vec_u32_free(m, &w->items);
    subsets_free(&w->multiplied, m);
    subsets_free(&w->split, m);
    vec_u32_free(m, &w->lattice_prefix);
    vec_u32_free(m, &w->outside);
    filter_scratch_free(m, &w->filtered);
    subsets_free(&w->unbounded, m);
    vec_u32_free(m, &w->bounded);
    vec_u64_free(m, &w->bounded_supports);
    measure_scratch_free(&w->measured, m);
    return status != LODE_OK ? status : counted;
}

lode_status sink_open_worker(lode_sink *sink, sink_worker **out) {
    static const item_ops only_count = {.worker_bytes = sizeof(item_worker)};
    const item_ops *ops = sink->kind->itemsets ? sink->kind->itemsets : &only_count;
    sink_worker *worker = NULL;
    lode_status status = sink_worker_create(sink, ops->worker_bytes, &worker);
    if (status != LODE_OK) return status;
    worker->close = item_close;
    ((item_worker *)worker)->ops = ops;
    if (ops->open) status = ops->open(worker);
    if (status == LODE_OK) {
        *out = worker;
    } else {
        lode_status ignored = sink_close_worker(worker);
        (void)ignored;
    }
    return status;
}

/* ---- items ---------------------------------------------------------------------------------- */

/* Writes the items of some ids, and returns the end. */
static uint32_t *sink_put_items(uint32_t *to, const uint32_t *numbers, const uint32_t *ids,
                                uint32_t n) {
    for (uint32_t i = 0; i < n; i++) to[i] = numbers[ids[i]];
    return to + n;
}

lode_status sink_translate(sink_worker *worker, const lode_batch *batch, lode_batch *out) {
    item_worker *w = (item_worker *)worker;
    const lode_dataset *data = worker->sink->mined;
    const uint32_t *numbers = data ? data->numbers : NULL;
    size_t n = (size_t)batch->n_prefix + batch->n;
    *out = *batch;
    if (!numbers) return LODE_OK;
    lode_status status = vec_u32_reserve(&worker->sink->job->mem, &w->outside, n);
    if (status != LODE_OK) return status;
    out->prefix = w->outside.data;
    out->items = sink_put_items(w->outside.data, numbers, batch->prefix, batch->n_prefix);
    sink_put_items(w->outside.data + batch->n_prefix, numbers, batch->items, batch->n);
    return LODE_OK;
}

/* ---- passing on ---------------------------------------------------------------------------- */

typedef lode_status (*sink_plain_fn)(sink_worker *worker, const lode_batch *batch);

/* Splits a batch: calls `fn` once for each subset of the perfect extensions from number `keep` on,
 * with that subset added to the prefix. The first `keep` perfect extensions remain perfect
 * extensions. With keep = 0, `fn` gets plain batches of the requested sizes. The scratch is in use
 * until the end. */
static lode_status sink_multiply(item_worker *w, subsets *scratch, const lode_batch *batch,
                                 uint32_t keep, sink_plain_fn fn) {
    const lode_sink *sink = w->base.sink;
    uint64_t size = (uint64_t)batch->n_prefix + 1, most = size + keep;
    bool more = false;
    if (size > sink->max_size) return LODE_OK;
    scratch->from = batch->perfect + keep;
    scratch->n = batch->n_perfect - keep;
    scratch->least = sink->min_size > most ? (uint32_t)(sink->min_size - most) : 0;
    scratch->most = sink->max_size - (uint32_t)size;
    lode_status status =
        subsets_start(scratch, &sink->job->mem, batch->prefix, batch->n_prefix, &more);
    lode_batch piece = *batch;
    piece.n_perfect = keep;
    for (; more && status == LODE_OK; more = subsets_next(scratch)) {
        piece.prefix = scratch->items.data;
        piece.n_prefix = (uint32_t)scratch->items.n;
        status = fn(&w->base, &piece);
    }
    return status;
}

/* Calls `fn` with every plain batch that makes up a batch with perfect extensions. */
static lode_status sink_multiply_all(item_worker *w, const lode_batch *batch, sink_plain_fn fn) {
    return sink_multiply(w, &w->multiplied, batch, 0, fn);
}

/* Hands a batch with perfect extensions to a kind that writes families. */
static lode_status sink_pass_families(item_worker *w, const lode_batch *batch, bool *done) {
    w->items.n = 0;
    lode_status status =
        vec_u32_reserve(&w->base.sink->job->mem, &w->items, batch->n_prefix + (size_t)1);
    if (status != LODE_OK) return status;
    if (batch->n_prefix > 0) {
        memcpy(w->items.data, batch->prefix, batch->n_prefix * sizeof *batch->prefix);
    }
    for (uint32_t i = 0; i < batch->n && status == LODE_OK; i++) {
        uint32_t support = (uint32_t)batch->supports[i];
        w->items.data[batch->n_prefix] = batch->items[i];
        sink_lattice family = {.prefix = w->items.data,
                               .n_prefix = batch->n_prefix + 1,
                               .perfect = batch->perfect,
                               .n_perfect = batch->n_perfect,
                               .supports = &support,
                               .min = support};
        *done = support == batch->supports[i];
        if (*done) status = w->ops->emit_family(&w->base, &family, done);
        if (!*done) return status; /* the same for all of the batch, or before the first line */
    }
    return status;
}

static lode_status sink_pass(item_worker *w, const lode_batch *batch) {
    const lode_sink *sink = w->base.sink;
    if (batch->n_perfect > 0 && w->ops->emit_family && sink_takes_all(sink)) {
        bool done = false;
        lode_status status = sink_pass_families(w, batch, &done);
        if (done || status != LODE_OK) return status;
    }
    if (batch->n_perfect > 0) return sink_multiply_all(w, batch, w->ops->emit);
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    bool wanted = size >= sink->min_size && size <= sink->max_size;
    return wanted ? w->ops->emit(&w->base, batch) : LODE_OK;
}

/* Adds the patterns of a batch without perfect extensions to those that are counted again. */
static lode_status sink_verify_plain(sink_worker *worker, const lode_batch *batch) {
    lode_status status = LODE_OK;
    const lode_sink *sink = worker->sink;
    verify_batch *unverified = &((item_worker *)worker)->unverified;
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    if (size < sink->min_size || size > sink->max_size) return LODE_OK;
    for (uint32_t i = 0; i < batch->n; i++) {
        verify_side prefix = {batch->prefix, batch->n_prefix}, item = {&batch->items[i], 1};
        LODE_TRY(verify_add(sink->verify, unverified, prefix, item, batch->supports[i]));
        LODE_TRY(verify_pattern(sink->verify, unverified));
    }
done:
    return status;
}

static lode_status sink_verify(item_worker *w, const lode_batch *batch) {
    if (!w->base.sink->verify) return LODE_OK;
    return batch->n_perfect > 0 ? sink_multiply_all(w, batch, sink_verify_plain)
                                : sink_verify_plain(&w->base, batch);
}

static lode_status sink_take(item_worker *w, const lode_batch *batch) {
    lode_status status = item_count(w, (uint64_t)batch->n_prefix + 1, batch->n, batch->n_perfect);
    if (status == LODE_OK) status = sink_verify(w, batch);
    if (status != LODE_OK || !w->ops->emit) return status;
    return sink_pass(w, batch);
}

/* Whether to go on. A limit on patterns that is reached during this batch does not end it, because
 * room for the batch was reserved before. */
static lode_status sink_goes_on(lode_job *job) {
    lode_status status = lease_poll(job);
    int reason = atomic_load_explicit(&job->halt, memory_order_relaxed);
    if (status != LODE_STOPPED || reason != JOB_LIMIT_PATTERNS) return status;
    return job->deadline > 0 && os_seconds() >= job->deadline ? LODE_STOPPED : LODE_OK;
}

static lode_status sink_take_piece(sink_worker *worker, const lode_batch *batch) {
    lode_status status = sink_goes_on(worker->sink->job);
    return status == LODE_OK ? sink_take((item_worker *)worker, batch) : status;
}

/* How many perfect extensions are multiplied out in one go. */
static uint32_t sink_piece(const lode_batch *batch) {
    uint32_t n = batch->n_perfect < SINK_PERFECT ? batch->n_perfect : SINK_PERFECT;
    uint64_t items = (uint64_t)batch->n * (batch->n_prefix + (uint64_t)n + 1);
    while (n > 0 && items > (uint64_t)SINK_PIECE_ITEMS >> n) n--;
    return n;
}

/* Batches with many perfect extensions are accepted in pieces, so that a job can end in between. */
static lode_status sink_accept(item_worker *w, const lode_batch *batch) {
    const lode_sink *sink = w->base.sink;
    if (batch->n == 0 || batch->n_prefix >= sink->max_size) return LODE_OK;
    if (batch->n_perfect == 0 || !w->ops->emit) return sink_take(w, batch);
    uint32_t n = sink_piece(batch);
    if (n == batch->n_perfect && n < SINK_LONG) return sink_take(w, batch);
    return sink_multiply(w, &w->split, batch, n, sink_take_piece);
}

/* ---- a limited number of patterns ---------------------------------------------------------- */

static lode_status sink_accept_left(sink_worker *worker, const lode_batch *plain) {
    item_worker *w = (item_worker *)worker;
    if (w->left == 0) return LODE_STOPPED;
    w->left--;
    return sink_accept(w, plain);
}

/* Accepts the first `taken` patterns of a batch that has more, `each` per item, and stops. */
static lode_status sink_accept_last(item_worker *w, const lode_batch *batch, uint64_t taken,
                                    uint64_t each) {
    lode_batch part = *batch;
    part.n = (uint32_t)(taken / each);
    job_halt(w->base.sink->job, JOB_LIMIT_PATTERNS);
    lode_status status = sink_accept(w, &part);
    if (status != LODE_OK) return status;
    part.items += part.n;
    part.supports += part.n;
    part.n = 1;
    w->left = taken % each;
    return sink_multiply_all(w, &part, sink_accept_left);
}

static lode_status sink_accept_within(item_worker *w, const lode_batch *batch) {
    lode_sink *sink = w->base.sink;
    if (!sink_is_limited(sink) || batch->n == 0) return sink_accept(w, batch);
    uint64_t each = item_patterns_each(sink, batch), wanted;
    if (__builtin_mul_overflow(each, (uint64_t)batch->n, &wanted)) wanted = UINT64_MAX;
    uint64_t taken = sink_take_room(sink, wanted);
    return taken == wanted ? sink_accept(w, batch) : sink_accept_last(w, batch, taken, each);
}

/* ---- the threshold ------------------------------------------------------------------------- */

static uint32_t sink_first_below(const lode_batch *batch, uint64_t threshold) {
    uint32_t i = 0;
    while (i < batch->n && batch->supports[i] >= threshold) i++;
    return i;
}

/* Emits the runs of items that reach the threshold. The others are dropped: the threshold has risen
 * since they were found. */
static lode_status sink_emit_runs(item_worker *w, const lode_batch *batch, uint64_t threshold) {
    lode_batch rest = *batch;
    lode_status status = LODE_OK;
    const lode_sink *sink = w->base.sink;
    while (rest.n > 0) {
        uint32_t n = sink_first_below(&rest, threshold);
        LODE_REQUIRE(sink->job, n == rest.n || rest.supports[n] >= sink->bounds.least,
                     "an itemset below the minimum support was found");
        lode_batch run = rest;
        run.n = n;
        LODE_TRY(sink_accept_within(w, &run));
        uint32_t skip = n < rest.n ? n + 1 : n;
        rest.items += skip;
        rest.supports += skip;
        rest.n -= skip;
    }
done:
    return status;
}

/* Whether no item is there twice. Looks at short batches only: there are millions of them. */
static bool sink_items_differ(const lode_batch *b) {
    if (b->n_prefix > 16 || b->n > 16) return true;
    for (uint32_t i = 0; i < b->n_prefix; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (b->prefix[k] == b->prefix[i]) return false;
        }
        for (uint32_t k = 0; k < b->n; k++) {
            if (b->prefix[i] == b->items[k]) return false;
        }
    }
    return true;
}

static lode_status sink_check_bounds(const lode_sink *sink, uint64_t size, uint64_t support) {
    lode_status status = LODE_OK;
    LODE_REQUIRE(sink->job, size <= sink->bounds.longest,
                 "an itemset was found with more items than any transaction has");
    LODE_REQUIRE(sink->job, support <= sink->bounds.most,
                 "an itemset was found whose support exceeds the number of transactions");
done:
    return status;
}

static lode_status sink_emit_accepted(item_worker *w, const lode_batch *batch) {
    uint64_t threshold = job_threshold(w->base.sink->job);
    if (batch->n > 0) {
        uint64_t size = (uint64_t)batch->n_prefix + batch->n_perfect + 1;
        lode_status status = sink_check_bounds(w->base.sink, size, batch->supports[0]);
        if (status != LODE_OK) return status;
        LODE_DEBUG_CHECK(sink_items_differ(batch), "an itemset has an item twice");
    }
    if (w->ops->take) return w->ops->take(&w->base, batch);
    if (sink_first_below(batch, threshold) == batch->n) return sink_accept_within(w, batch);
    return sink_emit_runs(w, batch, threshold);
}

/* Emits the patterns of a batch without perfect extensions whose measures are within the bounds. */
static lode_status sink_emit_bounded(sink_worker *worker, const lode_batch *batch) {
    lode_status status = LODE_OK;
    item_worker *w = (item_worker *)worker;
    mem *m = &worker->sink->job->mem;
    lode_batch out = *batch;
    w->bounded.n = w->bounded_supports.n = 0;
    LODE_TRY(vec_u32_reserve(m, &w->bounded, batch->n));
    LODE_TRY(vec_u64_reserve(m, &w->bounded_supports, batch->n));
    for (uint32_t i = 0; i < batch->n; i++) {
        bool met;
        LODE_TRY(item_bounds_met(worker->sink->filter->bounds, m, &w->measured, batch, i, &met));
        w->bounded.data[w->bounded.n] = batch->items[i];
        w->bounded_supports.data[w->bounded.n] = batch->supports[i];
        w->bounded.n += met;
    }
    out.items = w->bounded.data;
    out.supports = w->bounded_supports.data;
    out.n = (uint32_t)w->bounded.n;
    if (out.n > 0) status = sink_emit_accepted(w, &out);
done:
    return status;
}

/* Emits a batch of which all is wanted, as far as its items and supports are concerned. */
static lode_status sink_emit_wanted(void *worker, const lode_batch *batch) {
    item_worker *w = worker;
    const item_filter *filter = w->base.sink->filter;
    if (!filter || !filter->bounds) return sink_emit_accepted(w, batch);
    if (batch->n_perfect == 0) return sink_emit_bounded(&w->base, batch);
    return sink_multiply(w, &w->unbounded, batch, 0, sink_emit_bounded);
}

lode_status sink_emit(sink_worker *worker, const lode_batch *batch) {
    const item_filter *filter = worker->sink->filter;
    filter_scratch *scratch = &((item_worker *)worker)->filtered;
    if (filter) return filter_batch(filter, scratch, batch, sink_emit_wanted, worker);
    return sink_emit_wanted(worker, batch);
}

lode_status sink_emit_settled(sink_worker *worker, const lode_batch *batch) {
    return sink_accept_within((item_worker *)worker, batch);
}

lode_status sink_add_fixed(lode_sink *sink, uint64_t support) {
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(sink, &worker);
    if (status != LODE_OK) return status;
    /* Emits the pattern of the items that the filter of the sink adds to all others. */
    status = filter_fixed(worker->sink->filter, support, sink_emit_wanted, worker);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

/* ---- lattices: passed on as a whole, counted as a whole, or multiplied out ------------------- */

/* Emits the wanted sets of a lattice that consist of `set` and items below n, batch by batch. The
 * recursion is at most SINK_LATTICE_ITEMS deep. */
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
    bool all = !sink_is_limited(sink) && !sink->verify && job_threshold(sink->job) <= l->min;
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

/* ---- a prefix with each subset of some items, one after the other ---------------------------- */

void subsets_free(subsets *s, mem *m) {
    vec_u32_free(m, &s->items);
    vec_u32_free(m, &s->chosen);
}

lode_status subsets_start(subsets *s, mem *m, const uint32_t *prefix, uint32_t n_prefix,
                          bool *any) {
    lode_status status = LODE_OK;
    size_t most = s->most < s->n ? s->most : s->n;
    s->items.n = s->chosen.n = 0;
    *any = s->least <= most;
    if (!*any) return LODE_OK;
    LODE_TRY(vec_u32_reserve(m, &s->items, n_prefix + most + 1));
    LODE_TRY(vec_u32_reserve(m, &s->chosen, most + 1));
    if (n_prefix > 0) memcpy(s->items.data, prefix, n_prefix * sizeof *prefix);
    s->items.n = n_prefix;
    subsets_fill(s);
done:
    return status;
}
