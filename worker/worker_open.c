/* worker_open.c - open: reads a data set, cleans it if requested, and keeps it
 *
 * The request has the limits of the context, so each `open` makes a new context. The data set that
 * was open is freed first, because two large data sets may not fit into memory at the same time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#define LOGS_MOST 100 /* messages that are kept */

worker_data worker_open_data;

/* ---- the limits ----------------------------------------------------------------------------- */

static atomic_int open_waking;

bool worker_is_waking(void) {
    return atomic_load(&open_waking) > 0;
}

static void *open_wake(void *device) {
    lode_device_wake(device);
    free(device);
    atomic_fetch_sub(&open_waking, 1);
    return NULL;
}

/* A GPU starts while the data are read. */
static void open_start_waking(const char *device) {
    pthread_t thread;
    char *copy = device ? strdup(device) : NULL;
    if (!copy) return;
    atomic_fetch_add(&open_waking, 1);
    if (pthread_create(&thread, NULL, open_wake, copy) == 0) {
        pthread_detach(thread);
    } else {
        atomic_fetch_sub(&open_waking, 1);
        free(copy);
    }
}

/* Sets an option of the job by the name that the request has for it. */
static lode_status open_set_limit(worker_call *c, lode_options *o, const char *name) {
    const char *text = worker_request_get(&c->request, name);
    char message[256];
    if (!text || lode_options_set_in(o, LODE_OPTION_JOB | LODE_OPTION_DEVICE, name, text, message,
                                     sizeof message) == LODE_OK) {
        return LODE_OK;
    }
    return worker_refuse(c, LODE_INVALID, "%s %s", name, message);
}

/* One thread more than a search may use is for short questions, which then never wait for it. */
static lode_status open_make_context(worker_call *c, worker_data *d) {
    const lode_job_options *job = lode_options_job(d->options);
    lode_ctx_options o = {.size = sizeof o,
                          .memory_bytes = job->memory_bytes,
                          .threads = job->threads ? job->threads + 1 : 0,
                          .device_memory_bytes = job->device_memory_bytes,
                          .memory_origin = job->memory_origin};
    lode_usage usage = LODE_INIT(lode_usage);
    lode_status status = lode_ctx_create(&d->ctx, &o);
    if (status == LODE_OK && !job->threads) { /* the library knows how many the machine has */
        lode_ctx_usage(d->ctx, &usage);
        lode_ctx_free(d->ctx);
        d->ctx = NULL;
        o.threads = usage.threads < 1024 ? usage.threads + 1 : 1024;
        status = lode_ctx_create(&d->ctx, &o);
    }
    if (status != LODE_OK) return worker_failed(c, NULL, status);
    d->threads = o.threads - 1;
    return LODE_OK;
}

/* ---- what is kept --------------------------------------------------------------------------- */

static void open_forget(worker_data *d) {
    if (d->data != d->read) lode_dataset_free(d->data);
    lode_dataset_free(d->read);
    lode_graphs_free(d->graphs);
    lode_options_free(d->options);
    lode_ctx_free(d->ctx);
    free(d->path);
    free(d->name);
    worker_text_free(&d->profile);
    worker_text_free(&d->logs);
    *d = (worker_data){0};
}

/* Keeps what people should know of the reading: guesses, and what was left out. */
static void open_log(void *user, lode_log_level level, const char *message) {
    worker_data *d = user;
    unsigned n = 0;
    if (level == LODE_LOG_DEBUG) return;
    for (size_t i = 0; i < d->logs.n; i++) n += d->logs.bytes[i] == '\n';
    char *words = n < LOGS_MOST ? worker_in_words(message, false) : NULL;
    if (!words) return;
    if (d->logs.n > 0) worker_add(&d->logs, ",\n", 2);
    worker_add_word(&d->logs, words);
    free(words);
}

/* Whether graphs are to be read: as the request says or, if it says nothing, as the file looks. */
static lode_status open_choose_kind(worker_call *c, lode_job *job, bool *graphs) {
    const char *kind = worker_request_get(&c->request, "kind");
    *graphs = kind && strcmp(kind, "graphs") == 0;
    if (kind && strcmp(kind, "auto") != 0) return LODE_OK;
    if (worker_request_get(&c->request, "read.format")) return LODE_OK;
    lode_status status = lode_graphs_sniff(job, worker_open_data.path, graphs);
    return status == LODE_OK ? status : worker_failed(c, job, status);
}

static lode_status open_clean(worker_call *c, lode_job *job, worker_data *d) {
    lode_clean_options clean;
    bool wanted = false;
    for (size_t i = 0; i < c->request.n_values; i++) {
        wanted |= strncmp(c->request.values[i].name, "clean.", 6) == 0;
    }
    d->data = d->read;
    if (!wanted) return LODE_OK;
    clean = *lode_options_clean(d->options);
    clean.map_text = worker_request_get(&c->request, "clean.map-text");
    lode_status status = lode_clean(job, &d->data, d->read, &clean, NULL);
    return status == LODE_OK ? status : worker_failed(c, job, status);
}

