/* worker_places.c - see worker_places.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker_places.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_FIRST 20000000 /* for the first place in a graph: about a tenth of a second */
#define STEPS_MORE  200000   /* for the others */

/* An edge as one of its ends sees it. */
typedef struct half_edge {
    uint32_t to, label, edge;
    bool in; /* it comes from `to`; in undirected graphs never */
} half_edge;

/* An edge of the pattern from the vertex that is placed to one that was placed before. */
typedef struct places_tie {
    uint32_t earlier, label, edge; /* vertex of the pattern, label, edge of the pattern */
    bool in;                       /* as the earlier vertex sees it */
} places_tie;

struct places_search {
    const places_pattern *pattern;
    bool directed;
    uint32_t order[PLACES_VERTICES];         /* vertices of the pattern as they are placed */
    uint32_t first_tie[PLACES_VERTICES + 1]; /* ties of order[k]: from here to the next */
    places_tie ties[PLACES_EDGES];
    /* the graph */
    const lode_graph *graph;
    uint32_t *starts; /* of the edges of each vertex, in halves */
    half_edge *halves;
    uint8_t *used;
    /* the place that is being tried, and those found: vertices, then sorted edges */
    uint32_t image[PLACES_VERTICES], covered[PLACES_EDGES];
    uint32_t n_found, most;
    uint32_t found[PLACES_MOST][PLACES_VERTICES], sorted[PLACES_MOST][PLACES_EDGES];
    uint64_t steps, limit;
};

/* ---- the pattern ---------------------------------------------------------------------------- */

/* Adds the ties of vertex v to those that have been placed. */
static void places_add_ties(places_search *s, uint32_t k, const bool *placed) {
    uint32_t v = s->order[k], n = s->first_tie[k];
    for (uint32_t e = 0; e < s->pattern->n_edges; e++) {
        const places_edge *edge = &s->pattern->edges[e];
        bool to_v = edge->to == v && placed[edge->from];
        bool from_v = edge->from == v && placed[edge->to];
        if (!to_v && !from_v) continue;
        s->ties[n++] = (places_tie){.earlier = to_v ? edge->from : edge->to,
                                    .label = edge->label,
                                    .edge = e,
                                    .in = s->directed && from_v};
    }
    s->first_tie[k + 1] = n;
}

/* The next vertex to place: one beside those that are placed or, if there is none, any. */
static uint32_t places_next(const places_pattern *p, const bool *placed) {
    for (uint32_t e = 0; e < p->n_edges; e++) {
        if (placed[p->edges[e].from] != placed[p->edges[e].to]) {
            return placed[p->edges[e].from] ? p->edges[e].to : p->edges[e].from;
        }
    }
    uint32_t v = 0;
    while (placed[v]) v++;
    return v;
}

places_search *places_create(const places_pattern *pattern, const lode_graph_profile *data) {
    bool placed[PLACES_VERTICES] = {false};
    places_search *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->pattern = pattern;
    s->directed = data->directed;
    s->starts = calloc((size_t)data->most_vertices + 2, sizeof *s->starts);
    s->halves = calloc(2 * (size_t)data->most_edges + 1, sizeof *s->halves);
    s->used = calloc((size_t)data->most_vertices + 1, 1);
    if (!s->starts || !s->halves || !s->used) {
        places_free(s);
        return NULL;
    }
    for (uint32_t k = 0; k < pattern->n_vertices; k++) {
        s->order[k] = places_next(pattern, placed);
        places_add_ties(s, k, placed);
        placed[s->order[k]] = true;
    }
    return s;
}

void places_free(places_search *s) {
    if (!s) return;
    free(s->starts);
    free(s->halves);
    free(s->used);
    free(s);
}

/* ---- the graph ------------------------------------------------------------------------------ */

