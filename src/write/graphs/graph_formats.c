/* graph_formats.c - graph patterns as text: gSpan, JSON lines, csv, Graphviz and SMARTS
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include "write/core/digits.h"
#include "write/core/smarts.h"
#include "write/graphs/graph_text.h"

/* ---- graph patterns as gSpan text: t # n * support, then v, e and x lines -------------------- */

#define GSPAN_LINE                                                                                 \
    64 /* bytes of a line without its label, with what digits_put() needs beyond it */

/* Room for a line with a label; its name is lent. */
static inline lode_status gspan_line(graph_text *o, const dict *names, uint32_t label,
                                     const char **name, size_t *n) {
    *name = dict_name(names, label, n);
    return vec_char_reserve(o->mem, &o->text, GSPAN_LINE + *n);
}

/* The label, which may have no name, and the end of the line. */
static inline char *gspan_put_label(char *to, const char *name, size_t n) {
    if (n > 0) *to++ = ' ';
    if (n == 1) *to = *name;
    if (n > 1) memcpy(to, name, n);
    to += n;
    *to++ = '\n';
    return to;
}

static lode_status gspan_put_vertex(graph_text *o, uint32_t v, uint32_t label) {
    const char *name;
    size_t n;
    lode_status status = gspan_line(o, o->data->vertex_names, label, &name, &n);
    if (status != LODE_OK) return status;
    char *to = o->text.data + o->text.n;
    memcpy(to, "v ", 2);
    to = gspan_put_label(digits_put(to + 2, v), name, n);
    o->text.n = (size_t)(to - o->text.data);
    return LODE_OK;
}

static lode_status gspan_put_edge(graph_text *o, uint32_t from, uint32_t to_vertex,
                                  uint32_t label) {
    const char *name;
    size_t n;
    lode_status status = gspan_line(o, o->data->edge_names, label, &name, &n);
    if (status != LODE_OK) return status;
    char *to = o->text.data + o->text.n;
    memcpy(to, "e ", 2);
    to = digits_put(to + 2, from);
    *to++ = ' ';
    to = gspan_put_label(digits_put(to, to_vertex), name, n);
    o->text.n = (size_t)(to - o->text.data);
    return LODE_OK;
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
    LODE_TRY(graph_classes_put_line(o, p));
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        LODE_TRY(gspan_put_vertex(o, v, g->vertex_labels[v]));
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        LODE_TRY(gspan_put_edge(o, g->from[e], g->to[e], g->edge_labels[e]));
    }
    LODE_TRY(gspan_put_lists(o, p));
done:
    return status;
}

const graph_format graph_format_gspan = {.title = "", .put = gspan_put};

/* ---- graph patterns as lines of JSON --------------------------------------------------------- */

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
    LODE_TRY(graph_classes_put_json(o, p));
    LODE_TRY(jsonl_put_lists(o, p));
    LODE_TRY(graph_text_put(o, "}\n"));
done:
    return status;
}

const graph_format graph_format_jsonl = {.title = "", .put = graph_jsonl_put};

/* ---- graph patterns as csv: a line each, with the pattern in the manner of SMILES ------------ */

static lode_status graph_csv_put(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const char comma[] = {o->csv.comma, 0};
    LODE_TRY(graph_text_code(o, p->graph));
    if (o->utf8) LODE_TRY(utf8_convert(o->mem, &o->name));
    bool quote =
        memchr(o->name.data, o->csv.comma, o->name.n) || memchr(o->name.data, '"', o->name.n);
    LODE_TRY(quote ? utf8_put_quoted(o->mem, &o->text, o->name.data, o->name.n)
                   : vec_char_append(o->mem, &o->text, o->name.data, o->name.n));
    LODE_TRY(graph_text_number(o, comma, p->graph->n_edges));
    LODE_TRY(graph_text_number(o, comma, p->graph->n_vertices));
    LODE_TRY(graph_text_number(o, comma, p->support));
    LODE_TRY(graph_text_put(o, comma));
    size_t share = o->text.n;
    LODE_TRY(graph_text_share(o, p->support));
    csv_set_point(&o->csv, o->text.data + share, o->text.data + o->text.n);
    LODE_TRY(graph_classes_put_cells(o, p, o->csv.comma));
    LODE_TRY(graph_text_put(o, "\n"));
done:
    return status;
}

const graph_format graph_format_csv = {
    .title = "code,edges,vertices,count,support\n",
    .csv = true,
    .put = graph_csv_put,
};

/* ---- graph patterns for Graphviz ------------------------------------------------------------- */

static lode_status dot_put(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    bool directed = o->data->profile.directed;
    LODE_TRY(graph_text_place(o, directed ? "digraph pattern" : "graph pattern"));
    LODE_TRY(graph_text_number(o, " {\n  label=\"in ", p->support));
    LODE_TRY(graph_text_number(o, " of ", o->data->n));
    LODE_TRY(graph_text_put(o, " graphs\";\n"));
    LODE_TRY(graph_classes_put_line(o, p));
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

/* ---- graph patterns as SMARTS: a line each, with the support after a tab -------------------- */

static lode_status smarts_check_names(lode_job *job, const dict *names, bool edges) {
    for (uint32_t id = 0; id < dict_count(names); id++) {
        size_t n;
        const char *name = dict_name(names, id, &n);
        if (edges ? smarts_has_bond(name, n) : smarts_has_atom(name, n)) continue;
        return job_fail(
            job, LODE_INVALID,
            "--write smarts: the %s label '%.*s' is not %s; --labels atomic gives names "
            "to numbers, and --labels '%s %.*s NAME' to any label",
            edges ? "edge" : "vertex", (int)(n < 40 ? n : 40), name,
            edges ? "a bond (single, double, triple, quadruple or aromatic)" : "an element symbol",
            edges ? "e" : "v", (int)(n < 40 ? n : 40), name);
    }
    return LODE_OK;
}

static lode_status smarts_check(lode_job *job, const lode_graphs *data) {
    if (data->profile.directed) {
        return job_fail(job, LODE_INVALID,
                        "--write smarts: SMARTS have no directed edges; use gspan, csv or jsonl");
    }
    lode_status status = smarts_check_names(job, data->vertex_names, false);
    return status == LODE_OK ? smarts_check_names(job, data->edge_names, true) : status;
}

static lode_status smarts_put_pattern(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    smarts_text bad;
    LODE_TRY(graph_text_code(o, p->graph));
    LODE_TRY(smarts_put(o->mem, &o->text, (smarts_text){o->name.data, o->name.n}, &bad));
    LODE_TRY(graph_text_number(o, "\t", p->support));
    LODE_TRY(graph_classes_put_cells(o, p, '\t'));
    LODE_TRY(graph_text_put(o, "\n"));
done:
    return status;
}

const graph_format graph_format_smarts = {
    .title = "",
    .check = smarts_check,
    .put = smarts_put_pattern,
};
