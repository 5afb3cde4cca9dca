/* itemsets.c - lode itemsets FILE... -s SUPPORT
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cli.h"

static const cli_option own_options[] = {
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {"count", 'c', NULL, "write the itemsets", "write only how many there are of each size"},
    {"hash", 0, NULL, "no hash", "with --count: also a hash, the same for the same result"},
    {"report", 0, "FORM[=FILE]", "text",
     "report for machines, at the end of standard error or in FILE: json, or tsv for scripts"},
    {"verbose", 'v', NULL, "the short report",
     "report how it was done, too: algorithm, phases, counters, memory"},
    {"quiet", 'q', NULL, "report on standard error", "print nothing but results and errors"},
    {0},
};

static bool print_counts(const lode_sink *sink, bool hashed, FILE *out) {
    for (uint32_t size = 1; size <= lode_sink_largest(sink); size++) {
        uint64_t n = lode_sink_patterns_of_size(sink, size);
        if (n > 0) fprintf(out, "%u %llu\n", size, (unsigned long long)n);
    }
    fprintf(out, "total %llu\n", (unsigned long long)lode_sink_patterns(sink));
    if (hashed) fprintf(out, "hash %016llx\n", (unsigned long long)lode_sink_hash_value(sink));
    return fflush(out) == 0 && !ferror(out);
}

static lode_status open_sink(lode_job *job, const cli_args *args, const lode_dataset *data,
                             lode_sink **out) {
    const char *path = cli_given(args, "output");
    if (cli_given(args, "hash")) return lode_sink_hash(job, out, data);
    if (cli_given(args, "count")) return lode_sink_count(job, out);
    return lode_sink_file(job, out, data, path ? path : "-", lode_options_write(args->options));
}

static bool check_args(const cli_args *args) {
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
static lode_status print_result(lode_job *job, const cli_args *args, const lode_sink *sink) {
    char message[256];
    if (!cli_given(args, "count") || print_counts(sink, cli_given(args, "hash"), stdout)) {
        return LODE_OK;
    }
    snprintf(message, sizeof message, "cannot write 'standard output': %s", strerror(errno));
    lode_report_fail(job, LODE_IO, message);
    cli_error("%s", message);
    return LODE_IO;
}

static bool is_usable(lode_status mined) {
    return mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
}

/* Reads, mines and writes; the objects are freed by the caller. */
static int mine(const cli_args *args, lode_job *job, lode_dataset **data, lode_sink **sink) {
    lode_status status = lode_job_expect(job, lode_options_mine(args->options));
    if (status == LODE_OK) status = cli_open_data(job, data, args);
    if (status == LODE_OK) status = open_sink(job, args, *data, sink);
    if (status != LODE_OK) return cli_fail(job, status);
    lode_status mined = lode_mine(job, *data, lode_options_mine(args->options), *sink);
    if (!is_usable(mined)) return cli_fail(job, mined);
    lode_dataset_forget(*data); /* finishing may take memory, and no other job comes */
    /* What a limit has cut was asked for: it keeps the name. */
    status = lode_sink_finish(*sink, mined == LODE_CANCELLED);
    if (status == LODE_CANCELLED) { /* while it was sorted: all is there, as PATH.partial */
        mined = status;
    } else if (status != LODE_OK) {
        return cli_fail(job, status);
    }
    status = print_result(job, args, *sink);
    return lode_exit_code(status != LODE_OK ? status : mined);
}

static int run_itemsets(cli_args *args) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    cli_report_form form;
    if (!check_args(args) || !cli_parse_report(args, &form)) return CLI_USAGE;
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    int code = cli_report(args, job, &form, mine(args, job, &data, &sink));
    lode_sink_free(sink);
    lode_dataset_free(data);
    cli_job_free(job);
    return code;
}

const cli_command cli_itemsets = {
    .name = "itemsets",
    .arguments = "FILE... -s SUPPORT [options]",
    .summary = "find the sets of items that occur together at least SUPPORT times",
    .examples =
        "  lode itemsets baskets.csv -s 1%              every itemset in 1% of the baskets\n"
        "  lode itemsets baskets.csv -s 250 -o out.txt   in 250 baskets or more, to a file\n"
        "  lode itemsets data.dat.gz -s 0.5% --count     only how many there are\n"
        "  lode itemsets sales.csv -s 1% --format table --tid InvoiceNo --item StockCode\n"
        "  lode itemsets part-*.csv -s 1%               several files as one data set\n"
        "  lode itemsets data.dat --target top:20 --min-size 2\n"
        "  lode itemsets baskets.csv -s 1% -w csv --csv-items columns --bom -o excel.csv\n"
        "  zcat big.dat.gz | lode itemsets - -s 1% --memory 2G -w csv -o out.csv\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_READ | LODE_OPTION_MINE |
              LODE_OPTION_WRITE | LODE_OPTION_PAPERS,
    .options = own_options,
    .n_files = CLI_MANY_FILES,
    .run = run_itemsets,
};
