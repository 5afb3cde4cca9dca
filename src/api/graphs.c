/* graphs.c - lode_graphs_mine: checks the request, picks the miner, runs it, reports
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "api/graph_engines.h"
#include "base/os.h"
#include "graph/store.h"
#include "runtime/job_report.h"
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
    if (!engine) return valid_fill(out, NULL);
    lode_algorithm a = {.name = engine->name, .summary = engine->summary, .oracle = engine->oracle};
    return valid_fill(out, &a);
}

static lode_status check_range(lode_job *job, const char *what, uint32_t least, uint32_t most) {
    if (most == 0 || least <= most) return LODE_OK;
    return job_fail(job, LODE_INVALID, "the maximum of %u %s is below the minimum of %u", most,
                    what, least);
}

static lode_status check_options(lode_job *job, const lode_graph_options *o) {
    lode_status status = LODE_OK;
    if (o->min_support.numerator == 0 && o->target != LODE_GRAPH_TOP) {
        return job_fail(job, LODE_INVALID, "the minimum support is missing");
    }
    if (o->target == LODE_GRAPH_TOP && o->top_k == 0) {
        return job_fail(job, LODE_INVALID, "the target top:K needs a K of at least 1");
    }
    bool range = o->root_first > 0 || o->root_end > 0;
    if (range && o->min_support.numerator == 0) {
        return job_fail(job, LODE_INVALID,
                        "a range of roots needs a minimum support, from which they are counted");
    }
    LODE_TRY(check_range(job, "edges", o->min_edges, o->max_edges));
    LODE_TRY(check_range(job, "vertices", o->min_vertices, o->max_vertices));
done:
    return status;
}

static bool is_cpu(const backend_slot *slot) {
    return slot->backend == backend_at(0);
}

/* Where the job runs: on the threads of the job, or on one device that was asked for. */
static lode_status plan_device(graph_task *task, backend_plan *plan) {
    engine_report *report = task->report;
    const char *spec = task->job->device, *cpu = backend_at(0)->name;
    bool automatic = strcmp(spec, "auto") == 0;
    lode_status status = backend_make_plan(task->job, automatic ? cpu : spec, plan);
    if (status != LODE_OK) return status;
    task->slot = &plan->slots[0];
    bool threads = automatic || strcmp(spec, cpu) == 0;
    if (!threads && (plan->n > 1 || is_cpu(task->slot))) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "graphs are mined on the CPU (cpu, with --threads) or on one GPU (such as "
                        "cuda:0), not on '%s'",
                        spec);
    }
    snprintf(report->device, sizeof report->device, "%s", threads ? cpu : plan->text);
    snprintf(report->device_why, sizeof report->device_why, "%s",
             automatic ? "no other was asked for" : "asked for");
    return LODE_OK;
}

/* A range of roots was asked for. */
static lode_status check_ranges(graph_task *task, const graph_engine *engine) {
    const lode_graph_options *o = task->options;
    char list[128] = "";
    size_t n = 0;
    if (engine->ranges || (o->root_first == 0 && o->root_end == 0)) return LODE_OK;
    for (size_t i = 0; i < N_GRAPH_ENGINES && n < sizeof list; i++) {
        if (!graph_engines[i]->ranges) continue;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
                              graph_engines[i]->name);
    }
    return job_fail(task->job, LODE_UNSUPPORTED,
                    "%s does not search a range of roots; those that do: %s", engine->name, list);
}

static lode_status pick(graph_task *task, const graph_engine **out) {
    const char *name = task->options->algorithm;
    engine_report *report = task->report;
    bool automatic = !name || strcmp(name, "auto") == 0, cpu = is_cpu(task->slot);
    const graph_engine *best = cpu ? &graph_engine_graft : &graph_engine_frontier;
    *out = automatic ? best : graph_engine_find(name);
    if (!*out) return job_fail(task->job, LODE_INVALID, "there is no algorithm '%s'", name);
    if (!cpu && (!(*out)->devices || !task->slot->backend->graphs)) {
        return job_fail(task->job, LODE_UNSUPPORTED, "%s runs on the CPU only", (*out)->name);
    }
    bool layouts = *out == &graph_engine_pgm || (*out == &graph_engine_gspan && !cpu);
    lode_paper_options papers = valid_papers(task->options->papers);
    if (!layouts && (papers.records != LODE_GRAPH_RECORDS_VECTORS ||
                     papers.loads != LODE_GRAPH_LOADS_READONLY)) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "records and loads can be chosen for gspan on a GPU only, not for %s on %s",
                        (*out)->name, report->device);
    }
    lode_status ranges = check_ranges(task, *out);
    if (ranges != LODE_OK) return ranges;
    snprintf(report->algorithm, sizeof report->algorithm, "%s", (*out)->name);
    snprintf(report->why, sizeof report->why, "%s",
             !automatic ? "asked for"
             : cpu      ? "the fastest general algorithm"
                        : "the fastest on a GPU");
    job_log(task->job, LODE_LOG_DEBUG, "algorithm %s (%s) on %s (%s)", report->algorithm,
            report->why, report->device, report->device_why);
    return LODE_OK;
}

