/* test_graph_tasks.c - tasks and shares of graphs: the union is the whole result
 *
 * Parts go into one hash sink, whose hash and numbers are those of one plain run. The test has
 * graphs of every kind, every target, random goals, tasks that are given away during a search, and
 * several threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"
#include "task_queue.h"

#define N_TRIALS BY_BUILD(96, 40, 30)

static uint64_t tasks_given, tasks_deep, batches_given;

typedef struct trial {
    lode_job *job;
    lode_graphs *data;
    lode_graph_options o;
    rng random;
    uint64_t hash, n; /* of the whole */
} trial;

static bool check_same(const trial *x, lode_sink *sink, const char *how) {
    bool fine = CHECK_EQUAL(lode_sink_patterns(sink), x->n) &
                CHECK_EQUAL(lode_sink_hash_value(sink), x->hash);
    if (!fine) fprintf(stderr, "  %s, target %d\n", how, (int)x->o.target);
    lode_sink_free(sink);
    return fine;
}

static lode_sink *open_sink(const trial *x) {
    lode_sink *sink = NULL;
    if (lode_graph_sink_hash(x->job, &sink, x->data) != LODE_OK) exit(2);
    return sink;
}

static bool check_shares(trial *x, uint32_t n) {
    lode_sink *sink = open_sink(x);
    lode_graph_options o = x->o;
    o.n_shares = n;
    for (o.share = 1; o.share <= n; o.share++) {
        if (!CHECK_EQUAL(lode_graphs_mine(x->job, x->data, &o, sink), LODE_OK)) {
            fprintf(stderr, "  %s\n", lode_job_error(x->job));
        }
    }
    return check_same(x, sink, "shares");
}

/* Does one task after the other, in any order; each may hand out others. */
static void search_all(const trial *x, queue *q, lode_sink *sink) {
    while (q->n > 0) {
        lode_task task = queue_take(q);
        const lode_task *list = &task;
        lode_task_search search = {.size = sizeof search,
                                   .tasks = &list,
                                   .n_tasks = 1,
                                   .give = queue_give,
                                   .give_user = q,
                                   .worth = rng_below(&q->random, 8) > 0 ? 1e-9 : 0};
        uint64_t before = q->n_given;
        tasks_deep += task.n_prefix > 6;
        for (uint64_t asks = rng_below(&q->random, 4); asks > 0; asks--) lode_job_ask_task(x->job);
        if (!CHECK_EQUAL(lode_graphs_mine_tasks(x->job, x->data, &x->o, &search, sink), LODE_OK)) {
            fprintf(stderr, "  %s\n", lode_job_error(x->job));
        }
        tasks_given += q->n_given - before;
        free((void *)(uintptr_t)task.prefix);
    }
}

static bool check_tasks(trial *x) {
    lode_tasks *tasks = NULL;
    lode_task t = LODE_INIT(lode_task);
    lode_sink *sink = open_sink(x);
    queue q = {.job = x->job, .random = x->random};
    uint32_t goal = 1 + (uint32_t)rng_below(&x->random, 40);
    CHECK_EQUAL(lode_graph_tasks_create(x->job, &tasks, x->data, &x->o, goal), LODE_OK);
    for (size_t i = 0; i < lode_tasks_count(tasks); i++) {
        CHECK(lode_tasks_at(tasks, i, &t));
        queue_split(&q, &t);
    }
    search_all(x, &q, sink);
    queue_free(&q);
    lode_tasks_free(tasks);
    return check_same(x, sink, "tasks");
}

/* Shares, some tasks at a time. */
static bool check_batches(trial *x, uint32_t n) {
    lode_sink *sink = open_sink(x);
    lode_graph_options o = x->o;
    o.n_shares = n;
    for (o.share = 1; o.share <= n; o.share++) {
        lode_tasks *tasks = NULL;
        lode_task *kept = NULL;
        const lode_task **list = NULL;
        told seen = {0};
        CHECK_EQUAL(lode_graph_tasks_create(x->job, &tasks, x->data, &o, 0), LODE_OK);
        lode_task_search search =
            told_search(tasks, &seen, rng_below(&x->random, 4) > 0, &kept, &list);
        CHECK_EQUAL(lode_graphs_mine_tasks(x->job, x->data, &o, &search, sink), LODE_OK);
        CHECK(!seen.wrong);
        CHECK_EQUAL(seen.next, lode_tasks_count(tasks) + seen.n_given);
        batches_given += seen.n_given;
        lode_tasks_free(tasks);
        free(kept);
        free(list);
    }
    return check_same(x, sink, "batches");
}

/* The whole as one task: everything else is handed out. */
static bool check_whole(trial *x) {
    lode_sink *sink = open_sink(x);
    queue q = {.job = x->job, .random = x->random};
    queue_put(&q, &(lode_task){.size = sizeof(lode_task), .end = UINT32_MAX, .own = true});
    search_all(x, &q, sink);
    queue_free(&q);
    return check_same(x, sink, "one task");
}

