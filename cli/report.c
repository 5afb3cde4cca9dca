/* report.c - see report.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

static double mean_length(const lode_profile *p) {
    return p->n_transactions ? (double)p->n_occurrences / (double)p->n_transactions : 0;
}

static double density(const lode_profile *p) {
    return p->n_items ? mean_length(p) / (double)p->n_items : 0;
}

static uint64_t resident_peak(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void text_input(const run_summary *run) {
    lode_profile p = lode_dataset_profile(run->data);
    fprintf(stderr, "%s: %s transactions, %s items, %.1f per transaction (%s)\n", run->args->file,
            cli_count(p.n_transactions), cli_count(p.n_items), mean_length(&p),
            cli_format_name(p.format));
    if (p.n_skipped) fprintf(stderr, "%s malformed lines were left out\n", cli_count(p.n_skipped));
    if (p.n_repeated) {
        fprintf(stderr, "%s items were listed again in their transaction and counted once\n",
                cli_count(p.n_repeated));
    }
    const lode_report *r = &run->report;
    fprintf(stderr, "minimum support %s = %s of %s transactions", run->args->min_support,
            cli_count(r->min_count), cli_count(p.n_transactions));
    if (strcmp(run->args->min_support, "1") == 0) {
        fputs(" (1 is a count; 100% would be all of them)", stderr);
    }
    if (r->final_min_count > r->min_count) {
        fprintf(stderr, ", raised to %s", cli_count(r->final_min_count));
    }
    fputc('\n', stderr);
}

static void text_times(const run_summary *run) {
    const lode_times *t = &run->report.times;
    lode_profile p = lode_dataset_profile(run->data);
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

void report_text(const run_summary *run) {
    const lode_report *r = &run->report;
    text_input(run);
    fprintf(stderr, "%s on %s: %s\n", r->algorithm, r->device, r->why);
    if (r->note[0]) fprintf(stderr, "note: %s\n", r->note);
    uint32_t largest = lode_sink_largest(run->sink);
    fprintf(stderr, "%s itemset%s%s", cli_count(r->patterns), r->patterns == 1 ? "" : "s",
            run->code == CLI_DONE ? "" : " so far");
    if (largest > 0) fprintf(stderr, " of up to %u item%s", largest, largest > 1 ? "s" : "");
    fprintf(stderr, ", %s candidate%s, peak memory %s\n", cli_count(r->candidates_counted),
            r->candidates_counted == 1 ? "" : "s", cli_bytes(r->memory_peak));
    text_sizes(run->sink);
    text_times(run);
}

/* ---- for machines -------------------------------------------------------------------------- */

static void json_string(FILE *f, const char *text) {
    fputc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(f, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(f, "\\u%04x", c);
        } else {
            fputc(c, f);
        }
    }
    fputc('"', f);
}

static void json_text(FILE *f, const char *key, const char *value) {
    fprintf(f, "\"%s\":", key);
    json_string(f, value);
}

static void json_count(FILE *f, const char *key, uint64_t value) {
    fprintf(f, "\"%s\":%llu", key, (unsigned long long)value);
}

static void json_input(FILE *f, const run_summary *run) {
    lode_profile p = lode_dataset_profile(run->data);
    char separator[2] = {p.separator, 0};
    fputs(",\"input\":{", f);
    json_text(f, "path", run->args->file), fputc(',', f);
    json_text(f, "format", cli_format_name(p.format)), fputc(',', f);
    json_text(f, "separator", separator), fputc(',', f);
    json_count(f, "transactions", p.n_transactions), fputc(',', f);
    json_count(f, "empty", p.n_empty), fputc(',', f);
    json_count(f, "items", p.n_items), fputc(',', f);
    json_count(f, "occurrences", p.n_occurrences), fputc(',', f);
    json_count(f, "longest", p.longest), fputc(',', f);
    json_count(f, "repeated", p.n_repeated), fputc(',', f);
    json_count(f, "skipped_lines", p.n_skipped);
    fprintf(f, ",\"mean_length\":%.6g,\"density\":%.6g,\"read_seconds\":%.6f}", mean_length(&p),
            density(&p), p.read_seconds);
}

