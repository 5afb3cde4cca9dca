/* graphgen.c - random labelled graphs after Kuramochi and Karypis (ggen, GraphGen)
 *
 * Set-up, from stream 0: a pool of connected seed patterns with exponential weights. A pattern
 * grows edge by edge, mostly to a new vertex, sometimes between two vertices it has.
 *
 * Graphs, one stream for each block: the number of edges is drawn, and then patterns are drawn by
 * weight and added until the graph has this many. A pattern is added by identifying one of its
 * vertices with a vertex of the graph that has the same label; if none is found, by an edge.
 *
 *     graph   A-B      pattern  B-C-D      ->   A-B-C-D
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/rng.h"
#include "generate/blocks.h"
#include "generate/draw.h"
#include "runtime/valid.h"

#define GRAPHGEN_CLOSE 0.2                 /* chance that an edge of a pattern closes a cycle */
#define GRAPHGEN_TRIES 8                   /* to find a common vertex */
#define GRAPHGEN_EDGES ((double)(1 << 17)) /* of a block */

typedef struct gen_edge {
    uint32_t from, to, label;
} gen_edge;

/* A graph that grows. */
typedef struct gen_graph {
    vec_u32 labels;
    gen_edge *edges;
    size_t n_edges, cap;
} gen_graph;

typedef struct graphgen {
    mem *mem;
    lode_graphgen_options o; /* defaults filled in */
    gen_graph *patterns;
    draw_table sizes, pattern_sizes, choice;
    uint64_t block_graphs;
} graphgen;

static lode_status gen_check(lode_job *job, const lode_graphgen_options *given,
                             lode_graphgen_options *o) {
    lode_status valid = valid_take(job, VALID_GRAPHGEN, given, o);
    if (valid != LODE_OK) return valid;
    if (o->n_graphs == 0) o->n_graphs = 1000;
    if (o->mean_edges == 0.0) o->mean_edges = 30;
    if (o->mean_pattern == 0.0) o->mean_pattern = 4;
    if (o->n_patterns == 0) o->n_patterns = 50;
    if (o->n_vertex_labels == 0) o->n_vertex_labels = 5;
    if (o->n_edge_labels == 0) o->n_edge_labels = 5;
    if (o->seed == 0) o->seed = 1;
    if (!(o->mean_edges >= 1) || o->mean_edges > 1e6) {
        return job_fail(job, LODE_INVALID, "the mean number of edges is %g; it must be at least 1",
                        o->mean_edges);
    }
    if (!(o->mean_pattern >= 1) || o->mean_pattern > 1e4) {
        return job_fail(job, LODE_INVALID,
                        "the mean size of a pattern is %g; it must be at least 1", o->mean_pattern);
    }
    return LODE_OK;
}

/* ---- growing -------------------------------------------------------------------------------- */

static void gen_free(gen_graph *g, mem *m) {
    vec_u32_free(m, &g->labels);
    mem_free(m, g->edges, g->cap * sizeof *g->edges);
    *g = (gen_graph){0};
}

static lode_status gen_vertex(gen_graph *g, mem *m, uint32_t label, uint32_t *vertex) {
    *vertex = (uint32_t)g->labels.n;
    return vec_u32_push(m, &g->labels, label);
}

static lode_status gen_add(gen_graph *g, mem *m, gen_edge e) {
    if (g->n_edges == g->cap) {
        lode_status status =
            vec_grow(m, (void **)&g->edges, g->n_edges, &g->cap, 1, sizeof *g->edges);
        if (status != LODE_OK) return status;
    }
    g->edges[g->n_edges++] = e;
    return LODE_OK;
}

static bool gen_has(const gen_graph *g, uint32_t u, uint32_t v) {
    for (size_t i = 0; i < g->n_edges; i++) {
        const gen_edge *e = &g->edges[i];
        if ((e->from == u && e->to == v) || (e->from == v && e->to == u)) return true;
    }
    return false;
}

static uint32_t gen_label(uint32_t n, rng *r) {
    return (uint32_t)rng_below(r, n);
}

static lode_status gen_make_pattern(graphgen *q, gen_graph *g, rng *r) {
    lode_status status = LODE_OK;
    uint32_t n = draw_table_next(&q->pattern_sizes, r), vertex;
    uint64_t close = rng_chance(GRAPHGEN_CLOSE);
    LODE_TRY(gen_vertex(g, q->mem, gen_label(q->o.n_vertex_labels, r), &vertex));
    while (g->n_edges < n) {
        uint32_t from = (uint32_t)rng_below(r, g->labels.n);
        uint32_t label = gen_label(q->o.n_edge_labels, r);
        if (g->labels.n > 2 && rng_happens(r, close)) {
            uint32_t to = (uint32_t)rng_below(r, g->labels.n);
            if (from == to || gen_has(g, from, to)) continue;
            LODE_TRY(gen_add(g, q->mem, (gen_edge){from, to, label}));
            continue;
        }
        LODE_TRY(gen_vertex(g, q->mem, gen_label(q->o.n_vertex_labels, r), &vertex));
        LODE_TRY(gen_add(g, q->mem, (gen_edge){from, vertex, label}));
    }
done:
    return status;
}

/* Looks for a vertex of the pattern and one of the graph with the same label; false after some
 * tries. */
static bool gen_find_joint(const gen_graph *g, const gen_graph *p, rng *r, uint32_t *at,
                           uint32_t *on) {
    for (unsigned i = 0; i < GRAPHGEN_TRIES; i++) {
        *at = (uint32_t)rng_below(r, p->labels.n);
        *on = (uint32_t)rng_below(r, g->labels.n);
        if (p->labels.data[*at] == g->labels.data[*on]) return true;
    }
    return false;
}

