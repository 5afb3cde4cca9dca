/* test_stops.c - every engine, stopped at every place: no memory, a cancel, a limit
 *
 * For each algorithm of the list, each kind of root and each target that it can search: the k-th
 * request for memory is refused; the job is cancelled at its k-th poll; a limit ends it there. Each
 * time the status must say so, the patterns found so far must be right, and no memory may be held
 * and no file left. Only some values of k are tried; up to a hundred with LODE_LONG. Some runs have
 * 8 or 16 threads; each poll lets another thread run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <unistd.h>

#include "faulty.h"
#include "jobs.h"
#include "runtime/job.h"
#include "targets.h"

/* Of one case: half of them at the start, where most is prepared. */
#define TRIES      BY_BUILD(8, 4, 4)
#define LONG_TRIES 100

#define CROWD       8 /* threads, at least: more than there are cores in most places */
#define CROWD_TRIES BY_BUILD(4, 2, 1)

static char directory[] = "/tmp/lode-stops-XXXXXX";
static char path[64];
static uint64_t n_runs, n_polls;

/* ---- what is mined ------------------------------------------------------------------------- */

typedef struct root {
    const char *name;
    table t;
    uint32_t *weights;
    uint64_t min_count;
    uint32_t max_size;
} root;

enum { N_ROOTS = 6, ROOT_DENSE = 0, ROOT_LONG = 5 };
static root roots[N_ROOTS];

static table table_equal(uint32_t n_rows, uint32_t n_items) {
    table t = {0};
    uint32_t row[64];
    for (uint32_t i = 0; i < n_items; i++) row[i] = i;
    for (uint32_t i = 0; i < n_rows; i++) table_add(&t, row, n_items);
    return t;
}

/* Two of many items in a row, and the same row again. */
static table table_sparse(uint32_t n_rows, uint32_t n_items) {
    table t = {0};
    rng r = rng_make(9, 0);
    for (uint32_t i = 0; i < n_rows; i++) {
        uint32_t a = (uint32_t)rng_below(&r, n_items - 1);
        uint32_t row[2] = {a, a + 1 + (uint32_t)rng_below(&r, n_items - 1 - a)};
        table_add(&t, row, 2);
        table_add(&t, row, 2);
    }
    return t;
}

static void roots_make(void) {
    roots[0] = (root){.name = "dense", .t = table_random(31, 8, 15, 60, 80), .min_count = 2};
    roots[1] = (root){.name = "sparse", .t = table_sparse(400, 900), .min_count = 2};
    roots[2] = (root){.name = "tiny", .t = table_random(33, 3, 4, 50, 90), .min_count = 1};
    roots[3] = (root){.name = "weighted", .t = table_random(34, 9, 10, 30, 70), .min_count = 5};
    roots[4] = (root){.name = "equal", .t = table_equal(3, 40), .min_count = 2, .max_size = 2};
    roots[5] = (root){.name = "long", .t = table_random(36, 600, 14, 10, 50), .min_count = 40};
    roots[3].weights = malloc(9 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 9; i++) roots[3].weights[i] = 1 + i % 3;
}

static void roots_free(void) {
    for (int i = 0; i < N_ROOTS; i++) {
        table_free(&roots[i].t);
        free(roots[i].weights);
    }
}

/* ---- one attempt --------------------------------------------------------------------------- */

typedef enum end { END_NONE, END_MEMORY, END_CANCEL, END_LIMIT, END_PATTERNS, END_OUTSIDE } end;
static const char *const end_names[] = {"none",  "memory",   "cancel",
                                        "limit", "patterns", "cancel from outside"};

typedef struct attempt {
    const root *root;
    lode_mine_options o;
    const char *device;
    unsigned threads;
    end end;
    bool file;
    uint64_t at;
    lode_job *job;
    _Atomic uint64_t polls;
    _Atomic bool over;
    faulty memory;
    lode_status status;
    lode_sink *sink;
} attempt;

static void attempt_poll(void *user) {
    attempt *a = user;
    uint64_t number = atomic_fetch_add(&a->polls, 1);
    if (a->threads >= CROWD) sched_yield();
    if (number < a->at) return;
    if (a->end == END_CANCEL) lode_job_cancel(a->job);
    if (a->end == END_LIMIT) job_halt(a->job, JOB_LIMIT_TIME);
}

/* A thread that is none of the job's cancels it. */
static void *attempt_cancel(void *user) {
    attempt *a = user;
    while (!a->over && a->polls <= a->at) sched_yield();
    lode_job_cancel(a->job);
    return NULL;
}

static lode_status attempt_sink(attempt *a, const lode_dataset *data) {
    return a->file ? lode_sink_file(a->job, &a->sink, data, path, NULL)
                   : lode_sink_memory(a->job, &a->sink);
}

