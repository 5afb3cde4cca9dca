/* query.c - lode query RESULT: shows rows of a stored result that meet conditions, in any order
 * SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pattern_table.h"
#include "terminal.h"

static const cli_option query_options[] = {
    {"count", 0, NULL, "write rows", "write only the number of rows"},
    {"histogram", 0, "NAME[:BINS]", "write rows",
     "draw a histogram of a column; log:NAME for a logarithmic scale"},
    {"histogram2", 0, "X,Y", "write rows",
     "draw a histogram of two columns; X and Y are NAME[:BINS]"},
    {"columns", 0, NULL, "write rows",
     "list the columns of the result and the measures that can be computed"},
    {"output", 'o', "FILE", "standard output",
     "where to write; FILE.jsonl implies -w jsonl, any other name -w csv"},
    {"quiet", 'q', NULL, "also print progress and notes",
     "print only results, warnings and errors"},
    {0},
};

/* Only one of these; none: rows are written. */
static bool check_query(const cli_args *args) {
    static const char *const kinds[] = {"count", "histogram", "histogram2", "columns"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!cli_given(args, kinds[i])) continue;
        if (first) {
            cli_error("--%s cannot be combined with --%s", first, kinds[i]);
            return false;
        }
        first = kinds[i];
    }
    if (first && cli_given(args, "output")) {
        cli_error("--%s writes to standard output; it cannot be combined with --output", first);
        return false;
    }
    return query_check_histograms(args);
}

static lode_status print_columns(const lode_store *store) {
    static const char *const types[] = {"items", "text", "count", "number"};
    lode_column c = LODE_INIT(lode_column);
    for (uint32_t i = 0; lode_store_column(store, i, &c); i++) {
        printf("%-24s %-7s %s\n", c.name, types[c.type], c.stored ? "stored" : "computed");
    }
    return LODE_OK;
}

static lode_status print_count(const cli_args *args, lode_store *store) {
    uint64_t n = 0;
    lode_status status = lode_store_count(store, lode_options_query(args->options), &n);
    if (status == LODE_OK) printf("%llu\n", (unsigned long long)n);
    return status;
}

/* Below a table: how much of the whole it is. */
static lode_status print_more(const cli_args *args, lode_store *store, uint64_t written) {
    const lode_query_write_options *how = lode_options_query_write(args->options);
    uint64_t n = 0, page = how->page ? how->page : 1;
    lode_status status = lode_store_count(store, lode_options_query(args->options), &n);
    if (status != LODE_OK) return status;
    uint64_t rows = how->rows ? how->rows : 20;
    printf("%s of %s row%s", cli_count(written), cli_count(n), n == 1 ? "" : "s");
    if (rows < n && page <= n / rows && page * rows < n) {
        printf("; --page %llu for more, --rows all for all", (unsigned long long)page + 1);
    } else if (written == 0 && n > 0) {
        printf("; the last page is %llu", (unsigned long long)((n - 1) / rows + 1));
    }
    putchar('\n');
    return LODE_OK;
}

/* Whether the rows are shown as a table that fits the terminal. So many rows that nobody reads them
 * are written as they come. */
static bool query_fits_terminal(const cli_args *args) {
    const lode_query_write_options *how = lode_options_query_write(args->options);
    return !cli_given(args, "output") && !cli_word(args, "write") && terminal_is(stdout) &&
           how->rows <= PATTERN_TABLE_MOST;
}

static lode_status query_show(const cli_args *args, lode_store *store) {
    lode_query_write_options how = *lode_options_query_write(args->options);
    uint64_t written = 0, received;
    if (how.rows == 0) how.rows = PATTERN_TABLE_ROWS;
    pattern_table_options o = {
        .rows = how.rows, .order = PATTERNS_AS_GIVEN, .all_columns = true, .prefer = how.measures};
    pattern_table *t = pattern_table_create(&o);
    if (!t) return LODE_NOMEM;
    how.format = LODE_STORE_JSONL;
    cli_progress_end();
    lode_status status = lode_store_write_call(store, lode_options_query(args->options),
                                               pattern_table_write, t, &how, &written);
    if (status == LODE_OK && !pattern_table_print(t, &written, &received)) status = LODE_NOMEM;
    pattern_table_free(t);
    return status == LODE_OK ? print_more(args, store, written) : status;
}

