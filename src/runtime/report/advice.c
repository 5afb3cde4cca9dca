/* advice.c - what to try next: a table of rules
 *
 * A rule says only what the report proves. The first REPORT_ADVICE rules of the table that fit are
 * used. Options have the names of the command line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "runtime/report/report.h"

#define ADVICE_MANY        100000 /* more patterns than a person reads */
#define ADVICE_MANY_GRAPHS 10000  /* … of subgraphs, most of which are parts of others */

typedef struct advice_rule {
    const char *name;
    bool (*fits)(const lode_report *r);
    void (*say)(const lode_report *r, char *text, size_t bytes);
} advice_rule;

static uint64_t patterns_of(const lode_report *r, uint64_t size) {
    for (size_t i = 0; i < r->n_sizes; i++) {
        if (r->sizes[i].size == size) return r->sizes[i].count;
    }
    return 0;
}

static bool found_none(const lode_report *r) {
    return r->status == LODE_OK && r->result.patterns == 0;
}

static bool found_some(const lode_report *r) {
    return r->status == LODE_OK && r->result.patterns > 0;
}

static const char *units(const lode_report *r) {
    return r->graphs ? "graphs" : "transactions";
}

/* ---- nothing was found ---------------------------------------------------------------------- */

static bool fits_empty(const lode_report *r) {
    return r->status == LODE_OK && r->input.n == 0;
}

static void say_empty(const lode_report *r, char *text, size_t bytes) {
    snprintf(text, bytes, "the data contain no %s; is this the right file?", units(r));
}

static bool fits_never(const lode_report *r) {
    uint64_t searched = r->engine.rules_searched;
    return found_none(r) && r->input.n > 0 &&
           r->engine.min_count > (searched ? searched : r->input.total_weight);
}

static void say_never(const lode_report *r, char *text, size_t bytes) {
    char count[FIGURE_BYTES];
    snprintf(text, bytes,
             "-s %s is a count, but there are only %s %s; write a share with %%, such as -s 1%%",
             r->asked.threshold, figure_count(r->input.total_weight, count), units(r));
}

/* If transactions have nothing in common, the file was often read with the wrong separator. */
static bool fits_apart(const lode_report *r) {
    return !r->graphs && r->status == LODE_OK && !r->input.weighted && r->input.n > 1 &&
           r->input.highest == 1;
}

static void say_apart(const lode_report *r, char *text, size_t bytes) {
    (void)r;
    snprintf(text, bytes,
             "no item occurs in two transactions; check with `lode stats FILE` what was read, and "
             "set --format and --separator");
}

static bool fits_none(const lode_report *r) {
    bool has_items = r->graphs || (r->input.highest > 1 && !r->engine.constrained);
    return found_none(r) && !r->asked.top && r->input.n > 0 && has_items && !r->rules;
}

/* Whether --min, --max and the like excluded rules. */
static bool bounds_exclude(const lode_report *r) {
    return r->engine.rules_bounds[0] &&
           (r->engine.rules_filtered > 0 || r->engine.rules_pruned > 0);
}

static bool fits_no_rule(const lode_report *r) {
    const engine_report *e = &r->engine;
    bool possible = r->input.longest > 1 && r->input.highest > 1 && !e->rules_impossible;
    bool lowest = e->min_count <= 1 && e->rules_any_confidence;
    return found_none(r) && r->rules && r->input.n > 0 && possible &&
           (bounds_exclude(r) || !lowest);
}

/* Branches that are pruned may have further rules that do not meet the bounds: these are not
 * counted. */
