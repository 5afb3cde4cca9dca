/* graphs.c - lode graphs FILE -s SUPPORT, and lode graphs FILE --verify PATTERNS
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cli.h"

#define SVG_MOST 50

static const cli_option own_options[] = {
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {"count", 'c', NULL, "write the patterns",
     "write only how many there are of each number of edges"},
    {"hash", 0, NULL, "no hash", "with --count: also a hash, the same for the same result"},
    {"svg", 0, "DIR", "no drawings", "draw the 50 most frequent patterns into a folder"},
    {"verify", 0, "FILE", "mine",
     "instead of mining, count the patterns of a file again, one by one, and compare supports"},
    {"report", 0, "FORM[=FILE]", "text",
     "report for machines, at the end of standard error or in FILE: json, or tsv for scripts"},
    {"verbose", 'v', NULL, "the short report",
     "report how it was done, too: algorithm, phases, counters, memory"},
    {"quiet", 'q', NULL, "report on standard error", "print nothing but results and errors"},
    {0},
};

/* `hash`: the sink that computes one, or NULL. */
static bool print_counts(const lode_graph_sink *sink, const lode_graph_sink *hash, FILE *out) {
    for (uint32_t n = 0; n <= lode_graph_sink_largest(sink); n++) {
        uint64_t patterns = lode_graph_sink_patterns_of_size(sink, n);
        if (patterns > 0) fprintf(out, "%u %llu\n", n, (unsigned long long)patterns);
    }
    fprintf(out, "total %llu\n", (unsigned long long)lode_graph_sink_patterns(sink));
    if (hash) {
        fprintf(out, "hash %016llx\n", (unsigned long long)lode_graph_sink_hash_value(hash));
    }
    return fflush(out) == 0 && !ferror(out);
}

/* *hash: the one that computes a hash, if one is wanted; it may be within *out. */
static lode_status open_sink(lode_job *job, const cli_args *args, const lode_graphs *data,
                             lode_graph_sink **out, const lode_graph_sink **hash) {
    const char *path = cli_given(args, "output"), *folder = cli_given(args, "svg");
    lode_graph_sink *inner = NULL;
    lode_status status;
    if (cli_given(args, "hash")) {
        status = lode_graph_sink_hash(job, &inner, data);
        *hash = inner;
    } else if (cli_given(args, "count")) {
        status = lode_graph_sink_count(job, &inner);
    } else {
        status = lode_graph_sink_file(job, &inner, data, path ? path : "-",
                                      lode_options_graph_write(args->options));
    }
    if (status == LODE_OK && folder) {
        status = lode_graph_sink_draw(job, out, data, folder, SVG_MOST, inner);
        if (status != LODE_OK) lode_graph_sink_free(inner);
        return status;
    }
    *out = inner;
    return status;
}

/* What does not go with --verify, which writes no patterns. */
static bool check_verify(const cli_args *args) {
    static const char *const others[] = {"output", "count", "hash", "svg", "report"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!cli_given(args, others[i])) continue;
        cli_error("--%s does not go with --verify, which mines nothing", others[i]);
        return false;
    }
    if (strcmp(args->file, "-") == 0 && strcmp(cli_given(args, "verify"), "-") == 0) {
        cli_error("standard input cannot be the graphs and the patterns of --verify at once");
        return false;
    }
    return true;
}

static bool check_args(const cli_args *args) {
    if (cli_given(args, "verify")) return check_verify(args);
    if (!cli_has_support(args)) return false;
    if (cli_given(args, "count") && cli_given(args, "output")) {
        cli_error("--count writes to standard output; it cannot be combined with --output");
        return false;
    }
    if (cli_given(args, "hash") && !cli_given(args, "count")) {
        cli_error("--hash goes with --count");
        return false;
    }
    return true;
}

/* Prints the numbers, if they are wanted. */
static lode_status print_result(lode_job *job, const cli_args *args, const lode_graph_sink *sink,
                                const lode_graph_sink *hash) {
    char message[256];
    if (!cli_given(args, "count") || print_counts(sink, hash, stdout)) return LODE_OK;
    snprintf(message, sizeof message, "cannot write 'standard output': %s", strerror(errno));
    lode_report_fail(job, LODE_IO, message);
    cli_error("%s", message);
    return LODE_IO;
}