/* Collects the best K in between, and hands them to the caller's sink at the end. *again: there are
 * fewer than K, no threshold is given, and more may be found below the present one. */
static lode_status mine_top_once(graph_task *task, const graph_engine *engine, bool *again) {
    lode_status status = LODE_OK;
    lode_graph_sink *target = task->sink, *top = NULL;
    uint64_t k = task->options->top_k;
    LODE_TRY(graph_sink_top(task->job, &top, k, true));
    task->sink = top;
    bool may_repeat = task->options->min_support.numerator == 0 && task->min_count > 1;
    progress_begin_pass(&task->job->at, may_repeat ? 0.5 : 1);
    lode_status mined = engine->run(task);
    bool usable = mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
    bool enough = lode_graph_sink_patterns(top) >= k || task->min_count == 1;
    *again = task->options->min_support.numerator == 0 && mined == LODE_OK && !enough;
    if (!*again) LODE_TRY(usable ? graph_sink_replay(top, target) : mined);
    status = mined;
done:
    task->sink = target;
    lode_graph_sink_free(top);
    return status;
}

static lode_status mine_top(graph_task *task, const graph_engine *engine) {
    bool again = false;
    bool seeks = task->options->min_support.numerator == 0; /* in nobody knows how many passes */
    if (seeks) progress_begin_pass(&task->job->at, 0.5);
    lode_status status = mine_top_once(task, engine, &again);
    while (status == LODE_OK && again) {
        task->min_count = task->min_count > 2 ? task->min_count * 2 / 3 : 1;
        task->report->min_count = task->min_count;
        atomic_store_explicit(&task->job->threshold, task->min_count, memory_order_relaxed);
        progress_begin_pass(&task->job->at, 0.5);
        status = mine_top_once(task, engine, &again);
    }
    return status;
}

/* Says which limit has ended the job. */
static void end_limits(graph_task *task, lode_status status) {
    engine_report *report = task->report;
    const char *partial = "the result is partial";
    graph_sink_limit(task->sink, UINT64_MAX);
    job_halt_reason reason = job_end_limits(task->job);
    if (status != LODE_STOPPED) return;
    if (reason == JOB_LIMIT_TIME) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-time");
        job_fail(task->job, status, "stopped after %.10g s, the time limit: %s",
                 task->options->limit_seconds, partial);
    } else if (reason == JOB_LIMIT_PATTERNS) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-patterns");
        job_fail(task->job, status, "stopped at the limit of %llu patterns: %s",
                 (unsigned long long)task->options->limit_patterns, partial);
    } else {
        job_fail(task->job, status, "stopped by the sink: %s", partial);
    }
}

/* A result that was only measured is none, however the job has ended. */
static lode_status check_kept(graph_task *task, lode_status status) {
    uint64_t lost = graph_sink_memory_lost(task->sink);
    bool ended = status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
    if (lost == 0 || !ended) return status;
    uint64_t beside = atomic_load_explicit(&task->job->need, memory_order_relaxed);
    task->job->unsure = true; /* the lists of occurrences may take more the next time */
    return job_over_budget(task->job, beside + lost, "mining, with its result in memory,");
}

static lode_status run(graph_task *task) {
    const graph_engine *engine = NULL;
    backend_plan plan;
    lode_status status = plan_device(task, &plan);
    if (status == LODE_OK) status = pick(task, &engine);
    if (status != LODE_OK) return status;
    status = task->options->target == LODE_GRAPH_TOP ? mine_top(task, engine) : engine->run(task);
    if (status == LODE_UNSUPPORTED) {
        job_fail(task->job, status, "a pattern has more than 2^32 occurrences or 30,000 edges");
    }
    return status;
}

static uint64_t note_need(graph_task *task) {
    lode_job *job = task->job;
    const lode_graphs *g = task->data;
    uint64_t bytes = graphs_mining_bytes(g->labels.n, g->from.n, job->threads);
    job_begin_phase(job, "mine");
    job->unsure = true;
    job_note_need(job, mem_used(mem_tightest(&job->mem)) + bytes);
    return bytes;
}

static lode_status run_once(graph_task *task) {
    bool waited = false;
    lode_status status = lease_reserve(task->job, note_need(task), &waited);
    if (waited) note_need(task);
    return status == LODE_OK ? run(task) : status;
}

