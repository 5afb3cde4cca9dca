/* test_verify.c - patterns that are counted again while they are found, and engines that are wrong
 *
 * A broken engine adds one pattern with a wrong support to the results of brute, in each of the
 * forms in which engines pass patterns on. Every kind of sink must refuse it, and no output file
 * may be left. Counting again is compared with plain loops.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "rule_runs.h"

#include "data/transactions/recount.h"
#include "targets.h"
#include "write/itemsets/item_sink.h"

/* ---- counting ------------------------------------------------------------------------------- */

static bool has(const uint32_t *row, size_t n, uint32_t item) {
    for (size_t i = 0; i < n; i++) {
        if (row[i] == item) return true;
    }
    return false;
}

static uint64_t slow_count(const table *t, const uint32_t *weights, const uint32_t *map,
                           const uint32_t *set, size_t n_set) {
    uint64_t sum = 0;
    for (uint64_t r = 0; r < t->n; r++) {
        size_t n, found = 0;
        uint32_t ids[64];
        const uint32_t *row = table_row(t, r, &n);
        for (size_t i = 0; i < n; i++) ids[i] = map ? map[row[i]] : row[i];
        for (size_t i = 0; i < n_set; i++) found += has(ids, n, set[i]);
        if (found == n_set) sum += weights ? weights[r] : 1;
    }
    return sum;
}

/* Random sets, some repeated, some with items that no transaction has; ids may be mapped. */
static void counts(uint64_t seed) {
    rng r = rng_make(seed, 7);
    table t = table_random(seed, 1 + rng_below(&r, 400), 30, 0, 60);
    bool weighted = rng_below(&r, 2), mapped = rng_below(&r, 2);
    uint32_t *weights = malloc(t.n * sizeof *weights), map[30], items[8 * 200];
    uint64_t offsets[201] = {0}, supports[200];
    if (!weights) exit(2);
    for (uint64_t i = 0; i < t.n; i++) weights[i] = (uint32_t)rng_below(&r, 5);
    for (uint32_t i = 0; i < 30; i++) map[i] = i % 7 == 0 ? RECOUNT_NO_ITEM : 39 - i;
    for (size_t i = 0; i < 200; i++) {
        size_t n = 0;
        for (uint32_t id = (uint32_t)rng_below(&r, 12); id < 40 && n < 8;
             id += 1 + (uint32_t)rng_below(&r, 20)) {
            if (mapped || id < 30) items[offsets[i] + n++] = id;
        }
        if (n == 0) items[offsets[i] + n++] = 3;
        offsets[i + 1] = offsets[i] + n;
    }
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .device = "cpu", .threads = 1 + seed % 4};
    lode_dataset *data = NULL;
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    CHECK_EQUAL(
        lode_dataset_from_arrays(job, &data, t.n, t.offsets, t.items, weighted ? weights : NULL),
        LODE_OK);
    recount_sets sets = {items, offsets, supports, 200};
    CHECK_EQUAL(mapped                               ? recount(job, data, map, 40, &sets)
                : data->item_bound == 30 && seed % 2 ? recount_alone(job, data, &sets)
                                                     : recount(job, data, NULL, 40, &sets),
                LODE_OK);
    for (size_t i = 0; i < 200; i++) {
        CHECK_EQUAL(supports[i],
                    slow_count(&t, weighted ? weights : NULL, mapped ? map : NULL,
                               items + offsets[i], (size_t)(offsets[i + 1] - offsets[i])));
    }
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    free(weights);
    table_free(&t);
}

/* ---- results that are right ----------------------------------------------------------------- */

static uint64_t verified_of(lode_job *job) {
    lode_counter c = {.size = sizeof c};
    return lode_report_find(lode_job_report(job), "verified", &c) ? c.count : 0;
}

