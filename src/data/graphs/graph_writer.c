/* graph_writer.c - a data set of graphs as gSpan text, with the ids and labels it was read with
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"
#include "data/graphs/graphs.h"
#include "runtime/valid.h"

#define WRITER_BLOCK ((size_t)256 << 10)

static lode_status graph_text_put(vec_char *text, mem *m, const char *words) {
    return vec_char_append(m, text, words, strlen(words));
}

/* Ends a line with a blank and a label, or with neither if the label is empty. */
static lode_status graph_text_label(vec_char *text, mem *m, const dict *names, uint32_t label) {
    size_t n;
    dict_name(names, label, &n);
    if (n == 0) return graph_text_put(text, m, "\n");
    lode_status status = graph_text_put(text, m, " ");
    if (status == LODE_OK) status = graphs_put_name(m, text, names, label);
    return status == LODE_OK ? graph_text_put(text, m, "\n") : status;
}

static lode_status graph_text_graph(mem *m, vec_char *text, const lode_graphs *g, uint64_t i) {
    lode_status status = LODE_OK;
    lode_graph one = graphs_at(g, i);
    LODE_TRY(graph_text_put(text, m, "t # "));
    LODE_TRY(graphs_put_graph_name(m, text, g, i));
    if (lode_graphs_given_support(g, i) > 0) {
        LODE_TRY(graph_text_put(text, m, " * "));
        LODE_TRY(graphs_put_number(m, text, lode_graphs_given_support(g, i)));
    }
    LODE_TRY(graph_text_put(text, m, "\n"));
    for (uint32_t v = 0; v < one.n_vertices; v++) {
        LODE_TRY(graph_text_put(text, m, "v "));
        LODE_TRY(graphs_put_vertex_name(m, text, g, i, v));
        LODE_TRY(graph_text_label(text, m, g->vertex_names, one.vertex_labels[v]));
    }
    for (uint32_t e = 0; e < one.n_edges; e++) {
        LODE_TRY(graph_text_put(text, m, "e "));
        LODE_TRY(graphs_put_vertex_name(m, text, g, i, one.from[e]));
        LODE_TRY(graph_text_put(text, m, " "));
        LODE_TRY(graphs_put_vertex_name(m, text, g, i, one.to[e]));
        LODE_TRY(graph_text_label(text, m, g->edge_names, one.edge_labels[e]));
    }
done:
    return status;
}

lode_status lode_graphs_write(lode_job *job, const lode_graphs *data, const char *path) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    outfile file = OUTFILE_INIT;
    vec_char text = {0};
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(path));
    LODE_TRY(lease_enter(job, 1, &call));
    job_begin_phase(job, "write");
    LODE_TRY(outfile_open(&file, &job->mem, path, OUTFILE_FOLLOW));
    for (uint32_t i = 0; i < data->n; i++) {
        LODE_TRY(graph_text_graph(&job->mem, &text, data, i));
        if (text.n < WRITER_BLOCK && i + 1 < data->n) continue;
        LODE_TRY(job_tick(job, i + 1, data->n));
        LODE_TRY(outfile_write(&file, text.data, text.n));
        text.n = 0;
    }
    LODE_TRY(outfile_commit(&file, NULL));
done:
    outfile_discard(&file);
    vec_char_free(&job->mem, &text);
    if (status == LODE_IO)
        job_fail(job, status, "cannot write '%s': %s%s", path, strerror(file.error),
                 outfile_remedy(file.error));
    lease_leave(&call);
    return job_explain(job, status, "writing the data");
}