static void say_no_rule(const lode_report *r, char *text, size_t bytes) {
    char filtered[FIGURE_BYTES];
    const engine_report *e = &r->engine;
    uint64_t n = e->rules_filtered;
    if (n > 0) {
        snprintf(text, bytes, "%s%s rule%s did not meet %s; relax %s to find more",
                 e->rules_pruned > 0 ? "at least " : "", figure_count(n, filtered), figure_s(n),
                 e->rules_bounds, strchr(e->rules_bounds, ' ') ? "them" : "it");
    } else if (bounds_exclude(r)) {
        snprintf(text, bytes, "no rule met %s; looser bounds may find some", e->rules_bounds);
    } else {
        snprintf(text, bytes, "use a lower %s to find more rules",
                 e->min_count <= 1         ? "-c"
                 : e->rules_any_confidence ? "-s"
                                           : "-s or -c");
    }
}

static void say_none(const lode_report *r, char *text, size_t bytes) {
    char highest[FIGURE_BYTES], all[FIGURE_BYTES];
    const report_asked *a = &r->asked;
    if (!r->graphs && a->least <= 1) {
        snprintf(text, bytes,
                 "the most frequent item is in %s of %s transactions; use -s %llu to find it, or "
                 "--target top:20 to find the most frequent itemsets",
                 figure_count(r->input.highest, highest), figure_count(r->input.total_weight, all),
                 (unsigned long long)r->input.highest);
    } else {
        char size[48] = "";
        if (a->least > 1) {
            snprintf(size, sizeof size, " --min-%s %u", r->graphs ? "edges" : "size", a->least);
        }
        snprintf(text, bytes,
                 "use --target top:20%s instead of -s to find the most frequent patterns", size);
    }
}

static bool fits_none_left(const lode_report *r) {
    return found_none(r) && r->engine.constrained && r->input.n > 0 && !r->engine.rules_impossible;
}

static void say_none_left(const lode_report *r, char *text, size_t bytes) {
    char count[FIGURE_BYTES];
    uint64_t searched = r->engine.searched_transactions;
    if (r->engine.fixed_items > 0 && searched == 0) {
        snprintf(text, bytes, "no transaction contains the required items");
        return;
    }
    if (r->engine.fixed_items > 0 && searched < r->engine.min_count) {
        snprintf(text, bytes, "only %s transaction%s the required items: use -s %llu or less",
                 figure_count(searched, count), searched == 1 ? " contains" : "s contain",
                 (unsigned long long)searched);
        return;
    }
    bool lower = !r->asked.top && r->engine.min_count > 1;
    snprintf(text, bytes, "use fewer constraints%s to find more patterns",
             lower ? " or a lower threshold" : "");
}

/* ---- it was ended --------------------------------------------------------------------------- */

static bool fits_limit_patterns(const lode_report *r) {
    return r->status == LODE_STOPPED && strcmp(r->engine.stopped_by, "limit-patterns") == 0 &&
           !r->asked.top && r->engine.rules_ranked == 0;
}

static void say_limit_patterns(const lode_report *r, char *text, size_t bytes) {
    if (r->rules) {
        snprintf(
            text, bytes,
            "these are the first rules that the search found; --sort-by lift --top %llu finds the "
            "best rules",
            (unsigned long long)r->asked.limit_patterns);
        return;
    }
    snprintf(text, bytes,
             "these are the first patterns that the search found; --target top:%llu finds the most "
             "frequent ones",
             (unsigned long long)r->asked.limit_patterns);
}

static bool fits_ended(const lode_report *r) {
    bool limit_time = strcmp(r->engine.stopped_by, "limit-time") == 0;
    return r->status == LODE_CANCELLED || (r->status == LODE_STOPPED && limit_time);
}

static void say_ended(const lode_report *r, char *text, size_t bytes) {
    const char *size = r->graphs ? "--max-edges" : "--max-size";
    snprintf(text, bytes, "to finish sooner, use a higher -s%s or %s 3",
             r->asked.plain && !r->rules ? ", --target closed" : "", size);
}

/* ---- much, and little of use ---------------------------------------------------------------- */

static bool fits_one(const lode_report *r) {
    return r->asked.one && !r->asked.top && r->status == LODE_OK && r->input.n > 1;
}

