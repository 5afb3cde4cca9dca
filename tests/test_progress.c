/* test_progress.c - the progress that every engine reports: it grows, and ends at 1
 *
 * test_progress_table.py measures how close it is to the true progress, which takes minutes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <sched.h>

#include "graphs.h"
#include "mining.h"
#include "runtime/job.h"

typedef struct poller {
    lode_job *job;
    _Atomic bool stop;
    double share;
    unsigned looks;
    bool grows;
} poller;

static void poller_look(poller *p) {
    lode_progress now = {.size = sizeof now};
    CHECK(lode_job_progress(p->job, &now));
    p->grows = p->grows && now.share >= p->share && now.share <= 1;
    p->grows =
        p->grows && (now.left < 0 || (now.left_least <= now.left && now.left <= now.left_most));
    p->share = now.share;
    p->looks++;
}

static void *poller_main(void *arg) {
    poller *p = arg;
    while (!atomic_load(&p->stop)) {
        poller_look(p);
        sched_yield();
    }
    return NULL;
}

/* From the moment where the phase "mine" has begun. */
static void poller_start(poller *p, lode_job *job, pthread_t *thread) {
    *p = (poller){.job = job, .grows = true};
    job_begin_phase(job, "mine");
    if (pthread_create(thread, NULL, poller_main, p) != 0) exit(2);
}

static void poller_end(poller *p, pthread_t thread, const char *name) {
    atomic_store(&p->stop, true);
    pthread_join(thread, NULL);
    poller_look(p);
    lode_progress end = {.size = sizeof end};
    CHECK(lode_job_progress(p->job, &end));
    CHECK_TEXT(end.phase, "mine");
    if (!(CHECK(p->grows) & CHECK(end.share == 1) & CHECK(end.left == 0))) puts(name);
}

static void watch_itemsets(const lode_algorithm *a, const table *t, lode_target target,
                           unsigned threads) {
    lode_job *job = NULL;
    lode_job_options c = {.size = sizeof c, .threads = threads, .device = "cpu"};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_dataset *data = mining_data(job, t);
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options(a->name, target == LODE_TARGET_TOP ? 0 : t->n / 3);
    o.target = target;
    o.top_k = 50;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    poller p;
    pthread_t thread;
    poller_start(&p, job, &thread);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    poller_end(&p, thread, a->name);
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
}

static void test_itemsets(void) {
    table t = table_random(11, 400, 14, 40, 90);
    lode_algorithm a = LODE_INIT(lode_algorithm);
    CHECK(lode_algorithm_at(LODE_ITEMSETS, 5, &a));
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        for (int target = 0; target <= LODE_TARGET_GENERATORS; target++) {
            if (a.targets >> target & 1)
                watch_itemsets(&a, &t, (lode_target)target, 1 + (unsigned)target % 3);
        }
    }
    table_free(&t);
}

static void watch_graphs(const lode_algorithm *a, const graph_text *t, unsigned threads) {
    lode_job *job = graph_job(threads);
    lode_graphs *data = graph_data(job, t, false);
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o, .algorithm = a->name, .min_support = {3, 0}};
    o.max_edges = 6;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    poller p;
    pthread_t thread;
    poller_start(&p, job, &thread);
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_OK);
    poller_end(&p, thread, a->name);
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
}

static void test_graphs(void) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    const random_shape shape = {
        .n_graphs = 12, .max_vertices = 8, .max_edges = 10, .vertex_labels = 2, .edge_labels = 2};
    CHECK(lode_algorithm_at(LODE_GRAPHS, 3, &a));
    for (uint64_t seed = 1; seed <= 3; seed++) {
        graph_text t = random_graphs(seed, &shape);
        for (size_t i = 0; lode_algorithm_at(LODE_GRAPHS, i, &a); i++)
            watch_graphs(&a, &t, 1 + seed % 2);
        free(t.text);
    }
}

/* Passes share what is left; the share neither falls nor passes 1, whatever is told. */
static void test_shares(void) {
    progress_state p = {0};
    progress_local local = {0};
    progress_init(&p);
    progress_begin(&p, "mine");
    progress_begin_pass(&p, 0.5);
    progress_add(&p, 0.5);
    CHECK(fabs(progress_share(&p) - 0.25) < 1e-9);
    progress_reach(&p, 0.2); /* less than is known */
    CHECK(fabs(progress_share(&p) - 0.25) < 1e-9);
    progress_reach(&p, 1);
    CHECK(fabs(progress_share(&p) - 0.5) < 1e-9);
    progress_begin_pass(&p, 0.5);
    for (int i = 0; i < 1000; i++) progress_retire(&p, &local, 1e-6);
    progress_flush(&p, &local);
    CHECK(fabs(progress_share(&p) - 0.5 - 0.25 * 1e-3) < 1e-9);
    progress_add(&p, 100);
    CHECK(progress_share(&p) < 1 && progress_share(&p) > 0.99);
    progress_begin(&p, "write");
    CHECK(progress_share(&p) == 0);
    progress_finish(&p);
    CHECK(progress_share(&p) == 1);
    progress_clear(&p);
}

/* What is left, where the speed is even, and where it changes. */
static void test_left(void) {
    progress_state p = {0};
    progress_init(&p);
    progress_begin(&p, "mine");
    lode_progress look = {.size = sizeof look};
    progress_look(&p, &look);
    CHECK(look.left < 0 && look.left_most < 0 && look.share == 0);
    for (int i = 1; i <= 100; i++) { /* a second for every hundredth, as if it had been so long */
        p.start -= 1;
        progress_reach(&p, i * 0.01);
        progress_look(&p, &look);
        if (i < 10 || i > 95) continue;
        CHECK(fabs(look.left - (100 - i)) < 2 && look.left_least < 100 - i);
        CHECK(look.left_most > 100 - i);
    }
    progress_finish(&p);
    progress_look(&p, &look);
    CHECK(look.share == 1 && look.left == 0 && look.left_most == 0);
    progress_begin(&p, "mine");
    progress_reach(&p, 0.5);
    p.start -= 10;
    progress_look(&p, &look);
    double even = look.left_most;
    p.start -= 100; /* it stands still */
    progress_look(&p, &look);
    CHECK(look.left_most > 4 * even);
    progress_clear(&p);
}

/* A shorter struct is filled as far as it goes, a longer one too. */
static void test_sizes(void) {
    struct {
        lode_progress known;
        double more;
    } longer = {.known.size = sizeof longer, .more = 7};
    lode_progress shorter = {.size = offsetof(lode_progress, rate), .rate = 7};
    lode_job *job = graph_job(1);
    CHECK(lode_job_progress(job, &longer.known) && longer.more == 0);
    CHECK(lode_job_progress(job, &shorter) && shorter.rate == 7 && shorter.phase[0] == 0);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_shares);
    CHECK_RUN(test_left);
    CHECK_RUN(test_sizes);
    CHECK_RUN(test_itemsets);
    CHECK_RUN(test_graphs);
    return check_result();
}
