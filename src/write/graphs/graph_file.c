/* graph_file.c - graph patterns as text, numbered in the order in which they are written
 *
 * Every worker formats its own text, and passes it on block by block under the lock; there the
 * patterns get their numbers. With a memory budget, there is one text for all workers, which is
 * formatted under the lock; likewise for patterns that are held back until the end. The first
 * patterns are held back, so that a short result is sorted (write/core/sink_text.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/valid.h"
#include "write/core/sink_text.h"
#include "write/graphs/graph_columns.h"
#include "write/graphs/graph_sink.h"
#include "write/graphs/graph_text.h"

typedef struct graph_file {
    text_sink base;
    const graph_format *format;
    void *own;          /* of the writer, if the format is no text; under the lock, as … */
    graph_text shared;  /* … the text that is not made by one worker, … */
    vec_char block;     /* … text with its numbers, … */
    uint64_t number;    /* … the patterns written, … */
    graph_columns held; /* … and patterns that are held back */
    graph_classes classes;
} graph_file;

typedef struct graph_file_worker {
    graph_worker base;
    graph_text text; /* without `mem`: it has none yet */
} graph_file_worker;

/* ---- text ----------------------------------------------------------------------------------- */

/* Copies a text into the block, with a number in each place. */
static lode_status graph_file_fill_in(graph_file *sink, const graph_text *text) {
    lode_status status = LODE_OK;
    size_t at = 0;
    sink->block.n = 0;
    for (size_t i = 0; i < text->places.n; i++) {
        size_t place = text->places.data[i];
        LODE_TRY(vec_char_append(text->mem, &sink->block, text->text.data + at, place - at));
        LODE_TRY(graphs_put_number(text->mem, &sink->block, sink->number + i));
        at = place;
    }
    status = vec_char_append(text->mem, &sink->block, text->text.data + at, text->text.n - at);
done:
    return status;
}

/* Writes a text, which is empty then; under the lock. */
static lode_status graph_file_flush(graph_file *sink, graph_text *text) {
    lode_status status = LODE_OK;
    const vec_char *block = &text->text;
    if (text->text.n == 0) return LODE_OK;
    if (text->places.n > 0) {
        LODE_TRY(graph_file_fill_in(sink, text));
        block = &sink->block;
    }
    status = text_put_locked(&sink->base, block->data, block->n);
    sink->number += text->places.n;
done:
    text->text.n = text->places.n = 0;
    return status;
}

/* Appends a pattern to a text, all of it or nothing. */
static lode_status graph_file_put(const graph_file *sink, graph_text *text,
                                  const lode_graph_pattern *p) {
    size_t bytes = text->text.n, places = text->places.n;
    lode_status status = sink->format->put(text, p);
    if (status == LODE_OK) return LODE_OK;
    text->text.n = bytes; /* no half pattern */
    text->places.n = places;
    return status;
}

/* Writes a pattern; under the lock. */
static lode_status graph_file_write(graph_file *sink, const lode_graph_pattern *p) {
    const graph_writer *writer = sink->format->writer;
    if (writer) return writer->write(&sink->base, sink->own, p);
    lode_status status = graph_file_put(sink, &sink->shared, p);
    if (status != LODE_OK || sink->shared.text.n < TEXT_BLOCK_BYTES) return status;
    return graph_file_flush(sink, &sink->shared);
}

