/* graph_arrow.c - graph patterns as an Arrow file, as .xlsx or as Parquet
 *
 *     code             the pattern on one line, as in csv
 *     vertices, edges  numbers of vertices and edges
 *     labels           labels of the vertices
 *     edge_labels, from, to   the edges
 *     count, support
 *     graphs           the graphs that contain it, if requested
 *     embedded_in, embeddings   its occurrences, if requested
 *
 * A spreadsheet has only the code and the numbers.
 * The optional columns are known only when the first pattern comes, so writing begins then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/item_order.h"
#include "results/arrow/arrow_rows.h"
#include "write/core/sink_arrow.h"
#include "write/graphs/graph_text.h"

enum {
    GRAPH_CODE,
    GRAPH_VERTICES,
    GRAPH_EDGES,
    GRAPH_LABELS,
    GRAPH_EDGE_LABELS,
    GRAPH_FROM,
    GRAPH_TO,
    GRAPH_COUNT,
    GRAPH_SUPPORT,
    N_GRAPH_ARROW /* and then those that are asked for */
};

typedef struct graph_arrow {
    bool begun;
    arrow_form form;
    arrow_column columns[N_GRAPH_ARROW + 3];
    uint32_t n_columns;
    uint32_t graphs, embedded_in; /* columns; 0: not asked for */
    arrow_feed feed;
    graph_text text; /* makes the code, in its scratch */
    vec_char code;
} graph_arrow;

/* ---- the beginning -------------------------------------------------------------------------- */

static const arrow_column graph_arrow_columns[N_GRAPH_ARROW] = {
    [GRAPH_CODE] = {"code", ARROW_TEXT, 0},
    [GRAPH_VERTICES] = {"vertices", ARROW_U32, 0},
    [GRAPH_EDGES] = {"edges", ARROW_U32, 0},
    [GRAPH_LABELS] = {"labels", ARROW_NAMES, 0},
    [GRAPH_EDGE_LABELS] = {"edge_labels", ARROW_NAMES, 1},
    [GRAPH_FROM] = {"from", ARROW_LIST, 0},
    [GRAPH_TO] = {"to", ARROW_LIST, 0},
    [GRAPH_COUNT] = {"count", ARROW_U64, 0},
    [GRAPH_SUPPORT] = {"support", ARROW_F64, 0},
};

static uint32_t graph_arrow_add_list(graph_arrow *a, const char *name) {
    a->columns[a->n_columns] = (arrow_column){name, ARROW_LIST, 0};
    return a->n_columns++;
}

/* Which columns; `p` is the first pattern, or NULL: there is none. */
static void graph_arrow_choose(graph_arrow *a, const lode_graph_pattern *p) {
    memcpy(a->columns, graph_arrow_columns, sizeof graph_arrow_columns);
    a->n_columns = N_GRAPH_ARROW;
    if (p && p->supporters) a->graphs = graph_arrow_add_list(a, "graphs");
    if (!p || !p->embeddings) return;
    a->embedded_in = graph_arrow_add_list(a, "embedded_in");
    graph_arrow_add_list(a, "embeddings");
}

static arrow_dictionary graph_arrow_names(const codes *c) {
    return (arrow_dictionary){c->n, c->offsets.data, c->text.data};
}

