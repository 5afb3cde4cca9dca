/* test_ranges.c - root ranges: disjoint ranges together give the whole result, each pattern once
 *
 * A pattern belongs to the class of its rarest item (of equal support, the one that comes first in
 * the data set). So the expected result of a range follows from the whole result, pattern by
 * pattern, and all engines that support ranges must agree. All engines of the list that claim to
 * support ranges are tested.
 *
 * LODE_TEST_DEVICES names the devices; the default is several consumers on the CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/item_task.h"
#include "tables.h"
#include "targets.h"

#define STEP BY_BUILD(1, 7, 7) /* of the data sets, only each STEP-th */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                      LODE_TARGET_GENERATORS};
static const char *const cpus[] = {"cpu*1", "cpu*3", "cpu*2"};

/* ---- what is wanted ------------------------------------------------------------------------ */

/* The frequent items, from the rarest. */
typedef struct ranks {
    uint32_t n;
    uint32_t *ids;
    uint64_t *supports;
} ranks;

static ranks ranks_make(const lode_result *all) {
    ranks r = {.ids = malloc((size_t)(all->n + 1) * sizeof *r.ids),
               .supports = malloc((size_t)(all->n + 1) * sizeof *r.supports)};
    if (!r.ids || !r.supports) exit(2);
    for (uint64_t i = 0; i < all->n; i++) {
        size_t n;
        const uint32_t *items = result_items(all, i, &n);
        if (n > 1) break; /* sorted by size */
        uint32_t at = r.n++;
        for (; at > 0 && r.supports[at - 1] > all->supports[i]; at--) {
            r.ids[at] = r.ids[at - 1];
            r.supports[at] = r.supports[at - 1];
        }
        r.ids[at] = items[0];
        r.supports[at] = all->supports[i];
    }
    return r;
}

static void ranks_free(ranks *r) {
    free(r->ids);
    free(r->supports);
}

static uint32_t class_of(const ranks *r, const uint32_t *items, size_t n) {
    for (uint32_t rank = 0; rank < r->n; rank++) {
        for (size_t i = 0; i < n; i++) {
            if (items[i] == r->ids[rank]) return rank;
        }
    }
    return UINT32_MAX;
}

/* Whether `got` is what of `whole` lies in [first, end). Both are sorted. */
static bool is_part(const lode_result *got, const lode_result *whole, const ranks *r,
                    uint32_t first, uint32_t end) {
    uint64_t at = 0;
    for (uint64_t i = 0; i < whole->n; i++) {
        size_t n, n_got;
        const uint32_t *items = result_items(whole, i, &n);
        uint32_t class = class_of(r, items, n);
        if (class < first || class >= end) continue;
        if (at == got->n) return false;
        const uint32_t *there = result_items(got, at, &n_got);
        if (items_compare(items, n, there, n_got) != 0) return false;
        if (got->supports[at++] != whole->supports[i]) return false;
    }
    return at == got->n;
}

/* ---- cuts ---------------------------------------------------------------------------------- */

typedef struct trial {
    const table *t;
    const uint32_t *weights;
    lode_mine_options o;
    const lode_result *whole;
    const ranks *r;
    size_t way;
} trial;

static bool check_part(const trial *x, uint32_t first, uint32_t end, size_t way) {
    lode_mine_options o = x->o;
    const char *device = mining_device(cpus, 3, way);
    o.root_first = first;
    o.root_end = end;
    mined got = mine_on(x->t, x->weights, &o, device, 1 + (unsigned)way % 4);
    uint32_t to = end ? end : UINT32_MAX;
    bool fine = CHECK_EQUAL(got.status, LODE_OK) &
                CHECK(is_part(&got.result, x->whole, x->r, first, to)) & counts_agree(&got, &o);
    if (!fine) {
        fprintf(stderr, "  %s, support %llu, target %d, classes %u to %u of %u, %s: %llu of %llu\n",
                o.algorithm, (unsigned long long)o.min_support.numerator, (int)o.target, first, end,
                x->r->n, device, (unsigned long long)got.result.n, (unsigned long long)x->whole->n);
    }
    mined_free(&got);
    return fine;
}

/* Up to four ranges, some of them empty, and one past the end. */
static bool check_cut(const trial *x, rng *random) {
    uint32_t at = 0;
    bool fine = true;
    for (unsigned part = 0; part < 4 && fine; part++) {
        uint32_t left = x->r->n + 2 - (at < x->r->n + 2 ? at : x->r->n + 2);
        uint32_t end = part < 3 ? at + (uint32_t)rng_below(random, left + 1) : 0;
        if (part < 3 && end == 0) continue; /* 0 is the end of all */
        fine = check_part(x, at, end, x->way + part);
        at = end;
    }
    return fine;
}

static bool check_engine(const lode_engine *engine, const table *t, const uint32_t *weights,
                         uint64_t support, const ranks *r, size_t way) {
    bool fine = true;
    rng random = rng_make(support + way, 7);
    for (size_t i = 0; i < sizeof targets / sizeof *targets && fine; i++) {
        if (!(engine_targets(engine) >> targets[i] & 1)) continue;
        trial x = {.t = t,
                   .weights = weights,
                   .o = mining_options(engine->name, support),
                   .r = r,
                   .way = way + i};
        x.o.target = targets[i];
        x.o.max_size = targets[i] == LODE_TARGET_ALL && way % 5 == 4 ? 1 + (uint32_t)(way % 3) : 0;
        mined whole = mine_on(t, weights, &x.o, "cpu*1", 1);
        x.whole = &whole.result;
        fine = CHECK_EQUAL(whole.status, LODE_OK) && check_cut(&x, &random);
        mined_free(&whole);
    }
    return fine;
}

