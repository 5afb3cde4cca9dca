/* test_suggest.c - numbers of patterns at every threshold, compared with counting; answers; stops
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "extras/suggest/consequents.h"
#include "extras/suggest/draws.h"
#include "extras/suggest/hunt.h"
#include "extras/suggest/support_levels.h"
#include "mining.h"
#include "runtime/job.h"

static lode_job *suggest_job(unsigned threads, uint64_t memory) {
    lode_job *job = NULL;
    lode_job_options o = {
        .size = sizeof o, .threads = threads, .device = "cpu", .memory_bytes = memory};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static lode_dataset *suggest_data(lode_job *job, const table *t) {
    lode_dataset *data = NULL;
    uint64_t *offsets = calloc(t->n + 1, sizeof *offsets);
    uint32_t *items = calloc(t->n * 64 + 1, sizeof *items);
    if (!offsets || !items) exit(2);
    for (uint64_t i = 0; i < t->n; i++) {
        size_t n;
        const uint32_t *row = table_row(t, i, &n);
        memcpy(items + offsets[i], row, n * sizeof *row);
        offsets[i + 1] = offsets[i] + n;
    }
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, t->n, offsets, items, NULL), LODE_OK);
    free(offsets);
    free(items);
    return data;
}

/* Rules of confidence 1/2 with one item as consequent, counted slowly from all sets in memory. */
static uint64_t count_rules(lode_job *job, const lode_dataset *data, uint64_t min_count) {
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options("adaptive", min_count);
    uint64_t rules = 0;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_result r = result_of(sink);
    for (uint64_t i = 0; i < r.n; i++) {
        uint32_t lhs[64];
        size_t n = (size_t)(r.offsets[i + 1] - r.offsets[i]);
        for (size_t rhs = 0; rhs < n && n > 1; rhs++) {
            size_t k = 0;
            uint64_t support = 0;
            for (size_t j = 0; j < n; j++) {
                if (j != rhs) lhs[k++] = r.items[r.offsets[i] + j];
            }
            CHECK_EQUAL(lode_result_support(sink, lhs, k, &support, NULL), LODE_OK);
            rules += 2 * r.supports[i] >= support;
        }
    }
    lode_sink_free(sink);
    return rules;
}

static uint64_t count_sets(lode_job *job, const lode_dataset *data, lode_suggest_target target,
                           uint64_t min_count) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    lode_sink *sink = NULL;
    if (target == LODE_SUGGEST_RULES) return count_rules(job, data, min_count);
    lode_mine_options o = mining_options("adaptive", min_count);
    o.target = targets[target];
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    uint64_t n = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return n;
}

static lode_suggestion *suggest(lode_job *job, const lode_dataset *data, uint64_t want,
                                unsigned targets) {
    lode_suggestion *s = NULL;
    lode_suggest_options o = {.size = sizeof o, .want = want, .targets = targets};
    CHECK_EQUAL(lode_suggest(job, data, &o, &s), LODE_OK);
    return s;
}

