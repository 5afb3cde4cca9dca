/* test_faults.c - running out of memory at every allocation; and budgets
 *
 * The allocator of the job refuses the k-th request, for k = 0, 1, 2, … until a whole job (context,
 * reading, sink, mining, finishing) succeeds. Each time the job must end with NOMEM, hold no memory
 * at the end and leave no file. The lists of frontier are pages from the system, and are not
 * allocated by this allocator.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "faulty.h"
#include "jobs.h"
#include "mining.h"

static char directory[] = "/tmp/lode-faults-XXXXXX";
static char path[64];

static const char text[] =
    "1 2 3 4 5\n3 4 6\n2 3 7\n3 4 6 7\n1 2 3 4 5 6 7\n\n2 4 6 1 3\n5 7 1 4 3 2\n"
    "1 2 4 8 9\n8 9 1 4 3\n9 8 7 6 5 4 3 2 1\n8 9 4 1\n9 4 1 3 2 7\n";

/* ---- one job ------------------------------------------------------------------------------- */

typedef enum sink_case {
    SINK_COUNT,
    SINK_MEMORY,
    SINK_FILE,
    SINK_SORTED,
    SINK_TOP,
    N_SINKS
} sink_case;

typedef struct task_case {
    const char *algorithm, *device;
    sink_case sink;
    const char *text; /* NULL: the short one */
    lode_target target;
} task_case;

static lode_status open_sink(lode_job *job, const lode_dataset *data, sink_case which,
                             lode_sink **out) {
    lode_write_options w = {.size = sizeof w, .sort = which == SINK_SORTED};
    switch (which) {
    case SINK_COUNT: return lode_sink_count(job, out);
    case SINK_FILE:
    case SINK_SORTED: return lode_sink_file(job, out, data, path, &w);
    default: return lode_sink_memory(job, out);
    }
}

static lode_status run_in(lode_job *job, const task_case *c, uint64_t *patterns) {
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options(c->algorithm, 2);
    o.target = c->sink == SINK_TOP ? LODE_TARGET_TOP : c->target;
    const char *from = c->text ? c->text : text;
    o.top_k = 20;
    o.epsilon = 8;
    lode_status status = lode_dataset_parse(job, &data, from, strlen(from), "text", NULL);
    if (status == LODE_OK) status = open_sink(job, data, c->sink, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, &o, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    if (status == LODE_OK) *patterns = lode_sink_patterns(sink);
    CHECK((lode_job_error(job)[0] == 0) == (status == LODE_OK));
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    return status;
}

static lode_status run_task(const task_case *c, faulty *f, uint64_t *patterns) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .device = c->device, .threads = 1};
    lode_status status = job_with_memory(&job, &o, faulty_resize, f);
    if (status != LODE_OK) {
        CHECK(!job);
        return status;
    }
    status = run_in(job, c, patterns);
    lode_job_free(job);
    return status;
}

/* Nothing under the final name, and nothing beside it. */
static bool directory_is_empty(void) {
    if (rmdir(directory) != 0) return false;
    char fresh[] = "/tmp/lode-faults-XXXXXX";
    if (!mkdtemp(fresh)) exit(2);
    memcpy(directory, fresh, sizeof directory);
    snprintf(path, sizeof path, "%s/out", directory);
    return true;
}

