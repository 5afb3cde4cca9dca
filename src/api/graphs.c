/* graphs.c - lode_graphs_mine: checks the request, picks the miner, runs it, reports
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "api/graph_engines.h"
#include "base/os.h"
#include "runtime/valid.h"

static const graph_engine *const graph_engines[] = {
    &graph_engine_graft, &graph_engine_gspan, &graph_engine_frontier,
    &graph_engine_pgm,   &graph_engine_brute,
};

#define N_GRAPH_ENGINES (sizeof graph_engines / sizeof *graph_engines)

const graph_engine *graph_engine_at(size_t i) {
    return i < N_GRAPH_ENGINES ? graph_engines[i] : NULL;
}

const graph_engine *graph_engine_find(const char *name) {
    for (size_t i = 0; i < N_GRAPH_ENGINES; i++) {
        if (strcmp(graph_engines[i]->name, name) == 0) return graph_engines[i];
    }
    return NULL;
}

bool lode_graph_algorithm_at(size_t i, lode_algorithm *out) {
    const graph_engine *engine = graph_engine_at(i);
    if (!engine || !out) return false;
    *out = (lode_algorithm){
        .name = engine->name, .summary = engine->summary, .oracle = engine->oracle};
    return true;
}

static lode_status check_range(lode_ctx *ctx, const char *what, uint32_t least, uint32_t most) {
    if (most == 0 || least <= most) return LODE_OK;
    return ctx_fail(ctx, LODE_INVALID, "the maximum of %u %s is below the minimum of %u", most,
                    what, least);
}

static lode_status check_options(lode_ctx *ctx, const lode_graph_options *o) {
    lode_status status = LODE_OK;
    if (o->min_support.numerator == 0 && o->target != LODE_GRAPH_TOP) {
        return ctx_fail(ctx, LODE_INVALID, "the minimum support is missing");
    }
    if (o->target == LODE_GRAPH_TOP && o->top_k == 0) {
        return ctx_fail(ctx, LODE_INVALID, "the target top:K needs a K of at least 1");
    }
    LODE_TRY(check_range(ctx, "edges", o->min_edges, o->max_edges));
    LODE_TRY(check_range(ctx, "vertices", o->min_vertices, o->max_vertices));
done:
    return status;
}

static bool is_cpu(const backend_slot *slot) {
    return slot->backend == backend_at(0);
}

/* Where the job runs: on the threads of the context, or on one device that was asked for. */
static lode_status plan_device(graph_job *job, backend_plan *plan) {
    lode_graph_report *report = job->report;
    const char *spec = job->ctx->device, *cpu = backend_at(0)->name;
    bool automatic = strcmp(spec, "auto") == 0;
    lode_status status = backend_make_plan(job->ctx, automatic ? cpu : spec, plan);
    if (status != LODE_OK) return status;
    job->slot = &plan->slots[0];
    bool threads = automatic || strcmp(spec, cpu) == 0;
    if (!threads && (plan->n > 1 || is_cpu(job->slot))) {
        return ctx_fail(job->ctx, LODE_UNSUPPORTED,
                        "graphs are mined on the CPU (cpu, with --threads) or on one GPU (such as "
                        "cuda:0), not on '%s'",
                        spec);
    }
    snprintf(report->device, sizeof report->device, "%s", threads ? cpu : plan->text);
    snprintf(report->device_why, sizeof report->device_why, "%s",
             automatic ? "no other was asked for" : "asked for");
    return LODE_OK;
}

static lode_status pick(graph_job *job, const graph_engine **out) {
    const char *name = job->options->algorithm;
    lode_graph_report *report = job->report;
    bool automatic = !name || strcmp(name, "auto") == 0, cpu = is_cpu(job->slot);
    const graph_engine *best = cpu ? &graph_engine_graft : &graph_engine_frontier;
    *out = automatic ? best : graph_engine_find(name);
    if (!*out) return ctx_fail(job->ctx, LODE_INVALID, "there is no algorithm '%s'", name);
    if (!cpu && (!(*out)->devices || !job->slot->backend->graphs)) {
        return ctx_fail(job->ctx, LODE_UNSUPPORTED, "%s runs on the CPU only", (*out)->name);
    }
    bool layouts = *out == &graph_engine_pgm || (*out == &graph_engine_gspan && !cpu);
    const lode_graph_options *o = job->options;
    if (!layouts &&
        (o->records != LODE_GRAPH_RECORDS_VECTORS || o->loads != LODE_GRAPH_LOADS_READONLY)) {
        return ctx_fail(job->ctx, LODE_UNSUPPORTED,
                        "records and loads can be chosen for gspan on a GPU only, not for %s on %s",
                        (*out)->name, report->device);
    }
    snprintf(report->algorithm, sizeof report->algorithm, "%s", (*out)->name);
    snprintf(report->why, sizeof report->why, "%s",
             !automatic ? "asked for"
             : cpu      ? "the fastest general algorithm"
                        : "the fastest on a GPU");
    ctx_log(job->ctx, LODE_LOG_DEBUG, "algorithm %s (%s) on %s (%s)", report->algorithm,
            report->why, report->device, report->device_why);
    return LODE_OK;
}

/* Collects the best K in between, and hands them to the caller's sink at the end. *again: there are
 * fewer than K, no threshold is given, and more may be found below the present one. */
