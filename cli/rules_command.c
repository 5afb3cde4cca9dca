/* rules_command.c - lode rules FILE... -s SUPPORT [-c CONFIDENCE]
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "mine.h"

static const cli_option rules_options[] = {
    CLI_OUTPUT_OPTION,
    CLI_ROWS_OPTION,
    {"count", 0, NULL, "write the rules", "write only the number of rules of each size"},
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

/* ---- the table on a terminal --------------------------------------------------------------- */

static pattern_table_options rules_table(const cli_args *args) {
    const lode_rule_options *o = lode_options_rule(args->options);
    const lode_rule_write_options *w = lode_options_rule_write(args->options);
    bool all = o->top > 0 && o->top < PATTERN_TABLE_MOST && !cli_given(args, "rows");
    return (pattern_table_options){.rows = all ? o->top : pattern_table_rows(args),
                                   .order = o->sort_by || w->sort ? PATTERNS_AS_GIVEN
                                                                  : PATTERNS_BY_CONFIDENCE,
                                   .prefer = w->measures};
}

/* Writes to `to` the names of a list of measures that begins with a "+", after the measures of the
 * table. A measure that is there already is left out: in text, "+lift" adds it. */
static void table_measures(const char *more, char *to, size_t bytes) {
    static const char *const usual[] = {"support", "confidence", "lift"};
    size_t n = (size_t)snprintf(to, bytes, "%s,%s,%s", usual[0], usual[1], usual[2]), i, k;
    for (const char *at = more + 1, *end; *at; at = *end ? end + 1 : end) {
        char name[64];
        bool known = false;
        end = at + strcspn(at, ",\n");
        snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
        for (size_t u = 0; u < sizeof usual / sizeof *usual; u++) {
            known |= lode_measure_find(name, &i) && lode_measure_find(usual[u], &k) && i == k;
        }
        if (!known && n < bytes) n += (size_t)snprintf(to + n, bytes - n, ",%s", name);
    }
}

static lode_status rules_table_sink(lode_job *job, lode_sink **out, const void *data,
                                    pattern_table *table, const cli_args *args) {
    static char names[8192]; /* several times as long as the names of all measures */
    lode_rule_write_options o = *lode_options_rule_write(args->options);
    o.format = LODE_RULE_WRITE_JSONL;
    if (!o.measures || o.measures[0] == '+') {
        table_measures(o.measures ? o.measures : "+", names, sizeof names);
        o.measures = names;
    }
    return lode_rule_sink_write(job, out, data, pattern_table_write, table, &o);
}

static lode_status rules_mine(lode_job *job, const void *data, const cli_args *args,
                              lode_sink *sink) {
    return lode_rules_mine(job, data, lode_options_rule(args->options), sink);
}

/* ---- the best rule, in words --------------------------------------------------------------- */

static void put_item(const lode_dataset *data, uint32_t item) {
    size_t n = lode_dataset_item_name(data, item, NULL, 0);
    char *name = malloc(n + 1);
    if (!name) return;
    lode_dataset_item_name(data, item, name, n);
    cli_put(stderr, name, n);
    free(name);
}

static void put_items(const lode_dataset *data, const uint32_t *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "{", stderr);
        put_item(data, items[i]);
    }
    fputc('}', stderr);
}

/* Formats a share as "90.5", so that only 100 itself is printed as 100. */
static const char *share_text(double share, char text[16]) {
    snprintf(text, 16, "%.3g", 100 * share);
    if (share < 1 && 100 * share >= 99.95) snprintf(text, 16, "%s", "above 99.9");
    return text;
}

static void say_best(const lode_dataset *data, const lode_sink *sink, bool partial) {
    lode_rule best = LODE_INIT(lode_rule);
    char percent[16], of_all[16];
    if (!lode_rule_sink_best(sink, &best)) return;
    const lode_counts *c = &best.counts;
    double confidence = (double)c->both / (double)c->lhs;
    double share = (double)c->rhs / (double)c->total;
    if (confidence <= share) {
        if (partial) return; /* it may be among those that were not found */
        fprintf(stderr,
                "no rule has a lift above 1: no antecedent makes its consequent more likely\n");
        return;
    }
    fprintf(stderr, "highest lift%s: ", partial ? " so far" : "");
    put_items(data, best.rhs, best.n_rhs);
    fprintf(stderr, " is in %s of the %s transactions with ", cli_count(c->both),
            cli_count(c->lhs));
    put_items(data, best.lhs, best.n_lhs);
    fprintf(stderr, " (%s%%), and in %s%% of all %s: lift %.3g\n", share_text(confidence, percent),
            share_text(share, of_all), cli_count(c->total), confidence / share);
}

/* What the lines of text have in parentheses. */
static void say_values(const cli_args *args) {
    const lode_rule_write_options *w = lode_options_rule_write(args->options);
    bool is_text = w->format == LODE_RULE_WRITE_TEXT && !cli_given(args, "count") &&
                   !pattern_table_wanted(args);
    if (!is_text) return;
    bool usual = !w->measures || w->measures[0] == '+';
    fprintf(stderr, "in parentheses: %s",
            usual ? "transactions with the antecedent, confidence in percent" : "");
    const char *more = w->measures ? w->measures + usual : "";
    for (const char *at = more, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",\n");
        fprintf(stderr, "%s%.*s", at > more || usual ? ", " : "", (int)(end - at), at);
    }
    fputc('\n', stderr);
}

