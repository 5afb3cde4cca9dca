/* worker_suggest.c - suggest: the number of patterns at each threshold
 *
 * For baskets, lode_suggest() estimates it. For graphs, all patterns are counted at one threshold
 * after the other, from the highest one, until the time is over: then the last number is a lower
 * bound.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "cli.h"
#include "worker.h"

static void suggest_add_point(worker_text *json, const lode_suggest_point *p, uint64_t total) {
    worker_addf(json, "{\"target\":\"%s\",\"min_count\":%llu,\"support\":",
                lode_suggest_target_name(p->target), (unsigned long long)p->min_count);
    worker_add_real(json, total ? (double)p->min_count / (double)total : 0);
    worker_addf(json, ",\"patterns\":");
    worker_add_real(json, p->patterns);
    worker_addf(json, ",\"low\":");
    worker_add_real(json, p->low);
    worker_addf(json, ",\"high\":");
    if (isinf(p->high)) {
        worker_addf(json, "null");
    } else {
        worker_add_real(json, p->high);
    }
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

/* ---- graphs --------------------------------------------------------------------------------- */

#define GRAPHS_SECONDS  1.5     /* for all thresholds, unless the request says otherwise */
#define GRAPHS_PATTERNS 1000000 /* no lower threshold is tried: nobody reads more patterns */

/* What is counted, and the time that is left. */
typedef struct graphs_curve {
    lode_job *job;
    lode_suggest_target target;
    uint64_t total, min_count; /* of the last point; 0: none yet */
    double patterns;           /* of the last point */
    double ends;               /* cli_seconds() at which the time is over */
    bool over;
    worker_text *json;
} graphs_curve;

/* One target at a time: a curve takes seconds. */
static lode_status graphs_target(worker_call *c, unsigned targets, lode_suggest_target *out) {
    static const lode_suggest_target all[] = {LODE_SUGGEST_ALL, LODE_SUGGEST_CLOSED,
                                              LODE_SUGGEST_MAXIMAL};
    *out = LODE_SUGGEST_ALL;
    if (targets == 0) return LODE_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (targets == 1u << all[i]) return *out = all[i], LODE_OK;
    }
    return worker_refuse(c, LODE_INVALID,
                         "suggest: for graphs, expected one target: all, closed or maximal");
}

/* Adds a point. A lower bound that is no better than the number at a higher threshold says nothing
 * new: a search that is stopped may have found few of the patterns. */
static void graphs_point(graphs_curve *g, uint64_t min_count, double n) {
    if (g->over && g->min_count > 0 && n <= g->patterns) return;
    lode_suggest_point p = {sizeof p,  g->target, !g->over, false,
                            min_count, n,         n,        g->over ? INFINITY : n};
    if (g->min_count > 0) worker_addf(g->json, ",");
    suggest_add_point(g->json, &p, g->total);
    g->min_count = min_count;
    g->patterns = n;
}

/* Counts the patterns at one threshold. */
static lode_status graphs_count(graphs_curve *g, uint64_t min_count) {
    lode_graph_options o = LODE_INIT(lode_graph_options);
    lode_sink *sink = NULL;
    o.min_support = (lode_threshold){min_count, 0};
    o.target = g->target == LODE_SUGGEST_CLOSED    ? LODE_TARGET_CLOSED
               : g->target == LODE_SUGGEST_MAXIMAL ? LODE_TARGET_MAXIMAL
                                                   : LODE_TARGET_ALL;
    o.limit_seconds = fmax(1e-3, g->ends - cli_seconds());
    o.limit_patterns = GRAPHS_PATTERNS;
    lode_status status = lode_sink_count(g->job, &sink);
    if (status == LODE_OK) {
        status = lode_graphs_mine(g->job, worker_open_data.graphs, &o, sink);
    }
    g->over = status == LODE_STOPPED;
    if (status == LODE_OK || g->over) {
        graphs_point(g, min_count, (double)lode_sink_patterns(sink));
        status = LODE_OK;
    }
    lode_sink_free(sink);
    return status;
}

/* Thresholds in steps that look even on a logarithmic scale. */
static lode_status graphs_count_all(graphs_curve *g) {
    static const unsigned permille[] = {800, 500, 300, 200, 100, 70, 50, 30, 20, 10, 5};
    lode_status status = LODE_OK;
    for (size_t i = 0; i < sizeof permille / sizeof *permille && !g->over; i++) {
        uint64_t min_count = (g->total * permille[i] + 999) / 1000;
        if (min_count < 2 || min_count == g->min_count) continue;
        status = graphs_count(g, min_count);
        if (status != LODE_OK || cli_seconds() >= g->ends) break;
    }
    return status;
}

static lode_status graphs_try(worker_call *c, lode_options *o, worker_text *json) {
    const lode_suggest_options *s = lode_options_suggest(o);
    double seconds = s->limit_seconds > 0 ? s->limit_seconds : GRAPHS_SECONDS;
    graphs_curve g = {.json = json, .total = cli_graph_profile(worker_open_data.graphs).n_graphs};
    if (s->want > 0) {
        return worker_refuse(c, LODE_INVALID, "suggest: want is only possible for baskets");
    }
    lode_status status = graphs_target(c, s->targets, &g.target);
    if (status == LODE_OK) status = worker_job_start(c, o, worker_open_data.threads, &g.job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, g.job);
    g.ends = cli_seconds() + seconds;
    worker_addf(json, "{\"total\":%llu,\"points\":[", (unsigned long long)g.total);
    status = graphs_count_all(&g);
    worker_addf(json, "]}");
    if (status != LODE_OK) worker_failed(c, g.job, status);
    worker_job_end(c, g.job);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------------- */

lode_status worker_suggest(worker_call *c, worker_text *json) {
    lode_options *o = NULL;
    lode_status status = lode_options_create(&o);
    if (status == LODE_OK) {
        status = worker_set_options(c, "o.", LODE_OPTION_SUGGEST | LODE_OPTION_JOB, o);
    }
    if (status == LODE_OK) {
        status = worker_open_data.graphs ? graphs_try(c, o, json) : suggest_try(c, o, json);
    }
    lode_options_free(o);
    return status;
}
