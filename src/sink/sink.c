/* sink.c - the part all sinks share; see sink.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/sink.h"

#include <string.h>

#include "base/os.h"
#include "data/dataset.h"
#include "runtime/job_report.h"
#include "runtime/output.h"

#define SINK_PERFECT      12        /* perfect extensions that are multiplied out in one go */
#define SINK_LONG         8         /* … between looks at the clock */
#define SINK_PIECE_ITEMS  (1 << 23) /* … with no more items than are written in a moment */
#define SINK_REPORT_EVERY 65536     /* patterns between updates of the shared progress count */

void sink_init(lode_sink *sink, const sink_kind *kind, lode_job *job) {
    *sink = (lode_sink){.kind = kind, .job = job, .min_size = 1, .max_size = UINT32_MAX};
    sink_limit_patterns(sink, UINT64_MAX);
    sink_expect(sink, NULL);
    pthread_mutex_init(&sink->lock, NULL);
    pthread_mutex_init(&sink->counts_lock, NULL);
}

void sink_clear(lode_sink *sink) {
    vec_u64_free(&sink->job->mem, &sink->by_size);
    pthread_mutex_destroy(&sink->lock);
    pthread_mutex_destroy(&sink->counts_lock);
}

void sink_set_data(lode_sink *sink, const lode_dataset *data) {
    sink->numbers = data ? data->numbers : NULL;
}

void sink_limit(lode_sink *sink, uint32_t min_size, uint32_t max_size) {
    sink->min_size = min_size ? min_size : 1;
    sink->max_size = max_size ? max_size : UINT32_MAX;
}

void sink_limit_patterns(lode_sink *sink, uint64_t most) {
    atomic_store_explicit(&sink->room, most, memory_order_relaxed);
}

void sink_expect(lode_sink *sink, const sink_bounds *bounds) {
    sink->bounds = bounds ? *bounds : (sink_bounds){0, UINT64_MAX, UINT32_MAX};
}

void sink_note_job(lode_sink *sink, const sink_origin *origin) {
    unsigned n_jobs = sink->origin.n_jobs + 1;
    sink->origin = *origin;
    sink->origin.n_jobs = n_jobs;
    sink->origin.complete = origin->complete && n_jobs == 1;
}

lode_status sink_open_worker(lode_sink *sink, sink_worker **out) {
    mem *m = &sink->job->mem;
    sink_worker *worker = NULL;
    lode_status status = mem_zalloc(m, (void **)&worker, sink->kind->worker_bytes);
    if (status != LODE_OK) return status;
    worker->sink = sink;
    if (sink->kind->open) status = sink->kind->open(worker);
    if (status == LODE_OK) {
        *out = worker;
    } else {
        lode_status ignored = sink_close_worker(worker);
        (void)ignored;
    }
    return status;
}

static lode_status sink_too_many(lode_job *job) {
    return job_fail(job, LODE_UNSUPPORTED, "there are 2^64 patterns or more");
}

/* Adds up what a worker has counted; under the lock of the counts. */
static lode_status sink_add_counts(lode_sink *sink, const sink_worker *w) {
    vec_u64 *to = &sink->by_size;
    uint64_t sum;
    while (to->n < w->by_size.n) {
        lode_status status = vec_u64_push(&sink->job->mem, to, 0);
        if (status != LODE_OK) return status;
    }
    if (__builtin_add_overflow(atomic_load(&sink->patterns), w->patterns, &sum)) {
        return sink_too_many(sink->job);
    }
    atomic_store(&sink->patterns, sum);
    for (size_t i = 0; i < w->by_size.n; i++) to->data[i] += w->by_size.data[i];
    return LODE_OK;
}

/* ---- counting ------------------------------------------------------------------------------ */

/* Whether every size is wanted. */
static bool sink_takes_all(const lode_sink *sink) {
    return sink->min_size <= 1 && sink->max_size == UINT32_MAX;
}

