/* compare.c - lode compare FILE -s SUPPORT: compares algorithms and devices in a table
 * SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "cli_file.h"

#define DEFAULT_LIMIT_SECONDS 60
#define DEFAULT_REPEAT        5
#define LIST_BYTES            512

static const cli_option own_options[] = {
    {"algorithms", 0, "A,B,...", "all except brute", "algorithms to compare, separated by commas"},
    {"devices", 0, "D,E,...", "the device of --device",
     "devices to compare, separated by commas; every algorithm runs on each"},
    {"repeat", 0, "N", "5; 1 for runs of 2 s or more",
     "number of runs of each combination; the table shows the median"},
    {"plot", 0, "FILE.svg", "no plot", "plot the time of each phase"},
    {"write", 'w', "FORMAT", "table", "output format: table, or csv with full precision"},
    {0},
};

/* Options of mining that mean something else here. */
static const cli_option compare_means[] = {
    {"algorithm", 'a', "NAME", "all except brute", "run only this algorithm; see --algorithms"},
    {"limit-time", 0, "TIME", "60 s",
     "time limit of each run, such as 60, 0.5 or 10m; a longer run has no result"},
    {"limit-patterns", 0, "N", "no limit",
     "limit on the number of itemsets of each run; a run that finds more has no result"},
    {0},
};

/* ---- what is compared ---------------------------------------------------------------------- */

/* Splits a list at its commas, in place. */
static size_t split_list(char *text, const char **out, size_t most) {
    size_t n = 0;
    while (text && n < most) {
        char *comma = strchr(text, ',');
        if (comma) *comma = 0;
        out[n++] = text;
        text = comma ? comma + 1 : NULL;
    }
    return n;
}

/* A list given as text, each entry checked as the option `name`. Returns 0 after a message. */
static size_t parse_list(const char *text, char buffer[LIST_BYTES], const char *name,
                         const char **out) {
    lode_options *scratch = NULL;
    char message[256];
    if (strlen(text) >= LIST_BYTES) {
        cli_error("--%ss is too long", name);
        return 0;
    }
    memcpy(buffer, text, strlen(text) + 1);
    size_t n = split_list(buffer, out, COMPARE_ROWS);
    if (lode_options_create(&scratch) != LODE_OK) return 0;
    for (size_t i = 0; i < n; i++) {
        if (lode_options_set(scratch, name, out[i], message, sizeof message) == LODE_OK) continue;
        cli_error("--%ss %s", name, message);
        n = 0;
    }
    lode_options_free(scratch);
    return n;
}

static size_t all_algorithms(const char **out) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    size_t n = 0;
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a) && n < COMPARE_ROWS; i++) {
        if (!a.oracle) out[n++] = a.name;
    }
    return n;
}

typedef struct lists {
    char text[2][LIST_BYTES];
    const char *algorithms[COMPARE_ROWS], *devices[COMPARE_ROWS];
    size_t n_algorithms, n_devices;
} lists;

static bool make_lists(const cli_args *args, lists *l) {
    const char *algorithms = cli_given(args, "algorithms"), *devices = cli_given(args, "devices");
    if (!algorithms) algorithms = lode_options_mine(args->options)->algorithm;
    if (!devices)
        devices = lode_options_job(args->options)->device ? lode_options_job(args->options)->device
                                                          : "auto";
    l->n_devices = parse_list(devices, l->text[0], "device", l->devices);
    l->n_algorithms = algorithms ? parse_list(algorithms, l->text[1], "algorithm", l->algorithms)
                                 : all_algorithms(l->algorithms);
    if (l->n_devices * l->n_algorithms <= COMPARE_ROWS) return l->n_devices && l->n_algorithms;
    cli_error("more than %d combinations of algorithms and devices", COMPARE_ROWS);
    return false;
}

/* Whether the algorithm supports the target. */
static bool finds_target(const char *name, lode_target target) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        if (strcmp(a.name, name) == 0) return a.targets >> target & 1;
    }
    return true; /* auto */
}

static bool make_compare_rows(comparison *c, const lists *l) {
    c->n_rows = l->n_algorithms * l->n_devices;
    c->rows = calloc(c->n_rows, sizeof *c->rows);
    if (!c->rows) {
        cli_error("%s", lode_status_text(LODE_NOMEM));
        return false;
    }
    for (size_t i = 0; i < c->n_rows; i++) {
        c->rows[i].algorithm = l->algorithms[i / l->n_devices];
        c->rows[i].device = l->devices[i % l->n_devices];
        if (!finds_target(c->rows[i].algorithm, lode_options_mine(c->args->options)->target)) {
            snprintf(c->rows[i].trouble, sizeof c->rows[i].trouble, "does not support this target");
            c->rows[i].code = CLI_FAILED;
        }
    }
    return true;
}

