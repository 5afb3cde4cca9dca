/* graphs.h - small graph data sets for tests, and results that can be compared
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_GRAPHS_H
#define LODE_TESTS_GRAPHS_H

#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "graphs/brute.h"
#include "lode.h"
#include "runtime/report/report.h"
#include "structs.h"

/* ---- data sets as text ---------------------------------------------------------------------- */

typedef struct graph_text {
    char *text;
    size_t n, cap;
} graph_text;

static inline void text_add(graph_text *t, const char *format, unsigned a, unsigned b, unsigned c) {
    if (t->cap - t->n < 64) {
        t->cap = 2 * t->cap + 256;
        t->text = realloc(t->text, t->cap);
        if (!t->text) exit(2);
    }
    t->n += (size_t)snprintf(t->text + t->n, t->cap - t->n, format, a, b, c);
}

typedef struct random_shape {
    uint32_t n_graphs, max_vertices, max_edges, vertex_labels, edge_labels;
    unsigned kind; /* of GRAPH_KINDS */
    bool directed;
} random_shape;

enum {
    KIND_ANY,
    KIND_TREE,
    KIND_CLIQUE,
    KIND_STAR,
    KIND_CYCLE,
    KIND_PARTS,
    KIND_EQUAL,
    KIND_POINTS,
    GRAPH_KINDS
};

static inline void random_edges(graph_text *t, const random_shape *s, rng *r, uint32_t n) {
    bool has[16][16] = {{false}};
    uint32_t want = 0, tries = 0, made = 0;
    switch (s->kind) {
    case KIND_TREE:
    case KIND_STAR:
    case KIND_CYCLE: want = 0; break;
    case KIND_CLIQUE: want = s->max_edges; break;
    case KIND_POINTS: want = (uint32_t)rng_below(r, 2); break;
    default: want = (uint32_t)rng_below(r, s->max_edges + 1);
    }
    bool tree = s->kind == KIND_TREE || s->kind == KIND_STAR || s->kind == KIND_CYCLE;
    for (uint32_t v = 1; tree && v < n && made < s->max_edges; v++, made++) {
        uint32_t u = s->kind == KIND_STAR    ? 0
                     : s->kind == KIND_CYCLE ? v - 1
                                             : (uint32_t)rng_below(r, v);
        bool turn = s->directed && rng_below(r, 2);
        text_add(t, "e %u %u %u\n", turn ? v : u, turn ? u : v,
                 (unsigned)rng_below(r, s->edge_labels));
        has[u][v] = has[v][u] = true;
    }
    if (s->kind == KIND_CYCLE && n > 2 && made < s->max_edges) {
        text_add(t, "e %u %u %u\n", n - 1, 0, (unsigned)rng_below(r, s->edge_labels));
    }
    for (; made < want && n > 1 && tries < 200; tries++) {
        uint32_t u = (uint32_t)rng_below(r, n), v = (uint32_t)rng_below(r, n);
        if (s->kind == KIND_PARTS && (u < n / 2) != (v < n / 2)) continue;
        if (u == v || has[u][v] || (!s->directed && has[v][u])) continue;
        has[u][v] = true;
        text_add(t, "e %u %u %u\n", u, v, (unsigned)rng_below(r, s->edge_labels));
        made++;
    }
}

static inline graph_text random_graphs(uint64_t seed, const random_shape *s) {
    graph_text t = {0};
    for (uint32_t i = 0; i < s->n_graphs; i++) {
        rng r = rng_make(seed, s->kind == KIND_EQUAL ? 0 : i);
        text_add(&t, "t # %u\n", i, 0, 0);
        uint32_t n = 1 + (uint32_t)rng_below(&r, s->max_vertices);
        for (uint32_t v = 0; v < n; v++) {
            text_add(&t, "v %u %u\n", v, (unsigned)rng_below(&r, s->vertex_labels), 0);
        }
        random_edges(&t, s, &r, n);
    }
    return t;
}

/* ---- large and plain shapes ------------------------------------------------------------------ */

enum { LABELS_ALIKE, LABELS_DIFFER };

/* `n_graphs` equal paths. */
static inline graph_text make_paths(unsigned n_graphs, unsigned n_edges, int labels) {
    graph_text t = {0};
    for (unsigned i = 0; i < n_graphs; i++) {
        text_add(&t, "t # %u\n", i, 0, 0);
        for (unsigned v = 0; v <= n_edges; v++) text_add(&t, "v %u %u\n", v, labels ? v : 0, 0);
        for (unsigned v = 0; v < n_edges; v++) text_add(&t, "e %u %u 0\n", v, v + 1, 0);
    }
    return t;
}

/* Two equal stars, the leaves listed from the last to the first. */
static inline graph_text make_stars(unsigned n_leaves, int labels) {
    graph_text t = {0};
    for (unsigned i = 0; i < 2; i++) {
        text_add(&t, "t # %u\nv 0 0\n", i, 0, 0);
        for (unsigned v = 1; v <= n_leaves; v++) text_add(&t, "v %u %u\n", v, labels ? v : 1, 0);
        for (unsigned v = n_leaves; v > 0; v--) text_add(&t, "e 0 %u 0\n", v, 0, 0);
    }
    return t;
}

