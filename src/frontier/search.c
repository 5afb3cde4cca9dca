/* search.c - Frontier Expansion on one device: the loop over batches, and handing classes over; see
 * search.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "frontier/search.h"

#include "base/os.h"
#include "frontier/search_state.h"
#include "itemset/prepare.h"

/* ---- count --------------------------------------------------------------------------------- */

/* Shared jobs: adds up the counts of all parts of the data. */
static lode_status reduce_counts(frontier_search *s) {
    const lode_mine_options *o = s->task->options;
    s->reduced.n = 0;
    lode_status status = vec_u64_reserve(s->mem, &s->reduced, s->n_work);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < s->n_work; i++) s->reduced.data[i] = s->counts.data[i];
    s->reduced.n = s->n_work;
    return o->reduce(o->reduce_user, s->reduced.data, s->n_work);
}

static lode_status count_batch(frontier_search *s) {
    lode_status status = LODE_OK;
    bool shared = s->task->options->reduce != NULL;
    s->counts.n = 0;
    if (s->n_work == 0) return LODE_OK;
    LODE_TRY(vec_u32_reserve(s->mem, &s->counts, s->n_work));
    uint32_t min_count = shared ? 0 : cap_support(s->threshold);
    LODE_TRY(s->backend->and_count(s->device, s->work, s->n_work, min_count, s->counts.data));
    if (shared) LODE_TRY(reduce_counts(s));
    s->totals.counted += s->n_work;
    s->totals.batches++;
done:
    return status;
}

/* ---- sharing work -------------------------------------------------------------------------- */

void frontier_record_free(mem *m, frontier_record *record) {
    if (record) mem_free(m, record, sizeof *record + record->words * sizeof *record->data);
}

/* Copies the members from `first` on, without rows. NULL if there is no memory for it. */
static frontier_record *record_create(frontier_search *s, stacked_class f, uint32_t first) {
    uint32_t n_prefix = f.head[CLASS_N_PREFIX], n = f.head[CLASS_N] - first;
    size_t words = class_words(n_prefix, n);
    frontier_record *record = NULL;
    if (words > UINT32_MAX) return NULL;
    size_t bytes = sizeof *record + words * sizeof *record->data;
    if (mem_resize(s->mem, (void **)&record, 0, bytes) != LODE_OK) return NULL;
    record->words = (uint32_t)words;
    uint32_t *at = record->data;
    at[CLASS_N_PREFIX] = n_prefix;
    at[CLASS_N] = n;
    at[CLASS_LEFT] = at[CLASS_RIGHT] = at[CLASS_FORECAST] = 0;
    at[CLASS_END] = f.head[CLASS_END] - first;
    stacked_class copy = class_view(at);
    memcpy(copy.prefix, f.prefix, n_prefix * sizeof *f.prefix);
    memcpy(copy.items, f.items + first, n * sizeof *f.items);
    memcpy(copy.supports, f.supports + first, n * sizeof *f.supports);
    for (uint32_t i = 0; i < n; i++) copy.rows[i] = BACKEND_NO_ROW;
    return record;
}

#define DONATE_MIN_MEMBERS 4 /* with fewer, handing over costs more than searching */

/* Hands the oldest class over to a device that waits for work. If it is the only one left, or its
 * left member is unfinished, that member stays. */
static void donate(frontier_search *s) {
    size_t i = 0;
    while (i < s->classes.n && class_is_done(class_at(s, i))) i++;
    if (i == s->classes.n) return;
    stacked_class f = class_at(s, i);
    bool keep_one = i == s->open || i + 1 == s->classes.n;
    uint32_t first = f.head[CLASS_LEFT] + keep_one;
    if (f.head[CLASS_N_PREFIX] == 0 || first >= f.head[CLASS_END]) return;
    if (f.head[CLASS_N] - first < DONATE_MIN_MEMBERS) return;
    frontier_record *record = record_create(s, f, first);
    if (!record) return;
    /* The left member that stays keeps its span; the rest goes with the record. */
    float span = class_span(f), stays = keep_one ? frontier_span_take(s, f, f.head[CLASS_LEFT]) : 0;
    class_set_span(class_view(record->data), span - stays);
    if (s->hooks.accept(s->hooks.user, record)) {
        frontier_give_rows(s, f, first, f.head[CLASS_N]);
        f.head[CLASS_END] = first;
        class_set_span(f, stays);
    } else {
        class_set_span(f, span);
        frontier_record_free(s->mem, record);
    }
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
    if (s->hooks.is_hungry(s->hooks.user)) donate(s);
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
    stacked_class f;
    const uint32_t *from = record->data;
    lode_status status =
        frontier_class_add(s->mem, &s->stack, &s->classes, from[CLASS_N_PREFIX], from[CLASS_N], &f);
    if (status != LODE_OK) return status;
    memcpy(f.head, from, record->words * sizeof *from);
    s->threshold = job_threshold(s->job);
    status = frontier_class_forecast(s, f, 0);
    return status == LODE_OK ? search_classes(s) : status;
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
    LODE_TRY(slot.backend->set_rows(s->device, s->v->rows, s->v->n_items, s->v->words));
    LODE_TRY(prepare_lists(s->task, s->v, slot, s->device, max_lists, &granted));
    s->totals.transfer_seconds = os_seconds() - start;
    list_pool_init(&s->pool, s->mem, s->v->n_items, granted);
    LODE_TRY(granted > 0 ? LODE_OK : LODE_NOMEM);
    LODE_TRY(list_pool_prepare(&s->pool));
    LODE_TRY(slot.backend->back_lists(s->device, 1));
    s->scratch = list_pool_take(&s->pool);
done:
    return status;
}

/* The parts of a shared job must have the same batches, although their rows differ in length. */
static uint64_t search_epsilon(const frontier_search *s) {
    const lode_mine_options *o = s->task->options;
    if (o->epsilon) return o->epsilon;
    size_t whole = vertical_row_bytes(o->n_transactions_total) / sizeof *s->v->rows;
    return s->backend->fill(s->device, o->reduce ? whole : s->v->words);
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
    s->gathers_roots = slot.backend->list_room(s->device) != SIZE_MAX && !task->options->reduce &&
                       s->epsilon != UINT64_MAX;
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
    vec_u32 *u32s[] = {&s->stack,           &s->work_items,  &s->counts,
                       &s->fresh,           &s->out_prefix,  &s->member_items,
                       &s->member_supports, &s->member_rows, &s->out_items};
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
