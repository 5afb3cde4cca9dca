/* reports.h - for tests: figures of a job's report, by name
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_REPORTS_H
#define LODE_TESTS_REPORTS_H

#include "check.h"
#include "lode.h"

static inline lode_counter report_counter(const lode_job *job, const char *name) {
    lode_counter c = {.size = sizeof c};
    if (!lode_report_find(lode_job_report(job), name, &c)) {
        fprintf(stderr, "the report has no '%s'\n", name);
        CHECK(false);
    }
    return c;
}

static inline uint64_t report_number(const lode_job *job, const char *name) {
    return report_counter(job, name).count;
}

static inline const char *report_words(const lode_job *job, const char *name) {
    const char *text = report_counter(job, name).text;
    return text ? text : "";
}

/* The number of rows of a table; the cell in a row and column of a table. */
static inline size_t report_rows(const lode_job *job, const char *name) {
    lode_table t = {.size = sizeof t};
    CHECK(lode_report_find_table(lode_job_report(job), name, &t));
    return t.n_rows;
}

static inline lode_counter report_at(const lode_job *job, const char *name, size_t row,
                                     const char *column) {
    lode_counter c = {.size = sizeof c};
    for (size_t i = 0; lode_report_cell(lode_job_report(job), name, row, i, &c); i++) {
        if (strcmp(c.name, column) == 0) return c;
    }
    CHECK(false);
    return c;
}

#endif