static void json_search(FILE *f, const lode_report *r) {
    fputs(",\"algorithm\":{", f);
    json_text(f, "name", r->algorithm), fputc(',', f);
    json_text(f, "why", r->why);
    fputs("},\"device\":{", f);
    json_text(f, "name", r->device), fputc(',', f);
    json_text(f, "note", r->note), fputc(',', f);
    json_count(f, "devices", r->n_devices), fputc(',', f);
    json_count(f, "threads", r->n_threads);
    fprintf(f, ",\"utilisation\":%.4f},\"candidates\":{", r->utilisation);
    json_count(f, "generated", r->candidates_generated), fputc(',', f);
    json_count(f, "counted", r->candidates_counted);
    fputs("},\"frontier\":{", f);
    if (r->epsilon == UINT64_MAX) {
        fputs("\"epsilon\":\"unlimited\",", f);
    } else {
        json_count(f, "epsilon", r->epsilon), fputc(',', f);
    }
    json_count(f, "batches", r->batches), fputc(',', f);
    json_count(f, "list_bytes", r->list_bytes), fputc(',', f);
    json_count(f, "lists_allowed", r->lists_allowed), fputc(',', f);
    json_count(f, "lists_peak", r->lists_peak), fputc(',', f);
    json_count(f, "lists_rebuilt", r->lists_rebuilt);
    fputc('}', f);
}

static void json_patterns(FILE *f, const run_summary *run) {
    fputs(",\"patterns\":{", f);
    json_count(f, "total", run->report.patterns), fputc(',', f);
    json_count(f, "frequent_items", run->report.frequent_items);
    fputs(",\"by_size\":[", f);
    bool first = true;
    for (uint32_t size = 1; size <= lode_sink_largest(run->sink); size++) {
        uint64_t n = lode_sink_patterns_of_size(run->sink, size);
        if (n == 0) continue;
        fprintf(f, "%s{\"size\":%u,\"count\":%llu}", first ? "" : ",", size, (unsigned long long)n);
        first = false;
    }
    fputs("],", f);
    json_count(f, "text_bytes", lode_sink_bytes(run->sink));
    fputc('}', f);
}

static void json_times(FILE *f, const run_summary *run) {
    const lode_times *t = &run->report.times;
    lode_profile p = lode_dataset_profile(run->data);
    fprintf(f,
            ",\"times\":{\"read\":%.6f,\"preprocess\":%.6f,\"transfer\":%.6f,\"candidate\":%.6f,"
            "\"counting\":%.6f,\"output\":%.6f,\"mine\":%.6f,\"total\":%.6f},\"thread_seconds\":[",
            p.read_seconds, t->preprocess, t->transfer, t->candidate, t->counting,
            t->output + run->finish_seconds, t->total, run->total_seconds);
    for (unsigned i = 0; i < run->report.n_thread_seconds; i++) {
        fprintf(f, "%s%.6f", i ? "," : "", run->report.thread_seconds[i]);
    }
    fputc(']', f);
}

static const char *status_name(int code) {
    switch (code) {
    case CLI_DONE: return "done";
    case CLI_INTERRUPTED: return "interrupted";
    case CLI_LIMIT: return "stopped by a limit";
    default: return "failed";
    }
}

static void json_write(FILE *f, const run_summary *run) {
    const lode_report *r = &run->report;
    fputc('{', f);
    json_text(f, "lode", lode_version()), fputc(',', f);
    json_text(f, "status", status_name(run->code)), fputc(',', f);
    fprintf(f, "\"exit\":%d,\"partial\":%s,", run->code, run->code == CLI_DONE ? "false" : "true");
    json_text(f, "message", lode_ctx_error(run->ctx));
    if (run->data) json_input(f, run);
    if (run->data && run->sink) {
        fputs(",\"threshold\":{", f);
        json_text(f, "text", run->args->min_support), fputc(',', f);
        json_count(f, "count", r->min_count), fputc(',', f);
        json_count(f, "final_count", r->final_min_count);
        fputc('}', f);
        json_search(f, r);
        json_patterns(f, run);
        json_times(f, run);
    }
    fputs(",\"memory\":{", f);
    json_count(f, "budget", run->args->options.ctx.memory_bytes), fputc(',', f);
    json_count(f, "peak", lode_ctx_memory_peak(run->ctx)), fputc(',', f);
    json_count(f, "resident_peak", resident_peak());
    fputs("}}\n", f);
}

bool report_json(const run_summary *run, const char *file) {
    FILE *f = file ? fopen(file, "w") : stderr;
    if (f) json_write(f, run);
    bool ok = f && !ferror(f);
    if (f && file && fclose(f) != 0) ok = false;
    if (!ok) cli_error("cannot write '%s': %s", file ? file : "standard error", strerror(errno));
    return ok;
}
