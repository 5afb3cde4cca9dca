/* text.c - a report for people: what was found, how long it took, what to try next; with
 * LODE_REPORT_VERBOSE also how it was found
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "runtime/report/machine.h"
#include "runtime/report/report.h"

#define TEXT_NAME   26 /* widths: of a name and a value in a list, and of a column of a table */
#define TEXT_VALUE  14
#define TEXT_COLUMN 12

static void text_put(fields_out *out, const char *text) {
    fields_put(out, text, strlen(text));
}

static void put_count(fields_out *out, uint64_t n) {
    char text[FIGURE_BYTES];
    text_put(out, figure_count(n, text));
}

/* "3 graphs" */
static void put_number_of(fields_out *out, uint64_t n, const char *what) {
    put_count(out, n);
    fields_print(out, " %s%s", what, figure_s(n));
}

/* ---- what was found ------------------------------------------------------------------------- */

/* " with 2 or more items", " with 2 to 4 items", " with at most 4 items"; nothing without limits */
static void put_range(fields_out *out, const lode_report *r) {
    const report_asked *a = &r->asked;
    const char *unit = r->graphs ? "edge" : "item";
    bool least = a->least > 1;
    if (least && a->most && a->least < a->most) {
        fields_print(out, " with %u to %u %ss", a->least, a->most, unit);
    } else if (least && a->most) {
        fields_print(out, " with %u %s%s", a->most, unit, figure_s(a->most));
    } else if (least) {
        fields_print(out, " with %u or more %ss", a->least, unit);
    } else if (a->most) {
        fields_print(out, " with at most %u %s%s", a->most, unit, figure_s(a->most));
    }
}

/* " and at most 500", by --rare */
static void put_highest(fields_out *out, const lode_report *r) {
    if (r->engine.max_count == 0) return;
    text_put(out, " and at most ");
    put_count(out, r->engine.max_count);
}

/* "in at least 250 of 88,162 transactions (0.28%)" */
static void put_threshold(fields_out *out, const lode_report *r) {
    char share[FIGURE_BYTES];
    uint64_t searched = r->engine.rules_searched; /* without the held-out part */
    uint64_t n = searched ? searched : r->input.total_weight;
    uint64_t least = r->asked.top ? r->engine.final_min_count : r->engine.min_count;
    text_put(out, "in at least ");
    put_count(out, least);
    put_highest(out, r);
    text_put(out, r->input.weighted ? " of a total weight of " : " of ");
    put_count(out, n);
    if (!r->input.weighted) {
        fields_print(out, " %s%s", r->graphs ? "graph" : "transaction", figure_s(n));
    }
    if (n > 0 && least <= n) {
        fields_print(out, " (%s%%)", figure_percent((double)least / (double)n, share));
    }
    if (!r->asked.top && r->engine.final_min_count > r->engine.min_count) {
        text_put(out, ", raised to ");
        put_count(out, r->engine.final_min_count);
    }
}

static void put_noun(fields_out *out, const lode_report *r, uint64_t n) {
    if (r->asked.adjective[0]) fields_print(out, "%s ", r->asked.adjective);
    fields_print(out, "%s%s", report_noun(r), figure_s(n));
}

/* "the best 5 by lift (6 with ties), of 1,203 rules" */
static void put_best(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    text_put(out, "the best ");
    put_count(out, e->rules_top);
    fields_print(out, " by %s", e->rules_order);
    if (r->result.patterns > e->rules_top) {
        text_put(out, " (");
        put_count(out, r->result.patterns);
        text_put(out, " with ties)");
    }
    text_put(out, ", of ");
    put_number_of(out, e->rules_ranked, report_noun(r));
}

/* After an incomplete search, it is unknown whether there are any. */
static void put_found(fields_out *out, const lode_report *r) {
    uint64_t n = r->result.patterns;
    if (n == 0) {
        text_put(out, "no ");
        put_noun(out, r, 1);
    } else if (r->engine.rules_ranked > n && !r->partial) {
        put_best(out, r);
    } else {
        put_count(out, n);
        text_put(out, r->asked.top && !r->partial ? " most frequent " : " ");
        put_noun(out, r, n);
    }
    put_range(out, r);
    if (n > 0) return;
    if (r->engine.rules_bounds[0]) fields_print(out, " that meets %s", r->engine.rules_bounds);
    text_put(out, r->partial ? " was found so far" : " is");
}