/* With several threads, weights, constraints and a small budget; counted, hashed and kept. */
static void right(uint64_t seed) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                          LODE_TARGET_GENERATORS, LODE_TARGET_TOP};
    table t = table_random(seed, 150, 14, 20, 80);
    uint32_t weights[150];
    for (size_t i = 0; i < 150; i++) weights[i] = (uint32_t)((i + seed) % 4);
    for (size_t i = 0; i < 5; i++) {
        lode_job *job = NULL;
        lode_job_options jo = {.size = sizeof jo,
                               .device = "cpu",
                               .threads = 1 + (unsigned)(seed + i) % 3,
                               .memory_bytes = (uint64_t)(seed % 2 ? 64 : 8) << 20};
        lode_dataset *data = NULL;
        lode_sink *sink = NULL;
        lode_mine_options o = mining_options(NULL, 25);
        if (lode_job_create(&job, NULL, &jo) != LODE_OK) exit(2);
        CHECK_EQUAL(lode_dataset_from_arrays(job, &data, t.n, t.offsets, t.items,
                                             seed % 3 == 0 ? weights : NULL),
                    LODE_OK);
        o.target = targets[i];
        o.top_k = 40;
        o.verify = true;
        o.min_size = seed % 4 == 1 ? 3 : 0;
        o.include = seed % 5 == 2 ? "13" : NULL;
        o.exclude = seed % 5 == 3 ? "12" : NULL;
        o.limit_patterns = seed % 7 == 4 ? 9 : 0;
        lode_status status = seed % 3 == 1   ? lode_sink_count(job, &sink)
                             : seed % 3 == 2 ? lode_sink_hash(job, &sink, data)
                                             : lode_sink_memory(job, &sink);
        CHECK_EQUAL(status, LODE_OK);
        status = lode_mine(job, data, &o, sink);
        if (!CHECK(status == LODE_OK || status == LODE_STOPPED))
            fprintf(stderr, "  seed %d, target %zu: %s\n", (int)seed, i, lode_job_error(job));
        CHECK_EQUAL(verified_of(job), lode_sink_patterns(sink));
        CHECK(lode_sink_patterns(sink) > 0);
        lode_sink_free(sink);
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
    table_free(&t);
}

/* ---- results that are wrong ----------------------------------------------------------------- */

typedef enum fault { FAULT_PLAIN, FAULT_PERFECT, FAULT_LATTICE, N_FAULTS } fault;
static fault chosen_fault;

static lode_status fault_emit(sink_worker *worker) {
    uint32_t prefix = 1, items[] = {3, 2}, perfect[] = {5}, of_lattice[] = {0, 9, 9, 8};
    uint64_t supports[] = {9, 8}, sizes[] = {0, 2, 1};
    lode_batch plain = {.prefix = &prefix, .n_prefix = 1, .items = items, .supports = supports};
    sink_lattice lattice = {.prefix = &prefix,
                            .n_prefix = 1,
                            .items = items,
                            .n_items = 2,
                            .supports = of_lattice,
                            .min = 8,
                            .sizes = sizes};
    if (chosen_fault == FAULT_LATTICE) return sink_emit_lattice(worker, &lattice);
    plain.n = chosen_fault == FAULT_PLAIN ? 2 : 1;
    plain.perfect = perfect;
    plain.n_perfect = chosen_fault == FAULT_PERFECT;
    return sink_emit(worker, &plain);
}

/* Item 1 is in ten transactions, with items 2 and 3 in nine of these, and never with item 5. */
static table fault_data(void) {
    table t = {0};
    uint32_t row[] = {1, 2, 3}, other[] = {5};
    for (unsigned i = 0; i < 9; i++) table_add(&t, row, 3);
    table_add(&t, row, 1);
    for (unsigned i = 0; i < 9; i++) table_add(&t, other, 1);
    return t;
}

