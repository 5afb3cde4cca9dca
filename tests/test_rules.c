/* test_rules.c - rules against brute force: every option, every way to find them
 *
 * The data sets and the requests are small and random. All ways (streamed by adaptive, stored, and
 * antecedents from a driver that does what engine.h requires) must give exactly the rules of the
 * oracle, with their counts, the best more general rules, adjusted p-values and counts in the
 * held-out part, in the requested order. Sinks that only count must get the same numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rule_runs.h"

#include "runtime/report/report.h"

#define N_SCENES BY_BUILD(1200, 200, 80)

static uint64_t n_rules, n_empty;

/* ---- random scenes -------------------------------------------------------------------------- */

static const char *const measures[] = {"lift",       "leverage", "phi",    "jaccard",
                                       "conviction", "support",  "fisher", "coverage"};

static uint32_t random_mask(rng *r, uint32_t n_items, unsigned percent) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < n_items; i++) {
        if (rng_below(r, 100) < percent) mask |= 1u << i;
    }
    return mask;
}

/* Only items that occur can be named. */
static void random_sides(scene *s, rng *r, uint32_t there) {
    if (rng_below(r, 4) == 0) s->lhs = random_mask(r, s->n_items, 70) & there;
    if (rng_below(r, 4) == 0) s->rhs = random_mask(r, s->n_items, 50) & there;
    if (rng_below(r, 6) == 0) s->exclude = random_mask(r, s->n_items, 20) & there;
    if (rng_below(r, 6) == 0) s->exclude_lhs = random_mask(r, s->n_items, 20) & there;
    if (rng_below(r, 6) == 0) s->exclude_rhs = random_mask(r, s->n_items, 20) & there;
}

static void random_musts(uint32_t *groups, rng *r, const scene *s, uint32_t there) {
    unsigned n = rng_below(r, 5) == 0 ? 1 + (unsigned)rng_below(r, 2) : 0, k = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t mask =
            rng_below(r, 2) ? 1u << rng_below(r, s->n_items) : random_mask(r, s->n_items, 30);
        if (mask & there) groups[k++] = mask & there;
    }
}

static void random_bounds(scene *s, rng *r) {
    unsigned n = rng_below(r, 3) == 0 ? 1 + (unsigned)rng_below(r, 2) : 0;
    for (unsigned i = 0; i < n; i++) {
        const char *name = measures[rng_below(r, sizeof measures / sizeof *measures)];
        bool most = strcmp(name, "fisher") == 0 || rng_below(r, 4) == 0;
        double value = strcmp(name, "lift") == 0 || strcmp(name, "conviction") == 0
                           ? 0.8 + (double)rng_below(r, 80) / 100
                           : (double)rng_below(r, 60) / 100;
        s->bounds[s->n_bounds++] = (scene_bound){name, value, most};
    }
    if (rng_below(r, 8) == 0) s->bounds[s->n_bounds++] = (scene_bound){"improvement", 0.05, false};
}

static void random_judgement(scene *s, rng *r) {
    static const char *const orders[] = {"lift", "fisher", "confidence", "improvement", "phi"};
    if (rng_below(r, 4) == 0) s->productive = true;
    if (rng_below(r, 4) == 0) s->adjust = (lode_adjust)rng_below(r, 5);
    if (rng_below(r, 6) == 0) s->significant = 0.2;
    if (rng_below(r, 4) == 0) s->sort_by = orders[rng_below(r, 5)];
    if (s->sort_by && rng_below(r, 2)) s->top = 1 + rng_below(r, 12);
    if (rng_below(r, 6) == 0) {
        s->holdout = 20 + (unsigned)rng_below(r, 40);
        s->holdout_seed = rng_below(r, 5);
        if (rng_below(r, 2) && s->n_bounds < ORACLE_BOUNDS) {
            s->bounds[s->n_bounds++] = (scene_bound){"heldOutLift", 1, false};
        }
    }
}