/* ---- the table ----------------------------------------------------------------------------- */

/* Returns the text that is printed in place of numbers; NULL if there are numbers. */
static const char *row_remark(const compare_row *row) {
    if (row->trouble[0]) return row->trouble;
    return row->n_runs == 0 ? "not run" : NULL;
}

static void print_title(const comparison *c) {
    const compare_run *any = compare_common(c);
    const char *given = c->args->min_support;
    char runs[COMPARE_TEXT];
    compare_describe_runs(c, runs);
    cli_print(stdout, "%s, %s%s", cli_input(c->args),
              given ? "minimum support " : "no minimum support", given ? given : "");
    if (any)
        printf("%s%s of %s", given ? " = " : ": from ", cli_count(any->min_count),
               cli_count(any->transactions));
    printf("%s\nseconds of the %s\n\n", any ? " transactions" : "", runs);
}

/* Columns are as wide as their title, or as a number of seconds. */
static int part_width(size_t part) {
    size_t n = strlen(compare_part_names[part]);
    return n > 7 ? (int)n : 7;
}

static void print_result_row(const compare_row *row, double best, int width) {
    const char *remark = row_remark(row);
    printf("%-12s %-*s", row->algorithm, width, compare_device(row));
    if (remark) {
        printf("  %s\n", remark);
        return;
    }
    const compare_run *run = compare_median(row);
    printf(" %8.3f", run->total);
    for (size_t i = 0; i < N_PARTS; i++) printf(" %*.3f", part_width(i), run->parts[i]);
    printf(" %10s %13s %13s %6.2f%s\n", cli_bytes(row->memory), cli_count(run->candidates),
           cli_count(run->patterns), best > 0 ? run->total / best : 1,
           row->is_different ? "  DIFFERENT" : "");
}

static void print_verdict(const comparison *c, bool equal) {
    const compare_run *common = compare_common(c);
    size_t n = 0;
    for (size_t i = 0; i < c->n_rows; i++) n += c->rows[i].n_runs > 0;
    if (!common) {
        printf("\nno result\n");
    } else if (!equal) {
        printf("\nDIFFERENT results: most runs found %s itemsets with hash %s\n",
               cli_count(common->patterns), common->hash);
    } else {
        printf("\n%s: %s itemsets, hash %s\n", n > 1 ? "all results are equal" : "one result",
               cli_count(common->patterns), common->hash);
    }
}

static void print_table(const comparison *c, bool equal) {
    double best = compare_best(c);
    int width = 6;
    for (size_t i = 0; i < c->n_rows; i++) {
        int length = (int)strlen(compare_device(&c->rows[i]));
        if (length > width) width = length;
    }
    print_title(c);
    printf("%-12s %-*s %8s", "algorithm", width, "device", "time");
    for (size_t i = 0; i < N_PARTS; i++) printf(" %*s", part_width(i), compare_part_names[i]);
    printf(" %10s %13s %13s %6s\n", "memory", "candidates", "itemsets", "ratio");
    for (size_t i = 0; i < c->n_rows; i++) print_result_row(&c->rows[i], best, width);
    print_verdict(c, equal);
    if (c->interrupted) printf("interrupted; the table shows the finished runs\n");
}

/* ---- the table as csv ---------------------------------------------------------------------- */