/* Where everything is cheap, every number is exact and right, whatever the data. */
static void check_curve(const table *t) {
    lode_job *job = suggest_job(2, 0);
    lode_dataset *data = suggest_data(job, t);
    lode_suggestion *s = suggest(job, data, 0, 0);
    lode_suggest_point p = {.size = sizeof p}, last = p;
    unsigned seen = 0;
    for (size_t i = 0; lode_suggestion_point(s, i, &p); i++) {
        seen |= 1u << p.target;
        if (i > 0 && last.target == p.target) CHECK(last.min_count > p.min_count);
        CHECK(p.low <= p.patterns && p.patterns <= p.high);
        if (p.exact) {
            CHECK_EQUAL(p.patterns, count_sets(job, data, p.target, p.min_count));
        }
        last = p;
    }
    CHECK_EQUAL(seen, 15);
    lode_suggestion_free(s);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void test_curves(void) {
    for (unsigned seed = 1; seed < 6; seed++) {
        table t = table_random(seed, 60, 9, 20, 70);
        check_curve(&t);
        table_free(&t);
    }
}

static uint64_t count_pairs(lode_job *job, const lode_dataset *data, uint64_t min_count) {
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options("adaptive", min_count);
    o.min_size = 2;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    uint64_t n = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return n;
}

/* Without single items: the answer is the nearest threshold for every number wanted. */
static void check_pairs(lode_job *job, const lode_dataset *data, uint64_t want, uint64_t n) {
    lode_suggest_options o = {.size = sizeof o, .want = want, .min_size = 2};
    lode_suggestion *s = NULL;
    lode_suggest_point p = {.size = sizeof p};
    double least = INFINITY;
    CHECK_EQUAL(lode_suggest(job, data, &o, &s), LODE_OK);
    for (size_t i = 0; lode_suggestion_point(s, i, &p); i++) {
        CHECK(p.exact && p.target == LODE_SUGGEST_ALL);
        CHECK_EQUAL(p.patterns, count_pairs(job, data, p.min_count));
    }
    for (uint64_t count = 1; count <= n; count++) {
        double found = (double)count_pairs(job, data, count);
        if (found > 0) least = fmin(least, fabs(log(found / (double)want)));
    }
    CHECK(isfinite(least));
    CHECK(lode_suggestion_answer(s, LODE_SUGGEST_ALL, &p));
    CHECK(p.patterns > 0 && fabs(log(p.patterns / (double)want)) <= least + 1e-9);
    lode_suggestion_free(s);
}

static void test_pairs(void) {
    for (unsigned seed = BY_BUILD(1, 1, 3); seed < 4; seed++) {
        table t = table_random(seed, 60, 9, 20, 70);
        lode_job *job = suggest_job(2, 0);
        lode_dataset *data = suggest_data(job, &t);
        for (uint64_t want = 1; want < 40; want += want < 6 ? 1 : 9) {
            check_pairs(job, data, want, 60);
        }
        lode_dataset_free(data);
        lode_job_free(job);
        table_free(&t);
    }
}

/* The answer is the threshold whose number is nearest. */
static void check_answer(lode_job *job, const lode_dataset *data, lode_suggest_target target,
                         uint64_t want, uint64_t n) {
    lode_suggestion *s = suggest(job, data, want, 1u << target);
    lode_suggest_point p = {.size = sizeof p};
    double least = INFINITY;
    CHECK(lode_suggestion_answer(s, target, &p));
    for (uint64_t count = 1; count <= n; count++) {
        double found = (double)count_sets(job, data, target, count);
        if (found > 0) least = fmin(least, fabs(log(found / (double)want)));
    }
    CHECK(p.exact && fabs(fabs(log(p.patterns / (double)want)) - least) < 1e-9);
    lode_suggestion_free(s);
}

static void test_answers(void) {
    table t = table_random(3, 60, 9, 20, 70);
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = suggest_data(job, &t);
    for (uint64_t want = 3; want < 400; want = want * 5 / 2) {
        check_answer(job, data, LODE_SUGGEST_ALL, want, t.n);
        check_answer(job, data, LODE_SUGGEST_CLOSED, want, t.n);
        check_answer(job, data, LODE_SUGGEST_RULES, want, t.n);
    }
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* Parts of the search add up to the whole, for each target and both ways to divide. */
static void check_parts(lode_job *job, const lode_dataset *data, lode_target target, bool by_root) {
    probe whole = {0};
    probe_request r = {.target = target, .min_count = 5, .parts = 1, .of = 1, .enough = INFINITY};
    CHECK_EQUAL(probe_run(job, data, &r, &whole), LODE_OK);
    r.by_root = by_root;
    for (uint64_t seed = 0; seed < 3; seed++) {
        probe some = {0};
        double n = 0;
        r.seed = seed;
        r.parts = 15;
        r.of = 16;
        CHECK_EQUAL(probe_run(job, data, &r, &some), LODE_OK);
        CHECK(some.complete && some.tally.n_rows == 16);
        for (uint32_t row = 0; row < 16; row++) {
            n += some.tally.counts[row * some.tally.n_levels + 5];
        }
        CHECK(n <= probe_sets(&whole, 5));
        CHECK(n >= probe_sets(&whole, 5) / 2);
        probe_free(job, &some);
    }
    probe_free(job, &whole);
}

static void test_parts(void) {
    table t = table_random(7, 300, 20, 20, 60);
    lode_job *job = suggest_job(2, 0);
    lode_dataset *data = suggest_data(job, &t);
    for (unsigned i = 0; i < 6; i++) {
        static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED,
                                              LODE_TARGET_MAXIMAL};
        check_parts(job, data, targets[i / 2], i % 2);
    }
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    table_free(&t);
}

/* The mean of many estimates is the number, and most intervals hold it. */
static void test_estimates(void) {
    table t = table_random(11, 400, 24, 10, 60);
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = suggest_data(job, &t);
    double sum = 0, exact = (double)count_sets(job, data, LODE_SUGGEST_CLOSED, 8);
    unsigned holds = 0, tries = 60;
    for (uint64_t seed = 0; seed < tries; seed++) {
        probe p = {0};
        probe_request r = {.target = LODE_TARGET_CLOSED,
                           .min_count = 8,
                           .parts = 16,
                           .of = 64,
                           .enough = INFINITY,
                           .seed = seed};
        CHECK_EQUAL(probe_run(job, data, &r, &p), LODE_OK);
        estimate e = probe_estimate(&p, NULL, 8);
        sum += e.n;
        holds += e.low <= exact && exact <= e.high;
        probe_free(job, &p);
    }
    CHECK(fabs(sum / tries / exact - 1) < 0.1);
    CHECK(holds >= tries * 85 / 100);
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

static void test_levels(void) {
    for (uint64_t support = 1; support < 100000; support++) {
        uint32_t level = level_of(support);
        CHECK(level_support(level) <= support && level_support(level + 1) > support);
        CHECK(level_support(level_above(support)) >= support);
    }
    CHECK(level_of(UINT32_MAX) < 25000);
}

/* Sets that are drawn from baskets tell the number at low thresholds, and the bound is above it. */
static void test_draws(void) {
    table t = table_random(13, 80, 14, 10, 50);
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = suggest_data(job, &t);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t min_count = 1 + i / 2;
        bool rules = i % 2;
        unsigned holds = 0;
        lode_suggest_target target = rules ? LODE_SUGGEST_RULES : LODE_SUGGEST_ALL;
        double exact = (double)count_sets(job, data, target, min_count);
        for (uint64_t seed = 0; seed < 20; seed++) {
            draws_request r = {{1, 2}, min_count, rules, seed};
            estimate e;
            CHECK_EQUAL(draws_estimate(job, data, &r, &e), LODE_OK);
            holds += e.low <= exact && exact <= e.high;
        }
        CHECK(holds >= 16);
        CHECK(exact <= draws_bound(data, min_count, rules));
    }
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    table_free(&t);
}

/* A long set that is found does reach the threshold. */
static void test_long_sets(void) {
    table t = table_random(17, 120, 16, 20, 80);
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = suggest_data(job, &t);
    for (uint64_t min_count = 1; min_count < 12; min_count++) {
        vec_u32 items = {0};
        uint64_t support = 0;
        CHECK_EQUAL(long_set_find(job, data, min_count, 1, &items), LODE_OK);
        for (uint64_t i = 0; i < t.n; i++) {
            uint32_t n, found = 0;
            const uint32_t *ids = dataset_row(data, i, &n);
            for (uint32_t k = 0; k < n; k++) {
                for (size_t j = 0; j < items.n; j++) found += ids[k] == items.data[j];
            }
            support += found == items.n;
        }
        CHECK(items.n > 1 && support >= min_count);
        vec_u32_free(&job->mem, &items);
    }
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* A block of baskets that share 40 items, among many that share nothing: the number jumps from few
 * to 2^40. The threshold before the jump is the answer, and the one after it is told. */
static void test_explosion(void) {
    enum { BASKETS = 3000, SHARED = 40, WITH = 7 };
    uint64_t offsets[BASKETS + 1] = {0};
    uint32_t *items = calloc((size_t)BASKETS * SHARED, sizeof *items);
    if (!items) exit(2);
    for (uint32_t i = 0; i < BASKETS; i++) {
        uint32_t *row = items + offsets[i], n = i % 400 == 3 && i < 400 * WITH ? SHARED : 3;
        for (uint32_t k = 0; k < n; k++)
            row[k] = n == SHARED ? k : 100 + (i * (k + 7)) % 300 + 300 * k;
        offsets[i + 1] = offsets[i] + n;
    }
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, BASKETS, offsets, items, NULL), LODE_OK);
    for (unsigned t = 0; t < 2; t++) {
        lode_suggest_target target = t ? LODE_SUGGEST_RULES : LODE_SUGGEST_ALL;
        lode_suggestion *s = suggest(job, data, 1000000, 1u << target);
        lode_suggest_point p = {.size = sizeof p};
        bool told = false;
        CHECK(lode_suggestion_answer(s, target, &p));
        CHECK(t || p.min_count == WITH + 1);
        for (size_t i = 0; lode_suggestion_point(s, i, &p); i++) {
            told |= p.min_count == WITH && p.low > 1e9;
        }
        CHECK(t || told);
        lode_suggestion_free(s);
    }
    lode_dataset_free(data);
    lode_job_free(job);
    free(items);
}