/* Tells the progress report now and then. */
static void sink_progress(sink_worker *w, uint64_t n) {
    w->unreported += n;
    if (w->unreported < SINK_REPORT_EVERY) return;
    atomic_fetch_add_explicit(&w->sink->job->at.patterns, w->unreported, memory_order_relaxed);
    w->unreported = 0;
}

static lode_status sink_count_size(sink_worker *w, uint64_t size, uint64_t n) {
    const lode_sink *sink = w->sink;
    if (size < sink->min_size || size > sink->max_size) return LODE_OK;
    while (w->by_size.n <= size) {
        lode_status status = vec_u64_push(&sink->job->mem, &w->by_size, 0);
        if (status != LODE_OK) return status;
    }
    if (__builtin_add_overflow(w->patterns, n, &w->patterns)) return sink_too_many(sink->job);
    w->by_size.data[size] += n;
    return LODE_OK;
}

/* C(n, k), or something above UINT64_MAX if that is: it then is after a few steps. */
static unsigned __int128 sink_choose(uint32_t n, uint32_t k) {
    unsigned __int128 choose = 1;
    uint32_t steps = k < n - k ? k : n - k;
    for (uint32_t j = 0; j < steps && choose <= UINT64_MAX; j++) {
        choose = choose * (n - j) / (j + 1);
    }
    return choose;
}

/* The least number of perfect extensions that make a pattern of a wanted size. */
static uint32_t sink_least_perfect(const lode_sink *sink, uint64_t size) {
    return size < sink->min_size ? (uint32_t)(sink->min_size - size) : 0;
}

/* Counts n * C(n_perfect, j) patterns of size + j items, for each j. */
static lode_status sink_multiply_count(sink_worker *w, uint64_t size, uint64_t n,
                                       uint32_t n_perfect) {
    uint32_t j = sink_least_perfect(w->sink, size);
    unsigned __int128 choose = j <= n_perfect ? sink_choose(n_perfect, j) : 0;
    for (; j <= n_perfect && size + j <= w->sink->max_size; j++) {
        if (choose > UINT64_MAX / n) return sink_too_many(w->sink->job);
        lode_status status = sink_count_size(w, size + j, (uint64_t)choose * n);
        if (status != LODE_OK) return status;
        choose = choose * (n_perfect - j) / (j + 1);
    }
    return LODE_OK;
}

/* Counts n patterns of this size, with all subsets of the perfect extensions. Small ones are only
 * noted, whatever they stand for, and multiplied out when the worker closes. */
static lode_status sink_count(sink_worker *w, uint64_t size, uint64_t n, uint32_t n_perfect) {
    if (n_perfect == 0) {
        sink_progress(w, n);
        return sink_count_size(w, size, n);
    }
    if (size >= SINK_TALLY_SIZES || n_perfect >= SINK_TALLY_SIZES) {
        return sink_multiply_count(w, size, n, n_perfect);
    }
    uint64_t *noted = &w->cubes[size * SINK_TALLY_SIZES + n_perfect];
    if (__builtin_add_overflow(*noted, n, noted)) return sink_too_many(w->sink->job);
    if (n_perfect < 32 && sink_takes_all(w->sink)) sink_progress(w, n << n_perfect);
    return LODE_OK;
}

bool sink_takes_numbers(lode_sink *sink) {
    return !sink->kind->emit && !sink->kind->emit_family &&
           atomic_load_explicit(&sink->room, memory_order_relaxed) == UINT64_MAX;
}

