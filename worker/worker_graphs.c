/* worker_graphs.c - short questions about graphs: one of them, and where a pattern occurs
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"
#include "worker_places.h"

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
        return worker_refuse(c, LODE_NOTFOUND, "graph: there are %llu, counted from 0",
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
            status = worker_refuse(c, LODE_UNSUPPORTED,
                                   "occurrences: the pattern fits graph %llu in too many ways",
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
