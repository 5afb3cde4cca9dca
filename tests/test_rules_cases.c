/* test_rules_cases.c - rules on real data, and messages to users
 *
 * It tests known counts of groceries, the work of a search for rules with a required item, limits,
 * budgets, the best of many rules, a file as the held-out part, and messages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "rule_runs.h"

#include "rules/family.h"
#include "rules/wants.h"

static lode_job *new_job(unsigned threads, uint64_t memory) {
    lode_job *job = NULL;
    lode_job_options o = {
        .size = sizeof o, .device = "cpu", .threads = threads, .memory_bytes = memory};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static void free_job(lode_job *job) {
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* ---- groceries ------------------------------------------------------------------------------ */

static bool groceries_path(char *path, size_t bytes) {
    const char *data = getenv("LODE_DATA");
    snprintf(path, bytes, "%s/itemsets/groceries.csv.zst", data ? data : "../shared/data");
    return access(path, R_OK) == 0;
}

static lode_dataset *groceries(lode_job *job) {
    char path[512];
    lode_dataset *data = NULL;
    if (!groceries_path(path, sizeof path)) return NULL;
    CHECK_EQUAL(lode_dataset_open(job, &data, path, NULL), LODE_OK);
    return data;
}

/* The first rule that comes, as text: "a + b -> c". */
typedef struct first_sink {
    lode_sink base;
    char text[200];
    double lift;
} first_sink;

/* Appends the names of a side. */
static void put_side(const lode_dataset *data, const uint32_t *ids, uint32_t n, char to[200]) {
    for (uint32_t i = 0; i < n; i++) {
        char name[40] = "";
        size_t at = strlen(to);
        dataset_id_name(data, ids[i], name, sizeof name - 1);
        snprintf(to + at, 200 - at, "%s%s", i > 0 ? " + " : "", name);
    }
}

static lode_status first_emit(sink_worker *worker, const lode_rule *rule) {
    first_sink *sink = (first_sink *)worker->sink;
    const lode_counts *c = &rule->counts;
    if (sink->text[0]) return LODE_OK;
    put_side(sink->base.mined, rule->lhs, rule->n_lhs, sink->text);
    size_t at = strlen(sink->text);
    snprintf(sink->text + at, sizeof sink->text - at, " -> ");
    put_side(sink->base.mined, rule->rhs, rule->n_rhs, sink->text);
    sink->lift = (double)c->both * (double)c->total / ((double)c->lhs * (double)c->rhs);
    return LODE_OK;
}

static const rule_ops first_rules = {.worker_bytes = sizeof(rule_worker), .emit = first_emit};
static const sink_kind first_kind = {.bytes = sizeof(first_sink), .rules = &first_rules};

static uint64_t count_rules(lode_job *job, const lode_dataset *data, const lode_rule_options *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_rules_mine(job, data, o, sink);
    if (!CHECK_EQUAL(status, LODE_OK)) fprintf(stderr, "  said: %s\n", lode_job_error(job));
    uint64_t n = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return n;
}

static void test_groceries(void) {
    lode_job *job = new_job(2, 0);
    lode_dataset *data = groceries(job);
    lode_rule_options o = {
        .size = sizeof o, .min_support = {10, 0}, .min_confidence = {4, 5}, .algorithm = "auto"};
    if (!data) {
        printf("skip: there is no groceries.csv.zst (set LODE_DATA)\n");
        free_job(job);
        return;
    }
    CHECK_EQUAL(count_rules(job, data, &o), 410);
    o.algorithm = "tensor"; /* from itemsets in memory */
    CHECK_EQUAL(count_rules(job, data, &o), 410);
    o.max_rhs = UINT32_MAX;
    CHECK_EQUAL(count_rules(job, data, &o), 413);
    o.algorithm = NULL;
    CHECK_EQUAL(count_rules(job, data, &o), 413);
    o.max_rhs = 0;
    o.sort_by = "lift";
    o.top = 1;
    lode_sink *sink = NULL;
    CHECK_EQUAL(sink_create(job, &first_kind, &sink), LODE_OK);
    CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_OK);
    CHECK_TEXT(((first_sink *)sink)->text, "liquor + red/blush wine -> bottled beer");
    CHECK(fabs(((first_sink *)sink)->lift - 11.235) < 0.001);
    CHECK_EQUAL(lode_sink_patterns(sink), 1);
    lode_sink_free(sink);
    lode_dataset_free(data);
    free_job(job);
}

