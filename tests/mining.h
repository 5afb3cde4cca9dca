/* mining.h - for tests of the miners: small data sets, runs, and results to compare
 *
 * A `table` is a data set as plain arrays; a `mined` is the result of one run. mine_table() runs in
 * a job of its own, with a memory sink. Results are sorted, so equal results are equal arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_MINING_H
#define LODE_TESTS_MINING_H

#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "lode.h"
#include "runtime/report/report.h"
#include "structs.h"

typedef struct table {
    uint64_t n;
    uint64_t *offsets; /* n + 1 */
    uint32_t *items;
    size_t cap_rows, cap_items;
} table;

static inline void *mining_grow(void *data, size_t *cap, size_t needed, size_t width) {
    if (needed <= *cap) return data;
    *cap = 2 * needed + 16;
    void *grown = realloc(data, *cap * width);
    if (!grown) exit(2);
    return grown;
}

static inline void table_add(table *t, const uint32_t *items, size_t n) {
    t->offsets = mining_grow(t->offsets, &t->cap_rows, (size_t)t->n + 2, sizeof *t->offsets);
    if (t->n == 0) t->offsets[0] = 0;
    size_t at = (size_t)t->offsets[t->n];
    t->items = mining_grow(t->items, &t->cap_items, at + n + 1, sizeof *t->items);
    if (n > 0) memcpy(t->items + at, items, n * sizeof *items);
    t->offsets[++t->n] = at + n;
}

static inline const uint32_t *table_row(const table *t, uint64_t i, size_t *n) {
    *n = (size_t)(t->offsets[i + 1] - t->offsets[i]);
    return t->items + t->offsets[i];
}

/* Adds the rows first, first + step, … of another table. */
static inline void table_add_rows(table *t, const table *from, uint64_t first, uint64_t step) {
    for (uint64_t i = first; i < from->n; i += step) {
        size_t n;
        const uint32_t *row = table_row(from, i, &n);
        table_add(t, row, n);
    }
}

static inline void table_free(table *t) {
    free(t->offsets);
    free(t->items);
    *t = (table){0};
}

/* Makes random rows. Each item has its own probability to be in a row, between `low` and `high`
 * percent. */
static inline table table_random(uint64_t seed, uint64_t n_rows, uint32_t n_items, unsigned low,
                                 unsigned high) {
    table t = {0};
    rng r = rng_make(seed, 0);
    uint32_t *row = malloc((n_items + 1) * sizeof *row);
    if (!row) exit(2);
    for (uint64_t i = 0; i < n_rows; i++) {
        size_t n = 0;
        for (uint32_t item = 0; item < n_items; item++) {
            uint64_t percent = low + (uint64_t)(high - low) * item / n_items;
            if (rng_below(&r, 100) < percent) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    free(row);
    return t;
}

/* The i-th device to run on: from the list in LODE_TEST_DEVICES, separated by blanks, if it is set,
 * otherwise from the given defaults. So the same tests can run on a GPU. */
static inline const char *mining_device(const char *const *defaults, size_t n, size_t i) {
    static char texts[16][64];
    const char *given = getenv("LODE_TEST_DEVICES");
    size_t n_given = 0;
    while (given && *given && n_given < 16) {
        size_t length = strcspn(given, " ");
        if (length > 0 && length < sizeof texts[0]) {
            memcpy(texts[n_given], given, length);
            texts[n_given++][length] = 0;
        }
        given += length + (given[length] == ' ');
    }
    return n_given > 0 ? texts[i % n_given] : defaults[i % n];
}

/* ---- one run ------------------------------------------------------------------------------- */

typedef struct mined {
    lode_job *job;
    lode_dataset *data;
    lode_sink *sink;
    lode_status status;
    const lode_report *report; /* the report of the job, as the internal struct */
    lode_result result;
} mined;

static inline lode_mine_options mining_options(const char *algorithm, uint64_t min_count) {
    lode_mine_options o = {.size = sizeof o, .algorithm = algorithm};
    o.min_support.numerator = min_count;
    return o;
}

static inline lode_job *mining_job(const char *device) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .device = device, .threads = 1};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

static inline lode_dataset *mining_data(lode_job *job, const table *t) {
    lode_dataset *data = NULL;
    if (lode_dataset_from_arrays(job, &data, t->n, t->offsets, t->items, NULL) != LODE_OK) exit(2);
    return data;
}

/* Runs once; the caller checks the status. */
static inline mined mine_table(const table *t, const lode_mine_options *options,
                               const char *device) {
    mined m = {.job = mining_job(device)};
    m.data = mining_data(m.job, t);
    if (lode_sink_memory(m.job, &m.sink) != LODE_OK) exit(2);
    m.status = lode_mine(m.job, m.data, options, m.sink);
    m.report = lode_job_report(m.job);
    if (lode_sink_finish(m.sink, m.status != LODE_OK) != LODE_OK) exit(2);
    m.result = result_of(m.sink);
    return m;
}

/* Frees a run; the job must not hold memory afterwards. */
static inline void mined_free(mined *m) {
    lode_sink_free(m->sink);
    lode_dataset_free(m->data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(m->job)), 0);
    lode_job_free(m->job);
}

