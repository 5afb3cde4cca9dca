/* test_device_choice.c - what `--device auto` chooses: the CPU, unless the job is large enough for
 * a GPU
 *
 * Machines may or may not have a GPU. On every machine, small jobs must not even look for a GPU,
 * and large jobs must.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/os.h"
#include "golden.h"
#include "pipeline/engine/device.h"
#include "pipeline/engine/device_tuning.h"
#include "pipeline/engine/item_task.h"

/* The choice for a data set; `engine` may be NULL. */
static const char *choose(const table *t, const uint32_t *weights, lode_target target,
                          unsigned threads, const char *engine, char *why) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads};
    lode_mine_options options = mining_options(NULL, 2);
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    if (lode_dataset_from_arrays(job, &data, t->n, t->offsets, t->items, weights) != LODE_OK) {
        exit(2);
    }
    options.target = target;
    engine_task task = {.job = job, .items = {.data = data, .options = &options}, .min_count = 2};
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

/* Whether the forecast asks for a GPU. That is the same on every machine, so what the other checks
 * take for granted is tested where there is no GPU, too. */
static bool wants_gpu(const table *t, unsigned threads) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) exit(2);
    if (lode_dataset_from_arrays(job, &data, t->n, t->offsets, t->items, NULL) != LODE_OK) exit(2);
    forecast_items items = {data->item_supports, data->item_bound, t->n, 2};
    forecast_shape shape = forecast_shape_of(&items);
    double seconds = forecast_cpu(&items, &shape, threads);
    lode_dataset_free(data);
    lode_job_free(job);
    return seconds >= GPU_START_SECONDS;
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

/* 30 items that are in most transactions, so that there are very many sets; and two rare ones in
 * each, whose rows are nearly empty. */
static table make_sparse(void) {
    table t = {0};
    for (uint32_t i = 0; i < 40000; i++) {
        uint32_t row[32], n = 0;
        for (uint32_t k = 0; k < 30; k++) {
            if ((i * 2654435761u >> (k % 24)) % 5 != 0) row[n++] = k;
        }
        row[n++] = 30 + i / 2;
        row[n++] = 30030 + i / 2;
        table_add(&t, row, n);
    }
    return t;
}

#define MEDIUM_LENGTH 420 /* 1.6 s of one core, 0.18 s of 16, as forecast */

/* Sparse data go to a GPU if there are enough of them for the threads at hand. */
static void test_lists(void) {
    forecast_shape few = {.occurrences = 1e6, .density = 0.001};
    forecast_shape many = {.occurrences = 5e7, .density = 0.001},
                   dense = {.occurrences = 1e6, .density = 0.1};
    CHECK(forecast_lists_stay(&few, 1) && !forecast_lists_stay(&many, 2));
    CHECK(forecast_lists_stay(&many, 64) && !forecast_lists_stay(&dense, 1));
}

static void test_choice(void) {
    char why[LODE_REPORT_TEXT] = "";
    table small = table_random(1, 500, 40, 20, 60);
    table sparse = make_sparse();
    table fitting = make_runs(1200, 6000, 600); /* a density of 10%, and most pairs are frequent */
    uint32_t *weights = calloc(1200, sizeof *weights);
    if (!weights) exit(2);
    table medium = make_runs(1200, 6000, MEDIUM_LENGTH);
    CHECK(!wants_gpu(&small, 1) && wants_gpu(&sparse, 1) && wants_gpu(&fitting, 1));
    CHECK(wants_gpu(&medium, 1) && !wants_gpu(&medium, 16)); /* that many cores need no GPU */
    check(&small, 1, NULL, "too small");
    check(&sparse, 1, NULL, "too sparse");
    check(&medium, 16, NULL, "too small");
    check_looks(&medium, LODE_TARGET_ALL, NULL);
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
    table_free(&medium);
    table_free(&fitting);
    free(weights);
}

/* ---- the forecast ---------------------------------------------------------------------------- */

/* A row of the break-even table of docs/benchmarks.md: data that were made `times` as long, at a
 * threshold, and which of CPU (c) and GPU (g) is faster with 1, 2, 8 and 16 threads; '-': neither
 * by a tenth, or not measured. The last ones took the CPU, with one thread, a third of what a GPU
 * takes to start, or less. */
typedef struct break_even {
    const char *file;
    double times, percent;
    const char *faster;
} break_even;

static const break_even break_evens[] = {
    {"chess", 407, 25, "gggg"},
    {"chess", 407, 40, "---c"},
    {"connect", 50, 60, "gggg"},
    {"connect", 50, 45, "---g"},
    {"accidents-prefix15k", 227, 12, "gggg"},
    {"accidents-prefix15k", 227, 4, "---g"},
    {"accidents-prefix15k", 20, 5, "ggcc"},
    {"T40I10D100K-regen", 1, 1, "cccc"},
    {"T10I4D100K", 10, 0.1, "-ccc"},
    {"T10I4D100K", 10, 0.02, "ggcc"},
    {"connect", 1, 60, "c---"},
    {"connect", 1, 50, "c---"},
    {"connect", 1, 40, "c---"},
    {"covtype", 1, 30, "c---"},
    {"covtype", 1, 1, "c---"},
    {"covtype", 1, 0.05, "c---"},
    {"chess", 1, 20, "c---"},
    {"mushroom", 1, 0.5, "c---"},
    {"accidents-prefix15k", 1, 10, "c---"},
};

static bool prefers_gpu(const uint64_t *supports, uint32_t n_items, uint64_t n, double percent,
                        unsigned threads) {
    uint64_t min_count = (uint64_t)ceil((double)n * percent / 100);
    forecast_items items = {supports, n_items, n, min_count};
    forecast_shape shape = forecast_shape_of(&items);
    return forecast_cpu(&items, &shape, threads) >= GPU_START_SECONDS;
}