static lode_status mine_top_once(graph_job *job, const graph_engine *engine, bool *again) {
    lode_status status = LODE_OK;
    lode_graph_sink *target = job->sink, *top = NULL;
    uint64_t k = job->options->top_k;
    LODE_TRY(graph_sink_top(job->ctx, &top, k, true));
    job->sink = top;
    lode_status mined = engine->run(job);
    bool usable = mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
    bool enough = lode_graph_sink_patterns(top) >= k || job->min_count == 1;
    *again = job->options->min_support.numerator == 0 && mined == LODE_OK && !enough;
    if (!*again) LODE_TRY(usable ? graph_sink_replay(top, target) : mined);
    status = mined;
done:
    job->sink = target;
    lode_graph_sink_free(top);
    return status;
}

static lode_status mine_top(graph_job *job, const graph_engine *engine) {
    bool again = false;
    lode_status status = mine_top_once(job, engine, &again);
    while (status == LODE_OK && again) {
        job->min_count = job->min_count > 2 ? job->min_count * 2 / 3 : 1;
        job->report->min_count = job->min_count;
        atomic_store_explicit(&job->ctx->threshold, job->min_count, memory_order_relaxed);
        status = mine_top_once(job, engine, &again);
    }
    return status;
}

/* Says which limit has ended the job. */
static void end_limits(graph_job *job, lode_status status) {
    lode_graph_report *report = job->report;
    const char *partial = "the result is partial";
    graph_sink_limit(job->sink, UINT64_MAX);
    ctx_halt_reason reason = ctx_end_limits(job->ctx);
    if (status != LODE_STOPPED) return;
    if (reason == CTX_LIMIT_TIME) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-time");
        ctx_fail(job->ctx, status, "stopped after %.10g s, the time limit: %s",
                 job->options->limit_seconds, partial);
    } else if (reason == CTX_LIMIT_PATTERNS) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-patterns");
        ctx_fail(job->ctx, status, "stopped at the limit of %llu patterns: %s",
                 (unsigned long long)job->options->limit_patterns, partial);
    } else {
        ctx_fail(job->ctx, status, "stopped by the sink: %s", partial);
    }
}

static lode_status run(graph_job *job) {
    const graph_engine *engine = NULL;
    backend_plan plan;
    lode_status status = plan_device(job, &plan);
    if (status == LODE_OK) status = pick(job, &engine);
    if (status != LODE_OK) return status;
    status = job->options->target == LODE_GRAPH_TOP ? mine_top(job, engine) : engine->run(job);
    if (status == LODE_UNSUPPORTED) {
        ctx_fail(job->ctx, status, "a pattern has more than 2^32 occurrences or 30,000 edges");
    }
    return status;
}

static void note_need(graph_job *job) {
    lode_ctx *ctx = job->ctx;
    const lode_graphs *g = job->data;
    ctx->unsure = true;
    ctx_note_need(ctx, lode_ctx_memory_used(ctx) +
                           graphs_mining_bytes(g->labels.n, g->from.n, ctx->threads));
}

lode_status lode_graphs_mine(lode_ctx *ctx, const lode_graphs *data,
                             const lode_graph_options *options, lode_graph_sink *sink,
                             lode_graph_report *report) {
    lode_graph_report fresh = {.size = sizeof fresh}, unwanted;
    double start = os_seconds();
    VALID_CALL(ctx, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(sink));
    lode_status status = valid_options(ctx, VALID_GRAPH, options);
    if (status == LODE_OK) status = valid_options(ctx, VALID_GRAPH_REPORT, report);
    if (status == LODE_OK) status = check_options(ctx, options);
    if (status == LODE_OK) status = graph_sink_check(sink, ctx, data);
    if (status != LODE_OK) return status;
    lode_graph_options checked = *options;
    if (checked.max_edges == 0) checked.max_edges = UINT32_MAX;
    if (checked.max_vertices == 0) checked.max_vertices = UINT32_MAX;
    if (!report) report = &unwanted;
    *report = fresh;
    graph_job job = {.ctx = ctx, .data = data, .options = &checked, .sink = sink, .report = report};
    job.min_count = lode_threshold_count(options->min_support, data->n);
    bool given = options->min_support.numerator > 0; /* else from the top, until there are K */
    if (!given && data->n > 1) job.min_count = data->n - data->n / 4;
    report->min_count = job.min_count;
    atomic_store_explicit(&ctx->threshold, job.min_count, memory_order_relaxed);
    atomic_store_explicit(&ctx->patterns, 0, memory_order_relaxed);
    graph_sink_limit(sink, options->limit_patterns ? options->limit_patterns : UINT64_MAX);
    ctx_start_limits(ctx, options->limit_seconds);
    ctx_begin_phase(ctx, "mine");
    note_need(&job);
    status = run(&job);
    end_limits(&job, status);
    report->final_min_count = ctx_threshold(ctx);
    report->patterns = lode_graph_sink_patterns(sink);
    report->memory_peak = lode_ctx_memory_peak(ctx);
    report->total_seconds = os_seconds() - start;
    report->n_thread_seconds = ctx->n_worker_seconds;
    memcpy(report->thread_seconds, ctx->worker_seconds, sizeof ctx->worker_seconds);
    return ctx_explain(ctx, status, "mining");
}
