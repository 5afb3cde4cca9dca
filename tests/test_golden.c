/* test_golden.c - known counts of real data, on every number of threads and devices
 *
 *     test_golden [DATA-SET]      only the rows of itemsets/counts.csv of that data set
 *
 * Normally, rows that take long are left out. With LODE_LONG, all rows are tested, except for those
 * that take minutes, and each run prints a line for the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "golden.h"
#include "reports.h"

typedef struct row_name {
    const char *file, *percent;
} row_name;

/* More than about half a second for one run. */
static const row_name slow_rows[] = {
    {"chess", "40"},
    {"chess", "30"},
    {"connect", "70"},
    {"mushroom", "5"},
    {"accidents-prefix15k", "10"},
    {"retail", "0.02"},
    {"kosarak-prefix36k", "0.1"},
    {"T10I4D100K", "0.02"},
    {"T10I4D100K", "0.01"},
    {"T40I10D100K-regen", "1"},
    {"T40I10D100K-regen", "0.5"},
    {"BMS-WebView-1", "0.06"},
    {"BMS-WebView-2", "0.05"},
    {"BMS-WebView-2", "0.02"},
    {"covtype", "1"},
    {"covtype", "0.1"},
};

/* The only row of its data set that is short enough, in one way. */
static const row_name one_way_rows[] = {{"retail", "0.1"}};

/* Minutes. */
static const row_name endless_rows[] = {{"connect", "50"}, {"mushroom", "1"}, {"retail", "0.01"}};

static bool is_named(const golden_row *row, const row_name *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(names[i].file);
        if (strncmp(row->file, names[i].file, length) == 0 && row->file[length] == '.' &&
            strcmp(row->percent, names[i].percent) == 0)
            return true;
    }
    return false;
}

static bool is_wanted(const golden_row *row, const char *only) {
    if (!golden_is_of(row, only)) return false;
    if (is_named(row, endless_rows, sizeof endless_rows / sizeof *endless_rows)) return false;
    return getenv("LODE_LONG") || !is_named(row, slow_rows, sizeof slow_rows / sizeof *slow_rows);
}

static size_t count_ways(const golden_row *row, size_t n) {
    if (getenv("LODE_LONG")) return n;
    return is_named(row, one_way_rows, sizeof one_way_rows / sizeof *one_way_rows) ? 1 : n;
}

/* ---- a run --------------------------------------------------------------------------------- */

typedef struct way {
    const char *name, *device;
    unsigned threads;
} way;

static const way ways[] = {{"threads 1", "auto", 1},
                           {"threads 2", "auto", 2},
                           {"cpu*1", "cpu*1", 2},
                           {"cpu*3", "cpu*3", 2}};

#define N_WAYS (sizeof ways / sizeof *ways)

/* Data sets are read once for each way, and kept while the file stays the same. */
typedef struct opened {
    char file[64];
    lode_job *job[N_WAYS];
    lode_dataset *data[N_WAYS];
} opened;

static void opened_free(opened *o) {
    for (size_t i = 0; i < N_WAYS; i++) {
        if (!o->job[i]) continue;
        lode_dataset_free(o->data[i]);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(o->job[i])), 0);
        lode_job_free(o->job[i]);
    }
    *o = (opened){0};
}

/* Whether the data set of a row is there; a data folder need not hold them all. */
static bool is_there(const char *folder, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    if (f) fclose(f);
    return f != NULL;
}

static bool opened_load(opened *o, const char *folder, const char *file) {
    char path[512];
    if (strcmp(o->file, file) == 0) return true;
    opened_free(o);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    for (size_t i = 0; i < N_WAYS; i++) {
        lode_job_options c = {
            .size = sizeof c, .device = ways[i].device, .threads = ways[i].threads};
        if (lode_job_create(&o->job[i], NULL, &c) != LODE_OK) return false;
        if (lode_dataset_open(o->job[i], &o->data[i], path, NULL) != LODE_OK) {
            fprintf(stderr, "  %s\n", lode_job_error(o->job[i]));
            return false;
        }
    }
    snprintf(o->file, sizeof o->file, "%s", file);
    return true;
}

static void check_run(opened *o, const golden_row *row, size_t w) {
    lode_job *job = o->job[w];
    lode_sink *sink = NULL;
    lode_mine_options m = mining_options("frontier", 0);
    char share[24];
    snprintf(share, sizeof share, "%s%%", row->percent);
    CHECK(lode_threshold_parse(share, &m.min_support, NULL, 0) == LODE_OK);
    CHECK(lode_sink_count(job, &sink) == LODE_OK);
    double start = os_seconds();
    bool fine = CHECK_EQUAL(lode_mine(job, o->data[w], &m, sink), LODE_OK) &
                CHECK_EQUAL(report_number(job, "threshold.count"), row->min_count) &
                CHECK_EQUAL(lode_sink_patterns(sink), row->all);
    double seconds = os_seconds() - start;
    if (!fine) fprintf(stderr, "  %s %s, %s\n", row->file, share, ways[w].name);
    if (getenv("LODE_LONG")) {
        printf("row: %.*s %s %s,%" PRIu64 ",%.2f\n", (int)strcspn(row->file, "."), row->file, share,
               ways[w].name, lode_sink_patterns(sink), seconds);
        fflush(stdout);
    }
    lode_sink_free(sink);
}

/* ---- counts.csv ---------------------------------------------------------------------------- */

static unsigned check_rows(FILE *counts, const char *folder, const char *only) {
    char line[256];
    opened o = {0};
    golden_row row;
    unsigned n = 0;
    while (fgets(line, sizeof line, counts)) {
        if (!golden_parse(line, &row) || !is_wanted(&row, only)) continue;
        if (!is_there(folder, row.file)) continue;
        if (!CHECK(opened_load(&o, folder, row.file))) continue;
        for (size_t w = 0; w < count_ways(&row, N_WAYS); w++) check_run(&o, &row, w);
        n++;
    }
    opened_free(&o);
    return n;
}

int main(void) {
    char folder[400];
    FILE *counts = golden_open(folder, sizeof folder);
    if (!counts) return 77;
    unsigned n = check_rows(counts, folder, check_argument);
    fclose(counts);
    if (n == 0) {
        printf("skip: %s does not hold the data\n", folder);
        return 77;
    }
    return check_result();
}
