/* tally.c - for sinks that take numbers only: how many patterns of each size there are; see run.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "itemsets/tensor/run.h"

/* How many patterns the tally stands for; for the progress line. */
static uint64_t tally_patterns(const tensor_run *run) {
    double n = 0;
    bool each = run->config.target != LODE_TARGET_ALL;
    for (size_t i = 0; i < TENSOR_TALLY_SIZE; i++) {
        n += ldexp((double)run->tally[i], each ? 0 : (int)(i % PRODUCT_SIZES));
    }
    return n < 1e18 ? (uint64_t)n : (uint64_t)1e18;
}

lode_status tensor_tally_collect(tensor_consumer *c) {
    tensor_run *run = c->run;
    if (run->config.fetch) return LODE_OK;
    pthread_mutex_lock(&run->lock);
    lode_status status = c->products->tally(c->device, run->tally);
    run->too_large = run->too_large || status == LODE_UNSUPPORTED;
    uint64_t n = tally_patterns(run);
    atomic_fetch_add_explicit(&run->task->job->at.patterns, n - run->shown, memory_order_relaxed);
    run->shown = n;
    pthread_mutex_unlock(&run->lock);
    return status;
}

lode_status tensor_tally_deliver(tensor_run *run, lode_status status) {
    sink_worker *out = NULL;
    if (!tensor_keeps_counts(status)) return status;
    lode_status added = sink_open_worker(run->task->sink, &out);
    if (added == LODE_OK) {
        added = sink_add_tally(out, run->tally, run->config.target != LODE_TARGET_ALL);
        lode_status closed = sink_close_worker(out);
        if (added == LODE_OK) added = closed;
    }
    return status != LODE_OK ? status : added;
}
