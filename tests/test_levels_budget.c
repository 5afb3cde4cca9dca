/* test_levels_budget.c - the papers' algorithms under memory budgets, from too little to enough
 *
 * With any budget, a run must end with the right result, or with BUDGET and a message that names a
 * number. It must never take more than the budget; and if a budget is enough, larger budgets must
 * be enough, too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mining.h"
#include "reports.h"

#define N_ALGORITHMS 9
#define BUDGET_STEP  BY_BUILD(1.3, 2.3, 4)
#define MANY_ITEMS   BY_BUILD(1000, 500, 300)

static const char *const algorithms[N_ALGORITHMS] = {"tbi",       "pbi",        "goethals",
                                                     "gpapriori", "eqclass",    "gpu-apriori",
                                                     "eclat",     "eclat-bits", "fpgrowth"};

#define MIB ((double)(1 << 20))

static table big;
static mined big_want;
static uint64_t big_support;

/* Runs within a budget; true if it was enough. If not, the message must say what would be. */
static bool run_within(const char *algorithm, const char *device, double mib, uint64_t *rebuilt) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_job_options c = {.size = sizeof c, .device = device, .threads = 1};
    lode_mine_options o = mining_options(algorithm, big_support);
    c.memory_bytes = (uint64_t)(mib * MIB);
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_status status = lode_dataset_from_arrays(job, &data, big.n, big.offsets, big.items, NULL);
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, &o, sink);
    if (status == LODE_OK) {
        CHECK_EQUAL(lode_sink_patterns(sink), big_want.result.n);
    } else {
        bool fine =
            CHECK_EQUAL(status, LODE_BUDGET) & CHECK(strstr(lode_job_error(job), " MiB") != NULL);
        if (!fine) fprintf(stderr, "  %s, %.2f MiB: '%s'\n", algorithm, mib, lode_job_error(job));
    }
    CHECK((double)lode_ctx_memory_peak(lode_job_ctx(job)) <= mib * MIB);
    if (status == LODE_OK) *rebuilt += report_number(job, "frontier.lists_rebuilt");
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return status == LODE_OK;
}

/* From too little to plenty. More memory never makes it fail again. */
static void check_budgets(const char *algorithm, const char *device, double from, double to) {
    double enough = 0;
    unsigned refused = 0, later = 0;
    uint64_t rebuilt = 0;
    for (double mib = from; mib < to; mib *= BUDGET_STEP) {
        bool done = run_within(algorithm, device, mib, &rebuilt);
        if (done && enough == 0) enough = mib;
        refused += !done;
        later += !done && enough > 0;
    }
    printf("    %s on %s: refused %u times, %u of them later; enough from %.2f MiB; %llu rebuilt\n",
           algorithm, device, refused, later, enough, (unsigned long long)rebuilt);
    CHECK(refused > 0 && enough > 0);
    CHECK_EQUAL(later, 0);
}

static void test_budgets(void) {
    big = table_random(71, 3000, 40, 2, 42);
    big_support = 60;
    big_want = mine_brute(&big, big_support);
    CHECK(big_want.result.n > 500);
    for (size_t i = 0; i < N_ALGORITHMS; i++) check_budgets(algorithms[i], "cpu*1", 0.1, 10);
    check_budgets("goethals", "cpu*2", 0.1, 10);
    check_budgets("tbi", "cpu*2", 0.1, 10);
    check_budgets("eqclass", "cpu*3", 0.1, 10);
    check_budgets("gpu-apriori", "cpu*3", 0.1, 10);
    mined_free(&big_want);
    table_free(&big);
}

/* So many items that the sets of a level and their candidates need more than their rows. */
static void test_budgets_of_many_items(void) {
    const uint32_t n_items = MANY_ITEMS;
    for (uint32_t i = 0; i < 2 * n_items; i++) {
        uint32_t row[] = {i % n_items, (i + 1) % n_items, (i + 2) % n_items};
        table_add(&big, row, 3);
    }
    big_support = 2;
    big_want = mine_brute(&big, big_support);
    CHECK_EQUAL(big_want.result.n, 4 * n_items);
    for (size_t i = 0; i < N_ALGORITHMS; i++) check_budgets(algorithms[i], "cpu*1", 0.02, 3.5);
    mined_free(&big_want);
    table_free(&big);
}

int main(void) {
    CHECK_RUN(test_budgets);
    CHECK_RUN(test_budgets_of_many_items);
    return check_result();
}
