/* suggest.c - lode suggest FILE...: shows how many patterns each threshold would give
 * SPDX-License-Identifier: Apache-2.0 */
#include "suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli_file.h"

#define TO_READ   1000 /* patterns that a person may look through */
#define FAR_OFF   3.0  /* times the number wanted is no longer about that */
#define UNCERTAIN 30.0 /* times the estimate: an interval that goes up to that is worth a word */

static const char *const suggest_forms[] = {"text", "csv", "jsonl", NULL};

static const cli_option suggest_options[] = {
    {"svg", 0, "FILE.svg", "no plot", "also plot the curves to an SVG file"},
    {"write", 'w', "FORMAT", "text", "text: a plot, a table and a suggestion; csv; jsonl"},
    {0},
};

/* ---- the table ------------------------------------------------------------------------------- */

static const char *const suggest_titles[SUGGEST_TARGETS] = {"all itemsets (a)", "closed (c)",
                                                            "maximal (m)", "rules (r)"};

/* Whether only a lower bound is known. */
static bool suggest_is_least(const lode_suggest_point *p) {
    return !p->exact && p->low >= p->patterns;
}

static void suggest_print_cell(const lode_suggest_point *p) {
    char text[96] = "";
    if (p->min_count && p->exact) {
        snprintf(text, sizeof text, "%s",
                 p->patterns < 1e15 ? cli_count((uint64_t)p->patterns)
                                    : suggest_number(p->patterns));
    } else if (p->min_count && suggest_is_least(p)) {
        snprintf(text, sizeof text, "at least %s", suggest_number(p->patterns));
    } else if (p->min_count) {
        snprintf(text, sizeof text, "~%s (%s to %s)", suggest_number(p->patterns),
                 suggest_number(p->low), suggest_number(p->high));
    }
    printf("  %-30s", text);
}

static void suggest_print_table(const suggest_view *v) {
    printf("\n%12s %9s", "count", "support");
    for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
        if (v->has[t]) printf("  %-30s", suggest_titles[t]);
    }
    printf("\n");
    for (size_t i = 0; i < v->n; i++) {
        const suggest_row *row = &v->rows[i];
        printf("%12s %9s", cli_count(row->min_count), suggest_percent(v, row->min_count));
        for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
            if (v->has[t]) suggest_print_cell(&row->points[t]);
        }
        printf("\n");
    }
    printf("(~: an estimate; its interval contains the true number in 9 of 10 cases");
    if (v->has[LODE_SUGGEST_RULES]) {
        printf("; rules: confidence %g%%, one item in the consequent", 100 * v->confidence);
    }
    if (v->pairs) printf("; itemsets: two or more items");
    printf(")\n");
}

/* ---- advice ---------------------------------------------------------------------------------- */

static const char *suggest_about(const lode_suggest_point *p) {
    return p->exact ? "" : suggest_is_least(p) ? "at least " : "about ";
}

/* An exact number of up to seven digits in full, such as 1,010; others as 1.01 M. */
static const char *suggest_figure(const lode_suggest_point *p) {
    bool full = p->exact && p->patterns < 1e7;
    return full ? cli_count((uint64_t)p->patterns) : suggest_number(p->patterns);
}

/* The command that mines what the point counts. */
static void suggest_print_command(const suggest_view *v, const lode_suggest_point *p) {
    const bool rules = p->target == LODE_SUGGEST_RULES;
    const bool again = cli_can_repeat(v->args->file) || cli_word(v->args, "sql");
    if (!again) printf("  (save the input as FILE first: it can be read only once)\n");
    printf("  lode %s", rules ? "rules" : "itemsets");
    cli_put_input(stdout, v->args);
    printf(" -s %llu", (unsigned long long)p->min_count);
    if (rules) printf(" -c %g%%", 100 * v->confidence);
    if (p->target == LODE_SUGGEST_ALL && v->pairs) printf(" --min-size 2");
    if (!rules && p->target != LODE_SUGGEST_ALL) {
        printf(" -t %s", lode_suggest_target_name(p->target));
    }
    printf("\n");
}

static const char *suggest_noun(lode_suggest_target t) {
    static const char *const nouns[SUGGEST_TARGETS] = {"itemsets", "closed itemsets",
                                                       "maximal itemsets", "rules"};
    return nouns[t];
}

/* Returns the point of the next threshold above or below, if it differs by one, or if it has too
 * many patterns; NULL if there is none. */