static inline graph_text make_cliques(unsigned n) {
    graph_text t = {0};
    for (unsigned i = 0; i < 2; i++) {
        text_add(&t, "t # %u\n", i, 0, 0);
        for (unsigned v = 0; v < n; v++) text_add(&t, "v %u 0\n", v, 0, 0);
        for (unsigned u = 0; u < n; u++) {
            for (unsigned v = u + 1; v < n; v++) text_add(&t, "e %u %u 0\n", u, v, 0);
        }
    }
    return t;
}

static inline lode_graph_options options_for(const char *engine, lode_target target) {
    lode_graph_options o = {.size = sizeof o, .algorithm = engine, .target = target};
    o.min_support.numerator = 2;
    return o;
}

/* ---- results -------------------------------------------------------------------------------- */

typedef struct found_pattern {
    uint32_t form[FORM_SIZE];
    size_t n;
    uint64_t support, n_embeddings, places; /* places: a hash of all occurrences */
    uint64_t supporters;                    /* a hash of the supporting graphs */
} found_pattern;

typedef struct found {
    found_pattern *list;
    size_t n, cap;
    bool directed;
    lode_status status;
    lode_report report; /* a copy, in which the numbers by size are not valid */
} found;

static inline void pattern_to_form(const lode_graph *p, bool directed, form_graph *g) {
    *g = (form_graph){.n = p->n_vertices};
    for (uint32_t v = 0; v < p->n_vertices; v++) g->labels[v] = p->vertex_labels[v];
    for (uint32_t e = 0; e < p->n_edges; e++) {
        CHECK(g->link[p->from[e]][p->to[e]] == 0);
        g->link[p->from[e]][p->to[e]] = p->edge_labels[e] + 1;
        if (!directed) g->link[p->to[e]][p->from[e]] = p->edge_labels[e] + 1;
    }
}

/* A hash of all occurrences, which depends neither on their order nor on the order of their
 * vertices. */
static inline uint64_t hash_places(const lode_graph_pattern *p) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < p->n_embeddings; k++) {
        const uint32_t *row = p->embeddings + k * p->graph->n_vertices;
        uint64_t one = 0;
        for (uint32_t v = 0; v < p->graph->n_vertices; v++) one += bits_mix(row[v] + 1);
        for (uint32_t e = 0; e < p->graph->n_edges; e++) {
            uint64_t a = row[p->graph->from[e]], b = row[p->graph->to[e]];
            one += bits_mix((a + 1) * (b + 1) * 977 + a + b);
        }
        sum += bits_mix(one ^ bits_mix(p->embedded_in[k] + 7));
    }
    return sum;
}

static inline int find_pattern(void *user, const lode_graph_pattern *p) {
    found *f = user;
    form_graph g;
    uint32_t order[FORM_MAX];
    if (p->graph->n_vertices > FORM_MAX) return 1;
    if (f->n == f->cap) {
        f->cap = 2 * f->cap + 64;
        f->list = realloc(f->list, f->cap * sizeof *f->list);
        if (!f->list) exit(2);
    }
    found_pattern *to = &f->list[f->n++];
    *to = (found_pattern){.support = p->support, .n_embeddings = p->n_embeddings};
    pattern_to_form(p->graph, f->directed, &g);
    to->n = form_make(&g, to->form, order);
    to->places = hash_places(p);
    for (uint64_t i = 0; p->supporters && i < p->support; i++) {
        to->supporters += bits_mix(p->supporters[i] + 1);
        if (i > 0) CHECK(p->supporters[i] > p->supporters[i - 1]);
    }
    return 0;
}

static inline int compare_found(const void *x, const void *y) {
    const found_pattern *a = x, *b = y;
    return memcmp(a->form, b->form, sizeof a->form);
}

/* The device to mine on (NULL: the default), and its memory budget. */
static const char *graph_device;
static uint64_t graph_device_memory;

static inline lode_job *graph_job(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads, .device = graph_device};
    o.device_memory_bytes = graph_device_memory;
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static inline lode_graphs *graph_data(lode_job *job, const graph_text *t, bool directed) {
    lode_graphs *data = NULL;
    lode_graph_read_options o = {.size = sizeof o, .directed = directed};
    lode_status status = lode_graphs_parse(job, &data, t->text, t->n, "input", &o);
    if (status != LODE_OK) {
        fprintf(stderr, "%s\n", lode_job_error(job));
        exit(2);
    }
    return data;
}

/* Mines; the patterns are sorted. */
static inline found find_all(const graph_text *t, bool directed, const lode_graph_options *o,
                             unsigned threads) {
    found f = {.directed = directed};
    lode_job *job = graph_job(threads);
    lode_graphs *data = graph_data(job, t, directed);
    lode_sink *sink = NULL;
    if (lode_graph_sink_callback(job, &sink, find_pattern, &f) != LODE_OK) exit(2);
    f.status = lode_graphs_mine(job, data, o, sink);
    f.report = *lode_job_report(job);
    CHECK_EQUAL(f.n, lode_sink_patterns(sink));
    lode_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    if (f.n > 1) qsort(f.list, f.n, sizeof *f.list, compare_found);
    return f;
}

static inline bool found_equal(const found *a, const found *b) {
    if (a->status != b->status || a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const found_pattern *x = &a->list[i], *y = &b->list[i];
        if (memcmp(x->form, y->form, sizeof x->form) != 0 || x->support != y->support ||
            x->n_embeddings != y->n_embeddings || x->places != y->places ||
            x->supporters != y->supporters) {
            return false;
        }
    }
    return true;
}

#endif
