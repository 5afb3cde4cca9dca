/* graph_lines.c - see graph_lines.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/graph_lines.h"

#include <stdio.h>

#include "base/utf8.h"
#include "graphsink/smiles.h"

typedef struct lines_out {
    mem *mem;
    vec_char *text;
    const lode_graphs *data;
    vec_char name; /* scratch */
} lines_out;

static lode_status put(lines_out *o, const char *words) {
    return vec_char_append(o->mem, o->text, words, strlen(words));
}

static lode_status put_number(lines_out *o, const char *before, uint64_t number) {
    lode_status status = put(o, before);
    return status == LODE_OK ? graphs_put_number(o->mem, o->text, number) : status;
}

/* support / graphs as a decimal fraction of nine places, without closing zeros. */
static lode_status put_share(lines_out *o, uint64_t support) {
    char share[32];
    uint64_t n = o->data->n ? o->data->n : 1, billion = 1000000000;
    uint64_t scaled = (support * billion + n / 2) / n;
    int length = snprintf(share, sizeof share, "%u.%09u", (unsigned)(scaled / billion),
                          (unsigned)(scaled % billion));
    while (share[length - 1] == '0') share[--length] = 0;
    if (share[length - 1] == '.') share[--length] = 0;
    return put(o, share);
}

/* ---- gSpan text ----------------------------------------------------------------------------- */

static lode_status put_label(lines_out *o, const dict *names, uint32_t label) {
    size_t n;
    dict_name(names, label, &n);
    lode_status status = n > 0 ? put(o, " ") : LODE_OK;
    if (status == LODE_OK) status = graphs_put_name(o->mem, o->text, names, label);
    return status == LODE_OK ? put(o, "\n") : status;
}

static lode_status put_gspan_lists(lines_out *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    if (p->supporters) {
        LODE_TRY(put(o, "x"));
        for (uint64_t i = 0; i < p->support; i++) {
            LODE_TRY(put(o, " "));
            LODE_TRY(graphs_put_graph_name(o->mem, o->text, o->data, p->supporters[i]));
        }
        LODE_TRY(put(o, "\n"));
    }
    for (uint64_t k = 0; k < p->n_embeddings; k++) {
        LODE_TRY(put(o, "# in "));
        LODE_TRY(graphs_put_graph_name(o->mem, o->text, o->data, p->embedded_in[k]));
        LODE_TRY(put(o, ":"));
        for (uint32_t v = 0; v < p->graph->n_vertices; v++) {
            LODE_TRY(put(o, " "));
            uint32_t vertex = p->embeddings[k * p->graph->n_vertices + v];
            LODE_TRY(graphs_put_vertex_name(o->mem, o->text, o->data, p->embedded_in[k], vertex));
        }
        LODE_TRY(put(o, "\n"));
    }
done:
    return status;
}

static lode_status put_gspan(lines_out *o, uint64_t number, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    LODE_TRY(put_number(o, "t # ", number));
    LODE_TRY(put_number(o, " * ", p->support));
    LODE_TRY(put(o, "\n"));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(put_number(o, "v ", v));
        LODE_TRY(put_label(o, o->data->vertex_names, g->vertex_labels[v]));
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(put_number(o, "e ", g->from[e]));
        LODE_TRY(put_number(o, " ", g->to[e]));
        LODE_TRY(put_label(o, o->data->edge_names, g->edge_labels[e]));
    }
    LODE_TRY(put_gspan_lists(o, p));
done:
    return status;
}

/* ---- quoted names --------------------------------------------------------------------------- */

static lode_status put_json_text(lines_out *o, const char *text, size_t n) {
    return utf8_put_json(o->mem, o->text, text, n);
}

static lode_status put_json_name(lines_out *o, const dict *names, uint32_t id) {
    size_t n;
    const char *name = dict_name(names, id, &n);
    return put_json_text(o, name, n);
}

static lode_status put_csv_text(lines_out *o, const char *text, size_t n) {
    lode_status status = LODE_OK;
    bool quote = memchr(text, ',', n) || memchr(text, '"', n);
    if (!quote) return vec_char_append(o->mem, o->text, text, n);
    LODE_TRY(put(o, "\""));
    for (size_t i = 0; i < n; i++) {
        LODE_TRY(put(o, (char[]){text[i], 0}));
        if (text[i] == '"') LODE_TRY(put(o, "\""));
    }
    LODE_TRY(put(o, "\""));
done:
    return status;
}

/* ---- csv, json, dot ------------------------------------------------------------------------- */

static lode_status put_csv(lines_out *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    o->name.n = 0;
    LODE_TRY(smiles_put(o->mem, &o->name, o->data, p->graph));
    LODE_TRY(put_csv_text(o, o->name.data, o->name.n));
    LODE_TRY(put_number(o, ",", p->graph->n_edges));
    LODE_TRY(put_number(o, ",", p->graph->n_vertices));
    LODE_TRY(put_number(o, ",", p->support));
    LODE_TRY(put(o, ","));
    LODE_TRY(put_share(o, p->support));
    LODE_TRY(put(o, "\n"));
done:
    return status;
}

