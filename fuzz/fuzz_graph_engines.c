/* fuzz_graph_engines.c - any bytes as small graphs and a request; all miners of graphs must agree
 *
 * The first bytes are options, the rest graphs: at most FUZZ_GRAPHS of FUZZ_VERTICES vertices. The
 * oracle mines first. Every other miner, on one or two threads, must find the same patterns with
 * the same supports, graphs and places; with a limit, as many of them as the limit says; and with
 * a budget it may fail, but only for that reason and with a message.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "graphs/brute.h"
#include "lode.h"

#define FUZZ_GRAPHS   6
#define FUZZ_VERTICES 7
#define FUZZ_EDGES    9
#define FUZZ_TEXT     8192

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *fuzz_engine = "";

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "broken: %s: %s\n", fuzz_engine, what);
    abort();
}

/* ---- bytes ---------------------------------------------------------------------------------- */

typedef struct source {
    const uint8_t *bytes;
    size_t n;
} source;

/* The next byte; 0 when there is none left. */
static unsigned take(source *s) {
    if (s->n == 0) return 0;
    s->n--;
    return *s->bytes++;
}

typedef struct request {
    lode_graph_options options;
    bool directed;
    unsigned threads;
    uint64_t memory, device_memory; /* budgets; 0 = none */
    unsigned n_vertex_labels, n_edge_labels;
} request;

static request take_request(source *s) {
    request r = {.options = {.size = sizeof r.options}};
    lode_graph_options *o = &r.options;
    unsigned flags = take(s), support = take(s), edges = take(s), vertices = take(s);
    unsigned limit = take(s), budget = take(s), labels = take(s);
    r.directed = flags & 1;
    o->induced = flags >> 1 & 1;
    o->vertices = flags >> 2 & 1;
    o->supporters = flags >> 3 & 1;
    o->embeddings = flags >> 4 & 1;
    r.threads = 1 + (flags >> 5 & 1);
    o->target = (lode_target)(flags >> 6);
    o->min_support.numerator = 1 + (support & 3);
    o->top_k = 1 + (support >> 2);
    o->min_edges = edges & 3;
    o->max_edges = edges >> 2 & 7;
    o->min_vertices = vertices & 3;
    o->max_vertices = vertices >> 2 & 7;
    if (limit % 8 == 7) o->limit_patterns = 1 + (limit >> 3);
    if (budget % 8 == 7) r.memory = 4096 + (uint64_t)(budget >> 3) * (48 << 10);
    if (budget % 8 == 6) r.device_memory = 256 + (uint64_t)(budget >> 3) * 1024;
    r.n_vertex_labels = 1 + (labels & 3);
    r.n_edge_labels = 1 + (labels >> 2 & 3);
    return r;
}

typedef struct graph {
    unsigned n, n_edges;
    unsigned labels[FUZZ_VERTICES];
    unsigned from[FUZZ_EDGES], to[FUZZ_EDGES], edge_labels[FUZZ_EDGES];
} graph;

static bool has_edge(const graph *g, unsigned u, unsigned v, bool directed) {
    for (unsigned e = 0; e < g->n_edges; e++) {
        if (g->from[e] == u && g->to[e] == v) return true;
        if (!directed && g->from[e] == v && g->to[e] == u) return true;
    }
    return false;
}

/* Adds an edge, unless it cannot be. */
static void add_edge(graph *g, unsigned what, const request *r) {
    unsigned u = what % g->n, v = (what >> 3) % g->n;
    if (u == v || g->n_edges == FUZZ_EDGES || has_edge(g, u, v, r->directed)) return;
    g->from[g->n_edges] = u;
    g->to[g->n_edges] = v;
    g->edge_labels[g->n_edges++] = (what >> 6) % r->n_edge_labels;
}

