/* rules.c - lode rules FILE... -s SUPPORT -c CONFIDENCE
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "mine.h"

static const cli_option rules_options[] = {
    CLI_OUTPUT_OPTION,
    {"count", 0, NULL, "write the rules", "write only how many there are of each size"},
    CLI_HASH_OPTION,
    CLI_REPORT_OPTIONS,
    {0},
};

static lode_status rules_read(lode_job *job, const cli_args *args, void **data) {
    return cli_open_data(job, (lode_dataset **)data, args);
}

static lode_status rules_hash_sink(lode_job *job, lode_sink **out, const void *data) {
    return lode_rule_sink_hash(job, out, data);
}

static lode_status rules_file_sink(lode_job *job, lode_sink **out, const void *data,
                                   const char *path, const cli_args *args) {
    return lode_rule_sink_file(job, out, data, path, lode_options_rule_write(args->options));
}

static lode_status rules_mine(lode_job *job, const void *data, const cli_args *args,
                              lode_sink *sink) {
    return lode_rules_mine(job, data, lode_options_rule(args->options), sink);
}

/* ---- the best rule, in words ----------------------------------------------------------------- */

/* Prints a name; what a terminal could take for a command is left out. */
static void put_item(const lode_dataset *data, uint32_t item) {
    size_t n = lode_dataset_item_name(data, item, NULL, 0), step;
    char *name = calloc(1, n + 1);
    if (!name) return;
    lode_dataset_item_name(data, item, name, n);
    for (const char *at = name; *at; at += step ? step : 1) {
        step = cli_character(at);
        fprintf(stderr, "%.*s", (int)step, at);
    }
    free(name);
}

static void put_items(const lode_dataset *data, const uint32_t *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "{", stderr);
        put_item(data, items[i]);
    }
    fputc('}', stderr);
}

static void rules_say(const void *data, const lode_sink *sink) {
    lode_rule best = LODE_INIT(lode_rule);
    if (!lode_rule_sink_best(sink, &best)) return;
    const lode_counts *c = &best.counts;
    double confidence = (double)c->both / (double)c->body;
    double share = (double)c->head / (double)c->total;
    if (confidence <= share) {
        fprintf(stderr, "in no rule does the body make the head more likely: no lift is above 1\n");
        return;
    }
    fprintf(stderr, "highest lift: transactions with ");
    put_items(data, best.body, best.n_body);
    fprintf(stderr, " have ");
    put_items(data, best.head, best.n_head);
    fprintf(stderr, " %.3g times as often as all do: %s of %s, %.3g%%; of all %s, %.3g%%\n",
            confidence / share, cli_count(c->both), cli_count(c->body), 100 * confidence,
            cli_count(c->total), 100 * share);
}

/* ---- the command ------------------------------------------------------------------------------ */

static void rules_forget(const void *data) {
    lode_dataset_forget(data);
}

static void rules_release(void *data) {
    lode_dataset_free(data);
}

static const cli_mining rules_mining = {
    .open = rules_read,
    .hash_sink = rules_hash_sink,
    .file_sink = rules_file_sink,
    .mine = rules_mine,
    .say = rules_say,
    .forget = rules_forget,
    .free = rules_release,
};

static int run_rules(cli_args *args) {
    return cli_check_mining(args) ? cli_mine(args, &rules_mining) : CLI_USAGE;
}

const cli_command cli_rules = {
    .name = "rules",
    .arguments = "FILE... -s SUPPORT -c CONFIDENCE [options]",
    .summary = "find the rules by which some items come with others",
    .examples =
        "  lode rules baskets.csv -s 10 -c 80%          in 10 baskets or more, right 4 times of 5\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --min lift=3 --sort-by lift --top 20\n"
        "  lode rules baskets.csv -s 0.1% -c 0.2 --rhs \"bottled beer\"   what leads to beer\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --productive   better than all more general ones\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 -w csv -o rules.csv   with mlxtend's columns\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --measure support,lift,phi --interval 0.95 -w "
        "csv\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 -w svg -o rules.svg   a picture of all rules\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --top 30 --sort-by lift -w dot | dot -Tsvg > "
        "g.svg\n"
        "  lode rules data.dat.gz -s 0.5% -c 0.5 --count   only how many there are\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_READ | LODE_OPTION_RULE |
              LODE_OPTION_RULE_WRITE,
    .options = rules_options,
    .n_files = CLI_MANY_FILES,
    .run = run_rules,
};
