/* test_store_speed.c - the speed of a filter on three measures, compared with a plain pass over
 * their columns
 *
 * Normally, there are few rows and no bound, because the machine may be busy. With LODE_LONG=1,
 * there are 8 million rows and a bound, and a line of the table is printed. Both run on one thread,
 * in turn, and the best time of each counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "check.h"
#include "stores.h"

#define BATCH 65536
#define BOUND 3.0

static lode_job *job;

typedef struct cells {
    int32_t at[BATCH + 1], codes[BATCH];
    uint64_t counts[3][BATCH];
    double values[3][BATCH];
} cells;

static void write_rules(const char *path, uint32_t n, rng *dice) {
    static const arrow_column columns[] = {
        {"body", ARROW_NAMES, 0},     {"head", ARROW_NAMES, 0},     {"both", ARROW_U64, 0},
        {"body_count", ARROW_U64, 0}, {"head_count", ARROW_U64, 0}, {"confidence", ARROW_F64, 0},
        {"lift", ARROW_F64, 0},       {"leverage", ARROW_F64, 0}};
    static const arrow_key keys[] = {{"lode.kind", "rules"}, {"lode.total", "1000"}};
    static const uint64_t offsets[] = {0, 1, 2};
    arrow_dictionary names = {2, offsets, "ab"};
    arrow_table table = {columns, 8, &names, 1, keys, 2, false};
    arrow_writer *w = NULL;
    output to;
    cells *c = calloc(1, sizeof *c);
    FILE *file = fopen(path, "wb");
    if (!c || !file) exit(2);
    output_call(&to, job, store_write_bytes, file);
    store_must(arrow_write_begin(job, &to, &table, &w));
    arrow_cells all[8] = {{c->at, c->codes, 0}};
    all[1] = all[0];
    for (unsigned k = 0; k < 3; k++) {
        all[2 + k].values = c->counts[k];
        all[5 + k].values = c->values[k];
    }
    for (uint32_t row = 0; row < n; row += BATCH) {
        uint32_t rows = n - row < BATCH ? n - row : BATCH;
        for (uint32_t i = 0; i < rows; i++) {
            c->at[i + 1] = (int32_t)i + 1;
            for (unsigned k = 0; k < 3; k++) c->values[k][i] = rng_unit(dice);
        }
        store_must(arrow_write_batch(w, rows, all));
    }
    store_must(arrow_write_end(w, NULL, 0));
    arrow_write_free(w);
    output_discard(&to);
    if (fclose(file) != 0) exit(2);
    free(c);
}

/* Adds up three columns. */
static double plain_pass(const arrow_file *f) {
    double sums[4] = {0};
    for (uint32_t b = 0; b < arrow_n_batches(f); b++) {
        uint32_t n = arrow_batch_rows(f, b);
        for (uint32_t k = 0; k < 3; k++) {
            arrow_cells c;
            if (arrow_cells_at(f, b, 5 + k, false, &c) != LODE_OK) exit(2);
            const double *v = c.values;
            for (uint32_t i = 0; i + 4 <= n; i += 4) {
                for (unsigned s = 0; s < 4; s++) sums[s] += v[i + s];
            }
        }
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static void test_three_measures(void) {
    bool is_long = getenv("LODE_LONG") != NULL;
    uint32_t n = is_long ? 8000000 : 200000;
    char path[64];
    rng dice = rng_make(3, 3);
    lode_job_options o = {.size = sizeof o, .threads = 1};
    lode_store *store = NULL;
    arrow_file *file = NULL;
    double plain = 1e9, filter = 1e9, total = 0;
    uint64_t found = 0;
    lode_query_options q = {
        .size = sizeof q, .minima = "confidence=0.5\nlift=0.2", .maxima = "leverage=0.9"};
    snprintf(path, sizeof path, "/tmp/lode-speed-%ld.arrow", (long)getpid());
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    write_rules(path, n, &dice);
    CHECK_EQUAL(lode_store_open(job, &store, path), LODE_OK);
    CHECK_EQUAL(arrow_open(job, path, &file), LODE_OK);
    for (unsigned i = 0; i < 7; i++) {
        double start = os_thread_seconds();
        total += plain_pass(file);
        double middle = os_thread_seconds();
        CHECK_EQUAL(lode_store_count(store, &q, &found), LODE_OK);
        double end = os_thread_seconds();
        if (middle - start < plain) plain = middle - start;
        if (end - middle < filter) filter = end - middle;
    }
    CHECK(total > 0 && found > n / 3 && found < n / 2);
    printf("  a plain pass %.1f ms, the filter %.1f ms: %.2fx\n", 1e3 * plain, 1e3 * filter,
           filter / plain);
    if (is_long) {
        CHECK(filter <= BOUND * plain);
        printf("row: three measures of 8M rules against a plain pass,%.2f,%.4f\n", filter / plain,
               filter);
    }
    arrow_close(file);
    lode_store_free(store);
    lode_job_free(job);
    unlink(path);
}

int main(void) {
    CHECK_RUN(test_three_measures);
    return check_result();
}
