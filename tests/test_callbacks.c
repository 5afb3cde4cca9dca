/* test_callbacks.c - which threads call callbacks, that calls do not overlap, what callbacks may
 * call
 *
 * This is what the headers say about lode_log_fn, lode_progress_fn, lode_batch_fn, lode_graph_fn,
 * lode_write_fn, lode_reduce_fn and lode_resize_fn, and under "Callbacks" in lode.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "jobs.h"
#include "lode.h"

#define THREADS 4

/* What was seen of one kind of callback. */
typedef struct watch {
    pthread_t owner;      /* the thread that calls lode */
    _Atomic bool in_call; /* it is in a call that may call back */
    _Atomic int inside;   /* callbacks at this moment */
    _Atomic uint64_t n, n_elsewhere, n_overlaps, n_outside, n_wrong_size;
} watch;

static void watch_begin(watch *w) {
    bool in_call = atomic_load(&w->in_call);
    atomic_fetch_add(&w->n, 1);
    if (atomic_fetch_add(&w->inside, 1) > 0) atomic_fetch_add(&w->n_overlaps, 1);
    if (!pthread_equal(pthread_self(), w->owner)) atomic_fetch_add(&w->n_elsewhere, 1);
    if (!in_call) atomic_fetch_add(&w->n_outside, 1);
}

static void watch_end(watch *w) {
    atomic_fetch_sub(&w->inside, 1);
}