static lode_status fault_run(engine_task *task) {
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(task->sink, &worker);
    if (status != LODE_OK) return status;
    status = fault_emit(worker);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static lode_status fault_search(engine_task *task, const lode_engine *engine) {
    (void)engine;
    return fault_run(task);
}

static void wrong(fault f, unsigned kind_of_sink, bool verify) {
    static const char path[] = "verify-wrong.out";
    table t = fault_data();
    lode_job *job = mining_job("cpu");
    lode_dataset *data = mining_data(job, &t);
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options("brute", 2), checked;
    mine_kind broken = mine_itemsets;
    o.verify = verify;
    chosen_fault = f;
    broken.search = fault_search;
    lode_status status = kind_of_sink == 0   ? lode_sink_count(job, &sink)
                         : kind_of_sink == 1 ? lode_sink_memory(job, &sink)
                         : kind_of_sink == 2 ? lode_sink_hash(job, &sink, data)
                                             : lode_sink_file(job, &sink, data, path, NULL);
    CHECK_EQUAL(status, LODE_OK);
    engine_task task = {.job = job, .items = {data, &checked}, .sink = sink};
    mine_call call = {&mine_itemsets, &o, &checked, sizeof checked};
    call.kind = &broken;
    status = mine_run(&task, &call);
    CHECK_EQUAL(status, verify ? LODE_INTERNAL : LODE_OK);
    if (verify) {
        CHECK(strstr(lode_job_error(job), f == FAULT_PERFECT ? "{1, 3, 5} in 9 transactions"
                                          : f == FAULT_PLAIN ? "{1, 2} in 8 transactions"
                                                             : "{1, 2, 3} in 8 transactions"));
        CHECK(strstr(lode_job_error(job), f == FAULT_PERFECT ? "found it in 0" : "found it in 9"));
        CHECK_EQUAL(verified_of(job), 0);
    }
    lode_sink_free(sink);
    CHECK(access(path, F_OK) != 0);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    table_free(&t);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static lode_counts rule_fault;
static bool rule_fault_batch;

static lode_status rule_fault_run(engine_task *task, const lode_engine *engine) {
    uint32_t lhs = 1, rhs = 2;
    sink_worker *worker = NULL;
    lode_rule rule = {.size = sizeof rule,
                      .lhs = &lhs,
                      .n_lhs = 1,
                      .rhs = &rhs,
                      .n_rhs = 1,
                      .counts = rule_fault};
    rule_batch batch = {&lhs, 1, rule_fault.lhs, &rhs, &rule_fault.both, &rule_fault.rhs, 1};
    (void)engine;
    lode_status status = rule_sink_open_worker(task->sink, &worker);
    if (status != LODE_OK) return status;
    status =
        rule_fault_batch ? rule_sink_emit_batch(worker, &batch) : rule_sink_emit(worker, &rule);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static void wrong_rule(lode_counts counts, const char *message) {
    table t = fault_data();
    lode_job *job = mining_job("cpu");
    lode_dataset *data = mining_data(job, &t);
    lode_sink *sink = NULL;
    lode_rule_options o = {.size = sizeof o, .min_support = {2, 0}, .verify = true};
    mine_kind broken = mine_rules;
    broken.search = rule_fault_run;
    rule_fault = counts;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    engine_task task = {.job = job, .items.data = data, .sink = sink};
    lode_status status = mine_rules_by(&broken, &task, &o);
    CHECK_EQUAL(status, message ? LODE_INTERNAL : LODE_OK);
    if (message) CHECK(strstr(lode_job_error(job), message));
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

static void rules(void) {
    for (int batch = 0; batch < 2; batch++) {
        rule_fault_batch = batch;
        wrong_rule((lode_counts){9, 10, 9, 19}, NULL);
        wrong_rule((lode_counts){8, 10, 9, 19}, "{1, 2} in 8 transactions, but a second count");
        wrong_rule((lode_counts){9, 9, 9, 19}, "{1} in 9 transactions, but a second count");
        wrong_rule((lode_counts){9, 10, 10, 19}, "{2} in 10 transactions, but a second count");
    }
}

int main(void) {
    for (uint64_t seed = 0; seed < 60; seed++) counts(seed);
    for (uint64_t seed = 0; seed < 42; seed++) right(seed);
    for (fault f = 0; f < N_FAULTS; f++) {
        for (unsigned sink = 0; sink < 4; sink++) {
            wrong(f, sink, true);
            wrong(f, sink, false);
        }
    }
    rules();
    return check_result();
}