static void text_found(fields_out *out, const lode_report *r) {
    uint64_t n = r->result.patterns, largest = r->result.largest;
    put_found(out, r);
    if (r->engine.min_count > 0 || !r->partial) {
        bool limited = r->asked.least > 1 || r->asked.most > 0;
        text_put(out, n > 1 && (limited || r->asked.top) ? ", each " : " ");
        put_threshold(out, r);
    }
    if (n > 1 && largest == 1 && r->asked.most != 1) {
        fields_print(out, "; all of them have one %s", r->graphs ? "edge" : "item");
    } else if (largest > 1) {
        const char *which = n == 1 ? "it" : r->graphs ? "the largest" : "the longest";
        fields_print(out, "; %s has %llu %ss", which, (unsigned long long)largest,
                     r->graphs ? "edge" : "item");
    }
    fields_print(out, n == 0 ? "; it took %.2f s\n" : "; %.2f s\n", r->total_seconds);
}

/* ---- in which data -------------------------------------------------------------------------- */

static void put_source(fields_out *out, const report_input *in) {
    bool is_stdin = strcmp(in->path, "-") == 0;
    text_put(out, in->path[0] == 0 ? "data" : is_stdin ? "standard input" : in->path);
    if (in->n_files > 1) {
        text_put(out, " and ");
        put_number_of(out, in->n_files - 1, "other file");
    }
    text_put(out, ": ");
}

/* "(basket)", "(table: order, product; separator tab)" */
static void put_format(fields_out *out, const report_input *in) {
    if (!in->format || !in->format[0]) return;
    fields_print(out, " (%s", in->format);
    if (in->columns[0]) fields_print(out, ": %s", in->columns);
    const char *before = in->columns[0] ? "; " : ", ";
    if (in->separator[0] == '\t') {
        fields_print(out, "%sseparator tab", before);
    } else if (in->separator[0] && in->separator[0] != ',') {
        fields_print(out, "%sseparator '%s'", before, in->separator);
    }
    text_put(out, ")");
}

static void text_transactions(fields_out *out, const report_input *in) {
    put_number_of(out, in->n, "transaction");
    text_put(out, ", ");
    put_number_of(out, in->n_items, "item");
    fields_print(out, ", %.1f per transaction", in->mean_length);
    put_format(out, in);
}

static void text_graphs(fields_out *out, const report_input *in) {
    double n = in->n ? (double)in->n : 1;
    put_number_of(out, in->n, in->directed ? "directed graph" : "undirected graph");
    fields_print(out, ", %.1f vertices and %.1f edges each", (double)in->n_vertices / n,
                 (double)in->n_edges / n);
}

/* What the user may not expect of the data. */
static void text_oddities(fields_out *out, const lode_report *r) {
    const report_input *in = &r->input;
    if (in->n_empty && !r->graphs) {
        put_count(out, in->n_empty);
        text_put(out, in->n_empty == 1
                          ? " transaction has no items, but counts towards percentages\n"
                          : " transactions have no items, but count towards percentages\n");
    }
    if (in->n_skipped) {
        put_number_of(out, in->n_skipped, r->graphs ? "malformed graph" : "malformed line");
        text_put(out, in->n_skipped == 1 ? " was left out\n" : " were left out\n");
    }
    if (in->n_repeated) {
        put_count(out, in->n_repeated);
        text_put(out, in->n_repeated == 1
                          ? " item was repeated in its transaction and counted once\n"
                          : " items were repeated in their transaction and counted once\n");
    }
    if (in->weighted) text_put(out, "transactions have weights: supports are sums of weights\n");
}

static void text_input(fields_out *out, const lode_report *r) {
    put_source(out, &r->input);
    if (r->graphs) {
        text_graphs(out, &r->input);
    } else {
        text_transactions(out, &r->input);
    }
    if (r->read_seconds > 0) fields_print(out, "; read in %.2f s", r->read_seconds);
    text_put(out, "\n");
    text_oddities(out, r);
}

/* "searched 513 transactions with 12 items, added 1 item to every pattern" */
static void text_constraints(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    if (!e->constrained || !e->algorithm[0]) return;
    text_put(out, "constraints: searched ");
    put_number_of(out, e->searched_transactions, "transaction");
    text_put(out, " with ");
    put_number_of(out, e->searched_items, "item");
    if (e->fixed_items > 0) {
        text_put(out, ", added ");
        put_number_of(out, e->fixed_items, "item");
        text_put(out, " to every pattern");
    }
    text_put(out, e->filtered ? ", and filtered the result\n" : "\n");
}