static bool check_table(const table *t, const uint32_t *weights, uint64_t support, size_t way) {
    lode_mine_options o = mining_options("brute", support);
    mined all = mine_on(t, weights, &o, "cpu*1", 1);
    bool fine = CHECK_EQUAL(all.status, LODE_OK);
    ranks r = ranks_make(&all.result);
    for (size_t i = 0; engine_at(LODE_ITEMSETS, i) && fine && all.result.n < 2000; i++) {
        if (!engine_at(LODE_ITEMSETS, i)->ranges ||
            (weights && !engine_at(LODE_ITEMSETS, i)->weights))
            continue;
        fine = check_engine(engine_at(LODE_ITEMSETS, i), t, weights, support, &r, way + i);
    }
    ranks_free(&r);
    mined_free(&all);
    return fine;
}

static void test_families(void) {
    size_t way = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = 0; seed < families[i].n && seed < 6; seed += STEP) {
            if (families[i].max_size) continue;
            table t = families[i].make(seed);
            uint64_t support = families[i].lowest;
            bool fine = true;
            for (unsigned step = 0; step < BY_BUILD(3, 3, 1) && support <= t.n && fine;
                 step++, way++) {
                fine = check_table(&t, NULL, support, way);
                support = next_threshold(support, t.n);
            }
            if (!fine) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            table_free(&t);
        }
    }
    printf("    %zu data sets and thresholds\n", way);
}

/* Many classes, deep ones, and lists instead of rows in tensor. */
static void test_shapes(void) {
    table deep = table_random(3, 300, 24, 20, 70), sparse = table_random(5, 900, 400, 0, 1);
    for (unsigned i = BY_BUILD(0, 0, 2); i < 3; i++) {
        check_table(&deep, NULL, 70 + 10 * i, i);
        check_table(&sparse, NULL, 1 + i, i);
    }
    table_free(&deep);
    table_free(&sparse);
}

static void test_weights(void) {
    table t = table_random(9, 60, 14, 20, 70);
    uint32_t weights[60];
    for (uint32_t i = 0; i < 60; i++) weights[i] = 1 + i % 4;
    for (unsigned i = BY_BUILD(0, 0, 3); i < 4; i++) check_table(&t, weights, 30 + 7 * i, i);
    table_free(&t);
}

/* The best K of a range are those of its patterns. */
static void test_top(void) {
    table t = table_random(33, 300, 16, 15, 65);
    lode_mine_options o = mining_options("brute", 30);
    mined all = mine_on(&t, NULL, &o, "cpu*1", 1);
    ranks r = ranks_make(&all.result);
    for (size_t i = 0; engine_at(LODE_ITEMSETS, i); i++) {
        if (!engine_at(LODE_ITEMSETS, i)->ranges) continue;
        o = mining_options(engine_at(LODE_ITEMSETS, i)->name, 30);
        o.root_first = 4;
        o.root_end = 9;
        mined part = mine_on(&t, NULL, &o, "cpu*2", 2);
        o.target = LODE_TARGET_TOP;
        o.top_k = 17;
        mined top = mine_on(&t, NULL, &o, "cpu*2", 2);
        CHECK_EQUAL(top.status, LODE_OK);
        CHECK(top.result.n >= 17 && top.result.n < part.result.n);
        CHECK(result_within(&top.result, &part.result));
        uint64_t least = UINT64_MAX;
        for (uint64_t k = 0; k < top.result.n; k++) {
            if (top.result.supports[k] < least) least = top.result.supports[k];
        }
        CHECK_EQUAL(top.result.n, result_count(&part.result, least, 0, UINT32_MAX));
        mined_free(&part);
        mined_free(&top);
    }
    ranks_free(&r);
    mined_free(&all);
    table_free(&t);
}

/* ---- who does not -------------------------------------------------------------------------- */

static lode_status reduce_none(void *user, uint64_t *counts, size_t n) {
    (void)user;
    (void)counts;
    (void)n;
    return LODE_OK;
}

static void check_refused(const table *t, const lode_mine_options *o, const char *what) {
    lode_job *job = mining_job("cpu*1");
    lode_dataset *data = mining_data(job, t);
    lode_sink *sink = NULL;
    CHECK(lode_sink_count(job, &sink) == LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), what) != NULL);
    CHECK(strstr(lode_job_error(job), "frontier") != NULL); /* who could */
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* Ranges and sums are refused each for itself. */
static void test_refused(void) {
    table t = table_random(32, 60, 10, 30, 70);
    for (size_t i = 0; engine_at(LODE_ITEMSETS, i); i++) {
        lode_mine_options o = mining_options(engine_at(LODE_ITEMSETS, i)->name, 10);
        o.root_end = 2;
        if (!engine_at(LODE_ITEMSETS, i)->ranges) check_refused(&t, &o, "range of root classes");
        o.root_end = 0;
        o.reduce = reduce_none;
        o.n_transactions_total = t.n;
        if (!engine_at(LODE_ITEMSETS, i)->parts) check_refused(&t, &o, "supports over parts");
    }
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_families);
    CHECK_RUN(test_shapes);
    CHECK_RUN(test_weights);
    CHECK_RUN(test_top);
    CHECK_RUN(test_refused);
    return check_result();
}