lode_status sink_add_tally(sink_worker *w, const uint64_t *tally, bool whole) {
    for (uint64_t i = 0; i < SINK_TALLY_SIZES * SINK_TALLY_SIZES; i++) {
        uint64_t size = i / SINK_TALLY_SIZES, n_free = i % SINK_TALLY_SIZES;
        if (tally[i] == 0) continue;
        if (whole) size += n_free;
        lode_status status = sink_count(w, size, tally[i], whole ? 0 : (uint32_t)n_free);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Multiplies out what was noted. */
static lode_status sink_count_noted(sink_worker *w) {
    for (uint32_t i = 0; i < SINK_TALLY_SIZES * SINK_TALLY_SIZES; i++) {
        if (w->cubes[i] == 0) continue;
        lode_status status =
            sink_multiply_count(w, i / SINK_TALLY_SIZES, w->cubes[i], i % SINK_TALLY_SIZES);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

lode_status sink_close_worker(sink_worker *worker) {
    if (!worker) return LODE_OK;
    lode_sink *sink = worker->sink;
    mem *m = &sink->job->mem;
    lode_status status = sink->kind->close ? sink->kind->close(worker) : LODE_OK;
    lode_status added = sink_count_noted(worker);
    pthread_mutex_lock(&sink->counts_lock);
    if (added == LODE_OK && !sink->counted) added = sink_add_counts(sink, worker);
    pthread_mutex_unlock(&sink->counts_lock);
    atomic_fetch_add_explicit(&sink->job->at.patterns, worker->unreported, memory_order_relaxed);
    vec_u64_free(m, &worker->by_size);
    vec_u32_free(m, &worker->items);
    subsets_free(&worker->multiplied, m);
    subsets_free(&worker->split, m);
    vec_u32_free(m, &worker->lattice_prefix);
    vec_u32_free(m, &worker->outside);
    mem_free(m, worker, sink->kind->worker_bytes);
    return status != LODE_OK ? status : added;
}

/* ---- items ---------------------------------------------------------------------------------- */

static uint32_t *sink_put_items(uint32_t *to, const uint32_t *numbers, const uint32_t *ids,
                                uint32_t n) {
    for (uint32_t i = 0; i < n; i++) to[i] = numbers[ids[i]];
    return to + n;
}

lode_status sink_translate(sink_worker *w, const lode_batch *batch, lode_batch *out) {
    const uint32_t *numbers = w->sink->numbers;
    size_t n = (size_t)batch->n_prefix + batch->n;
    *out = *batch;
    if (!numbers) return LODE_OK;
    lode_status status = vec_u32_reserve(&w->sink->job->mem, &w->outside, n);
    if (status != LODE_OK) return status;
    out->prefix = w->outside.data;
    out->items = sink_put_items(w->outside.data, numbers, batch->prefix, batch->n_prefix);
    sink_put_items(w->outside.data + batch->n_prefix, numbers, batch->items, batch->n);
    return LODE_OK;
}

/* ---- passing on ---------------------------------------------------------------------------- */

typedef lode_status (*sink_plain_fn)(sink_worker *w, const lode_batch *batch);

/* Calls `fn` with every batch that has some of the perfect extensions from number `keep` on in its
 * prefix, and those before it still to be added. Without `keep`, these are plain batches of wanted
 * sizes. The scratch is in use until the end. */
static lode_status sink_multiply(sink_worker *w, subsets *scratch, const lode_batch *batch,
                                 uint32_t keep, sink_plain_fn fn) {
    const lode_sink *sink = w->sink;
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
        status = fn(w, &piece);
    }
    return status;
}

/* Calls `fn` with every plain batch that makes up a batch with perfect extensions. */
static lode_status sink_multiply_all(sink_worker *w, const lode_batch *batch, sink_plain_fn fn) {
    return sink_multiply(w, &w->multiplied, batch, 0, fn);
}

/* Hands a batch with perfect extensions to a kind that writes families. */
static lode_status sink_pass_families(sink_worker *w, const lode_batch *batch, bool *done) {
    w->items.n = 0;
    lode_status status =
        vec_u32_reserve(&w->sink->job->mem, &w->items, batch->n_prefix + (size_t)1);
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
        if (*done) status = w->sink->kind->emit_family(w, &family, done);
        if (!*done) return status; /* the same for all of the batch, or before the first line */
    }
    return status;
}

static lode_status sink_pass(sink_worker *w, const lode_batch *batch) {
    const lode_sink *sink = w->sink;
    if (batch->n_perfect > 0 && sink->kind->emit_family && sink_takes_all(sink)) {
        bool done = false;
        lode_status status = sink_pass_families(w, batch, &done);
        if (done || status != LODE_OK) return status;
    }
    if (batch->n_perfect > 0) return sink_multiply_all(w, batch, sink->kind->emit);
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    bool wanted = size >= sink->min_size && size <= sink->max_size;
    return wanted ? sink->kind->emit(w, batch) : LODE_OK;
}

static lode_status sink_take(sink_worker *w, const lode_batch *batch) {
    lode_status status = sink_count(w, (uint64_t)batch->n_prefix + 1, batch->n, batch->n_perfect);
    if (status != LODE_OK || !w->sink->kind->emit) return status;
    return sink_pass(w, batch);
}

/* Whether to go on. Patterns that the limit has let through come, whoever has reached it since. */
static lode_status sink_goes_on(lode_job *job) {
    lode_status status = job_check(job);
    int reason = atomic_load_explicit(&job->halt, memory_order_relaxed);
    if (status != LODE_STOPPED || reason != JOB_LIMIT_PATTERNS) return status;
    return job->deadline > 0 && os_seconds() >= job->deadline ? LODE_STOPPED : LODE_OK;
}

static lode_status sink_take_piece(sink_worker *w, const lode_batch *batch) {
    lode_status status = sink_goes_on(w->sink->job);
    return status == LODE_OK ? sink_take(w, batch) : status;
}

/* How many perfect extensions are multiplied out in one go. */
static uint32_t sink_piece(const lode_batch *batch) {
    uint32_t n = batch->n_perfect < SINK_PERFECT ? batch->n_perfect : SINK_PERFECT;
    uint64_t items = (uint64_t)batch->n * (batch->n_prefix + (uint64_t)n + 1);
    while (n > 0 && items > (uint64_t)SINK_PIECE_ITEMS >> n) n--;
    return n;
}

/* Batches with many perfect extensions are accepted in pieces, so that a job can end in between. */
static lode_status sink_accept(sink_worker *w, const lode_batch *batch) {
    const lode_sink *sink = w->sink;
    if (batch->n == 0 || batch->n_prefix >= sink->max_size) return LODE_OK;
    if (batch->n_perfect == 0 || !sink->kind->emit) return sink_take(w, batch);
    uint32_t n = sink_piece(batch);
    if (n == batch->n_perfect && n < SINK_LONG) return sink_take(w, batch);
    return sink_multiply(w, &w->split, batch, n, sink_take_piece);
}

/* ---- a limited number of patterns ---------------------------------------------------------- */

/* How many patterns of wanted sizes each item of the batch stands for, or UINT64_MAX if more. */
static uint64_t sink_patterns_each(const lode_sink *sink, const lode_batch *batch) {
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    uint32_t j = sink_least_perfect(sink, size);
    unsigned __int128 choose = j <= batch->n_perfect ? sink_choose(batch->n_perfect, j) : 0;
    unsigned __int128 sum = 0;
    for (; j <= batch->n_perfect && size + j <= sink->max_size; j++) {
        sum += choose;
        if (choose > UINT64_MAX || sum > UINT64_MAX) return UINT64_MAX;
        choose = choose * (batch->n_perfect - j) / (j + 1);
    }
    return (uint64_t)sum;
}

/* Takes as many as there are, up to `wanted`, out of what the limit leaves. */
static uint64_t sink_reserve(lode_sink *sink, uint64_t wanted) {
    uint64_t room = atomic_load_explicit(&sink->room, memory_order_relaxed);
    uint64_t taken;
    do {
        taken = wanted < room ? wanted : room;
    } while (!atomic_compare_exchange_weak(&sink->room, &room, room - taken));
    return taken;
}

static lode_status sink_accept_left(sink_worker *w, const lode_batch *plain) {
    if (w->left == 0) return LODE_STOPPED;
    w->left--;
    return sink_accept(w, plain);
}

/* Accepts the first `taken` patterns of a batch that has more, `each` per item, and stops. */
static lode_status sink_accept_last(sink_worker *w, const lode_batch *batch, uint64_t taken,
                                    uint64_t each) {
    lode_batch part = *batch;
    part.n = (uint32_t)(taken / each);
    job_halt(w->sink->job, JOB_LIMIT_PATTERNS);
    lode_status status = sink_accept(w, &part);
    if (status != LODE_OK) return status;
    part.items += part.n;
    part.supports += part.n;
    part.n = 1;
    w->left = taken % each;
    return sink_multiply_all(w, &part, sink_accept_left);
}

static lode_status sink_accept_within(sink_worker *w, const lode_batch *batch) {
    lode_sink *sink = w->sink;
    bool limited = atomic_load_explicit(&sink->room, memory_order_relaxed) != UINT64_MAX;
    if (!limited || batch->n == 0) return sink_accept(w, batch);
    uint64_t each = sink_patterns_each(sink, batch), wanted;
    if (__builtin_mul_overflow(each, (uint64_t)batch->n, &wanted)) wanted = UINT64_MAX;
    uint64_t taken = sink_reserve(sink, wanted);
    return taken == wanted ? sink_accept(w, batch) : sink_accept_last(w, batch, taken, each);
}

/* ---- the threshold ------------------------------------------------------------------------- */

static uint32_t sink_first_below(const lode_batch *batch, uint64_t threshold) {
    uint32_t i = 0;
    while (i < batch->n && batch->supports[i] >= threshold) i++;
    return i;
}

/* Emits runs of items that reach the threshold, without those that a risen one has overtaken. */
static lode_status sink_emit_runs(sink_worker *w, const lode_batch *batch, uint64_t threshold) {
    lode_batch rest = *batch;
    lode_status status = LODE_OK;
    const lode_sink *sink = w->sink;
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

/* Whether no item is there twice; for short ones, as they come by the million. */
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

/* What costs nothing beside a batch: its size, and its first support. */
static lode_status sink_check(const lode_sink *sink, uint64_t size, uint64_t support) {
    lode_status status = LODE_OK;
    LODE_REQUIRE(sink->job, size <= sink->bounds.longest,
                 "an itemset of more items than any transaction was found");
    LODE_REQUIRE(sink->job, support <= sink->bounds.most,
                 "an itemset of more support than there are transactions was found");
done:
    return status;
}

lode_status sink_emit(sink_worker *w, const lode_batch *batch) {
    uint64_t threshold = job_threshold(w->sink->job);
    if (batch->n > 0) {
        uint64_t size = (uint64_t)batch->n_prefix + batch->n_perfect + 1;
        lode_status status = sink_check(w->sink, size, batch->supports[0]);
        if (status != LODE_OK) return status;
        LODE_DEBUG_CHECK(sink_items_differ(batch), "an itemset has an item twice");
    }
    if (sink_first_below(batch, threshold) == batch->n) return sink_accept_within(w, batch);
    return sink_emit_runs(w, batch, threshold);
}

/* ---- lattices ------------------------------------------------------------------------------ */

/* Emits the wanted sets of a lattice that are `set` and items below n, batch by batch. Recursion:
 * SINK_LATTICE_ITEMS deep at the most. */
static lode_status lattice_walk(sink_worker *w, const sink_lattice *l, uint32_t *prefix,
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
    lode_status status = found > 0 ? sink_emit(w, &batch) : LODE_OK;
    if (n_prefix + (uint64_t)2 > w->sink->max_size) return status;
    for (uint32_t b = 1; b < n && status == LODE_OK; b++) {
        uint32_t more = set | (uint32_t)1 << b;
        if (!l->has_gaps && l->supports[more] < l->min) continue;
        prefix[n_prefix] = l->items[b];
        status = lattice_walk(w, l, prefix, n_prefix + 1, more, b);
    }
    return status;
}

static lode_status lattice_multiply(sink_worker *w, const sink_lattice *l) {
    mem *m = &w->sink->job->mem;
    w->lattice_prefix.n = 0;
    lode_status status =
        vec_u32_reserve(m, &w->lattice_prefix, l->n_prefix + (size_t)SINK_LATTICE_ITEMS);
    if (status != LODE_OK) return status;
    uint32_t *prefix = w->lattice_prefix.data;
    if (l->n_prefix > 0) memcpy(prefix, l->prefix, l->n_prefix * sizeof *prefix);
    return lattice_walk(w, l, prefix, l->n_prefix, 0, l->n_items);
}

static lode_status lattice_count(sink_worker *w, const sink_lattice *l) {
    for (uint32_t i = 1; i <= l->n_items; i++) {
        if (l->sizes[i] == 0) continue;
        lode_status status = sink_count(w, (uint64_t)l->n_prefix + i, l->sizes[i], l->n_perfect);
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

lode_status sink_emit_lattice(sink_worker *w, const sink_lattice *l) {
    const sink_kind *kind = w->sink->kind;
    lode_status status = sink_check(w->sink, (uint64_t)l->n_prefix + l->n_perfect, 0);
    bool limited = atomic_load_explicit(&w->sink->room, memory_order_relaxed) != UINT64_MAX;
    bool done = !kind->emit && !limited && job_threshold(w->sink->job) <= l->min;
    if (status != LODE_OK) return status;
    if (kind->emit_family && !limited && sink_takes_all(w->sink) && lattice_is_short(l) &&
        job_threshold(w->sink->job) <= l->min) {
        status = kind->emit_family(w, l, &done);
    }
    if (status != LODE_OK) return status;
    return done ? lattice_count(w, l) : lattice_multiply(w, l);
}

lode_status sink_emit_settled(sink_worker *w, const lode_batch *batch) {
    return sink_accept_within(w, batch);
}

/* ---- the public half ----------------------------------------------------------------------- */

lode_status lode_sink_finish(lode_sink *sink, bool partial) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    lease_call call = {0};
    double start = os_seconds();
    job_clear_message(job);
    if (sink->complete) return job_fail(job, LODE_INVALID, "the sink was finished before");
    /* Who has been cancelled waits for nothing: what there is becomes a partial result. */
    lode_status status = job_is_cancelled(job) ? LODE_CANCELLED : lease_enter(job, 1, &call);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        status = sink->kind->finish ? sink->kind->finish(sink, partial) : LODE_OK;
    }
    status = output_settle(job, status);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        lode_status reported = sink_report(sink);
        if (status == LODE_OK) status = reported;
    }
    job_explain(job, status, "writing the result");
    lease_leave(&call);
    return job_report_end_finish(job, sink, start, partial, status);
}

lode_status sink_report(const lode_sink *sink) {
    report_result result = {
        .patterns = lode_sink_patterns(sink),
        .text_bytes = lode_sink_bytes(sink),
        .hashed = sink->hashes,
        .hash = lode_sink_hash_value(sink),
        .path = sink->path,
        .temporary = sink->beside,
    };
    return job_report_result(sink->job, sink, &result, sink->by_size.data, sink->by_size.n);
}

void lode_sink_free(lode_sink *sink) {
    if (sink) sink->kind->free(sink);
}

uint64_t lode_sink_patterns(const lode_sink *sink) {
    return sink ? atomic_load(&sink->patterns) : 0;
}

/* A sink is const for those who only look; its lock is not part of what they see. */
static pthread_mutex_t *sink_counts_lock(const lode_sink *sink) {
    return (pthread_mutex_t *)&sink->counts_lock;
}

uint64_t lode_sink_patterns_of_size(const lode_sink *sink, uint32_t size) {
    if (!sink) return 0;
    pthread_mutex_lock(sink_counts_lock(sink));
    uint64_t n = size < sink->by_size.n ? sink->by_size.data[size] : 0;
    pthread_mutex_unlock(sink_counts_lock(sink));
    return n;
}

uint32_t lode_sink_largest(const lode_sink *sink) {
    if (!sink) return 0;
    pthread_mutex_lock(sink_counts_lock(sink));
    size_t n = sink->by_size.n;
    while (n > 0 && sink->by_size.data[n - 1] == 0) n--;
    pthread_mutex_unlock(sink_counts_lock(sink));
    return n > 0 ? (uint32_t)(n - 1) : 0;
}

uint64_t lode_sink_bytes(const lode_sink *sink) {
    return sink ? atomic_load(&sink->bytes) : 0;
}