/* "verified: 77 itemsets, counted again in 5 transactions: every support is right" */
static void text_verified(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    uint64_t n = r->result.patterns;
    if (!e->verify || n == 0) return;
    text_put(out, "verified: ");
    if (e->verified < n) {
        put_count(out, e->verified);
        text_put(out, " of ");
    }
    put_number_of(out, n, report_noun(r));
    text_put(out, ", counted again in ");
    put_number_of(out, e->rules_held_out > 0 ? e->searched_transactions : r->input.n,
                  "transaction");
    text_put(out, r->rules ? ": the counts of the antecedent, the consequent and both are right"
                           : ": every support is right");
    if (r->asked.adjective[0] && !r->asked.top) {
        bool noun = strcmp(r->asked.adjective, "generator") == 0;
        fields_print(out, " (whether each is %s%s was not tested)", noun ? "a " : "",
                     r->asked.adjective);
    }
    text_put(out, "\n");
}

/* "significant at the level 0.05 by permutation: p-values up to 1.44e-06; 98,970 tests; 10,000
 * permutations, seed 0" */
static void text_significance(fields_out *out, const engine_report *e) {
    if (e->alpha == 0) return;
    fields_print(out, "significant at the level %g by %s: p-values up to %.6g; ", e->alpha,
                 e->tested_by, e->level);
    put_number_of(out, e->hypotheses, "test");
    if (e->permutations > 0) {
        text_put(out, "; ");
        put_number_of(out, e->permutations, "permutation");
        text_put(out, ", seed ");
        put_count(out, e->permutation_seed);
    }
    text_put(out, "\n");
}

/* "the rules were tested on 2,951 held-out transactions",
 * "p-values are adjusted for 3870 tests" */
static void text_tests(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    if (e->rules_held_out > 0) {
        text_put(out, "the rules were tested on ");
        put_number_of(out, e->rules_held_out, "held-out transaction");
        text_put(out, "\n");
    }
    if (e->tests[0]) fields_print(out, "p-values are adjusted for %s tests\n", e->tests);
    text_significance(out, e);
}

/* How evenly several devices were busy: the utilisation rate of Frontier Expansion. */
static void text_devices(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    if (e->n_devices < 2) return;
    fields_print(out, "%s: %u devices, utilisation %.0f%% (mean busy time / longest busy time)\n",
                 e->device, e->n_devices, 100 * e->utilisation);
}

static void text_short(fields_out *out, const lode_report *r) {
    char bytes[FIGURE_BYTES];
    if (r->ended[0]) {
        text_put(out, r->ended);
        text_put(out, "\n");
    }
    text_found(out, r);
    text_input(out, r);
    text_tests(out, r);
    text_verified(out, r);
    text_constraints(out, r);
    text_devices(out, r);
    if (r->engine.note[0]) fields_print(out, "note: %s\n", r->engine.note);
    if (r->to_file && !r->partial) {
        text_put(out, "written to ");
        text_put(out, r->output);
        fields_print(out, " (%s)\n", figure_bytes(r->result.text_bytes, bytes));
    }
    for (unsigned i = 0; i < r->n_advice; i++) {
        text_put(out, i == 0 ? "next: " : "      ");
        text_put(out, r->advice[i].text);
        text_put(out, "\n");
    }
}

/* ---- how ------------------------------------------------------------------------------------ */

static void text_support(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    if (r->asked.threshold[0]) {
        fields_print(out, "  minimum support %s = ", r->asked.threshold);
    } else {
        text_put(out, "  no minimum support given: searched from ");
    }
    put_count(out, e->min_count);
    if (e->final_min_count > e->min_count) {
        text_put(out, ", raised to ");
        put_count(out, e->final_min_count);
    }
    text_put(out, "\n");
}

static void text_phases(fields_out *out, const lode_report *r) {
    const report_row *row;
    const char *before = ": ";
    fields_print(out, "  %.2f s", r->total_seconds);
    for (size_t i = 0; (row = report_row_at(r, i)) != NULL; i++) {
        const char *name = row->field.name;
        if (strncmp(name, "times.", 6) != 0 || strcmp(name, "times.total") == 0) continue;
        lode_counter value = report_value(&row->field, r, 0);
        fields_print(out, "%s%s %.2f", before, name + 6, value.number);
        before = ", ";
    }
    text_put(out, "\n");
}

