/* worker_clean.c - long requests that change nothing: columns, which describes the columns of the
 * file; clean, which reports what cleaning would do; and suggest
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

static lode_status clean_need_baskets(worker_call *c) {
    if (worker_open_data.data) return LODE_OK;
    return worker_refuse(c, LODE_INVALID, "%s: the data are graphs, not baskets", c->verb->name);
}

/* ---- columns -------------------------------------------------------------------------------- */

lode_status worker_columns(worker_call *c, worker_text *json) {
    lode_job *job = NULL;
    lode_options *o = worker_open_data.options;
    lode_status status = clean_need_baskets(c);
    if (status == LODE_OK) status = worker_job_start(c, o, worker_open_data.threads, &job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, job);
    status =
        lode_columns_json(job, worker_open_data.path, lode_options_read(o), worker_add_piece, json);
    if (status != LODE_OK) worker_failed(c, job, status);
    worker_job_end(c, job);
    return status;
}

/* ---- clean ---------------------------------------------------------------------------------- */

static void clean_answer(const lode_clean_report *report, const lode_dataset *clean,
                         worker_text *json) {
    worker_addf(json, "{\"report\":");
    if (lode_clean_report_json(report, worker_add_piece, json) != LODE_OK) json->lost = true;
    worker_addf(json, ",\"before\":");
    worker_profile_data(worker_open_data.read, json);
    worker_addf(json, ",\"after\":");
    worker_profile_data(clean, json);
    worker_addf(json, "}");
}

static lode_status clean_try(worker_call *c, lode_options *o, worker_text *json) {
    lode_job *job = NULL;
    lode_dataset *clean = NULL;
    lode_clean_report *report = NULL;
    lode_clean_options options = *lode_options_clean(o);
    options.map_text = worker_request_get(&c->request, "clean.map-text");
    lode_status status = worker_job_start(c, o, worker_open_data.threads, &job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, job);
    status = lode_clean(job, &clean, worker_open_data.read, &options, &report);
    if (status == LODE_OK) {
        clean_answer(report, clean, json);
    } else {
        worker_failed(c, job, status);
    }
    lode_clean_report_free(report);
    lode_dataset_free(clean);
    worker_job_end(c, job);
    return status;
}

/* Cleans the data as they were read, whatever `open` has cleaned. */
lode_status worker_clean(worker_call *c, worker_text *json) {
    lode_options *o = NULL;
    lode_status status = clean_need_baskets(c);
    if (status == LODE_OK) status = lode_options_create(&o);
    if (status == LODE_OK) status = worker_set_options(c, "clean.", LODE_OPTION_CLEAN, o);
    if (status == LODE_OK) status = clean_try(c, o, json);
    lode_options_free(o);
    return status;
}

/* ---- suggest -------------------------------------------------------------------------------- */

static void suggest_add_point(worker_text *json, const lode_suggest_point *p, uint64_t total) {
    worker_addf(json, "{\"target\":\"%s\",\"min_count\":%llu,\"support\":",
                lode_suggest_target_name(p->target), (unsigned long long)p->min_count);
    worker_add_real(json, total ? (double)p->min_count / (double)total : 0);
    worker_addf(json, ",\"patterns\":");
    worker_add_real(json, p->patterns);
    worker_addf(json, ",\"low\":");
    worker_add_real(json, p->low);
    worker_addf(json, ",\"high\":");
    worker_add_real(json, p->high);
    worker_addf(json, ",\"exact\":%s,\"answer\":%s}", p->exact ? "true" : "false",
                p->answer ? "true" : "false");
}

static void suggest_answer(const lode_suggestion *s, worker_text *json) {
    uint64_t total = lode_dataset_total_weight(worker_open_data.data);
    lode_suggest_point p = LODE_INIT(lode_suggest_point);
    worker_addf(json, "{\"total\":%llu,\"points\":[", (unsigned long long)total);
    for (size_t i = 0; lode_suggestion_point(s, i, &p); i++) {
        if (i > 0) worker_addf(json, ",");
        suggest_add_point(json, &p, total);
    }
    worker_addf(json, "]}");
}

static lode_status suggest_try(worker_call *c, lode_options *o, worker_text *json) {
    lode_job *job = NULL;
    lode_suggestion *suggestion = NULL;
    lode_status status = worker_job_start(c, o, worker_open_data.threads, &job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, job);
    status = lode_suggest(job, worker_open_data.data, lode_options_suggest(o), &suggestion);
    if (status == LODE_OK) {
        suggest_answer(suggestion, json);
    } else {
        worker_failed(c, job, status);
    }
    lode_suggestion_free(suggestion);
    worker_job_end(c, job);
    return status;
}

lode_status worker_suggest(worker_call *c, worker_text *json) {
    lode_options *o = NULL;
    lode_status status = clean_need_baskets(c);
    if (status == LODE_OK) status = lode_options_create(&o);
    if (status == LODE_OK) {
        status = worker_set_options(c, "o.", LODE_OPTION_SUGGEST | LODE_OPTION_JOB, o);
    }
    if (status == LODE_OK) status = suggest_try(c, o, json);
    lode_options_free(o);
    return status;
}
