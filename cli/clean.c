/* clean.c - lode clean FILE... -o OUT: cleans noisy data before mining, and reports the changes
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli_file.h"

/* Writes the report as --report asks: for people to standard error, or as JSON. */
static int write_report(const lode_clean_report *report, const cli_report_form *form, bool wanted) {
    cli_file file;
    if (!form->machine && !wanted) return CLI_DONE;
    cli_progress_hide();
    if (!cli_file_open(&file, form->path, true)) return CLI_FAILED;
    lode_status status = form->machine
                             ? lode_clean_report_json(report, cli_file_write, file.stream)
                             : lode_clean_report_text(report, cli_show_stream, file.stream);
    return cli_file_finish(&file, status) ? CLI_DONE : CLI_FAILED;
}

static lode_status clean_data(cli_args *args, lode_job *job, lode_dataset **clean,
                              lode_clean_report **report) {
    lode_dataset *data = NULL;
    lode_status status = cli_open_data(job, &data, args);
    if (status == LODE_OK) {
        status = lode_clean(job, clean, data, lode_options_clean(args->options), report);
    }
    lode_dataset_free(data);
    return status;
}

static int clean_all(cli_args *args, lode_job *job, const cli_report_form *form) {
    lode_dataset *clean = NULL;
    lode_clean_report *report = NULL;
    const char *output = cli_given(args, "output"), *map = cli_given(args, "suggest-map");
    bool dry = cli_given(args, "dry-run") != NULL;
    lode_status status = clean_data(args, job, &clean, &report);
    if (status == LODE_OK && !dry) {
        status = lode_dataset_write(job, clean, NULL, output ? output : "-",
                                    lode_options_basket_write(args->options));
    }
    if (status == LODE_OK && map) status = lode_clean_write_map(job, report, map);
    cli_progress_end();
    int code = status == LODE_OK ? write_report(report, form, !cli_given(args, "quiet"))
                                 : cli_fail(job, status);
    lode_clean_report_free(report);
    lode_dataset_free(clean);
    return code;
}

const char *const cli_clean_formats[] = {"basket", "fimi", "table", "jsonl", NULL};

static bool clean_check_args(const cli_args *args, cli_report_form *form) {
    const char *map = cli_given(args, "suggest-map");
    if (lode_options_basket_write(args->options)->format > LODE_BASKET_JSONL) {
        cli_error("clean cannot write text or csv; use basket, fimi, table or jsonl");
        return false;
    }
    if (cli_given(args, "dry-run") && cli_given(args, "output")) {
        cli_error("--dry-run cannot be combined with --output");
        return false;
    }
    if (!cli_may_write(args, "suggest-map", map) || !cli_parse_report(args, form)) return false;
    if (!map || !form->path || strcmp(map, form->path) != 0) return true;
    cli_error("--suggest-map and --report are the same file, '%s'; give another name", map);
    return false;
}

/* Transactions keep their ids if the format has a place for them. */
static lode_status clean_defaults(cli_args *args) {
    char message[64];
    if (lode_options_basket_write(args->options)->format < LODE_BASKET_TABLE) return LODE_OK;
    return lode_options_set_in(args->options, LODE_OPTION_BASKET_WRITE, "ids", NULL, message,
                               sizeof message);
}

static int run_clean(cli_args *args) {
    lode_job *job = NULL;
    cli_report_form form;
    if (!clean_check_args(args, &form) || !cli_write_by_name(args, cli_clean_formats)) {
        return CLI_USAGE;
    }
    if (form.tsv) {
        cli_error("--report tsv: expected json or json=FILE");
        return CLI_USAGE;
    }
    if (!cli_file_check(form.path) || !cli_file_check(cli_given(args, "suggest-map"))) {
        return CLI_FAILED;
    }
    lode_status status = clean_defaults(args);
    if (status == LODE_OK) status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    int code = clean_all(args, job, &form);
    cli_job_free(job);
    return code;
}

static const cli_option clean_options[] = {
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {"dry-run", 0, NULL, "write", "only report what would change"},
    {"suggest-map", 0, "FILE", "none",
     "write a mapping of names that may mean the same item; check it, then pass it to --map"},
    {"report", 0, "json[=FILE]", "text", "write the report as json, to standard error or to FILE"},
    {"quiet", 'q', NULL, "also print a report on standard error",
     "print only results, warnings and errors"},
    {0},
};

static const cli_option clean_means[] = {
    {"write", 'w', "FORMAT", "basket; jsonl for -o NAME.jsonl",
     "basket: a,b; fimi: 1 2; table: id,a; jsonl: [\"a\",\"b\"]"},
    {"ids", 0, NULL, "kept if the format has ids",
     "keep transaction ids; table and jsonl write them"},
    {0},
};

const cli_command cli_clean = {
    .name = "clean",
    .arguments = "FILE... [options] -o OUT",
    .summary = "clean a noisy data set: fix names; drop items, baskets and rows",
    .examples = "  lode clean sales.csv --fold-case --drop 'POSTAGE' -o clean.csv\n"
                "  lode clean sales.csv --drop-rows 'InvoiceNo=C*' --drop-rows 'Quantity<=0' "
                "--dry-run\n"
                "  lode clean baskets.csv --map names.csv --min-item-support 5 --min-basket 2 "
                "-o clean.csv\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_CLEAN | LODE_OPTION_BASKET_WRITE,
    .options = clean_options,
    .means = clean_means,
    .n_files = CLI_MANY_FILES,
    .run = run_clean,
};
