/* test_budget.c - if a memory budget is too small, the message names one that is enough
 *
 * All algorithms, targets and kinds of sinks are tested, with 1 and 8 threads. A job with far too
 * little memory, and with a little more each time, either succeeds or names a number. With that
 * number as its budget, the same job must succeed, find as many patterns, and stay within the
 * budget. The number must not be much more than twice the smallest sufficient budget, which is
 * found by bisection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "mining.h"

#define KIB   ((uint64_t)1 << 10)
#define MIB   ((uint64_t)1 << 20)
#define ALLOW (5 * MIB) /* what small things may take, beside twice the least */
#define TOP_K 200

/* Budgets grow by one part in so many; sanitizers see in fewer runs what they look for. */
#define GROW_BY BY_BUILD(2, 0.25, 0.25)
#define TIGHT   BY_BUILD(true, false, false)

static char path[] = "/tmp/lode-budget-XXXXXX";

typedef enum sink_case { SINK_COUNT, SINK_FILE, SINK_SORTED, SINK_MEMORY, N_SINKS } sink_case;

static const char *const sink_names[] = {"count", "file", "sorted file", "memory"};

typedef struct task_case {
    const char *text;
    size_t bytes;
    const char *support;
    const char *algorithm;
    lode_target target;
    sink_case sink;
    unsigned threads;
} task_case;

typedef struct outcome {
    lode_status status;
    uint64_t patterns, needed;
    bool read; /* the data were there when memory ran out */
} outcome;

static char *make_text(uint32_t n, uint32_t n_items, unsigned low, unsigned high, size_t *bytes) {
    table t = table_random(5, n, n_items, low, high);
    char *text = malloc(t.offsets[t.n] * 8 + t.n + 1), *to = text;
    for (uint64_t i = 0; i < t.n; i++) {
        for (uint64_t k = t.offsets[i]; k < t.offsets[i + 1]; k++) {
            to += snprintf(to, 8, "%s%u", k > t.offsets[i] ? " " : "", t.items[k]);
        }
        *to++ = '\n';
    }
    *bytes = (size_t)(to - text);
    table_free(&t);
    return text;
}

static lode_status open_sink(lode_job *job, const lode_dataset *data, sink_case which,
                             lode_sink **out) {
    lode_write_options w = {.size = sizeof w, .sort = which == SINK_SORTED};
    switch (which) {
    case SINK_FILE:
    case SINK_SORTED: return lode_sink_file(job, out, data, path, &w);
    case SINK_MEMORY: return lode_sink_memory(job, out);
    default: return lode_sink_count(job, out);
    }
}

static lode_mine_options options_of(const task_case *c) {
    lode_mine_options o = mining_options(c->algorithm, 1);
    if (lode_threshold_parse(c->support, &o.min_support, NULL, 0) != LODE_OK) exit(2);
    o.target = c->target;
    o.top_k = TOP_K;
    return o;
}

static outcome run_within(const task_case *c, uint64_t budget) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    outcome out = {0};
    char said[32];
    lode_job_options o = {.size = sizeof o, .device = "cpu", .threads = c->threads};
    lode_mine_options m = options_of(c);
    o.memory_bytes = budget;
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    CHECK_EQUAL(lode_job_expect(job, &m), LODE_OK);
    out.status = lode_dataset_parse(job, &data, c->text, c->bytes, "text", NULL);
    out.read = out.status == LODE_OK;
    if (out.status == LODE_OK) out.status = open_sink(job, data, c->sink, &sink);
    if (out.status == LODE_OK) out.status = lode_mine(job, data, &m, sink);
    if (out.status == LODE_OK) out.status = lode_sink_finish(sink, false);
    if (out.status == LODE_OK) out.patterns = lode_sink_patterns(sink);
    out.needed = lode_job_memory_needed(job);
    snprintf(said, sizeof said, "(--memory %lluM", (unsigned long long)(out.needed / MIB));
    bool fine = out.status == LODE_OK || strstr(lode_job_error(job), said);
    if (!CHECK(fine)) fprintf(stderr, "  said: %s\n", lode_job_error(job));
    if (budget > 0) CHECK(lode_ctx_memory_peak(lode_job_ctx(job)) <= budget);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return out;
}

