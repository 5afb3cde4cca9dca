/* graph_groups.c - see graph_groups.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/graph_groups.h"

#include <stdio.h>

#include "pipeline/graph_group_sink.h"
#include "write/graphs/graph_sink.h"

#define GROUPS_START 16 /* the first search with a test begins at one graph of so many */

/* ---- the significant ones -------------------------------------------------------------------- */

static bool groups_key_before(const uint64_t *a, const uint64_t *b) {
    return *a < *b;
}

#define SORT_NAME   groups_sort_keys
#define SORT_TYPE   uint64_t
#define SORT_BEFORE groups_key_before
#include "base/sort_body.h"

/* Keeps the significant patterns, and reports the test. */
static void groups_judge(const engine_task *task, groups_sink *sink, const group_verdict *v) {
    static const char *const words[] = {"tarone", "permutation", "fdr"};
    engine_report *r = task->report;
    uint64_t least = v->min_count < task->min_count ? task->min_count : v->min_count;
    groups_prune(&sink->kept, &sink->keys, v->most, least);
    job_raise_threshold(task->job, v->min_count);
    r->alpha = v->alpha;
    r->level = v->level;
    snprintf(r->tested_by, sizeof r->tested_by, "%s", words[v->by]);
    r->hypotheses = v->n_tests;
    r->permutations = v->permutations;
    r->permutation_seed = v->seed;
    r->significant = sink->keys.n;
}

/* Keeps the patterns with the K smallest p-values, and those with the same p-value as the K-th. */
static lode_status groups_best(groups_sink *sink) {
    mem *m = &sink->base.job->mem;
    size_t n = sink->keys.n, k = (size_t)sink->asked->top_k;
    uint64_t *sorted = NULL;
    if (k == 0 || n <= k) return LODE_OK;
    lode_status status = mem_resize(m, (void **)&sorted, 0, n * sizeof *sorted);
    if (status != LODE_OK) return status;
    memcpy(sorted, sink->keys.data, n * sizeof *sorted);
    groups_sort_keys(sorted, n, NULL);
    groups_prune(&sink->kept, &sink->keys, groups_unpack(sorted[k - 1]), 0);
    mem_free(m, sorted, n * sizeof *sorted);
    return status;
}

static lode_status groups_replay(groups_sink *sink, const group_verdict *v) {
    lode_status status = LODE_OK;
    sink_worker *worker = NULL;
    LODE_TRY(graph_sink_open_worker(sink->to, &worker));
    for (size_t i = 0; i < sink->keys.n && status == LODE_OK; i++) {
        lode_graph graph;
        lode_graph_pattern p = graph_columns_at(&sink->kept, i, &graph);
        p.adjusted_p = verdict_adjusted(v, groups_unpack(sink->keys.data[i]));
        status = graph_sink_emit(worker, &p);
    }
    lode_status closed = sink_close_worker(worker);
    if (status == LODE_OK) status = closed;
done:
    return status;
}

/* ---- searching ------------------------------------------------------------------------------- */

static void groups_begin_pass(engine_task *task, groups_sink *sink, uint64_t min_count) {
    graph_columns_free(&task->job->mem, &sink->kept);
    sink->keys.n = 0;
    task->min_count = min_count;
    task->report->min_count = min_count;
    atomic_store_explicit(&task->job->threshold, min_count, memory_order_relaxed);
    atomic_store_explicit(&task->job->at.patterns, 0, memory_order_relaxed);
}

/* Searches with a high threshold first: what is found shows how low the support of a significant
 * pattern can be, so that the next search does not get lost among rare patterns. */
static lode_status groups_find_level(engine_task *task, const lode_engine *engine,
                                     groups_sink *sink) {
    uint64_t least = task->min_count, lowest = group_test_min_count(sink->test);
    uint64_t start = task->total / GROUPS_START;
    if (lowest < least) lowest = least;
    if (start < lowest) start = lowest;
    for (;;) {
        groups_begin_pass(task, sink, start);
        lode_status status = engine->run(task);
        if (status != LODE_OK) return status;
        group_test_settle(sink->test);
        uint64_t next = group_test_min_count(sink->test);
        if (next < least) next = least;
        if (next >= start) return LODE_OK;
        start = next;
    }
}

static lode_status groups_test_all(engine_task *task, const lode_engine *engine,
                                   groups_sink *sink) {
    lode_status status = LODE_OK;
    group_verdict *verdict = NULL;
    mem *m = &task->job->mem;
    LODE_TRY(groups_find_level(task, engine, sink));
    LODE_TRY(group_test_finish(sink->test, m, &verdict));
    groups_judge(task, sink, verdict);
    LODE_TRY(groups_best(sink));
    status = groups_replay(sink, verdict);
done:
    verdict_free(m, verdict);
    return status;
}

lode_status graph_groups_search(engine_task *task, const lode_engine *engine) {
    lode_status status = LODE_OK;
    groups_sink *sink = NULL;
    lode_sink *to = task->sink;
    const lode_graph_options *asked = task->graphs.options;
    lode_graph_options all = *asked;
    all.supporters = true;
    LODE_TRY(groups_open(task, &sink));
    graph_sink_meet(&sink->base, task->graphs.data);
    sink->base.nested = sink->test == NULL; /* the other sink counts */
    task->sink = &sink->base;
    task->graphs.options = &all;
    status = sink->test ? groups_test_all(task, engine, sink) : engine->run(task);
    if (sink->test && mine_is_usable(status) && status != LODE_OK && !job_is_raised(task->job)) {
        job_log(task->job, LODE_LOG_WARNING,
                "the search was stopped before the test was complete: no pattern is reported");
    }
    task->sink = to;
    task->graphs.options = asked;
done:
    if (sink) lode_sink_free(&sink->base);
    return status;
}

/* ---- the request ----------------------------------------------------------------------------- */

bool graph_groups_wanted(const engine_task *task) {
    const lode_graph_options *o = task->graphs.options;
    return o && valid_classes(o->classes).classes;
}

bool graph_groups_tested(const engine_task *task) {
    return graph_groups_wanted(task) &&
           valid_classes(task->graphs.options->classes).significant > 0;
}

lode_status graph_groups_read(engine_task *task, lode_graph_options *o) {
    lode_class_options c = valid_classes(o->classes);
    lode_job *job = task->job;
    lode_status needed = tested_needs(job, &c);
    if (needed != LODE_OK) return needed;
    if (!c.classes || c.significant == 0) return LODE_OK;
    if (o->target == LODE_TARGET_MAXIMAL) {
        return job_fail(
            job, LODE_INVALID,
            "--significant cannot be combined with --target maximal: which patterns are "
            "maximal depends on the minimum support; use all or closed");
    }
    if (o->n_shares > 0 || o->root_first > 0 || o->root_end > 0 || task->parts.branches) {
        return job_fail(job, LODE_INVALID,
                        "--significant cannot be combined with --share and --journal: the level "
                        "depends on all patterns");
    }
    if (o->target == LODE_TARGET_TOP && o->top_k == 0) return LODE_OK; /* refused later */
    if (o->target == LODE_TARGET_TOP)
        o->target = LODE_TARGET_ALL;
    else
        o->top_k = 0;
    return LODE_OK;
}