/* Reads, mines and writes; the objects are freed by the caller. */
static int mine(const cli_args *args, lode_job *job, lode_graphs **data, lode_graph_sink **sink) {
    const lode_graph_sink *hash = NULL;
    lode_status status =
        lode_graphs_open(job, data, args->file, lode_options_graph_read(args->options));
    if (status == LODE_OK) status = open_sink(job, args, *data, sink, &hash);
    if (status != LODE_OK) return cli_fail(job, status);
    lode_status mined = lode_graphs_mine(job, *data, lode_options_graph(args->options), *sink);
    bool usable = mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
    if (!usable) return cli_fail(job, mined);
    status = lode_graph_sink_finish(*sink, mined == LODE_CANCELLED);
    if (status != LODE_OK) return cli_fail(job, status);
    status = print_result(job, args, *sink, hash);
    return lode_exit_code(status != LODE_OK ? status : mined);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* Compares the supports that a pattern file gives with those found one by one. */
static lode_status verify(lode_job *job, const cli_args *args, const lode_graphs *data,
                          const lode_graphs *patterns, uint64_t *wrong) {
    uint64_t n = cli_graph_profile(patterns).n_graphs;
    for (uint64_t i = 0; i < n; i++) {
        lode_graph p = LODE_INIT(lode_graph);
        lode_graphs_at(patterns, i, &p);
        uint64_t support = 0, given = lode_graphs_given_support(patterns, i);
        lode_status status = lode_graphs_support(
            job, data, patterns, &p, lode_options_graph(args->options)->induced, &support);
        if (status != LODE_OK) return status;
        if (support == given) continue;
        char name[64];
        size_t length = lode_graphs_name(patterns, i, name, sizeof name);
        int shown = (int)(length < sizeof name ? length : sizeof name);
        printf("pattern %.*s: support %llu, ", shown, name, (unsigned long long)support);
        if (given > 0) {
            printf("given as %llu\n", (unsigned long long)given);
        } else {
            printf("but none is given (t # N * SUPPORT)\n");
        }
        ++*wrong;
    }
    return LODE_OK;
}

static int run_verify(const cli_args *args, lode_job *job) {
    lode_graphs *data = NULL, *patterns = NULL;
    uint64_t wrong = 0;
    lode_status status =
        lode_graphs_open(job, &data, args->file, lode_options_graph_read(args->options));
    if (status == LODE_OK) {
        const char *path = cli_given(args, "verify");
        status = lode_graphs_open(job, &patterns, path, lode_options_graph_read(args->options));
    }
    if (status == LODE_OK) status = verify(job, args, data, patterns, &wrong);
    int code = status != LODE_OK ? cli_fail(job, status) : wrong ? CLI_FAILED : CLI_DONE;
    cli_progress_end();
    if (status == LODE_OK) {
        printf("%s of %s patterns are wrong\n", cli_count(wrong),
               cli_count(cli_graph_profile(patterns).n_graphs));
    }
    lode_graphs_free(patterns);
    lode_graphs_free(data);
    return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int run_mine(const cli_args *args, lode_job *job, const cli_report_form *form) {
    lode_graphs *data = NULL;
    lode_graph_sink *sink = NULL;
    int code = cli_report(args, job, form, mine(args, job, &data, &sink));
    lode_graph_sink_free(sink);
    lode_graphs_free(data);
    return code;
}

/* Lists of graphs and places are left out by no format in silence. */
static bool may_list(const cli_args *args) {
    const lode_graph_options *o = lode_options_graph(args->options);
    lode_graph_write_format format = lode_options_graph_write(args->options)->format;
    bool lists = format == LODE_GRAPH_WRITE_GSPAN || format == LODE_GRAPH_WRITE_JSONL;
    if (lists || cli_given(args, "count") || !(o->supporters || o->embeddings)) return true;
    cli_error("--%s is written by -w gspan and -w jsonl only",
              o->supporters ? "graphs" : "embeddings");
    return false;
}

static int run_graphs(cli_args *args) {
    lode_job *job = NULL;
    cli_report_form form;
    if (!check_args(args) || !may_list(args) || !cli_parse_report(args, &form)) return CLI_USAGE;
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    int code = cli_given(args, "verify") ? run_verify(args, job) : run_mine(args, job, &form);
    cli_job_free(job);
    return code;
}

const cli_command cli_graphs = {
    .name = "graphs",
    .arguments = "FILE -s SUPPORT [options]",
    .summary = "find the connected subgraphs that occur in at least SUPPORT graphs",
    .examples =
        "  lode graphs molecules.lg -s 10%              every subgraph of 10% of the graphs\n"
        "  lode graphs molecules.lg -s 5% --target closed -w csv -o out.csv\n"
        "  lode graphs molecules.lg -s 10% --min-edges 4 --target top:20 --svg drawings\n"
        "  lode graphs calls.lg.gz -s 100 --directed --graphs --embeddings -w jsonl\n"
        "  lode graphs molecules.lg --verify out.lg      count the patterns of out.lg again\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_GRAPH_READ | LODE_OPTION_GRAPH |
              LODE_OPTION_GRAPH_WRITE | LODE_OPTION_GRAPH_PAPERS,
    .options = own_options,
    .n_files = 1,
    .run = run_graphs,
};
