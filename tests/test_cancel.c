/* test_cancel.c - a cancel takes effect soon, whatever the job is doing
 *
 * Each scene is a phase of a job. It runs once to measure how long it takes, and then again, while
 * another thread cancels it at a random moment. The test measures the time from lode_job_cancel()
 * to the return of the call.
 * Normally, it tests a few moments on small data, with a bound that even a busy machine meets. With
 * LODE_LONG=1, it tests 200 moments or more on large data and prints a table, and the 99th
 * percentile must be below 0.2 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/os.h"
#include "base/rng.h"
#include "check.h"
#include "lode.h"
#include "structs.h"

#define BOUND       0.2 /* seconds */
#define BUSY_BOUND  1.0 /* of a single moment, on a machine that does other things, too */
#define MAX_MOMENTS 4096

static bool is_long;
static char folder[] = "/tmp/lode-cancel-XXXXXX";
static rng dice;

/* What all scenes work on. */
static struct {
    lode_ctx *ctx;
    lode_dataset *dense, *sparse, *levels; /* levels: for engines that go by levels */
    lode_graphs *graphs;
    char *numbers, *names, *table; /* texts */
    size_t n_numbers, n_names, n_table;
} shared;

/* One run, and who cancels it. */
typedef struct moment {
    const struct scene *scene;
    lode_job *job;
    _Atomic bool begun, done; /* of the phase that is meant */
    double start, seconds;    /* of that */
    clock_t ended;            /* processor time of the program at its end */
    double cancelled;
    lode_status status;
} moment;

typedef struct scene {
    const char *name;
    void (*run)(moment *);
    const char *algorithm;
    int target;
    const lode_dataset *const *data;
    uint64_t support; /* in thousandths */
    unsigned memory;  /* budget of the job in MiB, so that sorted output needs a scratch file */
} scene;

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void phase_begins(moment *m) {
    m->start = os_seconds();
    atomic_store(&m->begun, true);
}

static void phase_ends(moment *m, lode_status status) {
    m->seconds = os_seconds() - m->start;
    m->ended = clock();
    m->status = status;
    atomic_store(&m->done, true);
}

