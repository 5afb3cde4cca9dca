/* apply.c - lode apply RULES FILE: what stored rules recommend for each basket
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli.h"

static const cli_option apply_options[] = {
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {"quiet", 'q', NULL, "progress, notes", "print errors and warnings only"},
    {0},
};

/* csv, unless another format was asked for. */
static bool choose_csv(cli_args *args) {
    for (unsigned i = 0; i < args->n_words; i++) {
        if (strcmp(args->words[i].name, "write") == 0) return true;
    }
    return lode_options_set_in(args->options, LODE_OPTION_APPLY, "write", "csv", NULL, 0) ==
           LODE_OK;
}

static lode_status apply_all(lode_job *job, const cli_args *args, lode_store **store,
                             lode_dataset **data) {
    const char *path = cli_given(args, "output");
    uint64_t written = 0;
    lode_status status = lode_store_open(job, store, args->files[0]);
    if (status != LODE_OK) return status;
    status = lode_dataset_open(job, data, args->files[1], lode_options_read(args->options));
    if (status != LODE_OK) return status;
    if (!path || strcmp(path, "-") == 0) cli_progress_end();
    return lode_store_apply_file(*store, *data, lode_options_apply(args->options),
                                 path ? path : "-", &written);
}

static int run_apply(cli_args *args) {
    lode_job *job = NULL;
    lode_store *store = NULL;
    lode_dataset *data = NULL;
    if (args->n_files < 2 || !choose_csv(args)) {
        cli_error("which baskets? expected: lode apply RULES FILE");
        return CLI_USAGE;
    }
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    status = apply_all(job, args, &store, &data);
    cli_progress_end();
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    lode_store_free(store);
    lode_dataset_free(data);
    cli_job_free(job);
    return code;
}

const cli_command cli_apply = {
    .name = "apply",
    .arguments = "RULES FILE [options]",
    .summary = "recommend items for each basket of FILE, by stored rules (-w arrow)",
    .examples = "  lode rules baskets.csv -s 1% -c 50% -w arrow -o rules.arrow\n"
                "  lode apply rules.arrow new.csv\n"
                "  lode apply rules.arrow new.csv --by lift --top 3 -w jsonl -o advice.jsonl\n"
                "  lode apply rules.arrow new.csv --all               every rule that applies\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_APPLY,
    .options = apply_options,
    .n_files = 2,
    .run = run_apply,
};