static void text_sizes(fields_out *out, const lode_report *r) {
    if (r->n_sizes == 0) return;
    fields_print(out, "  by %s", r->graphs ? "edges" : "size");
    for (size_t i = 0; i < r->n_sizes; i++) {
        text_put(out, i == 0 ? ": " : ", ");
        put_count(out, r->sizes[i].count);
        fields_print(out, " of %llu", (unsigned long long)r->sizes[i].size);
    }
    text_put(out, "\n");
}

/* A value for people. */
static const char *value_text(const lode_counter *v, char text[FIGURE_BYTES]) {
    switch (v->unit) {
    case LODE_UNIT_TEXT: return v->text;
    case LODE_UNIT_BYTES: return figure_bytes(v->count, text);
    case LODE_UNIT_BANDWIDTH: {
        char bytes[FIGURE_BYTES];
        snprintf(text, FIGURE_BYTES, "%.24s/s", figure_bytes(v->count, bytes));
        return text;
    }
    case LODE_UNIT_SECONDS: snprintf(text, FIGURE_BYTES, "%.3f s", v->number); return text;
    case LODE_UNIT_NUMBER: snprintf(text, FIGURE_BYTES, "%.4g", v->number); return text;
    case LODE_UNIT_FLAG: return v->count ? "yes" : "no";
    case LODE_UNIT_COUNT: break;
    }
    return v->count == UINT64_MAX ? "unlimited" : figure_count(v->count, text);
}

static bool is_something(const lode_counter *v) {
    return v->unit == LODE_UNIT_TEXT ? v->text[0] != 0 : v->number != 0;
}

static void text_counters(fields_out *out, const lode_report *r) {
    const report_row *row;
    for (size_t i = 0; (row = report_row_at(r, i)) != NULL; i++) {
        char text[FIGURE_BYTES];
        if (row->table || !row->more) continue;
        lode_counter v = report_value(&row->field, r, 0);
        if (!is_something(&v)) continue;
        fields_print(out, "  %-*s %*s  %s\n", TEXT_NAME, v.name, TEXT_VALUE, value_text(&v, text),
                     v.help);
    }
}

static void text_table(fields_out *out, const lode_report *r, const report_row *row) {
    size_t n;
    const report_columns *t = row->table;
    t->rows(r, &n);
    if (n == 0) return;
    fields_print(out, "  %s: %s\n", row->field.name, row->field.help);
    for (size_t c = 0; c < t->n && t->n > 1; c++) {
        fields_print(out, c == 0 ? "  %*s" : " %*s", TEXT_COLUMN, t->fields[c].name);
    }
    if (t->n > 1) text_put(out, "\n");
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < t->n; c++) {
            char text[FIGURE_BYTES];
            lode_counter v = report_cell(r, t, i, c);
            fields_print(out, c == 0 ? "  %*s" : " %*s", TEXT_COLUMN, value_text(&v, text));
        }
        text_put(out, "\n");
    }
}

/* Tables about the search: not patterns by size, which have a line already, and not the advice. */
static bool is_work(const report_row *row) {
    const char *name = row->field.name;
    return row->table && strncmp(name, "patterns.", 9) != 0 && strcmp(name, "next") != 0;
}

static void text_algorithm(fields_out *out, const lode_report *r) {
    const engine_report *e = &r->engine;
    const report_row *row;
    if (!e->algorithm[0]) return; /* the call failed before an algorithm was chosen */
    text_put(out, "how:\n");
    fields_print(out, "  %s: %s\n", e->algorithm, e->why);
    fields_print(out, "  on %s, %u thread%s: %s\n", e->device, e->n_threads, figure_s(e->n_threads),
                 e->device_why);
    text_support(out, r);
    text_phases(out, r);
    text_sizes(out, r);
    text_counters(out, r);
    for (size_t i = 0; (row = report_row_at(r, i)) != NULL; i++) {
        if (is_work(row)) text_table(out, r, row);
    }
}

lode_status lode_report_text(const lode_report *report, lode_report_level level,
                             lode_write_fn write, void *user) {
    if (!report || !write || level < LODE_REPORT_SHORT || level > LODE_REPORT_VERBOSE) {
        return LODE_INVALID;
    }
    fields_out out = {.write = write, .user = user};
    bool usable = report->status == LODE_OK || report->ended[0];
    if (!usable) {
        text_put(&out, "failed: ");
        text_put(&out, report->message);
        text_put(&out, "\n");
    } else if (!report->has_run) {
        text_put(&out, report->has_input ? "nothing was mined\n" : "nothing was done\n");
    } else {
        text_short(&out, report);
    }
    if (level == LODE_REPORT_VERBOSE && report->has_run) text_algorithm(&out, report);
    return fields_flush(&out);
}