/* Mines; the sink is left to be looked at. */
static void attempt_mine(attempt *a) {
    const table *t = &a->root->t;
    lode_dataset *data = NULL;
    a->job->on_poll = attempt_poll;
    a->job->on_poll_user = a;
    lode_status status =
        lode_dataset_from_arrays(a->job, &data, t->n, t->offsets, t->items, a->root->weights);
    if (status == LODE_OK) status = attempt_sink(a, data);
    pthread_t other;
    bool outside = a->end == END_OUTSIDE && pthread_create(&other, NULL, attempt_cancel, a) == 0;
    if (status == LODE_OK) status = lode_mine(a->job, data, &a->o, a->sink);
    a->over = true;
    if (outside) pthread_join(other, NULL);
    CHECK((lode_job_error(a->job)[0] == 0) == (status == LODE_OK));
    if (status == LODE_OK && a->file) status = lode_sink_finish(a->sink, false);
    a->status = status;
    lode_dataset_free(data);
}

static void attempt_start(attempt *a) {
    lode_job_options c = {.size = sizeof c, .device = a->device, .threads = a->threads};
    a->memory.fail_at = a->end == END_MEMORY ? a->at : UINT64_MAX;
    pthread_mutex_init(&a->memory.lock, NULL);
    a->status = job_with_memory(&a->job, &c, faulty_resize, &a->memory);
    if (a->status == LODE_OK) attempt_mine(a);
    n_runs++;
}

/* Frees all; whether nothing is left. */
static bool attempt_close(attempt *a) {
    bool fine = true;
    lode_sink_free(a->sink);
    if (a->job) {
        fine &= CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(a->job)), 0);
        lode_job_free(a->job);
    }
    fine &= CHECK_EQUAL(a->memory.live, 0) & CHECK(!a->memory.wrong_size);
    fine &= !a->file || CHECK((remove(path) == 0) == (a->status == LODE_OK));
    pthread_mutex_destroy(&a->memory.lock);
    return fine;
}

/* Every set that was found is among those there are, with its support, and not there twice. */
static bool is_part(const lode_result *r, const lode_result *all) {
    for (uint64_t i = 0; i < r->n; i++) {
        size_t n, m;
        const uint32_t *items = result_items(r, i, &n);
        if (result_find(all, items, n) != r->supports[i]) return false;
        if (i == 0) continue;
        const uint32_t *before = result_items(r, i - 1, &m);
        if (items_compare(before, m, items, n) >= 0) return false;
    }
    return true;
}

/* ---- all places ---------------------------------------------------------------------------- */

typedef struct wanted {
    mined all;    /* what a partial result is part of */
    mined target; /* what a whole one is */
    uint64_t requests, polls;
} wanted;

static bool check_result_of(attempt *a, const wanted *w) {
    if (a->file || !a->sink) return true;
    if (lode_sink_finish(a->sink, true) != LODE_OK) return CHECK_EQUAL(a->end, END_MEMORY);
    lode_result r = result_of(a->sink);
    if (a->end == END_PATTERNS && a->status == LODE_STOPPED) {
        if (!CHECK_EQUAL(r.n, a->o.limit_patterns)) return false;
    }
    if (a->status == LODE_OK) return CHECK(r.n == w->target.result.n);
    return CHECK(is_part(&r, &w->all.result));
}

static bool status_is_right(const attempt *a) {
    switch (a->end) {
    case END_MEMORY: /* some make do with less */
        return CHECK(a->status == LODE_NOMEM || a->status == LODE_OK);
    case END_CANCEL: return CHECK_EQUAL(a->status, a->polls > a->at ? LODE_CANCELLED : LODE_OK);
    case END_LIMIT: return CHECK_EQUAL(a->status, a->polls > a->at ? LODE_STOPPED : LODE_OK);
    case END_PATTERNS: return CHECK(a->status == LODE_STOPPED || a->status == LODE_OK);
    case END_OUTSIDE: return CHECK(a->status == LODE_CANCELLED || a->status == LODE_OK);
    default: return CHECK_EQUAL(a->status, LODE_OK);
    }
}

static bool try_at(const attempt *model, end how, uint64_t at, const wanted *w) {
    attempt a = *model;
    a.end = how;
    a.at = at;
    a.file = at % 4 == 1;
    if (how == END_PATTERNS) a.o.limit_patterns = 1 + at;
    attempt_start(&a);
    bool fine = status_is_right(&a);
    fine &= check_result_of(&a, w);
    fine &= attempt_close(&a);
    if (!fine) {
        fprintf(stderr, "  %s on %s, target %d, root %s: %s at %llu of %llu: %s\n", a.o.algorithm,
                a.device, (int)a.o.target, a.root->name, end_names[how], (unsigned long long)at,
                (unsigned long long)(how == END_MEMORY ? w->requests : w->polls),
                lode_status_text(a.status));
    }
    return fine;
}

