/* graph_jsonl.c - graph patterns as lines of JSON
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/graph_text.h"

static lode_status jsonl_put_graph_name(graph_text *o, uint32_t graph) {
    o->name.n = 0;
    lode_status status = graphs_put_graph_name(o->mem, &o->name, o->data, graph);
    return status == LODE_OK ? graph_text_json(o, o->name.data, o->name.n) : status;
}

static lode_status jsonl_put_lists(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    if (p->supporters) {
        for (uint64_t i = 0; i < p->support; i++) {
            LODE_TRY(graph_text_put(o, i ? "," : ",\"graphs\":["));
            LODE_TRY(jsonl_put_graph_name(o, p->supporters[i]));
        }
        LODE_TRY(graph_text_put(o, "]"));
    }
    if (!p->embeddings) goto done;
    for (uint64_t k = 0; k < p->n_embeddings; k++) {
        LODE_TRY(graph_text_put(o, k ? ",{\"graph\":" : ",\"embeddings\":[{\"graph\":"));
        LODE_TRY(jsonl_put_graph_name(o, p->embedded_in[k]));
        for (uint32_t v = 0; v < p->graph->n_vertices; v++) {
            uint32_t vertex = p->embeddings[k * p->graph->n_vertices + v];
            LODE_TRY(graph_text_put(o, v ? "," : ",\"vertices\":["));
            o->name.n = 0;
            LODE_TRY(graphs_put_vertex_name(o->mem, &o->name, o->data, p->embedded_in[k], vertex));
            LODE_TRY(graph_text_json(o, o->name.data, o->name.n));
        }
        LODE_TRY(graph_text_put(o, "]}"));
    }
    LODE_TRY(graph_text_put(o, "]"));
done:
    return status;
}

static lode_status graph_jsonl_put(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    LODE_TRY(graph_text_code(o, g));
    LODE_TRY(graph_text_put(o, "{\"code\":"));
    LODE_TRY(graph_text_json(o, o->name.data, o->name.n));
    LODE_TRY(graph_text_number(o, ",\"count\":", p->support));
    LODE_TRY(graph_text_put(o, ",\"support\":"));
    LODE_TRY(graph_text_share(o, p->support));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(graph_text_put(o, v ? "," : ",\"vertices\":["));
        LODE_TRY(graph_text_json_name(o, o->data->vertex_names, g->vertex_labels[v]));
    }
    LODE_TRY(graph_text_put(o, "],\"edges\":["));
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(graph_text_number(o, e ? ",[" : "[", g->from[e]));
        LODE_TRY(graph_text_number(o, ",", g->to[e]));
        LODE_TRY(graph_text_put(o, ","));
        LODE_TRY(graph_text_json_name(o, o->data->edge_names, g->edge_labels[e]));
        LODE_TRY(graph_text_put(o, "]"));
    }
    LODE_TRY(graph_text_put(o, "]"));
    LODE_TRY(jsonl_put_lists(o, p));
    LODE_TRY(graph_text_put(o, "}\n"));
done:
    return status;
}

const graph_format graph_format_jsonl = {.title = "", .put = graph_jsonl_put};