/* A new graph, or the one before with some more edges. */
static void take_graph(source *s, graph *g, const request *r) {
    unsigned head = take(s);
    if (head < 96 || g->n == 0) {
        *g = (graph){.n = head % (FUZZ_VERTICES + 1)};
        for (unsigned v = 0; v < g->n; v++) g->labels[v] = take(s) % r->n_vertex_labels;
        for (unsigned v = 1; v < g->n && (head & 8); v++) add_edge(g, (v - 1) | v << 3, r);
        for (unsigned v = 1; v < g->n && (head & 16); v++) add_edge(g, v << 3, r);
    }
    for (unsigned e = (head >> 5) + 1; e > 0 && g->n > 1; e--) add_edge(g, take(s), r);
}

static size_t write_graphs(source *s, const request *r, char *text) {
    graph g = {0};
    size_t n = 0;
    for (unsigned i = 0; i < FUZZ_GRAPHS && s->n > 0; i++) {
        take_graph(s, &g, r);
        n += (size_t)snprintf(text + n, FUZZ_TEXT - n, "t # %u\n", i);
        for (unsigned v = 0; v < g.n; v++) {
            n += (size_t)snprintf(text + n, FUZZ_TEXT - n, "v %u %u\n", v, g.labels[v]);
        }
        for (unsigned e = 0; e < g.n_edges; e++) {
            n += (size_t)snprintf(text + n, FUZZ_TEXT - n, "e %u %u %u\n", g.from[e], g.to[e],
                                  g.edge_labels[e]);
        }
    }
    return n;
}

/* ---- results -------------------------------------------------------------------------------- */

typedef struct result {
    bool directed;
    uint64_t n, hash; /* a sum over the patterns: their order does not matter */
    lode_status status;
} result;

/* The pattern, whatever the order of its vertices. */
static uint64_t hash_pattern(const lode_graph *p, bool directed) {
    form_graph g = {.n = p->n_vertices};
    uint32_t form[FORM_SIZE], order[FORM_MAX];
    require(p->n_vertices > 0 && p->n_vertices <= FUZZ_VERTICES, "a pattern of no such size");
    for (uint32_t v = 0; v < p->n_vertices; v++) g.labels[v] = p->vertex_labels[v];
    for (uint32_t e = 0; e < p->n_edges; e++) {
        require(g.link[p->from[e]][p->to[e]] == 0, "an edge twice");
        g.link[p->from[e]][p->to[e]] = p->edge_labels[e] + 1;
        if (!directed) g.link[p->to[e]][p->from[e]] = p->edge_labels[e] + 1;
    }
    size_t n = form_make(&g, form, order);
    return bits_hash((const char *)form, n * sizeof *form);
}

/* Where it occurs, whatever the order of places and of the vertices in them. */
static uint64_t hash_places(const lode_graph_pattern *p, bool directed) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < p->n_embeddings; k++) {
        const uint32_t *row = p->embeddings + k * p->graph->n_vertices;
        uint64_t one = p->embedded_in[k];
        for (uint32_t v = 0; v < p->graph->n_vertices; v++) one += bits_mix(row[v] + 1);
        for (uint32_t e = 0; e < p->graph->n_edges; e++) {
            uint64_t a = row[p->graph->from[e]], b = row[p->graph->to[e]];
            bool swap = !directed && a > b;
            one += bits_mix((swap ? b << 8 | a : a << 8 | b) + 1000);
        }
        sum += bits_mix(one);
    }
    return sum;
}

