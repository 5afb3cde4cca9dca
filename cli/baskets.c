/* baskets.c - lode baskets FILE... --include ITEM: lists the transactions that match
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli.h"

/* Ids are kept, and the text for people is the usual one here, unless the file's name says more. */
static bool baskets_defaults(cli_args *args) {
    char message[64];
    lode_status status = lode_options_set_in(args->options, LODE_OPTION_BASKET_WRITE, "ids", NULL,
                                             message, sizeof message);
    if (status == LODE_OK && !cli_word(args, "write")) {
        status = lode_options_set_in(args->options, LODE_OPTION_BASKET_WRITE, "write", "text",
                                     message, sizeof message);
    }
    return status == LODE_OK && cli_write_by_name(args, NULL);
}

static lode_status baskets_list(cli_args *args, lode_job *job, const lode_dataset *data) {
    const lode_select_options *which = lode_options_select(args->options);
    const char *output = cli_given(args, "output");
    uint64_t n = 0;
    if (!cli_given(args, "count")) {
        lode_basket_write_options how = *lode_options_basket_write(args->options);
        how.csv_safe = cli_given(args, "csv-safe") != NULL;
        return lode_dataset_write(job, data, which, output ? output : "-", &how);
    }
    lode_status status = lode_dataset_select(job, data, which, NULL, NULL, &n);
    cli_progress_end();
    if (status == LODE_OK) printf("total %llu\n", (unsigned long long)n);
    return status;
}

static int run_baskets(cli_args *args) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    if (cli_given(args, "count") && cli_given(args, "output")) {
        cli_error("--count cannot be combined with --output");
        return CLI_USAGE;
    }
    lode_status status = baskets_defaults(args) ? cli_job_create(&job, args) : LODE_NOMEM;
    if (status != LODE_OK) return cli_fail(NULL, status);
    status = cli_open_data(job, &data, args);
    if (status == LODE_OK) status = baskets_list(args, job, data);
    cli_progress_end();
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    lode_dataset_free(data);
    cli_job_free(job);
    return code;
}

static const cli_option baskets_options[] = {
    {"count", 'c', NULL, "list the transactions", "print only the number of transactions"},
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {"csv-safe", 0, NULL, "names unchanged",
     "csv for spreadsheets: put an apostrophe before names that start with = + - @ or a control "
     "character, so that they are not read as formulas"},
    {"quiet", 'q', NULL, "also print progress and notes",
     "print only results, warnings and errors"},
    {0},
};

static const cli_option baskets_means[] = {
    {"write", 'w', "FORMAT", "text; csv or jsonl for -o NAME.csv or NAME.jsonl",
     "basket: a,b; fimi: 1 2; table: id,a; jsonl: [\"a\",\"b\"]; text: 7: a, b; csv: 7,id,a|b"},
    {0},
};

const cli_command cli_baskets = {
    .name = "baskets",
    .arguments = "FILE... [options]",
    .summary = "list the transactions that contain, or do not contain, given items",
    .examples = "  lode baskets baskets.csv --include \"milk bread\" --exclude beer\n"
                "  lode baskets sales.csv --include 'beer*' --count\n"
                "  lode baskets sales.csv --include wine --write basket -o wine.csv\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_SELECT | LODE_OPTION_BASKET_WRITE,
    .options = baskets_options,
    .means = baskets_means,
    .n_files = CLI_MANY_FILES,
    .run = run_baskets,
};
