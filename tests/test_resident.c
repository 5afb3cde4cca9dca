/* test_resident.c - pbi with levels that stay on the device, on a device made of plain loops
 *
 * The rows and the counting are those of the CPU backend, and the levels those of level_model.h.
 * The size of calls, the memory and the lists of the device are limited in many ways. The results
 * must be those of brute, and the device must not be called more often than needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>

#include "level_model.h"
#include "mining.h"
#include "pipeline/engine/item_task.h"
#include "runtime/lease.h"
#include "write/itemsets/item_sink.h"

#define NEVER SIZE_MAX

/* ---- the device ---------------------------------------------------------------------------- */

/* The one device of a run, how short it is of what, and what it was asked for. */
static struct {
    level_model model;
    const lode_backend *cpu;
    backend_device *device; /* of the run */
    lode_job *job;
    uint64_t most;                  /* joins of a call */
    size_t keep_most, advance_most; /* sets that it can keep, and that a level may have */
    uint64_t rise;                  /* added to the threshold by each call; 0: none */
    unsigned cancel;                /* at this call; 0: never */
    unsigned joins, founds, tables, kepts, advances, stops;
} on;

static lode_status on_start(backend_papers *papers, uint32_t n_items, size_t words,
                            backend_level *level) {
    on.model.papers = papers;
    model_start(&on.model, n_items, words);
    *level = on.model.level;
    return LODE_OK;
}

static uint64_t on_most(const backend_papers *papers) {
    CHECK(papers == on.model.papers);
    return on.most;
}

static lode_status on_join(backend_papers *papers, uint64_t first, uint64_t end, uint32_t min_count,
                           backend_joined *out) {
    CHECK(papers == on.model.papers && first < end && end - first <= on.most);
    CHECK(end <= on.model.level.n_joins);
    model_join(&on.model, first, end, min_count, out);
    on.joins++;
    if (on.rise) atomic_fetch_add(&on.job->threshold, on.rise);
    if (on.cancel == on.joins) lode_job_cancel(on.job);
    return LODE_OK;
}

static lode_status on_found(backend_papers *papers, backend_pair *pairs, uint32_t *counts) {
    CHECK(papers == on.model.papers && on.model.n_found > 0);
    memcpy(pairs, on.model.found, on.model.n_found * sizeof *pairs);
    memcpy(counts, on.model.counts, on.model.n_found * sizeof *counts);
    on.founds++;
    return LODE_OK;
}

static lode_status on_keep(backend_papers *papers, uint32_t n_rows) {
    level_model *m = &on.model;
    CHECK(papers == m->papers && n_rows <= m->n_found);
    if (m->n_kept + m->n_found > on.keep_most) return LODE_BUDGET;
    for (uint32_t i = 0; i < n_rows; i++) {
        uint32_t dst = backend_level_row(m->n_items, m->size + 1, (uint32_t)m->n_kept + i);
        uint32_t rows[] = {backend_level_row(m->n_items, m->size, m->found[i].a),
                           backend_level_row(m->n_items, m->size, m->found[i].b)};
        CHECK(on.cpu->and_rows(on.device, &dst, rows, 2, 1) == LODE_OK);
    }
    model_keep(m);
    return LODE_OK;
}

static lode_status on_advance(backend_papers *papers, backend_level *level) {
    CHECK(papers == on.model.papers);
    if (on.model.n_kept > on.advance_most) return LODE_BUDGET;
    model_advance(&on.model);
    *level = on.model.level;
    on.advances++;
    return LODE_OK;
}

static lode_status on_table(backend_papers *papers, uint64_t *data) {
    level_model *m = &on.model;
    CHECK(papers == m->papers);
    memcpy(data, m->data, m->level.n_sets * m->words * sizeof *data);
    on.tables++;
    return LODE_OK;
}

static lode_status on_kept(backend_papers *papers, backend_pair *pairs) {
    CHECK(papers == on.model.papers);
    if (on.model.n_kept > 0) memcpy(pairs, on.model.kept, on.model.n_kept * sizeof *pairs);
    on.kepts++;
    return LODE_OK;
}

static void on_stop(backend_papers *papers) {
    CHECK(papers == on.model.papers);
    on.stops++;
}

