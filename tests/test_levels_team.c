/* test_levels_team.c - level-wise algorithms on several devices at once: the same sets, the same
 * candidates, and a report about the work of each device
 *
 * The data have levels of thousands of candidates, so that every device gets a part, and sets of
 * many items, so that rows must be recomputed on other devices. On a GPU, LODE_TEST_DEVICES names
 * the devices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mining.h"
#include "reports.h"
#include "runtime/job.h"

#define N_ALGORITHMS 5
#define WAY_STEP     BY_BUILD(1, 13, 13)

static const char *const algorithms[N_ALGORITHMS] = {"tbi", "pbi", "gpapriori", "eqclass",
                                                     "gpu-apriori"};
static const char *const devices[] = {"cpu*2", "cpu*3", "cpu*7"};
#define N_DEVICES 3

/* Consumers that a device text means: one for each part, or as many as it says after the '*'. */
static unsigned devices_of(const char *text) {
    unsigned n = 0;
    for (const char *at = text; at; at = strchr(at, '+') ? strchr(at, '+') + 1 : NULL) {
        size_t star = strcspn(at, "*+");
        n += at[star] == '*' ? (unsigned)strtoul(at + star + 1, NULL, 10) : 1;
    }
    return n;
}

/* Bandwidth is bytes by seconds; whole numbers, so nearly. */
static bool check_bandwidth(const engine_report *r) {
    double want = (double)r->counting_bytes / r->times.counting;
    double off = (double)r->counting_bandwidth - want;
    return CHECK(r->counting_bytes > 0) & CHECK(r->times.counting > 0) & CHECK(off <= 1) &
           CHECK(off >= -1);
}

static bool check_report(const lode_report *report, const char *device, uint64_t max_lists) {
    const engine_report *r = &report->engine;
    uint64_t rows = r->rows_read + r->rows_written;
    bool fine = CHECK_EQUAL(r->n_devices, devices_of(device)) &
                CHECK(r->utilisation > 0 && r->utilisation <= 1) & check_bandwidth(r) &
                CHECK_EQUAL(r->counting_bytes, rows * r->list_bytes) &
                CHECK(r->candidate_bytes_with_rows >=
                      r->candidate_bytes + r->frequent_items * r->list_bytes);
    if (max_lists) fine &= CHECK(r->lists_peak <= max_lists);
    return fine;
}

/* ---- the same results ------------------------------------------------------------------------ */

typedef struct team_case {
    const table *t;
    lode_mine_options o;
    const mined *want;
    uint64_t counted; /* candidates */
    uint64_t rebuilt; /* rows, and counts, from items; of all runs */
} team_case;

static bool check_team(team_case *c, const char *algorithm, const char *device, uint64_t lists) {
    lode_mine_options o = c->o;
    o.algorithm = algorithm;
    o.max_lists = strcmp(algorithm, "gpapriori") == 0 ? 0 : lists;
    mined got = mine_table(c->t, &o, device);
    const engine_report *r = &got.report->engine;
    bool fine =
        CHECK_EQUAL(got.status, LODE_OK) & CHECK(result_equal(&got.result, &c->want->result));
    if (fine) fine = check_report(got.report, device, o.max_lists);
    if (c->counted == 0) c->counted = r->candidates_counted;
    if (strcmp(algorithm, "gpu-apriori") != 0 && o.target == LODE_TARGET_ALL) {
        fine &= CHECK_EQUAL(r->candidates_counted, c->counted);
    }
    c->rebuilt += r->lists_rebuilt;
    if (!fine) {
        fprintf(stderr, "  %s on %s, lists %llu, at most %u items: %s\n", algorithm, device,
                (unsigned long long)lists, o.max_size, lode_job_error(got.job));
    }
    mined_free(&got);
    return fine;
}

static void check_teams(const table *t, lode_mine_options o) {
    static const uint64_t lists[] = {0, 1, 2, 5, 5000};
    mined want = mine_table(t, &o, "cpu*1");
    team_case c = {.t = t, .o = o, .want = &want};
    CHECK(want.result.n > 500 || o.target == LODE_TARGET_TOP);
    for (size_t way = 0; way < (size_t)5 * N_ALGORITHMS * N_DEVICES; way += WAY_STEP) {
        const char *device = mining_device(devices, N_DEVICES, way / 5 / N_ALGORITHMS);
        if (!check_team(&c, algorithms[way / 5 % N_ALGORITHMS], device, lists[way % 5])) break;
    }
    printf("    %llu itemsets, %llu candidates, %llu rows and counts from items\n",
           (unsigned long long)want.result.n, (unsigned long long)c.counted,
           (unsigned long long)c.rebuilt);
    CHECK(c.rebuilt > 0);
    mined_free(&want);
}

