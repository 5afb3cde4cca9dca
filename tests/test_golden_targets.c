/* test_golden_targets.c - real data: adaptive must find the known number of sets for every target
 *
 * It tests all three columns of every row of counts.csv, with several threads, and all frequent
 * sets also with one thread. tensor is tested only as far as it gets in a moment, because it is
 * meant for GPUs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "golden.h"
#include "reports.h"

#define N_THREADS 3
#define MOMENT    0.7 /* seconds */
#define PATIENCE  15  /* moments for the runs up to the first that comes to its end */

typedef struct opened {
    char file[64];
    lode_job *job[2]; /* one thread, several */
    lode_dataset *data[2];
} opened;

static void opened_free(opened *o) {
    for (size_t i = 0; i < 2; i++) {
        if (!o->job[i]) continue;
        lode_dataset_free(o->data[i]);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(o->job[i])), 0);
        lode_job_free(o->job[i]);
    }
    *o = (opened){0};
}

/* Reads the file, unless it is the one before. */
static bool opened_load(opened *o, const char *folder, const char *file) {
    char path[512];
    if (strcmp(o->file, file) == 0) return true;
    opened_free(o);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    for (size_t i = 0; i < 2; i++) {
        lode_job_options c = {.size = sizeof c, .device = "cpu", .threads = i ? N_THREADS : 1};
        if (lode_job_create(&o->job[i], NULL, &c) != LODE_OK) return false;
        if (lode_dataset_open(o->job[i], &o->data[i], path, NULL) != LODE_OK) return false;
    }
    snprintf(o->file, sizeof o->file, "%s", file);
    return true;
}

static void check_run(const opened *o, size_t i, const golden_row *row, lode_target target,
                      uint64_t want) {
    lode_sink *sink = NULL;
    lode_mine_options m = mining_options("adaptive", row->min_count);
    m.target = target;
    CHECK(lode_sink_count(o->job[i], &sink) == LODE_OK);
    bool fine = CHECK_EQUAL(lode_mine(o->job[i], o->data[i], &m, sink), LODE_OK) &
                CHECK_EQUAL(lode_sink_patterns(sink), want);
    if (target != LODE_TARGET_ALL && golden_is_of(row, "mushroom")) { /* searched, not filtered */
        fine &= CHECK(report_number(o->job[i], "nodes") < row->all / 10);
    }
    if (!fine) {
        fprintf(stderr, "  %s %s%%, target %d, %u threads\n", row->file, row->percent, (int)target,
                i ? N_THREADS : 1);
    }
    lode_sink_free(sink);
}

/* The right number, or stopped by the limit with no more than that (all of them, where the last
 * part of the search finds none). */
static void check_tensor(const opened *o, size_t i, const golden_row *row, lode_target target,
                         uint64_t want, unsigned *n_done) {
    lode_sink *sink = NULL;
    lode_mine_options m = mining_options("tensor", row->min_count);
    m.target = target;
    m.limit_seconds = *n_done > 0 ? MOMENT : PATIENCE * MOMENT;
    CHECK(lode_sink_count(o->job[i], &sink) == LODE_OK);
    lode_status status = lode_mine(o->job[i], o->data[i], &m, sink);
    bool fine = CHECK(status == LODE_OK || status == LODE_STOPPED) &
                CHECK(status == LODE_OK ? lode_sink_patterns(sink) == want
                                        : lode_sink_patterns(sink) <= want);
    if (!fine) {
        fprintf(stderr, "  tensor: %s %s%%, target %d, %u threads\n", row->file, row->percent,
                (int)target, i ? N_THREADS : 1);
    }
    lode_sink_free(sink);
    *n_done += status == LODE_OK;
}

static void check_row_tensor(const opened *o, const golden_row *row, unsigned *n_done) {
    check_tensor(o, 0, row, LODE_TARGET_ALL, row->all, n_done);
    check_tensor(o, 1, row, LODE_TARGET_ALL, row->all, n_done);
    if (row->closed) check_tensor(o, 1, row, LODE_TARGET_CLOSED, row->closed, n_done);
    if (row->maximal) check_tensor(o, 1, row, LODE_TARGET_MAXIMAL, row->maximal, n_done);
}

static unsigned check_rows(FILE *counts, const char *folder, const char *only) {
    char line[256];
    opened o = {0};
    golden_row row;
    unsigned n = 0, n_tensor = 0;
    while (fgets(line, sizeof line, counts)) {
        if (!golden_parse(line, &row) || !golden_is_of(&row, only)) continue;
        if (!opened_load(&o, folder, row.file)) continue;
        for (size_t i = 0; i < 2; i++) {
            check_run(&o, i, &row, LODE_TARGET_ALL, row.all);
            if (i == 0) continue; /* the others with several threads are enough */
            if (row.closed) check_run(&o, i, &row, LODE_TARGET_CLOSED, row.closed);
            if (row.maximal) check_run(&o, i, &row, LODE_TARGET_MAXIMAL, row.maximal);
        }
        check_row_tensor(&o, &row, &n_tensor);
        n++;
    }
    printf("tensor: %u runs to the end\n", n_tensor);
    CHECK(n == 0 || n_tensor > 0);
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