/* Under an item that rules must have, little more is looked at than in the baskets that have it. */
static uint64_t nodes_of(lode_job *job) {
    return lode_job_report(job)->engine.nodes;
}

static void test_must_nodes(void) {
    lode_job *job = new_job(1, 0);
    lode_dataset *data = groceries(job), *with = NULL;
    lode_rule_options o = {.size = sizeof o, .min_support = {5, 0}, .algorithm = "adaptive"};
    uint32_t milk = 0;
    if (!data) goto done;
    CHECK(lode_dataset_item_find(data, "whole milk", 10, &milk));
    table t = {0};
    for (uint64_t i = 0; i < data->profile.n_transactions; i++) {
        uint32_t n_row;
        const uint32_t *row = dataset_row(data, i, &n_row);
        bool has = false;
        for (uint32_t k = 0; k < n_row; k++) has = has || row[k] == milk;
        if (has) table_add(&t, row, n_row);
    }
    with = mining_data(job, &t);
    lode_mine_options m = mining_options("adaptive", 5);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, with, &m, sink), LODE_OK);
    uint64_t itemset_nodes = nodes_of(job);
    lode_sink_free(sink);
    o.include_lhs = "whole milk";
    uint64_t in_lhs = count_rules(job, data, &o), lhs_nodes = nodes_of(job);
    o.include_lhs = NULL;
    o.include = "whole milk";
    uint64_t anywhere = count_rules(job, data, &o), must_nodes = nodes_of(job);
    o.include = NULL;
    o.include_rhs = "whole milk";
    uint64_t in_rhs = count_rules(job, data, &o);
    printf("    nodes: itemsets of the baskets %llu, include-lhs %llu, include %llu\n",
           (unsigned long long)itemset_nodes, (unsigned long long)lhs_nodes,
           (unsigned long long)must_nodes);
    CHECK_EQUAL(anywhere, in_lhs + in_rhs);
    CHECK(in_lhs > 1000 && itemset_nodes > 100);
    /* Rules are not made from strips, whose lattices save nodes. */
    CHECK(lhs_nodes * 10 <= itemset_nodes * 14 && must_nodes * 10 <= itemset_nodes * 12);
    table_free(&t);
done:
    lode_dataset_free(with);
    lode_dataset_free(data);
    free_job(job);
}

/* ---- limits, budgets, the best of many ------------------------------------------------------- */

static void test_limits(void) {
    table t = table_random(5, 200, 14, 30, 60);
    lode_job *job = new_job(2, 0);
    lode_dataset *data = mining_data(job, &t);
    lode_rule_options o = {.size = sizeof o, .min_support = {4, 0}};
    uint64_t all = count_rules(job, data, &o);
    CHECK(all > 5000);
    o.limit_patterns = 100;
    for (unsigned way = 0; way < 3; way++) {
        lode_sink *sink = NULL;
        if (way == 1) o.productive = true;
        if (way == 2) o.sort_by = "lift";
        CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
        CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_STOPPED);
        CHECK_EQUAL(lode_sink_patterns(sink), 100);
        CHECK(strstr(lode_job_error(job), "100 patterns") != NULL);
        CHECK_TEXT(lode_job_report(job)->engine.stopped_by, "limit-patterns");
        lode_sink_free(sink);
    }
    lode_dataset_free(data);
    free_job(job);
    table_free(&t);
}

/* What asks for more than the counts of a rule. */
static lode_rule_options asking(unsigned way, uint64_t least) {
    lode_rule_options o = {.size = sizeof o, .min_support = {least, 0}};
    if (way == 1) o.productive = true;
    if (way == 2) o.sort_by = "lift";
    if (way == 3) o.significant = 0.9;
    if (way == 4) o.max_rhs = 2;
    if (way == 5) o.holdout = "30%";
    return o;
}

/* The limit ends the search: the budget has no room for all that could be found. */
static void test_early_limits(void) {
    table t = table_random(12, 60, 24, 70, 95);
    for (unsigned way = 1; way <= 4; way++) {
        lode_job *job = new_job(2, 24 << 20);
        lode_dataset *data = mining_data(job, &t);
        lode_rule_options o = asking(way, 1);
        lode_sink *sink = NULL;
        o.limit_patterns = 100;
        CHECK_EQUAL(lode_rule_sink_memory(job, &sink), LODE_OK);
        if (!CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_STOPPED)) {
            fprintf(stderr, "  way %u: %s\n", way, lode_job_error(job));
        }
        CHECK_EQUAL(lode_sink_patterns(sink), 100);
        CHECK_TEXT(lode_job_report(job)->engine.stopped_by, "limit-patterns");
        lode_sink_free(sink);
        lode_dataset_free(data);
        free_job(job);
    }
    table_free(&t);
}

