/* report.c - see report.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <string.h>

#include "report_common.h"

static double mean_length(const lode_profile *p) {
    return p->n_transactions ? (double)p->n_occurrences / (double)p->n_transactions : 0;
}

static double density(const lode_profile *p) {
    return p->n_items ? mean_length(p) / (double)p->n_items : 0;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void text_input(const run_summary *run) {
    lode_profile p = cli_profile(run->data);
    fprintf(stderr, "%s: %s transaction%s, %s item%s, %.1f per transaction (%s%s%s)\n",
            cli_input(run->args), cli_count(p.n_transactions), report_plural(p.n_transactions),
            cli_count(p.n_items), report_plural(p.n_items), mean_length(&p),
            cli_format_name(p.format), p.columns[0] ? ": " : "", p.columns);
    if (p.n_empty) {
        fprintf(stderr, "%s transaction%s no item, and count%s in shares\n", cli_count(p.n_empty),
                p.n_empty == 1 ? " has" : "s have", p.n_empty == 1 ? "s" : "");
    }
    if (p.n_skipped) {
        fprintf(stderr, "%s malformed line%s left out\n", cli_count(p.n_skipped),
                p.n_skipped == 1 ? " was" : "s were");
    }
    if (p.n_repeated) {
        fprintf(stderr, "%s item%s transaction and counted once\n", cli_count(p.n_repeated),
                p.n_repeated == 1 ? " was listed again in its" : "s were listed again in their");
    }
    const lode_report *r = &run->report;
    report_text_support(run->args->min_support, r->min_count, r->final_min_count, p.n_transactions,
                        "transactions");
}

static void text_times(const run_summary *run) {
    const lode_times *t = &run->report.times;
    lode_profile p = cli_profile(run->data);
    fprintf(stderr,
            "%.2f s: read %.2f, preprocess %.2f, transfer %.2f, candidate %.2f, counting %.2f, "
            "output %.2f\n",
            run->total_seconds, p.read_seconds, t->preprocess, t->transfer, t->candidate,
            t->counting, t->output + run->finish_seconds);
}

static void text_sizes(const lode_sink *sink) {
    const char *before = "by size: ";
    for (uint32_t size = 1; size <= lode_sink_largest(sink); size++) {
        uint64_t n = lode_sink_patterns_of_size(sink, size);
        if (n == 0) continue;
        fprintf(stderr, "%s%s of %u", before, cli_count(n), size);
        before = ", ";
    }
    if (lode_sink_largest(sink) > 0) fputc('\n', stderr);
}

static void text_products(const lode_report *r) {
    uint64_t pairs = 0, cubes = 0;
    for (unsigned i = 0; i < r->n_depths; i++) {
        pairs += r->depths[i].pairs;
        cubes += r->depths[i].cubes;
    }
    fprintf(stderr, "products by %s: %s pair%s", r->product, cli_count(pairs),
            report_plural(pairs));
    fprintf(stderr, ", %s cube%s\n", cli_count(cubes), report_plural(cubes));
}

void report_text(const run_summary *run) {
    const lode_report *r = &run->report;
    text_input(run);
    fprintf(stderr, "%s on %s: %s; %s\n", r->algorithm, r->device, r->why, r->device_why);
    if (r->note[0]) fprintf(stderr, "note: %s\n", r->note);
    if (r->product[0]) text_products(r);
    uint32_t largest = lode_sink_largest(run->sink);
    fprintf(stderr, "%s itemset%s%s", cli_count(r->patterns), report_plural(r->patterns),
            run->code == CLI_DONE ? "" : " so far");
    if (largest > 0) fprintf(stderr, " of up to %u item%s", largest, report_plural(largest));
    bool by_nodes = r->nodes > 0; /* a search that counts no candidates one by one */
    uint64_t work = by_nodes ? r->nodes : r->candidates_counted;
    fprintf(stderr, ", %s %s%s, peak memory %s", cli_count(work), by_nodes ? "node" : "candidate",
            report_plural(work), cli_bytes(r->memory_peak));
    if (r->device_memory_peak > 0) {
        fprintf(stderr, " and %s on the GPU", cli_bytes(r->device_memory_peak));
    }
    fputc('\n', stderr);
    text_sizes(run->sink);
    text_times(run);
}