static void expect(lode_status status) {
    if (status != LODE_OK) CHECK_EQUAL(status, LODE_OK);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void run_parse(moment *m, const char *text, size_t n) {
    lode_dataset *data = NULL;
    phase_begins(m);
    phase_ends(m, lode_dataset_parse(m->job, &data, text, n, NULL, NULL));
    lode_dataset_free(data);
}

static void run_read_numbers(moment *m) {
    run_parse(m, shared.numbers, shared.n_numbers);
}

static void run_read_names(moment *m) {
    run_parse(m, shared.names, shared.n_names);
}

static void run_read_table(moment *m) {
    run_parse(m, shared.table, shared.n_table);
}

static void run_read_file(moment *m) {
    lode_dataset *data = NULL;
    phase_begins(m);
    phase_ends(m, lode_dataset_open(m->job, &data, path_of("numbers.gz"), NULL));
    lode_dataset_free(data);
}

/* Nothing ever comes. */
static void run_read_pipe(moment *m) {
    lode_dataset *data = NULL;
    int fd = open(path_of("pipe"), O_RDWR);
    phase_begins(m);
    phase_ends(m, lode_dataset_open(m->job, &data, path_of("pipe"), NULL));
    lode_dataset_free(data);
    close(fd);
}

static void run_merge(moment *m) {
    lode_dataset *data = NULL;
    const lode_dataset *parts[] = {shared.sparse, shared.dense, shared.sparse, shared.levels};
    phase_begins(m);
    phase_ends(m, lode_dataset_merge(m->job, &data, parts, 4));
    lode_dataset_free(data);
}

static void run_arrays(moment *m) {
    lode_dataset *data = NULL;
    uint64_t n = is_long ? 3000000 : 100000;
    uint64_t *offsets = malloc((n + 1) * sizeof *offsets);
    uint32_t *items = malloc(n * 8 * sizeof *items);
    for (uint64_t i = 0; i <= n; i++) offsets[i] = i * 8;
    for (uint64_t i = 0; i < n * 8; i++) items[i] = (uint32_t)(i * 2654435761u) >> 12;
    phase_begins(m);
    phase_ends(m, lode_dataset_from_arrays(m->job, &data, n, offsets, items, NULL));
    lode_dataset_free(data);
    free(offsets);
    free(items);
}

static void run_read_graphs(moment *m) {
    lode_graphs *data = NULL;
    phase_begins(m);
    phase_ends(m, lode_graphs_open(m->job, &data, path_of("graphs"), NULL));
    lode_graphs_free(data);
}

/* --- itemsets --------------------------------------------------------------------------------- */

static lode_mine_options mine_options(const moment *m) {
    const scene *s = m->scene;
    lode_mine_options o = {.size = sizeof o, .algorithm = s->algorithm};
    o.target = (lode_target)s->target;
    o.top_k = s->target == LODE_TARGET_TOP ? (is_long ? 200000 : 2000) : 0;
    o.min_support = (lode_threshold){s->support, 1000000};
    if (s->target == LODE_TARGET_TOP) o.min_support = (lode_threshold){0, 0};
    return o;
}

static void run_mine(moment *m) {
    lode_sink *sink = NULL;
    lode_mine_options o = mine_options(m);
    expect(lode_sink_count(m->job, &sink));
    phase_begins(m);
    phase_ends(m, lode_mine(m->job, *m->scene->data, &o, sink));
    lode_sink_free(sink);
}

/* Only the end of a sink; what is before it is not cancelled. */
static void run_finish(moment *m, lode_sink *sink) {
    lode_mine_options o = mine_options(m);
    o.limit_patterns = is_long ? 6000000 : 60000;
    lode_status status = lode_mine(m->job, *m->scene->data, &o, sink);
    CHECK(status == LODE_OK || status == LODE_STOPPED);
    phase_begins(m);
    phase_ends(m, lode_sink_finish(sink, false));
    lode_sink_free(sink);
    remove(path_of("out"));
    remove(path_of("out.partial"));
}

static void run_finish_file(moment *m) {
    lode_sink *sink = NULL;
    lode_write_options w = {.size = sizeof w, .sort = true};
    expect(lode_sink_file(m->job, &sink, *m->scene->data, path_of("out"), &w));
    run_finish(m, sink);
}

static void run_finish_memory(moment *m) {
    lode_sink *sink = NULL;
    expect(lode_sink_memory(m->job, &sink));
    run_finish(m, sink);
}

/* --- graphs ----------------------------------------------------------------------------------- */

static lode_graph_options graph_options(const moment *m) {
    lode_graph_options o = {.size = sizeof o, .algorithm = m->scene->algorithm};
    o.target = (lode_target)m->scene->target;
    o.top_k = o.target == LODE_TARGET_TOP ? 1000 : 0;
    o.min_support = (lode_threshold){m->scene->support, 1000000};
    return o;
}

static void run_graphs(moment *m) {
    lode_sink *sink = NULL;
    lode_graph_options o = graph_options(m);
    expect(lode_sink_count(m->job, &sink));
    phase_begins(m);
    phase_ends(m, lode_graphs_mine(m->job, shared.graphs, &o, sink));
    lode_sink_free(sink);
}

static void remove_drawings(uint64_t n) {
    char name[64];
    for (uint64_t i = 1; i <= n; i++) {
        for (int digits = 3; digits <= 6; digits++) {
            snprintf(name, sizeof name, "drawings/%0*llu.svg", digits, (unsigned long long)i);
            remove(path_of(name));
        }
    }
    remove(path_of("drawings/index.html"));
    remove(path_of("drawings"));
}

static void run_draw(moment *m) {
    lode_sink *sink = NULL, *draws = NULL;
    lode_graph_options o = graph_options(m);
    uint64_t n = is_long ? 3000 : 100;
    o.max_edges = 6;
    expect(lode_sink_count(m->job, &sink));
    expect(lode_graph_sink_draw(m->job, &draws, shared.graphs, path_of("drawings"), n, sink));
    expect(lode_graphs_mine(m->job, shared.graphs, &o, draws));
    phase_begins(m);
    phase_ends(m, lode_sink_finish(draws, false));
    lode_sink_free(draws);
    remove_drawings(n);
}

static void run_graph_support(moment *m) {
    uint64_t support = 0;
    lode_graph pattern = graph_at(shared.graphs, 0);
    phase_begins(m);
    lode_status status = LODE_OK;
    for (unsigned i = 0; i < 20 && status == LODE_OK; i++) {
        status =
            lode_graphs_support(m->job, shared.graphs, shared.graphs, &pattern, false, &support);
    }
    phase_ends(m, status);
}

/* --- generators ------------------------------------------------------------------------------- */

static void run_quest(moment *m) {
    lode_quest_options o = {.size = sizeof o, .n_transactions = is_long ? 2000000 : 50000};
    phase_begins(m);
    phase_ends(m, lode_generate_quest(m->job, path_of("out"), &o));
    remove(path_of("out"));
}

static void run_mutate(moment *m) {
    lode_mutate_options o = {.size = sizeof o, .times = is_long ? 40 : 2};
    phase_begins(m);
    phase_ends(m, lode_generate_mutate(m->job, shared.sparse, path_of("out"), &o));
    remove(path_of("out"));
}

static void run_graphgen(moment *m) {
    lode_graphgen_options o = {.size = sizeof o, .n_graphs = is_long ? 300000 : 5000};
    phase_begins(m);
    phase_ends(m, lode_generate_graphs(m->job, path_of("out"), &o));
    remove(path_of("out"));
}

/* --- the scenes ------------------------------------------------------------------------------- */

#define DENSE  .data = (const lode_dataset *const *)&shared.dense
#define SPARSE .data = (const lode_dataset *const *)&shared.sparse
#define LEVELS .data = (const lode_dataset *const *)&shared.levels

static scene scenes[] = {
    {.name = "read numbers", .run = run_read_numbers},
    {.name = "read names", .run = run_read_names},
    {.name = "read table", .run = run_read_table},
    {.name = "read gzip", .run = run_read_file},
    {.name = "read pipe", .run = run_read_pipe},
    {.name = "read graphs", .run = run_read_graphs},
    {.name = "copy arrays", .run = run_arrays},
    {.name = "join parts", .run = run_merge},
    {.name = "adaptive dense", .run = run_mine, .algorithm = "adaptive", DENSE, .support = 20000},
    {.name = "adaptive sparse", .run = run_mine, .algorithm = "adaptive", SPARSE, .support = 30},
    {.name = "adaptive closed",
     .run = run_mine,
     .algorithm = "adaptive",
     .target = LODE_TARGET_CLOSED,
     DENSE,
     .support = 30000},
    {.name = "adaptive closed sparse",
     .run = run_mine,
     .algorithm = "adaptive",
     .target = LODE_TARGET_CLOSED,
     SPARSE,
     .support = 40},
    {.name = "adaptive maximal",
     .run = run_mine,
     .algorithm = "adaptive",
     .target = LODE_TARGET_MAXIMAL,
     DENSE,
     .support = 30000},
    {.name = "adaptive generators",
     .run = run_mine,
     .algorithm = "adaptive",
     .target = LODE_TARGET_GENERATORS,
     DENSE,
     .support = 60000},
    {.name = "adaptive top",
     .run = run_mine,
     .algorithm = "adaptive",
     .target = LODE_TARGET_TOP,
     DENSE},
    {.name = "tensor", .run = run_mine, .algorithm = "tensor", DENSE, .support = 20000},
    {.name = "tensor sparse", .run = run_mine, .algorithm = "tensor", SPARSE, .support = 500},
    {.name = "tensor top",
     .run = run_mine,
     .algorithm = "tensor",
     .target = LODE_TARGET_TOP,
     DENSE},
    {.name = "frontier", .run = run_mine, .algorithm = "frontier", DENSE, .support = 30000},
    {.name = "frontier sparse", .run = run_mine, .algorithm = "frontier", SPARSE, .support = 500},
    {.name = "tbi", .run = run_mine, .algorithm = "tbi", LEVELS, .support = 10000},
    {.name = "pbi", .run = run_mine, .algorithm = "pbi", LEVELS, .support = 10000},
    {.name = "goethals", .run = run_mine, .algorithm = "goethals", LEVELS, .support = 10000},
    {.name = "gpapriori", .run = run_mine, .algorithm = "gpapriori", LEVELS, .support = 10000},
    {.name = "eqclass", .run = run_mine, .algorithm = "eqclass", LEVELS, .support = 10000},
    {.name = "gpu-apriori", .run = run_mine, .algorithm = "gpu-apriori", LEVELS, .support = 10000},
    {.name = "eclat", .run = run_mine, .algorithm = "eclat", LEVELS, .support = 5000},
    {.name = "eclat-bits", .run = run_mine, .algorithm = "eclat-bits", DENSE, .support = 20000},
    {.name = "fpgrowth", .run = run_mine, .algorithm = "fpgrowth", LEVELS, .support = 5000},
    {.name = "sort to a file",
     .run = run_finish_file,
     .algorithm = "adaptive",
     DENSE,
     .support = 10000},
    {.name = "merge runs",
     .run = run_finish_file,
     .memory = 8,
     .algorithm = "adaptive",
     DENSE,
     .support = 10000},
    {.name = "sort in memory",
     .run = run_finish_memory,
     .algorithm = "adaptive",
     DENSE,
     .support = 10000},
    {.name = "graft", .run = run_graphs, .algorithm = "graft", .support = 20000},
    {.name = "graft closed",
     .run = run_graphs,
     .algorithm = "graft",
     .target = LODE_TARGET_CLOSED,
     .support = 20000},
    {.name = "graft top",
     .run = run_graphs,
     .algorithm = "graft",
     .target = LODE_TARGET_TOP,
     .support = 0},
    {.name = "gspan", .run = run_graphs, .algorithm = "gspan", .support = 20000},
    {.name = "frontier graphs", .run = run_graphs, .algorithm = "frontier", .support = 20000},
    {.name = "draw", .run = run_draw, .algorithm = "graft", .support = 20000},
    {.name = "support of a graph", .run = run_graph_support},
    {.name = "generate baskets", .run = run_quest},
    {.name = "generate mutants", .run = run_mutate},
    {.name = "generate graphs", .run = run_graphgen},
};

#define N_SCENES (sizeof scenes / sizeof *scenes)

/* --- moments ---------------------------------------------------------------------------------- */

static void *moment_main(void *arg) {
    moment *m = arg;
    m->scene->run(m);
    return NULL;
}

/* Sleeps, or returns early when the phase is over. */
static void wait_for(const moment *m, double until) {
    while (!atomic_load(&m->done)) {
        double left = until - os_seconds();
        if (left <= 0) return;
        os_pause(left < 0.001 ? (unsigned)(left * 1e6) + 1 : 1000);
    }
}

/* Runs a scene; returns the time from the cancel to its end; < 0: it had ended before. Only a long
 * run has the machine for itself: otherwise it is processor time. */
static double run_moment(const scene *s, double after, double *seconds) {
    moment m = {.scene = s};
    lode_job_options o = {
        .size = sizeof o, .threads = 2, .memory_bytes = (uint64_t)s->memory << (is_long ? 23 : 20)};
    pthread_t thread;
    double latency = -1;
    expect(lode_job_create(&m.job, shared.ctx, &o));
    pthread_create(&thread, NULL, moment_main, &m);
    while (!atomic_load(&m.begun)) os_pause(50);
    wait_for(&m, m.start + after);
    clock_t cancelled = clock();
    m.cancelled = os_seconds();
    lode_job_cancel(m.job);
    pthread_join(thread, NULL);
    *seconds = m.seconds;
    if (m.start + m.seconds > m.cancelled) {
        latency = is_long               ? m.start + m.seconds - m.cancelled
                  : m.ended > cancelled ? (double)(m.ended - cancelled) / CLOCKS_PER_SEC
                                        : 0;
    }
    CHECK(m.status == LODE_OK || m.status == LODE_CANCELLED);
    lode_job_free(m.job);
    return latency;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double latencies[MAX_MOMENTS];
static size_t n_latencies;

static void run_scene(const scene *s, unsigned n_moments) {
    double whole = 0, worst = 0, seconds;
    unsigned n = 0;
    bool endless = s->run == run_read_pipe;
    double first = run_moment(s, is_long ? 2 : 0.1, &whole);
    if (first >= 0) {
        latencies[n_latencies++] = worst = first;
        n++;
    }
    for (unsigned i = 0; i < n_moments && n_latencies < MAX_MOMENTS; i++) {
        double share = (double)rng_below(&dice, 1000000) / 1e6;
        double latency = run_moment(s, share * whole, &seconds);
        if (latency < 0) continue; /* it was faster this time */
        latencies[n_latencies++] = latency;
        if (latency > worst) worst = latency;
        n++;
    }
    CHECK(!endless || n == n_moments + 1);
    if (worst >= BUSY_BOUND) printf("%s:\n", s->name);
    CHECK(worst < BUSY_BOUND);
    if (is_long) printf("  %-24s %8.2f s %8u %9.3f s\n", s->name, whole, n, worst);
    fflush(stdout);
}

/* --- data ------------------------------------------------------------------------------------- */

static void make_file(const char *name, const char *text, size_t n) {
    gzFile file = gzopen(path_of(name), "wb1");
    CHECK(gzwrite(file, text, (unsigned)n) == (int)n);
    gzclose(file);
}

static char *make_text(size_t n_lines, const char *format, uint32_t n_items, size_t *n) {
    char *text = malloc(n_lines * 8 * 24);
    *n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        for (unsigned k = 0; k < 8; k++) {
            *n += (size_t)snprintf(text + *n, 32, format, (unsigned)rng_below(&dice, n_items));
            text[(*n)++] = k < 7 ? ' ' : '\n';
        }
    }
    return text;
}

/* Lines of one transaction are far from each other. */
static char *make_table(size_t n_lines, size_t *n) {
    char *text = malloc(n_lines * 32 + 32);
    *n = (size_t)snprintf(text, 32, "order,item\n");
    for (size_t i = 0; i < n_lines; i++) {
        *n +=
            (size_t)snprintf(text + *n, 32, "o%u,item%u\n", (unsigned)rng_below(&dice, n_lines / 4),
                             (unsigned)rng_below(&dice, 50000));
    }
    return text;
}

static lode_dataset *make_dense(lode_job *job, size_t n_rows, uint32_t n_items) {
    lode_dataset *data = NULL;
    uint64_t *offsets = malloc((n_rows + 1) * sizeof *offsets);
    uint32_t *items = malloc(n_rows * n_items * sizeof *items);
    uint64_t n = 0;
    for (size_t i = 0; i < n_rows; i++) {
        offsets[i] = n;
        for (uint32_t k = 0; k < n_items; k++) {
            if (rng_below(&dice, 100) < 20 + 40 * k / n_items) items[n++] = k;
        }
    }
    offsets[n_rows] = n;
    expect(lode_dataset_from_arrays(job, &data, n_rows, offsets, items, NULL));
    free(offsets);
    free(items);
    return data;
}

static void make_data(void) {
    lode_job *job = NULL;
    unsigned scale = is_long ? 20 : 1;
    lode_ctx_options c = {.size = sizeof c, .threads = 2};
    expect(lode_ctx_create(&shared.ctx, &c));
    expect(lode_job_create(&job, shared.ctx, NULL));
    shared.numbers = make_text(40000 * scale, "%u", 20000, &shared.n_numbers);
    shared.names = make_text(20000 * scale, "item-%u", 100000 * scale, &shared.n_names);
    shared.table = make_table(100000 * scale, &shared.n_table);
    make_file("numbers.gz", shared.numbers, shared.n_numbers);
    mkfifo(path_of("pipe"), 0600);
    lode_graphgen_options g = {.size = sizeof g, .n_graphs = 200 * scale};
    expect(lode_generate_graphs(job, path_of("graphs"), &g));
    expect(lode_graphs_open(job, &shared.graphs, path_of("graphs"), NULL));
    lode_quest_options q = {
        .size = sizeof q, .n_transactions = 20000 * (uint64_t)scale, .n_items = 5000};
    expect(lode_generate_quest(job, path_of("quest"), &q));
    expect(lode_dataset_open(job, &shared.sparse, path_of("quest"), NULL));
    shared.dense = make_dense(job, is_long ? 30000 : 1500, 60);
    shared.levels = make_dense(job, is_long ? 30000 : 1000, 24);
    lode_job_free(job);
}

static void free_data(void) {
    lode_dataset_free(shared.dense);
    lode_dataset_free(shared.sparse);
    lode_dataset_free(shared.levels);
    lode_graphs_free(shared.graphs);
    CHECK_EQUAL(lode_ctx_memory_used(shared.ctx), 0);
    lode_ctx_free(shared.ctx);
    free(shared.numbers);
    free(shared.names);
    free(shared.table);
    remove(path_of("numbers.gz"));
    remove(path_of("pipe"));
    remove(path_of("graphs"));
    remove(path_of("quest"));
    CHECK(rmdir(folder) == 0);
}

int main(void) {
    const char *given = getenv("LODE_LONG"), *only = check_argument;
    is_long = given && *given && strcmp(given, "0") != 0;
    dice = rng_make(is_long ? os_process_id() : 1, 1);
    if (!mkdtemp(folder)) return 2;
    make_data();
    if (is_long) printf("  %-24s %10s %8s %11s\n", "phase", "whole", "moments", "worst");
    for (size_t i = 0; i < N_SCENES; i++) {
        if (only && strcmp(only, scenes[i].name) != 0) continue;
        run_scene(&scenes[i], is_long ? 7 : 1);
    }
    free_data();
    qsort(latencies, n_latencies, sizeof *latencies, by_size);
    double p50 = n_latencies ? latencies[n_latencies / 2] : 0;
    double p99 = n_latencies ? latencies[(n_latencies * 99 + 99) / 100 - 1] : 0;
    printf("  %zu moments: half of them below %.4f s, 99 %% below %.4f s\n", n_latencies, p50, p99);
    if (is_long && !only) CHECK(n_latencies >= 200);
    if (is_long) CHECK(p99 < BOUND);
    return check_result();
}