/* Counts the rules of one item on each side. */
static lode_status count_pairs(const table *t, lode_rule_options o, uint64_t memory,
                               uint64_t *found) {
    lode_job *job = new_job(1, memory);
    lode_dataset *data = mining_data(job, t);
    lode_sink *sink = NULL;
    o.max_lhs = 1;
    o.max_size = 2;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    lode_status status = lode_rules_mine(job, data, &o, sink);
    *found = lode_sink_patterns(sink);
    lode_sink_free(sink);
    lode_dataset_free(data);
    free_job(job);
    return status;
}

/* Whatever is asked for, pairs are counted in twice the memory that the plain ones need. */
static void test_pairs_in_memory(void) {
    table t = table_random(9, 3000, 700, 1, 3);
    uint64_t budget = 1 << 20, all = 0, found;
    while (count_pairs(&t, asking(0, 1), budget, &all) == LODE_BUDGET) budget += budget / 4;
    CHECK(all > 200000);
    for (unsigned way = 1; way <= 5; way++) {
        if (!CHECK_EQUAL(count_pairs(&t, asking(way, 1), 2 * budget, &found), LODE_OK)) {
            fprintf(stderr, "  way %u in %llu MiB\n", way, (unsigned long long)budget >> 19);
        }
        CHECK(found > 0 && (found < all || way > 1));
    }
    table_free(&t);
}

/* The best, of more than a list keeps: the same as the beginning of all of them. */
static void test_best(void) {
    scene s = {.t = table_random(6, 120, 11, 30, 60), .n_items = 11, .min_count = 3};
    s.sort_by = "leverage";
    for (uint64_t top = 1; top < 6000; top = top * 5 + 2) {
        s.top = top;
        uint64_t tests;
        found_rules want = scene_rules(&s, &tests);
        scene_order(&s, &want);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            run_result r = run_scene(&s, WAY_ADAPTIVE, threads, false);
            found_rules *got = &((run_sink *)r.sink)->found;
            CHECK_EQUAL(r.status, LODE_OK);
            CHECK_EQUAL(got->n, want.n);
            for (size_t i = 0; i < want.n && i < got->n; i++) {
                if (!CHECK(got->rules[i].lhs == want.rules[i].lhs &&
                           got->rules[i].rhs == want.rules[i].rhs)) {
                    break;
                }
            }
            run_free(&r);
        }
        found_free(&want);
    }
    table_free(&s.t);
}

static void test_budget(void) {
    table t = table_random(8, 300, 20, 40, 70);
    lode_rule_options o = {.size = sizeof o, .min_support = {10, 0}, .max_rhs = 2};
    uint64_t budget = 2 << 20, needed = 0;
    lode_status status = LODE_BUDGET;
    for (int i = 0; i < 6 && status == LODE_BUDGET; i++) {
        lode_job *job = new_job(2, budget);
        lode_dataset *data = mining_data(job, &t);
        lode_sink *sink = NULL;
        CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
        status = lode_rules_mine(job, data, &o, sink);
        needed = lode_job_memory_needed(job);
        if (status == LODE_BUDGET) {
            CHECK(needed > budget && strstr(lode_job_error(job), "MiB") != NULL);
            budget = needed;
        }
        lode_sink_free(sink);
        lode_dataset_free(data);
        free_job(job);
    }
    CHECK_EQUAL(status, LODE_OK);
    CHECK(budget > 2 << 20);
    table_free(&t);
}

/* ---- a file that is held out ----------------------------------------------------------------- */