static void rules_say(const cli_args *args, const void *data, const lode_sink *sink, bool partial) {
    if (lode_sink_patterns(sink) > 0) say_values(args);
    say_best(data, sink, partial);
}

/* ---- what is written ------------------------------------------------------------------------ */

/* Whether the options for the order go together. */
static bool rules_check_order(const cli_args *args) {
    const lode_rule_write_options *w = lode_options_rule_write(args->options);
    if (!lode_options_rule(args->options)->sort_by || (!w->sort && !w->unsorted)) return true;
    cli_error("--sort-by cannot be combined with --%s", w->sort ? "sort" : "unsorted");
    return false;
}

/* Adds measures that were not chosen but that other options need: those of held-out data, p-values
 * and, in text for people, the measure that rules are sorted by. */
static bool rules_add_measures(cli_args *args) {
    const lode_rule_options *o = lode_options_rule(args->options);
    const lode_rule_write_options *w = lode_options_rule_write(args->options);
    bool text = w->format == LODE_RULE_WRITE_TEXT;
    bool has_columns = text || w->format == LODE_RULE_WRITE_CSV ||
                       w->format == LODE_RULE_WRITE_JSONL || w->format == LODE_RULE_WRITE_ARROW ||
                       w->format == LODE_RULE_WRITE_PARQUET;
    char sort[64] = "", more[256], message[256];
    size_t measure, confidence;
    if (w->measures || !has_columns) return true;
    bool sorted = text && o->sort_by && lode_measure_find(o->sort_by, &measure) &&
                  lode_measure_find("confidence", &confidence) && measure != confidence;
    if (sorted) snprintf(sort, sizeof sort, ",%s", o->sort_by);
    bool tested = o->adjust != LODE_ADJUST_NONE || o->significant > 0;
    const char *held = text ? ",heldOutConfidence,heldOutP"
                            : ",heldOutSupport,heldOutConfidence,heldOutLift,heldOutP";
    snprintf(more, sizeof more, "%s%s%s", sort, tested ? ",adjustedP" : "", o->holdout ? held : "");
    if (!more[0]) return true;
    more[0] = '+';
    if (lode_options_set_in(args->options, args->command->groups, "measure", more, message,
                            sizeof message) == LODE_OK) {
        return true;
    }
    cli_error("--measure %s", message);
    return false;
}

/* ---- the command ---------------------------------------------------------------------------- */

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
    .table = rules_table,
    .table_sink = rules_table_sink,
    .mine = rules_mine,
    .say = rules_say,
    .forget = rules_forget,
    .free = rules_release,
};

/* Notes that a level of confidence was probably given for a p-value, or the reverse. */
static void rules_note_level(const cli_args *args, const char *option, double level, bool odd) {
    if (!odd || level >= 1 || cli_given(args, "quiet")) return;
    cli_print(stderr, "note: --%s %s is a level of %.4g%%; did you mean %.4g?\n", option,
              cli_word(args, option), 100 * level, 1 - level);
}

static int run_rules(cli_args *args) {
    bool fits = cli_check_mining(args) && rules_check_order(args) && rules_add_measures(args);
    double interval = lode_options_rule_write(args->options)->interval;
    double significant = lode_options_rule(args->options)->significant;
    if (fits) {
        rules_note_level(args, "interval", interval, interval > 0 && interval < 0.5);
        rules_note_level(args, "significant", significant, significant > 0.5);
    }
    return fits ? cli_mine(args, &rules_mining) : CLI_USAGE;
}

const cli_command cli_rules = {
    .name = "rules",
    .arguments = "FILE... -s SUPPORT [-c CONFIDENCE] [options]",
    .summary = "find association rules: if A, then also B",
    .examples =
        "  lode rules baskets.csv -s 10 -c 80%          in at least 10 baskets, confidence 80%\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --min lift=3 --sort-by lift --top 20\n"
        "  lode rules baskets.csv -s 0.1% -c 0.2 --rhs \"bottled beer\"   rules that predict "
        "bottled beer\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --productive   more confident than any simpler "
        "rule\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 -w csv -o rules.csv   columns as in mlxtend\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --measure support,lift,phi --interval 0.95 -w "
        "csv\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 -w svg -o rules.svg   a picture of all rules\n"
        "  lode rules baskets.csv -s 0.1% -c 0.5 --top 30 --sort-by lift -w dot | dot -Tsvg > "
        "g.svg\n"
        "  lode rules data.dat.gz -s 0.5% -c 0.5 --count   only the number of rules\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_READ | LODE_OPTION_RULE |
              LODE_OPTION_RULE_WRITE,
    .options = rules_options,
    .n_files = CLI_MANY_FILES,
    .run = run_rules,
};
