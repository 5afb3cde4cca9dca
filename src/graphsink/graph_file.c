/* graph_file.c - patterns as text, numbered in the order in which they are written
 *
 * All workers write into one block under the lock; formatting is little work beside finding. The
 * first patterns are held back, so that a short result comes sorted; when there are too many, or
 * memory is short, all are written as they come.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/graph_lines.h"
#include "graphsink/graph_sink.h"
#include "runtime/output.h"
#include "runtime/valid.h"

#define FILE_BLOCK        ((size_t)128 << 10)
#define HELD_PATTERNS     10000
#define HELD_BYTES        ((uint64_t)16 << 20)
#define HELD_BUDGET_SHARE 32 /* or this part of a memory budget */

typedef struct file_sink {
    lode_graph_sink base;
    lode_graph_write_format format;
    output out;
    vec_char block;
    uint64_t number;       /* patterns written */
    lode_graph_sink *held; /* the first patterns; NULL: they flow */
    graph_sink_worker *holder;
    uint64_t n_held, most_bytes;
} file_sink;

static lode_status file_flush(file_sink *sink) {
    lode_status status = output_write(&sink->out, sink->block.data, sink->block.n);
    sink->base.bytes = sink->out.bytes;
    sink->block.n = 0;
    return status;
}

static lode_status file_write(file_sink *sink, const lode_graph_pattern *p) {
    mem *m = &sink->base.job->mem;
    size_t before = sink->block.n;
    lode_status status =
        graph_lines_put(m, &sink->block, sink->base.data, sink->format, sink->number, p);
    if (status == LODE_OK) {
        sink->number++;
    } else {
        sink->block.n = before; /* no half pattern */
    }
    return status == LODE_OK && sink->block.n >= FILE_BLOCK ? file_flush(sink) : status;
}

/* ---- holding back --------------------------------------------------------------------------- */

static void file_free_held(file_sink *sink) {
    lode_status closed = graph_sink_close_worker(sink->holder);
    (void)closed; /* it counts for nobody */
    lode_graph_sink_free(sink->held);
    sink->held = NULL;
    sink->holder = NULL;
}

/* Writes what is held, in whatever order it has, and holds nothing from now on. */
static lode_status file_let_go(file_sink *sink) {
    const lode_graph_pattern *p;
    lode_status status = LODE_OK;
    for (uint64_t i = 0; sink->held && (p = graph_sink_best(sink->held, i)); i++) {
        if (status == LODE_OK) status = file_write(sink, p);
    }
    file_free_held(sink);
    return status;
}

/* Holds a pattern back, if there is room for it. */
static lode_status file_hold(file_sink *sink, const lode_graph_pattern *p, bool *is_held) {
    lode_status status = LODE_OK;
    *is_held = sink->n_held < HELD_PATTERNS && graph_sink_held_bytes(sink->held) < sink->most_bytes;
    if (*is_held) status = graph_sink_emit(sink->holder, p);
    if (status == LODE_BUDGET || status == LODE_NOMEM) *is_held = false;
    if (!*is_held) return file_let_go(sink);
    sink->n_held++;
    return status;
}

static lode_status file_start_holding(file_sink *sink) {
    lode_job *job = sink->base.job;
    size_t share = mem_budget(&job->mem) / HELD_BUDGET_SHARE;
    sink->most_bytes = share < HELD_BYTES ? share : HELD_BYTES;
    lode_status status = graph_sink_top(job, &sink->held, HELD_PATTERNS, false);
    if (status != LODE_OK) return status;
    sink->held->nested = true;
    return graph_sink_open_worker(sink->held, &sink->holder);
}

/* ---- the sink ------------------------------------------------------------------------------- */

static lode_status file_emit(graph_sink_worker *worker, const lode_graph_pattern *p) {
    file_sink *sink = (file_sink *)worker->sink;
    lode_status status = LODE_OK;
    bool is_held = false;
    pthread_mutex_lock(&sink->base.lock);
    if (sink->held) status = file_hold(sink, p, &is_held);
    if (status == LODE_OK && !is_held) status = file_write(sink, p);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status file_finish(lode_graph_sink *base, bool partial) {
    file_sink *sink = (file_sink *)base;
    if (sink->held) graph_sink_settle(sink->held);
    lode_status status = file_let_go(sink);
    if (status == LODE_OK) status = file_flush(sink);
    if (status != LODE_OK) return status;
    return output_finish(&sink->out, partial);
}

static void file_free(lode_graph_sink *base) {
    file_sink *sink = (file_sink *)base;
    mem *m = &base->job->mem;
    output_discard(&sink->out);
    file_free_held(sink);
    vec_char_free(m, &sink->block);
}

static const graph_sink_kind file_kind = {
    .worker_bytes = sizeof(graph_sink_worker),
    .emit = file_emit,
    .finish = file_finish,
    .free = file_free,
    .bytes = sizeof(file_sink),
};

/* To `path`, or, if that is NULL, to `write`. */
static lode_status file_create(lode_job *job, lode_graph_sink **out, const lode_graphs *data,
                               const char *path, lode_write_fn write, void *user,
                               const lode_graph_write_options *options) {
    lode_status status = LODE_OK;
    lode_graph_sink *base = NULL;
    lode_graph_write_options o;
    LODE_TRY(valid_take(job, VALID_GRAPH_WRITE, options, &o));
    if (o.bom && o.format != LODE_GRAPH_WRITE_CSV) {
        return job_fail(job, LODE_INVALID, "bom is for csv only");
    }
    LODE_TRY(graph_sink_create(job, &file_kind, &base));
    file_sink *sink = (file_sink *)base;
    base->data = data;
    sink->format = o.format;
    if (path) {
        LODE_TRY(output_open(&sink->out, job, path));
    } else {
        output_call(&sink->out, job, write, user);
    }
    base->path = sink->out.path;
    base->beside = sink->out.file.temp != NULL;
    if (!o.unsorted) LODE_TRY(file_start_holding(sink));
    const char *title = graph_lines_title(sink->format), *mark = "\xef\xbb\xbf";
    if (o.bom) LODE_TRY(vec_char_append(&job->mem, &sink->block, mark, 3));
    LODE_TRY(vec_char_append(&job->mem, &sink->block, title, strlen(title)));
    *out = base;
    base = NULL;
done:
    lode_graph_sink_free(base);
    return job_explain(job, status, "opening the output");
}

lode_status lode_graph_sink_file(lode_job *job, lode_graph_sink **out, const lode_graphs *data,
                                 const char *path, const lode_graph_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(path));
    return file_create(job, out, data, path, NULL, NULL, options);
}

lode_status lode_graph_sink_write(lode_job *job, lode_graph_sink **out, const lode_graphs *data,
                                  lode_write_fn write, void *user,
                                  const lode_graph_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(write));
    return file_create(job, out, data, NULL, write, user, options);
}
