/* worker_graphs.c - short requests about graphs: one graph, and the occurrences of a pattern
 *
 * Occurrences are found by backtracking: the vertices of the pattern are mapped one after the
 * other, each adjacent to a mapped vertex, and the search goes back if an edge is missing. This is
 * slow for large patterns, and fast for patterns of a size that people look at; the number of steps
 * is limited.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "worker.h"

#define PLACES_VERTICES 256  /* maximum vertices of a pattern */
#define PLACES_EDGES    1024 /* maximum edges of a pattern */
#define PLACES_MOST     20   /* maximum places listed for a graph */
#define PLACES_NONE     UINT32_MAX

typedef struct places_edge {
    uint32_t from, to, label;
} places_edge;

typedef struct places_pattern {
    uint32_t n_vertices, n_edges;
    uint32_t labels[PLACES_VERTICES];
    places_edge edges[PLACES_EDGES];
} places_pattern;

typedef struct places_search places_search;

/* Prepares the search for a pattern in graphs of the data set. NULL: out of memory. */
static places_search *places_create(const places_pattern *pattern, const lode_graph_profile *data);
static void places_free(places_search *s);

/* Finds up to `most` different places in a graph; returns how many. Mappings that cover the same
 * vertices and edges are one place. Stops after too many steps; *gave_up: that happened before the
 * first place. */
static uint32_t places_find(places_search *s, const lode_graph *graph, uint32_t most,
                            bool *gave_up);
/* Where vertex v of the pattern is in the i-th place. */
static uint32_t places_vertex(const places_search *s, uint32_t i, uint32_t v);

#define OCCURRENCE_ROWS_MOST 100

static lode_status graphs_needed(worker_call *c) {
    if (worker_open_data.graphs) return LODE_OK;
    return worker_refuse(c, LODE_INVALID, "%s: the data are baskets, not graphs", c->verb->name);
}

/* ---- one graph ------------------------------------------------------------------------------ */

static void graphs_add_name(worker_text *json, const lode_graphs *data, uint64_t index) {
    size_t n = lode_graphs_name(data, index, NULL, 0);
    char *name = malloc(n + 1);
    json->lost |= !name;
    if (!name) return;
    lode_graphs_name(data, index, name, n);
    worker_add_text(json, name, n);
    free(name);
}

void worker_add_graph(worker_text *json, const lode_graphs *data, uint64_t index) {
    lode_graph g = LODE_INIT(lode_graph);
    lode_graphs_at(data, index, &g);
    worker_addf(json, "{\"index\":%llu,\"name\":", (unsigned long long)index);
    graphs_add_name(json, data, index);
    worker_addf(json, ",\"vertices\":[");
    for (uint32_t v = 0; v < g.n_vertices; v++) {
        if (v > 0) worker_addf(json, ",");
        worker_add_label(json, data, g.vertex_labels[v], false);
    }
    worker_addf(json, "],\"edges\":[");
    for (uint32_t e = 0; e < g.n_edges; e++) {
        worker_addf(json, "%s[%u,%u,", e ? "," : "", g.from[e], g.to[e]);
        worker_add_label(json, data, g.edge_labels[e], true);
        worker_addf(json, "]");
    }
    worker_addf(json, "]");
}

lode_status worker_graph(worker_call *c, worker_text *json) {
    uint64_t index = UINT64_MAX;
    lode_status status = graphs_needed(c);
    if (status != LODE_OK) return status;
    uint64_t n = cli_graph_profile(worker_open_data.graphs).n_graphs;
    if (!worker_request_number(&c->request, (worker_range){"index", 0, UINT64_MAX - 1}, &index,
                               c->message, sizeof c->message)) {
        return LODE_INVALID;
    }
    if (index == UINT64_MAX) return worker_refuse(c, LODE_INVALID, "graph: expected index=N");
    if (index >= n) {
        return worker_refuse(c, LODE_NOTFOUND, "graph: expected an index below %llu",
                             (unsigned long long)n);
    }
    worker_add_graph(json, worker_open_data.graphs, index);
    worker_addf(json, "}");
    return LODE_OK;
}

/* ---- the pattern that is looked for --------------------------------------------------------- */

/* The label with a name; PLACES_NONE, which no vertex has: the data have no such label. */
static uint32_t graphs_find_label(const char *name, bool edge) {
    const lode_graphs *data = worker_open_data.graphs;
    lode_graph_profile p = cli_graph_profile(data);
    uint64_t n_labels = edge ? p.n_edge_labels : p.n_vertex_labels;
    size_t length = strlen(name);
    char *room = malloc(length + 1);
    uint32_t found = PLACES_NONE;
    for (uint32_t l = 0; room && found == PLACES_NONE && l < n_labels; l++) {
        size_t n = edge ? lode_graphs_edge_label(data, l, room, length)
                        : lode_graphs_vertex_label(data, l, room, length);
        if (n == length && memcmp(room, name, length) == 0) found = l;
    }
    free(room);
    return found;
}

/* "FROM TO LABEL"; false: it is something else. */
static bool graphs_parse_edge(const char *text, places_pattern *p) {
    places_edge *edge = &p->edges[p->n_edges];
    char *end;
    unsigned long from = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != ' ') return false;
    const char *second = end + 1;
    unsigned long to = strtoul(second, &end, 10);
    if (second[0] < '0' || second[0] > '9' || (*end && *end != ' ')) return false;
    if (from >= p->n_vertices || to >= p->n_vertices || from == to) return false;
    *edge =
        (places_edge){(uint32_t)from, (uint32_t)to, graphs_find_label(*end ? end + 1 : "", true)};
    p->n_edges++;
    return true;
}