static void check_break_even(const break_even *b, const lode_dataset *data) {
    static const unsigned threads[] = {1, 2, 8, 16};
    uint64_t *supports = calloc(data->item_bound + 1, sizeof *supports);
    if (!supports) exit(2);
    for (uint32_t i = 0; i < data->item_bound; i++) {
        supports[i] = (uint64_t)((double)data->item_supports[i] * b->times);
    }
    uint64_t n = (uint64_t)((double)data->profile.n_transactions * b->times);
    for (unsigned k = 0; k < 4; k++) {
        if (b->faster[k] == '-') continue;
        bool gpu = prefers_gpu(supports, data->item_bound, n, b->percent, threads[k]);
        if (!CHECK(gpu == (b->faster[k] == 'g'))) {
            fprintf(stderr, "  %s x %g at %g%%, %u threads: %s\n", b->file, b->times, b->percent,
                    threads[k], gpu ? "GPU" : "CPU");
        }
    }
    free(supports);
}

static void test_break_even(void) {
    char folder[256], path[400];
    FILE *counts = golden_open(folder, sizeof folder);
    if (!counts) return;
    fclose(counts);
    for (size_t i = 0; i < sizeof break_evens / sizeof *break_evens; i++) {
        lode_job *job = NULL;
        lode_dataset *data = NULL;
        if (lode_job_create(&job, NULL, NULL) != LODE_OK) exit(2);
        snprintf(path, sizeof path, "%s/%s.dat.zst", folder, break_evens[i].file);
        if (CHECK_EQUAL(lode_dataset_open(job, &data, path, NULL), LODE_OK)) {
            check_break_even(&break_evens[i], data);
        }
        lode_dataset_free(data);
        lode_job_free(job);
    }
}

static bool is_near(double a, double b, double within) {
    return fabs(a - b) <= within;
}

/* Against a count of all sets: with few items and exact halves, buckets do not round. */
static void test_expected_sets(void) {
    uint64_t supports[20];
    for (unsigned i = 0; i < 20; i++) supports[i] = i < 12 ? 1024 : 512; /* 12 are left out */
    forecast_items items = {supports, 20, 1024, 128}; /* up to three halves: 1 + 8 + 28 + 56 */
    forecast_shape s = forecast_shape_of(&items);
    CHECK(is_near(s.nodes, 93, 0.5));
    CHECK(is_near(s.held, 1 + 8 / 2. + 28 / 4. + 56 / 8., 0.5));
    CHECK(is_near(s.occurrences, 12 * 1024 + 8 * 512, 0.1));
    CHECK(is_near(s.density, 0.8, 1e-9));
    items.min_count = 1024;
    s = forecast_shape_of(&items);
    CHECK(is_near(s.nodes, 1, 1e-9));
    items.n_transactions = 0;
    s = forecast_shape_of(&items);
    CHECK(forecast_cpu(&items, &s, 1) == 0);
    /* A lower threshold, more transactions and fewer threads never make it shorter. */
    items = (forecast_items){supports, 20, 1024, 200};
    s = forecast_shape_of(&items);
    double before = forecast_cpu(&items, &s, 4);
    items.min_count = 50;
    s = forecast_shape_of(&items);
    CHECK(forecast_cpu(&items, &s, 4) > before);
    CHECK(forecast_cpu(&items, &s, 2) > forecast_cpu(&items, &s, 4));
}

/* The rows of the table for graphs, by edges and threshold; patterns are not known before. */
static void test_graph_forecast(void) {
    static const struct {
        uint64_t n_edges;
        double threshold;
        const char *faster;
    } rows[] = {{9317, 0.1, "ccc"},    {9317, 7 / 340., "ccc"}, {132753, 0.1, "ccc"},
                {132753, 0.05, "gcc"}, {1131000, 0.05, "ggg"},  {1131000, 0.02, "ggg"},
                {3000000, 0.1, "gg-"}};
    static const unsigned threads[] = {2, 8, 16};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned k = 0; k < 3; k++) {
            if (rows[i].faster[k] == '-') continue;
            double cpu = forecast_cpu_graphs(rows[i].n_edges, rows[i].threshold, threads[k]);
            double gpu = GPU_START_SECONDS + 1e-6 * GPU_EDGE_US * (double)rows[i].n_edges;
            if (!CHECK((cpu >= gpu) == (rows[i].faster[k] == 'g'))) {
                fprintf(stderr, "  row %zu, %u threads: %g, %g\n", i, threads[k], cpu, gpu);
            }
        }
    }
    CHECK(forecast_cpu_graphs(0, 0.1, 4) == 0);
}

/* Tasks and shares stay on the CPU, however large the graphs are: no algorithm on a GPU divides. */
static void test_divided_graphs(void) {
    char why[LODE_REPORT_TEXT] = "";
    lode_job *job = NULL;
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) exit(2);
    lode_graph_options options = {.size = sizeof options};
    engine_task task = {.job = job, .graphs = {.options = &options}, .min_count = 100};
    engine_graph_sizes large = {1000000, 100000000};
    task.request.divided = true;
    CHECK_TEXT(engine_choose_graph_device(&task, NULL, &large, why, sizeof why), "cpu");
    CHECK(strstr(why, "divides") != NULL);
    task.request.divided = false;
    engine_choose_graph_device(&task, NULL, &large, why, sizeof why);
    CHECK(strstr(why, "divides") == NULL);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_lists);
    CHECK_RUN(test_choice);
    CHECK_RUN(test_expected_sets);
    CHECK_RUN(test_break_even);
    CHECK_RUN(test_graph_forecast);
    CHECK_RUN(test_divided_graphs);
    return check_result();
}
