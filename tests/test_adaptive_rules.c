/* test_adaptive_rules.c - antecedents of rules, as the adaptive engine passes them on
 *
 * Every pair (antecedent, consequent) that is frequent must come exactly once, with its counts,
 * whatever the shape of the data, the roles of items, weights and threads; the expected pairs are
 * made from the frequent itemsets in memory. The numbers passed to engine_rules.add must be the
 * numbers of these pairs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mining.h"

#include "pipeline/engine/item_task.h"
#include "runtime/lease.h"

#define SIZES 64

/* What was found: pairs by size of the antecedent, and a hash of all of them in any order. */
typedef struct pairs {
    pthread_mutex_t lock;
    uint64_t by_size[SIZES];
    uint64_t hash;
    const uint8_t *roles;
    uint32_t max_lhs;
} pairs;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
    return x ^ x >> 33;
}

/* A sum, so that the order of the items does not matter. */
static uint64_t hash_items(const uint32_t *items, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += mix(items[i] + UINT64_C(0x9e3779b9));
    return sum;
}

static void note_pair(pairs *p, uint64_t lhs, uint32_t n_lhs, uint32_t rhs,
                      const uint64_t counts[2]) {
    p->by_size[n_lhs]++;
    p->hash += mix(lhs ^ mix(rhs + UINT64_C(7) * mix(counts[0] ^ mix(counts[1]))));
}

/* ---- the engine's ---------------------------------------------------------------------------- */

static lode_status open_pairs(void *user, void **worker) {
    *worker = user;
    return LODE_OK;
}

static lode_status close_pairs(void *worker) {
    (void)worker;
    return LODE_OK;
}

/* The pairs of one antecedent, which has some of the perfect items. */
static void note_lhs(pairs *p, const engine_antecedents *b, uint64_t subset) {
    uint64_t hash = hash_items(b->lhs, b->n_lhs);
    uint32_t n = b->n_lhs + (uint32_t)__builtin_popcountll(subset);
    for (uint32_t i = 0; i < b->n_perfect; i++) {
        if (subset >> i & 1) hash += hash_items(&b->perfect[i], 1);
    }
    if (n == 0 || n > p->max_lhs) return;
    for (uint32_t i = 0; i < b->n_consequents; i++) {
        note_pair(p, hash, n, b->consequents[i], (uint64_t[2]){b->count, b->both[i]});
    }
    for (uint32_t i = 0; i < b->n_perfect; i++) {
        if (subset >> i & 1 || !(p->roles[b->perfect[i]] & ENGINE_ROLE_RHS)) continue;
        note_pair(p, hash, n, b->perfect[i], (uint64_t[2]){b->count, b->count});
    }
}

static lode_status take_antecedents(void *worker, const engine_antecedents *b) {
    pairs *p = worker;
    pthread_mutex_lock(&p->lock);
    for (uint64_t subset = 0; subset < (uint64_t)1 << b->n_perfect; subset++) {
        note_lhs(p, b, subset);
    }
    pthread_mutex_unlock(&p->lock);
    return LODE_OK;
}

static uint64_t choose(uint32_t n, uint32_t k) {
    uint64_t ways = 1;
    for (uint32_t i = 1; i <= k; i++) ways = ways * (n - i + 1) / i;
    return ways;
}

static lode_status add_antecedents(void *worker, const engine_lhs_counts *c) {
    pairs *p = worker;
    pthread_mutex_lock(&p->lock);
    for (uint32_t k = 0; k <= c->n_perfect && c->n_lhs + k <= p->max_lhs; k++) {
        if (c->n_lhs + k == 0) continue;
        uint64_t ways = choose(c->n_perfect, k);
        p->by_size[c->n_lhs + k] +=
            ways * (c->n_consequents + c->n_antecedents * (c->n_perfect - k));
    }
    pthread_mutex_unlock(&p->lock);
    return LODE_OK;
}

