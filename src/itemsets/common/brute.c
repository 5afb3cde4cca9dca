/* brute.c - the oracle: as simple as an exact miner can be
 *
 * Problem:  all sets of items that at least min_count transactions contain.
 * Method:   start from the empty set and all transactions; read each transaction that contains the
 *           current set, and count every item above the set's last one; go on with the items that
 *           reach the threshold. No bit rows, no reordering, no threads: it shares only the reader
 *           and the sink with the miners that it checks.
 * Cost:     for each pattern, the total length of the transactions that contain it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "itemsets/common/forecast.h"
#include "pipeline/engine/item_task.h"

#define POLL 1024 /* transactions between looks at whether to go on */

typedef struct brute {
    engine_task *task;
    mem *mem;
    sink_worker *worker;
    uint32_t *prefix;
    uint32_t n_prefix;
    uint64_t *counts;           /* by item id, all zero between sets */
    struct brute_level *levels; /* one for each item of the prefix, and the empty one */
    size_t n_levels, cap_levels;
    double output_seconds;
    progress_local progress;
} brute;

/* A set that is being extended: its transactions, and the items found in them, with their supports.
 * Sets may be as long as transactions, so the levels form a stack instead of a recursion. */
typedef struct brute_level {
    vec_u32 tids;
    vec_u32 items;
    vec_u64 supports;
    size_t next; /* item to go on with */
    double span; /* share of the progress left for these items */
    size_t rest_bytes;
    double *rest; /* each item's share of the rest; NULL: evenly */
} brute_level;

static uint64_t brute_weight(const lode_dataset *data, uint32_t t) {
    return data->weights ? data->weights[t] : 1;
}

static bool brute_contains(const lode_dataset *data, uint32_t t, uint32_t item) {
    uint32_t n;
    const uint32_t *items = dataset_row(data, t, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (items[i] == item) return true;
    }
    return false;
}

/* Counts every item from first_item on in the transactions; keeps the frequent ones. */
static lode_status brute_count_items(brute *b, uint32_t first_item, brute_level *level) {
    const lode_dataset *data = b->task->items.data;
    lode_status status = LODE_OK;
    for (size_t k = 0; k < level->tids.n; k++) {
        uint32_t n, t = level->tids.data[k];
        if (k % POLL == 0) LODE_TRY(job_check(b->task->job));
        const uint32_t *items = dataset_row(data, t, &n);
        for (uint32_t i = 0; i < n; i++) b->counts[items[i]] += brute_weight(data, t);
    }
    b->task->report->candidates_generated += data->item_bound - first_item;
    for (uint32_t item = first_item; item < data->item_bound; item++) {
        uint64_t count = b->counts[item];
        if (count > 0) b->task->report->candidates_counted++;
        if (count < job_threshold(b->task->job) || count == 0) continue;
        LODE_TRY(vec_u32_push(b->mem, &level->items, item));
        LODE_TRY(vec_u64_push(b->mem, &level->supports, count));
    }
    if (b->counts) memset(b->counts, 0, data->item_bound * sizeof *b->counts);
done:
    return status;
}

static lode_status brute_emit_items(brute *b, const brute_level *level) {
    lode_batch batch = {
        .prefix = b->prefix,
        .n_prefix = b->n_prefix,
        .items = level->items.data,
        .supports = level->supports.data,
        .n = (uint32_t)level->items.n,
    };
    double start = os_seconds();
    lode_status status = sink_emit(b->worker, &batch);
    b->output_seconds += os_seconds() - start;
    return status;
}