/* Where all numbers are exact, nothing depends on the seed or the threads. */
static void test_seeds(void) {
    table t = table_random(19, 60, 9, 20, 70);
    lode_suggest_point points[2][64];
    size_t n[2] = {0};
    for (unsigned run = 0; run < 2; run++) {
        lode_job *job = suggest_job(1 + run, 0);
        lode_dataset *data = suggest_data(job, &t);
        lode_suggestion *s = NULL;
        lode_suggest_options o = {.size = sizeof o, .want = 50, .targets = 3, .seed = run * 77};
        lode_suggest_point p = {.size = sizeof p};
        CHECK_EQUAL(lode_suggest(job, data, &o, &s), LODE_OK);
        while (n[run] < 64 && lode_suggestion_point(s, n[run], &p)) points[run][n[run]++] = p;
        lode_suggestion_free(s);
        lode_dataset_free(data);
        lode_job_free(job);
    }
    CHECK(n[0] > 0 && n[0] == n[1]);
    for (size_t i = 0; i < n[0] && i < n[1]; i++) {
        const lode_suggest_point *a = &points[0][i], *b = &points[1][i];
        CHECK(a->exact && b->exact && a->answer == b->answer);
        CHECK(a->min_count == b->min_count && a->patterns == b->patterns);
    }
    table_free(&t);
}

