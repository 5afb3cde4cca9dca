/* sink_plain.c - the two simplest sinks: count, and call a function
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/sink.h"

#include "runtime/valid.h"

typedef struct plain_sink {
    lode_sink base;
    lode_batch_fn function;
    void *user;
} plain_sink;

static void plain_free(lode_sink *sink) {
    mem *m = &sink->job->mem;
    sink_clear(sink);
    mem_free(m, sink, sizeof(plain_sink));
}

static lode_status plain_call(sink_worker *worker, const lode_batch *batch) {
    plain_sink *sink = (plain_sink *)worker->sink;
    lode_batch items;
    lode_status status = sink_translate(worker, batch, &items);
    if (status != LODE_OK) return status;
    items.size = sizeof items;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &items) != 0;
    if (stop) job_halt(sink->base.job, JOB_SINK_STOPS);
    pthread_mutex_unlock(&sink->base.lock);
    return stop ? LODE_STOPPED : LODE_OK;
}

static const sink_kind count_kind = {
    .worker_bytes = sizeof(sink_worker),
    .free = plain_free,
};

static const sink_kind callback_kind = {
    .worker_bytes = sizeof(sink_worker),
    .emit = plain_call,
    .free = plain_free,
};

static lode_status plain_create(lode_job *job, lode_sink **out, const sink_kind *kind,
                                lode_batch_fn function, void *user) {
    plain_sink *sink = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&sink, sizeof *sink);
    if (status != LODE_OK) return job_explain(job, status, "creating a sink");
    sink_init(&sink->base, kind, job);
    sink->function = function;
    sink->user = user;
    *out = &sink->base;
    return LODE_OK;
}

lode_status lode_sink_count(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return plain_create(job, out, &count_kind, NULL, NULL);
}

lode_status lode_sink_callback(lode_job *job, lode_sink **out, lode_batch_fn function, void *user) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    return plain_create(job, out, &callback_kind, function, user);
}
