/* worker_clean.c - long requests that change nothing: columns, which describes the columns of the
 * file; and clean, which reports what cleaning would do
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

lode_status worker_need_baskets(worker_call *c) {
    if (worker_open_data.data) return LODE_OK;
    return worker_refuse(c, LODE_INVALID, "%s: the data are graphs, not baskets", c->verb->name);
}

/* ---- columns -------------------------------------------------------------------------------- */

lode_status worker_columns(worker_call *c, worker_text *json) {
    lode_job *job = NULL;
    lode_options *o = worker_open_data.options;
    lode_status status = worker_need_baskets(c);
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
    lode_status status = worker_need_baskets(c);
    if (status == LODE_OK) status = lode_options_create(&o);
    if (status == LODE_OK) status = worker_set_options(c, "clean.", LODE_OPTION_CLEAN, o);
    if (status == LODE_OK) status = clean_try(c, o, json);
    lode_options_free(o);
    return status;
}