static void check_task(const task_case *c) {
    faulty clean = {.fail_at = UINT64_MAX};
    uint64_t want = 0, got = 0, k = 0;
    pthread_mutex_init(&clean.lock, NULL);
    CHECK_EQUAL(run_task(c, &clean, &want), LODE_OK);
    CHECK(want > 10 && clean.live == 0 && !clean.wrong_size);
    bool file = c->sink == SINK_FILE || c->sink == SINK_SORTED;
    CHECK((remove(path) == 0) == file);
    for (;; k += BY_BUILD(1, 1, 3)) { /* of few threads, so that there are few races to find */
        faulty f = {.fail_at = k};
        pthread_mutex_init(&f.lock, NULL);
        lode_status status = run_task(c, &f, &got);
        bool fine = CHECK_EQUAL(f.live, 0) & CHECK(!f.wrong_size);
        bool failed = f.calls > k; /* with several devices, the order of requests may differ */
        if (status == LODE_OK) {
            fine &= CHECK_EQUAL(got, want);
            if (file) CHECK(remove(path) == 0);
        } else {
            fine &= CHECK_EQUAL(status, LODE_NOMEM) & CHECK(directory_is_empty());
        }
        if (!fine) {
            fprintf(stderr, "  %s on %s, sink %d, request %llu: %s\n", c->algorithm, c->device,
                    (int)c->sink, (unsigned long long)k, lode_status_text(status));
        }
        pthread_mutex_destroy(&f.lock);
        if (!failed || !fine) break;
    }
    CHECK(k > 10);
    pthread_mutex_destroy(&clean.lock);
}

static void test_every_allocation(void) {
    static const task_case engines[] = {{.algorithm = "frontier", .device = "cpu*1"},
                                        {.algorithm = "frontier", .device = "cpu*2"},
                                        {.algorithm = "brute", .device = "cpu*1"}};
    for (size_t i = 0; i < 3; i++) {
        for (int sink = 0; sink < N_SINKS; sink++) {
            task_case c = engines[i];
            c.sink = (sink_case)sink;
            check_task(&c);
        }
    }
}

/* Reading text of several blocks, each of which is sorted as a whole and lies in a slab. */
static lode_status read_blocks(faulty *f, const char *lines, size_t n, uint64_t *occurrences) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1};
    lode_status status = job_with_memory(&job, &o, faulty_resize, f);
    if (status != LODE_OK) return status;
    status = lode_dataset_parse(job, &data, lines, n, "lines", NULL);
    if (status == LODE_OK) *occurrences = profile_of(data).n_occurrences;
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return status;
}

static void test_every_allocation_of_blocks(void) {
    const size_t n_lines = 60000;
    char *lines = malloc(n_lines * 16);
    size_t n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        n += (size_t)snprintf(lines + n, 16, "%zu %zu 7 %zu\n", 10 + i % 83, 100 + i % 7, i % 10);
    }
    uint64_t want = 0, got = 0, k = 0;
    faulty clean = {.fail_at = UINT64_MAX};
    pthread_mutex_init(&clean.lock, NULL);
    CHECK_EQUAL(read_blocks(&clean, lines, n, &want), LODE_OK);
    CHECK_EQUAL(want, 4 * n_lines - n_lines / 10); /* 7 repeats in every tenth line */
    for (bool failed = true; failed; k++) {
        faulty f = {.fail_at = k};
        pthread_mutex_init(&f.lock, NULL);
        lode_status status = read_blocks(&f, lines, n, &got);
        failed = f.calls > k;
        CHECK_EQUAL(status, failed ? LODE_NOMEM : LODE_OK);
        CHECK(f.live == 0 && !f.wrong_size);
        pthread_mutex_destroy(&f.lock);
    }
    CHECK_EQUAL(got, want);
    CHECK(k > 15);
    pthread_mutex_destroy(&clean.lock);
    free(lines);
}

/* The algorithms of the papers hand their results over as the others do: one sink tells. */
static void test_every_allocation_of_levels(void) {
    static const char *const names[] = {"tbi",       "pbi",        "goethals",
                                        "gpapriori", "eqclass",    "gpu-apriori",
                                        "eclat",     "eclat-bits", "fpgrowth"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_task(&(task_case){names[i], "cpu*1", SINK_COUNT, NULL, LODE_TARGET_ALL});
        check_task(&(task_case){names[i], "cpu*2", SINK_COUNT, NULL, LODE_TARGET_ALL});
    }
}