/* Where other jobs left too little memory and nothing was found yet: again when they have ended. */
static lode_status run_to_the_end(graph_task *task) {
    uint64_t before = lode_graph_sink_patterns(task->sink), limit = task->options->limit_patterns;
    lode_status status = run_once(task);
    while (status == LODE_BUDGET && lode_graph_sink_patterns(task->sink) == before) {
        status = lease_again(task->job);
        if (status != LODE_OK) break;
        graph_sink_limit(task->sink, limit ? limit : UINT64_MAX);
        status = run_once(task);
    }
    return status;
}

lode_status lode_graphs_prepare(lode_job *job, const lode_graphs *data,
                                const lode_graph_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_graph_options o;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options));
    LODE_TRY(valid_take(job, VALID_GRAPH, options, &o));
    if (o.min_support.numerator == 0) {
        return job_fail(job, LODE_INVALID, "the minimum support is missing");
    }
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    job_begin_phase(job, "prepare");
    job_note_need(job, mem_used(mem_tightest(&job->mem)) +
                           graphs_mining_bytes(data->labels.n, data->from.n, job->threads));
    uint64_t min_count = lode_threshold_count(o.min_support, data->n);
    LODE_TRY(store_prepare(job, data, min_count, o.induced));
    job_end_phase(job);
done:
    lease_leave(&call);
    return job_explain(job, status, "preparing the graphs");
}

/* What was asked for, as far as the report speaks of it. */
static void report_what(lode_job *job, const lode_graph_options *o) {
    static const char *const adjectives[] = {"", "closed", "maximal", ""};
    report_asked *a = &job->report.asked;
    a->top = o->target == LODE_GRAPH_TOP;
    a->plain = o->target == LODE_GRAPH_ALL;
    a->adjective = adjectives[o->target];
    a->top_k = o->top_k;
    a->least = o->min_edges;
    a->most = o->max_edges;
    a->limit_seconds = o->limit_seconds;
    a->limit_patterns = o->limit_patterns;
    job_report_threshold(job, o->min_support);
}

static lode_status check_all(lode_job *job, const lode_graphs *data,
                             const lode_graph_options *options, lode_graph_options *checked,
                             const lode_graph_sink *sink) {
    lode_status status = valid_take(job, VALID_GRAPH, options, checked);
    if (status == LODE_OK) report_what(job, checked);
    if (status == LODE_OK) status = check_options(job, checked);
    if (status == LODE_OK) status = graph_sink_check(sink, job, data);
    return status;
}

static lode_status mine_checked(lode_job *job, const lode_graphs *data,
                                const lode_graph_options *options, lode_graph_sink *sink) {
    lode_graph_options checked = *options; /* with nothing left open */
    if (checked.max_edges == 0) checked.max_edges = UINT32_MAX;
    if (checked.max_vertices == 0) checked.max_vertices = UINT32_MAX;
    graph_task task = {
        .job = job, .data = data, .options = &checked, .sink = sink, .report = &job->report.engine};
    task.min_count = lode_threshold_count(options->min_support, data->n);
    bool given = options->min_support.numerator > 0; /* else from the top, until there are K */
    if (!given && data->n > 1) task.min_count = data->n - data->n / 4;
    task.report->min_count = task.min_count;
    atomic_store_explicit(&job->threshold, task.min_count, memory_order_relaxed);
    atomic_store_explicit(&job->at.patterns, 0, memory_order_relaxed);
    graph_sink_limit(sink, checked.limit_patterns ? checked.limit_patterns : UINT64_MAX);
    job_start_limits(job, checked.limit_seconds);
    graph_sink_meet(sink, data);
    lode_status status = check_kept(&task, run_to_the_end(&task));
    if (status == LODE_OK) job_end_phase(job);
    end_limits(&task, status);
    task.report->final_min_count = job_threshold(job);
    lode_status reported = graph_sink_report(sink);
    return job_explain(job, status != LODE_OK ? status : reported, "mining");
}

lode_status lode_graphs_mine(lode_job *job, const lode_graphs *data,
                             const lode_graph_options *options, lode_graph_sink *sink) {
    lease_call call = {0};
    lode_graph_options checked;
    double start = os_seconds();
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(sink));
    job_report_begin_mine(job, true, sink);
    graphs_report(data, job);
    lode_status status = check_all(job, data, options, &checked, sink);
    if (status == LODE_OK) {
        status = job_explain(job, lease_enter(job, LEASE_ANY, &call), "mining");
        start = os_seconds(); /* without the time that it has waited */
    }
    if (status == LODE_OK) status = job_explain(job, job_check(job), "mining");
    if (status == LODE_OK) status = mine_checked(job, data, &checked, sink);
    status = job_report_end_mine(job, start, status);
    lease_leave(&call);
    return status;
}
