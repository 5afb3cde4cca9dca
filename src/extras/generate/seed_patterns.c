/* seed_patterns.c - graphs put together from seed patterns, after Kuramochi and Karypis (ggen)
 *
 * Set-up, from stream 0: a pool of connected seed patterns with exponential weights. A pattern
 * grows edge by edge, mostly to a new vertex, sometimes between two vertices it has. Labels are
 * equally likely.
 *
 * Graphs: the number of edges is drawn, and then patterns are drawn by weight and added until the
 * graph has this many. A pattern is added by identifying one of its vertices with a vertex of the
 * graph that has the same label; if none is found, by an edge.
 *
 *     graph   A-B      pattern  B-C-D      ->   A-B-C-D
 *
 * The frequent subgraphs of such graphs are the patterns and their parts, so their number depends
 * on the pool, and hardly on the number of labels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/draw.h"
#include "extras/generate/graph_models.h"

#define SEED_CLOSE 0.2 /* chance that an edge of a pattern closes a cycle */
#define SEED_TRIES 8   /* to find a common vertex */

typedef struct seed_patterns {
    mem *mem;
    const lode_graphgen_options *o;
    grown_graph *patterns;
    draw_table sizes, pattern_sizes, choice;
} seed_patterns;

static uint32_t seed_label(uint32_t n, rng *r) {
    return (uint32_t)rng_below(r, n);
}

static lode_status seed_make_pattern(seed_patterns *q, grown_graph *g, rng *r) {
    lode_status status = LODE_OK;
    uint32_t n = draw_table_next(&q->pattern_sizes, r), vertex;
    uint64_t close = rng_chance(SEED_CLOSE);
    LODE_TRY(grown_vertex(g, q->mem, seed_label(q->o->n_vertex_labels, r), &vertex));
    while (g->n_edges < n) {
        uint32_t from = (uint32_t)rng_below(r, g->labels.n);
        uint32_t label = seed_label(q->o->n_edge_labels, r);
        if (g->labels.n > 2 && rng_happens(r, close)) {
            uint32_t to = (uint32_t)rng_below(r, g->labels.n);
            if (from == to || grown_has(g, from, to)) continue;
            LODE_TRY(grown_add(g, q->mem, (grown_edge){from, to, label}));
            continue;
        }
        LODE_TRY(grown_vertex(g, q->mem, seed_label(q->o->n_vertex_labels, r), &vertex));
        LODE_TRY(grown_add(g, q->mem, (grown_edge){from, vertex, label}));
    }
done:
    return status;
}

/* Looks for a vertex of the pattern and one of the graph with the same label; false after some
 * tries. */
static bool seed_find_joint(const grown_graph *g, const grown_graph *p, rng *r, uint32_t *at,
                            uint32_t *on) {
    for (unsigned i = 0; i < SEED_TRIES; i++) {
        *at = (uint32_t)rng_below(r, p->labels.n);
        *on = (uint32_t)rng_below(r, g->labels.n);
        if (p->labels.data[*at] == g->labels.data[*on]) return true;
    }
    return false;
}

/* Adds a pattern to the graph; `numbers` is scratch for the numbers of its vertices there. */
static lode_status seed_put_pattern(const seed_patterns *q, grown_graph *g, const grown_graph *p,
                                    vec_u32 *numbers, rng *r) {
    lode_status status = LODE_OK;
    uint32_t at = UINT32_MAX, on = 0;
    bool first = g->labels.n == 0, joint = !first && seed_find_joint(g, p, r, &at, &on);
    if (!joint) at = UINT32_MAX;
    uint32_t neighbour = first ? 0 : (uint32_t)rng_below(r, g->labels.n);
    numbers->n = 0;
    LODE_TRY(vec_u32_reserve(q->mem, numbers, p->labels.n));
    for (uint32_t v = 0; v < p->labels.n; v++) {
        uint32_t number = on;
        if (v != at) LODE_TRY(grown_vertex(g, q->mem, p->labels.data[v], &number));
        numbers->data[numbers->n++] = number;
    }
    if (!first && !joint) {
        grown_edge bridge = {neighbour, numbers->data[0], seed_label(q->o->n_edge_labels, r)};
        LODE_TRY(grown_add(g, q->mem, bridge));
    }
    for (size_t i = 0; i < p->n_edges; i++) {
        grown_edge e = p->edges[i];
        grown_edge copy = {numbers->data[e.from], numbers->data[e.to], e.label};
        LODE_TRY(grown_add(g, q->mem, copy));
    }
done:
    return status;
}

/* ---- the model ------------------------------------------------------------------------------ */

static lode_status seed_make(const void *self, void *scratch, grown_graph *g, rng *r) {
    const seed_patterns *q = self;
    lode_status status = LODE_OK;
    uint32_t size = draw_table_next(&q->sizes, r);
    while (g->n_edges < size) {
        const grown_graph *p = &q->patterns[draw_table_next(&q->choice, r)];
        LODE_TRY(seed_put_pattern(q, g, p, scratch, r));
    }
done:
    return status;
}

static void seed_close(const void *self, void *scratch) {
    const seed_patterns *q = self;
    vec_u32_free(q->mem, scratch);
}

static void seed_free(void *self) {
    seed_patterns *q = self;
    for (uint32_t i = 0; q->patterns && i < q->o->n_patterns; i++) {
        grown_free(&q->patterns[i], q->mem);
    }
    if (q->patterns) mem_free(q->mem, q->patterns, q->o->n_patterns * sizeof *q->patterns);
    draw_table_free(&q->choice);
    draw_table_free(&q->pattern_sizes);
    draw_table_free(&q->sizes);
}

static lode_status seed_prepare(void *self, mem *m, const lode_graphgen_options *o) {
    seed_patterns *q = self;
    lode_status status = LODE_OK;
    uint32_t n = o->n_patterns;
    rng r = rng_make(o->seed, 0);
    *q = (seed_patterns){.mem = m, .o = o};
    LODE_TRY(draw_table_lengths(&q->sizes, m, o->mean_edges));
    LODE_TRY(draw_table_lengths(&q->pattern_sizes, m, o->mean_pattern));
    LODE_TRY(mem_zalloc(m, (void **)&q->patterns, n * sizeof *q->patterns));
    for (uint32_t i = 0; i < n; i++) LODE_TRY(seed_make_pattern(q, &q->patterns[i], &r));
    LODE_TRY(draw_table_exponential(&q->choice, m, n, &r));
done:
    return status;
}

const graph_model graph_model_patterns = {
    .bytes = sizeof(seed_patterns),
    .scratch_bytes = sizeof(vec_u32),
    .prepare = seed_prepare,
    .free = seed_free,
    .make = seed_make,
    .close = seed_close,
};