/* Classes of more items than a lattice has, so that there are frames to push. */
static void test_every_allocation_of_products(void) {
    static const char lines[] = "2 3 5 6 8 9 11 12 14 15 16\n"
                                "1 2 4 5 7 8 10 11 13 14 16\n"
                                "2 3 4 6 7 9 10 12 13 15 16\n"
                                "1 2 4 5 6 8 9 11 12 14 15\n"
                                "1 3 4 6 7 8 10 11 13 14 16\n"
                                "2 3 5 6 8 9 10 12 13 15 16\n"
                                "1 2 4 5 7 8 10 11 12 14 15\n"
                                "1 3 4 6 7 9 10 12 13 14 16\n";
    for (int sink = 0; sink < N_SINKS; sink++) {
        lode_target target = sink % 2 ? LODE_TARGET_CLOSED : LODE_TARGET_ALL;
        check_task(&(task_case){"tensor", "cpu*1", (sink_case)sink, lines, target});
        check_task(&(task_case){"tensor", "cpu*2", (sink_case)sink, NULL, target});
    }
}

/* ---- budgets ------------------------------------------------------------------------------- */

#define MIB ((double)(1 << 20))

static table big;
static uint64_t big_patterns;

/* Runs within a budget. Returns 0 when it worked, else the figure of the message. */
static double run_within(double mib, const char *device, bool keep) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    double stated = 0;
    lode_job_options o = {.size = sizeof o, .device = device, .threads = 1};
    o.memory_bytes = (uint64_t)(mib * MIB);
    lode_mine_options m = mining_options("frontier", 60);
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    CHECK_EQUAL(lode_job_expect(job, &m), LODE_OK);
    lode_status status = lode_dataset_from_arrays(job, &data, big.n, big.offsets, big.items, NULL);
    if (status == LODE_OK)
        status = keep ? lode_sink_memory(job, &sink) : lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, &m, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    if (status == LODE_OK) {
        CHECK_EQUAL(lode_sink_patterns(sink), big_patterns);
    } else {
        CHECK_EQUAL(status, LODE_BUDGET);
        stated = (double)lode_job_memory_needed(job) / MIB;
        if (!CHECK(stated > mib)) fprintf(stderr, "  %.2f: %s\n", mib, lode_job_error(job));
    }
    CHECK((double)lode_ctx_memory_peak(lode_job_ctx(job)) <= mib * MIB);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return stated;
}

/* From too little to enough; what the message says leads there in one step. */
static void check_budgets(const char *device, bool keep) {
    double enough = 0;
    unsigned refused = 0, later_refused = 0;
    for (double mib = 0.1; mib < 12; mib *= BY_BUILD(1.15, 1.15, 1.6)) {
        double stated = run_within(mib, device, keep);
        refused += stated > 0;
        if (stated == 0 && enough == 0) enough = mib;
        later_refused += stated > 0 && enough > 0;
        if (stated > 0 && !CHECK(run_within(stated, device, keep) == 0)) {
            fprintf(stderr, "  from %.2f MiB on %s, said %.2f\n", mib, device, stated);
        }
    }
    printf("    %s, %s: refused %u times, enough from %.2f MiB\n", device,
           keep ? "memory" : "count", refused, enough);
    CHECK(refused > 0 && enough > 0);
    if (!strcmp(device, "cpu*1")) CHECK_EQUAL(later_refused, 0);
}

static void test_budgets(void) {
    big = table_random(71, 3000, 40, 2, 50);
    mined all = mine_brute(&big, 60);
    big_patterns = all.result.n;
    CHECK(big_patterns > 500);
    mined_free(&all);
    check_budgets("cpu*1", false);
    check_budgets("cpu*1", true);
    check_budgets("cpu*2", false);
    table_free(&big);
}

int main(void) {
    if (!mkdtemp(directory)) return 2;
    snprintf(path, sizeof path, "%s/out", directory);
    CHECK_RUN(test_every_allocation);
    CHECK_RUN(test_every_allocation_of_blocks);
    CHECK_RUN(test_every_allocation_of_levels);
    CHECK_RUN(test_every_allocation_of_products);
    CHECK_RUN(test_budgets);
    CHECK(rmdir(directory) == 0);
    return check_result();
}
