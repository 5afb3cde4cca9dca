/* test_jobs.c - eight jobs at once in one context: right results within one budget
 *
 * Each job runs alone first, then all run together: itemsets and graphs, several engines, shared
 * data sets, a job that is cancelled, one that exceeds its budget, and one that fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/rng.h"
#include "check.h"
#include "runtime/report/report.h"

#define N_JOBS       8
#define THREADS      3
#define MEMORY_BYTES ((uint64_t)96 << 20)

static struct {
    lode_ctx *ctx;
    lode_dataset *dense, *sparse;
    lode_graphs *graphs;
    char sparse_path[64], graphs_path[64];
} shared;

/* What a job does, and what came of it. */
typedef struct work {
    const char *name, *algorithm;
    bool graphs;
    const char *target; /* of itemsets */
    uint64_t support;   /* in thousandths */
    bool reads;         /* its own copy of the data */
    bool is_cancelled, is_over_budget, fails;
    lode_status status;
    uint64_t patterns, hash;
    pthread_t thread;
} work;

static const work plan[N_JOBS] = {
    {.name = "dense", .algorithm = "adaptive", .support = 40},
    {.name = "sparse", .algorithm = "adaptive", .support = 1, .reads = true},
    {.name = "closed", .algorithm = "adaptive", .target = "closed", .support = 60},
    {.name = "tensor", .algorithm = "tensor", .support = 40},
    {.name = "graft", .algorithm = "graft", .graphs = true, .support = 30, .reads = true},
    {.name = "frontier", .algorithm = "frontier", .support = 2, .is_cancelled = true},
    {.name = "gspan", .algorithm = "gspan", .graphs = true, .support = 100, .is_over_budget = true},
    {.name = "callback", .algorithm = "adaptive", .support = 150, .fails = true},
};

/* --- one job ---------------------------------------------------------------------------------- */

static void mine_itemsets(work *w, lode_job *job, const lode_dataset *data) {
    lode_sink *sink = NULL;
    lode_options *o = NULL;
    char support[32], message[256];
    lode_status status = lode_options_create(&o);
    snprintf(support, sizeof support, "%g%%", (double)w->support / 10);
    if (status == LODE_OK) status = lode_options_set(o, "min-support", support, message, 256);
    if (status == LODE_OK) status = lode_options_set(o, "algorithm", w->algorithm, message, 256);
    if (status == LODE_OK && w->target) {
        status = lode_options_set(o, "target", w->target, message, 256);
    }
    if (status == LODE_OK) status = lode_sink_hash(job, &sink, data);
    if (status == LODE_OK) status = lode_mine(job, data, lode_options_mine(o), sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    w->status = status;
    w->patterns = lode_sink_patterns(sink);
    w->hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    lode_options_free(o);
}

static void mine_graphs(work *w, lode_job *job, const lode_graphs *data) {
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o, .algorithm = w->algorithm};
    o.min_support = (lode_threshold){w->support, 1000};
    lode_status status = lode_graph_sink_hash(job, &sink, data);
    if (status == LODE_OK) status = lode_graphs_mine(job, data, &o, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    w->status = status;
    w->patterns = lode_sink_patterns(sink);
    w->hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
}

static int stop_at_once(void *user, const lode_batch *batch) {
    (void)user;
    (void)batch;
    return 1;
}

/* A sink that says no, and an option that is wrong. */
static void fail(work *w, lode_job *job) {
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .algorithm = "no such thing"};
    o.min_support = (lode_threshold){w->support, 1000};
    CHECK_EQUAL(lode_sink_callback(job, &sink, stop_at_once, NULL), LODE_OK);
    CHECK_EQUAL(lode_mine(job, shared.dense, &o, sink), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "no such thing"));
    o.algorithm = w->algorithm;
    w->status = lode_mine(job, shared.dense, &o, sink);
    lode_sink_free(sink);
}

static void run_itemsets(work *w, lode_job *job) {
    lode_dataset *own = NULL;
    const lode_dataset *data = w->reads ? NULL : shared.dense;
    if (w->reads) {
        w->status = lode_dataset_open(job, &own, shared.sparse_path, NULL);
        data = own;
    }
    if (data) mine_itemsets(w, job, data);
    lode_dataset_free(own);
}

static void run_graphs(work *w, lode_job *job) {
    lode_graphs *own = NULL;
    const lode_graphs *data = w->reads ? NULL : shared.graphs;
    if (w->reads) {
        w->status = lode_graphs_open(job, &own, shared.graphs_path, NULL);
        data = own;
    }
    if (data) mine_graphs(w, job, data);
    lode_graphs_free(own);
}

static int cancel_soon(void *user, const lode_progress *progress) {
    (void)user;
    return strcmp(progress->phase, "mine") == 0;
}

