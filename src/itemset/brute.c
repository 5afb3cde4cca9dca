/* brute.c - the oracle: as simple as an exact miner can be
 *
 * Problem:  all sets of items that at least min_count transactions contain.
 * Method:   start from all transactions; for the transactions that hold the present set, count
 *           every item above the set's last one by looking at each of them; go on with those that
 *           reach the threshold. No bit rows, no reordering, no threads: nothing it shares with
 *           what it checks but the reader and the sink.
 * Cost:     patterns times the transactions that hold them times their length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "engine/engine.h"

typedef struct brute {
    engine_job *job;
    mem *mem;
    sink_worker *worker;
    uint32_t *prefix;
    uint32_t n_prefix;
    double output_seconds;
} brute;

/* Items found in the transactions of one set, with their supports. */
typedef struct brute_level {
    vec_u32 items;
    vec_u64 supports;
    uint64_t *counts; /* by item id */
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

/* Counts every item above `last` in the given transactions; keeps the frequent ones. */
static lode_status brute_count(brute *b, const vec_u32 *tids, uint32_t first_item,
                               brute_level *level) {
    const lode_dataset *data = b->job->data;
    lode_status status = LODE_OK;
    for (size_t k = 0; k < tids->n; k++) {
        uint32_t n;
        const uint32_t *items = dataset_row(data, tids->data[k], &n);
        for (uint32_t i = 0; i < n; i++)
            level->counts[items[i]] += brute_weight(data, tids->data[k]);
    }
    b->job->report->candidates_generated += data->item_bound - first_item;
    for (uint32_t item = first_item; item < data->item_bound; item++) {
        if (level->counts[item] > 0) b->job->report->candidates_counted++;
        if (level->counts[item] < ctx_threshold(b->job->ctx) || level->counts[item] == 0) continue;
        LODE_TRY(vec_u32_push(b->mem, &level->items, item));
        LODE_TRY(vec_u64_push(b->mem, &level->supports, level->counts[item]));
    }
done:
    return status;
}

static lode_status brute_emit(brute *b, const brute_level *level) {
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
        if (!brute_contains(b->job->data, tids->data[k], item)) continue;
        lode_status status = vec_u32_push(b->mem, out, tids->data[k]);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

static lode_status brute_extend(brute *b, const vec_u32 *tids, uint32_t first_item) {
    lode_status status = LODE_OK;
    brute_level level = {0};
    vec_u32 narrowed = {0};
    size_t counts_bytes = b->job->data->item_bound * sizeof *level.counts;
    if (b->n_prefix >= b->job->options->max_size) return LODE_OK;

    LODE_TRY(ctx_tick(b->job->ctx, 0, 0));
    LODE_TRY(mem_zalloc(b->mem, (void **)&level.counts, counts_bytes));
    LODE_TRY(brute_count(b, tids, first_item, &level));
    LODE_TRY(brute_emit(b, &level));
    for (size_t i = 0; i < level.items.n; i++) {
        if (level.supports.data[i] < ctx_threshold(b->job->ctx)) continue;
        LODE_TRY(brute_select(b, tids, level.items.data[i], &narrowed));
        b->prefix[b->n_prefix++] = level.items.data[i];
        status = brute_extend(b, &narrowed, level.items.data[i] + 1);
        b->n_prefix--;
        if (status != LODE_OK) goto done;
    }
done:
    mem_free(b->mem, level.counts, counts_bytes);
    vec_u32_free(b->mem, &level.items);
    vec_u64_free(b->mem, &level.supports);
    vec_u32_free(b->mem, &narrowed);
    return status;
}

static lode_status brute_run(engine_job *job) {
    lode_status status = LODE_OK;
    brute b = {.job = job, .mem = &job->ctx->mem};
    vec_u32 tids = {0};
    size_t prefix_bytes = ((size_t)job->data->profile.longest + 1) * sizeof *b.prefix;
    double start = os_seconds();

    job->report->n_threads = 1;
    LODE_TRY(mem_resize(b.mem, (void **)&b.prefix, 0, prefix_bytes));
    for (uint32_t t = 0; t < job->data->profile.n_transactions; t++) {
        LODE_TRY(vec_u32_push(b.mem, &tids, t));
    }
    LODE_TRY(sink_open_worker(job->sink, &b.worker));
    status = brute_extend(&b, &tids, 0);
    lode_status closed = sink_close_worker(b.worker);
    if (status == LODE_OK) status = closed;
done:
    job->report->times.output = b.output_seconds;
    job->report->times.counting = os_seconds() - start - b.output_seconds;
    vec_u32_free(b.mem, &tids);
    mem_free(b.mem, b.prefix, prefix_bytes);
    return status;
}

static double brute_estimate(const engine_job *job) {
    return (double)job->data->profile.n_occurrences * (double)job->data->profile.n_items;
}

const lode_engine lode_engine_brute = {
    .name = "brute",
    .summary = "The oracle for tests: counts every item of every projected transaction.",
    .oracle = true,
    .weights = true,
    .shared = false,
    .estimate = brute_estimate,
    .run = brute_run,
};
