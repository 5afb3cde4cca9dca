/* stats.c - lode stats FILE...: describes a data set, and counts small patterns at some thresholds
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cli.h"
#include "graph_input.h"
#include "stats.h"

/* ---- the sections -------------------------------------------------------------------------- */

static uint64_t bit_row_bytes(const lode_profile *p) {
    return (p->n_transactions + 511) / 512 * 64;
}

static void print_transactions(const char *file, const lode_profile *p, uint64_t weight) {
    double mean = p->n_transactions ? (double)p->n_occurrences / (double)p->n_transactions : 0;
    double density = p->n_items ? 100 * mean / (double)p->n_items : 0;
    cli_print(stdout, "%s (%s%s%s", file, cli_format_name(p->format), p->columns[0] ? ": " : "",
              p->columns);
    if (p->sheet[0]) {
        cli_print(stdout, ", sheet '%s'", p->sheet);
    } else if (p->separator == '\t') {
        printf(", separator tab");
    } else if (p->separator) {
        cli_print(stdout, ", separator '%c'", p->separator);
    }
    printf(", read in %.2f s)\n", p->read_seconds);
    printf("  transactions  %s (%s empty)\n", cli_count(p->n_transactions), cli_count(p->n_empty));
    if (weight != p->n_transactions) {
        printf("  weight        %s in all; supports are sums of weights\n", cli_count(weight));
    }
    printf("  items         %s\n", cli_count(p->n_items));
    printf("  occurrences   %s\n", cli_count(p->n_occurrences));
    printf("  mean length   %.2f, longest %s\n", mean, cli_count(p->longest));
    printf("  density       %.3f%%\n", density);
    printf("  bit rows      %s for all items\n", cli_bytes(p->n_items * bit_row_bytes(p)));
    if (p->n_repeated) printf("  repeated      %s items, counted once\n", cli_count(p->n_repeated));
    if (p->n_dropped) {
        printf("  dropped       %s row%s\n", cli_count(p->n_dropped), p->n_dropped == 1 ? "" : "s");
    }
    if (p->n_skipped) {
        printf("  skipped       %s malformed line%s\n", cli_count(p->n_skipped),
               p->n_skipped == 1 ? "" : "s");
    }
}

static void print_distributions(const lode_dataset *data, const lode_profile *p) {
    histogram lengths = {0}, supports = {0};
    for (uint64_t t = 0; t < p->n_transactions; t++) {
        histogram_add(&lengths, lode_dataset_transaction(data, t, NULL, 0));
    }
    for (uint32_t i = 0; i < lode_dataset_item_bound(data); i++) {
        uint64_t support = lode_dataset_item_support(data, lode_dataset_item_at(data, i));
        if (support > 0) histogram_add(&supports, support);
    }
    histogram_print(&lengths, "transactions by length");
    histogram_print(&supports, "items by support");
}

