/* test_graph_stops.c - every graph engine, stopped at every place: no memory, a cancel, a limit
 *
 * As test_stops.c, for graphs: the status must say how it ended, the patterns found so far must be
 * right, and no memory may be held. Some runs have 8 or 16 threads, on data in which the threads
 * steal from each other at many depths; each poll lets another thread run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>

#include "faulty.h"
#include "graphs.h"
#include "jobs.h"
#include "runtime/job.h"

#define TRIES      8 /* of one case: half of them at the start, where most is prepared */
#define LONG_TRIES 100

typedef enum end { END_NONE, END_MEMORY, END_CANCEL, END_LIMIT, END_PATTERNS, END_OUTSIDE } end;
static const char *const end_names[] = {"none",  "memory",   "cancel",
                                        "limit", "patterns", "cancel from outside"};
static uint64_t n_runs;

#define CROWD       8 /* threads, at least: more than there are cores in most places */
#define CROWD_TRIES BY_BUILD(6, 3, 2)

typedef struct attempt {
    const graph_text *text;
    bool directed;
    lode_graph_options o;
    unsigned threads;
    end end;
    uint64_t at;
    lode_job *job;
    _Atomic uint64_t polls;
    _Atomic bool over;
    faulty memory;
    found found;
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

static void attempt_mine(attempt *a) {
    lode_graphs *data = NULL;
    lode_sink *sink = NULL;
    lode_graph_read_options r = {.size = sizeof r, .directed = a->directed};
    a->job->on_poll = attempt_poll;
    a->job->on_poll_user = a;
    lode_status status = lode_graphs_parse(a->job, &data, a->text->text, a->text->n, "in", &r);
    if (status == LODE_OK) {
        status = lode_graph_sink_callback(a->job, &sink, find_pattern, &a->found);
    }
    pthread_t other;
    bool outside = a->end == END_OUTSIDE && pthread_create(&other, NULL, attempt_cancel, a) == 0;
    if (status == LODE_OK) status = lode_graphs_mine(a->job, data, &a->o, sink);
    a->over = true;
    if (outside) pthread_join(other, NULL);
    CHECK((lode_job_error(a->job)[0] == 0) == (status == LODE_OK));
    a->found.status = status;
    lode_sink_free(sink);
    lode_graphs_free(data);
}

static bool attempt_run(attempt *a) {
    lode_job_options c = {.size = sizeof c, .device = "cpu", .threads = a->threads};
    a->memory.fail_at = a->end == END_MEMORY ? a->at : UINT64_MAX;
    a->found.directed = a->directed;
    pthread_mutex_init(&a->memory.lock, NULL);
    a->found.status = job_with_memory(&a->job, &c, faulty_resize, &a->memory);
    bool fine = true;
    if (a->found.status == LODE_OK) {
        attempt_mine(a);
        fine &= CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(a->job)), 0);
        lode_job_free(a->job);
    }
    fine &= CHECK_EQUAL(a->memory.live, 0) & CHECK(!a->memory.wrong_size);
    pthread_mutex_destroy(&a->memory.lock);
    if (a->found.n > 1) qsort(a->found.list, a->found.n, sizeof *a->found.list, compare_found);
    n_runs++;
    return fine;
}

/* Every pattern that was found is among those there are, with its support, and not there twice. */
static bool is_part(const found *some, const found *all) {
    for (size_t i = 0; i < some->n; i++) {
        const found_pattern *p = &some->list[i];
        const found_pattern *same =
            all->n == 0 ? NULL : bsearch(p, all->list, all->n, sizeof *p, compare_found);
        if (!same || same->support != p->support) return false;
        if (i > 0 && compare_found(p - 1, p) == 0) return false;
    }
    return true;
}

static bool status_is_right(const attempt *a, const found *whole) {
    lode_status status = a->found.status;
    bool ended = a->polls > a->at;
    if (status == LODE_OK && !CHECK_EQUAL(a->found.n, whole->n)) return false;
    switch (a->end) {
    case END_MEMORY: return CHECK(status == LODE_NOMEM || status == LODE_OK);
    case END_CANCEL: return CHECK_EQUAL(status, ended ? LODE_CANCELLED : LODE_OK);
    case END_LIMIT: return CHECK_EQUAL(status, ended ? LODE_STOPPED : LODE_OK);
    case END_PATTERNS:
        if (status == LODE_STOPPED) return CHECK_EQUAL(a->found.n, a->o.limit_patterns);
        return CHECK_EQUAL(status, LODE_OK);
    case END_OUTSIDE: return CHECK(status == LODE_CANCELLED || status == LODE_OK);
    default: return CHECK_EQUAL(status, LODE_OK);
    }
}

typedef struct wanted {
    const found *all, *whole; /* what a partial result is part of; what a whole one is */
    uint64_t n;
} wanted;