static const backend_level_ops on_levels = {.start = on_start,
                                            .most = on_most,
                                            .join = on_join,
                                            .found = on_found,
                                            .keep = on_keep,
                                            .advance = on_advance,
                                            .table = on_table,
                                            .kept = on_kept,
                                            .stop = on_stop};

static lode_status on_open(lode_job *job, unsigned index, unsigned threads, backend_device **out) {
    lode_status status = on.cpu->open(job, index, threads, out);
    on.device = *out;
    return status;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* What a run is short of. */
typedef struct shortage {
    uint64_t most, max_lists;
    size_t keep_most, advance_most;
} shortage;

static const shortage plenty = {1000000, 0, NEVER, NEVER};

/* A run of pbi on that device, into a sink that keeps sets, or numbers only. */
static lode_status run_pbi(const table *t, lode_mine_options o, const shortage *s, bool numbers,
                           mined *m) {
    static lode_backend backend;
    static backend_paper_ops ops;
    backend_plan plan;
    lease_call held = {0};
    engine_report report = {0};
    ops = *on.cpu->papers;
    ops.levels = &on_levels;
    backend = *on.cpu;
    backend.open = on_open;
    backend.papers = &ops;
    on.model.ops = &ops;
    on.most = s->most;
    on.keep_most = s->keep_most;
    on.advance_most = s->advance_most;
    on.joins = on.founds = on.tables = on.kepts = on.advances = on.stops = 0;
    *m = (mined){.job = mining_job("cpu*1")};
    on.job = m->job;
    m->data = mining_data(m->job, t);
    CHECK(numbers ? lode_sink_count(m->job, &m->sink) == LODE_OK
                  : lode_sink_memory(m->job, &m->sink) == LODE_OK);
    CHECK(backend_make_plan(m->job, "cpu*1", &plan) == LODE_OK);
    plan.slots[0].backend = &backend;
    o.max_lists = s->max_lists;
    if (o.max_size == 0) o.max_size = UINT32_MAX;
    CHECK(lease_enter(m->job, LEASE_ANY, &held) == LODE_OK);
    engine_task task = {.job = m->job,
                        .request = {.kind = LODE_ITEMSETS},
                        .min_count = o.min_support.numerator,
                        .sink = m->sink,
                        .report = &report,
                        .plan = &plan,
                        .items = {.data = m->data, .options = &o}};
    atomic_store(&m->job->threshold, task.min_count);
    sink_set_data(m->sink, m->data);
    sink_limit(m->sink, o.min_size, o.max_size);
    m->status = engine_find(LODE_ITEMSETS, "pbi")->run(&task);
    sink_set_data(m->sink, NULL);
    lease_leave(&held);
    CHECK(lode_sink_finish(m->sink, m->status != LODE_OK) == LODE_OK);
    if (!numbers) m->result = result_of(m->sink);
    if (s->max_lists > 0) CHECK(report.lists_peak <= s->max_lists);
    model_free(&on.model);
    return m->status;
}

static void check_run(const table *t, const lode_mine_options *o, const shortage *s,
                      const mined *want) {
    for (int numbers = 0; numbers < 2; numbers++) {
        mined got;
        bool fine = CHECK_EQUAL(run_pbi(t, *o, s, numbers, &got), LODE_OK) &
                    CHECK_EQUAL(lode_sink_patterns(got.sink), want->result.n);
        if (!numbers) fine &= CHECK(result_equal(&got.result, &want->result));
        /* A sink of numbers asks for sets only where the host takes over. */
        if (numbers && on.stops == 0) fine &= CHECK(on.founds + on.tables + on.kepts == 0);
        fine &= CHECK(on.stops <= 1 && on.kepts == on.stops);
        if (!fine) {
            fprintf(stderr, "  most %llu, lists %llu, keep %zu, advance %zu: %s\n",
                    (unsigned long long)s->most, (unsigned long long)s->max_lists, s->keep_most,
                    s->advance_most, lode_job_error(got.job));
        }
        mined_free(&got);
    }
}

static const uint64_t mosts[] = {1, 7, 50, 1000000}, lists[] = {0, 1, 2, 3, 40, 61};
static const size_t sets[] = {NEVER, 0, 1, 9, 40};

/* Every shortage, with limits on size in turn. */
static void test_shortages(void) {
    static const uint32_t sizes[][2] = {{0, 0}, {0, 3}, {2, 0}, {3, 4}, {0, 1}, {0, 2}};
    table t = table_random(31, 90, 11, 30, 75);
    unsigned turn = 0;
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = 0; b < 6; b++) {
            for (size_t c = 0; c < 5; c++, turn++) {
                lode_mine_options o = mining_options("brute", 22);
                o.min_size = sizes[turn % 6][0];
                o.max_size = sizes[turn % 6][1];
                mined want = mine_table(&t, &o, "cpu*1");
                shortage keep = {mosts[a], lists[b], sets[c], NEVER};
                shortage advance = {mosts[a], lists[b], NEVER, sets[c]};
                check_run(&t, &o, &keep, &want);
                check_run(&t, &o, &advance, &want);
                mined_free(&want);
            }
        }
    }
    table_free(&t);
}