static const lode_suggest_point *suggest_neighbour(const suggest_view *v,
                                                   const lode_suggest_point *p, bool below) {
    const lode_suggest_point *found = NULL;
    for (size_t i = 0; i < v->n; i++) { /* from the highest threshold on */
        const lode_suggest_point *q = &v->rows[i].points[p->target];
        if (q->min_count == 0) continue;
        if (!below && q->min_count == p->min_count + 1) return q;
        if (below && q->min_count < p->min_count && !found) found = q;
    }
    bool direct = found && found->min_count + 1 == p->min_count;
    return found && (direct || suggest_is_least(found)) ? found : NULL;
}

static void suggest_print_neighbours(const suggest_view *v, const lode_suggest_point *p) {
    for (int below = 0; below < 2; below++) {
        const lode_suggest_point *q = suggest_neighbour(v, p, below);
        if (!q) continue;
        printf("; -s %llu gives %s%s", (unsigned long long)q->min_count, suggest_about(q),
               suggest_figure(q));
    }
}

/* Where the number jumps over the one that is wanted, from one threshold to the next. */
static void suggest_print_jump(const suggest_view *v, const lode_suggest_point *p) {
    double want = (double)v->want;
    const lode_suggest_point *few = p, *many = suggest_neighbour(v, p, true);
    if (p->patterns > want) {
        many = p;
        few = suggest_neighbour(v, p, false);
    }
    if (!few || !many || many->min_count + 1 != few->min_count) return;
    if (few->patterns * FAR_OFF > want || many->patterns < want * FAR_OFF) return;
    if (few->high > want || many->low < want) return; /* it may not be so */
    printf("No threshold gives about %s: from -s %llu to -s %llu, the number jumps from %s%s to "
           "%s%s.\n",
           suggest_number(want), (unsigned long long)few->min_count,
           (unsigned long long)many->min_count, suggest_about(few), suggest_number(few->patterns),
           suggest_about(many), suggest_number(many->patterns));
}

static void suggest_print_doubt(const lode_suggest_point *p) {
    if (p->exact || p->high < UNCERTAIN * p->patterns) return;
    printf("This is uncertain: a few of the sampled parts of the search have most of the patterns, "
           "and parts\n"
           "that were not sampled may have many more. Allow more time with --limit-time.\n");
}

static void suggest_print_answer(const suggest_view *v, const lode_suggest_point *p) {
    const char *noun = suggest_noun(p->target);
    if (p->min_count == 1 && p->high < (double)v->want) {
        printf("There are fewer than %s %s: at -s 1 there are %s%s.\n", cli_count(v->want), noun,
               suggest_about(p), suggest_number(p->patterns));
        return;
    }
    printf("For about %s %s, use -s %llu (%s): it gives %s%s", cli_count(v->want), noun,
           (unsigned long long)p->min_count, suggest_percent(v, p->min_count), suggest_about(p),
           suggest_figure(p));
    if (!p->exact) printf(" (%s to %s)", suggest_number(p->low), suggest_number(p->high));
    suggest_print_neighbours(v, p);
    printf(".\n");
    suggest_print_jump(v, p);
    suggest_print_doubt(p);
    suggest_print_command(v, p);
}

/* Without a number: the lowest threshold whose result a person can read. */
static void suggest_print_hint(const suggest_view *v) {
    const lode_suggest_point *best = NULL;
    for (size_t i = 0; i < v->n; i++) {
        for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
            const lode_suggest_point *p = &v->rows[i].points[t];
            if (p->min_count && p->patterns <= TO_READ && (!best || best->target == p->target)) {
                best = p;
            }
        }
    }
    if (!best) return;
    printf("For a result short enough to read, use -s %s (%s baskets): it gives %s%s %s. --want N "
           "finds the threshold for about N.\n",
           suggest_percent(v, best->min_count), cli_count(best->min_count), suggest_about(best),
           suggest_number(best->patterns), suggest_noun(best->target));
    suggest_print_command(v, best);
}

