/* look.c - lode FILE...: what the files contain, a sensible threshold, and commands to try next
 * SPDX-License-Identifier: Apache-2.0 */
#include "look.h"

#include <string.h>
#include <sys/stat.h>

#include "graph_input.h"
#include "suggest.h"

#define WANTED         1000 /* patterns that a person can look through */
#define SECONDS        1.0  /* for estimates */
#define GRAPH_SECONDS  0.5  /* for each threshold that is tried */
#define GRAPH_PATTERNS 2000 /* at most */

bool look_is_file(const char *word) {
    struct stat file;
    return strcmp(word, "-") == 0 || (stat(word, &file) == 0 && !S_ISDIR(file.st_mode));
}

/* The file is read twice: whether it contains graphs, and then all of it. The commands that are
 * offered name it, too, and a pipe such as <(...) of the shell is gone by then. */
static bool can_read_twice(const char *file) {
    bool is_input = strcmp(file, "-") == 0;
    if (cli_can_repeat(file)) return true;
    cli_error("`lode FILE` reads twice, and %s%s%s can be read only once; give the name of a file, "
              "or use %s",
              is_input ? "" : "'", is_input ? "standard input" : file, is_input ? "" : "'",
              is_input ? "`lode stats -`" : "`lode stats` in place of `lode`");
    return false;
}

/* ---- commands that can be pasted ------------------------------------------------------------- */

/* "  lode COMMAND FILE... OPTIONS", and what it does. */
static void put_command(const cli_args *args, const char *command, const char *options,
                        const char *does) {
    printf("  lode %s", command);
    cli_put_input(stdout, args);
    printf("%s%s\n      %s\n", options[0] ? " " : "", options, does);
}

/* ---- transactions ---------------------------------------------------------------------------- */

static void print_baskets(const cli_args *args, const lode_dataset *data) {
    lode_profile p = cli_profile(data);
    double mean = p.n_transactions ? (double)p.n_occurrences / (double)p.n_transactions : 0;
    cli_print(stdout,
              "%s: %s transaction%s (basket%s), %s item%s, %.1f per transaction, longest %s\n",
              cli_input(args), cli_count(p.n_transactions), p.n_transactions == 1 ? "" : "s",
              p.n_transactions == 1 ? "" : "s", cli_count(p.n_items), p.n_items == 1 ? "" : "s",
              mean, cli_count(p.longest));
    cli_print(stdout, "read as %s%s%s%s%s%s in %.2f s\n", cli_format_name(p.format),
              p.columns[0] ? ": " : "", p.columns, p.sheet[0] ? ", sheet '" : "", p.sheet,
              p.sheet[0] ? "'," : "", p.read_seconds);
}

/* Prints a threshold for about WANTED patterns, and the command that finds them. */
static bool print_answer(const cli_args *args, const lode_suggestion *s, lode_suggest_target t,
                         uint64_t total) {
    lode_suggest_point p = LODE_INIT(lode_suggest_point);
    bool rules = t == LODE_SUGGEST_RULES;
    char options[64], does[128];
    if (!lode_suggestion_answer(s, t, &p)) return false;
    snprintf(options, sizeof options, "-s %llu%s", (unsigned long long)p.min_count,
             rules ? " -c 50%" : "");
    const char *number =
        p.exact && p.patterns < 1e9 ? cli_count((uint64_t)p.patterns) : suggest_number(p.patterns);
    bool one = strcmp(number, "1") == 0;
    snprintf(does, sizeof does, "%s%s %s%s%s in at least %s transaction%s (%.3g%%)",
             p.exact ? "" : "about ", number, rules ? "rule" : "itemset", one ? "" : "s",
             rules ? " (if A, then also B)" : "", cli_count(p.min_count),
             p.min_count == 1 ? "" : "s", 100 * (double)p.min_count / (double)total);
    put_command(args, rules ? "rules" : "itemsets", options, does);
    return true;
}