static void test_holdout_file(void) {
    char path[] = "/tmp/lode-held-XXXXXX";
    int fd = mkstemp(path);
    const char *held = "b,a,new\nb,c\na\n"; /* items in another order, one that is new */
    const char *text = "a,b\na,b\na\nb,c\n";
    lode_job *job = new_job(1, 0);
    lode_dataset *data = NULL;
    run_sink *sink = NULL;
    scene names = {.n_items = 3, .naming = 2};
    lode_rule_options o = {.size = sizeof o, .min_support = {2, 0}, .holdout = path};
    if (fd < 0 || write(fd, held, strlen(held)) < 0) exit(2);
    close(fd);
    o.adjust = LODE_ADJUST_BONFERRONI;
    CHECK_EQUAL(lode_dataset_parse(job, &data, text, strlen(text), NULL, NULL), LODE_OK);
    CHECK_EQUAL(sink_create(job, &run_kind, (lode_sink **)&sink), LODE_OK);
    sink->s = &names;
    CHECK_EQUAL(lode_rules_mine(job, data, &o, &sink->base), LODE_OK);
    CHECK_EQUAL(sink->found.n, 2); /* a -> b, b -> a */
    CHECK_TEXT(lode_job_report(job)->engine.tests, "2");
    for (size_t i = 0; i < sink->found.n; i++) {
        const found_rule *f = &sink->found.rules[i];
        lode_counts want = {1, 2, 2, 3};
        CHECK(memcmp(&f->held, &want, sizeof want) == 0);
        CHECK_EQUAL(f->counts.total, 4);
        CHECK(f->adjusted == 1);
    }
    lode_sink_free(&sink->base);
    o.holdout = "/nowhere/at/all.csv";
    CHECK_EQUAL(lode_sink_count(job, (lode_sink **)&sink), LODE_OK);
    CHECK_EQUAL(lode_rules_mine(job, data, &o, &sink->base), LODE_NOTFOUND);
    CHECK(strstr(lode_job_error(job), "/nowhere/at/all.csv") != NULL);
    lode_sink_free(&sink->base);
    lode_dataset_free(data);
    free_job(job);
    remove(path);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void check_refused(lode_job *job, const lode_dataset *data, const lode_rule_options *o,
                          const char *words) {
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_rules_mine(job, data, o, sink), LODE_INVALID);
    if (!CHECK(strstr(lode_job_error(job), words) != NULL)) {
        fprintf(stderr, "  said: %s\n", lode_job_error(job));
    }
    lode_sink_free(sink);
}

static void test_messages(void) {
    lode_job *job = new_job(1, 0);
    lode_dataset *data = NULL;
    const char *text = "milk,bread\nmilk\nbread,beer\n";
    const lode_rule_options plain = {.size = sizeof plain, .min_support = {1, 0}};
    CHECK_EQUAL(lode_dataset_parse(job, &data, text, strlen(text), NULL, NULL), LODE_OK);
#define REFUSED(field, value, words)                                                               \
    do {                                                                                           \
        lode_rule_options o = plain;                                                               \
        o.field = value;                                                                           \
        check_refused(job, data, &o, words);                                                       \
    } while (0)
    REFUSED(min_support.numerator, 0, "minimum support is missing");
    REFUSED(minima, "lfit=1", "did you mean 'lift'?");
    REFUSED(minima, "lift", "expected a measure and a value");
    REFUSED(maxima, "lift=high", "expected a number after the =");
    REFUSED(minima, "lift=1\nnone=2", "--min: there is no measure 'none'");
    REFUSED(sort_by, "nothing", "--sort-by: there is no measure");
    REFUSED(top, 5, "sort-by lift");
    REFUSED(lhs, "mlk", "lhs");
    REFUSED(include_rhs, "milk\nbrod", "include-rhs");
    REFUSED(min_confidence.numerator, 3, "--min-confidence: expected a share");
    REFUSED(significant, 1.5, "--significant: expected");
    REFUSED(significant, -1, "--significant: expected");
    REFUSED(holdout, "100%", "leaves no transactions");
    REFUSED(holdout, "0.000001%", "the held-out part has no transactions");
    REFUSED(minima, "heldOutLift=1", "require --holdout");
    REFUSED(algorithm, "magic", "no algorithm 'magic'");
    lode_rule_options o = plain;
    o.min_size = 4;
    o.max_size = 3;
    check_refused(job, data, &o, "below the minimum size");
    o = plain;
    o.max_size = 1; /* no rule is so small */
    CHECK_EQUAL(count_rules(job, data, &o), 0);
    o.max_size = 0;
    o.minima = "lift = 1.5 ";
    CHECK_EQUAL(count_rules(job, data, &o), 2); /* bread -> beer and back */
    CHECK_EQUAL(lode_job_report(job)->engine.rules_filtered, 2);
    lode_dataset_free(data);
    free_job(job);
}

