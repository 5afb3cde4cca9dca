/* test_wide.c - few transactions with very many items: the time and the stack that they take
 *
 * All cases here once took quadratic time, or a stack as deep as a transaction is long. Where
 * possible, the figures of the report are compared; otherwise seconds, with room for slow machines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/os.h"
#include "mining.h"
#include "write/itemsets/item_sink.h"

/* The least is what lode.h asks for. */
#define STACK_BYTES ((size_t)BY_BUILD(256, 2048, 2048) << 10)
#define DEEP        BY_BUILD(300, 100, 100)
#define PERFECT     BY_BUILD(12000, 2000, 2000)

#define LONG_SECONDS 20 /* of CPU time; quadratic work takes minutes */

static void add_range(table *t, uint32_t first, uint32_t end) {
    uint32_t *row = malloc((end - first + (size_t)1) * sizeof *row);
    if (!row) exit(2);
    for (uint32_t i = first; i < end; i++) row[i - first] = i;
    table_add(t, row, end - first);
    free(row);
}

/* ---- subsets --------------------------------------------------------------------------------- */

/* The next number from `mask` on that has as many ones as are wanted; 2^n if there is none. */
static uint32_t next_mask(uint32_t mask, uint32_t n, uint32_t least, uint32_t most) {
    for (; mask < (uint32_t)1 << n; mask++) {
        uint32_t ones = (uint32_t)__builtin_popcount(mask);
        if (ones >= least && ones <= most) return mask;
    }
    return mask;
}

static void check_subsets(mem *m, uint32_t n, uint32_t least, uint32_t most) {
    static const uint32_t items[] = {10, 11, 12, 13, 14, 15, 16}, prefix[] = {7, 8};
    subsets s = {.from = items, .n = n, .least = least, .most = most};
    uint32_t mask = next_mask(0, n, least, most), wrong = 0;
    bool more;
    CHECK_EQUAL(subsets_start(&s, m, prefix, 2, &more), LODE_OK);
    for (; more; more = subsets_next(&s), mask = next_mask(mask + 1, n, least, most)) {
        uint32_t seen = 0;
        for (size_t i = 2; i < s.items.n; i++) seen |= (uint32_t)1 << (s.items.data[i] - 10);
        wrong += seen != mask || s.items.n != 2 + (size_t)__builtin_popcount(mask);
        wrong += s.items.data[0] != 7 || s.items.data[1] != 8;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(mask, (uint32_t)1 << n);
    subsets_free(&s, m);
}

/* All subsets of the sizes that are wanted, in order, and no other. */
static void subsets_by_size(void) {
    mem m;
    mem_init(&m, NULL, NULL, 0);
    for (uint32_t n = 0; n <= 7; n++) {
        for (uint32_t least = 0; least <= n + 1; least++) {
            for (uint32_t most = 0; most <= n + 1; most++) check_subsets(&m, n, least, most);
            check_subsets(&m, n, least, UINT32_MAX);
        }
    }
    CHECK_EQUAL(atomic_load(&m.used), 0);
}

/* ---- single items ---------------------------------------------------------------------------- */

/* With --max-size 1, nobody looks at what is below an item. */
static void single_items(void) {
    table t = {0};
    lode_algorithm algorithm = LODE_INIT(lode_algorithm);
    add_range(&t, 0, 20000);
    add_range(&t, 10000, 30000);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &algorithm); i++) {
        lode_mine_options o = mining_options(algorithm.name, 1);
        o.max_size = 1;
        double start = os_thread_seconds();
        mined m = mine_table(&t, &o, "cpu*1");
        CHECK_EQUAL(m.status, LODE_OK);
        CHECK_EQUAL(m.result.n, 30000);
        CHECK(m.report->engine.nodes < 100);
        CHECK(m.report->memory_peak < (size_t)64 << 20); /* no table of 30,000 x 30,000 bits */
        CHECK(os_thread_seconds() - start < LONG_SECONDS);
        mined_free(&m);
    }
    table_free(&t);
}

/* ---- targets --------------------------------------------------------------------------------- */

#define WIDE_ITEMS 2600
#define MOST_ROWS  4
#define MOST_MASKS (1 << MOST_ROWS)

/* Items by the rows that have them, as a mask. */
typedef struct wide {
    unsigned n_rows;
    uint32_t masks[WIDE_ITEMS];
    uint32_t sizes[MOST_MASKS]; /* how many items have exactly these rows */
    table t;
} wide;

static wide wide_make(uint64_t seed, unsigned n_rows) {
    wide w = {.n_rows = n_rows};
    rng r = rng_make(seed, 0);
    uint32_t row[WIDE_ITEMS];
    for (uint32_t i = 0; i < WIDE_ITEMS; i++) {
        w.masks[i] = (uint32_t)rng_below(&r, (uint64_t)1 << n_rows);
        w.sizes[w.masks[i]]++;
    }
    for (unsigned t = 0; t < n_rows; t++) {
        size_t n = 0;
        for (uint32_t i = 0; i < WIDE_ITEMS; i++) {
            if (w.masks[i] >> t & 1) row[n++] = i;
        }
        table_add(&w.t, row, n);
    }
    return w;
}

