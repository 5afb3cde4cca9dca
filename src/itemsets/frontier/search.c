/* search.c - Frontier Expansion on one device: the loop over batches; see search.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/frontier/search.h"

#include "base/os.h"
#include "itemsets/common/prepare.h"
#include "itemsets/frontier/search_state.h"

#define PIECE_BATCHES 64 /* that the device counts at a time, of the size that fills it */

/* ---- count --------------------------------------------------------------------------------- */

/* Shared jobs: adds up the counts of all parts of the data. */
static lode_status reduce_counts(frontier_search *s) {
    const lode_mine_options *o = s->task->items.options;
    s->reduced.n = 0;
    lode_status status = vec_u64_reserve(s->mem, &s->reduced, s->n_work);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < s->n_work; i++) s->reduced.data[i] = s->counts.data[i];
    s->reduced.n = s->n_work;
    return o->reduce(o->reduce_user, s->reduced.data, s->n_work);
}

/* Has the device count the batch, with a look at the clock and for Ctrl-C after every piece that
 * keeps it busy for some 50 ms. */
static lode_status count_pieces(frontier_search *s, uint32_t min_count) {
    lode_status status = LODE_OK;
    size_t piece = PIECE_BATCHES * (size_t)s->backend->fill(s->device, s->v->words);
    for (size_t first = 0; first < s->n_work; first += piece) {
        size_t n = s->n_work - first < piece ? s->n_work - first : piece;
        if (first > 0) LODE_TRY(s->hooks.tick(s->hooks.user));
        LODE_TRY(s->backend->and_count(s->device, s->work + first, n, min_count,
                                       s->counts.data + first));
    }
done:
    return status;
}

static lode_status count_batch(frontier_search *s) {
    lode_status status = LODE_OK;
    bool shared = s->task->items.options->reduce != NULL;
    s->counts.n = 0;
    if (s->n_work == 0) return LODE_OK;
    LODE_TRY(vec_u32_reserve(s->mem, &s->counts, s->n_work));
    uint32_t min_count = shared ? 0 : cap_support(s->threshold);
    LODE_TRY(count_pieces(s, min_count));
    if (shared) LODE_TRY(reduce_counts(s));
    s->totals.counted += s->n_work;
    s->totals.batches++;
done:
    return status;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static lode_status batch_step(frontier_search *s) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    LODE_TRY(frontier_collect(s));
    double collected = os_seconds();
    double computed = s->backend->counters(s->device).kernel_seconds;
    LODE_TRY(count_batch(s));
    double counted = os_seconds();
    computed = s->backend->counters(s->device).kernel_seconds - computed;
    LODE_TRY(frontier_report_batch(s));
    double reported = os_seconds();
    LODE_TRY(frontier_settle(s));
    if (s->hooks.is_hungry(s->hooks.user)) frontier_donate(s);
    double settled = os_seconds();
    s->totals.candidate_seconds += collected - start + settled - reported;
    prepare_split_time(counted - collected, computed, &s->totals.counting_seconds,
                       &s->totals.transfer_seconds);
    s->totals.output_seconds += reported - counted;
    LODE_TRY(s->hooks.tick(s->hooks.user));
done:
    return status;
}

static lode_status search_classes(frontier_search *s) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    while (s->classes.n > 0 && status == LODE_OK) status = batch_step(s);
    progress_flush(&s->job->at, &s->progress);
    s->totals.busy_seconds += os_seconds() - start;
    return status;
}

lode_status frontier_search_root(frontier_search *s, uint32_t rank) {
    lode_status status = frontier_push_root(s, rank);
    return status == LODE_OK ? search_classes(s) : status;
}

lode_status frontier_search_record(frontier_search *s, const frontier_record *record) {
    lode_status status = LODE_OK;
    s->threshold = job_threshold(s->job);
    LODE_TRY(frontier_record_push(s, record));
    status = search_classes(s);
done:
    return status;
}

lode_status frontier_search_items(frontier_search *s, uint32_t first, uint32_t end) {
    lode_batch batch = {
        .items = s->v->ids + first,
        .supports = s->v->supports + first,
        .n = end - first,
    };
    s->totals.patterns += batch.n;
    return sink_emit(s->sink, &batch);
}

/* ---- life ---------------------------------------------------------------------------------- */

