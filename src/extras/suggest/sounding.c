/* sounding.c - see sounding.h: the search
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/sounding.h"

#include <math.h>

#include "base/os.h"
#include "pipeline/run.h"

static lode_status probe_mine(lode_job *job, const lode_dataset *data, const probe_request *r,
                              lode_sink *sink) {
    lode_mine_options checked, options = {.size = sizeof options,
                                          .target = r->target,
                                          .algorithm = "adaptive",
                                          .min_support = {r->base ? r->base : r->min_count, 0}};
    engine_sample sample = {r->seed, r->parts, r->of, r->by_root};
    engine_task task = {.job = job, .data = data, .options = &checked, .sink = sink};
    mine_call call = {&mine_itemsets, &options, &checked, sizeof checked};
    /* Sets are kept by one thread, so that they are the same each time. */
    if (r->parts < r->of || r->keeps_sets) task.sample = &sample;
    if (r->deadline > 0) {
        double left = r->deadline - os_seconds();
        options.limit_seconds = left > 1e-3 ? left : 1e-3;
    }
    return mine_run(&task, &call);
}

/* The highest support of an item. */
static uint64_t probe_most(const lode_dataset *data) {
    uint64_t most = 1;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] > most) most = data->item_supports[i];
    }
    return most;
}

lode_status probe_run(lode_job *job, const lode_dataset *data, const probe_request *r, probe *out) {
    lode_status status = LODE_OK;
    lode_sink *sink = NULL;
    double start = os_thread_seconds();
    *out = (probe){.by_root = r->by_root};
    out->tally = (tally){.parts = r->parts,
                         .of = r->of,
                         .most = probe_most(data),
                         .least = r->min_count,
                         .enough = r->enough,
                         .too_many = r->too_many > 0 ? r->too_many : INFINITY,
                         .keeps_sets = r->keeps_sets,
                         .plain = r->plain,
                         .cpu_until = r->seconds > 0 ? start + r->seconds : 0,
                         .seed = r->seed};
    LODE_TRY(tally_open(&job->mem, &out->tally));
    LODE_TRY(tally_sink(job, &out->tally, &sink));
    status = probe_mine(job, data, r, sink);
    out->complete = status == LODE_OK;
    if (status == LODE_STOPPED) {
        status = LODE_OK;
        job_clear_message(job);
    }
    out->min_count = job_threshold(job);
    out->seconds = os_thread_seconds() - start;
    out->searching = out->tally.opened > start ? out->seconds - (out->tally.opened - start) : 0;
    tally_add_up(&out->tally);
    out->too_many = !out->complete && out->tally.many;
done:
    lode_sink_free(sink);
    return status;
}

void probe_free(lode_job *job, probe *p) {
    tally_free(&job->mem, &p->tally);
    mem_free(&job->mem, p->heads, p->heads ? p->heads_bytes : 0);
    *p = (probe){0};
}