static void wait_a_little(void) {
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

typedef struct scene {
    lode_job *job;
    lode_dataset *data;
    lode_graphs *graphs;
    lode_sink *sink;
    lode_sink *graph_sink;
    watch log, progress, patterns, text, reduce, resize;
    uint64_t stop_at, n_after_stop; /* pattern callbacks */
    bool cancel;                    /* instead of a return value */
    bool slow;                      /* the first takes long enough for progress to be told */
    bool stopped;
    double share; /* the last that was told */
} scene;

/* ---- the callbacks --------------------------------------------------------------------------- */

/* What any thread may call at any time: a callback, too. */
static void call_what_is_allowed(scene *s) {
    lode_progress p = LODE_INIT(lode_progress);
    char name[16];
    if (!lode_job_progress(s->job, &p) || !p.phase) atomic_fetch_add(&s->patterns.n_wrong_size, 1);
    lode_job_raise_threshold(s->job, 1);
    lode_sink_patterns(s->sink);
    lode_sink_patterns_of_size(s->sink, 2);
    lode_sink_patterns(s->graph_sink);
    lode_dataset_item_name(s->data, 1, name, sizeof name);
    lode_job_memory_used(s->job);
}

static void take_log(void *user, lode_log_level level, const char *message) {
    scene *s = user;
    watch_begin(&s->log);
    (void)level;
    if (!message[0]) atomic_fetch_add(&s->log.n_wrong_size, 1);
    if (s->data) call_what_is_allowed(s);
    watch_end(&s->log);
}

static int take_progress(void *user, const lode_progress *p) {
    scene *s = user;
    watch_begin(&s->progress);
    if (p->size != sizeof *p) atomic_fetch_add(&s->progress.n_wrong_size, 1);
    if (s->data) call_what_is_allowed(s);
    s->share = p->share;
    watch_end(&s->progress);
    return 0;
}

static int take_pattern(scene *s) {
    uint64_t n = s->patterns.n;
    s->n_after_stop += s->stopped;
    call_what_is_allowed(s);
    if (n % 8 == 0) wait_a_little();
    if (n == 1 && s->slow) nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
    if (s->stop_at == 0 || n < s->stop_at) return 0;
    s->stopped = !s->cancel; /* a cancelled job may deliver what it has */
    if (s->cancel) lode_job_cancel(s->job);
    return !s->cancel;
}

static int take_batch(void *user, const lode_batch *batch) {
    scene *s = user;
    watch_begin(&s->patterns);
    if (batch->size != sizeof *batch) atomic_fetch_add(&s->patterns.n_wrong_size, 1);
    int stop = take_pattern(s);
    watch_end(&s->patterns);
    return stop;
}

static int take_graph(void *user, const lode_graph_pattern *p) {
    scene *s = user;
    watch_begin(&s->patterns);
    if (p->size != sizeof *p || p->graph->size != sizeof *p->graph) {
        atomic_fetch_add(&s->patterns.n_wrong_size, 1);
    }
    int stop = take_pattern(s);
    watch_end(&s->patterns);
    return stop;
}

static int take_lines(void *user, const char *text, size_t bytes) {
    scene *s = user;
    watch_begin(&s->text);
    if (bytes == 0 || text[bytes - 1] != '\n') atomic_fetch_add(&s->text.n_wrong_size, 1);
    call_what_is_allowed(s);
    wait_a_little();
    watch_end(&s->text);
    return 0;
}

static lode_status take_counts(void *user, uint64_t *counts, size_t n) {
    scene *s = user;
    watch_begin(&s->reduce);
    for (size_t i = 0; i < n; i++) counts[i] += 0; /* there is one process */
    watch_end(&s->reduce);
    return LODE_OK;
}

static void *take_block(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                        size_t align) {
    scene *s = user;
    watch_begin(&s->resize);
    void *block = NULL;
    size_t keep = old_bytes < new_bytes ? old_bytes : new_bytes;
    if (new_bytes > 0 && posix_memalign(&block, align < 16 ? 16 : align, new_bytes) != 0) {
        block = NULL;
    }
    if (block && keep > 0) memcpy(block, pointer, keep);
    if (block || new_bytes == 0) free(pointer);
    watch_end(&s->resize);
    return block;
}

/* ---- data ------------------------------------------------------------------------------------ */

static uint32_t draw(uint32_t *state, uint32_t below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* 3,000 transactions of about 12 of 60 items. */
static char *make_baskets(size_t *bytes) {
    const size_t room = 3000 * 61 * 3;
    char *text = malloc(room);
    uint32_t state = 7;
    size_t n = 0;
    if (!text) exit(2);
    for (int t = 0; t < 3000; t++) {
        for (uint32_t item = 1; item <= 60; item++) {
            if (draw(&state, 5) == 0) n += (size_t)snprintf(text + n, room - n, "%u ", item);
        }
        text[n++] = '\n';
    }
    *bytes = n;
    return text;
}

/* 60 graphs of 12 vertices and about 14 edges. */
static char *make_graphs(size_t *bytes) {
    const size_t room = 60 * 12 * 64;
    char *text = malloc(room);
    uint32_t state = 9;
    size_t n = 0;
    if (!text) exit(2);
    for (int g = 0; g < 60; g++) {
        n += (size_t)snprintf(text + n, room - n, "t # %d\n", g);
        for (int v = 0; v < 12; v++) {
            n += (size_t)snprintf(text + n, room - n, "v %d %c\n", v, "CNO"[draw(&state, 3)]);
        }
        for (uint32_t v = 1; v < 12; v++) {
            n += (size_t)snprintf(text + n, room - n, "e %u %u %u\n", draw(&state, v), v,
                                  draw(&state, 2));
        }
    }
    *bytes = n;
    return text;
}

static void set_in_call(scene *s, bool in_call) {
    s->log.in_call = s->progress.in_call = s->patterns.in_call = in_call;
    s->text.in_call = s->reduce.in_call = in_call;
}

static void scene_open(scene *s, const char *device) {
    watch *all[] = {&s->log, &s->progress, &s->patterns, &s->text, &s->reduce, &s->resize};
    *s = (scene){0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->owner = pthread_self();
        all[i]->in_call = true;
    }
    lode_job_options o = {.size = sizeof o,
                          .threads = THREADS,
                          .device = device,
                          .log = take_log,
                          .log_user = s,
                          .progress = take_progress,
                          .progress_user = s};
    if (job_with_memory(&s->job, &o, take_block, s) != LODE_OK) exit(2);
    size_t bytes = 0;
    char *text = make_baskets(&bytes);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_parse(s->job, &data, text, bytes, "baskets", NULL), LODE_OK);
    free(text);
    text = make_graphs(&bytes);
    CHECK_EQUAL(lode_graphs_parse(s->job, &s->graphs, text, bytes, "graphs", NULL), LODE_OK);
    free(text);
    s->data = data;
    CHECK_EQUAL(lode_sink_callback(s->job, &s->sink, take_batch, s), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_callback(s->job, &s->graph_sink, take_graph, s), LODE_OK);
    set_in_call(s, false);
}

static void scene_close(scene *s) {
    lode_sink_free(s->sink);
    lode_sink_free(s->graph_sink);
    lode_graphs_free(s->graphs);
    lode_dataset_free(s->data);
    s->data = NULL;
    lode_job_free(s->job);
}

static lode_status mine(scene *s, const char *algorithm, uint64_t support) {
    lode_mine_options o = {.size = sizeof o, .min_support = {support, 0}, .algorithm = algorithm};
    set_in_call(s, true);
    lode_status status = lode_mine(s->job, s->data, &o, s->sink);
    set_in_call(s, false);
    return status;
}

static lode_status mine_graphs(scene *s, const char *algorithm) {
    lode_graph_options o = {.size = sizeof o, .min_support = {4, 0}, .algorithm = algorithm};
    set_in_call(s, true);
    lode_status status = lode_graphs_mine(s->job, s->graphs, &o, s->graph_sink);
    set_in_call(s, false);
    return status;
}

/* Of which one call comes at a time, and only while the job is in a call. */
static void check_one_at_a_time(const watch *w) {
    CHECK_EQUAL(w->n_overlaps, 0);
    CHECK_EQUAL(w->n_outside, 0);
    CHECK_EQUAL(w->n_wrong_size, 0);
}

static void check_watches(scene *s) {
    check_one_at_a_time(&s->log);
    check_one_at_a_time(&s->progress);
    check_one_at_a_time(&s->patterns);
    CHECK_EQUAL(s->progress.n_elsewhere, 0); /* on the thread of the caller alone */
    CHECK(s->log.n > 0 && s->patterns.n > 0 && s->resize.n > 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void itemsets(void) {
    static const char *const algorithms[] = {"adaptive", "frontier", "tensor", "eqclass"};
    uint64_t n_progress = 0, n_elsewhere = 0;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        scene s;
        scene_open(&s, "cpu");
        s.slow = true;
        CHECK_EQUAL(mine(&s, algorithms[i], 20), LODE_OK);
        check_watches(&s);
        n_progress += s.progress.n;
        n_elsewhere += s.patterns.n_elsewhere;
        scene_close(&s);
    }
    CHECK(n_progress > 0);
    CHECK(n_elsewhere > 0); /* as the header says: not on the thread of the caller alone */
}

static void graphs(void) {
    static const char *const algorithms[] = {"graft", "gspan", "frontier", "pgm"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        scene s;
        scene_open(&s, "cpu");
        CHECK_EQUAL(mine_graphs(&s, algorithms[i]), LODE_OK);
        check_watches(&s);
        scene_close(&s);
    }
}

/* When the callback has said so, it is left alone. */
static void stops(void) {
    static const char *const algorithms[] = {"adaptive", "frontier", "tensor"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        scene s;
        scene_open(&s, "cpu");
        s.stop_at = 100;
        CHECK_EQUAL(mine(&s, algorithms[i], 20), LODE_STOPPED);
        CHECK_EQUAL(s.n_after_stop, 0);
        CHECK_EQUAL(s.patterns.n, 100);
        check_watches(&s);
        s.stopped = false;
        s.stop_at = 150; /* the sink can be used again, and takes what comes */
        CHECK_EQUAL(mine(&s, algorithms[i], 20), LODE_STOPPED);
        CHECK_EQUAL(s.patterns.n, 150);
        scene_close(&s);
    }
    scene s;
    scene_open(&s, "cpu");
    s.stop_at = 20;
    CHECK_EQUAL(mine_graphs(&s, "graft"), LODE_STOPPED);
    CHECK_EQUAL(s.n_after_stop, 0);
    CHECK_EQUAL(s.patterns.n, 20);
    scene_close(&s);
}

static void cancels(void) {
    scene s;
    scene_open(&s, "cpu");
    s.stop_at = 100;
    s.cancel = true;
    CHECK_EQUAL(mine(&s, "adaptive", 20), LODE_CANCELLED);
    lode_job_reset(s.job);
    CHECK_EQUAL(mine_graphs(&s, "graft"), LODE_CANCELLED);
    check_watches(&s);
    scene_close(&s);
}

/* Text comes on any thread of the job while it mines, and else on that of the caller. */
static void writes(void) {
    const lode_write_options ways[] = {
        {.size = sizeof *ways, .format = LODE_WRITE_CSV, .unsorted = true},
        {.size = sizeof *ways, .format = LODE_WRITE_CSV, .sort = true}};
    for (size_t i = 0; i < 2; i++) {
        scene s;
        scene_open(&s, "cpu");
        lode_sink_free(s.sink);
        s.sink = NULL;
        set_in_call(&s, true);
        CHECK_EQUAL(lode_sink_write(s.job, &s.sink, s.data, take_lines, &s, &ways[i]), LODE_OK);
        CHECK_EQUAL(s.text.n_elsewhere, 0);
        CHECK_EQUAL(mine(&s, "adaptive", 20), LODE_OK);
        if (ways[i].sort) CHECK_EQUAL(s.text.n_elsewhere, 0); /* all of it waits for the end */
        uint64_t n_elsewhere = s.text.n_elsewhere;
        set_in_call(&s, true);
        CHECK_EQUAL(lode_sink_finish(s.sink, false), LODE_OK);
        set_in_call(&s, false);
        CHECK_EQUAL(s.text.n_elsewhere, n_elsewhere);
        CHECK(s.text.n > 1);
        check_one_at_a_time(&s.text);
        scene_close(&s);
    }
}

static void writes_graphs(void) {
    scene s;
    scene_open(&s, "cpu");
    lode_sink_free(s.graph_sink);
    s.graph_sink = NULL;
    lode_graph_write_options o = {.size = sizeof o, .unsorted = true};
    set_in_call(&s, true);
    CHECK_EQUAL(lode_graph_sink_write(s.job, &s.graph_sink, s.graphs, take_lines, &s, &o), LODE_OK);
    CHECK_EQUAL(mine_graphs(&s, "graft"), LODE_OK);
    set_in_call(&s, true);
    uint64_t n_elsewhere = s.text.n_elsewhere;
    CHECK_EQUAL(lode_sink_finish(s.graph_sink, false), LODE_OK);
    set_in_call(&s, false);
    CHECK_EQUAL(s.text.n_elsewhere, n_elsewhere);
    CHECK(s.text.n > 0);
    check_one_at_a_time(&s.text);
    scene_close(&s);
}

/* Sums come on the thread of the caller, one after the other. */
static void reduces(void) {
    scene s;
    scene_open(&s, "cpu*1");
    lode_mine_options o = {.size = sizeof o,
                           .min_support = {150, 0},
                           .algorithm = "frontier",
                           .max_lists = 500,
                           .reduce = take_counts,
                           .reduce_user = &s,
                           .n_transactions_total = 3000};
    set_in_call(&s, true);
    CHECK_EQUAL(lode_mine(s.job, s.data, &o, s.sink), LODE_OK);
    set_in_call(&s, false);
    CHECK(s.reduce.n > 1);
    check_one_at_a_time(&s.reduce);
    CHECK_EQUAL(s.reduce.n_elsewhere, 0);
    scene_close(&s);
}

/* A job is used by one thread at a time, not by one alone: the owner is who makes the call. */
static void *mine_elsewhere(void *user) {
    scene *s = user;
    s->log.owner = s->progress.owner = s->patterns.owner = pthread_self();
    CHECK_EQUAL(mine(s, "frontier", 20), LODE_OK);
    return NULL;
}

static void other_threads(void) {
    scene s;
    pthread_t thread;
    scene_open(&s, "cpu");
    if (pthread_create(&thread, NULL, mine_elsewhere, &s) != 0) exit(2);
    pthread_join(thread, NULL);
    check_watches(&s);
    scene_close(&s);
}

int main(void) {
    CHECK_RUN(itemsets);
    CHECK_RUN(graphs);
    CHECK_RUN(stops);
    CHECK_RUN(cancels);
    CHECK_RUN(writes);
    CHECK_RUN(writes_graphs);
    CHECK_RUN(reduces);
    CHECK_RUN(other_threads);
    return check_result();
}