/* The items that all of some rows have; returns which rows have all of these. */
static uint32_t meet(const wide *w, uint32_t rows, uint32_t *items, size_t *n) {
    uint32_t with = (1u << w->n_rows) - 1;
    *n = 0;
    for (uint32_t i = 0; i < WIDE_ITEMS; i++) {
        if ((w->masks[i] & rows) != rows) continue;
        with &= w->masks[i];
        items[(*n)++] = i;
    }
    return with;
}

/* Whether fewer rows, but enough, have all of the items and others. */
static bool has_larger(const wide *w, uint32_t rows, int min) {
    uint32_t items[WIDE_ITEMS];
    size_t n;
    for (uint32_t fewer = (rows - 1) & rows; fewer != 0; fewer = (fewer - 1) & rows) {
        if (__builtin_popcount(fewer) >= min && meet(w, fewer, items, &n) == fewer) return true;
    }
    return false;
}

/* A closed set is what some rows have in common. */
static void check_closed(const wide *w, lode_target target, const char *algorithm, int min) {
    lode_mine_options o = mining_options(algorithm, (uint64_t)min);
    uint32_t items[WIDE_ITEMS];
    uint64_t expected = 0, wrong = 0;
    size_t n;
    o.target = target;
    mined m = mine_table(&w->t, &o, "cpu*1");
    CHECK_EQUAL(m.status, LODE_OK);
    for (uint32_t rows = 1; rows < 1u << w->n_rows; rows++) {
        int support = __builtin_popcount(rows);
        if (support < min || meet(w, rows, items, &n) != rows || n == 0) continue;
        if (target == LODE_TARGET_MAXIMAL && has_larger(w, rows, min)) continue;
        expected++;
        wrong += result_find(&m.result, items, n) != (uint64_t)support;
    }
    CHECK_EQUAL(m.result.n, expected);
    CHECK_EQUAL(wrong, 0);
    CHECK(m.report->engine.nodes < 4 * MOST_MASKS * MOST_MASKS); /* and not one for each item */
    mined_free(&m);
}

/* Pairs of kinds of items that are generators, and how many pairs of items these are. */
static uint64_t count_generators(const wide *w, int min) {
    uint64_t n = 0;
    uint32_t all = (1u << w->n_rows) - 1;
    for (uint32_t a = 1; a < all; a++) {
        if (__builtin_popcount(a) >= min) n += w->sizes[a];
        for (uint32_t b = a + 1; b < all; b++) {
            uint32_t both = a & b;
            if (__builtin_popcount(both) < min || both == a || both == b) continue;
            n += (uint64_t)w->sizes[a] * w->sizes[b];
        }
    }
    return n;
}

static void check_generators(const wide *w, int min) {
    lode_mine_options o = mining_options("adaptive", (uint64_t)min);
    uint64_t wrong = 0;
    o.target = LODE_TARGET_GENERATORS;
    o.max_size = 2;
    mined m = mine_table(&w->t, &o, "cpu*1");
    CHECK_EQUAL(m.status, LODE_OK);
    CHECK_EQUAL(m.result.n, count_generators(w, min));
    for (uint64_t i = 0; i < m.result.n; i++) {
        size_t n, n_before = 0;
        const uint32_t *items = result_items(&m.result, i, &n), *before = items;
        uint32_t rows = n == 2 ? w->masks[items[0]] & w->masks[items[1]] : w->masks[items[0]];
        if (i > 0) before = result_items(&m.result, i - 1, &n_before);
        wrong += m.result.supports[i] != (uint64_t)__builtin_popcount(rows);
        wrong += i > 0 && items_compare(before, n_before, items, n) >= 0; /* none twice */
    }
    CHECK_EQUAL(wrong, 0);
    mined_free(&m);
}

static void few_rows(void) {
    for (unsigned n_rows = 1; n_rows <= MOST_ROWS; n_rows++) {
        wide w = wide_make(n_rows, n_rows);
        for (int min = 1; min <= 2; min++) {
            check_closed(&w, LODE_TARGET_CLOSED, "adaptive", min);
            check_closed(&w, LODE_TARGET_MAXIMAL, "adaptive", min);
            check_generators(&w, min);
        }
        table_free(&w.t);
    }
}

/* Two transactions of 60,000 items: three kinds of them. */
static void two_long_rows(void) {
    static const lode_target targets[] = {LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                          LODE_TARGET_GENERATORS};
    static const uint64_t expected[] = {3, 2, 60000};
    table t = {0};
    add_range(&t, 0, 60000);
    add_range(&t, 30000, 90000);
    for (unsigned i = 0; i < 3; i++) {
        lode_mine_options o = mining_options("adaptive", 1);
        o.target = targets[i];
        mined m = mine_table(&t, &o, "cpu*1");
        CHECK_EQUAL(m.status, LODE_OK);
        CHECK_EQUAL(m.result.n, expected[i]);
        CHECK(m.report->engine.nodes < 100);
        mined_free(&m);
    }
    table_free(&t);
}