/* No frequent set, one, and others, on many small tables. */
static void test_small(void) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        table t = table_random(seed, 1 + seed % 13, 1 + (uint32_t)seed % 9, 5, 90);
        for (uint64_t support = 1; support <= t.n + 1; support += 2) {
            lode_mine_options o = mining_options("brute", support);
            mined want = mine_table(&t, &o, "cpu*1");
            shortage s = {1 + seed % 5, seed % 4 * 6, seed % 3 ? NEVER : 5, NEVER};
            check_run(&t, &o, &plenty, &want);
            check_run(&t, &o, &s, &want);
            mined_free(&want);
        }
        table_free(&t);
    }
}

/* One join a level, one advance a level, and nothing else, where only numbers are wanted. */
static void test_calls(void) {
    table t = table_random(33, 120, 12, 40, 80);
    mined got;
    CHECK_EQUAL(run_pbi(&t, mining_options("pbi", 15), &plenty, true, &got), LODE_OK);
    unsigned joins = on.joins;
    CHECK(joins >= 4 && (on.advances == joins || on.advances == joins + 1));
    CHECK_EQUAL(on.founds + on.tables + on.kepts + on.stops, 0);
    mined_free(&got);
    CHECK_EQUAL(run_pbi(&t, mining_options("pbi", 15), &plenty, false, &got), LODE_OK);
    CHECK(on.joins == joins && on.founds <= joins && on.tables <= joins && on.kepts == 0);
    mined_free(&got);
    table_free(&t);
}

/* The threshold rises while the search runs: what reaches the last one is all there. */
static void test_rising(void) {
    table t = table_random(35, 200, 12, 30, 80);
    mined all = mine_brute(&t, 20);
    for (size_t i = 0; i < 4; i++) {
        shortage s = {mosts[i], i == 2 ? 9 : 0, NEVER, NEVER};
        mined got;
        on.rise = 1 + i;
        CHECK_EQUAL(run_pbi(&t, mining_options("pbi", 20), &s, false, &got), LODE_OK);
        uint64_t last = atomic_load(&got.job->threshold);
        CHECK(result_within(&got.result, &all.result));
        CHECK_EQUAL(result_count(&got.result, last, 1, UINT32_MAX),
                    result_count(&all.result, last, 1, UINT32_MAX));
        mined_free(&got);
    }
    on.rise = 0;
    mined_free(&all);
    table_free(&t);
}

static void test_cancel(void) {
    table t = table_random(37, 90, 11, 30, 75);
    mined all = mine_brute(&t, 20);
    unsigned cancelled = 0;
    for (unsigned call = 1; call < 60; call += 3) {
        shortage s = {3, call % 2 ? 0 : 20, NEVER, call % 3 ? NEVER : 30};
        mined got;
        on.cancel = call;
        lode_status status = run_pbi(&t, mining_options("pbi", 20), &s, false, &got);
        CHECK_EQUAL(status,
                    on.joins < call ? LODE_OK : LODE_CANCELLED); /* the host may finish it */
        CHECK(on.joins <= call && result_within(&got.result, &all.result));
        cancelled += status == LODE_CANCELLED;
        mined_free(&got);
    }
    CHECK(cancelled >= 8);
    on.cancel = 0;
    mined_free(&all);
    table_free(&t);
}

int main(void) {
    on.cpu = backend_at(0);
    CHECK_RUN(test_shortages);
    CHECK_RUN(test_small);
    CHECK_RUN(test_calls);
    CHECK_RUN(test_rising);
    CHECK_RUN(test_cancel);
    return check_result();
}