static lode_status search_open_device(frontier_search *s, backend_slot slot, uint32_t max_lists) {
    lode_status status = LODE_OK;
    uint32_t granted = 0;
    double start = os_seconds();
    LODE_TRY(slot.backend->open(s->job, slot.index, 1, &s->device));
    double opened = os_seconds();
    LODE_TRY(slot.backend->set_rows(s->device, s->v->rows, s->v->n_items, s->v->words));
    s->totals.transfer_seconds = os_seconds() - opened;
    LODE_TRY(prepare_lists(s->task, s->v, slot, s->device, max_lists, &granted));
    list_pool_init(&s->pool, s->mem, s->v->n_items, granted);
    LODE_TRY(granted > 0 ? LODE_OK : LODE_NOMEM);
    LODE_TRY(list_pool_prepare(&s->pool));
    LODE_TRY(slot.backend->back_lists(s->device, 1));
    s->scratch = list_pool_take(&s->pool);
    s->totals.start_seconds = os_seconds() - start - s->totals.transfer_seconds;
done:
    return status;
}

/* The parts of a shared job must have the same batches, although their rows differ in length. */
static uint64_t search_epsilon(const frontier_search *s) {
    const lode_mine_options *o = s->task->items.options;
    if (o->epsilon) return o->epsilon;
    size_t whole = vertical_row_bytes(o->n_transactions_total) / sizeof *s->v->rows;
    return s->backend->fill(s->device, o->reduce ? whole : s->v->words);
}

/* Without a word from the user, only a device with memory of its own has its batches filled up from
 * several root classes: a call of it costs so much more than one of the CPU, whose caches hold a
 * small batch better. The parts of a shared job may have different devices. */
static bool wants_filling(const frontier_search *s) {
    return s->backend->list_room(s->device) != SIZE_MAX && !s->task->items.options->reduce;
}

lode_status frontier_search_create(frontier_search **out, const engine_task *task,
                                   const vertical *v, backend_slot slot, uint32_t max_lists,
                                   frontier_hooks hooks) {
    lode_status status = LODE_OK;
    frontier_search *s = NULL;
    mem *m = &task->job->mem;
    LODE_TRY(mem_zalloc(m, (void **)&s, sizeof *s));
    s->task = task;
    s->v = v;
    s->job = task->job;
    s->mem = m;
    s->backend = slot.backend;
    s->hooks = hooks;
    s->open = NO_CLASS;
    LODE_TRY(search_open_device(s, slot, max_lists));
    s->epsilon = search_epsilon(s);
    s->gathers_roots = task->items.options->epsilon > 0 || wants_filling(s);
    LODE_TRY(sink_open_worker(task->sink, &s->sink));
    *out = s;
    s = NULL;
done:
    if (s) {
        lode_status ignored = frontier_search_free(s);
        (void)ignored;
    }
    return status;
}

lode_status frontier_search_free(frontier_search *s) {
    if (!s) return LODE_OK;
    mem *m = s->mem;
    lode_status status = sink_close_worker(s->sink);
    list_pool_clear(&s->pool);
    s->backend->close(s->device);
    vec_u32 *u32s[] = {&s->stack,        &s->work_items,      &s->counts,      &s->fresh,
                       &s->out_prefix,   &s->member_items,    &s->member_rows, &s->out_items,
                       &s->derived_sets, &s->member_supports, &s->derived};
    for (size_t i = 0; i < sizeof u32s / sizeof *u32s; i++) vec_u32_free(m, u32s[i]);
    vec_u64 *u64s[] = {&s->classes, &s->reduced, &s->order, &s->fresh_at, &s->out_supports};
    for (size_t i = 0; i < sizeof u64s / sizeof *u64s; i++) vec_u64_free(m, u64s[i]);
    mem_free(m, s->work, s->cap_work * sizeof *s->work);
    mem_free(m, s->children, s->cap_children * sizeof *s->children);
    mem_free(m, s->forecasts, s->cap_forecasts * sizeof *s->forecasts);
    mem_free(m, s, sizeof *s);
    return status;
}

frontier_totals frontier_search_totals(const frontier_search *s) {
    frontier_totals totals = s->totals;
    totals.device = s->backend->counters(s->device);
    return totals;
}

uint64_t frontier_search_epsilon(const frontier_search *s) {
    return s->epsilon;
}

const list_pool *frontier_search_pool(const frontier_search *s) {
    return &s->pool;
}
