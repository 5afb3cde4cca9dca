/* demo.c - lode demo: generates baskets, mines them, and says what the first rule means
 *
 * The baskets are those of the examples in README.md. Without --output they never become a file: a
 * child process generates them, and this one reads them from a pipe as its standard input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "explain.h"

static const cli_option demo_options[] = {
    {"output", 'o', "FILE", "leave no file", "also keep the baskets in FILE"},
    {0},
};

typedef struct demo_run {
    const cli_args *args;
    lode_job *job;
    lode_dataset *data;
    const char *file; /* what the commands below name */
} demo_run;

/* ---- the baskets ---------------------------------------------------------------------------- */

static lode_status demo_write_baskets(lode_job *job, const char *path) {
    lode_quest_options q = LODE_INIT(lode_quest_options);
    q.n_transactions = 20000;
    q.n_items = 120;
    q.mean_length = 8;
    q.mean_pattern = 3;
    q.seed = 7;
    q.names = true;
    return lode_generate_quest(job, path, &q);
}

/* In the child: the reader's end of the pipe is not ours. */
static void demo_feed(const demo_run *r, const int ends[2]) {
    lode_job *job = NULL;
    close(ends[0]);
    lode_status status = dup2(ends[1], STDOUT_FILENO) < 0 ? LODE_IO : LODE_OK;
    close(ends[1]);
    if (status == LODE_OK) status = lode_job_create(&job, NULL, lode_options_job(r->args->options));
    if (status == LODE_OK) status = demo_write_baskets(job, "-");
    _exit(status == LODE_OK ? CLI_DONE : cli_fail(job, status));
}

/* Makes standard input the baskets; *child is the process that writes them. */
static bool demo_connect(const demo_run *r, pid_t *child) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    *child = fork(); /* no thread has started yet */
    if (*child == 0) demo_feed(r, ends);
    bool connected = *child > 0 && dup2(ends[0], STDIN_FILENO) >= 0;
    close(ends[0]);
    close(ends[1]);
    return connected;
}

static int demo_read_pipe(demo_run *r) {
    pid_t child = -1;
    int how = 0;
    if (!demo_connect(r, &child)) {
        cli_error("demo: cannot start a process: %s", strerror(errno));
        return CLI_FAILED;
    }
    lode_status status = cli_job_create(&r->job, r->args);
    if (status == LODE_OK) {
        status = lode_dataset_open(r->job, &r->data, "-", lode_options_read(r->args->options));
    }
    close(STDIN_FILENO); /* a child that still writes ends */
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) continue;
    if (status != LODE_OK) return cli_fail(r->job, status);
    if (WIFEXITED(how)) return WEXITSTATUS(how); /* if it failed, it has said why */
    cli_error("demo: the generator was killed");
    return CLI_FAILED;
}

static int demo_read_file(demo_run *r) {
    lode_status status = cli_job_create(&r->job, r->args);
    if (status == LODE_OK) status = demo_write_baskets(r->job, r->file);
    if (status == LODE_OK) {
        status = lode_dataset_open(r->job, &r->data, r->file, lode_options_read(r->args->options));
    }
    return status == LODE_OK ? CLI_DONE : cli_fail(r->job, status);
}

/* ---- the two searches ----------------------------------------------------------------------- */

static lode_status demo_set(const demo_run *r, unsigned groups, const char *const words[][2]) {
    lode_status status = LODE_OK;
    for (size_t i = 0; status == LODE_OK && words[i][0]; i++) {
        status = lode_options_set_in(r->args->options, groups, words[i][0], words[i][1], NULL, 0);
    }
    return status;
}

/* Takes the sink. */
static lode_status demo_finish(lode_sink *sink, lode_status status) {
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    lode_sink_free(sink);
    return status;
}

static lode_status demo_itemsets(const demo_run *r) {
    static const char *const words[][2] = {{"min-size", "2"}, {"target", "top:5"}, {NULL, NULL}};
    const unsigned groups = LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT;
    lode_options *o = r->args->options;
    lode_sink *sink = NULL;
    cli_print(stdout, "\n$ lode itemsets %s --min-size 2 --target top:5\n", r->file);
    fflush(stdout); /* the sink writes to the descriptor */
    lode_status status = demo_set(r, groups, words);
    if (status == LODE_OK) {
        status = lode_sink_file(r->job, &sink, r->data, "-", lode_options_write(o));
    }
    if (status == LODE_OK) status = lode_mine(r->job, r->data, lode_options_mine(o), sink);
    return demo_finish(sink, status);
}

/* A name, or the part of it that is shown. */
static const char *demo_name(const void *data, uint32_t item, size_t *bytes) {
    static char name[EXPLAIN_NAME_MOST + 1];
    *bytes = lode_dataset_item_name(data, item, name, sizeof name);
    return name;
}

