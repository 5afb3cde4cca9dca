/* graphs.c - lode graphs FILE -s SUPPORT
 * SPDX-License-Identifier: Apache-2.0 */
#include "mine.h"

#define SVG_MOST 50

static const cli_option graphs_options[] = {
    CLI_OUTPUT_OPTION,
    {"count", 'c', NULL, "write the patterns",
     "write only how many there are of each number of edges"},
    CLI_HASH_OPTION,
    CLI_JOURNAL_OPTIONS,
    {"svg", 0, "DIR", "no drawings", "draw the 50 most frequent patterns into a folder"},
    {"verify", 0, "FILE", "mine",
     "instead of mining, count the patterns of a file again, one by one, and compare supports"},
    CLI_REPORT_OPTIONS,
    {0},
};

static lode_status graphs_read(lode_job *job, const cli_args *args, void **data) {
    return lode_graphs_open(job, (lode_graphs **)data, args->file,
                            lode_options_graph_read(args->options));
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

static const cli_mining graphs_mining = {
    .open = graphs_read,
    .hash_sink = graphs_hash_sink,
    .file_sink = graphs_file_sink,
    .wrap_sink = graphs_draw,
    .mine = graphs_mine,
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
    .summary = "find the connected subgraphs that occur in at least SUPPORT graphs",
    .examples =
        "  lode graphs molecules.lg -s 10%              every subgraph of 10% of the graphs\n"
        "  lode graphs molecules.lg -s 5% --target closed -w csv -o out.csv\n"
        "  lode graphs molecules.lg -s 10% --min-edges 4 --target top:20 --svg drawings\n"
        "  lode graphs calls.lg.gz -s 100 --directed --graphs --embeddings -w jsonl\n"
        "  lode graphs molecules.lg --verify out.lg      count the patterns of out.lg again\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_GRAPH_READ | LODE_OPTION_GRAPH |
              LODE_OPTION_GRAPH_WRITE | LODE_OPTION_GRAPH_PAPERS | LODE_OPTION_GRAPH_SHARE,
    .options = graphs_options,
    .n_files = 1,
    .run = run_graphs,
};
