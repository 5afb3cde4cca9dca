/* graphs.c - lode graphs FILE -s SUPPORT
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "graph_input.h"
#include "mine.h"

#define SVG_MOST 50

static const cli_option graphs_options[] = {
    CLI_OUTPUT_OPTION,
    {"count", 'c', NULL, "write the patterns",
     "write only the number of patterns of each size (number of edges)"},
    CLI_HASH_OPTION,
    CLI_JOURNAL_OPTIONS,
    {"svg", 0, "DIR", "no drawings", "draw the 50 most frequent patterns as SVG files in DIR"},
    {"verify", 0, "FILE", "search for patterns",
     "instead of mining, count each pattern of FILE again and compare the supports"},
    CLI_MOLECULES_OPTIONS,
    CLI_REPORT_OPTIONS,
    {0},
};

/* ---- lode graphs FILE --verify PATTERNS: counts the patterns of a file again, one by one ----- */

/* lode graphs --verify: whether the options go with it (if not, says so), and the command. */
static bool cli_check_verify(const cli_args *args) {
    static const char *const others[] = {"output", "count", "hash", "svg", "report"};
    static const char *const used[] = {"induced",         "directed", "memory",
                                       "skip-bad-graphs", "threads",  "labels"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!cli_given(args, others[i])) continue;
        cli_error("--%s cannot be combined with --verify", others[i]);
        return false;
    }
    for (unsigned i = 0; i < args->n_words; i++) {
        bool matters = false;
        for (size_t k = 0; k < sizeof used / sizeof *used; k++) {
            matters = matters || strcmp(args->words[i].name, used[k]) == 0;
        }
        if (matters) continue;
        cli_error("--%s cannot be combined with --verify", args->words[i].name);
        return false;
    }
    if (strcmp(args->file, "-") == 0 && strcmp(cli_given(args, "verify"), "-") == 0) {
        cli_error("--verify: graphs and patterns cannot both come from standard input");
        return false;
    }
    return true;
}

static void verify_print_wrong(const lode_graphs *patterns, uint64_t i, uint64_t support) {
    char name[64];
    size_t length = lode_graphs_name(patterns, i, name, sizeof name);
    int shown = (int)(length < sizeof name ? length : sizeof name);
    uint64_t given = lode_graphs_given_support(patterns, i);
    cli_print(stdout, "pattern %.*s: support %llu, ", shown, name, (unsigned long long)support);
    if (given > 0) {
        printf("but the file says %llu\n", (unsigned long long)given);
    } else {
        printf("but the file gives none (t # N * SUPPORT)\n");
    }
}

/* Compares the supports that a pattern file gives with those found one by one. */
static lode_status verify_all(lode_job *job, const cli_args *args, const lode_graphs *data,
                              const lode_graphs *patterns, uint64_t *wrong) {
    bool induced = lode_options_graph(args->options)->induced;
    uint64_t n = cli_graph_profile(patterns).n_graphs;
    for (uint64_t i = 0; i < n; i++) {
        lode_graph p = LODE_INIT(lode_graph);
        lode_graphs_at(patterns, i, &p);
        uint64_t support = 0;
        lode_status status = lode_graphs_support(job, data, patterns, &p, induced, &support);
        if (status != LODE_OK) return status;
        if (support == lode_graphs_given_support(patterns, i)) continue;
        verify_print_wrong(patterns, i, support);
        ++*wrong;
    }
    return LODE_OK;
}

static int verify_run(const cli_args *args, lode_job *job) {
    const lode_graph_read_options *read = lode_options_graph_read(args->options);
    lode_graphs *data = NULL, *patterns = NULL;
    uint64_t wrong = 0;
    lode_status status = cli_open_graphs(job, args, &data);
    if (status == LODE_OK) {
        lode_graph_read_options named = *read; /* patterns that were written have the names */
        named.labels = NULL;
        status = lode_graphs_open(job, &patterns, cli_given(args, "verify"), &named);
    }
    if (status == LODE_OK) status = verify_all(job, args, data, patterns, &wrong);
    int code = status != LODE_OK ? cli_fail(job, status) : wrong ? CLI_FAILED : CLI_DONE;
    cli_progress_end();
    if (status == LODE_OK) {
        printf("%s of %s supports are wrong\n", cli_count(wrong),
               cli_count(cli_graph_profile(patterns).n_graphs));
    }
    lode_graphs_free(patterns);
    lode_graphs_free(data);
    return code;
}

/* lode graphs --verify: whether the options go with it (if not, says so), and the command. */
static int cli_verify(const cli_args *args) {
    lode_job *job = NULL;
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    int code = verify_run(args, job);
    cli_job_free(job);
    return code;
}

static lode_status graphs_read(lode_job *job, const cli_args *args, void **data) {
    return cli_open_graphs(job, args, (lode_graphs **)data);
}