/* ---- for machines -------------------------------------------------------------------------- */

static void put_input(fields *f, const run_summary *run) {
    lode_profile p = cli_profile(run->data);
    char separator[2] = {p.separator, 0};
    fields_open(f, "input");
    fields_text(f, "path", run->args->file);
    fields_count(f, "files", p.n_files);
    fields_text(f, "format", cli_format_name(p.format));
    fields_text(f, "separator", separator);
    fields_text(f, "columns", p.columns);
    fields_count(f, "transactions", p.n_transactions);
    fields_count(f, "empty", p.n_empty);
    fields_count(f, "items", p.n_items);
    fields_count(f, "occurrences", p.n_occurrences);
    fields_count(f, "longest", p.longest);
    fields_count(f, "repeated", p.n_repeated);
    fields_count(f, "skipped_lines", p.n_skipped);
    fields_real(f, "mean_length", mean_length(&p));
    fields_real(f, "density", density(&p));
    fields_seconds(f, "read_seconds", p.read_seconds);
    fields_close(f);
}

static void put_search(fields *f, const lode_report *r) {
    fields_open(f, "algorithm");
    fields_text(f, "name", r->algorithm);
    fields_text(f, "why", r->why);
    fields_close(f);
    fields_open(f, "device");
    fields_text(f, "name", r->device);
    fields_text(f, "why", r->device_why);
    fields_text(f, "note", r->note);
    fields_count(f, "devices", r->n_devices);
    fields_count(f, "threads", r->n_threads);
    fields_real(f, "utilisation", r->utilisation);
    fields_close(f);
    fields_open(f, "candidates");
    fields_count(f, "generated", r->candidates_generated);
    fields_count(f, "pruned", r->candidates_pruned);
    fields_count(f, "counted", r->candidates_counted);
    fields_count(f, "bytes", r->candidate_bytes);
    fields_close(f);
    fields_count(f, "nodes", r->nodes);
    fields_open(f, "rows");
    fields_count(f, "read", r->rows_read);
    fields_count(f, "written", r->rows_written);
    fields_close(f);
    fields_open(f, "transfer");
    fields_count(f, "bytes_up", r->bytes_up);
    fields_count(f, "bytes_down", r->bytes_down);
    fields_close(f);
    fields_open(f, "grid");
    fields_count(f, "work_items", r->work_items);
    fields_count(f, "reduce_adds", r->reduce_adds);
    fields_count(f, "reduce_idle", r->reduce_idle);
    fields_close(f);
}

static void put_levels(fields *f, const lode_report *r) {
    fields_open_list(f, "levels");
    for (unsigned i = 0; i < r->n_levels; i++) {
        const lode_level *l = &r->levels[i];
        fields_open(f, NULL);
        fields_count(f, "size", l->size);
        fields_count(f, "generated", l->generated);
        fields_count(f, "pruned", l->pruned);
        fields_count(f, "counted", l->counted);
        fields_count(f, "frequent", l->frequent);
        fields_count(f, "bytes", l->candidate_bytes);
        fields_seconds(f, "candidate", l->candidate);
        fields_seconds(f, "counting", l->counting);
        fields_close(f);
    }
    fields_close(f);
}

static void put_frontier(fields *f, const lode_report *r) {
    fields_open(f, "frontier");
    if (r->epsilon == UINT64_MAX) {
        fields_text(f, "epsilon", "unlimited");
    } else {
        fields_count(f, "epsilon", r->epsilon);
    }
    fields_count(f, "batches", r->batches);
    fields_count(f, "list_bytes", r->list_bytes);
    fields_count(f, "lists_allowed", r->lists_allowed);
    fields_count(f, "lists_peak", r->lists_peak);
    fields_count(f, "lists_rebuilt", r->lists_rebuilt);
    fields_close(f);
}

