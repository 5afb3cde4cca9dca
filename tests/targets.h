/* targets.h - which of the frequent sets belong to a target, by definition
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_TARGETS_H
#define LODE_TESTS_TARGETS_H

#include "mining.h"

/* ---- one run ------------------------------------------------------------------------------- */

/* Runs on a device with some threads, with weights if there are any. */
static inline mined mine_on(const table *t, const uint32_t *weights, const lode_mine_options *o,
                            const char *device, unsigned threads) {
    mined m = {0};
    lode_job_options c = {.size = sizeof c, .device = device, .threads = threads};
    if (lode_job_create(&m.job, NULL, &c) != LODE_OK) exit(2);
    if (lode_dataset_from_arrays(m.job, &m.data, t->n, t->offsets, t->items, weights) != LODE_OK) {
        exit(2);
    }
    if (lode_sink_memory(m.job, &m.sink) != LODE_OK) exit(2);
    m.status = lode_mine(m.job, m.data, o, m.sink);
    m.report = lode_job_report(m.job);
    if (lode_sink_finish(m.sink, m.status != LODE_OK) != LODE_OK) exit(2);
    m.result = result_of(m.sink);
    return m;
}

/* Checks that a counting sink, for which the search takes other paths, gets the same numbers. */
static inline bool counts_agree(const mined *m, const lode_mine_options *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(m->job, &sink) != LODE_OK) exit(2);
    bool fine = CHECK_EQUAL(lode_mine(m->job, m->data, o, sink), LODE_OK) &
                CHECK_EQUAL(lode_sink_patterns(sink), m->result.n);
    for (uint32_t size = 1; size <= lode_sink_largest(sink); size++) {
        fine &= CHECK_EQUAL(lode_sink_patterns_of_size(sink, size),
                            result_count(&m->result, 0, size, size));
    }
    lode_sink_free(sink);
    return fine;
}

/* ---- the expected sets, by definition ------------------------------------------------------ */

typedef struct marks {
    bool *closed, *maximal, *generator;
} marks;

/* Marks all frequent sets: looks up, for each one, the subsets with one item less. */
static inline marks marks_make(const lode_result *all, uint64_t n_transactions) {
    marks m;
    m.closed = malloc(all->n + 1);
    m.maximal = malloc(all->n + 1);
    m.generator = malloc(all->n + 1);
    if (!m.closed || !m.maximal || !m.generator) exit(2);
    memset(m.closed, true, all->n + 1);
    memset(m.maximal, true, all->n + 1);
    memset(m.generator, true, all->n + 1);
    for (uint64_t i = 0; i < all->n; i++) {
        size_t n;
        const uint32_t *items = result_items(all, i, &n);
        uint32_t less[64];
        if (n == 1 && all->supports[i] == n_transactions) m.generator[i] = false;
        for (size_t skip = 0; skip < n && n > 1; skip++) {
            uint64_t at = 0;
            size_t k = 0;
            for (size_t j = 0; j < n; j++) {
                if (j != skip) less[k++] = items[j];
            }
            if (!CHECK(result_index(all, less, k, &at))) continue;
            m.maximal[at] = false;
            if (all->supports[at] == all->supports[i]) m.closed[at] = m.generator[i] = false;
        }
    }
    return m;
}

static inline void marks_free(marks *m) {
    free(m->closed);
    free(m->maximal);
    free(m->generator);
}

static inline bool is_wanted(const marks *m, lode_target target, uint64_t i) {
    switch (target) {
    case LODE_TARGET_CLOSED: return m->closed[i];
    case LODE_TARGET_MAXIMAL: return m->maximal[i];
    case LODE_TARGET_GENERATORS: return m->generator[i];
    default: return true;
    }
}

/* Whether `got` has exactly those sets of `all` that the target and the size limits require. Both
 * are sorted. */
static inline bool is_right(const lode_result *got, const lode_result *all, const marks *m,
                            const lode_mine_options *o) {
    uint64_t at = 0;
    for (uint64_t i = 0; i < all->n; i++) {
        size_t n, n_got;
        const uint32_t *items = result_items(all, i, &n);
        bool size = n >= o->min_size && (o->max_size == 0 || n <= o->max_size);
        if (!size || !is_wanted(m, o->target, i)) continue;
        if (at == got->n) return false;
        const uint32_t *there = result_items(got, at, &n_got);
        if (items_compare(items, n, there, n_got) != 0) return false;
        if (got->supports[at++] != all->supports[i]) return false;
    }
    return at == got->n;
}

/* ---- more data ----------------------------------------------------------------------------- */

/* Rows like those of basket generators: patterns from which some items are missing. */
static inline table table_patterns(uint64_t seed, uint64_t n_rows, uint32_t n_items,
                                   uint32_t length) {
    table t = {0};
    rng r = rng_make(seed, 0);
    bool *has = malloc(n_items);
    uint32_t *row = malloc(n_items * sizeof *row);
    if (!has || !row) exit(2);
    for (uint64_t i = 0; i < n_rows; i++) {
        size_t n = 0;
        memset(has, 0, n_items);
        for (unsigned p = 0; p < 2; p++) {
            uint64_t first = rng_below(&r, 12) * (n_items / 12);
            for (uint32_t k = 0; k < length; k++) {
                if (rng_below(&r, 100) < 85) has[(first + k * 3) % n_items] = true;
            }
        }
        for (unsigned k = 0; k < 4; k++) has[rng_below(&r, n_items)] = true;
        for (uint32_t item = 0; item < n_items; item++) {
            if (has[item]) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    free(has);
    free(row);
    return t;
}

#endif
