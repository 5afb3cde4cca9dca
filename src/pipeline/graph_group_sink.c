/* graph_group_sink.c - see graph_group_sink.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/graph_group_sink.h"

#include <math.h>

#include "write/graphs/graph_classes.h"
#include "write/graphs/graph_sink.h"

#define GROUPS_PRUNE 4096 /* patterns that a worker keeps before it drops hopeless ones */

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

void groups_prune(graph_columns *kept, vec_u64 *keys, fisher_p most, uint64_t least) {
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

lode_status groups_open(const engine_task *task, groups_sink **out) {
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
    graph_classes classes = {.adjusted = sink->test != NULL};
    graph_classes_take(&classes, &sink->classes);
    graph_sink_take_classes(task->sink, &classes);
    *out = sink;
    base = NULL;
done:
    lode_sink_free(base);
    return status;
}
