/* test_save.c - saves results in memory as stores, and what is refused
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "check.h"
#include "jobs.h"
#include "lode.h"

#define MOST_ROWS  300
#define MOST_ITEMS 5
#define N_NAMES    6
#define TOTAL      1000

static rng dice;
static lode_job *job;
static char path[] = "/tmp/lode-save-XXXXXX";

/* A result that owns its columns. */
typedef struct made {
    uint64_t offsets[2 * MOST_ROWS + 1], counts[MOST_ROWS], lhs[MOST_ROWS], rhs[MOST_ROWS];
    uint32_t items[2 * MOST_ROWS * MOST_ITEMS];
    lode_save_columns columns;
} made;

static const uint64_t name_ends[N_NAMES + 1] = {0, 1, 3, 6, 6, 8, 12};
static const char names[] = "abbccc\xc3\xa4milk";

static void draw_list(made *m, uint64_t list) {
    uint64_t at = m->offsets[list];
    for (uint32_t item = 0; item < N_NAMES && at < m->offsets[list] + MOST_ITEMS; item++) {
        if (rng_below(&dice, 2)) m->items[at++] = item;
    }
    m->offsets[list + 1] = at;
}

static void draw(made *m, lode_pattern_kind kind, uint32_t n) {
    uint64_t lists = kind == LODE_RULES ? 2 * (uint64_t)n : n;
    m->offsets[0] = 0;
    for (uint64_t list = 0; list < lists; list++) draw_list(m, list);
    for (uint32_t i = 0; i < n; i++) {
        m->counts[i] = 1 + rng_below(&dice, TOTAL / 3);
        m->lhs[i] = m->counts[i] + rng_below(&dice, TOTAL / 3);
        m->rhs[i] = m->counts[i] + rng_below(&dice, TOTAL / 3);
    }
    m->columns = (lode_save_columns){.size = sizeof m->columns,
                                     .n = n,
                                     .offsets = m->offsets,
                                     .items = m->items,
                                     .counts = m->counts,
                                     .lhs = m->lhs,
                                     .rhs = m->rhs,
                                     .n_names = N_NAMES,
                                     .name_offsets = name_ends,
                                     .names = names,
                                     .total = TOTAL,
                                     .min_count = 7,
                                     .kind = kind,
                                     .ended = n % 2 == 0};
}

static bool same_list(const made *m, uint64_t list, const uint32_t *items, uint32_t n) {
    uint64_t at = m->offsets[list];
    return m->offsets[list + 1] - at == n &&
           (n == 0 || memcmp(m->items + at, items, n * sizeof *items) == 0);
}

static void check_row(const made *m, lode_store *store, uint64_t i) {
    lode_store_row row = LODE_INIT(lode_store_row);
    bool rules = m->columns.kind == LODE_RULES;
    CHECK_EQUAL(lode_store_row_at(store, i, &row), LODE_OK);
    CHECK(same_list(m, rules ? 2 * i : i, row.items, row.n_items));
    CHECK(row.counts.both == m->counts[i]);
    if (!rules) return;
    CHECK(same_list(m, 2 * i + 1, row.rhs, row.n_rhs));
    CHECK(row.counts.lhs == m->lhs[i] && row.counts.rhs == m->rhs[i]);
    CHECK(row.counts.total == TOTAL);
}

static void check_lift(const made *m, lode_store *store) {
    uint32_t column = 0;
    double value = 0;
    CHECK(lode_store_column_find(store, "lift", &column));
    for (uint64_t i = 0; i < m->columns.n; i++) {
        double expected = (double)m->counts[i] * TOTAL / ((double)m->lhs[i] * (double)m->rhs[i]);
        CHECK_EQUAL(lode_store_value(store, i, column, &value), LODE_OK);
        CHECK(value > expected * (1 - 1e-12) && value < expected * (1 + 1e-12));
    }
}

static void test_random(void) {
    static made m;
    for (unsigned trial = 0; trial < 40; trial++) {
        lode_store_info about = LODE_INIT(lode_store_info);
        lode_store *store = NULL;
        uint32_t n = 0;
        size_t bytes = 0;
        draw(&m, trial % 2 ? LODE_RULES : LODE_ITEMSETS, (uint32_t)rng_below(&dice, MOST_ROWS + 1));
        CHECK_EQUAL(lode_store_save(job, path, &m.columns), LODE_OK);
        CHECK_EQUAL(lode_store_open(job, &store, path), LODE_OK);
        CHECK(lode_store_about(store, &about) && about.rows == m.columns.n && !about.complete);
        CHECK(about.kind == m.columns.kind && about.total == TOTAL && about.min_count == 7);
        CHECK(about.ended == m.columns.ended);
        CHECK(lode_store_items(store, &n) == LODE_OK && n == N_NAMES);
        CHECK(memcmp(lode_store_item_name(store, 5, &bytes), "milk", 4) == 0 && bytes == 4);
        for (uint64_t i = 0; i < m.columns.n; i++) check_row(&m, store, i);
        if (trial % 2) check_lift(&m, store);
        lode_store_free(store);
    }
}

/* Columns that contradict each other are refused, and no file is left. */
static void refused(const lode_save_columns *columns, const char *why) {
    CHECK_EQUAL(lode_store_save(job, path, columns), LODE_INVALID);
    if (!CHECK(strstr(lode_job_error(job), why))) {
        fprintf(stderr, "  said: %s\n", lode_job_error(job));
    }
}

static void test_refused(void) {
    static made m;
    lode_save_columns c;
#define REFUSE(change, why)                                                                        \
    draw(&m, LODE_RULES, 20);                                                                      \
    c = m.columns;                                                                                 \
    change;                                                                                        \
    refused(&c, why)
    REFUSE(c.kind = LODE_GRAPHS, "not graphs");
    REFUSE(c.offsets = NULL, "offsets is NULL");
    REFUSE(c.counts = NULL, "counts is NULL");
    REFUSE(c.rhs = NULL, "rhs is NULL");
    REFUSE(c.items = NULL, "items is NULL");
    REFUSE(c.names = NULL, "names is NULL");
    REFUSE(c.total = 0, "total is 0");
    REFUSE(c.n_names = 0, "no name");
    REFUSE(m.offsets[3] = UINT64_MAX, "not decrease");
    REFUSE(m.offsets[0] = 1, "not decrease");
    REFUSE(c.reserved[1] = 1, "newer than lode");
    REFUSE(c.size = 0, "size");
#undef REFUSE
    draw(&m, LODE_RULES, 20);
    CHECK_EQUAL(lode_store_save(job, "/nowhere/x.arrow", &m.columns), LODE_IO);
}

int main(void) {
    int file = mkstemp(path);
    lode_job_options o = {.size = sizeof o};
    if (file < 0 || lode_job_create(&job, NULL, &o) != LODE_OK) return 2;
    close(file);
    dice = rng_make(22, 0);
    CHECK_RUN(test_random);
    CHECK_RUN(test_refused);
    lode_job_free(job);
    unlink(path);
    return check_result();
}