static void suggest_print_advice(const suggest_view *v) {
    printf("\n");
    if (!v->want) suggest_print_hint(v);
    for (unsigned t = 0; t < SUGGEST_TARGETS && v->want; t++) {
        if (v->answers[t].min_count) {
            suggest_print_answer(v, &v->answers[t]);
        } else if (v->has[t]) {
            printf("For %s %s, there was not enough time; allow more with --limit-time.\n",
                   suggest_number((double)v->want), suggest_noun((lode_suggest_target)t));
        }
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int suggest_form(const cli_args *args) {
    const char *text = cli_given(args, "write");
    for (int i = 0; suggest_forms[i]; i++) {
        if (!text || strcmp(text, suggest_forms[i]) == 0) return i;
    }
    cli_error("--write '%s': expected one of text, csv, jsonl", text);
    return -1;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool suggest_write_svg(const suggest_view *v, const char *path) {
    cli_file file;
    if (!path) return true;
    if (!cli_file_open(&file, path, true)) return false;
    suggest_svg(v, file.stream);
    return cli_file_close(&file);
}

static int suggest_show(suggest_view *v, int form) {
    if (form == 1) suggest_csv(v, stdout);
    if (form == 2) suggest_jsonl(v, stdout);
    if (form == 0) {
        suggest_draw(v, stdout);
        suggest_print_table(v);
        suggest_print_advice(v);
    }
    if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_DONE;
    cli_error("cannot write 'standard output': %s", strerror(errno));
    return CLI_FAILED;
}

/* Which kinds of patterns --min-size 2 can count: the number of single items among closed and
 * maximal itemsets is not known. Prints a message otherwise. */
static bool suggest_can_count(const cli_args *args) {
    const unsigned others = 1u << LODE_SUGGEST_CLOSED | 1u << LODE_SUGGEST_MAXIMAL;
    const lode_suggest_options *o = lode_options_suggest(args->options);
    const char *size = cli_word(args, "min-size");
    if (size && (o->min_size < 1 || o->min_size > 2)) {
        cli_error("--min-size '%s': expected 1 (count all itemsets) or 2 (leave out single items)",
                  size);
        return false;
    }
    if (o->min_size == 2 && o->targets & others) {
        cli_error("--min-size 2 cannot be combined with -t closed or -t maximal; use -t all, -t "
                  "rules or -t all,rules");
        return false;
    }
    return true;
}

static int suggest_run(lode_job *job, suggest_view *v, int form, const char *svg) {
    lode_dataset *data = NULL;
    lode_suggestion *s = NULL;
    lode_status status = cli_open_data(job, &data, v->args);
    if (status == LODE_OK) {
        status = lode_suggest(job, data, lode_options_suggest(v->args->options), &s);
    }
    cli_progress_end();
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    if (status == LODE_OK) {
        v->n_transactions = lode_dataset_total_weight(data);
        suggest_collect(v, s);
        code = suggest_show(v, form);
        if (!suggest_write_svg(v, svg)) code = CLI_FAILED;
    }
    lode_suggestion_free(s);
    lode_dataset_free(data);
    return code;
}

static int run_suggest(cli_args *args) {
    static suggest_view v;
    lode_job *job = NULL;
    int form = suggest_form(args);
    const char *path = cli_given(args, "svg");
    const lode_suggest_options *o = lode_options_suggest(args->options);
    lode_threshold c = o->min_confidence;
    if (form < 0 || !cli_may_write(args, "svg", path)) return CLI_USAGE;
    if (!suggest_can_count(args)) return CLI_USAGE;
    if (path && strcmp(path, "-") == 0) {
        cli_error("--svg '-': standard output has the table; give a file such as curve.svg");
        return CLI_USAGE;
    }
    if (!cli_file_check(path)) return CLI_FAILED;
    bool rules = o->targets >> LODE_SUGGEST_RULES & 1;
    if (cli_word(args, "min-confidence") && !rules && !cli_given(args, "quiet")) {
        cli_print(stderr, "note: -c is for rules, which are not counted; add -t rules\n");
    }
    v = (suggest_view){.args = args, .want = o->want, .pairs = o->min_size == 2};
    v.confidence = c.denominator ? (double)c.numerator / (double)c.denominator : 0.5;
    lode_status status = cli_job_create(&job, args);
    int code = status == LODE_OK ? suggest_run(job, &v, form, path) : cli_fail(NULL, status);
    cli_job_free(job);
    return code;
}

const cli_command cli_suggest = {
    .name = "suggest",
    .arguments = "FILE... [options]",
    .summary = "show how many patterns each threshold gives, or find the threshold that gives "
               "about N patterns",
    .examples = "  lode suggest baskets.csv                      the curve, and a table\n"
                "  lode suggest baskets.csv --want 1000          a threshold for 1,000 itemsets\n"
                "  lode suggest baskets.csv --want 500 -t closed,rules -c 80%\n"
                "  lode suggest baskets.csv --svg curve.svg -w csv > curve.csv\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_SUGGEST,
    .options = suggest_options,
    .n_files = CLI_MANY_FILES,
    .run = run_suggest,
};
