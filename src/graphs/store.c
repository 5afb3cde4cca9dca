/* store.c - takes a store that jobs share, or has it built; see store.h
 *
 * It is built on all threads: store_build.c ranks the triples, then makes the arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/store.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/os.h"
#include "graphs/store_build.h"

typedef struct store_key {
    uint64_t min_count;
    bool induced;
} store_key;

static bool store_fits(const void *key, const void *wanted) {
    const store_key *has = key, *wants = wanted;
    return has->min_count <= wants->min_count && (has->induced || !wants->induced);
}

static void store_free(mem *m, void *value) {
    store *s = value;
    size_t offset_bytes = ((size_t)s->n_vertices + 1) * sizeof *s->offsets;
    if (s->graph_of) mem_free(m, s->graph_of, s->n_vertices * sizeof *s->graph_of);
    if (s->offsets) mem_free(m, s->offsets, offset_bytes);
    mem_drop(m, &s->kept);
    if (s->roots_at) mem_free(m, s->roots_at, ((size_t)s->n_triples + 1) * sizeof *s->roots_at);
    if (s->half) mem_free(m, s->half, s->n_half * sizeof *s->half);
    if (s->all_offsets) mem_free(m, s->all_offsets, offset_bytes);
    if (s->all) mem_free(m, s->all, s->n_all * sizeof *s->all);
    if (s->types) mem_free(m, s->types, store_n_types(s) * sizeof *s->types);
    if (s->reverse) mem_free(m, s->reverse, store_n_types(s) * sizeof *s->reverse);
    if (s->triple_supports) {
        mem_free(m, s->triple_supports, s->n_triples * sizeof *s->triple_supports);
    }
    mem_free(m, s, sizeof *s);
}

#if LODE_DEBUG
/* Half-edges of a vertex are sorted by type and stay in its graph; roots are ascending. */
static void store_validate(const store *s) {
    uint64_t n_even = 0;
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        LODE_DEBUG_CHECK(s->offsets[v] <= s->offsets[v + 1],
                         "the edges of vertex %u end before they begin", v);
        for (uint32_t k = s->offsets[v]; k < s->offsets[v + 1]; k++) {
            half_edge h = s->half[k];
            LODE_DEBUG_CHECK(h.type < store_n_types(s) && h.to < s->n_vertices &&
                                 s->graph_of[h.to] == s->graph_of[v],
                             "an edge of type %u from vertex %u to %u: the type or a vertex does "
                             "not exist, or the vertices are in different graphs",
                             h.type, v, h.to);
            LODE_DEBUG_CHECK(k == s->offsets[v] || s->half[k - 1].type <= h.type,
                             "edges of vertex %u are out of order", v);
            n_even += h.type % 2 == 0;
        }
    }
    LODE_DEBUG_CHECK(s->offsets[0] == 0 && s->offsets[s->n_vertices] == s->n_half,
                     "vertices have %u half-edges, but %zu are stored", s->offsets[s->n_vertices],
                     s->n_half);
    LODE_DEBUG_CHECK(s->roots_at[s->n_triples] == n_even, "there are %zu roots, but %llu edges",
                     s->roots_at[s->n_triples], (unsigned long long)n_even);
    for (uint32_t t = 0; t < s->n_triples; t++) {
        LODE_DEBUG_CHECK(s->roots_at[t] <= s->roots_at[t + 1] &&
                             s->roots_at[t + 1] - s->roots_at[t] >= s->triple_supports[t],
                         "triple %u has too few roots", t);
        for (size_t k = s->roots_at[t] + 1; k < s->roots_at[t + 1]; k++) {
            LODE_DEBUG_CHECK(s->roots[k - 1] <= s->roots[k], "roots of triple %u are out of order",
                             t);
        }
    }
}
#endif

/* Triples, then edges, then roots: each needs those before it. */
static lode_status store_make(store_work *w, store_key *key) {
    lode_status status = LODE_OK;
    store *s = w->s;
    store_csr frequent = {0}, all = {.n_ranks = UINT32_MAX};
    LODE_TRY(store_count_triples(w, &key->min_count));
    LODE_TRY(store_fill_graph_of(w));
    frequent.n_ranks = s->n_triples;
    LODE_TRY(store_fill_csr(w, &frequent));
    s->offsets = frequent.offsets;
    s->half = frequent.half;
    s->n_half = frequent.n;
    LODE_TRY(store_fill_roots(w));
    LODE_VALIDATE(store_validate(s));
    if (key->induced) LODE_TRY(store_fill_csr(w, &all));
    s->all_offsets = all.offsets;
    s->all = all.half;
    s->n_all = all.n;
done:
    return status;
}

static lode_status store_build(prepared_build *b) {
    lode_status status = LODE_OK;
    const lode_graphs *data = b->arg;
    store *s = NULL;
    store_work w = {.job = b->job};
    LODE_TRY(mem_zalloc(b->mem, (void **)&s, sizeof *s));
    *s = (store){.mem = b->mem, .data = data, .n_graphs = data->n};
    s->n_vertices = (uint32_t)data->labels.n;
    LODE_TRY(store_work_open(&w, b->job, s));
    LODE_TRY(store_make(&w, b->key));
    b->value = s;
    s = NULL;
done:
    store_work_close(&w);
    if (s) store_free(b->mem, s);
    return status;
}

static const prepared_kind store_kind = {
    .name = "graphs",
    .key_bytes = sizeof(store_key),
    .fits = store_fits,
    .build = store_build,
    .free = store_free,
};

static lode_status store_find(const engine_task *task, prepared **held, prepared_origin *origin) {
    const lode_graphs *data = task->graphs.data;
    store_key key;
    memset(&key, 0, sizeof key);
    key.min_count = task->min_count;
    key.induced = task->graphs.options->induced;
    prepared_request request = {data->prepared, &store_kind, &key, data};
    return prepared_take(task->job, &request, held, origin);
}

lode_status store_take(engine_task *task, store *out, prepared **held) {
    engine_report *report = task->report;
    double start = os_seconds();
    prepared_origin origin = PREPARED_BUILT;
    lode_status status = store_find(task, held, &origin);
    if (status != LODE_OK) return status;
    *out = *(const store *)prepared_value(*held);
    while (out->first_triple < out->n_triples &&
           out->triple_supports[out->first_triple] < task->min_count) {
        out->first_triple++;
    }
    snprintf(report->prepared, sizeof report->prepared, "%s", prepared_origin_text(origin));
    report->frequent_triples = out->n_triples - out->first_triple;
    report->times.preprocess += os_seconds() - start;
    return LODE_OK;
}

lode_status store_prepare(engine_task *task) {
    prepared *held = NULL;
    lode_status status = store_find(task, &held, NULL);
    prepared_drop(task->job, held);
    return status;
}
