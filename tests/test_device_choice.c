/* test_device_choice.c - what `--device auto` makes of a job: the CPU unless it is work for a GPU
 *
 * Whether there is a GPU differs between machines; what must hold everywhere is which jobs do not
 * even look for one, and that the others do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "engine/engine.h"
#include "mining.h"

/* The choice for a data set; `engine` may be NULL. */
static const char *choose(const table *t, const uint32_t *weights, lode_target target,
                          unsigned threads, const char *engine, char *why) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads};
    lode_mine_options options = mining_options(NULL, 1);
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    if (lode_dataset_from_arrays(job, &data, t->n, t->offsets, t->items, weights) != LODE_OK) {
        exit(2);
    }
    options.target = target;
    engine_task task = {.job = job, .data = data, .options = &options, .min_count = 1};
    const lode_engine *asked = engine ? engine_find(LODE_ITEMSETS, engine) : NULL;
    const char *device = engine_choose_device(&task, asked, why, LODE_REPORT_TEXT);
    lode_dataset_free(data);
    lode_job_free(job);
    return device;
}

static void check(const table *t, unsigned threads, const char *engine, const char *why_has) {
    char why[LODE_REPORT_TEXT] = "";
    const char *device = choose(t, NULL, LODE_TARGET_ALL, threads, engine, why);
    CHECK_TEXT(device, "cpu");
    bool alone = !backend_at(1) || !os_has_gpu_driver();
    if (alone) why_has = "only device"; /* a build for the CPU alone, or a machine without a GPU */
    if (!CHECK(strstr(why, why_has) != NULL)) fprintf(stderr, "  %s, not %s\n", why, why_has);
    if (alone) CHECK(strstr(why, "GPU") == NULL);
}

/* A job for a GPU: wherever there may be one, it has looked. */
static void check_looks(const table *t, lode_target target, const char *engine) {
    char why[LODE_REPORT_TEXT] = "";
    if (!backend_at(1)) return;
    bool there = strcmp(choose(t, NULL, target, 1, engine, why), "cpu") != 0;
    CHECK(strstr(why, there ? "large enough" : "only device") != NULL);
}

/* Every transaction holds `length` of n_items in a row; together they reach all of them. */
static table make_runs(uint64_t n, uint32_t n_items, uint32_t length) {
    table t = {0};
    uint64_t step = n_items / n + 1;
    uint32_t *row = malloc(length * sizeof *row);
    if (!row) exit(2);
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < length; k++) row[k] = (uint32_t)((i * step + k) % n_items);
        table_add(&t, row, length);
    }
    free(row);
    return t;
}

static void test_choice(void) {
    char why[LODE_REPORT_TEXT] = "";
    table small = table_random(1, 500, 40, 20, 60);
    table sparse = make_runs(1200, 60000, 600);
    table fitting = make_runs(1200, 6000, 600); /* 2.2e8 pairs, a density of 10% */
    uint32_t *weights = calloc(1200, sizeof *weights);
    if (!weights) exit(2);
    check(&small, 1, NULL, "too small");
    check(&sparse, 1, NULL, "too sparse");
    check(&fitting, 8, NULL, "too small"); /* that many cores need no GPU */
    check_looks(&fitting, LODE_TARGET_ALL, "frontier");
    check_looks(&fitting, LODE_TARGET_ALL, NULL);
    check_looks(&fitting, LODE_TARGET_CLOSED, NULL);
    CHECK_TEXT(choose(&fitting, NULL, LODE_TARGET_ALL, 1, "goethals", why), "cpu");
    CHECK(strstr(why, "CPU only") != NULL);
    CHECK_TEXT(choose(&fitting, weights, LODE_TARGET_ALL, 1, NULL, why), "cpu");
    CHECK_TEXT(choose(&fitting, NULL, LODE_TARGET_GENERATORS, 1, NULL, why), "cpu");
    CHECK(strstr(why, "CPU only") != NULL);
    CHECK_TEXT(choose(&fitting, NULL, LODE_TARGET_MAXIMAL, 1, NULL, why), "cpu");
    CHECK(strstr(why, backend_at(1) && os_has_gpu_driver() ? "maximal" : "only device") != NULL);
    table_free(&small);
    table_free(&sparse);
    table_free(&fitting);
    free(weights);
}

int main(void) {
    CHECK_RUN(test_choice);
    return check_result();
}
