/* item_callback.c - a sink that calls a function of the program with every batch
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/valid.h"
#include "write/itemsets/item_sink.h"

typedef struct callback_sink {
    lode_sink base;
    lode_batch_fn function;
    void *user;
} callback_sink;

static lode_status item_callback_emit(sink_worker *worker, const lode_batch *batch) {
    callback_sink *sink = (callback_sink *)worker->sink;
    lode_batch items;
    lode_status status = sink_translate(worker, batch, &items);
    if (status != LODE_OK) return status;
    items.size = sizeof items;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &items) != 0;
    status = sink_called(&sink->base, stop);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static const item_ops callback_items = {
    .worker_bytes = sizeof(item_worker),
    .emit = item_callback_emit,
};

static const sink_kind callback_kind = {.bytes = sizeof(callback_sink),
                                        .itemsets = &callback_items};

lode_status lode_sink_callback(lode_job *job, lode_sink **out, lode_batch_fn function, void *user) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    lode_sink *sink = NULL;
    lode_status status = sink_create(job, &callback_kind, &sink);
    if (status != LODE_OK) return job_explain(job, status, "creating a sink");
    ((callback_sink *)sink)->function = function;
    ((callback_sink *)sink)->user = user;
    *out = sink;
    return LODE_OK;
}