static void say_one(const lode_report *r, char *text, size_t bytes) {
    snprintf(text, bytes,
             "-s 1 is a count: patterns that occur once are found; -s 100%% means all %s",
             units(r));
}

/* Only patterns of size 1 were found, and larger ones were wanted. */
static bool fits_single(const lode_report *r) {
    const report_asked *a = &r->asked;
    bool possible = r->graphs || r->input.longest > 1;
    return found_some(r) && r->result.largest == 1 && a->most != 1 && possible &&
           (a->top || r->engine.min_count > 2);
}

static void say_single(const lode_report *r, char *text, size_t bytes) {
    const char *what = r->graphs ? "single edges" : "single items";
    if (r->asked.top) {
        snprintf(text, bytes, "all results are %s; use --min-%s 2 to find larger ones", what,
                 r->graphs ? "edges" : "size");
        return;
    }
    snprintf(text, bytes,
             "all results are %s; a lower threshold, such as -s %llu, may find larger ones", what,
             (unsigned long long)(r->engine.min_count + 1) / 2);
}

static bool fits_items(const lode_report *r) {
    return !r->graphs && found_some(r) && r->result.largest > 1 && patterns_of(r, 1) > 0;
}

static void say_items(const lode_report *r, char *text, size_t bytes) {
    char count[FIGURE_BYTES];
    uint64_t n = patterns_of(r, 1);
    snprintf(text, bytes, "%s itemset%s only one item: --min-size 2 leaves %s out",
             figure_count(n, count), n == 1 ? " has" : "s have", n == 1 ? "it" : "them");
}

static bool fits_many(const lode_report *r) {
    uint64_t many = r->graphs ? ADVICE_MANY_GRAPHS : ADVICE_MANY;
    return found_some(r) && r->asked.plain && r->result.patterns >= many;
}

static void say_many(const lode_report *r, char *text, size_t bytes) {
    if (r->rules) {
        snprintf(text, bytes,
                 "for fewer rules, use --productive, which leaves out rules that a shorter rule "
                 "explains, or --sort-by lift --top 100, which keeps the best");
        return;
    }
    snprintf(text, bytes,
             "for fewer results, use --target closed, which loses no information, maximal, which "
             "keeps only the largest, or top:100, which keeps only the most frequent");
}

static bool fits_many_closed(const lode_report *r) {
    return found_some(r) && strcmp(r->asked.adjective, "closed") == 0 &&
           r->result.patterns >= ADVICE_MANY;
}

static void say_many_closed(const lode_report *r, char *text, size_t bytes) {
    (void)r;
    snprintf(
        text, bytes,
        "for fewer results, use a higher -s, or --target maximal, which keeps only the largest");
}

static const advice_rule advice_rules[] = {
    {"empty", fits_empty, say_empty},
    {"never", fits_never, say_never},
    {"apart", fits_apart, say_apart},
    {"none", fits_none, say_none},
    {"no-rule", fits_no_rule, say_no_rule},
    {"none-left", fits_none_left, say_none_left},
    {"limit-patterns", fits_limit_patterns, say_limit_patterns},
    {"ended", fits_ended, say_ended},
    {"one", fits_one, say_one},
    {"single", fits_single, say_single},
    {"many", fits_many, say_many},
    {"many-closed", fits_many_closed, say_many_closed},
    {"items", fits_items, say_items},
};

void report_advise(lode_report *r) {
    r->n_advice = 0;
    for (size_t i = 0; i < sizeof advice_rules / sizeof *advice_rules; i++) {
        const advice_rule *rule = &advice_rules[i];
        if (!r->has_run || r->n_advice == REPORT_ADVICE || !rule->fits(r)) continue;
        report_advice *a = &r->advice[r->n_advice++];
        a->rule = rule->name;
        rule->say(r, a->text, sizeof a->text);
    }
}
