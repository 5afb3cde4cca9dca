/* gspan_file.c - reads graphs from gSpan text and tables of edges, and writes them as gSpan text
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/os.h"
#include "base/outfile.h"
#include "data/graphs/graph_lines.h"
#include "data/graphs/graph_parts.h"
#include "data/graphs/graph_table.h"
#include "data/graphs/graph_together.h"
#include "data/graphs/graphs.h"
#include "data/graphs/label_map.h"
#include "read/foreign.h"
#include "results/arrow/adbc.h"
#include "runtime/job_report.h"
#include "runtime/valid.h"

/* ---- a file of gSpan text, or such text in memory, as a data set of graphs ------------------- */

/* All threads read a large text in parts (graph_parts.h), if it can be read twice. They give up at
 * anything unusual, such as a malformed line or too little memory. Then one thread reads the text
 * again in order: it can say what is wrong, and which lines it skips. */

/* ---- by one thread, in order ---------------------------------------------------------------- */

static lode_status reader_run(graph_lines *r) {
    lode_status status = LODE_OK;
    input_block block = {0};
    for (;;) {
        LODE_TRY(job_tick(r->job, input_bytes_done(r->in), input_bytes_total(r->in)));
        LODE_TRY(input_next(r->in, &block));
        if (block.text.n == 0) break;
        LODE_TRY(graph_lines_block(r, &block.text));
    }
    LODE_TRY(graph_lines_end(r));
    LODE_TRY(graph_lines_log_classes(r));
    LODE_TRY(graphs_sort_labels(r->job, r->g->vertex_names, &r->g->labels, NULL));
    LODE_TRY(graphs_sort_labels(r->job, r->g->edge_names, &r->g->edge_labels, NULL));
    LODE_TRY(graphs_complete_profile(r->job, r->g));
done:
    vec_char_free(r->mem, &block.text);
    return status;
}

/* Reports how much memory the whole file needs, assuming that the rest is like the part that was
 * read. */
static lode_status reader_explain_budget(const graph_lines *r) {
    const lode_graphs *g = r->g;
    uint64_t done = input_bytes_done(r->in), total = input_bytes_total(r->in);
    double factor = done > 0 && total > done ? (double)total / (double)done * 1.125 : 1.125;
    uint64_t n = (uint64_t)(g->n * factor), v = (uint64_t)((double)g->labels.n * factor);
    uint64_t e = (uint64_t)((double)g->from.n * factor), names = dict_bytes(g->vertex_names);
    names += dict_bytes(g->edge_names) + dict_bytes(g->words) + 16 * g->vertex_ids.n;
    uint64_t bytes = graphs_data_bytes(n, v, e) + (uint64_t)((double)names * factor);
    if (e == 0) bytes = 4 * total; /* nothing is known yet */
    r->job->unsure = true;
    return job_over_budget(r->job, bytes + graphs_mining_bytes(v, e, r->job->threads), "%s",
                           input_name(r->in));
}