/* With any budget it works or says that it is too small; nothing is left behind. */
static void test_budgets(void) {
    table t = table_random(5, 200, 12, 20, 70);
    unsigned works = 0, fails = 0;
    for (uint64_t memory = 1 << 14; memory <= 1 << 26; memory *= 2) {
        lode_job *job = suggest_job(1, memory);
        lode_dataset *data = NULL;
        lode_suggestion *s = NULL;
        lode_suggest_options o = {.size = sizeof o, .want = 100, .targets = 9};
        uint64_t offsets[201] = {0};
        uint32_t items[200 * 12];
        for (uint64_t i = 0; i < t.n; i++) {
            size_t n;
            const uint32_t *row = table_row(&t, i, &n);
            memcpy(items + offsets[i], row, n * sizeof *row);
            offsets[i + 1] = offsets[i] + n;
        }
        lode_status status = lode_dataset_from_arrays(job, &data, t.n, offsets, items, NULL);
        if (status == LODE_OK) status = lode_suggest(job, data, &o, &s);
        CHECK(status == LODE_OK ? s != NULL : status == LODE_BUDGET && !s);
        works += status == LODE_OK;
        fails += status != LODE_OK;
        lode_suggestion_free(s);
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
    CHECK(works > 0 && fails > 0);
    table_free(&t);
}

typedef struct cancelling {
    lode_job *job;
    unsigned left; /* polls until the cancel; 0: it has come */
} cancelling;

static void cancel_at(void *user) {
    cancelling *c = user;
    if (c->left > 0 && --c->left == 0) lode_job_cancel(c->job);
}

/* A cancel at any poll ends it, and so does the time; nothing is left behind. */
static void test_ends(void) {
    table t = table_random(5, 400, 20, 20, 60);
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = suggest_data(job, &t);
    lode_suggestion *s = NULL;
    lode_suggest_options o = {.size = sizeof o, .want = 100, .targets = 15};
    lode_status status = LODE_CANCELLED;
    unsigned cancelled = 0;
    o.limit_seconds = 60; /* only then are polls counted */
    for (unsigned polls = 1; status == LODE_CANCELLED; polls += 1 + polls / 3) {
        cancelling c = {job, polls};
        job->on_poll = cancel_at;
        job->on_poll_user = &c;
        status = lode_suggest(job, data, &o, &s);
        CHECK(status == LODE_CANCELLED ? !s : status == LODE_OK && c.left > 0);
        cancelled += status == LODE_CANCELLED;
        lode_job_reset(job);
    }
    CHECK(cancelled > 2);
    job->on_poll = NULL;
    lode_suggestion_free(s);
    o.limit_seconds = 1e-9;
    CHECK_EQUAL(lode_suggest(job, data, &o, &s), LODE_OK);
    lode_suggestion_free(s);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    table_free(&t);
}

/* One threshold, from a small sample: near the truth on the average, and inside its interval. */
static void test_glance(void) {
    table t = table_random(13, 400, 24, 10, 60);
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = suggest_data(job, &t);
    lode_suggest_point p = {.size = sizeof p};
    double sum = 0, exact = (double)count_sets(job, data, LODE_SUGGEST_ALL, 6);
    unsigned n = 0, tries = 200;
    for (uint64_t seed = 0; seed < tries; seed++) {
        lode_suggestion *s = NULL;
        lode_suggest_options o = {.size = sizeof o, .at = 6, .seed = seed};
        CHECK_EQUAL(lode_suggest(job, data, &o, &s), LODE_OK);
        if (lode_suggestion_point(s, 0, &p)) {
            CHECK(p.min_count == 6 && p.low <= p.patterns && p.patterns <= p.high && !p.answer);
            sum += p.patterns;
            CHECK(!lode_suggestion_point(s, 1, &p));
            n++;
        }
        lode_suggestion_free(s);
    }
    CHECK(n > tries / 2);
    CHECK(sum / tries > exact / 2 && sum / tries < exact * 2);
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* One threshold, where two baskets have so much in common that counting would never end. */
static void test_glance_explosion(void) {
    uint32_t items[2 * 100], n = 0;
    uint64_t offsets[3] = {0, 100, 200};
    for (uint32_t i = 0; i < 200; i++) items[n++] = i % 100;
    lode_job *job = suggest_job(1, 0);
    lode_dataset *data = NULL;
    lode_suggest_point p = {.size = sizeof p};
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, offsets, items, NULL), LODE_OK);
    for (uint64_t at = 1; at <= 2; at++) {
        lode_suggestion *s = NULL;
        lode_suggest_options o = {.size = sizeof o, .at = at};
        CHECK_EQUAL(lode_suggest(job, data, &o, &s), LODE_OK);
        CHECK(lode_suggestion_point(s, 0, &p));
        CHECK(p.patterns > 1e29 && p.low > 1e29);
        lode_suggestion_free(s);
    }
    lode_dataset_free(data);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_levels);
    CHECK_RUN(test_parts);
    CHECK_RUN(test_estimates);
    CHECK_RUN(test_curves);
    CHECK_RUN(test_pairs);
    CHECK_RUN(test_answers);
    CHECK_RUN(test_draws);
    CHECK_RUN(test_long_sets);
    CHECK_RUN(test_explosion);
    CHECK_RUN(test_glance);
    CHECK_RUN(test_glance_explosion);
    CHECK_RUN(test_seeds);
    CHECK_RUN(test_budgets);
    CHECK_RUN(test_ends);
    return check_result();
}
