/* graph_file.c - graph patterns as text, numbered in the order in which they are written
 *
 * All workers write into one block under the lock; formatting is little work compared with finding.
 * The first patterns are held back, so that a short result comes sorted (sink/held.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/graph_columns.h"
#include "graphsink/graph_sink.h"
#include "graphsink/graph_text.h"
#include "runtime/valid.h"
#include "sink/sink_text.h"

typedef struct graph_file {
    text_sink base;
    const graph_format *format;
    void *own;         /* of the writer, if the format is no text; under the lock, as … */
    graph_text writer; /* … this, which writes into the block, and the next */
    vec_char block;
    uint64_t number;    /* patterns written */
    graph_columns held; /* patterns that are held back */
} graph_file;

static lode_status graph_file_write(graph_file *sink, const lode_graph_pattern *p) {
    const graph_writer *writer = sink->format->writer;
    size_t before = sink->block.n;
    if (writer) return writer->write(&sink->base, sink->own, p);
    lode_status status = sink->format->put(&sink->writer, sink->number, p);
    if (status != LODE_OK) {
        sink->block.n = before; /* no half pattern */
        return status;
    }
    sink->number++;
    if (sink->block.n < TEXT_BLOCK_BYTES) return LODE_OK;
    status = text_put_locked(&sink->base, sink->block.data, sink->block.n);
    sink->block.n = 0;
    return status;
}

/* Writes what is held, in whatever order it has. */
static lode_status graph_file_let_go(graph_file *sink) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < sink->held.supports.n && status == LODE_OK; i++) {
        lode_graph graph;
        lode_graph_pattern p = graph_columns_at(&sink->held, i, &graph);
        status = graph_file_write(sink, &p);
    }
    graph_columns_free(&sink->base.base.job->mem, &sink->held);
    return status;
}

/* Holds a pattern back, if there is room for it. */
static lode_status graph_file_hold(graph_file *sink, const lode_graph_pattern *p, bool *is_held) {
    lode_status status = LODE_OK;
    held *h = &sink->base.held;
    *is_held = held_take(h, 1, graph_columns_pattern_bytes(p));
    if (*is_held) status = graph_columns_append(&sink->base.base.job->mem, &sink->held, p);
    if (held_is_short(status)) *is_held = false;
    if (*is_held) return status;
    held_let_flow(h);
    return graph_file_let_go(sink);
}

static lode_status graph_file_emit(sink_worker *worker, const lode_graph_pattern *p) {
    graph_file *sink = (graph_file *)worker->sink;
    lode_status status = LODE_OK;
    bool is_held = false;
    pthread_mutex_lock(&worker->sink->lock);
    if (!held_flows(&sink->base.held)) status = graph_file_hold(sink, p, &is_held);
    if (status == LODE_OK && !is_held) status = graph_file_write(sink, p);
    pthread_mutex_unlock(&worker->sink->lock);
    return status;
}

static lode_status graph_file_finish(lode_sink *base, bool partial) {
    lode_status status = LODE_OK;
    graph_file *sink = (graph_file *)base;
    const graph_writer *writer = sink->format->writer;
    bool flows = held_flows(&sink->base.held);
    status = graph_columns_sort(&base->job->mem, &sink->held, NULL);
    bool sorted = status == LODE_OK && !flows;
    if (!held_is_short(status)) LODE_TRY(status); /* else they are written in no order */
    LODE_TRY(graph_file_let_go(sink));
    LODE_TRY(text_flush(&sink->base, &sink->block));
    const char *order = sorted ? "support" : NULL;
    if (writer) LODE_TRY(writer->end(&sink->base, sink->own, partial, order));
    LODE_TRY(text_end(&sink->base, partial));
done:
    return status;
}

static void graph_file_free(lode_sink *base) {
    graph_file *sink = (graph_file *)base;
    mem *m = &base->job->mem;
    const graph_writer *writer = sink->own ? sink->format->writer : NULL;
    if (writer) writer->free(&sink->base, sink->own);
    if (writer) mem_free(m, sink->own, writer->bytes);
    text_free(&sink->base);
    graph_columns_free(m, &sink->held);
    vec_char_free(m, &sink->writer.name);
    vec_char_free(m, &sink->block);
}

static const graph_ops file_graphs = {
    .worker_bytes = sizeof(graph_worker),
    .emit = graph_file_emit,
};

static const sink_kind graph_file_kind = {
    .bytes = sizeof(graph_file),
    .graphs = &file_graphs,
    .finish = graph_file_finish,
    .free = graph_file_free,
};

static lode_status graph_file_create(lode_job *job, lode_sink **out, const lode_graphs *data,
                                     const text_target *to,
                                     const lode_graph_write_options *options) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    lode_graph_write_options o;
    LODE_TRY(valid_take(job, VALID_GRAPH_WRITE, options, &o));
    LODE_TRY(valid_choice(job, "format", o.format, N_GRAPH_FORMATS));
    const graph_format *format = graph_formats[o.format];
    if (o.bom && !format->csv) return job_fail(job, LODE_INVALID, "--bom is for csv only");
    LODE_TRY(sink_create(job, &graph_file_kind, &base));
    graph_file *sink = (graph_file *)base;
    base->data = data;
    sink->format = format;
    sink->writer = (graph_text){.mem = &job->mem, .text = &sink->block, .data = data};
    LODE_TRY(text_open(&sink->base, to, o.unsorted));
    if (format->writer) LODE_TRY(mem_zalloc(&job->mem, &sink->own, format->writer->bytes));
    if (!format->writer) LODE_TRY(text_title(&sink->base, o.bom, format->title));
    *out = base;
    base = NULL;
done:
    lode_sink_free(base);
    return text_opened(job, status);
}

lode_status lode_graph_sink_file(lode_job *job, lode_sink **out, const lode_graphs *data,
                                 const char *path, const lode_graph_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(path));
    return graph_file_create(job, out, data, &(text_target){.path = path}, options);
}

lode_status lode_graph_sink_write(lode_job *job, lode_sink **out, const lode_graphs *data,
                                  lode_write_fn write, void *user,
                                  const lode_graph_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(write));
    return graph_file_create(job, out, data, &(text_target){.write = write, .user = user}, options);
}