static lode_status read_in_order(lode_job *job, lode_graphs **out, input *in,
                                 const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    graph_lines *r = NULL;
    LODE_TRY(graph_lines_begin(job, &r, options));
    r->in = in;
    dict_stop_by(r->g->vertex_names, job_sort_stop(job));
    dict_stop_by(r->g->edge_names, job_sort_stop(job));
    LODE_TRY(reader_run(r));
    *out = r->g;
    r->g = NULL;
done:
    if (status == LODE_BUDGET && r && r->g) status = reader_explain_budget(r);
    graph_lines_free(r);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Where graphs come from: a file, a pipe, text in memory or an Arrow stream. */
typedef struct graph_source {
    const char *name; /* of the file, or for messages */
    bool piped;       /* they come from fd */
    int fd;
    struct ArrowArrayStream *stream;
    const void *text; /* NULL: a file, a pipe or a stream */
    size_t bytes;     /* of the text */
    size_t block_bytes;
} graph_source;

static lode_status source_open(lode_job *job, const graph_source *from, input **in) {
    lode_status status;
    if (from->piped) return input_open_pipe(job, in, from->fd, from->name);
    const input_place place = {from->name, from->text, from->bytes};
    status = input_open_table(job, in, &place, NULL);
    if (status == LODE_OK && input_sheet(*in)) {
        status =
            job_fail(job, LODE_PARSE,
                     "%s: this is an Excel workbook, and graphs are not read from sheets; save "
                     "the sheet as CSV, and write the graphs as gSpan text (lines t, v and e)",
                     input_name(*in));
    }
    if (status != LODE_OK || input_is_arrow(*in)) return status;
    status = foreign_check_text(job, *in, true);
    if (status == LODE_OK && from->block_bytes) input_set_block_bytes(*in, from->block_bytes);
    return status;
}

static bool source_repeats(const graph_source *from) {
    return from->text || (!from->piped && !from->stream && input_can_repeat(from->name));
}

static bool source_is_parquet(const graph_source *from) {
    return !from->text && !from->piped && !from->stream && adbc_is_parquet(from->name);
}

/* Whether all threads are to read it. What cannot be opened is not for them to complain about. */
static bool source_suits_parts(lode_job *job, const graph_source *from) {
    uint64_t bytes = from->bytes;
    if (!source_repeats(from) || source_is_parquet(from)) return false;
    if (!from->text && input_check(job, from->name, &bytes) != LODE_OK) job_clear_message(job);
    return graph_parts_suit(job, bytes, from->block_bytes);
}

static lode_status read_parquet(lode_job *job, lode_graphs **out, const graph_source *from,
                                const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    adbc *query = NULL;
    LODE_TRY(adbc_open(job, &query, &(adbc_request){.parquet = from->name}));
    LODE_TRY(adbc_read_parquet(query, NULL, 0));
    LODE_TRY(graph_table_read(job, out, from->name, adbc_stream(query), NULL, options));
done:
    adbc_close(query);
    return status;
}

static lode_status read_once(lode_job *job, lode_graphs **out, const graph_source *from,
                             const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    input *in = NULL;
    bool done_in_parts = false;
    job_begin_phase(job, "read");
    if (from->stream) return graph_table_read(job, out, from->name, from->stream, NULL, options);
    if (source_is_parquet(from)) return read_parquet(job, out, from, options);
    LODE_TRY(source_open(job, from, &in));
    if (input_is_arrow(in)) {
        LODE_TRY(graph_table_read(job, out, input_name(in), NULL, in, options));
        goto done;
    }
    if (job->threads > 1 && !options->skip_bad_graphs && source_suits_parts(job, from)) {
        LODE_TRY(graph_parts_read(job, out, in, options, &done_in_parts));
        if (!done_in_parts) {
            input_close(in);
            in = NULL;
            LODE_TRY(source_open(job, from, &in));
        }
    }
    if (!done_in_parts) LODE_TRY(read_in_order(job, out, in, options));
done:
    input_close(in);
    return status;
}

/* Completes the data: names of labels, their source, the time. */
static lode_status read_finish(lode_job *job, lode_graphs *g, const graph_source *from,
                               const lode_graph_read_options *options) {
    lode_status status = label_map_apply(job, g, options->labels);
    if (status != LODE_OK) return status;
    status = vec_char_append(g->mem, &g->source, from->name, strlen(from->name) + 1);
    if (status != LODE_OK) return status;
    g->profile.read_seconds = os_seconds() - job->phase_start;
    ctx_home_settle(g->home);
    graphs_report(g, job);
    return LODE_OK;
}

static lode_status read_graphs(lode_job *job, lode_graphs **out, const graph_source *from,
                               const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_graph_read_options checked;
    lode_graphs *g = NULL;
    job_report_begin_read(job);
    LODE_TRY(lease_enter(job, source_suits_parts(job, from) ? LEASE_ANY : 1, &call));
    LODE_TRY(valid_take(job, VALID_GRAPH_READ, options, &checked));
    do {
        status = read_once(job, &g, from, &checked);
    } while (status == LODE_BUDGET && source_repeats(from) &&
             (status = lease_again(job)) == LODE_OK);
    LODE_TRY(status);
    LODE_TRY(read_finish(job, g, from, &checked));
    *out = g;
    g = NULL;
done:
    lode_graphs_free(g);
    lease_leave(&call);
    return job_report_end_read(job, job_explain(job, status, "reading the data"));
}

lode_status lode_graphs_open(lode_job *job, lode_graphs **out, const char *path,
                             const lode_graph_read_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path));
    return read_graphs(job, out, &(graph_source){.name = path}, options);
}

lode_status lode_graphs_open_pipe(lode_job *job, lode_graphs **out, int fd, const char *name,
                                  const lode_graph_read_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), {fd >= 0, "fd"});
    graph_source from = {.name = name ? name : "the pipe", .piped = true, .fd = fd};
    return read_graphs(job, out, &from, options);
}

lode_status lode_graphs_from_arrow(lode_job *job, lode_graphs **out,
                                   struct ArrowArrayStream *stream,
                                   const lode_graph_read_options *options) {
    const valid_argument needed[] = {VALID_NEEDS(out), VALID_NEEDS(stream)};
    lode_status status = valid_call(job, needed, sizeof needed / sizeof *needed);
    const graph_source from = {.name = "the Arrow stream", .stream = stream};
    if (status == LODE_OK) status = read_graphs(job, out, &from, options);
    if (stream && stream->release) stream->release(stream);
    return status;
}

/* ---- by several processes ------------------------------------------------------------------- */

/* Reads the part of this process; PARSE, with no message, if it has something unusual. */
static lode_status read_own_part(peers *p, lode_graphs **out, const graph_source *from,
                                 const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    input *in = NULL;
    bool done_in_parts = false;
    LODE_TRY(lease_enter(p->job, LEASE_ANY, &call));
    LODE_TRY(source_open(p->job, from, &in));
    input_set_mark(in, 't');
    LODE_TRY(input_set_part(in, p->to.index, p->to.n));
    LODE_TRY(graph_parts_read(p->job, out, in, options, &done_in_parts));
    if (!done_in_parts) status = LODE_PARSE;
done:
    input_close(in);
    lease_leave(&call);
    return status;
}