static lode_status open_read_baskets(worker_call *c, lode_job *job, worker_data *d) {
    lode_status status = worker_set_options(c, "read.", LODE_OPTION_READ, d->options);
    if (status == LODE_OK) {
        status = worker_set_options(c, "clean.", LODE_OPTION_CLEAN, d->options);
    }
    if (status != LODE_OK) return status;
    lode_read_options read = *lode_options_read(d->options);
    read.keep_ids = true; /* by which people find a basket again */
    status = lode_dataset_open(job, &d->read, d->path, &read);
    if (status != LODE_OK) return worker_failed(c, job, status);
    status = open_clean(c, job, d);
    if (status == LODE_OK) worker_profile_data(d->data, &d->profile);
    return status;
}

static lode_status open_read_graphs(worker_call *c, lode_job *job, worker_data *d) {
    for (size_t i = 0; i < c->request.n_values; i++) {
        if (strncmp(c->request.values[i].name, "clean.", 6) != 0) continue;
        return worker_refuse(c, LODE_INVALID, "%.60s: graphs cannot be cleaned",
                             c->request.values[i].name);
    }
    lode_status status = worker_set_options(c, "read.", LODE_OPTION_GRAPH_READ, d->options);
    if (status != LODE_OK) return status;
    status = lode_graphs_open(job, &d->graphs, d->path, lode_options_graph_read(d->options));
    if (status != LODE_OK) return worker_failed(c, job, status);
    worker_profile_graphs(d->graphs, &d->profile);
    return LODE_OK;
}

/* Reads what the request names; the context is there. */
static lode_status open_read_data(worker_call *c, worker_data *d) {
    lode_job *job = NULL;
    bool graphs = false;
    lode_options_set_log(d->options, open_log, d);
    lode_status status = worker_job_start(c, d->options, d->threads, &job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, job);
    status = open_choose_kind(c, job, &graphs);
    if (status == LODE_OK) {
        status = graphs ? open_read_graphs(c, job, d) : open_read_baskets(c, job, d);
    }
    if (status == LODE_OK && (d->profile.lost || d->logs.lost)) status = LODE_NOMEM;
    worker_job_end(c, job);
    return status;
}

static bool open_knows_kind(const char *kind) {
    return !kind || strcmp(kind, "auto") == 0 || strcmp(kind, "baskets") == 0 ||
           strcmp(kind, "graphs") == 0;
}

/* Looks at the request, and at nothing else. */
static lode_status open_prepare(worker_call *c, worker_data *d) {
    const char *path = worker_request_get(&c->request, "path");
    const char *name = worker_request_get(&c->request, "name");
    if (!path || !path[0]) return worker_refuse(c, LODE_INVALID, "open: expected path=");
    if (strcmp(path, "-") == 0) {
        return worker_refuse(
            c, LODE_INVALID,
            "open: path cannot be standard input, because requests are read from it");
    }
    if (!open_knows_kind(worker_request_get(&c->request, "kind"))) {
        return worker_refuse(c, LODE_INVALID, "open: expected kind=auto, baskets or graphs");
    }
    d->path = strdup(path);
    d->name = strdup(name ? name : path);
    if (!d->path || !d->name) return LODE_NOMEM;
    lode_status status = worker_share_disk(c, worker_request_get(&c->request, "disk"));
    if (status == LODE_OK) status = lode_options_create(&d->options);
    if (status == LODE_OK) status = lode_options_set(d->options, "memory", "auto", NULL, 0);
    static const char *const limits[] = {"memory", "threads", "device", "device-memory"};
    for (size_t i = 0; status == LODE_OK && i < sizeof limits / sizeof *limits; i++) {
        status = open_set_limit(c, d->options, limits[i]);
    }
    return status;
}

/* Frees what was open, and reads what the request names. */
static lode_status open_replace(worker_call *c, const worker_data *next) {
    worker_data *d = &worker_open_data;
    open_forget(d);
    *d = *next;
    open_start_waking(worker_request_get(&c->request, "device"));
    lode_status status = open_make_context(c, d);
    if (status == LODE_OK) status = open_read_data(c, d);
    if (status != LODE_OK) open_forget(d);
    return status;
}

lode_status worker_open(worker_call *c, worker_text *json) {
    worker_data *d = &worker_open_data, next = {0};
    double start = cli_seconds();
    lode_status status = open_prepare(c, &next);
    if (status != LODE_OK) { /* what is open stays */
        open_forget(&next);
        return status;
    }
    status = open_replace(c, &next);
    if (status != LODE_OK) return status;
    const uint64_t print =
        d->graphs ? lode_graphs_fingerprint(d->graphs) : lode_dataset_fingerprint(d->data);
    worker_addf(json, "{\"kind\":\"%s\",\"seconds\":", d->graphs ? "graphs" : "baskets");
    worker_add_real(json, cli_seconds() - start);
    worker_addf(json, print ? ",\"fingerprint\":\"%016llx\"" : ",\"fingerprint\":null",
                (unsigned long long)print);
    worker_addf(json, ",\"warnings\":[");
    worker_add(json, d->logs.bytes, d->logs.n);
    worker_addf(json, "],\"profile\":");
    worker_add(json, d->profile.bytes, d->profile.n);
    worker_addf(json, "}");
    return LODE_OK;
}