/* What came before goes first: a single worker keeps its order. */
static lode_status graph_file_hand_over(graph_file *sink, graph_text *text) {
    pthread_mutex_lock(&sink->base.base.lock);
    lode_status status = graph_file_flush(sink, &sink->shared);
    if (status == LODE_OK) status = graph_file_flush(sink, text);
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

/* ---- holding back --------------------------------------------------------------------------- */

/* Writes the patterns that were held back, in any order. */
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

static lode_status graph_file_emit_locked(graph_file *sink, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    bool is_held = false;
    pthread_mutex_lock(&sink->base.base.lock);
    if (!held_flows(&sink->base.held)) status = graph_file_hold(sink, p, &is_held);
    if (status == LODE_OK && !is_held) status = graph_file_write(sink, p);
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status graph_file_emit(sink_worker *worker, const lode_graph_pattern *p) {
    graph_file *sink = (graph_file *)worker->sink;
    graph_text *text = &((graph_file_worker *)worker)->text;
    const lode_job *job = worker->sink->job;
    if (!text->mem && !sink->format->writer &&
        mem_is_ample(&job->mem, job->threads * TEXT_BLOCK_MOST)) {
        *text = (graph_text){.mem = sink->shared.mem,
                             .data = sink->shared.data,
                             .csv = sink->shared.csv,
                             .classes = sink->shared.classes};
    }
    if (!text->mem || !held_flows(&sink->base.held)) return graph_file_emit_locked(sink, p);
    lode_status status = graph_file_put(sink, text, p);
    if (status != LODE_OK || text->text.n < TEXT_BLOCK_BYTES) return status;
    return graph_file_hand_over(sink, text);
}

static lode_status graph_file_close(sink_worker *worker) {
    graph_text *text = &((graph_file_worker *)worker)->text;
    lode_status status = LODE_OK;
    graph_file *sink = (graph_file *)worker->sink;
    if (text->text.n > 0 || held_flows(&sink->base.held)) status = graph_file_hand_over(sink, text);
    if (text->mem) graph_text_free(text);
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

static lode_status graph_file_finish(lode_sink *base, bool partial) {
    lode_status status = LODE_OK;
    graph_file *sink = (graph_file *)base;
    const graph_writer *writer = sink->format->writer;
    bool flows = held_flows(&sink->base.held);
    status = graph_columns_sort(&base->job->mem, &sink->held, NULL);
    bool sorted = status == LODE_OK && !flows;
    if (!held_is_short(status)) LODE_TRY(status); /* else they are written in no order */
    LODE_TRY(graph_file_let_go(sink));
    LODE_TRY(graph_file_flush(sink, &sink->shared));
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
    if (sink->shared.mem) graph_text_free(&sink->shared);
    vec_char_free(m, &sink->block);
}

static lode_status graph_file_empty(lode_sink *base) {
    graph_file *sink = (graph_file *)base;
    const graph_writer *writer = sink->format->writer;
    if (writer) writer->free(&sink->base, sink->own);
    if (writer) memset(sink->own, 0, writer->bytes);
    graph_columns_free(&base->job->mem, &sink->held);
    sink->shared.text.n = sink->shared.places.n = 0;
    sink->number = 0;
    return text_empty(&sink->base);
}

static const graph_ops file_graphs = {
    .worker_bytes = sizeof(graph_file_worker),
    .emit = graph_file_emit,
    .close = graph_file_close,
};

static const sink_kind graph_file_kind = {
    .bytes = sizeof(graph_file),
    .graphs = &file_graphs,
    .finish = graph_file_finish,
    .free = graph_file_free,
    .empty = graph_file_empty,
    .can_empty = text_can_empty,
};

/* Writes the first line of a text. */
static lode_status graph_file_title(graph_file *sink, bool bom) {
    lode_status status = LODE_OK;
    graph_text *o = &sink->shared;
    vec_char title = {0};
    LODE_TRY(vec_char_printf(o->mem, &title, "%s", sink->format->title));
    if (sink->format->csv) {
        csv_separate(&o->csv, title.data);
        title.n--; /* the end of the line */
        LODE_TRY(graph_classes_put_title(o, &title));
        LODE_TRY(vec_char_append(o->mem, &title, "\n", 2));
    }
    status = text_title(&sink->base, bom, title.data);
done:
    vec_char_free(o->mem, &title);
    return status;
}

/* Whether the options fit the format. */
static lode_status graph_file_check(lode_job *job, const lode_graphs *data,
                                    const lode_graph_write_options *o) {
    const graph_format *format = graph_formats[o->format];
    if ((o->bom || o->csv_separator) && !format->csv) {
        return job_fail(job, LODE_INVALID, "%s is for csv only",
                        o->bom ? "--bom" : "--csv-separator");
    }
    if (!csv_can_separate(o->csv_separator)) {
        return job_fail(job, LODE_INVALID, CSV_SEPARATOR_WORDS);
    }
    if (format->writer && valid_classes(o->classes).classes) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "--class cannot be combined with --write %s for graphs; use gspan, csv, "
                        "jsonl, dot or smarts",
                        graph_format_names[o->format]);
    }
    return format->check ? format->check(job, data) : LODE_OK;
}

static lode_status graph_file_create(lode_job *job, lode_sink **out, const lode_graphs *data,
                                     const text_target *to,
                                     const lode_graph_write_options *options) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    lode_graph_write_options o;
    LODE_TRY(valid_take(job, VALID_GRAPH_WRITE, options, &o));
    LODE_TRY(valid_choice(job, "format", o.format, N_GRAPH_FORMATS));
    const graph_format *format = graph_formats[o.format];
    LODE_TRY(graph_file_check(job, data, &o));
    LODE_TRY(sink_create(job, &graph_file_kind, &base));
    graph_file *sink = (graph_file *)base;
    base->data = data;
    sink->format = format;
    sink->shared = (graph_text){.mem = &job->mem,
                                .data = data,
                                .csv = csv_style_of(o.csv_separator),
                                .utf8 = o.bom,
                                .classes = &sink->classes};
    LODE_TRY(graph_classes_read(&sink->classes, job, data, o.classes));
    LODE_TRY(text_open(&sink->base, to, o.unsorted));
    sink->base.for_spreadsheets = csv_is_for_people(o.bom, false, o.csv_separator);
    if (format->writer) LODE_TRY(mem_zalloc(&job->mem, &sink->own, format->writer->bytes));
    if (!format->writer) LODE_TRY(graph_file_title(sink, o.bom));
    sink->base.head = sink->base.out.bytes;
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