/* Adds a pattern to the graph; `numbers` is scratch for the numbers of its vertices there. */
static lode_status gen_put_pattern(const graphgen *q, gen_graph *g, const gen_graph *p,
                                   vec_u32 *numbers, rng *r) {
    lode_status status = LODE_OK;
    uint32_t at = UINT32_MAX, on = 0;
    bool first = g->labels.n == 0, joint = !first && gen_find_joint(g, p, r, &at, &on);
    if (!joint) at = UINT32_MAX;
    uint32_t neighbour = first ? 0 : (uint32_t)rng_below(r, g->labels.n);
    numbers->n = 0;
    LODE_TRY(vec_u32_reserve(q->mem, numbers, p->labels.n));
    for (uint32_t v = 0; v < p->labels.n; v++) {
        uint32_t number = on;
        if (v != at) LODE_TRY(gen_vertex(g, q->mem, p->labels.data[v], &number));
        numbers->data[numbers->n++] = number;
    }
    if (!first && !joint) {
        gen_edge bridge = {neighbour, numbers->data[0], gen_label(q->o.n_edge_labels, r)};
        LODE_TRY(gen_add(g, q->mem, bridge));
    }
    for (size_t i = 0; i < p->n_edges; i++) {
        gen_edge e = p->edges[i];
        gen_edge copy = {numbers->data[e.from], numbers->data[e.to], e.label};
        LODE_TRY(gen_add(g, q->mem, copy));
    }
done:
    return status;
}

/* ---- text ----------------------------------------------------------------------------------- */

static lode_status gen_put_line(const graphgen *q, vec_char *text, const char *format, uint64_t a,
                                uint32_t b, uint32_t c) {
    char line[64];
    int n = 0;
    switch (*format) {
    case 't': n = snprintf(line, sizeof line, "t # %llu\n", (unsigned long long)a); break;
    case 'v': n = snprintf(line, sizeof line, "v %u %u\n", (unsigned)a, b); break;
    default: n = snprintf(line, sizeof line, "e %u %u %u\n", (unsigned)a, b, c);
    }
    return vec_char_append(q->mem, text, line, (size_t)n);
}

static lode_status gen_put_graph(const graphgen *q, vec_char *text, uint64_t number,
                                 const gen_graph *g) {
    lode_status status = LODE_OK;
    LODE_TRY(gen_put_line(q, text, "t", number, 0, 0));
    for (uint32_t v = 0; v < g->labels.n; v++) {
        LODE_TRY(gen_put_line(q, text, "v", v, g->labels.data[v], 0));
    }
    for (size_t i = 0; i < g->n_edges; i++) {
        LODE_TRY(gen_put_line(q, text, "e", g->edges[i].from, g->edges[i].to, g->edges[i].label));
    }
done:
    return status;
}

static lode_status gen_block(void *user, uint64_t block, vec_char *text) {
    const graphgen *q = user;
    lode_status status = LODE_OK;
    uint64_t first = block * q->block_graphs, left = q->o.n_graphs - first;
    uint64_t n = left < q->block_graphs ? left : q->block_graphs;
    rng r = rng_make(q->o.seed, 1 + block);
    gen_graph g = {0};
    vec_u32 numbers = {0};
    for (uint64_t i = 0; i < n; i++) {
        uint32_t size = draw_table_next(&q->sizes, &r);
        g.labels.n = g.n_edges = 0;
        while (g.n_edges < size) {
            const gen_graph *p = &q->patterns[draw_table_next(&q->choice, &r)];
            LODE_TRY(gen_put_pattern(q, &g, p, &numbers, &r));
        }
        LODE_TRY(gen_put_graph(q, text, first + i, &g));
    }
done:
    gen_free(&g, q->mem);
    vec_u32_free(q->mem, &numbers);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static lode_status gen_prepare(graphgen *q) {
    lode_status status = LODE_OK;
    uint32_t n = q->o.n_patterns;
    rng r = rng_make(q->o.seed, 0);
    LODE_TRY(draw_table_lengths(&q->sizes, q->mem, q->o.mean_edges));
    LODE_TRY(draw_table_lengths(&q->pattern_sizes, q->mem, q->o.mean_pattern));
    LODE_TRY(mem_zalloc(q->mem, (void **)&q->patterns, n * sizeof *q->patterns));
    for (uint32_t i = 0; i < n; i++) LODE_TRY(gen_make_pattern(q, &q->patterns[i], &r));
    LODE_TRY(draw_table_exponential(&q->choice, q->mem, n, &r));
    double graphs = GRAPHGEN_EDGES / q->o.mean_edges;
    q->block_graphs = graphs < 1 ? 1 : (uint64_t)graphs;
done:
    return status;
}

lode_status lode_generate_graphs(lode_job *job, const char *path,
                                 const lode_graphgen_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    VALID_CALL(job, VALID_NEEDS(path));
    graphgen q = {.mem = &job->mem};
    LODE_TRY(gen_check(job, options, &q.o));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(gen_prepare(&q));
    uint64_t n_blocks = (q.o.n_graphs - 1) / q.block_graphs + 1;
    LODE_TRY(blocks_write(job, path, n_blocks, gen_block, &q));
done:
    for (uint32_t i = 0; q.patterns && i < q.o.n_patterns; i++) gen_free(&q.patterns[i], q.mem);
    if (q.patterns) mem_free(q.mem, q.patterns, q.o.n_patterns * sizeof *q.patterns);
    draw_table_free(&q.choice);
    draw_table_free(&q.pattern_sizes);
    draw_table_free(&q.sizes);
    lease_leave(&call);
    return job_explain(job, status, "generating");
}