static void *run(void *arg) {
    work *w = arg;
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .memory_bytes = w->is_over_budget ? 100000 : 0};
    if (w->is_cancelled) o.progress = cancel_soon;
    w->status = lode_job_create(&job, shared.ctx, &o);
    if (w->fails) {
        fail(w, job);
    } else if (w->graphs) {
        run_graphs(w, job);
    } else {
        run_itemsets(w, job);
    }
    CHECK_EQUAL(lode_job_memory_used(job), 0);
    lode_job_free(job);
    return NULL;
}

/* --- who watches them ------------------------------------------------------------------------- */

typedef struct watch {
    _Atomic bool stop;
    unsigned most_threads, most_jobs; /* as the context says */
    unsigned most_tasks;              /* as the system says */
    uint64_t most_memory;
    pthread_t thread;
} watch;

static unsigned count_tasks(void) {
    unsigned n = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return 0;
    for (const struct dirent *entry; (entry = readdir(folder));) n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void *watch_main(void *arg) {
    watch *w = arg;
    lode_usage u = {.size = sizeof u};
    while (!atomic_load(&w->stop)) {
        CHECK(lode_ctx_usage(shared.ctx, &u));
        unsigned tasks = count_tasks();
        if (u.threads_used > w->most_threads) w->most_threads = u.threads_used;
        if (u.jobs_running > w->most_jobs) w->most_jobs = u.jobs_running;
        if (u.memory_used > w->most_memory) w->most_memory = u.memory_used;
        if (tasks > w->most_tasks) w->most_tasks = tasks;
        os_pause(500);
    }
    return NULL;
}

/* --- the test --------------------------------------------------------------------------------- */

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make_data(void) {
    lode_job *job = NULL;
    lode_ctx_options c = {.size = sizeof c, .threads = THREADS, .memory_bytes = MEMORY_BYTES};
    CHECK_EQUAL(lode_ctx_create(&shared.ctx, &c), LODE_OK);
    CHECK_EQUAL(lode_job_create(&job, shared.ctx, NULL), LODE_OK);
    snprintf(shared.sparse_path, sizeof shared.sparse_path, "/tmp/lode-jobs-%d", (int)getpid());
    snprintf(shared.graphs_path, sizeof shared.graphs_path, "/tmp/lode-jobs-%d.g", (int)getpid());
    lode_quest_options q = {.size = sizeof q, .n_transactions = 20000, .n_items = 500};
    CHECK_EQUAL(lode_generate_quest(job, shared.sparse_path, &q), LODE_OK);
    lode_graphgen_options g = {.size = sizeof g, .n_graphs = 400};
    CHECK_EQUAL(lode_generate_graphs(job, shared.graphs_path, &g), LODE_OK);
    CHECK_EQUAL(lode_graphs_open(job, &shared.graphs, shared.graphs_path, NULL), LODE_OK);

    rng r = rng_make(5, 5);
    uint64_t offsets[3001], n = 0;
    uint32_t *items = malloc(3000 * 40 * sizeof *items);
    for (unsigned i = 0; i < 3000; i++) {
        offsets[i] = n;
        for (uint32_t k = 0; k < 40; k++) {
            if (rng_below(&r, 100) < 20 + k) items[n++] = k;
        }
    }
    offsets[3000] = n;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &shared.dense, 3000, offsets, items, NULL), LODE_OK);
    free(items);
    lode_job_free(job);
}

static void check_endings(const work *w) {
    CHECK_EQUAL(w->status, w->is_cancelled     ? LODE_CANCELLED
                           : w->is_over_budget ? LODE_BUDGET
                           : w->fails          ? LODE_STOPPED
                                               : LODE_OK);
    if (w->status == LODE_OK) CHECK(w->patterns > 100);
}

static void test_eight_at_once(void) {
    work alone[N_JOBS], together[N_JOBS];
    watch seen = {0};
    memcpy(alone, plan, sizeof plan);
    memcpy(together, plan, sizeof plan);
    double start = os_seconds(), cpu = cpu_seconds();
    for (unsigned i = 0; i < N_JOBS; i++) {
        run(&alone[i]);
        check_endings(&alone[i]);
    }
    double alone_cpu = cpu_seconds() - cpu, alone_seconds = os_seconds() - start;
    pthread_create(&seen.thread, NULL, watch_main, &seen);
    start = os_seconds();
    cpu = cpu_seconds();
    for (unsigned i = 0; i < N_JOBS; i++)
        pthread_create(&together[i].thread, NULL, run, &together[i]);
    for (unsigned i = 0; i < N_JOBS; i++) pthread_join(together[i].thread, NULL);
    double together_cpu = cpu_seconds() - cpu, together_seconds = os_seconds() - start;
    atomic_store(&seen.stop, true);
    pthread_join(seen.thread, NULL);
    for (unsigned i = 0; i < N_JOBS; i++) {
        check_endings(&together[i]);
        if (together[i].status != LODE_OK) continue;
        CHECK_EQUAL(together[i].patterns, alone[i].patterns);
        CHECK_EQUAL(together[i].hash, alone[i].hash);
    }
    lode_usage u = {.size = sizeof u};
    CHECK(lode_ctx_usage(shared.ctx, &u));
    CHECK(u.threads_peak <= THREADS && seen.most_threads <= THREADS);
    CHECK(u.memory_peak <= MEMORY_BYTES);
    CHECK(u.threads_used == 0 && u.jobs_running == 0 && u.jobs_waiting == 0);
    /* Of this program: main, the watch, eight that call; of lode: all that work but one caller, and
     * those that are about to vanish. */
    CHECK(seen.most_tasks <= 2 + N_JOBS + 2 * THREADS);
    printf("    alone %.2f s, of CPU %.2f s; together %.2f s, of CPU %.2f s (%.2f); at most %u "
           "threads in %u jobs, %u of the system, %.1f MiB\n",
           alone_seconds, alone_cpu, together_seconds, together_cpu, together_cpu / alone_cpu,
           u.threads_peak, seen.most_jobs, seen.most_tasks, (double)u.memory_peak / (1 << 20));
}