static lode_status graphs_read_pattern(worker_call *c, places_pattern *p) {
    const worker_request *r = &c->request;
    for (size_t i = 0; i < r->n_values; i++) {
        if (strcmp(r->values[i].name, "vertex") != 0) continue;
        if (p->n_vertices == PLACES_VERTICES) {
            return worker_refuse(c, LODE_UNSUPPORTED, "occurrences: more than %d vertices",
                                 PLACES_VERTICES);
        }
        p->labels[p->n_vertices++] = graphs_find_label(r->values[i].text, false);
    }
    for (size_t i = 0; i < r->n_values; i++) {
        if (strcmp(r->values[i].name, "edge") != 0) continue;
        if (p->n_edges == PLACES_EDGES) {
            return worker_refuse(c, LODE_UNSUPPORTED, "occurrences: more than %d edges",
                                 PLACES_EDGES);
        }
        if (graphs_parse_edge(r->values[i].text, p)) continue;
        return worker_refuse(c, LODE_INVALID,
                             "edge '%.60s': expected FROM TO LABEL, two vertices from 0 on",
                             r->values[i].text);
    }
    return p->n_vertices ? LODE_OK
                         : worker_refuse(c, LODE_INVALID, "occurrences: expected vertex=");
}

/* ---- occurrences ---------------------------------------------------------------------------- */

typedef struct occurrence_page {
    uint64_t skip, rows;
    uint64_t count; /* graphs that contain the pattern, so far */
    worker_text *json;
} occurrence_page;

static void graphs_add_places(const places_search *s, uint32_t n_places, uint32_t n_vertices,
                              worker_text *json) {
    worker_addf(json, ",\"places\":[");
    for (uint32_t i = 0; i < n_places; i++) {
        worker_addf(json, "%s[", i ? "," : "");
        for (uint32_t v = 0; v < n_vertices; v++) {
            worker_addf(json, "%s%u", v ? "," : "", places_vertex(s, i, v));
        }
        worker_addf(json, "]");
    }
    worker_addf(json, "]}");
}

/* Looks at one graph; those of the page are listed with their places. */
static bool graphs_look(places_search *s, uint32_t n_vertices, uint64_t index,
                        occurrence_page *page) {
    lode_graph g = LODE_INIT(lode_graph);
    bool gave_up, listed = page->count >= page->skip && page->count - page->skip < page->rows &&
                           !worker_is_full(page->json);
    lode_graphs_at(worker_open_data.graphs, index, &g);
    uint32_t n = places_find(s, &g, listed ? PLACES_MOST : 1, &gave_up);
    if (n > 0 && listed) {
        if (page->count > page->skip) worker_addf(page->json, ",");
        worker_add_graph(page->json, worker_open_data.graphs, index);
        graphs_add_places(s, n, n_vertices, page->json);
    }
    page->count += n > 0;
    return !gave_up;
}

static lode_status graphs_look_all(worker_call *c, const places_pattern *p, occurrence_page *page) {
    lode_graph_profile profile = cli_graph_profile(worker_open_data.graphs);
    places_search *s = places_create(p, &profile);
    lode_status status = s ? LODE_OK : LODE_NOMEM;
    for (uint64_t i = 0; status == LODE_OK && i < profile.n_graphs; i++) {
        if (!graphs_look(s, p->n_vertices, i, page)) {
            status =
                worker_refuse(c, LODE_UNSUPPORTED,
                              "occurrences: the pattern has too many occurrences in graph %llu",
                              (unsigned long long)i);
        }
        if (i % 64 == 0 && worker_lanes_cancelled(c)) status = LODE_CANCELLED;
    }
    places_free(s);
    return status;
}

static lode_status graphs_answer(worker_call *c, const places_pattern *p, occurrence_page *page,
                                 worker_text *json) {
    worker_text rows = {0};
    page->json = &rows;
    lode_status status = graphs_look_all(c, p, page);
    if (status == LODE_OK) {
        worker_addf(json, "{\"count\":%llu,\"graphs\":[", (unsigned long long)page->count);
        worker_add(json, rows.bytes, rows.n);
        worker_addf(json, "]}");
        json->lost |= rows.lost;
    }
    worker_text_free(&rows);
    return status;
}

lode_status worker_occurrences(worker_call *c, worker_text *json) {
    occurrence_page page = {.rows = 12};
    const worker_request *r = &c->request;
    worker_range skip = {"skip", 0, UINT64_MAX}, rows = {"rows", 0, OCCURRENCE_ROWS_MOST};
    lode_status status = graphs_needed(c);
    if (status != LODE_OK) return status;
    if (!worker_request_number(r, skip, &page.skip, c->message, sizeof c->message) ||
        !worker_request_number(r, rows, &page.rows, c->message, sizeof c->message)) {
        return LODE_INVALID;
    }
    places_pattern *p = calloc(1, sizeof *p);
    if (!p) return LODE_NOMEM;
    status = graphs_read_pattern(c, p);
    if (status == LODE_OK) status = graphs_answer(c, p, &page, json);
    free(p);
    return status;
}

/* ---- where a small graph occurs in another: for people who want to see it -------------------- */

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

static places_search *places_create(const places_pattern *pattern, const lode_graph_profile *data) {
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

static void places_free(places_search *s) {
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

static uint32_t places_find(places_search *s, const lode_graph *graph, uint32_t most,
                            bool *gave_up) {
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

static uint32_t places_vertex(const places_search *s, uint32_t i, uint32_t v) {
    return s->found[i][v];
}