/* By name, as a command line sets them. */
static void test_options(void) {
    static const char *const rows[][3] = {
        {"min-support", "1%", "1%"},
        {"min-confidence", "60%", "60%"},
        {"max-rhs", "any", "any"},
        {"max-rhs", "3", "3"},
        {"max-lhs", "4", "4"},
        {"lhs", "beer*", "beer*"},
        {"lhs", "milk", "beer*\nmilk"},
        {"min", "lift=2", "lift=2"},
        {"adjust", "by", "by"},
        {"productive", NULL, "true"},
        {"holdout", "0.3", "0.3"},
        {"significant", "0.05", "0.05"},
        {"top", "10", "10"},
        {"sort-by", "lift", "lift"},
    };
    lode_options *o = NULL;
    char text[64];
    CHECK_EQUAL(lode_options_create(&o), LODE_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQUAL(lode_options_set_in(o, LODE_OPTION_RULE, rows[i][0], rows[i][1], text, 64),
                    LODE_OK);
        lode_options_get_in(o, LODE_OPTION_RULE, rows[i][0], text, sizeof text);
        CHECK_TEXT(text, rows[i][2]);
    }
    CHECK_EQUAL(lode_options_set_in(o, LODE_OPTION_RULE, "max-head", "0", text, 64), LODE_INVALID);
    CHECK_EQUAL(lode_options_rule(o)->max_rhs, 3);
    lode_options_free(o);
}

/* ---- small parts ---------------------------------------------------------------------------- */

static void test_numbers(void) {
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1.5", 1.5},
                {"-0.25", -0.25},
                {"1e-6", 1e-6},
                {"60%", 0.6},
                {".5", 0.5},
                {"2.", 2},
                {"+3", 3},
                {"inf", INFINITY},
                {"1e300", 1e300},
                {"0.1", 0.1},
                {"123456789012345678901", 123456789012345678901.0}};
    static const char *const bad[] = {"", "-", ".", "1,5", "1e", "x", "1.5x", "1.2.3", "--1", "%"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(wants_text_number(good[i].text, strlen(good[i].text), &value));
        CHECK(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!wants_text_number(bad[i], strlen(bad[i]), &value));
    }
}

static void test_ways(void) {
    const ways_item items[] = {{{1, 0}}, {{1, 2}}, {{0, 2}}, {{0, 0}}};
    const uint64_t none[2] = {0, 0}, both[2] = {1, 2};
    uint64_t n = 0;
    CHECK_EQUAL(ways_choose(67, 33), 14226520737620288370u);
    CHECK_EQUAL(ways_choose(68, 34), UINT64_MAX);
    CHECK_EQUAL(ways_choose(5, 6), 0);
    CHECK(ways_count(items, 4, 9, none, 2, &n) && n == 6);
    CHECK(ways_count(items, 4, 9, both, 1, &n) && n == 1); /* the second item */
    CHECK(ways_count(items, 4, 9, both, 2, &n) && n == 4); /* with it any, and first with third */
    CHECK(ways_count(items, 4, 1, both, 2, &n) && n == 1);
    CHECK(ways_count(items, 4, 9, both, 0, &n) && n == 0);
}

/* The number of tests as digits, and what does not fit. */
static void test_family(void) {
    char text[48];
    family_text(0, text, sizeof text);
    CHECK_TEXT(text, "0");
    family_text(~(family_size)0, text, sizeof text);
    CHECK_TEXT(text, "340282366920938463463374607431768211455");
    table t = {0};
    uint32_t row[200];
    for (uint32_t i = 0; i < 200; i++) row[i] = i;
    for (uint32_t i = 0; i < 200; i++) table_add(&t, row + i, 1); /* pairs do not occur */
    lode_job *job = new_job(1, 0);
    lode_dataset *data = mining_data(job, &t);
    lode_rule_options o = {.size = sizeof o, .min_support = {1, 0}, .max_rhs = UINT32_MAX};
    lode_sink *sink = NULL;
    o.adjust = LODE_ADJUST_HOLM;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "2^128 tests") != NULL);
    o.max_rhs = 1;
    CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_OK);
    CHECK_TEXT(lode_job_report(job)->engine.tests, "39800");
    lode_sink_free(sink);
    lode_dataset_free(data);
    free_job(job);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_numbers);
    CHECK_RUN(test_ways);
    CHECK_RUN(test_family);
    CHECK_RUN(test_messages);
    CHECK_RUN(test_options);
    CHECK_RUN(test_limits);
    CHECK_RUN(test_early_limits);
    CHECK_RUN(test_pairs_in_memory);
    CHECK_RUN(test_best);
    CHECK_RUN(test_budget);
    CHECK_RUN(test_holdout_file);
    CHECK_RUN(test_groceries);
    CHECK_RUN(test_must_nodes);
    return check_result();
}
