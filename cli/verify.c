/* verify.c - lode graphs FILE --verify PATTERNS: counts the patterns of a file again, one by one
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "mine.h"

bool cli_check_verify(const cli_args *args) {
    static const char *const others[] = {"output", "count", "hash", "svg", "report"};
    static const char *const used[] = {"induced", "directed", "memory", "skip-bad-graphs",
                                       "threads"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!cli_given(args, others[i])) continue;
        cli_error("--%s does not go with --verify, which mines nothing", others[i]);
        return false;
    }
    for (unsigned i = 0; i < args->n_words; i++) {
        bool matters = false;
        for (size_t k = 0; k < sizeof used / sizeof *used; k++) {
            matters = matters || strcmp(args->words[i].name, used[k]) == 0;
        }
        if (matters) continue;
        cli_error("--%s does not go with --verify, which counts the patterns of a file again",
                  args->words[i].name);
        return false;
    }
    if (strcmp(args->file, "-") == 0 && strcmp(cli_given(args, "verify"), "-") == 0) {
        cli_error("standard input cannot be the graphs and the patterns of --verify at once");
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
        printf("given as %llu\n", (unsigned long long)given);
    } else {
        printf("but none is given (t # N * SUPPORT)\n");
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
    lode_status status = lode_graphs_open(job, &data, args->file, read);
    if (status == LODE_OK) {
        status = lode_graphs_open(job, &patterns, cli_given(args, "verify"), read);
    }
    if (status == LODE_OK) status = verify_all(job, args, data, patterns, &wrong);
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

int cli_verify(const cli_args *args) {
    lode_job *job = NULL;
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    int code = verify_run(args, job);
    cli_job_free(job);
    return code;
}
