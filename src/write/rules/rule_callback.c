/* rule_callback.c - a sink that calls a function of the program with every rule
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/valid.h"
#include "write/rules/rule_sink.h"

typedef struct rule_callback {
    lode_sink base;
    lode_rule_fn function;
    void *user;
} rule_callback;

typedef struct callback_worker {
    rule_worker base;
    vec_u32 items; /* of the rule, as lode.h numbers them */
} callback_worker;

static lode_status callback_translate(callback_worker *w, lode_rule *rule) {
    const lode_sink *sink = w->base.base.sink;
    const lode_dataset *data = sink->mined;
    if (!data || !data->numbers) return LODE_OK;
    w->items.n = 0;
    size_t n = (size_t)rule->n_body + rule->n_head;
    lode_status status = vec_u32_reserve(&sink->job->mem, &w->items, n);
    if (status != LODE_OK) return status;
    rule_side_items(data, rule->body, rule->n_body, w->items.data);
    rule_side_items(data, rule->head, rule->n_head, w->items.data + rule->n_body);
    rule->body = w->items.data;
    rule->head = w->items.data + rule->n_body;
    return LODE_OK;
}

static lode_status rule_callback_emit(sink_worker *worker, const lode_rule *found) {
    rule_callback *sink = (rule_callback *)worker->sink;
    lode_rule rule = *found;
    rule.size = sizeof rule;
    lode_status status = callback_translate((callback_worker *)worker, &rule);
    if (status != LODE_OK) return status;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &rule) != 0;
    status = sink_called(&sink->base, stop);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status rule_callback_close(sink_worker *worker) {
    vec_u32_free(&worker->sink->job->mem, &((callback_worker *)worker)->items);
    return LODE_OK;
}

static const rule_ops callback_rules = {
    .worker_bytes = sizeof(callback_worker),
    .emit = rule_callback_emit,
    .close = rule_callback_close,
};

static const sink_kind rule_callback_kind = {.bytes = sizeof(rule_callback),
                                             .rules = &callback_rules};

lode_status lode_rule_sink_callback(lode_job *job, lode_sink **out, lode_rule_fn function,
                                    void *user) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    lode_sink *sink = NULL;
    lode_status status = sink_create(job, &rule_callback_kind, &sink);
    if (status != LODE_OK) return job_explain(job, status, "creating a sink");
    ((rule_callback *)sink)->function = function;
    ((rule_callback *)sink)->user = user;
    *out = sink;
    return LODE_OK;
}
