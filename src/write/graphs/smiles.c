/* smiles.c - see smiles.h
 *
 * A depth-first walk from vertex 0, which follows the edges in their order, decides which edges are
 * branches and which close cycles. A second walk makes the same choices and writes the text. Both
 * are loops that return to the parent of each vertex, not recursions, because a pattern may be a
 * path of thousands of edges, and the stack is small.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/smiles.h"

enum { EDGE_UNUSED, EDGE_TREE, EDGE_CLOSES };

#define NO_VERTEX UINT32_MAX

typedef struct smiles {
    mem *mem;
    vec_char *text;
    const lode_graphs *data;
    const lode_graph *p;
    uint32_t *start; /* by vertex: where its edges begin in `edges`, ascending */
    uint32_t *edges;
    uint32_t *at;     /* by vertex: the next of its edges in a walk */
    uint32_t *parent; /* by vertex */
    uint32_t *left;   /* by vertex: edges that are still to be written from it */
    bool *met;        /* by vertex */
    uint8_t *kind;    /* by edge */
    uint32_t *owner;  /* by edge: the vertex it was met from */
    uint32_t *ring;   /* by edge: its number */
    uint32_t n_rings;
} smiles;

static uint32_t smiles_other_end(const lode_graph *p, uint32_t e, uint32_t v) {
    return p->from[e] == v ? p->to[e] : p->from[e];
}

/* Lists the edges of each vertex. */
static void smiles_list_edges(smiles *s) {
    const lode_graph *p = s->p;
    for (uint32_t e = 0; e < p->n_edges; e++) {
        s->start[p->from[e] + 1]++;
        s->start[p->to[e] + 1]++;
    }
    for (uint32_t v = 0; v < p->n_vertices; v++) s->start[v + 1] += s->start[v];
    memcpy(s->at, s->start, p->n_vertices * sizeof *s->at);
    for (uint32_t e = 0; e < p->n_edges; e++) {
        s->edges[s->at[p->from[e]]++] = e;
        s->edges[s->at[p->to[e]]++] = e;
    }
}

static void smiles_choose_edges(smiles *s) {
    memcpy(s->at, s->start, s->p->n_vertices * sizeof *s->at);
    s->met[0] = true;
    for (uint32_t v = 0; v != NO_VERTEX;) {
        if (s->at[v] == s->start[v + 1]) {
            v = s->parent[v];
            continue;
        }
        uint32_t e = s->edges[s->at[v]++], to = smiles_other_end(s->p, e, v);
        if (s->kind[e] != EDGE_UNUSED) continue;
        s->owner[e] = v;
        s->left[v]++;
        s->kind[e] = s->met[to] ? EDGE_CLOSES : EDGE_TREE;
        if (s->kind[e] == EDGE_CLOSES) {
            s->ring[e] = ++s->n_rings;
            continue;
        }
        s->met[to] = true;
        s->parent[to] = v;
        v = to;
    }
}

static lode_status smiles_words(smiles *s, const char *words) {
    return vec_char_append(s->mem, s->text, words, strlen(words));
}

static lode_status smiles_put_edge(smiles *s, uint32_t e, uint32_t from) {
    lode_status status = LODE_OK;
    bool directed = s->data->profile.directed;
    size_t n;
    dict_name(s->data->edge_names, s->p->edge_labels[e], &n);
    LODE_TRY(smiles_words(s, directed && s->p->from[e] != from ? "<-" : "-"));
    if (n > 0) {
        LODE_TRY(graphs_put_name(s->mem, s->text, s->data->edge_names, s->p->edge_labels[e]));
        LODE_TRY(smiles_words(s, "-"));
    }
    if (directed && s->p->from[e] == from) LODE_TRY(smiles_words(s, ">"));
done:
    return status;
}

static lode_status smiles_put_ring(smiles *s, uint32_t e) {
    lode_status status = smiles_words(s, "{");
    if (status == LODE_OK) status = graphs_put_number(s->mem, s->text, s->ring[e]);
    return status == LODE_OK ? smiles_words(s, "}") : status;
}

/* A vertex, and the numbers of cycles that close there. */
static lode_status smiles_put_vertex(smiles *s, uint32_t v) {
    lode_status status = LODE_OK;
    LODE_TRY(smiles_words(s, "["));
    LODE_TRY(graphs_put_name(s->mem, s->text, s->data->vertex_names, s->p->vertex_labels[v]));
    LODE_TRY(smiles_words(s, "]"));
    for (uint32_t k = s->start[v]; k < s->start[v + 1]; k++) {
        uint32_t e = s->edges[k];
        if (s->kind[e] == EDGE_CLOSES && s->owner[e] != v) LODE_TRY(smiles_put_ring(s, e));
    }
done:
    return status;
}

/* All edges but the last one of a vertex are branches, in parentheses. */
static lode_status smiles_put_all(smiles *s) {
    lode_status status = LODE_OK;
    memcpy(s->at, s->start, s->p->n_vertices * sizeof *s->at);
    LODE_TRY(smiles_put_vertex(s, 0));
    for (uint32_t v = 0; v != NO_VERTEX;) {
        if (s->at[v] == s->start[v + 1]) {
            v = s->parent[v];
            if (v != NO_VERTEX && s->left[v] > 0) LODE_TRY(smiles_words(s, ")"));
            continue;
        }
        uint32_t e = s->edges[s->at[v]++];
        if (s->owner[e] != v) continue;
        bool branch = --s->left[v] > 0;
        if (branch) LODE_TRY(smiles_words(s, "("));
        LODE_TRY(smiles_put_edge(s, e, v));
        if (s->kind[e] == EDGE_TREE) {
            v = smiles_other_end(s->p, e, v);
            LODE_TRY(smiles_put_vertex(s, v));
        } else {
            LODE_TRY(smiles_put_ring(s, e));
            if (branch) LODE_TRY(smiles_words(s, ")"));
        }
    }
done:
    return status;
}

lode_status smiles_put(mem *m, vec_char *text, const lode_graphs *data, const lode_graph *pattern) {
    lode_status status = LODE_OK;
    smiles s = {.mem = m, .text = text, .data = data, .p = pattern};
    char *block = NULL;
    size_t n_e = pattern->n_edges, n_v = pattern->n_vertices;
    size_t bytes = (4 * n_e + 4 * n_v + 1) * sizeof(uint32_t) + n_e + n_v;
    LODE_TRY(mem_zalloc(m, (void **)&block, bytes));
    s.owner = (void *)block;
    s.ring = s.owner + n_e;
    s.edges = s.ring + n_e;
    s.start = s.edges + 2 * n_e;
    s.at = s.start + n_v + 1;
    s.parent = s.at + n_v;
    s.left = s.parent + n_v;
    s.kind = (void *)(s.left + n_v);
    s.met = (void *)(s.kind + n_e);
    s.parent[0] = NO_VERTEX;
    smiles_list_edges(&s);
    smiles_choose_edges(&s);
    LODE_TRY(smiles_put_all(&s));
done:
    mem_free(m, block, block ? bytes : 0);
    return status;
}