/* --- rules ------------------------------------------------------------------------------------ */

/* A sink belongs to its job; data sets may be used by jobs of any context. */
static void test_whose_is_it(void) {
    lode_job *job = NULL, *other = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o};
    o.min_support = (lode_threshold){1, 2};
    CHECK_EQUAL(lode_job_create(&job, shared.ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_job_create(&other, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(other, shared.dense, &o, sink), LODE_INVALID);
    CHECK_TEXT(lode_job_error(other), "the sink belongs to another job");
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_count(other, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(other, shared.dense, &o, sink), LODE_OK);
    /* The data now hold what was prepared, unless they did before: that is their context's. */
    uint64_t here = lode_ctx_memory_used(shared.ctx);
    CHECK_EQUAL(lode_mine(other, shared.dense, &o, sink), LODE_OK);
    CHECK(lode_sink_patterns(sink) > 0);
    CHECK_EQUAL(lode_ctx_memory_used(shared.ctx), here);
    lode_sink_free(sink);
    lode_job_free(other);
    lode_job_free(job);
}

/* Times of threads are those of one call. */
static void test_thread_seconds(void) {
    lode_job *job = NULL;
    double first = 0, least = 0; /* least: of the last four */
    CHECK_EQUAL(lode_job_create(&job, shared.ctx, NULL), LODE_OK);
    for (unsigned i = 0; i < 8; i++) {
        lode_sink *sink = NULL;
        lode_mine_options o = {.size = sizeof o, .algorithm = "adaptive"};
        o.min_support = (lode_threshold){120, 1000};
        CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
        CHECK_EQUAL(lode_mine(job, shared.dense, &o, sink), LODE_OK);
        double sum = 0;
        const lode_report *report = lode_job_report(job);
        for (unsigned t = 0; t < report->n_thread_seconds; t++) sum += report->thread_seconds[t];
        if (i == 0) first = sum;
        if (i == 4 || (i > 4 && sum < least)) least = sum;
        lode_sink_free(sink);
    }
    CHECK(least < 3 * first + 0.02);
    lode_job_free(job);
}

typedef struct nested {
    const lode_dataset *data;
    uint64_t patterns;
    unsigned n_calls;
} nested;

/* A callback that mines something else meanwhile. */
static int mine_meanwhile(void *user, const lode_batch *batch) {
    nested *n = user;
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o};
    (void)batch;
    if (n->n_calls++ > 0) return 0;
    o.min_support = (lode_threshold){1, 2};
    CHECK_EQUAL(lode_job_create(&job, shared.ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, n->data, &o, sink), LODE_OK);
    n->patterns = lode_sink_patterns(sink);
    lode_sink_free(sink);
    lode_job_free(job);
    return 0;
}

static void test_another_job_in_a_callback(void) {
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    nested n = {.data = shared.dense};
    lode_mine_options o = {.size = sizeof o};
    o.min_support = (lode_threshold){1, 4};
    CHECK_EQUAL(lode_job_create(&job, shared.ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_callback(job, &sink, mine_meanwhile, &n), LODE_OK);
    CHECK_EQUAL(lode_mine(job, shared.dense, &o, sink), LODE_OK);
    CHECK(n.n_calls > 0 && n.patterns > 0);
    lode_sink_free(sink);
    lode_job_free(job);
}

int main(void) {
    make_data();
    CHECK_RUN(test_eight_at_once);
    CHECK_RUN(test_whose_is_it);
    CHECK_RUN(test_thread_seconds);
    CHECK_RUN(test_another_job_in_a_callback);
    lode_dataset_free(shared.dense);
    lode_graphs_free(shared.graphs);
    CHECK_EQUAL(lode_ctx_memory_used(shared.ctx), 0);
    lode_ctx_free(shared.ctx);
    remove(shared.sparse_path);
    remove(shared.graphs_path);
    return check_result();
}
