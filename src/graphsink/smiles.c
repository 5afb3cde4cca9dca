/* smiles.c - see smiles.h
 *
 * A depth-first walk from vertex 0 that takes edges in their order decides which edges are branches
 * and which close cycles; a second one, with the same choices, writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/smiles.h"

enum { EDGE_UNUSED, EDGE_TREE, EDGE_CLOSES };

typedef struct smiles {
    mem *mem;
    vec_char *text;
    const lode_graphs *data;
    const lode_graph *p;
    bool *met;       /* by vertex */
    uint8_t *kind;   /* by edge */
    uint32_t *owner; /* by edge: the vertex it was met from */
    uint32_t *ring;  /* by edge: its number */
    uint32_t n_rings;
} smiles;

static uint32_t other_end(const lode_graph *p, uint32_t e, uint32_t v) {
    return p->from[e] == v ? p->to[e] : p->from[e];
}

static bool touches(const lode_graph *p, uint32_t e, uint32_t v) {
    return p->from[e] == v || p->to[e] == v;
}

static void choose_edges(smiles *s, uint32_t v) {
    s->met[v] = true;
    for (uint32_t e = 0; e < s->p->n_edges; e++) {
        if (!touches(s->p, e, v) || s->kind[e] != EDGE_UNUSED) continue;
        uint32_t to = other_end(s->p, e, v);
        s->owner[e] = v;
        s->kind[e] = s->met[to] ? EDGE_CLOSES : EDGE_TREE;
        if (s->kind[e] == EDGE_CLOSES) s->ring[e] = ++s->n_rings;
        if (s->kind[e] == EDGE_TREE) choose_edges(s, to);
    }
}

static lode_status put(smiles *s, const char *words) {
    return vec_char_append(s->mem, s->text, words, strlen(words));
}

static lode_status put_edge(smiles *s, uint32_t e, uint32_t from) {
    lode_status status = LODE_OK;
    bool directed = s->data->profile.directed;
    size_t n;
    dict_name(s->data->edge_names, s->p->edge_labels[e], &n);
    LODE_TRY(put(s, directed && s->p->from[e] != from ? "<-" : "-"));
    if (n > 0) {
        LODE_TRY(graphs_put_name(s->mem, s->text, s->data->edge_names, s->p->edge_labels[e]));
        LODE_TRY(put(s, "-"));
    }
    if (directed && s->p->from[e] == from) LODE_TRY(put(s, ">"));
done:
    return status;
}

static lode_status put_ring(smiles *s, uint32_t e) {
    lode_status status = put(s, "{");
    if (status == LODE_OK) status = graphs_put_number(s->mem, s->text, s->ring[e]);
    return status == LODE_OK ? put(s, "}") : status;
}

static lode_status put_vertex(smiles *s, uint32_t v) {
    lode_status status = LODE_OK;
    const lode_graph *p = s->p;
    uint32_t n_left = 0;
    LODE_TRY(put(s, "["));
    LODE_TRY(graphs_put_name(s->mem, s->text, s->data->vertex_names, p->vertex_labels[v]));
    LODE_TRY(put(s, "]"));
    for (uint32_t e = 0; e < p->n_edges; e++) { /* numbers of cycles that close here */
        bool here = touches(p, e, v) && s->kind[e] == EDGE_CLOSES && s->owner[e] != v;
        if (here) LODE_TRY(put_ring(s, e));
        n_left += touches(p, e, v) && s->owner[e] == v;
    }
    for (uint32_t e = 0; e < p->n_edges; e++) {
        if (!touches(p, e, v) || s->owner[e] != v) continue;
        bool branch = --n_left > 0;
        if (branch) LODE_TRY(put(s, "("));
        LODE_TRY(put_edge(s, e, v));
        LODE_TRY(s->kind[e] == EDGE_TREE ? put_vertex(s, other_end(p, e, v)) : put_ring(s, e));
        if (branch) LODE_TRY(put(s, ")"));
    }
done:
    return status;
}

lode_status smiles_put(mem *m, vec_char *text, const lode_graphs *data, const lode_graph *pattern) {
    lode_status status = LODE_OK;
    smiles s = {.mem = m, .text = text, .data = data, .p = pattern};
    char *block = NULL;
    size_t n_e = pattern->n_edges, n_v = pattern->n_vertices;
    size_t bytes = n_e * (2 * sizeof(uint32_t) + 1) + n_v;
    LODE_TRY(mem_zalloc(m, (void **)&block, bytes));
    s.owner = (void *)block;
    s.ring = s.owner + n_e;
    s.kind = (void *)(s.ring + n_e);
    s.met = (void *)(s.kind + n_e);
    choose_edges(&s, 0);
    LODE_TRY(put_vertex(&s, 0));
done:
    mem_free(m, block, block ? bytes : 0);
    return status;
}