/* The least budget that works, to a sixteenth or so. */
static uint64_t least_budget(const task_case *c, uint64_t enough) {
    uint64_t low = 0, high = enough;
    while (high - low > 64 * KIB + high / 16) {
        uint64_t middle = low + (high - low) / 2;
        if (run_within(c, middle).status == LODE_OK) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

static void describe(const task_case *c, uint64_t budget, outcome o) {
    fprintf(stderr, "  %s, target %d, %s, %u threads, %.2f MiB: needed %.2f, status %d\n",
            c->algorithm, (int)c->target, sink_names[c->sink], c->threads, (double)budget / MIB,
            (double)o.needed / MIB, (int)o.status);
}

/* From the first budget on, each larger than the one before, until the job works without being
 * told. What a result in memory takes is not known before the search: where there was no room for
 * the data, the second number tells. Returns the largest number. */
static uint64_t check_numbers(const task_case *c, uint64_t first, uint64_t want) {
    uint64_t most = 0;
    for (uint64_t budget = first;; budget += (uint64_t)((double)budget / GROW_BY)) {
        outcome o = run_within(c, budget);
        if (o.status == LODE_OK) break;
        unsigned steps = !o.read && c->sink == SINK_MEMORY ? 2 : 1;
        outcome again = o;
        for (; steps > 0 && again.status == LODE_BUDGET; steps--) {
            if (!CHECK(again.needed > budget)) describe(c, budget, again);
            o = again;
            again = run_within(c, again.needed);
        }
        if (!CHECK_EQUAL(again.status, LODE_OK)) describe(c, budget, o);
        if (again.status == LODE_OK) CHECK_EQUAL(again.patterns, want);
        if (o.needed > most) most = o.needed;
    }
    return most;
}

static void check_task(const task_case *c, uint64_t first, bool tight) {
    outcome free_run = run_within(c, 0);
    CHECK_EQUAL(free_run.status, LODE_OK);
    CHECK(free_run.patterns > 20);
    uint64_t most = check_numbers(c, first, free_run.patterns);
    if (!tight || most == 0) return;
    uint64_t least = least_budget(c, most);
    if (!CHECK(most <= 2 * least + ALLOW)) {
        fprintf(stderr, "  %s, target %d, %s, %u threads: %.2f MiB would do, said %.2f\n",
                c->algorithm, (int)c->target, sink_names[c->sink], c->threads, (double)least / MIB,
                (double)most / MIB);
    }
}

static void check_algorithms(const task_case *model, uint64_t first, bool tight, bool oracles) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        if (a.oracle && !oracles) continue;
        for (int target = 0; target <= LODE_TARGET_GENERATORS; target++) {
            if (!(a.targets >> target & 1)) continue;
            for (int k = 0; k < 2 * N_SINKS; k++) {
                task_case c = *model;
                c.algorithm = a.name;
                c.target = (lode_target)target;
                c.sink = (sink_case)(k / 2);
                c.threads = k % 2 ? 8 : 1;
                check_task(&c, first, tight && c.sink != SINK_FILE);
            }
        }
    }
}

static void test_all_algorithms(void) {
    task_case c = {.support = "6%"};
    char *text = make_text(1500, 40, 2, 40, &c.bytes);
    c.text = text;
    check_algorithms(&c, 200 * KIB, TIGHT, true);
    free(text);
}

/* Data of some MiB, where small things count for nothing. */
static void test_default_algorithm(void) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    task_case c = {.support = "2%", .algorithm = "auto"};
    char *text = make_text(40000, 150, 1, 16, &c.bytes);
    c.text = text;
    for (int k = 0; k < 6 * N_SINKS; k += BY_BUILD(1, 5, 5)) { /* all targets, threads and sinks */
        c.target = targets[k % 3];
        c.threads = k / 3 % 2 ? 8 : 1;
        c.sink = (sink_case)(k / 6);
        check_task(&c, MIB, false);
    }
    free(text);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Rings of nine vertices with a tail, of three labels. */