static lode_status graph_arrow_begin(text_sink *sink, graph_arrow *a, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    lode_job *job = sink->base.job;
    const lode_graphs *data = sink->base.data;
    codes vertices = {0}, edges = {0};
    sink_keys keys;
    sink_keys_first(&keys, "graphs");
    graph_arrow_choose(a, p);
    a->text = (graph_text){.mem = &job->mem, .data = data};
    LODE_TRY(codes_of_names(&vertices, &job->mem, data->vertex_names));
    LODE_TRY(codes_of_names(&edges, &job->mem, data->edge_names));
    const arrow_dictionary names[] = {graph_arrow_names(&vertices), graph_arrow_names(&edges)};
    arrow_table table = {a->columns, a->n_columns, names, 2, keys.keys, SINK_KEYS_FIRST, a->form};
    a->begun = true;
    LODE_TRY(arrow_feed_begin(&a->feed, job, &sink->out, &table));
done:
    codes_free(&vertices);
    codes_free(&edges);
    return status;
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* The code as UTF-8. */
static lode_status graph_arrow_put_code(graph_arrow *a, const lode_graph *g) {
    lode_status status = LODE_OK;
    a->code.n = 0;
    LODE_TRY(graph_text_code(&a->text, g));
    LODE_TRY(codes_put_text(a->text.mem, &a->code, a->text.name.data, a->text.name.n));
    LODE_TRY(arrow_rows_list(&a->feed.rest, GRAPH_CODE, a->code.data, a->code.n));
done:
    return status;
}

static lode_status graph_arrow_put_places(graph_arrow *a, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    arrow_rows *r = &a->feed.rest;
    uint64_t n = p->embeddings ? p->n_embeddings : 0;
    if (a->graphs) {
        LODE_TRY(arrow_rows_list(r, a->graphs, p->supporters, p->supporters ? p->support : 0));
    }
    if (!a->embedded_in) goto done;
    LODE_TRY(arrow_rows_list(r, a->embedded_in, p->embedded_in, n));
    LODE_TRY(arrow_rows_list(r, a->embedded_in + 1, p->embeddings, n * p->graph->n_vertices));
done:
    return status;
}

static lode_status graph_arrow_put(const text_sink *sink, graph_arrow *a,
                                   const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    arrow_rows *r = &a->feed.rest;
    double total = (double)((const lode_graphs *)sink->base.data)->n;
    LODE_TRY(graph_arrow_put_code(a, g));
    LODE_TRY(arrow_rows_u32(r, GRAPH_VERTICES, g->n_vertices));
    LODE_TRY(arrow_rows_u32(r, GRAPH_EDGES, g->n_edges));
    LODE_TRY(arrow_rows_list(r, GRAPH_LABELS, g->vertex_labels, g->n_vertices));
    LODE_TRY(arrow_rows_list(r, GRAPH_EDGE_LABELS, g->edge_labels, g->n_edges));
    LODE_TRY(arrow_rows_list(r, GRAPH_FROM, g->from, g->n_edges));
    LODE_TRY(arrow_rows_list(r, GRAPH_TO, g->to, g->n_edges));
    LODE_TRY(arrow_rows_u64(r, GRAPH_COUNT, p->support));
    LODE_TRY(arrow_rows_f64(r, GRAPH_SUPPORT, (double)p->support / total));
    LODE_TRY(graph_arrow_put_places(a, p));
    arrow_rows_next(r);
done:
    return status;
}

static lode_status graph_arrow_write(text_sink *sink, void *own, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    graph_arrow *a = own;
    if (!a->begun) LODE_TRY(graph_arrow_begin(sink, a, p));
    status = graph_arrow_put(sink, a, p);
    if (status != LODE_OK) arrow_rows_cut(&a->feed.rest); /* no half pattern */
    if (status == LODE_UNSUPPORTED) {
        job_fail(sink->base.job, status, "a pattern has too many occurrences for an Arrow file");
    }
    if (status == LODE_OK && arrow_feed_is_full(&a->feed, &a->feed.rest)) {
        status = arrow_feed_write(&a->feed, &a->feed.rest);
    }
    atomic_store(&sink->base.bytes, sink->out.bytes);
done:
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

static lode_status graph_sheet_write(text_sink *sink, void *own, const lode_graph_pattern *p) {
    ((graph_arrow *)own)->form = ARROW_SHEET;
    return graph_arrow_write(sink, own, p);
}

static lode_status graph_arrow_end(text_sink *sink, void *own, bool partial, const char *order) {
    lode_status status = LODE_OK;
    graph_arrow *a = own;
    sink_keys keys;
    uint64_t total = ((const lode_graphs *)sink->base.data)->n;
    sink_keys_last(&keys, &sink->base, total, partial, order);
    if (!a->begun) LODE_TRY(graph_arrow_begin(sink, a, NULL));
    LODE_TRY(arrow_feed_end(&a->feed, keys.keys, SINK_KEYS_LAST));
    atomic_store(&sink->base.bytes, sink->out.bytes);
done:
    return status;
}

static lode_status graph_sheet_end(text_sink *sink, void *own, bool partial, const char *order) {
    ((graph_arrow *)own)->form = ARROW_SHEET;
    return graph_arrow_end(sink, own, partial, order);
}

static lode_status graph_parquet_write(text_sink *sink, void *own, const lode_graph_pattern *p) {
    ((graph_arrow *)own)->form = ARROW_PARQUET;
    return graph_arrow_write(sink, own, p);
}

static lode_status graph_parquet_end(text_sink *sink, void *own, bool partial, const char *order) {
    ((graph_arrow *)own)->form = ARROW_PARQUET;
    return graph_arrow_end(sink, own, partial, order);
}

static void graph_arrow_free(text_sink *sink, void *own) {
    graph_arrow *a = own;
    mem *m = &sink->base.job->mem;
    arrow_feed_free(&a->feed);
    vec_char_free(m, &a->text.name);
    vec_char_free(m, &a->code);
}

static const graph_writer graph_writer_arrow = {
    .bytes = sizeof(graph_arrow),
    .write = graph_arrow_write,
    .end = graph_arrow_end,
    .free = graph_arrow_free,
};

const graph_format graph_format_arrow = {.writer = &graph_writer_arrow, .title = ""};

static const graph_writer graph_writer_sheet = {
    .bytes = sizeof(graph_arrow),
    .write = graph_sheet_write,
    .end = graph_sheet_end,
    .free = graph_arrow_free,
};

const graph_format graph_format_xlsx = {.writer = &graph_writer_sheet, .title = ""};

static const graph_writer graph_writer_parquet = {
    .bytes = sizeof(graph_arrow),
    .write = graph_parquet_write,
    .end = graph_parquet_end,
    .free = graph_arrow_free,
};

const graph_format graph_format_parquet = {.writer = &graph_writer_parquet, .title = ""};