static lode_status look_at_transactions(lode_job *job, const cli_args *args) {
    lode_dataset *data = NULL;
    lode_suggestion *s = NULL;
    lode_suggest_options o = {.size = sizeof o,
                              .want = WANTED,
                              .targets = 1u << LODE_SUGGEST_ALL | 1u << LODE_SUGGEST_RULES,
                              .limit_seconds = SECONDS};
    lode_status status = cli_open_data(job, &data, args);
    if (status == LODE_OK) status = lode_suggest(job, data, &o, &s);
    if (status == LODE_OK) {
        uint64_t total = lode_dataset_total_weight(data);
        cli_progress_end();
        print_baskets(args, data);
        if (total == 0) {
            printf("\nThere are no transactions. Is this the right file?\n");
        } else {
            printf("\nTry next\n");
        }
        print_answer(args, s, LODE_SUGGEST_RULES, total);
        print_answer(args, s, LODE_SUGGEST_ALL, total);
        if (total > 0) {
            put_command(args, "suggest", "", "how many patterns there are at every threshold");
        }
    }
    lode_suggestion_free(s);
    lode_dataset_free(data);
    return status;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Counts the subgraphs at a threshold; *n is 0 if there are too many, or counting takes long. */
static lode_status count_subgraphs(lode_job *job, const lode_graphs *data, lode_threshold t,
                                   uint64_t *n) {
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o,
                            .min_support = t,
                            .limit_patterns = GRAPH_PATTERNS,
                            .limit_seconds = GRAPH_SECONDS};
    *n = 0;
    lode_status status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_graphs_mine(job, data, &o, sink);
    if (status == LODE_OK) *n = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return status == LODE_STOPPED || status == LODE_BUDGET ? LODE_OK : status;
}

static lode_status look_at_graphs(lode_job *job, const cli_args *args) {
    static const char *const ladder[] = {"90%", "70%", "50%", "30%", "20%", "10%", "5%", "2%"};
    lode_graphs *data = NULL;
    char options[64] = "-s 90%";
    char does[128] = "connected subgraphs in at least 90% of the graphs";
    lode_status status = cli_open_graphs(job, args, &data);
    lode_graph_profile p = LODE_INIT(lode_graph_profile);
    if (status == LODE_OK) p = cli_graph_profile(data);
    for (size_t i = 0; status == LODE_OK && i < sizeof ladder / sizeof *ladder; i++) {
        lode_threshold t;
        uint64_t n = 0;
        status = lode_threshold_parse(ladder[i], &t, NULL, 0);
        if (status == LODE_OK) status = count_subgraphs(job, data, t, &n);
        if (n == 0) break;
        snprintf(options, sizeof options, "-s %s", ladder[i]);
        snprintf(does, sizeof does, "%s connected subgraphs in at least %s of the graphs",
                 cli_count(n), ladder[i]);
        if (n >= WANTED) break;
    }
    if (status == LODE_OK) {
        cli_progress_end();
        cli_print(stdout,
                  "%s: %s %s graphs, %s vertices, %s edges, %s vertex labels, %s edge labels\n",
                  args->file, cli_count(p.n_graphs), p.directed ? "directed" : "undirected",
                  cli_count(p.n_vertices), cli_count(p.n_edges), cli_count(p.n_vertex_labels),
                  cli_count(p.n_edge_labels));
        printf("\nTry next\n");
        put_command(args, "graphs", options, does);
        strncat(options, " --target closed --svg drawings", sizeof options - strlen(options) - 1);
        put_command(args, "graphs", options,
                    "only those that no larger subgraph stands for, with drawings");
        put_command(args, "stats", "", "sizes, and numbers of small subgraphs");
    }
    lode_graphs_free(data);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_look(cli_args *args) {
    lode_job *job = NULL;
    bool graphs = false;
    for (int i = 0; i < args->n_files; i++) {
        if (!can_read_twice(args->files[i])) return CLI_USAGE;
    }
    lode_status status = cli_job_create(&job, args);
    if (status == LODE_OK && args->n_files == 1) {
        status = cli_sniff_graphs(job, args, &graphs);
    }
    if (status == LODE_OK) {
        status = graphs ? look_at_graphs(job, args) : look_at_transactions(job, args);
    }
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    cli_job_free(job);
    return code;
}

const cli_command cli_look = {
    .name = "stats", /* whose options it has, and whose help errors mention */
    .arguments = "FILE...",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_GRAPH_READ,
    .n_files = CLI_MANY_FILES,
    .run = run_look,
};
