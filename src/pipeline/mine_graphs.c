/* mine_graphs.c - lode_graphs_mine(): the mine_kind for frequent subgraphs (run.h)
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "data/graphs/graphs.h"
#include "pipeline/graph_groups.h"
#include "write/graphs/graph_sink.h"

/* ---- what was asked for --------------------------------------------------------------------- */

static engine_request graphs_request(const lode_graph_options *o) {
    return (engine_request){
        .kind = LODE_GRAPHS,
        .algorithm = o->algorithm,
        .min_support = o->min_support,
        .target = o->target,
        .top_k = o->top_k,
        .min_size = o->min_edges,
        .max_size = o->max_edges,
        .limit_seconds = o->limit_seconds,
        .limit_patterns = o->limit_patterns,
        .root_first = o->root_first,
        .root_end = o->root_end,
        .share = o->share,
        .n_shares = o->n_shares,
    };
}

static lode_status graphs_check_range(lode_job *job, const char *what, uint32_t least,
                                      uint32_t most) {
    if (least <= most) return LODE_OK;
    return job_fail(job, LODE_INVALID, "the maximum of %u %s is below the minimum of %u", most,
                    what, least);
}

static lode_status graphs_take_options(engine_task *task, void *options) {
    lode_status status = LODE_OK;
    lode_graph_options *o = options;
    LODE_TRY(graph_groups_read(task, o));
    task->request = graphs_request(o);
    task->total = task->graphs.data->n;
    if (o->max_edges == 0) o->max_edges = UINT32_MAX;
    if (o->max_vertices == 0) o->max_vertices = UINT32_MAX;
    if (engine_wants_range(&task->request) && o->min_support.numerator == 0) {
        return job_fail(task->job, LODE_INVALID,
                        "root_first and root_end require a minimum support");
    }
    LODE_TRY(graphs_check_range(task->job, "edges", o->min_edges, o->max_edges));
    LODE_TRY(graphs_check_range(task->job, "vertices", o->min_vertices, o->max_vertices));
done:
    return status;
}

/* ---- the best K ----------------------------------------------------------------------------- */

/* In small steps: a third less support may be a hundred times the patterns. */
static uint64_t graphs_next_count(const engine_task *task, uint64_t min_count) {
    uint64_t n = task->graphs.data->n;
    if (min_count == 0) return n > 1 ? n - n / 4 : 1;
    return min_count > 2 ? min_count * 2 / 3 : 1;
}

static lode_status graphs_open_top(const engine_task *task, lode_sink **out) {
    return graph_sink_top(task->job, out, task->request.top_k);
}

static const mine_top graphs_top = {graphs_open_top, graph_sink_replay, graphs_next_count};

/* ---- where and how -------------------------------------------------------------------------- */

static const char *graphs_choose_device(const engine_task *task, const lode_engine *asked,
                                        char *why, size_t why_bytes) {
    engine_graph_sizes sizes = {task->graphs.data->n, task->graphs.data->from.n};
    return engine_choose_graph_device(task, asked, &sizes, why, why_bytes);
}

/* On the threads of the job, or on one GPU. */
static lode_status graphs_check_plan(engine_task *task, const lode_engine *asked) {
    const char *spec = task->job->device, *cpu = backend_at(0)->name;
    const backend_slot *slot = &task->plan->slots[0];
    bool is_cpu = slot->backend == backend_at(0), chosen = strcmp(spec, "auto") == 0;
    bool threads = is_cpu && (chosen || strcmp(spec, cpu) == 0);
    if (!threads && (task->plan->n > 1 || is_cpu)) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "graphs are mined on the CPU (cpu, with --threads) or on one GPU (such as "
                        "cuda:0), not on '%s'",
                        spec);
    }
    if (!is_cpu && !slot->backend->graphs) {
        return job_fail(task->job, LODE_UNSUPPORTED, "%s runs on the CPU only",
                        asked ? asked->name : "mining graphs");
    }
    if (threads) snprintf(task->report->device, sizeof task->report->device, "%s", cpu);
    return LODE_OK;
}

/* Refuses options that the engine does not look at on this device. */
static lode_status graphs_check_engine(engine_task *task, const lode_engine *engine,
                                       uint64_t *need) {
    lode_paper_options o = valid_papers(task->graphs.options->papers);
    bool cpu = engine_plan_is_cpu(task->plan);
    const char *device = task->report->device;
    unsigned layouts = ENGINE_LAYOUTS | (cpu ? 0 : (unsigned)ENGINE_GPU_LAYOUTS);
    bool uses = engine->uses & layouts;
    if (o.records != LODE_GRAPH_RECORDS_VECTORS && !uses) {
        return job_fail(
            task->job, LODE_INVALID,
            "--records has no effect with %s on %.20s: the option sets how pgm, or gspan "
            "on a GPU, lays out extensions and occurrences",
            engine->name, device);
    }
    if (o.loads != LODE_GRAPH_LOADS_READONLY && (!uses || cpu)) {
        return job_fail(task->job, LODE_INVALID,
                        "--loads has no effect with %s on %.20s: the option sets how pgm or gspan "
                        "reads the memory of a GPU",
                        engine->name, device);
    }
    const lode_graphs *g = task->graphs.data;
    *need = graphs_mining_bytes(g->labels.n, g->from.n, task->job->threads);
    return LODE_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

static lode_status graphs_search(engine_task *task, const lode_engine *engine) {
    return graph_groups_wanted(task) ? graph_groups_search(task, engine) : engine->run(task);
}

/* ---- around the search ---------------------------------------------------------------------- */

static void graphs_begin(const engine_task *task) {
    graph_sink_meet(task->sink, task->graphs.data);
}

static void graphs_end(const engine_task *task, lode_status status) {
    const lode_graph_options *o = task->graphs.options;
    bool all = !engine_wants_range(&task->request) && !graph_groups_tested(task);
    mine_note_origin(task, status, all, o->min_edges, o->max_edges);
}

const mine_kind mine_graphs = {
    .kind = LODE_GRAPHS,
    .options = VALID_GRAPH,
    .roots = "roots",
    .no_engine = "target generators is available for itemsets, not for graphs",
    .too_large = "a pattern has more than 2^32 occurrences or 30,000 edges",
    .unsure = true,
    .read = graphs_take_options,
    .choose_device = graphs_choose_device,
    .check_plan = graphs_check_plan,
    .check_engine = graphs_check_engine,
    .search = graphs_search,
    .begin = graphs_begin,
    .end = graphs_end,
    .top = &graphs_top,
};

/* ---- the interface -------------------------------------------------------------------------- */

lode_status lode_graphs_mine(lode_job *job, const lode_graphs *data,
                             const lode_graph_options *options, lode_sink *sink) {
    lode_graph_options checked;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(sink));
    engine_task task = {.job = job, .graphs = {data, &checked}, .sink = sink};
    mine_call call = {&mine_graphs, options, &checked, sizeof checked};
    return mine_run(&task, &call);
}

lode_status lode_graphs_prepare(lode_job *job, const lode_graphs *data,
                                const lode_graph_options *options) {
    lode_graph_options checked;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options));
    engine_task task = {.job = job, .graphs = {data, &checked}};
    mine_call call = {&mine_graphs, options, &checked, sizeof checked};
    return mine_prepare(&task, &call);
}