static lode_status query_write(const cli_args *args, lode_store *store) {
    const lode_query_options *query = lode_options_query(args->options);
    const lode_query_write_options *how = lode_options_query_write(args->options);
    const char *path = cli_given(args, "output");
    uint64_t written = 0;
    cli_progress_end();
    lode_status status = lode_store_write(store, query, path ? path : "-", how, &written);
    bool text = how->format == LODE_STORE_TEXT && (!path || strcmp(path, "-") == 0);
    return status == LODE_OK && text ? print_more(args, store, written) : status;
}

/* Whether the result has all rows of --pick, as far as these are numbers. Prints a message if
 * not. */
static bool query_has_picks(const cli_args *args, const lode_store *store) {
    lode_store_info info = LODE_INIT(lode_store_info);
    const char *at = lode_options_query(args->options)->pick;
    if (!lode_store_about(store, &info)) return true;
    for (; at && *at >= '0' && *at <= '9'; at += *at != 0) {
        char *end = NULL;
        unsigned long long row = strtoull(at, &end, 10);
        at = end;
        if (row < info.rows) continue;
        cli_error("--pick %llu: no such row; the result has %s row%s, numbered from 0", row,
                  cli_count(info.rows), info.rows == 1 ? "" : "s");
        return false;
    }
    return true;
}

/* Says that rows were tested, and what a selection of them still means. */
static void query_note_test(const cli_args *args, const lode_store *store) {
    const lode_query_options *q = lode_options_query(args->options);
    const char *tested = lode_store_tested(store);
    bool some = q->minima || q->maxima || q->include || q->exclude || q->match || q->min_size > 0 ||
                q->max_size > 0 || q->pick;
    if (!tested[0] || cli_given(args, "quiet")) return;
    fprintf(stderr, "significant patterns: %s\n", tested);
    if (some && strncmp(tested, "fdr", 3) == 0) {
        fputs("the expected share of false findings is limited for all rows together, not for a "
              "selection of them\n",
              stderr);
    }
}

static lode_status answer_query(const cli_args *args, lode_store *store) {
    if (cli_given(args, "columns")) return print_columns(store);
    if (cli_given(args, "count")) return print_count(args, store);
    if (cli_given(args, "histogram")) {
        return query_histogram(args, store, cli_given(args, "histogram"));
    }
    if (cli_given(args, "histogram2")) {
        return query_histogram2(args, store, cli_given(args, "histogram2"));
    }
    return query_fits_terminal(args) ? query_show(args, store) : query_write(args, store);
}

static int run_query(cli_args *args) {
    lode_job *job = NULL;
    lode_store *store = NULL;
    const char *path = cli_given(args, "output");
    bool to_file = path && strcmp(path, "-") != 0; /* for programs, and not for people */
    if (!check_query(args) || !cli_may_write(args, "output", path)) return CLI_USAGE;
    if (to_file && !stored_choose_format(args, LODE_OPTION_QUERY)) return CLI_USAGE;
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    status = lode_store_open(job, &store, args->file);
    bool has_rows = status != LODE_OK || query_has_picks(args, store);
    if (status == LODE_OK && has_rows) status = answer_query(args, store);
    cli_progress_end();
    if (status == LODE_OK && has_rows) query_note_test(args, store);
    int code = !has_rows ? CLI_USAGE : status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    lode_store_free(store);
    cli_job_free(job);
    return code;
}

const cli_command cli_query = {
    .name = "query",
    .arguments = "RESULT [options]",
    .summary = "filter, sort, page, count or draw a result stored with -w arrow",
    .examples =
        "  lode itemsets baskets.csv -s 1% -w arrow -o sets.arrow\n"
        "  lode query sets.arrow --include milk --min-size 2 --sort-by support\n"
        "  lode query rules.arrow --min lift=2 --include-rhs 'beer*' --sort-by lift --page 3\n"
        "  lode query rules.arrow --lhs-match '^whole' --measure conviction,leverage\n"
        "  lode query rules.arrow --min confidence=0.8 --count\n"
        "  lode query rules.arrow --histogram lift:30\n"
        "  lode query rules.arrow --histogram2 support,confidence\n"
        "  lode query rules.arrow --min lift=3 -o strong.csv              all matching rows, as "
        "csv\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_QUERY,
    .options = query_options,
    .n_files = 1,
    .run = run_query,
};

/* ---- what lode query and lode apply share: the format that a file gets ----------------------- */

bool stored_choose_format(cli_args *args, unsigned group) {
    char message[128];
    if (!cli_write_by_name(args, NULL)) return false;
    if (cli_word(args, "write")) return true;
    lode_status status =
        lode_options_set_in(args->options, group, "write", "csv", message, sizeof message);
    if (status != LODE_OK) cli_error("--write %s", message);
    return status == LODE_OK;
}