static int compare_top_items(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    if (a[0] != b[0]) return a[0] > b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

#define N_TOP 10

static void print_top_items(const lode_dataset *data) {
    const double all = (double)lode_dataset_total_weight(data);
    uint64_t top[N_TOP + 1][2]; /* support, item; the last place is for a new one */
    size_t n = 0;
    for (uint32_t i = 0; i < lode_dataset_item_bound(data); i++) {
        uint32_t item = lode_dataset_item_at(data, i);
        uint64_t support = lode_dataset_item_support(data, item);
        if (support == 0 || (n == N_TOP && support <= top[N_TOP - 1][0])) continue;
        top[n][0] = support;
        top[n][1] = item;
        qsort(top, n + 1, sizeof *top, compare_top_items);
        n += n < N_TOP;
    }
    printf("\nmost frequent items\n");
    for (size_t i = 0; i < n; i++) {
        char name[64];
        size_t length = lode_dataset_item_name(data, (uint32_t)top[i][1], name, sizeof name);
        cli_print(stdout, "  %6.2f%% %11s  %.*s%s\n", 100 * (double)top[i][0] / all,
                  cli_count(top[i][0]), (int)(length < sizeof name ? length : sizeof name), name,
                  length > sizeof name ? "..." : "");
    }
}

/* ---- how many itemsets at which threshold -------------------------------------------------- */

static const char *const ladder[] = {"50%", "20%", "10%", "5%", "2%", "1%", "0.5%", "0.2%", "0.1%"};

#define N_LADDER   (sizeof ladder / sizeof *ladder)
#define PAIR_BYTES 8e9 /* bytes of rows that counting pairs may read: about a second */

typedef struct ladder_counts {
    uint64_t count[N_LADDER], items[N_LADDER], pairs[N_LADDER];
} ladder_counts;

static int note_pairs(void *user, const lode_batch *batch) {
    ladder_counts *c = user;
    for (uint32_t i = 0; i < batch->n && batch->n_prefix == 1; i++) {
        for (size_t k = 0; k < N_LADDER; k++) c->pairs[k] += batch->supports[i] >= c->count[k];
    }
    return 0;
}

static void count_items(const lode_dataset *data, uint64_t n, ladder_counts *c) {
    for (size_t k = 0; k < N_LADDER; k++) c->count[k] = stats_count(ladder[k], n);
    for (uint32_t i = 0; i < lode_dataset_item_bound(data); i++) {
        uint64_t support = lode_dataset_item_support(data, lode_dataset_item_at(data, i));
        for (size_t k = 0; k < N_LADDER; k++) c->items[k] += support >= c->count[k];
    }
}

/* How many rungs of the ladder, from the top, have pairs that can be counted in about a second. */
static size_t affordable(const ladder_counts *c, const lode_profile *p) {
    size_t k = 0;
    while (k < N_LADDER) {
        double items = (double)c->items[k];
        if (items * items / 2 * 2 * (double)bit_row_bytes(p) > PAIR_BYTES) break;
        k++;
    }
    return k;
}

static lode_status count_pairs(lode_job *job, const lode_dataset *data, uint64_t least,
                               ladder_counts *c) {
    lode_sink *sink = NULL;
    lode_mine_options mine = {.size = sizeof mine, .max_size = 2, .limit_seconds = STATS_SECONDS};
    mine.min_support.numerator = least;
    lode_status status = lode_sink_callback(job, &sink, note_pairs, c);
    if (status == LODE_OK) status = lode_mine(job, data, &mine, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status print_itemset_ladder(lode_job **job, const cli_args *args,
                                        const lode_dataset *data, const lode_profile *p) {
    ladder_counts c = {0};
    uint64_t memory;
    count_items(data, lode_dataset_total_weight(data), &c);
    size_t n = affordable(&c, p), wanted = n;
    lode_status status = stats_limit(job, args, &memory);
    if (status == LODE_OK && n > 0) status = count_pairs(*job, data, c.count[n - 1], &c);
    if (stats_is_too_much(status)) {
        n = 0;
    } else if (status != LODE_OK) {
        return status;
    }
    printf("\nitemsets by minimum support\n  %7s %11s %11s %13s\n", "support", "count", "1 item",
           "2 items");
    for (size_t k = 0; k < N_LADDER; k++) {
        printf("  %7s %11s %11s %13s\n", ladder[k], cli_count(c.count[k]), cli_count(c.items[k]),
               k < n ? cli_count(c.pairs[k]) : "-");
    }
    if (wanted < N_LADDER) printf("  (-: not counted, because there are too many pairs)\n");
    stats_explain(status, memory);
    return LODE_OK;
}

static const cli_option own_options[] = {
    {"graphs", 0, NULL, "detected",
     "read the file as graphs; needed for graphs on standard input or from a pipe"},
    {0},
};

static int run_stats(cli_args *args) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    bool graphs = cli_given(args, "graphs") != NULL;
    lode_status status = cli_job_create(&job, args);
    if (status == LODE_OK && !graphs &&
        lode_options_read(args->options)->format == LODE_FORMAT_AUTO) {
        status = cli_sniff_graphs(job, args, &graphs);
    }
    if (graphs) {
        int graph_code = stats_graphs(&job, args);
        cli_job_free(job);
        return graph_code;
    }
    if (status == LODE_OK) status = cli_open_data(job, &data, args);
    if (status == LODE_OK) {
        lode_profile p = cli_profile(data);
        cli_progress_end();
        print_transactions(cli_input(args), &p, lode_dataset_total_weight(data));
        print_distributions(data, &p);
        print_top_items(data);
        status = print_itemset_ladder(&job, args, data, &p);
    }
    cli_progress_end();
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    lode_dataset_free(data);
    cli_job_free(job);
    return code;
}

const cli_command cli_stats = {
    .name = "stats",
    .arguments = "FILE... [options]",
    .summary = "summarize a data set and show what several thresholds would find",
    .examples = "  lode stats baskets.csv\n"
                "  lode stats sales.csv --format table --tid order --item product\n"
                "  lode stats molecules.lg                       graphs are detected\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_GRAPH_READ,
    .options = own_options,
    .n_files = CLI_MANY_FILES,
    .run = run_stats,
};
