/* graph_gspan.c - graph patterns as gSpan text: t # n * support, then v, e and x lines
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/graph_text.h"

static lode_status gspan_put_label(graph_text *o, const dict *names, uint32_t label) {
    size_t n;
    dict_name(names, label, &n);
    lode_status status = n > 0 ? graph_text_put(o, " ") : LODE_OK;
    if (status == LODE_OK) status = graphs_put_name(o->mem, &o->text, names, label);
    return status == LODE_OK ? graph_text_put(o, "\n") : status;
}

static lode_status gspan_put_lists(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    if (p->supporters) {
        LODE_TRY(graph_text_put(o, "x"));
        for (uint64_t i = 0; i < p->support; i++) {
            LODE_TRY(graph_text_put(o, " "));
            LODE_TRY(graphs_put_graph_name(o->mem, &o->text, o->data, p->supporters[i]));
        }
        LODE_TRY(graph_text_put(o, "\n"));
    }
    for (uint64_t k = 0; k < p->n_embeddings; k++) {
        LODE_TRY(graph_text_put(o, "# in "));
        LODE_TRY(graphs_put_graph_name(o->mem, &o->text, o->data, p->embedded_in[k]));
        LODE_TRY(graph_text_put(o, ":"));
        for (uint32_t v = 0; v < p->graph->n_vertices; v++) {
            LODE_TRY(graph_text_put(o, " "));
            uint32_t vertex = p->embeddings[k * p->graph->n_vertices + v];
            LODE_TRY(graphs_put_vertex_name(o->mem, &o->text, o->data, p->embedded_in[k], vertex));
        }
        LODE_TRY(graph_text_put(o, "\n"));
    }
done:
    return status;
}

static lode_status gspan_put(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    LODE_TRY(graph_text_place(o, "t # "));
    LODE_TRY(graph_text_number(o, " * ", p->support));
    LODE_TRY(graph_text_put(o, "\n"));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(graph_text_number(o, "v ", v));
        LODE_TRY(gspan_put_label(o, o->data->vertex_names, g->vertex_labels[v]));
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(graph_text_number(o, "e ", g->from[e]));
        LODE_TRY(graph_text_number(o, " ", g->to[e]));
        LODE_TRY(gspan_put_label(o, o->data->edge_names, g->edge_labels[e]));
    }
    LODE_TRY(gspan_put_lists(o, p));
done:
    return status;
}

const graph_format graph_format_gspan = {.title = "", .put = gspan_put};