static void try_all(const attempt *model, end how, const wanted *w) {
    static uint64_t turn;
    bool crowd = model->threads >= CROWD;
    uint64_t n = how == END_MEMORY ? w->requests : w->polls;
    if (how == END_PATTERNS) n = w->target.result.n;
    uint64_t most = getenv("LODE_LONG") ? LONG_TRIES : crowd ? CROWD_TRIES : TRIES;
    uint64_t tries = n < most ? n : most;
    turn++;
    for (uint64_t i = 0; i < tries; i++) {
        uint64_t spread = (n * i / tries + turn * 7 % (n / (tries + 1) + 1)) % (n + 1);
        uint64_t at = tries == n || (i < tries / 2 && !crowd) ? i : spread;
        if (!try_at(model, how, at, w)) return;
    }
}

static void check_case(const root *r, const char *algorithm, lode_target target, unsigned threads) {
    char device[16];
    snprintf(device, sizeof device, "cpu*%u", threads);
    attempt model = {.root = r, .device = device, .o = mining_options(algorithm, r->min_count)};
    end last = threads >= CROWD ? END_OUTSIDE : END_LIMIT;
    wanted w = {0};
    model.threads = threads;
    model.o.target = target;
    model.o.top_k = 5;
    model.o.max_size = r->max_size;
    lode_mine_options all = model.o;
    if (target == LODE_TARGET_TOP) all.target = LODE_TARGET_ALL;
    model.o.limit_seconds = 1e6; /* so that polls are seen */
    w.all = mine_on(&r->t, r->weights, &all, "cpu*1", 1);
    w.target = mine_on(&r->t, r->weights, &model.o, "cpu*1", 1);
    attempt clean = model;
    attempt_start(&clean);
    w.requests = clean.memory.calls;
    w.polls = clean.polls;
    n_polls += w.polls;
    CHECK_EQUAL(w.all.status, LODE_OK);
    bool fine = CHECK_EQUAL(clean.status, LODE_OK);
    if (!fine) fprintf(stderr, "  %s, target %d, root %s\n", algorithm, (int)target, r->name);
    fine &= check_result_of(&clean, &w);
    fine &= attempt_close(&clean);
    for (end how = END_MEMORY; fine && how <= last; how++) try_all(&model, how, &w);
    mined_free(&w.all);
    mined_free(&w.target);
}

static void test_engines(void) {
    lode_algorithm engine = LODE_INIT(lode_algorithm);
    unsigned n_engines = 0, n_cases = 0;
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &engine); i++) {
        n_engines++;
        for (int r = 0; r < N_ROOTS; r++) {
            if (roots[r].weights && !engine.weights) continue;
            for (unsigned target = 0; target <= LODE_TARGET_GENERATORS; target++) {
                if (!(engine.targets >> target & 1)) continue;
                check_case(&roots[r], engine.name, (lode_target)target, 1);
                if (n_cases++ % 3 == 0) {
                    check_case(&roots[r], engine.name, (lode_target)target, 2);
                }
            }
        }
    }
    printf("    %u engines, %u cases, %llu runs\n", n_engines, n_cases, (unsigned long long)n_runs);
    CHECK(n_engines >= 9 && n_cases > 100 && n_polls > 20 * n_cases);
}

static void test_crowds(void) {
    lode_algorithm engine = LODE_INIT(lode_algorithm);
    unsigned n_cases = 0;
    uint64_t before = n_runs;
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &engine); i++) {
        for (unsigned target = 0; target <= LODE_TARGET_GENERATORS && !engine.oracle; target++) {
            if (!(engine.targets >> target & 1)) continue;
            const root *r = &roots[n_cases % 4 < 2 ? ROOT_LONG : ROOT_DENSE];
            check_case(r, engine.name, (lode_target)target, CROWD << n_cases++ % 2);
        }
    }
    printf("    %u cases, %llu runs\n", n_cases, (unsigned long long)(n_runs - before));
}

int main(void) {
    if (!mkdtemp(directory)) return 2;
    snprintf(path, sizeof path, "%s/out", directory);
    roots_make();
    CHECK_RUN(test_crowds);
    if (BY_BUILD(1, 1, 0))
        CHECK_RUN(test_engines); /* one or two threads: TSan sees no more there */
    roots_free();
    CHECK(rmdir(directory) == 0);
    return check_result();
}