/* Searches everything, with someone who asks for tasks, and searches what is given; how many. */
static uint64_t given_if(trial *x, double worth) {
    lode_sink *sink = open_sink(x);
    queue q = {.job = x->job, .random = rng_make(1, 12)};
    lode_task all = {.size = sizeof all, .end = UINT32_MAX, .own = true};
    const lode_task *list = &all;
    lode_task_search search = {.size = sizeof search,
                               .tasks = &list,
                               .n_tasks = 1,
                               .give = queue_give,
                               .give_user = &q,
                               .worth = worth};
    for (unsigned i = 0; i < 20; i++) lode_job_ask_task(x->job);
    CHECK_EQUAL(lode_graphs_mine_tasks(x->job, x->data, &x->o, &search, sink), LODE_OK);
    uint64_t n = q.n_given;
    search_all(x, &q, sink);
    queue_free(&q);
    check_same(x, sink, "tasks by worth");
    return n;
}

static lode_graphs *parse_graphs(lode_job *job, const graph_text *t, bool directed) {
    lode_graph_read_options o = {.size = sizeof o, .directed = directed};
    lode_graphs *data = NULL;
    if (lode_graphs_parse(job, &data, t->text, t->n, NULL, &o) != LODE_OK) exit(2);
    return data;
}

/* What the parts must come to. */
static void mine_whole(trial *x) {
    lode_sink *sink = open_sink(x);
    CHECK_EQUAL(lode_graphs_mine(x->job, x->data, &x->o, sink), LODE_OK);
    x->hash = lode_sink_hash_value(sink);
    x->n = lode_sink_patterns(sink);
    lode_sink_free(sink);
}

static void check_trial(unsigned i) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    random_shape s = {15, 8, 10, 3, 2, i % GRAPH_KINDS, i % 5 == 1};
    graph_text t = random_graphs(i, &s);
    trial x = {.o = options_for("graft", targets[i / GRAPH_KINDS % 3])};
    lode_job_options c = {.size = sizeof c, .device = "cpu", .threads = 1 + i % 3};
    if (lode_job_create(&x.job, NULL, &c) != LODE_OK) exit(2);
    x.data = parse_graphs(x.job, &t, s.directed);
    x.random = rng_make(i, 11);
    x.o.vertices = i % 2;
    x.o.induced = i % 7 == 6;
    mine_whole(&x);
    bool fine = check_shares(&x, 1 + i % 7) & check_tasks(&x) & check_whole(&x) &
                check_batches(&x, 1 + i % 4);
    if (!fine) fprintf(stderr, "  graphs of kind %u, seed %u\n", s.kind, i);
    lode_graphs_free(x.data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(x.job)), 0);
    lode_job_free(x.job);
    free(t.text);
}

static void test_graphs(void) {
    for (unsigned i = 0; i < N_TRIALS; i++) check_trial(i);
    printf("    %llu tasks handed out, %llu of three edges or more\n",
           (unsigned long long)tasks_given, (unsigned long long)tasks_deep);
    printf("    %llu divided in batches\n", (unsigned long long)batches_given);
    CHECK(tasks_given > 30 && tasks_deep > 60 && batches_given > 5);
}

/* What is less than the way to it is not handed out. */
static void test_worth(void) {
    random_shape s = {60, 12, 14, 2, 1, 0, false};
    graph_text t = random_graphs(3, &s);
    trial x = {.o = options_for("graft", LODE_TARGET_ALL)};
    lode_job_options c = {.size = sizeof c, .device = "cpu", .threads = 1};
    if (lode_job_create(&x.job, NULL, &c) != LODE_OK) exit(2);
    x.data = parse_graphs(x.job, &t, false);
    x.o.max_edges = 5;
    mine_whole(&x);
    uint64_t all = given_if(&x, 1e-9), some = given_if(&x, 0), none = given_if(&x, 1e18);
    printf("    %llu, %llu and %llu of %llu patterns\n", (unsigned long long)all,
           (unsigned long long)some, (unsigned long long)none, (unsigned long long)x.n);
    CHECK(all > 2 * some && some > 0 && none == 0);
    lode_graphs_free(x.data);
    lode_job_free(x.job);
    free(t.text);
}

/* What is not a code is refused. */
static void test_refused(void) {
    random_shape s = {15, 8, 10, 3, 2, KIND_ANY, false};
    graph_text t = random_graphs(1, &s);
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    uint32_t words[4] = {0, 1, 0, 0};
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) exit(2);
    lode_graphs *data = parse_graphs(job, &t, false);
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_graph_options o = options_for("graft", LODE_TARGET_ALL);
    lode_task bad = {.size = sizeof bad, .prefix = words, .n_prefix = 4, .end = UINT32_MAX};
    const lode_task *list = &bad;
    lode_task_search search = {.size = sizeof search, .tasks = &list, .n_tasks = 1};
    CHECK_EQUAL(lode_graphs_mine_tasks(job, data, &o, &search, sink), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "three numbers per edge") != NULL);
    bad.n_prefix = 3;
    bad.end = 4;
    CHECK_EQUAL(lode_graphs_mine_tasks(job, data, &o, &search, sink), LODE_INVALID);
    bad.end = UINT32_MAX;
    words[2] = UINT32_MAX; /* no such edge: nothing to do */
    CHECK_EQUAL(lode_graphs_mine_tasks(job, data, &o, &search, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    search.worth = -1;
    CHECK_EQUAL(lode_graphs_mine_tasks(job, data, &o, &search, sink), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "search->worth") != NULL);
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    free(t.text);
}

int main(void) {
    CHECK_RUN(test_graphs);
    CHECK_RUN(test_worth);
    CHECK_RUN(test_refused);
    return check_result();
}