static void print_csv_text(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void print_csv_row(const compare_row *row, double best) {
    const char *remark = row_remark(row);
    print_csv_text(row->algorithm), putchar(',');
    print_csv_text(compare_device(row)), putchar(',');
    print_csv_text(remark ? remark : row->is_different ? "DIFFERENT" : "done");
    if (remark) {
        for (size_t i = 0; i < N_PARTS + 7; i++) putchar(',');
        putchar('\n');
        return;
    }
    const compare_run *run = compare_median(row);
    printf(",%u,%.6f", row->n_runs, run->total);
    for (size_t i = 0; i < N_PARTS; i++) printf(",%.6f", run->parts[i]);
    printf(",%llu,%llu,%llu,%s,%.4f\n", (unsigned long long)row->memory,
           (unsigned long long)run->candidates, (unsigned long long)run->patterns, run->hash,
           best > 0 ? run->total / best : 1);
}

static void print_csv(const comparison *c) {
    double best = compare_best(c);
    printf("algorithm,device,status,runs,seconds");
    for (size_t i = 0; i < N_PARTS; i++) printf(",%s", compare_part_names[i]);
    printf(",memory_bytes,candidates,itemsets,hash,ratio\n");
    for (size_t i = 0; i < c->n_rows; i++) print_csv_row(&c->rows[i], best);
}

/* ---- the command --------------------------------------------------------------------------- */

const char *const cli_compare_forms[] = {"table", "csv", NULL};

static bool check_compare_args(const cli_args *args, comparison *c, bool *csv) {
    const char *form = cli_given(args, "write");
    uint64_t repeat = DEFAULT_REPEAT;
    if (!cli_has_support(args) || !cli_number(args, "repeat", COMPARE_REPEAT, &repeat))
        return false;
    *csv = form && strcmp(form, "csv") == 0;
    if (form && !*csv && strcmp(form, "table") != 0) {
        const char *near = lode_nearest(form, cli_compare_forms, 2);
        cli_error("--write '%s': %s%s%sexpected table or csv", form, near ? "did you mean '" : "",
                  near ? near : "", near ? "'? " : "");
        return false;
    }
    for (int i = 0; i < args->n_files; i++) {
        if (cli_can_repeat(args->files[i])) continue;
        bool dash = strcmp(args->files[i], "-") == 0;
        cli_error("compare reads its input several times, so it cannot read %s%s%s; save it to a "
                  "file first",
                  dash ? "standard input" : "'", dash ? "" : args->files[i], dash ? "" : "'");
        return false;
    }
    c->repeat = repeat ? (unsigned)repeat : 1;
    c->long_once = !cli_given(args, "repeat");
    c->limit_seconds = lode_options_mine(args->options)->limit_seconds;
    if (c->limit_seconds == 0) c->limit_seconds = DEFAULT_LIMIT_SECONDS;
    return true;
}

/* Returns the exit code. A row without a result is not a failure if another row has one. If none
 * has, the exit code names a limit or the memory budget if that was a reason. */
static int exit_code(const comparison *c, bool equal) {
    int code = CLI_FAILED;
    if (c->interrupted) return CLI_INTERRUPTED;
    for (size_t i = 0; i < c->n_rows; i++) {
        const compare_row *row = &c->rows[i];
        if (row->n_runs > 0) return equal ? CLI_DONE : CLI_FAILED;
        if (row->code == CLI_BUDGET && code == CLI_FAILED) code = row->code;
        if (row->code == CLI_LIMIT) code = row->code;
    }
    return code;
}

/* The message about input that no algorithm could read; NULL if there is none. */
static const char *bad_input(const comparison *c) {
    for (size_t i = 0; i < c->n_rows; i++) {
        if (c->rows[i].code == CLI_BAD_INPUT) return c->rows[i].trouble;
    }
    return NULL;
}

static bool compare_write_plot(const comparison *c, const char *path) {
    cli_file file;
    if (!path) return true;
    if (!cli_file_open(&file, path, true)) return false;
    compare_plot(c, file.stream);
    return cli_file_close(&file);
}

static int compare_and_show(comparison *c, bool csv, const char *plot) {
    compare_run_all(c);
    if (bad_input(c)) {
        cli_error("%s", bad_input(c));
        return CLI_BAD_INPUT;
    }
    bool equal = compare_judge(c);
    if (csv) {
        print_csv(c);
    } else {
        print_table(c, equal);
    }
    if (plot && c->interrupted) {
        cli_error("'%s' was not written because the comparison was interrupted", plot);
    } else if (!compare_write_plot(c, plot)) {
        return CLI_FAILED;
    }
    return exit_code(c, equal);
}

static int run_compare(cli_args *args) {
    comparison c = {.args = args};
    lists l;
    bool csv;
    const char *path = cli_given(args, "plot");
    if (!check_compare_args(args, &c, &csv) || !make_lists(args, &l)) return CLI_USAGE;
    if (!cli_may_write(args, "plot", path)) return CLI_USAGE;
    if (path && strcmp(path, "-") == 0) {
        cli_error("--plot '-': standard output has the table; give a file such as times.svg");
        return CLI_USAGE;
    }
    if (!cli_file_check(path)) return CLI_FAILED; /* better now than after an hour */
    int code = make_compare_rows(&c, &l) ? compare_and_show(&c, csv, path) : CLI_FAILED;
    free(c.rows);
    return code;
}

const cli_command cli_compare = {
    .name = "compare",
    .arguments = "FILE... -s SUPPORT [options]",
    .summary = "run every algorithm on the same data; compare results, time and memory",
    .examples = "  lode compare baskets.csv -s 1%                at most 60 s per run\n"
                "  lode compare baskets.csv -s 1% --algorithms frontier,brute --repeat 9\n"
                "  lode compare data.dat -s 0.5% --devices cpu,cpu*1 --plot times.svg\n"
                "  lode compare data.dat -s 0.1% --limit-time 10m --memory 4G -w csv > table.csv\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_READ | LODE_OPTION_MINE |
              LODE_OPTION_CONSTRAINT | LODE_OPTION_PAPERS,
    .options = own_options,
    .means = compare_means,
    .n_files = CLI_MANY_FILES,
    .run = run_compare,
};