/* Sorts the edges of a graph by their ends, in both directions. */
static void places_take_graph(places_search *s, const lode_graph *g) {
    s->graph = g;
    memset(s->starts, 0, ((size_t)g->n_vertices + 2) * sizeof *s->starts);
    for (uint32_t e = 0; e < g->n_edges; e++) {
        s->starts[g->from[e] + 2]++;
        s->starts[g->to[e] + 2]++;
    }
    for (uint32_t v = 2; v < g->n_vertices + 2; v++) s->starts[v] += s->starts[v - 1];
    for (uint32_t e = 0; e < g->n_edges; e++) {
        uint32_t a = g->from[e], b = g->to[e], label = g->edge_labels[e];
        s->halves[s->starts[a + 1]++] = (half_edge){b, label, e, false};
        s->halves[s->starts[b + 1]++] = (half_edge){a, label, e, s->directed};
    }
}

/* The edge of the graph that a tie needs between two vertices; PLACES_NONE: there is none. */
static uint32_t places_edge_between(const places_search *s, uint32_t from, uint32_t to,
                                    const places_tie *tie) {
    for (uint32_t h = s->starts[from]; h < s->starts[from + 1]; h++) {
        const half_edge *half = &s->halves[h];
        if (half->to == to && half->label == tie->label && half->in == tie->in) return half->edge;
    }
    return PLACES_NONE;
}

/* ---- the search ----------------------------------------------------------------------------- */

static int places_compare(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* Keeps the place, unless it covers what an earlier one covers: of a single vertex, that is never
 * so. */
static void places_keep(places_search *s) {
    uint32_t n_edges = s->pattern->n_edges, *sorted = s->sorted[s->n_found];
    memcpy(sorted, s->covered, n_edges * sizeof *sorted);
    qsort(sorted, n_edges, sizeof *sorted, places_compare);
    for (uint32_t i = 0; n_edges > 0 && i < s->n_found; i++) {
        if (memcmp(s->sorted[i], sorted, n_edges * sizeof *sorted) == 0) return;
    }
    memcpy(s->found[s->n_found++], s->image, s->pattern->n_vertices * sizeof *s->image);
    if (s->n_found == 1 && s->limit > s->steps + STEPS_MORE) s->limit = s->steps + STEPS_MORE;
}

/* Whether order[k] can be at vertex u: label and edges are there. */
static bool places_fits(places_search *s, uint32_t k, uint32_t u) {
    if (s->used[u] || s->graph->vertex_labels[u] != s->pattern->labels[s->order[k]]) return false;
    for (uint32_t t = s->first_tie[k]; t < s->first_tie[k + 1]; t++) {
        const places_tie *tie = &s->ties[t];
        uint32_t edge = places_edge_between(s, s->image[tie->earlier], u, tie);
        if (edge == PLACES_NONE) return false;
        s->covered[tie->edge] = edge;
    }
    return true;
}

static bool places_ended(const places_search *s) {
    return s->n_found == s->most || s->steps >= s->limit;
}

/* Places order[k], …; it calls itself at most PLACES_VERTICES deep. */
static void places_from(places_search *s, uint32_t k) {
    if (k == s->pattern->n_vertices) {
        places_keep(s);
        return;
    }
    bool tied = s->first_tie[k] < s->first_tie[k + 1];
    uint32_t beside = tied ? s->image[s->ties[s->first_tie[k]].earlier] : 0;
    uint32_t at = tied ? s->starts[beside] : 0;
    uint32_t end = tied ? s->starts[beside + 1] : s->graph->n_vertices;
    for (; at < end && !places_ended(s); at++) {
        uint32_t u = tied ? s->halves[at].to : at;
        s->steps++;
        if (!places_fits(s, k, u)) continue;
        s->image[s->order[k]] = u;
        s->used[u] = 1;
        places_from(s, k + 1);
        s->used[u] = 0;
    }
}

uint32_t places_find(places_search *s, const lode_graph *graph, uint32_t most, bool *gave_up) {
    s->n_found = 0;
    s->most = most < PLACES_MOST ? most : PLACES_MOST;
    s->steps = 0;
    s->limit = STEPS_FIRST;
    bool smaller = graph->n_vertices < s->pattern->n_vertices;
    if (!smaller && graph->n_edges >= s->pattern->n_edges) {
        places_take_graph(s, graph);
        places_from(s, 0);
    }
    *gave_up = s->n_found == 0 && s->steps >= s->limit;
    return s->n_found;
}

uint32_t places_vertex(const places_search *s, uint32_t i, uint32_t v) {
    return s->found[i][v];
}