/* ---- sizes and limits ------------------------------------------------------------------------ */

/* One transaction of 300 items has more than 2^64 subsets, but few of these sizes. */
static void wanted_sizes_only(void) {
    static const uint32_t sizes[][2] = {{299, 0}, {1, 2}, {298, 299}, {300, 300}};
    static const uint64_t expected[] = {301, 300 + 44850, 44850 + 300, 1};
    table t = {0};
    add_range(&t, 0, 300);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned limited = 0; limited < 2; limited++) {
            lode_mine_options o = mining_options("adaptive", 1);
            o.min_size = sizes[i][0];
            o.max_size = sizes[i][1];
            o.limit_patterns = limited ? 50000 : 0;
            mined m = mine_table(&t, &o, "cpu*1");
            CHECK_EQUAL(m.status, LODE_OK);
            CHECK_EQUAL(m.result.n, expected[i]);
            mined_free(&m);
        }
    }
    table_free(&t);
}

static int count_batch(void *user, const lode_batch *batch) {
    *(uint64_t *)user += batch->n;
    return 0;
}

/* The limit ends in the midst of items that each stand for 2^14 patterns: those that were let
 * through are delivered. */
static void limit_within_cubes(void) {
    enum { ALWAYS = 14, LIMIT = (1 << ALWAYS) - 1 + 2 * (1 << ALWAYS) + 7 };
    table t = {0};
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t row[ALWAYS + 1] = {ALWAYS + k};
        for (uint32_t i = 0; i < ALWAYS; i++) row[i + 1] = i;
        table_add(&t, row, ALWAYS + 1);
    }
    lode_job *job = mining_job("cpu*1");
    lode_dataset *data = mining_data(job, &t);
    lode_sink *sink = NULL;
    uint64_t patterns = 0;
    lode_mine_options o = mining_options("adaptive", 1);
    o.limit_patterns = LIMIT;
    CHECK_EQUAL(lode_sink_callback(job, &sink, count_batch, &patterns), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
    CHECK_EQUAL(patterns, LIMIT);
    CHECK_EQUAL(lode_sink_patterns(sink), LIMIT);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    table_free(&t);
}

/* ---- the stack ------------------------------------------------------------------------------- */

typedef struct stack_task {
    const table *t;
    lode_mine_options options;
    uint64_t patterns;
    lode_status status;
} stack_task;

static void *stack_main(void *arg) {
    stack_task *task = arg;
    mined m = mine_table(task->t, &task->options, "cpu*1");
    task->patterns = m.result.n;
    task->status = m.status;
    mined_free(&m);
    return NULL;
}

static void run_on_small_stack(stack_task *task) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK_EQUAL(pthread_attr_init(&attributes), 0);
    CHECK_EQUAL(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    if (pthread_create(&thread, &attributes, stack_main, task) != 0) exit(2);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* Two equal transactions: items that any set may have. */
static void stack_of_perfect_items(void) {
    table t = {0};
    add_range(&t, 0, PERFECT);
    add_range(&t, 0, PERFECT);
    static const char *const algorithms[] = {"adaptive", "tensor", "brute"};
    for (unsigned i = 0; i < 3; i++) {
        stack_task task = {.t = &t, .options = mining_options(algorithms[i], 2)};
        task.options.limit_patterns = 100000;
        if (i == 2) task.options.min_size = PERFECT / 6; /* it goes down to these first */
        if (i == 2) task.options.limit_patterns = 1;
        run_on_small_stack(&task);
        CHECK_EQUAL(task.status, LODE_STOPPED);
        CHECK_EQUAL(task.patterns, task.options.limit_patterns);
    }
    table_free(&t);
}

/* Transactions 0, 01, 012, … and single items, so many that the later ones are more frequent: the
 * closed sets of item 0 are a chain, each found below the one before. */
static void stack_of_chains(void) {
    table t = {0};
    for (uint32_t i = 1; i <= DEEP; i++) add_range(&t, 0, i);
    for (uint32_t i = 0; i < DEEP; i++) {
        for (uint32_t k = 0; k < 2 * i; k++) table_add(&t, &i, 1);
    }
    static const char *const algorithms[] = {"adaptive", "tensor"};
    for (unsigned i = 0; i < 2; i++) {
        stack_task task = {.t = &t, .options = mining_options(algorithms[i], 1)};
        task.options.target = LODE_TARGET_CLOSED;
        run_on_small_stack(&task);
        CHECK_EQUAL(task.status, LODE_OK);
        CHECK_EQUAL(task.patterns, 2 * DEEP - 1);
    }
    table_free(&t);
}

int main(void) {
    CHECK_RUN(subsets_by_size);
    CHECK_RUN(single_items);
    CHECK_RUN(few_rows);
    CHECK_RUN(two_long_rows);
    CHECK_RUN(wanted_sizes_only);
    CHECK_RUN(limit_within_cubes);
    CHECK_RUN(stack_of_perfect_items);
    CHECK_RUN(stack_of_chains);
    return check_result();
}
