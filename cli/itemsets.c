/* itemsets.c - lode itemsets FILE... -s SUPPORT
 * SPDX-License-Identifier: Apache-2.0 */
#include "mine.h"

static const cli_option itemsets_options[] = {
    CLI_OUTPUT_OPTION,
    CLI_ROWS_OPTION,
    {"count", 'c', NULL, "write the itemsets", "write only the number of itemsets of each size"},
    CLI_HASH_OPTION,
    CLI_JOURNAL_OPTIONS,
    CLI_REPORT_OPTIONS,
    {0},
};

static lode_status itemsets_read(lode_job *job, const cli_args *args, void **data) {
    lode_status status = lode_job_expect(job, lode_options_mine(args->options));
    return status == LODE_OK ? cli_open_data(job, (lode_dataset **)data, args) : status;
}

static lode_status itemsets_hash_sink(lode_job *job, lode_sink **out, const void *data) {
    return lode_sink_hash(job, out, data);
}

static lode_status itemsets_file_sink(lode_job *job, lode_sink **out, const void *data,
                                      const char *path, const cli_args *args) {
    return lode_sink_file(job, out, data, path, lode_options_write(args->options));
}

static pattern_table_options itemsets_table(const cli_args *args) {
    const lode_mine_options *o = lode_options_mine(args->options);
    const lode_write_options *w = lode_options_write(args->options);
    bool all = o->target == LODE_TARGET_TOP && !cli_given(args, "rows");
    return (pattern_table_options){
        .rows = all && o->top_k < PATTERN_TABLE_MOST ? o->top_k : pattern_table_rows(args),
        .order = w->sort || w->sort_by ? PATTERNS_AS_GIVEN : PATTERNS_BY_COUNT,
        .prefer = w->measures ? w->measures : w->sort_by};
}

static lode_status itemsets_table_sink(lode_job *job, lode_sink **out, const void *data,
                                       pattern_table *table, const cli_args *args) {
    lode_write_options o = *lode_options_write(args->options);
    o.format = LODE_WRITE_JSONL;
    return lode_sink_write(job, out, data, pattern_table_write, table, &o);
}

static lode_status itemsets_mine(lode_job *job, const void *data, const cli_args *args,
                                 lode_sink *sink) {
    return lode_mine(job, data, lode_options_mine(args->options), sink);
}

static void itemsets_forget(const void *data) {
    lode_dataset_forget(data);
}

static lode_status itemsets_text_sink(lode_job *job, lode_sink **out, const void *data,
                                      lode_write_fn write, void *user, const cli_args *args) {
    lode_write_options o = *lode_options_write(args->options);
    o.unsorted = true;
    return lode_sink_write(job, out, data, write, user, &o);
}

static lode_status itemsets_divide(lode_job *job, lode_tasks **out, const void *data,
                                   const cli_args *args) {
    lode_mine_options o = *lode_options_mine(args->options);
    if (o.n_shares == 0) o.share = o.n_shares = 1;
    return lode_tasks_create(job, out, data, &o, 0);
}

static lode_status itemsets_mine_tasks(lode_job *job, const void *data, const cli_args *args,
                                       const lode_task_search *search, lode_sink *sink) {
    return lode_mine_tasks(job, data, lode_options_mine(args->options), search, sink);
}

static uint64_t itemsets_fingerprint(const void *data) {
    return lode_dataset_fingerprint(data);
}

static void itemsets_release(void *data) {
    lode_dataset_free(data);
}

static const cli_mining itemsets_mining = {
    .open = itemsets_read,
    .hash_sink = itemsets_hash_sink,
    .file_sink = itemsets_file_sink,
    .table = itemsets_table,
    .table_sink = itemsets_table_sink,
    .mine = itemsets_mine,
    .text_sink = itemsets_text_sink,
    .divide = itemsets_divide,
    .mine_tasks = itemsets_mine_tasks,
    .forget = itemsets_forget,
    .fingerprint = itemsets_fingerprint,
    .free = itemsets_release,
};

static int run_itemsets(cli_args *args) {
    return cli_check_mining(args) ? cli_mine(args, &itemsets_mining) : CLI_USAGE;
}

const cli_command cli_itemsets = {
    .name = "itemsets",
    .arguments = "FILE... -s SUPPORT [options]",
    .summary = "find itemsets that occur in at least SUPPORT transactions",
    .examples =
        "  lode itemsets baskets.csv -s 1%              itemsets in at least 1% of the baskets\n"
        "  lode itemsets baskets.csv -s 250 -o out.txt   in at least 250 baskets, to a file\n"
        "  lode itemsets data.dat.gz -s 0.5% --count     only the number of itemsets\n"
        "  lode itemsets sales.csv -s 1% --format table --tid InvoiceNo --item StockCode\n"
        "  lode itemsets part-*.csv -s 1%               several files as one data set\n"
        "  lode itemsets data.dat --target top:20 --min-size 2\n"
        "  lode itemsets baskets.csv -s 1% --include milk --exclude 'bag*'\n"
        "  lode itemsets baskets.csv -s 1% --min lift=2 --sort-by lift   more often than by "
        "chance\n"
        "  lode itemsets baskets.csv -s 1% -w csv --csv-items columns --bom -o excel.csv\n"
        "  lode itemsets baskets.csv --class bag --significant 0.05   what goes with a bag, and "
        "what "
        "without\n"
        "  zcat big.dat.gz | lode itemsets - -s 1% --memory 2G -w csv -o out.csv\n"
        "  lode itemsets big.dat.gz -s 1% --memory 2G --spill /tmp   data larger than memory\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_READ | LODE_OPTION_SPILL |
              LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT | LODE_OPTION_WRITE | LODE_OPTION_PAPERS |
              LODE_OPTION_SHARE | LODE_OPTION_CLASS,
    .options = itemsets_options,
    .n_files = CLI_MANY_FILES,
    .run = run_itemsets,
};
