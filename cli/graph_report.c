/* graph_report.c - see graph_report.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_report.h"

#include "report_common.h"

static double mean(uint64_t sum, uint64_t n) {
    return n ? (double)sum / (double)n : 0;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void text_input(const graph_run *run) {
    lode_graph_profile p = cli_graph_profile(run->data);
    const lode_graph_report *r = &run->report;
    fprintf(stderr, "%s: %s %s graph%s, %.1f vertices and %.1f edges each\n", run->args->file,
            cli_count(p.n_graphs), p.directed ? "directed" : "undirected",
            report_plural(p.n_graphs), mean(p.n_vertices, p.n_graphs), mean(p.n_edges, p.n_graphs));
    if (p.n_skipped) {
        fprintf(stderr, "%s malformed graph%s left out\n", cli_count(p.n_skipped),
                p.n_skipped == 1 ? " was" : "s were");
    }
    report_text_support(run->args->min_support, r->min_count, r->final_min_count, p.n_graphs,
                        "graphs");
}

static void text_sizes(const lode_graph_sink *sink) {
    const char *before = "by edges: ";
    for (uint32_t n = 0; n <= lode_graph_sink_largest(sink); n++) {
        uint64_t patterns = lode_graph_sink_patterns_of_size(sink, n);
        if (patterns == 0) continue;
        fprintf(stderr, "%s%s of %u", before, cli_count(patterns), n);
        before = ", ";
    }
    if (lode_graph_sink_patterns(sink) > 0) fputc('\n', stderr);
}

void graph_report_text(const graph_run *run) {
    const lode_graph_report *r = &run->report;
    text_input(run);
    fprintf(stderr, "%s on %s, %u thread%s: %s\n", r->algorithm, r->device, r->n_threads,
            report_plural(r->n_threads), r->why);
    fprintf(stderr, "%s pattern%s%s, %s candidate%s, %s occurrences, peak memory %s\n",
            cli_count(r->patterns), report_plural(r->patterns),
            run->code == CLI_DONE ? "" : " so far", cli_count(r->candidates),
            report_plural(r->candidates), cli_count(r->occurrences), cli_bytes(r->memory_peak));
    if (r->device_memory_peak > 0) {
        fprintf(stderr,
                "on the device: peak memory %s, %s sent, %s received, %.2f s to start, %.2f s of "
                "work\n",
                cli_bytes(r->device_memory_peak), cli_bytes(r->bytes_up), cli_bytes(r->bytes_down),
                r->start_seconds, r->device_seconds);
    }
    text_sizes(run->sink);
    lode_graph_profile p = cli_graph_profile(run->data);
    fprintf(stderr, "%.2f s: read %.2f, preprocess %.2f, mine %.2f, output %.2f\n",
            run->total_seconds, p.read_seconds, r->preprocess_seconds,
            r->total_seconds - r->preprocess_seconds, run->finish_seconds);
}

/* ---- for machines -------------------------------------------------------------------------- */

static void put_input(fields *f, const graph_run *run) {
    lode_graph_profile p = cli_graph_profile(run->data);
    fields_open(f, "input");
    fields_text(f, "path", run->args->file);
    fields_flag(f, "directed", p.directed);
    fields_count(f, "graphs", p.n_graphs);
    fields_count(f, "empty", p.n_empty);
    fields_count(f, "disconnected", p.n_disconnected);
    fields_count(f, "vertices", p.n_vertices);
    fields_count(f, "edges", p.n_edges);
    fields_count(f, "vertex_labels", p.n_vertex_labels);
    fields_count(f, "edge_labels", p.n_edge_labels);
    fields_count(f, "triples", p.n_triples);
    fields_count(f, "skipped_graphs", p.n_skipped);
    fields_seconds(f, "read_seconds", p.read_seconds);
    fields_close(f);
}

static void put_search(fields *f, const graph_run *run) {
    const lode_graph_report *r = &run->report;
    report_put_support(f, run->args->min_support, r->min_count, r->final_min_count);
    fields_open(f, "algorithm");
    fields_text(f, "name", r->algorithm);
    fields_text(f, "why", r->why);
    fields_count(f, "threads", r->n_threads);
    fields_close(f);
    fields_open(f, "device");
    fields_text(f, "name", r->device);
    fields_text(f, "why", r->device_why);
    fields_count(f, "bytes_up", r->bytes_up);
    fields_count(f, "bytes_down", r->bytes_down);
    fields_count(f, "batches", r->batches);
    fields_count(f, "groups_moved", r->groups_moved);
    fields_close(f);
    fields_open(f, "search");
    fields_count(f, "frequent_triples", r->frequent_triples);
    fields_count(f, "candidates", r->candidates);
    fields_count(f, "frequent_extensions", r->frequent_extensions);
    fields_count(f, "codes_tested", r->codes_tested);
    fields_count(f, "occurrences", r->occurrences);
    fields_close(f);
}

static void put_patterns(fields *f, const graph_run *run) {
    fields_open(f, "patterns");
    fields_count(f, "total", run->report.patterns);
    if (run->hash) {
        char hash[24];
        snprintf(hash, sizeof hash, "%016llx",
                 (unsigned long long)lode_graph_sink_hash_value(run->hash));
        fields_text(f, "hash", hash);
    }
    fields_open_list(f, "by_edges");
    for (uint32_t n = 0; n <= lode_graph_sink_largest(run->sink); n++) {
        uint64_t patterns = lode_graph_sink_patterns_of_size(run->sink, n);
        if (patterns == 0) continue;
        fields_open(f, NULL);
        fields_count(f, "edges", n);
        fields_count(f, "count", patterns);
        fields_close(f);
    }
    fields_close(f);
    fields_close(f);
}

static void put_times(fields *f, const graph_run *run) {
    fields_open(f, "times");
    fields_seconds(f, "read", cli_graph_profile(run->data).read_seconds);
    fields_seconds(f, "preprocess", run->report.preprocess_seconds);
    fields_seconds(f, "mine", run->report.total_seconds);
    fields_seconds(f, "start", run->report.start_seconds);
    fields_seconds(f, "device", run->report.device_seconds);
    fields_seconds(f, "test", run->report.test_seconds);
    fields_seconds(f, "output", run->finish_seconds);
    fields_seconds(f, "total", run->total_seconds);
    fields_close(f);
    report_put_threads(f, run->report.thread_seconds, run->report.n_thread_seconds);
}

static void put_all(fields *f, const void *arg) {
    const graph_run *run = arg;
    report_put_status(f, run->job, run->code, run->message, run->report.stopped_by);
    if (run->data) put_input(f, run);
    if (run->data && run->sink) {
        put_search(f, run);
        put_patterns(f, run);
        put_times(f, run);
    }
    fields_open(f, "memory");
    fields_count(f, "budget", lode_options_job(run->args->options)->memory_bytes);
    fields_count(f, "peak", lode_ctx_memory_peak(lode_job_ctx(run->job)));
    fields_count(f, "resident_peak", report_resident_peak());
    fields_count(f, "device_budget", lode_options_job(run->args->options)->device_memory_bytes);
    fields_count(f, "device_peak", run->report.device_memory_peak);
    fields_close(f);
}

bool graph_report_machine(const graph_run *run, bool tsv, const char *path) {
    return report_write(path, tsv, put_all, run);
}