static void put_products(fields *f, const lode_report *r) {
    fields_open(f, "products");
    fields_text(f, "kernel", r->product);
    fields_count(f, "spilled_bytes", r->spilled_bytes);
    fields_count(f, "slices", r->slices);
    fields_open_list(f, "depths");
    for (unsigned i = 0; i < r->n_depths; i++) {
        const lode_product_depth *d = &r->depths[i];
        fields_open(f, NULL);
        fields_count(f, "depth", i);
        fields_count(f, "classes", d->classes);
        fields_count(f, "rows", d->rows);
        fields_count(f, "pairs", d->pairs);
        fields_real(f, "pair_bits", d->pair_bits);
        fields_count(f, "cubes", d->cubes);
        fields_count(f, "cube_sets", d->cube_sets);
        fields_real(f, "cube_bits", d->cube_bits);
        fields_close(f);
    }
    fields_close(f);
    fields_close(f);
}

static void put_patterns(fields *f, const run_summary *run) {
    fields_open(f, "patterns");
    fields_count(f, "total", run->report.patterns);
    if (cli_given(run->args, "hash")) {
        char hash[REPORT_HASH_BYTES];
        fields_text(f, "hash", report_hash(run->sink, hash));
    }
    fields_count(f, "frequent_items", run->report.frequent_items);
    fields_open_list(f, "by_size");
    for (uint32_t size = 1; size <= lode_sink_largest(run->sink); size++) {
        uint64_t n = lode_sink_patterns_of_size(run->sink, size);
        if (n == 0) continue;
        fields_open(f, NULL);
        fields_count(f, "size", size);
        fields_count(f, "count", n);
        fields_close(f);
    }
    fields_close(f);
    fields_count(f, "text_bytes", lode_sink_bytes(run->sink));
    fields_close(f);
}

static void put_times(fields *f, const run_summary *run) {
    const lode_times *t = &run->report.times;
    fields_open(f, "times");
    fields_seconds(f, "read", cli_profile(run->data).read_seconds);
    fields_seconds(f, "preprocess", t->preprocess);
    fields_seconds(f, "transfer", t->transfer);
    fields_seconds(f, "candidate", t->candidate);
    fields_seconds(f, "counting", t->counting);
    fields_seconds(f, "output", t->output + run->finish_seconds);
    fields_seconds(f, "mine", t->total);
    fields_seconds(f, "total", run->total_seconds);
    fields_close(f);
    report_put_threads(f, run->report.thread_seconds, run->report.n_thread_seconds);
}

static void put_all(fields *f, const void *arg) {
    const run_summary *run = arg;
    report_put_status(f, run->job, run->code, run->message, run->report.stopped_by);
    if (run->data) put_input(f, run);
    if (run->data && run->sink) {
        report_put_support(f, run->args->min_support, run->report.min_count,
                           run->report.final_min_count);
        put_search(f, &run->report);
        put_levels(f, &run->report);
        put_frontier(f, &run->report);
        put_products(f, &run->report);
        put_patterns(f, run);
        put_times(f, run);
    }
    fields_open(f, "memory");
    fields_count(f, "budget", lode_options_job(run->args->options)->memory_bytes);
    fields_count(f, "peak", lode_ctx_memory_peak(lode_job_ctx(run->job)));
    fields_count(f, "device_budget", lode_options_job(run->args->options)->device_memory_bytes);
    fields_count(f, "device_peak", run->report.device_memory_peak);
    fields_count(f, "resident_peak", report_resident_peak());
    fields_close(f);
}

const char *report_hash(const lode_sink *sink, char text[REPORT_HASH_BYTES]) {
    unsigned long long hash = lode_sink_hash_value(sink);
    snprintf(text, REPORT_HASH_BYTES, "%016llx", hash);
    return text;
}

bool report_machine(const run_summary *run, bool tsv, const char *path) {
    return report_write(path, tsv, put_all, run);
}