static int on_pattern(void *user, const lode_graph_pattern *p) {
    result *r = user;
    uint64_t hash = hash_pattern(p->graph, r->directed) + bits_mix(p->support);
    for (uint64_t i = 0; p->supporters && i < p->support; i++) {
        require(i == 0 || p->supporters[i] > p->supporters[i - 1], "graphs out of order");
        hash = bits_mix(hash + p->supporters[i]);
    }
    if (p->embeddings) hash = bits_mix(hash ^ hash_places(p, r->directed));
    r->hash += bits_mix(hash);
    r->n++;
    return 0;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static lode_graphs *parse(lode_job *job, const request *r, const char *text, size_t n) {
    lode_graphs *data = NULL;
    lode_graph_read_options o = {.size = sizeof o, .directed = r->directed};
    lode_status status = lode_graphs_parse(job, &data, text, n, "input", &o);
    require(status == LODE_OK || status == LODE_BUDGET, "the graphs cannot be read");
    return data;
}

static result mine(const request *r, const char *engine, const char *text, size_t n) {
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_graph_options o = r->options;
    lode_job_options c = {.size = sizeof c, .threads = r->threads, .memory_bytes = r->memory};
    result out = {.directed = r->directed, .status = LODE_BUDGET};
    fuzz_engine = engine;
    o.algorithm = engine;
    c.device_memory_bytes = r->device_memory;
    require(lode_job_create(&job, NULL, &c) == LODE_OK, "no context");
    lode_graphs *data = parse(job, r, text, n);
    if (data && lode_graph_sink_callback(job, &sink, on_pattern, &out) == LODE_OK) {
        out.status = lode_graphs_mine(job, data, &o, sink);
        bool counted = out.n == lode_sink_patterns(sink);
        require(counted || out.status == LODE_BUDGET, "the sink counts otherwise");
    }
    require(out.status == LODE_OK || lode_job_error(job)[0] != 0, "failure without a message");
    lode_sink_free(sink);
    lode_graphs_free(data);
    require(lode_ctx_memory_used(lode_job_ctx(job)) == 0, "memory is left over");
    lode_job_free(job);
    return out;
}

/* The same by the sink that hashes. */
static uint64_t mine_hash(const request *r, const char *engine, const char *text, size_t n) {
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_graph_options o = r->options;
    lode_job_options c = {.size = sizeof c, .threads = r->threads};
    fuzz_engine = engine;
    o.algorithm = engine;
    require(lode_job_create(&job, NULL, &c) == LODE_OK, "no context");
    lode_graphs *data = parse(job, r, text, n);
    require(lode_graph_sink_hash(job, &sink, data) == LODE_OK, "no sink");
    require(lode_graphs_mine(job, data, &o, sink) == LODE_OK, "mining failed");
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    return hash;
}

static void compare(const request *r, const result *expected, const result *got) {
    uint64_t limit = r->options.limit_patterns;
    bool budget = r->memory || r->device_memory;
    if (got->status == LODE_BUDGET && budget) return;
    if (limit && limit < expected->n) {
        require(got->status == LODE_STOPPED, "not stopped by the limit");
        require(got->n == limit, "not as many as the limit says");
        return;
    }
    require(got->status == LODE_OK, "an unexpected status");
    require(got->n == expected->n, "another number of patterns");
    require(got->hash == expected->hash, "other patterns");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static char text[FUZZ_TEXT];
    source s = {bytes, n};
    request r = take_request(&s), plain = r;
    const lode_graph_options *o = &r.options;
    bool valid = (o->max_edges == 0 || o->min_edges <= o->max_edges) &&
                 (o->max_vertices == 0 || o->min_vertices <= o->max_vertices);
    size_t text_bytes = write_graphs(&s, &r, text);
    plain.options.limit_patterns = 0;
    plain.memory = plain.device_memory = 0;
    plain.threads = 1;
    result expected = mine(&plain, "brute", text, text_bytes);
    require(expected.status == (valid ? LODE_OK : LODE_INVALID), "an unexpected status");
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; valid && lode_algorithm_at(LODE_GRAPHS, i, &a); i++) {
        result got = mine(&r, a.name, text, text_bytes);
        compare(&r, &expected, &got);
    }
    if (valid && n % 4 == 0) {
        uint64_t hash = mine_hash(&plain, "brute", text, text_bytes);
        require(mine_hash(&plain, "graft", text, text_bytes) == hash, "another hash");
    }
    return 0;
}