/* Some items are copies of others, some are everywhere: perfect extensions. */
static table random_table(rng *r, uint32_t n_items, uint64_t n_rows) {
    table t = {0};
    uint32_t row[ORACLE_ITEMS], twin = (uint32_t)rng_below(r, n_items);
    uint64_t percent = 25 + rng_below(r, 50);
    bool everywhere = rng_below(r, 4) == 0;
    for (uint64_t i = 0; i < n_rows; i++) {
        size_t n = 0;
        bool has_twin = rng_below(r, 2);
        for (uint32_t item = 0; item < n_items; item++) {
            bool in = rng_below(r, 100) < percent;
            if (item == twin || item == (twin + 3) % n_items) in = has_twin;
            if (everywhere && item == 1) in = true;
            if (in) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    return t;
}

/* A part without transactions is refused: see test_rules_cases. */
static void mend_holdout(scene *s) {
    uint64_t held = 0;
    for (uint64_t i = 0; i < s->t.n; i++) {
        if (scene_holds_out(s, i)) held += s->weights ? s->weights[i] : 1;
    }
    if (s->holdout == 0 || held > 0) return;
    s->holdout = 0;
    s->holdout_seed = 0;
    if (s->n_bounds > 0 && scene_is_late(s->bounds[s->n_bounds - 1].measure)) s->n_bounds--;
}

static scene random_scene(uint64_t seed) {
    rng r = rng_make(seed, 17);
    scene s = {.seed = seed, .n_items = 3 + (uint32_t)rng_below(&r, 6)};
    s.t = random_table(&r, s.n_items, 4 + rng_below(&r, 30));
    s.naming = (unsigned)rng_below(&r, 3);
    if (s.naming < 2 && rng_below(&r, 3) == 0) {
        s.weights = malloc((size_t)s.t.n * sizeof *s.weights);
        for (uint64_t i = 0; i < s.t.n; i++) s.weights[i] = (uint32_t)rng_below(&r, 4);
    }
    uint32_t there = 0;
    for (uint64_t i = 0; i < s.t.n; i++) {
        if (!s.weights || s.weights[i] > 0) there |= scene_mask(&s, i);
    }
    s.min_count = 1 + rng_below(&r, 6);
    s.confidence = (lode_threshold){rng_below(&r, 5), 4};
    if (rng_below(&r, 2)) s.max_rhs = rng_below(&r, 3) ? 2 : UINT32_MAX;
    if (rng_below(&r, 4) == 0) s.max_lhs = 1 + (uint32_t)rng_below(&r, 3);
    if (rng_below(&r, 5) == 0) s.min_size = 2 + (uint32_t)rng_below(&r, 3);
    if (rng_below(&r, 5) == 0)
        s.max_size = (s.min_size ? s.min_size : 2) + (uint32_t)rng_below(&r, 3);
    random_sides(&s, &r, there);
    random_musts(s.include, &r, &s, there);
    random_musts(s.include_lhs, &r, &s, there);
    random_musts(s.include_rhs, &r, &s, there);
    if (seed % 3) random_bounds(&s, &r);
    if (seed % 2) random_judgement(&s, &r);
    mend_holdout(&s);
    return s;
}

static void scene_free(scene *s) {
    table_free(&s->t);
    free(s->weights);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool is_near(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-300;
}

static bool rules_equal(const scene *s, const found_rule *a, const found_rule *b) {
    bool general = s->productive || (s->sort_by && strcmp(s->sort_by, "improvement") == 0);
    for (unsigned i = 0; i < s->n_bounds; i++) {
        general = general || strcmp(s->bounds[i].measure, "improvement") == 0;
    }
    return a->lhs == b->lhs && a->rhs == b->rhs &&
           memcmp(&a->counts, &b->counts, sizeof a->counts) == 0 &&
           memcmp(&a->held, &b->held, sizeof a->held) == 0 &&
           (!general || is_near(a->best, b->best)) && is_near(a->adjusted, b->adjusted);
}

static void print_rule(const char *what, const found_rule *f) {
    fprintf(stderr, "  %s %x -> %x (%llu of %llu, head %llu, total %llu) best %g adjusted %g\n",
            what, f->lhs, f->rhs, (unsigned long long)f->counts.both,
            (unsigned long long)f->counts.lhs, (unsigned long long)f->counts.rhs,
            (unsigned long long)f->counts.total, f->best, f->adjusted);
}

static bool compare_rules(const scene *s, const found_rules *want, found_rules *got) {
    for (size_t i = 0; i < got->n; i++) got->rules[i].key = 0;
    if (s->sort_by) { /* in this order: their keys are those of the oracle */
        for (size_t i = 0; i < got->n && i < want->n; i++) got->rules[i].key = want->rules[i].key;
    } else if (got->n > 0) {
        qsort(got->rules, got->n, sizeof *got->rules, found_compare);
    }
    if (!CHECK_EQUAL(got->n, want->n)) {
        for (size_t i = 0; i < got->n && i < 5; i++) print_rule("got ", &got->rules[i]);
        for (size_t i = 0; i < want->n && i < 5; i++) print_rule("want", &want->rules[i]);
        return false;
    }
    for (size_t i = 0; i < want->n; i++) {
        if (CHECK(rules_equal(s, &got->rules[i], &want->rules[i]))) continue;
        print_rule("got ", &got->rules[i]);
        print_rule("want", &want->rules[i]);
        return false;
    }
    return true;
}

static bool check_tests(const scene *s, const run_result *r, uint64_t tests, uint64_t found) {
    char text[32];
    if (s->adjust == LODE_ADJUST_NONE || r->status != LODE_OK) return true;
    (void)found;
    if (s->holdout) return true;
    snprintf(text, sizeof text, "%llu", (unsigned long long)tests);
    return CHECK_TEXT(lode_job_report(r->job)->engine.tests, text);
}

static bool check_way(const scene *s, const found_rules *want, uint64_t tests, run_way way) {
    unsigned threads = 1 + (unsigned)(s->seed + way) % 4;
    run_result r = run_scene(s, way, threads, false);
    run_sink *sink = (run_sink *)r.sink;
    bool good = CHECK_EQUAL(r.status, LODE_OK);
    if (!good) fprintf(stderr, "  said: %s\n", lode_job_error(r.job));
    good = good && CHECK(!sink->unsorted) && compare_rules(s, want, &sink->found) &&
           check_tests(s, &r, tests, want->n) && CHECK_EQUAL(lode_sink_patterns(r.sink), want->n);
    run_free(&r);
    return good;
}

static bool check_numbers(const scene *s, const found_rules *want, run_way way) {
    run_result r = run_scene(s, way, 1 + (unsigned)s->seed % 3, true);
    uint64_t by_size[ORACLE_ITEMS + 1] = {0};
    bool good = CHECK_EQUAL(r.status, LODE_OK);
    for (size_t i = 0; i < want->n; i++) {
        by_size[__builtin_popcount(want->rules[i].lhs | want->rules[i].rhs)]++;
    }
    for (uint32_t size = 0; size <= ORACLE_ITEMS && good; size++) {
        good = CHECK_EQUAL(lode_sink_patterns_of_size(r.sink, size), by_size[size]);
    }
    run_free(&r);
    return good;
}

static void test_matrix(void) {
    for (uint64_t seed = 0; seed < N_SCENES; seed++) {
        scene s = random_scene(seed);
        uint64_t tests = 0;
        found_rules want = scene_rules(&s, &tests);
        scene_order(&s, &want);
        n_rules += want.n;
        n_empty += want.n == 0;
        for (run_way way = 0; way < N_WAYS; way++) {
            if (!check_way(&s, &want, tests, way) || !check_numbers(&s, &want, way)) {
                fprintf(stderr, "  seed %llu, %s, max head %u\n", (unsigned long long)seed,
                        way_names[way], s.max_rhs);
                if (check_failures > 20) exit(1);
            }
        }
        found_free(&want);
        scene_free(&s);
    }
    printf("    %llu rules in %d scenes, %llu of them empty\n", (unsigned long long)n_rules,
           N_SCENES, (unsigned long long)n_empty);
    CHECK(n_rules > 10 * (uint64_t)N_SCENES && n_empty < N_SCENES / 2);
}

int main(void) {
    CHECK_RUN(test_matrix);
    return check_result();
}
