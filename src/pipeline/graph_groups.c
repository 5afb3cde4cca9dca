/* graph_groups.c - see graph_groups.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/graph_groups.h"

#include <math.h>
#include <stdio.h>

#include "groups/extents.h"
#include "groups/group_test.h"
#include "write/graphs/graph_classes.h"
#include "write/graphs/graph_columns.h"
#include "write/graphs/graph_sink.h"

#define GROUPS_PRUNE 4096 /* patterns that a worker keeps before it drops hopeless ones */
#define GROUPS_START 16   /* the first search with a test begins at one graph of so many */

typedef struct groups_sink {
    lode_sink base;
    lode_sink *to; /* of the caller */
    const lode_graph_options *asked;
    lode_class_options options;
    row_classes classes;
    long double *logs;
    fisher_test fishers[CLASSES_MOST]; /* by test */
    uint32_t n_fishers;
    group_test *test; /* NULL: every pattern is passed on */
    extents tested;
    graph_columns kept; /* of all workers, under the lock */
    vec_u64 keys;       /* of the patterns kept, each plus 2^63, so that they sort */
} groups_sink;

typedef struct groups_worker {
    graph_worker base;
    sink_worker *to;
    group_worker *test;
    graph_columns kept;
    vec_u64 keys;
    size_t pruned; /* patterns that were left after pruning */
    vec_u32 places;
    uint32_t counts[CLASSES_MOST];
} groups_worker;

static uint64_t groups_pack(fisher_p key) {
    return (uint64_t)key ^ (uint64_t)1 << 63;
}

static fisher_p groups_unpack(uint64_t word) {
    return (fisher_p)(word ^ (uint64_t)1 << 63);
}

/* ---- one pattern ----------------------------------------------------------------------------- */

/* Counts the graphs of each class. Sets *tested to the class with the smallest p-value, and returns
 * the key of this p-value. */
static fisher_p groups_count(groups_sink *sink, groups_worker *w, const lode_graph_pattern *p,
                             uint32_t *tested) {
    const row_classes *c = &sink->classes;
    fisher_p best = FISHER_ONE;
    memset(w->counts, 0, sizeof w->counts);
    for (uint64_t i = 0; i < p->support; i++) {
        w->counts[c->of[classes_place(c, p->supporters[i])]]++;
    }
    *tested = 0;
    for (uint32_t t = 0; t < sink->n_fishers; t++) {
        fisher_p key = fisher_key(&sink->fishers[t], (uint32_t)p->support, w->counts[t]);
        if (key < best) *tested = t;
        if (key < best) best = key;
    }
    return best;
}

/* The pattern with its classes, and only with the lists that were asked for. */
static lode_graph_pattern groups_complete(const groups_sink *sink, const groups_worker *w,
                                          const lode_graph_pattern *p, uint32_t tested,
                                          fisher_p key) {
    lode_graph_pattern out = *p;
    out.size = sizeof out;
    if (!sink->asked->supporters) out.supporters = NULL;
    out.class_counts = w->counts;
    out.n_classes = sink->classes.n_classes;
    out.tested_class = tested;
    out.p = fisher_to_p(key);
    out.adjusted_p = NAN;
    return out;
}

/* Gives the graphs of a pattern to the test, if no earlier pattern had the same ones. */
static lode_status groups_add(groups_sink *sink, groups_worker *w, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    bool added;
    fisher_p key;
    const uint32_t *rows = p->supporters;
    LODE_TRY(extents_add(&sink->tested, rows, p->support, &added));
    if (!added) goto done;
    if (sink->classes.place_of) {
        w->places.n = 0;
        LODE_TRY(vec_u32_reserve(&sink->base.job->mem, &w->places, (size_t)p->support));
        for (uint64_t i = 0; i < p->support; i++) {
            w->places.data[w->places.n++] = classes_place(&sink->classes, rows[i]);
        }
        sort_u32(w->places.data, w->places.n);
        rows = w->places.data;
    }
    LODE_TRY(group_add(w->test, rows, (uint32_t)p->support, &key));
    job_raise_threshold(sink->base.job, group_test_min_count(sink->test));
done:
    return status;
}

/* ---- patterns that are kept ------------------------------------------------------------------ */

typedef struct groups_limit {
    vec_u64 *keys;
    const uint64_t *supports;
    size_t n; /* patterns that stay */
    uint64_t most, least;
} groups_limit;

static bool groups_is_near(void *user, size_t i) {
    groups_limit *limit = user;
    uint64_t *keys = limit->keys->data;
    if (keys[i] > limit->most || limit->supports[i] < limit->least) return false;
    keys[limit->n++] = keys[i];
    return true;
}

/* Keeps only the patterns with the key `most` or a lower one, and at least this support. */
static void groups_prune(graph_columns *kept, vec_u64 *keys, fisher_p most, uint64_t least) {
    groups_limit limit = {keys, kept->supports.data, 0, groups_pack(most), least};
    graph_columns_pick(kept, groups_is_near, &limit);
    keys->n = limit.n;
}

static lode_status groups_keep(groups_sink *sink, groups_worker *w, const lode_graph_pattern *p,
                               fisher_p key) {
    lode_status status = LODE_OK;
    mem *m = &sink->base.job->mem;
    LODE_TRY(vec_u64_reserve(m, &w->keys, 1));
    LODE_TRY(graph_columns_append(m, &w->kept, p));
    w->keys.data[w->keys.n++] = groups_pack(key);
    if (w->keys.n >= GROUPS_PRUNE && w->keys.n / 2 >= w->pruned) {
        groups_prune(&w->kept, &w->keys, group_test_keep(sink->test),
                     group_test_min_count(sink->test));
        w->pruned = w->keys.n;
    }
done:
    return status;
}