/* One level that is much larger than all others. */
static void test_wide(void) {
    table t = table_random(80, 600, 120, 8, 22);
    check_teams(&t, mining_options("brute", 14));
    table_free(&t);
}

/* Many levels, whose left sets must move, as they are divided unevenly. */
static void test_long(void) {
    table t = table_random(81, 400, 15, 45, 85);
    lode_mine_options o = mining_options("brute", 12);
    check_teams(&t, o);
    o.max_size = 4;
    check_teams(&t, o);
    table_free(&t);
}

/* The threshold rises while devices count. */
static void test_top(void) {
    table t = table_random(81, 400, 15, 45, 85);
    lode_mine_options o = mining_options("brute", 12);
    o.target = LODE_TARGET_TOP;
    o.top_k = 300;
    check_teams(&t, o);
    table_free(&t);
}

/* Rows that leave the second-level cache of a CPU: lists are not limited by it. */
static void test_long_rows(void) {
    table t = table_random(82, 20000, 60, 2, 30);
    check_teams(&t, mining_options("brute", 400));
    table_free(&t);
}

/* ---- the ends -------------------------------------------------------------------------------- */

typedef struct canceller {
    lode_job *job;
    _Atomic unsigned polls;
    unsigned at;
} canceller;

static void cancel_at(void *user) {
    canceller *c = user;
    if (atomic_fetch_add(&c->polls, 1) == c->at) lode_job_cancel(c->job);
}

/* A cancel, whichever thread sees it first. */
static void test_cancelled(void) {
    static const unsigned moments[] = {0, 1, 5, 40, 150};
    table t = table_random(80, 600, 120, 8, 22);
    for (size_t i = 0; i < sizeof moments / sizeof *moments * N_ALGORITHMS; i++) {
        const char *device = mining_device(devices, N_DEVICES, i);
        lode_mine_options o = mining_options(algorithms[i % N_ALGORITHMS], 14);
        lode_job *job = mining_job(device);
        canceller c = {.job = job, .at = moments[i / N_ALGORITHMS]};
        lode_dataset *data = mining_data(job, &t);
        lode_sink *sink = NULL;
        CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
        job->on_poll = cancel_at;
        job->on_poll_user = &c;
        o.limit_seconds = 1e6; /* so that polls are seen */
        lode_status status = lode_mine(job, data, &o, sink);
        if (!CHECK_EQUAL(status, c.polls > c.at ? LODE_CANCELLED : LODE_OK)) {
            fprintf(stderr, "  %s on %s: %s\n", o.algorithm, device, lode_job_error(job));
        }
        lode_sink_free(sink);
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
    table_free(&t);
}

/* What counts without rows says so by zeros; what counts by rows on one device has figures, too. */
static void test_figures(void) {
    table t = table_random(83, 500, 20, 20, 60);
    static const char *const by_rows[] = {"frontier", "tensor", "tbi", "gpapriori"};
    for (size_t i = 0; i < 4; i++) {
        lode_mine_options o = mining_options(by_rows[i], 40);
        mined got = mine_table(&t, &o, "cpu*1");
        CHECK_EQUAL(got.status, LODE_OK);
        if (!check_bandwidth(&got.report->engine)) fprintf(stderr, "  %s\n", by_rows[i]);
        CHECK_EQUAL(report_number(got.job, "counting.bandwidth"),
                    got.report->engine.counting_bandwidth);
        mined_free(&got);
    }
    static const char *const others[] = {"adaptive", "goethals", "brute"};
    for (size_t i = 0; i < 3; i++) {
        lode_mine_options o = mining_options(others[i], 40);
        mined got = mine_table(&t, &o, "cpu*1");
        CHECK_EQUAL(report_number(got.job, "counting.bytes"), 0);
        CHECK_EQUAL(report_number(got.job, "counting.bandwidth"), 0);
        CHECK_EQUAL(report_number(got.job, "candidates.bytes_with_rows"), 0);
        mined_free(&got);
    }
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_wide);
    CHECK_RUN(test_long);
    CHECK_RUN(test_top);
    CHECK_RUN(test_long_rows);
    CHECK_RUN(test_cancelled);
    CHECK_RUN(test_figures);
    return check_result();
}