static inline mined mine_brute(const table *t, uint64_t min_count) {
    lode_mine_options o = mining_options("brute", min_count);
    return mine_table(t, &o, "cpu*1");
}

/* ---- results ------------------------------------------------------------------------------- */

static inline const uint32_t *result_items(const lode_result *r, uint64_t i, size_t *n) {
    *n = (size_t)(r->offsets[i + 1] - r->offsets[i]);
    return r->items + r->offsets[i];
}

/* The order of a sorted result: by size, then by items. */
static inline int items_compare(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b) {
    if (n_a != n_b) return n_a < n_b ? -1 : 1;
    for (size_t i = 0; i < n_a; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* Where a pattern is in a sorted result; false if it is not there. */
static inline bool result_index(const lode_result *r, const uint32_t *items, size_t n,
                                uint64_t *at) {
    uint64_t low = 0, high = r->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        size_t n_here;
        const uint32_t *here = result_items(r, middle, &n_here);
        int order = items_compare(here, n_here, items, n);
        if (order == 0) {
            *at = middle;
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* The support of a pattern in a sorted result; 0 if it is not there. */
static inline uint64_t result_find(const lode_result *r, const uint32_t *items, size_t n) {
    uint64_t at;
    return result_index(r, items, n, &at) ? r->supports[at] : 0;
}

static inline bool result_equal(const lode_result *a, const lode_result *b) {
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    size_t n_items = (size_t)a->offsets[a->n];
    return b->offsets[b->n] == n_items &&
           memcmp(a->offsets, b->offsets, (size_t)(a->n + 1) * sizeof *a->offsets) == 0 &&
           memcmp(a->supports, b->supports, (size_t)a->n * sizeof *a->supports) == 0 &&
           memcmp(a->items, b->items, n_items * sizeof *a->items) == 0;
}

/* Whether every pattern of `a` is in `b` with the same support, and `a` is sorted and without
 * duplicates. */
static inline bool result_within(const lode_result *a, const lode_result *b) {
    for (uint64_t i = 0; i < a->n; i++) {
        size_t n, n_before;
        const uint32_t *items = result_items(a, i, &n);
        if (result_find(b, items, n) != a->supports[i]) return false;
        if (i == 0) continue;
        const uint32_t *before = result_items(a, i - 1, &n_before);
        if (items_compare(before, n_before, items, n) >= 0) return false;
    }
    return true;
}

/* The number of patterns of a result that reach a support and have a size in the range. */
static inline uint64_t result_count(const lode_result *r, uint64_t min_count, uint32_t min_size,
                                    uint32_t max_size) {
    uint64_t n_found = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        size_t n;
        result_items(r, i, &n);
        n_found += r->supports[i] >= min_count && n >= min_size && n <= max_size;
    }
    return n_found;
}

#endif