static void demo_explain(const demo_run *r, const lode_sink *sink) {
    const explainer e = {demo_name, r->data, cli_show_stream, stdout, false};
    lode_rule_result result = LODE_INIT(lode_rule_result);
    lode_rule rule = LODE_INIT(lode_rule);
    lode_store_row row = LODE_INIT(lode_store_row);
    if (!lode_rule_sink_result(sink, &result) || !lode_rule_result_at(&result, 0, &rule)) return;
    row.items = rule.lhs;
    row.n_items = rule.n_lhs;
    row.rhs = rule.rhs;
    row.n_rhs = rule.n_rhs;
    row.counts = rule.counts;
    printf("\nThe first rule in words: ");
    explain_row(&e, LODE_RULES, &row);
    printf("\n");
}

/* Searches once for the text, and once for the rule that is explained: the data are prepared. */
static lode_status demo_rules(const demo_run *r) {
    static const char *const words[][2] = {{"min-support", "1%"}, {"min-confidence", "60%"},
                                           {"sort-by", "lift"},   {"top", "3"},
                                           {"measure", "+lift"},  {NULL, NULL}};
    lode_options *o = r->args->options;
    lode_sink *sink = NULL;
    cli_print(stdout, "\n$ lode rules %s -s 1%% -c 60%% --sort-by lift --top 3\n", r->file);
    fflush(stdout);
    lode_status status = demo_set(r, LODE_OPTION_RULE | LODE_OPTION_RULE_WRITE, words);
    if (status == LODE_OK) {
        status = lode_rule_sink_file(r->job, &sink, r->data, "-", lode_options_rule_write(o));
    }
    if (status == LODE_OK) status = lode_rules_mine(r->job, r->data, lode_options_rule(o), sink);
    status = demo_finish(sink, status);
    if (status != LODE_OK) return status;
    sink = NULL;
    status = lode_rule_sink_memory(r->job, &sink);
    if (status == LODE_OK) status = lode_rules_mine(r->job, r->data, lode_options_rule(o), sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    if (status == LODE_OK) demo_explain(r, sink);
    lode_sink_free(sink);
    return status;
}

static int demo_mine(const demo_run *r) {
    lode_profile p = cli_profile(r->data);
    printf("%s generated baskets of %s products, with some combinations hidden in them\n",
           cli_count(p.n_transactions), cli_count(p.n_items));
    lode_status status = demo_itemsets(r);
    if (status == LODE_OK) status = demo_rules(r);
    if (status != LODE_OK) return cli_fail(r->job, status);
    if (cli_given(r->args, "output")) {
        cli_print(stdout, "\nThe baskets are in %s.\n", r->file);
    } else {
        printf("\n`lode demo -o baskets.csv` keeps the baskets, so that you can run these "
               "commands.\n");
    }
    printf("With your own file, one basket per line and names separated by commas:\n"
           "  lode suggest FILE                             which threshold gives how many\n"
           "  lode itemsets FILE -s 1%%\n");
    if (!cli_other_program()) {
        printf("  lode serve --open                             the same in the browser\n");
    }
    return CLI_DONE;
}

static int run_demo(cli_args *args) {
    const char *output = cli_given(args, "output");
    demo_run r = {.args = args, .file = output ? output : "baskets.csv"};
    if (output && strcmp(output, "-") == 0) {
        cli_error("demo: --output needs the name of a file; `lode generate quest` writes to "
                  "standard output");
        return CLI_USAGE;
    }
    static const char *const others[] = {".xlsx", ".xls", ".arrow", ".parquet", ".json", ".gz"};
    const char *ending = output ? strrchr(output, '.') : NULL;
    for (size_t i = 0; ending && i < sizeof others / sizeof *others; i++) {
        if (strcasecmp(ending, others[i]) != 0) continue;
        cli_error("demo writes text, one basket per line; use -o NAME.csv");
        return CLI_USAGE;
    }
    int code = output ? demo_read_file(&r) : demo_read_pipe(&r);
    cli_progress_end();
    if (code == CLI_DONE) code = demo_mine(&r);
    lode_dataset_free(r.data);
    cli_job_free(r.job);
    return code;
}

const cli_command cli_demo = {
    .name = "demo",
    .arguments = "[options]",
    .summary = "generate baskets, mine them and explain a rule, in two seconds",
    .examples = "  lode demo                                     leaves no file\n"
                "  lode demo -o baskets.csv                      keeps the baskets\n",
    .groups = LODE_OPTION_JOB,
    .options = demo_options,
    .run = run_demo,
};
