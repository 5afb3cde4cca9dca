/* test_row_probes.c - estimates of both searches, by rows and by items, compared with the searches
 *
 * A probe is an unbiased estimate: the mean of many probes must be the size of the tree. The size
 * of the tree of rows is the number of nodes that the search by rows reports; the tree of items has
 * a node for each closed set and for the empty set. All kernels must make the same probes. On data
 * on which one of the searches takes many times as long, the other one must be chosen.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "itemsets/rows/rowwise_probe.h"
#include "tables.h"
#include "targets.h"

#define N_TABLES  BY_BUILD(16, 6, 6)
#define N_PROBES  20000
#define TOLERANCE 0.1 /* of the mean: a chance that is wrong by a factor shows on every level */

/* Means over many probes. */
typedef struct guess {
    rowwise_work rows, items;
    double looked;
} guess;

static void probe(rowwise_prober *d, unsigned n, guess *g) {
    for (unsigned i = 0; i < n; i++) {
        CHECK_EQUAL(rowwise_probe_rows(d, &g->rows), LODE_OK);
        CHECK_EQUAL(rowwise_probe_items(d, &g->items), LODE_OK);
    }
    g->rows.nodes /= n;
    g->items.nodes /= n;
    g->looked = d->looked;
}

static guess guess_of(const table *t, uint64_t min, lode_target target, unsigned n) {
    guess g = {0};
    lode_mine_options o = mining_options("adaptive", min);
    lode_job *job = mining_job("cpu*1");
    lode_dataset *data = mining_data(job, t);
    rowwise_table columns = {0};
    rowwise_prober d = {0};
    o.target = target;
    engine_task task = {.job = job, .items = {.data = data, .options = &o}, .min_count = min};
    atomic_store(&job->threshold, min);
    CHECK_EQUAL(rowwise_table_open(&columns, &task), LODE_OK);
    if (CHECK_EQUAL(rowwise_prober_open(&d, &task, &columns), LODE_OK)) probe(&d, n, &g);
    rowwise_prober_close(&d, &job->mem);
    rowwise_table_close(&columns, &job->mem);
    lode_dataset_free(data);
    lode_job_free(job);
    return g;
}

static mined mine_as(const table *t, uint64_t min, lode_target target, const char *search) {
    lode_mine_options o = mining_options("adaptive", min);
    o.target = target;
    setenv("LODE_CROSSWISE", search, 1);
    mined m = mine_on(t, NULL, &o, "cpu", 1);
    unsetenv("LODE_CROSSWISE");
    CHECK_EQUAL(m.status, LODE_OK);
    return m;
}

static bool near(double got, double want) {
    return fabs(got - want) <= TOLERANCE * want;
}

static bool is_in_all(const table *t, const mined *m) {
    for (uint64_t i = 0; i < m->result.n; i++) {
        if (m->result.supports[i] == t->n) return true;
    }
    return false;
}

/* The mean is the tree: of one word and of several, with few and with many items for each row. */
static void test_means(void) {
    for (uint64_t seed = 0; seed < N_TABLES; seed++) {
        rng r = rng_make(seed, 4);
        uint32_t n_rows =
            seed % 2 ? 12 + (uint32_t)rng_below(&r, 10) : 70 + (uint32_t)rng_below(&r, 80);
        unsigned density = seed % 2 ? 30 : 5;
        uint64_t min = seed % 2 ? 4 : 3;
        table t = table_random(seed, n_rows, 60, density, density);
        lode_target target = seed % 4 < 2 ? LODE_TARGET_CLOSED : LODE_TARGET_MAXIMAL;
        guess g = guess_of(&t, min, target, N_PROBES);
        mined rows = mine_as(&t, min, target, "always");
        mined closed = mine_as(&t, min, LODE_TARGET_CLOSED, "never");
        double nodes = (double)rows.report->engine.nodes;
        double sets = (double)closed.result.n + !is_in_all(&t, &closed);
        CHECK(closed.result.n > 20);
        if (!CHECK(near(g.rows.nodes, nodes)) | !CHECK(near(g.items.nodes, sets))) {
            fprintf(stderr, "  seed %llu: %.1f of %.0f nodes, %.1f of %.0f sets\n",
                    (unsigned long long)seed, g.rows.nodes, nodes, g.items.nodes, sets);
        }
        mined_free(&rows);
        mined_free(&closed);
        table_free(&t);
    }
}

static void test_kernels(void) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        table t = table_random(seed, seed % 2 ? 50 : 150, 300, 10, 30);
        guess want = {0};
        for (unsigned k = 0; k < n_kernel_tables; k++) {
            setenv("LODE_CPU", kernel_tables[k], 1);
            guess got = guess_of(&t, 6, LODE_TARGET_CLOSED, 200);
            unsetenv("LODE_CPU");
            if (k == 0) want = got;
            CHECK(memcmp(&got, &want, sizeof got) == 0);
            CHECK(got.rows.words > 0 && got.items.words > 0);
        }
        table_free(&t);
    }
}

/* ---- the choice ---------------------------------------------------------------------------- */

static void check_choice(const table *t, uint64_t min, lode_target target, bool by_rows) {
    mined m = mine_as(t, min, target, "auto");
    bool rows = strstr(m.report->engine.why, "sets of rows") != NULL;
    if (!CHECK(rows == by_rows)) {
        fprintf(stderr, "  %llu rows at %llu: %s\n", (unsigned long long)t->n,
                (unsigned long long)min, m.report->engine.why);
    }
    mined_free(&m);
}

/* Each of these takes 10 to 100 times as long by the other search. */
static void test_choices(void) {
    table sparse = table_random(1, 500, 3000, 1, 1), dense = table_random(2, 130, 2000, 30, 40);
    table few = table_random(3, 16, 1500, 30, 40), thin = table_random(4, 60, 1000, 5, 10);
    check_choice(&sparse, 5, LODE_TARGET_CLOSED, false);
    check_choice(&sparse, 5, LODE_TARGET_MAXIMAL, false);
    check_choice(&dense, 50, LODE_TARGET_CLOSED, false);
    check_choice(&dense, 50, LODE_TARGET_MAXIMAL, false);
    check_choice(&few, 4, LODE_TARGET_CLOSED, true);
    check_choice(&few, 4, LODE_TARGET_MAXIMAL, true);
    check_choice(&thin, 2, LODE_TARGET_MAXIMAL, true);
    table_free(&sparse);
    table_free(&dense);
    table_free(&few);
    table_free(&thin);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_means);
    CHECK_RUN(test_kernels);
    CHECK_RUN(test_choices);
    return check_result();
}