static lode_status graphs_hash_sink(lode_job *job, lode_sink **out, const void *data) {
    return lode_graph_sink_hash(job, out, data);
}

static lode_status graphs_file_sink(lode_job *job, lode_sink **out, const void *data,
                                    const char *path, const cli_args *args) {
    return lode_graph_sink_file(job, out, data, path, lode_options_graph_write(args->options));
}

/* With --svg, all goes through a sink that draws. */
static lode_status graphs_draw(lode_job *job, lode_sink **sink, const void *data,
                               const cli_args *args) {
    const char *folder = cli_given(args, "svg");
    lode_sink *inner = *sink;
    return folder ? lode_graph_sink_draw(job, sink, data, folder, SVG_MOST, inner) : LODE_OK;
}

static lode_status graphs_mine(lode_job *job, const void *data, const cli_args *args,
                               lode_sink *sink) {
    return lode_graphs_mine(job, data, lode_options_graph(args->options), sink);
}

static lode_status graphs_text_sink(lode_job *job, lode_sink **out, const void *data,
                                    lode_write_fn write, void *user, const cli_args *args) {
    lode_graph_write_options o = *lode_options_graph_write(args->options);
    o.unsorted = true;
    return lode_graph_sink_write(job, out, data, write, user, &o);
}

static lode_status graphs_divide(lode_job *job, lode_tasks **out, const void *data,
                                 const cli_args *args) {
    lode_graph_options o = *lode_options_graph(args->options);
    if (o.n_shares == 0) o.share = o.n_shares = 1;
    return lode_graph_tasks_create(job, out, data, &o, 0);
}

static lode_status graphs_mine_tasks(lode_job *job, const void *data, const cli_args *args,
                                     const lode_task_search *search, lode_sink *sink) {
    return lode_graphs_mine_tasks(job, data, lode_options_graph(args->options), search, sink);
}

static uint64_t graphs_fingerprint(const void *data) {
    return lode_graphs_fingerprint(data);
}

static void graphs_release(void *data) {
    lode_graphs_free(data);
}

/* Where the drawings are. */
static void graphs_say(const cli_args *args, const void *data, const lode_sink *sink,
                       bool partial) {
    const char *folder = cli_given(args, "svg");
    uint64_t n = lode_sink_patterns(sink), shown = n < SVG_MOST ? n : SVG_MOST;
    (void)data, (void)partial;
    if (!folder || n == 0) return;
    cli_print(stderr, "%s%s drawing%s in %s; %s/index.html shows %s\n",
              shown < n ? "the most frequent: " : "", cli_count(shown), shown == 1 ? "" : "s",
              folder, folder, shown == 1 ? "it" : "all");
}

static const cli_mining graphs_mining = {
    .open = graphs_read,
    .hash_sink = graphs_hash_sink,
    .file_sink = graphs_file_sink,
    .wrap_sink = graphs_draw,
    .mine = graphs_mine,
    .say = graphs_say,
    .text_sink = graphs_text_sink,
    .divide = graphs_divide,
    .mine_tasks = graphs_mine_tasks,
    .fingerprint = graphs_fingerprint,
    .free = graphs_release,
};

static int run_graphs(cli_args *args) {
    bool verifies = cli_given(args, "verify");
    bool fits = verifies ? cli_check_verify(args) : cli_check_mining(args);
    if (!fits || !cli_may_list(args)) return CLI_USAGE;
    return verifies ? cli_verify(args) : cli_mine(args, &graphs_mining);
}

const cli_command cli_graphs = {
    .name = "graphs",
    .arguments = "FILE -s SUPPORT [options]",
    .summary = "find connected subgraphs that occur in at least SUPPORT graphs",
    .examples =
        "  lode graphs molecules.lg -s 10%              subgraphs in at least 10% of the graphs\n"
        "  lode graphs molecules.lg -s 5% --target closed -w csv -o out.csv\n"
        "  lode graphs molecules.lg -s 10% --min-edges 4 --target top:20 --svg drawings\n"
        "  lode graphs calls.lg.gz -s 100 --directed --graphs --embeddings -w jsonl\n"
        "  lode graphs hiv.lg -s 10% --labels atomic     labels 6, 7, 8 are C, N, O\n"
        "  lode graphs hiv.csv --smiles smiles --class activity -s 10% -w smarts\n"
        "  lode graphs hiv.lg --class labels.txt --significant 0.05 --by permutation -w csv\n"
        "  lode graphs molecules.lg --verify out.lg      count the supports in out.lg again\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_GRAPH_READ | LODE_OPTION_GRAPH |
              LODE_OPTION_GRAPH_WRITE | LODE_OPTION_GRAPH_PAPERS | LODE_OPTION_GRAPH_SHARE |
              LODE_OPTION_GRAPH_CLASS,
    .options = graphs_options,
    .n_files = 1,
    .run = run_graphs,
};