/* ---- the runs -------------------------------------------------------------------------------- */

typedef struct scene {
    table t;
    const uint32_t *weights;
    uint64_t min_count;
    lode_threshold confidence;
    uint32_t max_lhs;
    uint8_t *roles;
} scene;

static lode_dataset *scene_data(lode_job *job, const scene *s) {
    lode_dataset *data = NULL;
    lode_status status =
        lode_dataset_from_arrays(job, &data, s->t.n, s->t.offsets, s->t.items, s->weights);
    if (status != LODE_OK) exit(2);
    return data;
}

static pairs run_engine_rules(const scene *s, unsigned threads, bool numbers) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .device = "cpu", .threads = threads};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    lode_dataset *data = scene_data(job, s);
    lode_mine_options o = mining_options("adaptive", s->min_count);
    pairs found = {.roles = s->roles, .max_lhs = s->max_lhs};
    pthread_mutex_init(&found.lock, NULL);
    engine_rules rules = {.roles = s->roles,
                          .max_lhs = s->max_lhs,
                          .confidence = s->confidence,
                          .user = &found,
                          .open = open_pairs,
                          .antecedents = take_antecedents,
                          .close = close_pairs,
                          .add = numbers ? add_antecedents : NULL};
    backend_plan plan;
    engine_report report = {0};
    lease_call held = {0};
    o.max_size = s->max_lhs;
    CHECK_EQUAL(backend_make_plan(job, "cpu", &plan), LODE_OK);
    CHECK_EQUAL(lease_enter(job, LEASE_ANY, &held), LODE_OK);
    engine_task task = {.job = job,
                        .request = {.kind = LODE_ITEMSETS},
                        .min_count = s->min_count,
                        .report = &report,
                        .plan = &plan,
                        .items = {.data = data, .options = &o, .rules = &rules}};
    atomic_store(&job->threshold, s->min_count);
    CHECK_EQUAL(engine_find(LODE_ITEMSETS, "adaptive")->run(&task), LODE_OK);
    lease_leave(&held);
    pthread_mutex_destroy(&found.lock);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return found;
}

static bool role(const scene *s, uint32_t item, unsigned wanted) {
    return s->roles[item] & wanted;
}

/* The pairs of one itemset: each of its items as the consequent. */
static void expect_of_set(const scene *s, const lode_sink *sink, const uint32_t *set, uint32_t n,
                          uint64_t support, pairs *p) {
    uint32_t lhs[SIZES];
    for (uint32_t h = 0; h < n; h++) {
        uint32_t k = 0;
        bool allowed = role(s, set[h], ENGINE_ROLE_RHS);
        for (uint32_t i = 0; i < n; i++) {
            if (i == h) continue;
            allowed = allowed && role(s, set[i], ENGINE_ROLE_LHS);
            lhs[k++] = set[i];
        }
        uint64_t count = 0;
        lode_known known;
        if (!allowed || k > s->max_lhs) continue;
        CHECK_EQUAL(lode_result_support(sink, lhs, k, &count, &known), LODE_OK);
        if (s->confidence.denominator > 0 &&
            support * s->confidence.denominator < count * s->confidence.numerator) {
            continue;
        }
        note_pair(p, hash_items(lhs, k), k, set[h], (uint64_t[2]){count, support});
    }
}

static pairs expect_pairs(const scene *s) {
    lode_job *job = mining_job("cpu");
    lode_dataset *data = scene_data(job, s);
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options("adaptive", s->min_count);
    pairs expected = {.roles = s->roles};
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    lode_result r = result_of(sink);
    for (uint64_t i = 0; i < r.n; i++) {
        uint32_t n = (uint32_t)(r.offsets[i + 1] - r.offsets[i]);
        if (n < 2) continue;
        expect_of_set(s, sink, r.items + r.offsets[i], n, r.supports[i], &expected);
    }
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    return expected;
}