static lode_status groups_emit(sink_worker *worker, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    groups_worker *w = (groups_worker *)worker;
    groups_sink *sink = (groups_sink *)worker->sink;
    uint32_t tested;
    if (sink->test && !group_test_wants(sink->test, p->support)) return LODE_OK;
    fisher_p key = groups_count(sink, w, p, &tested);
    lode_graph_pattern out = groups_complete(sink, w, p, tested, key);
    if (!sink->test) {
        if (!w->to) LODE_TRY(graph_sink_open_worker(sink->to, &w->to));
        LODE_LEAVE(graph_sink_emit(w->to, &out));
    }
    if (!w->test) LODE_TRY(group_worker_open(sink->test, &w->test));
    LODE_TRY(groups_add(sink, w, p));
    if (key <= group_test_keep(sink->test)) LODE_TRY(groups_keep(sink, w, &out, key));
done:
    return status;
}

/* Hands over what the worker has kept. */
static lode_status groups_hand_over(groups_sink *sink, groups_worker *w) {
    lode_status status = LODE_OK;
    mem *m = &sink->base.job->mem;
    pthread_mutex_lock(&sink->base.lock);
    LODE_TRY(vec_u64_reserve(m, &sink->keys, w->keys.n));
    LODE_TRY(graph_columns_join(m, &sink->kept, &w->kept));
    if (w->keys.n > 0) {
        memcpy(sink->keys.data + sink->keys.n, w->keys.data, w->keys.n * sizeof *w->keys.data);
    }
    sink->keys.n += w->keys.n;
done:
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status groups_close(sink_worker *worker) {
    groups_worker *w = (groups_worker *)worker;
    groups_sink *sink = (groups_sink *)worker->sink;
    mem *m = &sink->base.job->mem;
    lode_status status = sink_close_worker(w->to), tested = LODE_OK;
    if (w->test) tested = group_worker_close(w->test);
    if (status == LODE_OK) status = tested;
    if (status == LODE_OK) status = groups_hand_over(sink, w);
    graph_columns_free(m, &w->kept);
    vec_u64_free(m, &w->keys);
    vec_u32_free(m, &w->places);
    return status;
}

static void groups_free(lode_sink *base) {
    groups_sink *sink = (groups_sink *)base;
    mem *m = &base->job->mem;
    group_test_close(sink->test);
    for (uint32_t t = 0; t < sink->n_fishers; t++) fisher_close(&sink->fishers[t]);
    if (sink->logs) mem_free(m, sink->logs, (sink->classes.n_rows + 1) * sizeof *sink->logs);
    classes_free(&sink->classes);
    extents_free(&sink->tested);
    graph_columns_free(m, &sink->kept);
    vec_u64_free(m, &sink->keys);
}

static const graph_ops groups_graphs = {
    .worker_bytes = sizeof(groups_worker),
    .emit = groups_emit,
    .close = groups_close,
};

static const sink_kind groups_kind = {
    .bytes = sizeof(groups_sink),
    .graphs = &groups_graphs,
    .free = groups_free,
};

/* ---- opening --------------------------------------------------------------------------------- */

static lode_status groups_open(engine_task *task, lode_sink **out) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    lode_sink *base = NULL;
    uint32_t n = (uint32_t)task->graphs.data->n;
    LODE_TRY(sink_create(job, &groups_kind, &base));
    groups_sink *sink = (groups_sink *)base;
    sink->to = task->sink;
    sink->asked = task->graphs.options;
    sink->options = valid_classes(sink->asked->classes);
    extents_init(&sink->tested, &job->mem);
    LODE_TRY(graph_classes_find(&sink->classes, job, task->graphs.data, &sink->options));
    LODE_TRY(fisher_logs(&job->mem, n, &sink->logs));
    for (uint32_t t = 0; t < classes_tests(&sink->classes); t++) {
        LODE_TRY(fisher_open(&sink->fishers[t], &job->mem, sink->logs, n,
                             (uint32_t)sink->classes.sizes[t], sink->options.alternative));
        sink->n_fishers++;
    }
    if (sink->options.significant > 0) {
        LODE_TRY(group_test_open(&sink->test, job, &sink->classes, &sink->options));
    }
    *out = base;
    base = NULL;
done:
    lode_sink_free(base);
    return status;
}

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
    lode_sink *base = NULL, *to = task->sink;
    const lode_graph_options *asked = task->graphs.options;
    lode_graph_options all = *asked;
    all.supporters = true;
    LODE_TRY(groups_open(task, &base));
    groups_sink *sink = (groups_sink *)base;
    graph_sink_meet(base, task->graphs.data);
    base->nested = sink->test == NULL; /* the other sink counts */
    task->sink = base;
    task->graphs.options = &all;
    status = sink->test ? groups_test_all(task, engine, sink) : engine->run(task);
    if (sink->test && mine_is_usable(status) && status != LODE_OK && !job_is_raised(task->job)) {
        job_log(task->job, LODE_LOG_WARNING,
                "the search was stopped before the test was complete: no pattern is reported");
    }
    task->sink = to;
    task->graphs.options = asked;
done:
    lode_sink_free(base);
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
    if (c.significant > 0 && !c.classes) {
        return job_fail(job, LODE_INVALID, "--significant requires classes; add --class FILE");
    }
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