/* *done is false if every process has to read all of it. */
static lode_status read_jointly(peers *p, lode_graphs **out, const graph_source *from,
                                const lode_graph_read_options *options, bool *done) {
    lode_status status = LODE_OK;
    lode_graphs *part = NULL, *g = NULL;
    uint64_t file = peers_file_hash(from->name);
    job_report_begin_read(p->job);
    job_begin_phase(p->job, "read");
    LODE_TRY(peers_agree(p, file != 0 ? LODE_OK : LODE_NOTFOUND));
    LODE_TRY(peers_same(p, file));
    LODE_TRY(peers_agree(p, read_own_part(p, &part, from, options)));
    LODE_TRY(graphs_join_peers(p, part, &g));
    LODE_TRY(peers_agree(p, read_finish(p->job, g, from, options)));
    *out = g;
    g = NULL;
done:
    lode_graphs_free(part);
    lode_graphs_free(g);
    *done = !peers_may_part(p, status);
    if (!*done) job_clear_message(p->job);
    return *done ? job_report_end_read(p->job, status) : LODE_OK;
}

lode_status lode_graphs_open_together(lode_job *job, lode_graphs **out, const char *path,
                                      const lode_graph_read_options *options,
                                      const lode_peers *given) {
    lode_status status = LODE_OK;
    bool done = false;
    peers p = {.job = job};
    lode_graph_read_options checked;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path), {given != NULL, "peers"});
    LODE_TRY(peers_open(&p, job, given));
    LODE_TRY(valid_take(job, VALID_GRAPH_READ, options, &checked));
    if (p.to.n > 1 && !checked.skip_bad_graphs && strcmp(path, "-") != 0) {
        LODE_TRY(read_jointly(&p, out, &(graph_source){.name = path}, &checked, &done));
    }
    if (!done) LODE_TRY(lode_graphs_open(job, out, path, &checked));
done:
    peers_close(&p);
    return job_explain(job, status, "reading the data");
}

lode_status graphs_parse_blocks(lode_job *job, lode_graphs **out, const char *text, size_t n,
                                const lode_graph_read_options *options, size_t block_bytes) {
    graph_source from = {.name = "in", .text = text, .bytes = n, .block_bytes = block_bytes};
    return read_graphs(job, out, &from, options);
}

lode_status lode_graphs_parse(lode_job *job, lode_graphs **out, const void *text, size_t text_bytes,
                              const char *name, const lode_graph_read_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), {text || text_bytes == 0, "text"});
    graph_source from = {
        .name = name ? name : "the text", .text = text ? text : "", .bytes = text_bytes};
    return read_graphs(job, out, &from, options);
}

/* ---- does a file hold graphs? --------------------------------------------------------------- */

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* Whether the first line that is not skipped begins with the word "t" (or with "t#"). */
static bool looks_like_graphs(const char *text, size_t n) {
    size_t i = 0;
    while (i < n) {
        while (i < n && (graph_lines_is_blank(text[i]) || is_line_end(text[i]))) i++;
        if (i == n || (text[i] != '#' && text[i] != '%')) break;
        while (i < n && !is_line_end(text[i])) i++;
    }
    if (i >= n || text[i] != 't') return false;
    i++;
    return i == n || graph_lines_is_blank(text[i]) || is_line_end(text[i]) || text[i] == '#';
}

/* Opens a file to look at its beginning. *in stays NULL for what can be read only once, because its
 * beginning would be missing later, and for what is not text: its reader says what it is. */
static lode_status sniff_open(lode_job *job, input **in, const char *path) {
    if (!input_can_repeat(path)) return LODE_OK;
    lode_status status = input_open(job, in, path);
    if (status != LODE_PARSE) return status;
    job_clear_message(job);
    return LODE_OK;
}

lode_status lode_graphs_sniff(lode_job *job, const char *path, bool *is_graphs) {
    lode_status status = LODE_OK;
    input *in = NULL;
    const char *text;
    size_t n;
    bool complete;
    VALID_CALL(job, VALID_NEEDS(path), VALID_NEEDS(is_graphs));
    *is_graphs = false;
    LODE_TRY(sniff_open(job, &in, path));
    if (!in) goto done;
    LODE_TRY(input_peek(in, INPUT_BLOCK_LEAST, &text, &n, &complete));
    *is_graphs = looks_like_graphs(text, n);
done:
    if (in) input_close(in);
    return job_explain(job, status, "reading the data");
}

lode_status lode_molecules_sniff(lode_job *job, const char *path, unsigned *sure) {
    lode_status status = LODE_OK;
    input *in = NULL;
    VALID_CALL(job, VALID_NEEDS(path), VALID_NEEDS(sure));
    *sure = 0;
    LODE_TRY(sniff_open(job, &in, path));
    if (in) LODE_TRY(foreign_find_molecules(in, sure));
done:
    if (in) input_close(in);
    return job_explain(job, status, "reading the data");
}

/* ---- a data set of graphs as gSpan text, with the ids and labels it was read with ------------ */

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