static char *make_graphs(unsigned n, size_t *bytes) {
    char *text = malloc(n * 300), *to = text;
    rng r = rng_make(3, 0);
    for (unsigned i = 0; i < n; i++) {
        to += snprintf(to, 16, "t # %u\n", i);
        for (unsigned v = 0; v < 10; v++) {
            to += snprintf(to, 16, "v %u %u\n", v, (unsigned)rng_below(&r, 3));
        }
        for (unsigned v = 1; v < 10; v++) to += snprintf(to, 16, "e %u %u 0\n", v - 1, v);
        to += snprintf(to, 16, "e 0 8 %u\n", (unsigned)rng_below(&r, 2));
    }
    *bytes = (size_t)(to - text);
    return text;
}

static outcome run_graphs_within(const task_case *c, lode_target target, uint64_t budget) {
    lode_job *job = NULL;
    lode_graphs *data = NULL;
    lode_sink *sink = NULL;
    outcome out = {0};
    lode_job_options o = {.size = sizeof o, .device = "cpu", .threads = c->threads};
    lode_graph_options m = {.size = sizeof m, .algorithm = c->algorithm, .target = target};
    o.memory_bytes = budget;
    m.top_k = TOP_K;
    if (lode_threshold_parse(c->support, &m.min_support, NULL, 0) != LODE_OK) exit(2);
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    out.status = lode_graphs_parse(job, &data, c->text, c->bytes, "text", NULL);
    if (out.status == LODE_OK) out.status = lode_sink_count(job, &sink);
    if (out.status == LODE_OK) out.status = lode_graphs_mine(job, data, &m, sink);
    if (out.status == LODE_OK) out.status = lode_sink_finish(sink, false);
    if (out.status == LODE_OK) out.patterns = lode_sink_patterns(sink);
    out.needed = lode_job_memory_needed(job);
    if (budget > 0) CHECK(lode_ctx_memory_peak(lode_job_ctx(job)) <= budget);
    lode_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return out;
}

static void check_graph_task(const task_case *c, lode_target target) {
    outcome all = run_graphs_within(c, target, 0);
    CHECK_EQUAL(all.status, LODE_OK);
    CHECK(all.patterns > 20);
    for (uint64_t budget = 128 * KIB;; budget += (uint64_t)((double)budget / GROW_BY)) {
        outcome o = run_graphs_within(c, target, budget);
        if (o.status == LODE_OK) break;
        CHECK_EQUAL(o.status, LODE_BUDGET);
        outcome again = run_graphs_within(c, target, o.needed);
        if (!CHECK_EQUAL(again.status, LODE_OK)) describe(c, budget, o);
        if (again.status == LODE_OK) CHECK_EQUAL(again.patterns, all.patterns);
        CHECK(o.needed <= 2 * budget + 4 * ALLOW);
    }
}

static void test_graphs(void) {
    task_case c = {.support = "10%"};
    char *text = make_graphs(300, &c.bytes);
    lode_algorithm a = LODE_INIT(lode_algorithm);
    c.text = text;
    for (size_t i = 0; lode_algorithm_at(LODE_GRAPHS, i, &a); i++) {
        if (a.oracle) continue;
        c.algorithm = a.name;
        for (int k = 0; k < 2 * (LODE_TARGET_MAXIMAL + 1); k++) {
            c.threads = k % 2 ? 8 : 1;
            check_graph_task(&c, (lode_target)(k / 2));
        }
    }
    free(text);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 2;
    close(fd);
    CHECK_RUN(test_all_algorithms);
    CHECK_RUN(test_default_algorithm);
    CHECK_RUN(test_graphs);
    unlink(path);
    return check_result();
}
