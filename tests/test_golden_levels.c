/* test_golden_levels.c - known counts of real data, by the algorithms of the papers within a time
 * limit
 *
 *     test_golden_levels [DATA-SET]      only the rows of itemsets/counts.csv of that data set
 *
 * This test runs only with LODE_LONG. Every row is mined by every algorithm, with two threads, for
 * at most 60 s (or LODE_LIMIT seconds). A search that ends by then must have the right count. Any
 * other search must say that it was stopped, and must not have delivered more patterns than exist.
 * Each run prints a line for the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "golden.h"
#include "reports.h"

static const char *const algorithms[] = {"tbi",       "pbi",        "goethals",
                                         "gpapriori", "eqclass",    "gpu-apriori",
                                         "eclat",     "eclat-bits", "fpgrowth"};

static double limit_seconds(void) {
    const char *text = getenv("LODE_LIMIT");
    return text ? strtod(text, NULL) : 60;
}

static void print_row(const golden_row *row, const char *algorithm, lode_status status,
                      uint64_t found, double seconds) {
    printf("row: %.*s %s%% %s,", (int)strcspn(row->file, "."), row->file, row->percent, algorithm);
    if (status == LODE_OK) {
        printf("%" PRIu64 ",%.2f\n", found, seconds);
    } else {
        printf("over %.0f s,%.2f\n", limit_seconds(), seconds);
    }
    fflush(stdout);
}

static void check_run(lode_job *job, const lode_dataset *data, const golden_row *row,
                      const char *algorithm) {
    lode_sink *sink = NULL;
    lode_mine_options m = mining_options(algorithm, 0);
    char share[24];
    snprintf(share, sizeof share, "%s%%", row->percent);
    CHECK(lode_threshold_parse(share, &m.min_support, NULL, 0) == LODE_OK);
    CHECK(lode_sink_count(job, &sink) == LODE_OK);
    m.limit_seconds = limit_seconds();
    double start = os_seconds();
    lode_status status = lode_mine(job, data, &m, sink);
    double seconds = os_seconds() - start;
    uint64_t found = lode_sink_patterns(sink);
    bool fine = status == LODE_OK ? CHECK_EQUAL(found, row->all)
                                  : CHECK_EQUAL(status, LODE_STOPPED) & CHECK(found <= row->all);
    fine &= CHECK(seconds < m.limit_seconds + 5) &
            CHECK_EQUAL(report_number(job, "threshold.count"), row->min_count);
    if (!fine) {
        fprintf(stderr, "  %s %s, %s: %s\n", row->file, share, algorithm, lode_job_error(job));
    }
    print_row(row, algorithm, status, found, seconds);
    lode_sink_free(sink);
}

static void check_row(const char *folder, const golden_row *row) {
    char path[512];
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_job_options c = {.size = sizeof c, .device = "cpu*2", .threads = 2};
    snprintf(path, sizeof path, "%s/%s", folder, row->file);
    CHECK(lode_job_create(&job, NULL, &c) == LODE_OK);
    if (CHECK(lode_dataset_open(job, &data, path, NULL) == LODE_OK)) {
        for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
            check_run(job, data, row, algorithms[i]);
        }
    }
    lode_dataset_free(data);
    lode_job_free(job);
}

int main(void) {
    char folder[400], line[256];
    golden_row row;
    if (!getenv("LODE_LONG")) {
        printf("skip: takes up to an hour (set LODE_LONG)\n");
        return 77;
    }
    FILE *counts = golden_open(folder, sizeof folder);
    if (!counts) return 77;
    while (fgets(line, sizeof line, counts)) {
        if (golden_parse(line, &row) && golden_is_of(&row, check_argument)) check_row(folder, &row);
    }
    fclose(counts);
    CHECK(check_count > 0);
    return check_result();
}