static lode_status put_json_graph_name(lines_out *o, uint32_t graph) {
    o->name.n = 0;
    lode_status status = graphs_put_graph_name(o->mem, &o->name, o->data, graph);
    return status == LODE_OK ? put_json_text(o, o->name.data, o->name.n) : status;
}

static lode_status put_json_lists(lines_out *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    if (p->supporters) {
        for (uint64_t i = 0; i < p->support; i++) {
            LODE_TRY(put(o, i ? "," : ",\"graphs\":["));
            LODE_TRY(put_json_graph_name(o, p->supporters[i]));
        }
        LODE_TRY(put(o, "]"));
    }
    if (!p->embeddings) goto done;
    for (uint64_t k = 0; k < p->n_embeddings; k++) {
        LODE_TRY(put(o, k ? ",{\"graph\":" : ",\"embeddings\":[{\"graph\":"));
        LODE_TRY(put_json_graph_name(o, p->embedded_in[k]));
        for (uint32_t v = 0; v < p->graph->n_vertices; v++) {
            uint32_t vertex = p->embeddings[k * p->graph->n_vertices + v];
            LODE_TRY(put(o, v ? "," : ",\"vertices\":["));
            o->name.n = 0;
            LODE_TRY(graphs_put_vertex_name(o->mem, &o->name, o->data, p->embedded_in[k], vertex));
            LODE_TRY(put_json_text(o, o->name.data, o->name.n));
        }
        LODE_TRY(put(o, "]}"));
    }
    LODE_TRY(put(o, "]"));
done:
    return status;
}

static lode_status put_jsonl(lines_out *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    o->name.n = 0;
    LODE_TRY(smiles_put(o->mem, &o->name, o->data, g));
    LODE_TRY(put(o, "{\"code\":"));
    LODE_TRY(put_json_text(o, o->name.data, o->name.n));
    LODE_TRY(put_number(o, ",\"count\":", p->support));
    LODE_TRY(put(o, ",\"support\":"));
    LODE_TRY(put_share(o, p->support));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(put(o, v ? "," : ",\"vertices\":["));
        LODE_TRY(put_json_name(o, o->data->vertex_names, g->vertex_labels[v]));
    }
    LODE_TRY(put(o, "],\"edges\":["));
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(put_number(o, e ? ",[" : "[", g->from[e]));
        LODE_TRY(put_number(o, ",", g->to[e]));
        LODE_TRY(put(o, ","));
        LODE_TRY(put_json_name(o, o->data->edge_names, g->edge_labels[e]));
        LODE_TRY(put(o, "]"));
    }
    LODE_TRY(put(o, "]"));
    LODE_TRY(put_json_lists(o, p));
    LODE_TRY(put(o, "}\n"));
done:
    return status;
}

static lode_status put_dot(lines_out *o, uint64_t number, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    bool directed = o->data->profile.directed;
    LODE_TRY(put_number(o, directed ? "digraph pattern" : "graph pattern", number));
    LODE_TRY(put_number(o, " {\n  label=\"in ", p->support));
    LODE_TRY(put_number(o, " of ", o->data->n));
    LODE_TRY(put(o, " graphs\";\n"));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(put_number(o, "  v", v));
        LODE_TRY(put(o, " [label="));
        LODE_TRY(put_json_name(o, o->data->vertex_names, g->vertex_labels[v]));
        LODE_TRY(put(o, "];\n"));
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(put_number(o, "  v", g->from[e]));
        LODE_TRY(put_number(o, directed ? " -> v" : " -- v", g->to[e]));
        LODE_TRY(put(o, " [label="));
        LODE_TRY(put_json_name(o, o->data->edge_names, g->edge_labels[e]));
        LODE_TRY(put(o, "];\n"));
    }
    LODE_TRY(put(o, "}\n"));
done:
    return status;
}

const char *graph_lines_title(lode_graph_write_format format) {
    return format == LODE_GRAPH_WRITE_CSV ? "code,edges,vertices,count,support\n" : "";
}

lode_status graph_lines_put(mem *m, vec_char *text, const lode_graphs *data,
                            lode_graph_write_format format, uint64_t number,
                            const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    lines_out o = {.mem = m, .text = text, .data = data};
    switch (format) {
    case LODE_GRAPH_WRITE_GSPAN: status = put_gspan(&o, number, p); break;
    case LODE_GRAPH_WRITE_CSV: status = put_csv(&o, p); break;
    case LODE_GRAPH_WRITE_JSONL: status = put_jsonl(&o, p); break;
    case LODE_GRAPH_WRITE_DOT: status = put_dot(&o, number, p); break;
    }
    vec_char_free(m, &o.name);
    return status;
}
