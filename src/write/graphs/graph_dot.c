/* graph_dot.c - graph patterns for Graphviz
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/graph_text.h"

static lode_status dot_put(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    bool directed = o->data->profile.directed;
    LODE_TRY(graph_text_place(o, directed ? "digraph pattern" : "graph pattern"));
    LODE_TRY(graph_text_number(o, " {\n  label=\"in ", p->support));
    LODE_TRY(graph_text_number(o, " of ", o->data->n));
    LODE_TRY(graph_text_put(o, " graphs\";\n"));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(graph_text_number(o, "  v", v));
        LODE_TRY(graph_text_put(o, " [label="));
        LODE_TRY(graph_text_json_name(o, o->data->vertex_names, g->vertex_labels[v]));
        LODE_TRY(graph_text_put(o, "];\n"));
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(graph_text_number(o, "  v", g->from[e]));
        LODE_TRY(graph_text_number(o, directed ? " -> v" : " -- v", g->to[e]));
        LODE_TRY(graph_text_put(o, " [label="));
        LODE_TRY(graph_text_json_name(o, o->data->edge_names, g->edge_labels[e]));
        LODE_TRY(graph_text_put(o, "];\n"));
    }
    LODE_TRY(graph_text_put(o, "}\n"));
done:
    return status;
}

const graph_format graph_format_dot = {.title = "", .put = dot_put};
