/* graph_file.c - patterns as text in a file, numbered in the order in which they are written
 *
 * All workers write into one block under the lock; formatting is little work beside finding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"
#include "graphsink/graph_lines.h"
#include "graphsink/graph_sink.h"
#include "runtime/valid.h"

#define FILE_BLOCK ((size_t)128 << 10)

typedef struct file_sink {
    lode_graph_sink base;
    lode_graph_write_format format;
    outfile out;
    vec_char block;
    uint64_t number;
    char *path;
    size_t path_bytes;
} file_sink;

static lode_status file_error(file_sink *sink, lode_status status) {
    if (status != LODE_IO) return status;
    const char *path = strcmp(sink->path, "-") == 0 ? "standard output" : sink->path;
    return ctx_fail(sink->base.ctx, status, "cannot write '%s': %s", path,
                    strerror(sink->out.error));
}

static lode_status file_flush(file_sink *sink) {
    lode_status status = outfile_write(&sink->out, sink->block.data, sink->block.n);
    sink->block.n = 0;
    return file_error(sink, status);
}

static lode_status file_emit(graph_sink_worker *worker, const lode_graph_pattern *p) {
    file_sink *sink = (file_sink *)worker->sink;
    mem *m = &sink->base.ctx->mem;
    pthread_mutex_lock(&sink->base.lock);
    size_t before = sink->block.n;
    lode_status status =
        graph_lines_put(m, &sink->block, sink->base.data, sink->format, sink->number, p);
    if (status == LODE_OK) {
        sink->number++;
    } else {
        sink->block.n = before; /* no half pattern */
    }
    if (status == LODE_OK && sink->block.n >= FILE_BLOCK) status = file_flush(sink);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status file_finish(lode_graph_sink *base, bool partial) {
    file_sink *sink = (file_sink *)base;
    lode_status status = file_flush(sink);
    if (status != LODE_OK) return status;
    return file_error(sink, outfile_commit(&sink->out, partial ? ".partial" : NULL));
}

static void file_free(lode_graph_sink *base) {
    file_sink *sink = (file_sink *)base;
    mem *m = &base->ctx->mem;
    outfile_discard(&sink->out);
    vec_char_free(m, &sink->block);
    mem_free(m, sink->path, sink->path_bytes);
}

static const graph_sink_kind file_kind = {
    .worker_bytes = sizeof(graph_sink_worker),
    .emit = file_emit,
    .finish = file_finish,
    .free = file_free,
    .bytes = sizeof(file_sink),
};

lode_status lode_graph_sink_file(lode_ctx *ctx, lode_graph_sink **out, const lode_graphs *data,
                                 const char *path, const lode_graph_write_options *options) {
    lode_status status = LODE_OK;
    lode_graph_sink *base = NULL;
    VALID_CALL(ctx, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(path));
    LODE_TRY(valid_options(ctx, VALID_GRAPH_WRITE, options));
    LODE_TRY(graph_sink_create(ctx, &file_kind, &base));
    file_sink *sink = (file_sink *)base;
    sink->out = (outfile)OUTFILE_INIT;
    base->data = data;
    sink->format = options ? options->format : LODE_GRAPH_WRITE_GSPAN;
    size_t path_bytes = strlen(path) + 1;
    LODE_TRY(mem_resize(&ctx->mem, (void **)&sink->path, 0, path_bytes));
    sink->path_bytes = path_bytes;
    memcpy(sink->path, path, path_bytes);
    LODE_TRY(file_error(sink, outfile_open(&sink->out, &ctx->mem, path)));
    const char *title = graph_lines_title(sink->format);
    LODE_TRY(vec_char_append(&ctx->mem, &sink->block, title, strlen(title)));
    *out = base;
    base = NULL;
done:
    lode_graph_sink_free(base);
    return ctx_explain(ctx, status, "opening the output");
}
