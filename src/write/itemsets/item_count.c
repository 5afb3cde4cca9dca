/* item_count.c - see item_count.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_count.h"

/* C(n, k), or something above UINT64_MAX if that is: it then is after a few steps. */
static unsigned __int128 count_choose(uint32_t n, uint32_t k) {
    unsigned __int128 choose = 1;
    uint32_t steps = k < n - k ? k : n - k;
    for (uint32_t j = 0; j < steps && choose <= UINT64_MAX; j++) {
        choose = choose * (n - j) / (j + 1);
    }
    return choose;
}

/* The least number of perfect extensions that make a pattern of a wanted size. */
static uint32_t count_least_perfect(const lode_sink *sink, uint64_t size) {
    return size < sink->min_size ? (uint32_t)(sink->min_size - size) : 0;
}

/* Counts n * C(n_perfect, j) patterns of size + j items, for each j. */
static lode_status count_multiplied(item_worker *w, uint64_t size, uint64_t n, uint32_t n_perfect) {
    const lode_sink *sink = w->base.sink;
    uint32_t j = count_least_perfect(sink, size);
    unsigned __int128 choose = j <= n_perfect ? count_choose(n_perfect, j) : 0;
    for (; j <= n_perfect && size + j <= sink->max_size; j++) {
        if (choose > UINT64_MAX / n) return sink_too_many(sink->job);
        lode_status status = item_count_size(w, size + j, (uint64_t)choose * n);
        if (status != LODE_OK) return status;
        choose = choose * (n_perfect - j) / (j + 1);
    }
    return LODE_OK;
}

lode_status item_count_perfect(item_worker *w, uint64_t size, uint64_t n, uint32_t n_perfect) {
    lode_sink *sink = w->base.sink;
    if (size >= SINK_TALLY_SIZES || n_perfect >= SINK_TALLY_SIZES) {
        return count_multiplied(w, size, n, n_perfect);
    }
    uint64_t *noted = &w->noted[size * SINK_TALLY_SIZES + n_perfect];
    if (__builtin_add_overflow(*noted, n, noted)) return sink_too_many(sink->job);
    if (n_perfect < 32 && sink_takes_all(sink)) {
        sink_progress(&w->base, n << n_perfect, ITEM_REPORT_EVERY);
    }
    return LODE_OK;
}

lode_status item_count_noted(item_worker *w) {
    for (uint32_t i = 0; i < SINK_TALLY_SIZES * SINK_TALLY_SIZES; i++) {
        if (w->noted[i] == 0) continue;
        lode_status status =
            count_multiplied(w, i / SINK_TALLY_SIZES, w->noted[i], i % SINK_TALLY_SIZES);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

uint64_t item_patterns_each(const lode_sink *sink, const lode_batch *batch) {
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    uint32_t j = count_least_perfect(sink, size);
    unsigned __int128 choose = j <= batch->n_perfect ? count_choose(batch->n_perfect, j) : 0;
    unsigned __int128 sum = 0;
    for (; j <= batch->n_perfect && size + j <= sink->max_size; j++) {
        sum += choose;
        if (choose > UINT64_MAX || sum > UINT64_MAX) return UINT64_MAX;
        choose = choose * (batch->n_perfect - j) / (j + 1);
    }
    return (uint64_t)sum;
}

bool sink_takes_numbers(const lode_sink *sink) {
    bool all = !sink->filter || filter_only_adds(sink->filter);
    return all && !sink->verify && sink->kind->counts_only && !sink_is_limited(sink);
}

static uint64_t count_fixed(const sink_worker *worker) {
    return worker->sink->filter ? worker->sink->filter->n_fixed : 0;
}

lode_status sink_add_number(sink_worker *worker, uint32_t size, uint64_t n) {
    return item_count((item_worker *)worker, size + count_fixed(worker), n, 0);
}

lode_status sink_add_tally(sink_worker *worker, const uint64_t *tally, bool whole) {
    item_worker *w = (item_worker *)worker;
    uint64_t n_fixed = count_fixed(worker);
    for (uint64_t i = 0; i < SINK_TALLY_SIZES * SINK_TALLY_SIZES; i++) {
        uint64_t size = i / SINK_TALLY_SIZES + n_fixed, n_free = i % SINK_TALLY_SIZES;
        if (tally[i] == 0) continue;
        if (whole) size += n_free;
        lode_status status = item_count(w, size, tally[i], whole ? 0 : (uint32_t)n_free);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* ---- how many items a frequent itemset can have at most -------------------------------------- */

static uint32_t frequent_items(const lode_dataset *data, uint64_t t, uint64_t threshold) {
    uint32_t n, frequent = 0;
    const uint32_t *items = dataset_row(data, t, &n);
    for (uint32_t i = 0; i < n; i++) frequent += data->item_supports[items[i]] >= threshold;
    return frequent;
}

lode_status width_bound(lode_job *job, const lode_dataset *data, uint64_t threshold,
                        uint32_t *width) {
    uint64_t *by_length = NULL, sum = 0;
    uint32_t length = data->profile.longest;
    size_t bytes = ((size_t)length + 1) * sizeof *by_length;
    lode_status status = mem_zalloc(&job->mem, (void **)&by_length, bytes);
    if (status != LODE_OK) return status;
    for (uint64_t t = 0; t < data->profile.n_transactions; t++) {
        by_length[frequent_items(data, t, threshold)] += data->weights ? data->weights[t] : 1;
    }
    for (;; length--) {
        sum += by_length[length];
        if (sum >= threshold || length == 0) break;
    }
    *width = length;
    mem_free(&job->mem, by_length, bytes);
    return LODE_OK;
}