static lode_status brute_select(brute *b, const vec_u32 *tids, uint32_t item, vec_u32 *out) {
    out->n = 0;
    for (size_t k = 0; k < tids->n; k++) {
        lode_status status = k % POLL == 0 ? job_check(b->task->job) : LODE_OK;
        if (status != LODE_OK) return status;
        if (!brute_contains(b->task->items.data, tids->data[k], item)) continue;
        status = vec_u32_push(b->mem, out, tids->data[k]);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Adds a level, whose transactions are still to be filled in. */
static lode_status brute_push(brute *b, brute_level **out) {
    if (b->n_levels == b->cap_levels) {
        lode_status status = vec_grow(b->mem, (void **)&b->levels, b->n_levels, &b->cap_levels, 1,
                                      sizeof *b->levels);
        if (status != LODE_OK) return status;
    }
    *out = &b->levels[b->n_levels++];
    **out = (brute_level){0};
    return LODE_OK;
}

static void brute_pop(brute *b) {
    brute_level *level = &b->levels[--b->n_levels];
    vec_u32_free(b->mem, &level->tids);
    vec_u32_free(b->mem, &level->items);
    vec_u64_free(b->mem, &level->supports);
    if (level->rest) mem_free(b->mem, level->rest, level->rest_bytes);
    progress_retire(&b->task->job->at, &b->progress, level->span);
    if (b->n_prefix > 0) b->n_prefix--;
}

#define FORECAST_SPAN 0.003 /* share of the search from which on a forecast of a level pays */

static lode_status brute_forecast(brute *b, brute_level *level, uint64_t of) {
    lode_status status = LODE_OK;
    const forecast_config config = {.power = 1};
    uint32_t n = (uint32_t)level->items.n, *supports = NULL;
    if (level->span < FORECAST_SPAN || n < 2) return LODE_OK;
    LODE_TRY(mem_resize(b->mem, (void **)&supports, 0, n * sizeof *supports));
    LODE_TRY(mem_resize(b->mem, (void **)&level->rest, 0, n * sizeof *level->rest));
    level->rest_bytes = n * sizeof *level->rest;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t support = level->supports.data[i];
        supports[i] = support < UINT32_MAX ? (uint32_t)support : UINT32_MAX;
    }
    forecast_class c = {.n = n,
                        .supports = supports,
                        .of = of,
                        .min_count = job_threshold(b->task->job),
                        .max_added = b->task->items.options->max_size - b->n_prefix - 1};
    forecast_members(&c, &config, level->rest);
    forecast_to_rest(level->rest, n);
done:
    mem_free(b->mem, supports, supports ? n * sizeof *supports : 0);
    return status;
}

/* Takes out the span of the next item. */
static double brute_take_span(brute_level *level) {
    size_t left = level->items.n - level->next;
    double span = level->span * (level->rest ? level->rest[level->next] : 1.0 / (double)left);
    level->span -= span;
    return span;
}

static lode_status brute_enter(brute *b, brute_level *level, uint32_t first_item, uint64_t of) {
    lode_status status = LODE_OK;
    LODE_TRY(job_tick(b->task->job, 0, 0));
    LODE_TRY(brute_count_items(b, first_item, level));
    LODE_TRY(brute_forecast(b, level, of));
    status = brute_emit_items(b, level);
done:
    return status;
}

/* Continues with the next item of the last level. */
static lode_status brute_step(brute *b) {
    lode_status status = LODE_OK;
    brute_level *level = &b->levels[b->n_levels - 1], *below;
    bool grows = b->n_prefix + (uint64_t)1 < b->task->items.options->max_size;
    if (level->next == level->items.n || !grows) {
        brute_pop(b);
        return LODE_OK;
    }
    double span = brute_take_span(level);
    uint32_t item = level->items.data[level->next];
    uint64_t support = level->supports.data[level->next++];
    if (support < job_threshold(b->task->job)) {
        progress_retire(&b->task->job->at, &b->progress, span);
        return LODE_OK;
    }
    LODE_TRY(brute_push(b, &below));
    below->span = span;
    b->prefix[b->n_prefix++] = item;
    LODE_TRY(brute_select(b, &b->levels[b->n_levels - 2].tids, item, &below->tids));
    status = brute_enter(b, below, item + 1, support);
done:
    return status;
}

static lode_status brute_search(brute *b) {
    lode_status status = LODE_OK;
    brute_level *root;
    LODE_TRY(brute_push(b, &root));
    for (uint32_t t = 0; t < b->task->items.data->profile.n_transactions; t++) {
        LODE_TRY(vec_u32_push(b->mem, &root->tids, t));
    }
    root->span = 1;
    LODE_TRY(brute_enter(b, root, 0, b->task->items.data->total_weight));
    while (b->n_levels > 0 && status == LODE_OK) status = brute_step(b);
done:
    return status;
}

static lode_status brute_mine(engine_task *task) {
    lode_status status = LODE_OK;
    brute b = {.task = task, .mem = &task->job->mem};
    size_t prefix_bytes = ((size_t)task->items.data->profile.longest + 1) * sizeof *b.prefix;
    size_t counts_bytes = task->items.data->item_bound * sizeof *b.counts;
    double start = os_seconds();

    task->report->n_threads = 1;
    LODE_TRY(mem_resize(b.mem, (void **)&b.prefix, 0, prefix_bytes));
    LODE_TRY(mem_zalloc(b.mem, (void **)&b.counts, counts_bytes));
    LODE_TRY(sink_open_worker(task->sink, &b.worker));
    status = brute_search(&b);
    lode_status closed = sink_close_worker(b.worker);
    if (status == LODE_OK) status = closed;
done:
    task->report->times.output = b.output_seconds;
    task->report->times.counting = os_seconds() - start - b.output_seconds;
    while (b.n_levels > 0) brute_pop(&b);
    mem_free(b.mem, b.levels, b.cap_levels * sizeof *b.levels);
    mem_free(b.mem, b.counts, counts_bytes);
    mem_free(b.mem, b.prefix, prefix_bytes);
    return status;
}

/* A table of items and a list of transactions for each item of the longest set. */
static uint64_t brute_need(const engine_sizes *s) {
    uint64_t depth = s->data.longest < s->data.n_items ? s->data.longest : s->data.n_items;
    return (depth + 1) * s->data.item_bound * (sizeof(uint64_t) + 2) +
           2 * (s->data.n_transactions + s->data.n_occurrences) * sizeof(uint32_t);
}

static double brute_estimate(const engine_task *task) {
    return (double)task->items.data->profile.n_occurrences *
           (double)task->items.data->profile.n_items;
}

const lode_engine lode_engine_brute = {
    .name = "brute",
    .summary =
        "The slow, simple reference for tests: counts every item of every projected transaction.",
    .oracle = true,
    .weights = true,
    .estimate = brute_estimate,
    .need = brute_need,
    .run = brute_mine,
};