static uint64_t total_pairs(const pairs *p) {
    uint64_t sum = 0;
    for (int i = 0; i < SIZES; i++) sum += p->by_size[i];
    return sum;
}

static uint64_t compared;

static void compare(const scene *s) {
    pairs expected = expect_pairs(s);
    compared += total_pairs(&expected);
    bool free_roles = true;
    for (uint32_t i = 0; i < 4096; i++) free_roles = free_roles && s->roles[i] == 3;
    for (unsigned threads = BY_BUILD(1, 1, 3); threads <= 3; threads += 2) {
        pairs found = run_engine_rules(s, threads, false);
        CHECK_EQUAL(total_pairs(&found), total_pairs(&expected));
        CHECK_EQUAL(found.hash, expected.hash);
        if (!free_roles) continue; /* numbers know nothing of roles within `perfect` */
        pairs numbers = run_engine_rules(s, threads, true);
        for (int i = 0; i < SIZES; i++) CHECK_EQUAL(numbers.by_size[i], expected.by_size[i]);
    }
}

static void set_roles(scene *s, rng *r, unsigned kind) {
    static uint8_t roles[4096];
    for (uint32_t i = 0; i < 4096; i++) {
        roles[i] = kind == 0   ? 3
                   : kind == 1 ? (uint8_t)(1 + rng_below(r, 3))
                               : (uint8_t)rng_below(r, 4);
    }
    s->roles = roles;
}

/* All combinations of roles, confidence, weights and length for one table. */
static void compare_ways(table t, uint64_t min_count, uint64_t seed) {
    static uint32_t weights[4096];
    rng r = rng_make(seed, 1);
    for (uint32_t i = 0; i < 4096; i++) weights[i] = (uint32_t)rng_below(&r, 4);
    for (unsigned way = 0; way < 12; way += BY_BUILD(1, 1, 5)) {
        scene s = {.t = t, .min_count = min_count, .max_lhs = way % 4 == 3 ? 2 : SIZES - 2};
        set_roles(&s, &r, way % 3);
        if (way % 2) s.confidence = (lode_threshold){1 + rng_below(&r, 9), 10};
        if (way == 5) s.confidence = (lode_threshold){3333333333333333, 10000000000000000};
        if (way >= 8) s.weights = weights;
        compare(&s);
    }
    table_free(&t);
}

static void test_words(void) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        compare_ways(table_random(seed, 30 + seed * 20, (uint32_t)(3 + seed), 10, 95), 3 + 2 * seed,
                     seed);
    }
    compare_ways(table_random(99, 300, 40, 5, 55), 14, 99);
    compare_ways(table_random(98, 2000, 30, 5, 55), 150, 98);
}

static void test_rows(void) {
    compare_ways(table_random(21, 400, 90, 8, 40), 26, 21);
    compare_ways(table_random(22, 3000, 120, 10, 38), 450, 22);
}

static void test_lists(void) {
    compare_ways(table_random(31, 600, 600, 1, 3), 4, 31);
    compare_ways(table_random(32, 2000, 900, 0, 3), 8, 32);
}

/* Items in every transaction, and items that always come together. */
static void test_perfect(void) {
    table t = {0};
    rng r = rng_make(5, 5);
    for (int i = 0; i < 60; i++) {
        uint32_t row[16], n = 0;
        row[n++] = 1;
        row[n++] = 2;
        if (rng_below(&r, 2)) {
            row[n++] = 5;
            row[n++] = 6;
            row[n++] = 7;
        }
        for (uint32_t item = 10; item < 16; item++) {
            if (rng_below(&r, 3)) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    compare_ways(t, 4, 5);
}

int main(void) {
    CHECK_RUN(test_words);
    CHECK_RUN(test_rows);
    CHECK_RUN(test_lists);
    CHECK_RUN(test_perfect);
    printf("%llu pairs compared\n", (unsigned long long)compared);
    CHECK(compared > BY_BUILD(100000, 100000, 10000));
    return check_result();
}