static bool try_at(const attempt *model, end how, uint64_t at, const wanted *w) {
    attempt a = *model;
    a.end = how;
    a.at = at;
    if (how == END_PATTERNS) a.o.limit_patterns = 1 + at;
    bool fine = attempt_run(&a);
    fine &= status_is_right(&a, w->whole);
    fine &= CHECK(is_part(&a.found, w->all));
    if (!fine) {
        fprintf(stderr, "  %s, %u threads, target %d: %s at %llu of %llu: %s\n", a.o.algorithm,
                a.threads, (int)a.o.target, end_names[how], (unsigned long long)at,
                (unsigned long long)w->n, lode_status_text(a.found.status));
    }
    free(a.found.list);
    return fine;
}

static void try_all(const attempt *model, end how, const wanted *w) {
    static uint64_t turn;
    bool crowd = model->threads >= CROWD;
    uint64_t most = getenv("LODE_LONG") ? LONG_TRIES : crowd ? CROWD_TRIES : TRIES, n = w->n;
    uint64_t tries = n < most ? n : most;
    turn++;
    for (uint64_t i = 0; i < tries; i++) {
        uint64_t spread = (n * i / tries + turn * 7 % (n / (tries + 1) + 1)) % (n + 1);
        uint64_t at = tries == n || (i < tries / 2 && !crowd) ? i : spread;
        if (!try_at(model, how, at, w)) return;
    }
}

static void check_case(const attempt *model) {
    attempt clean = *model, all = *model;
    if (model->o.target == LODE_TARGET_TOP) all.o.target = LODE_TARGET_ALL;
    bool fine = attempt_run(&clean) & attempt_run(&all);
    fine &= CHECK_EQUAL(clean.found.status, LODE_OK) & CHECK_EQUAL(all.found.status, LODE_OK);
    fine &= CHECK(clean.found.n > 0);
    if (!fine) fprintf(stderr, "  %s, target %d\n", model->o.algorithm, (int)model->o.target);
    end last = model->threads >= CROWD ? END_OUTSIDE : END_LIMIT;
    for (end how = END_MEMORY; fine && how <= last; how++) {
        wanted w = {&all.found, &clean.found, clean.polls};
        if (how == END_MEMORY) w.n = clean.memory.calls;
        if (how == END_PATTERNS) w.n = clean.found.n;
        CHECK(w.n > 0);
        try_all(model, how, &w);
    }
    free(clean.found.list);
    free(all.found.list);
}

static void test_engines(void) {
    random_shape shapes[] = {
        {.n_graphs = 10, .max_vertices = 6, .max_edges = 7, .vertex_labels = 2, .edge_labels = 2},
        {.n_graphs = 6, .max_vertices = 5, .max_edges = 6, .vertex_labels = 2, .edge_labels = 1},
        {.n_graphs = 12, .max_vertices = 7, .max_edges = 6, .vertex_labels = 3, .edge_labels = 2}};
    shapes[1].directed = true;
    shapes[2].kind = KIND_TREE;
    lode_algorithm engine = LODE_INIT(lode_algorithm);
    unsigned n_engines = 0, n_cases = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        graph_text t = random_graphs(40 + s, &shapes[s]);
        for (size_t i = 0; lode_algorithm_at(LODE_GRAPHS, i, &engine); i++) {
            n_engines += s == 0;
            for (int target = 0; target <= LODE_TARGET_MAXIMAL; target++, n_cases++) {
                attempt model = {.text = &t, .directed = shapes[s].directed};
                model.threads = n_cases % 4 == 0 ? 2 : 1;
                model.o = (lode_graph_options){.size = sizeof model.o, .algorithm = engine.name};
                model.o.min_support.numerator = 3;
                model.o.target = (lode_target)target;
                model.o.top_k = 4;
                model.o.limit_seconds = 1e6; /* so that polls are seen */
                model.o.max_edges = engine.oracle ? 3 : 0;
                model.o.supporters = n_cases % 3 == 0;
                model.o.embeddings = n_cases % 5 == 0;
                check_case(&model);
            }
        }
        free(t.text);
    }
    printf("    %u engines, %u cases, %llu runs\n", n_engines, n_cases, (unsigned long long)n_runs);
    CHECK(n_engines >= 4);
}

/* Stars whose leaves differ: a pattern is a set of leaves, so that every node has many children
 * and the search is as deep as there are leaves. */
static void test_crowds(void) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_TOP};
    lode_algorithm engine = LODE_INIT(lode_algorithm);
    graph_text t = make_stars(9, LABELS_DIFFER);
    uint64_t before = n_runs;
    for (size_t i = 0; lode_algorithm_at(LODE_GRAPHS, i, &engine); i++) {
        for (size_t k = 0; k < sizeof targets / sizeof *targets && !engine.oracle; k++) {
            attempt model = {.text = &t, .threads = CROWD << k % 2};
            model.o = options_for(engine.name, targets[k]);
            model.o.top_k = 40;
            model.o.limit_seconds = 1e6;
            check_case(&model);
            if (strcmp(engine.name, "graft") != 0) continue;
            model.o.share = 1;
            model.o.n_shares = 2; /* branches, which are followed from their root on */
            check_case(&model);
        }
    }
    free(t.text);
    printf("    %llu runs\n", (unsigned long long)(n_runs - before));
}

int main(void) {
    CHECK_RUN(test_crowds);
    if (BY_BUILD(1, 1, 0))
        CHECK_RUN(test_engines); /* one or two threads: TSan sees no more there */
    return check_result();
}
