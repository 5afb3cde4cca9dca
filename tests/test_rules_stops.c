/* test_rules_stops.c - a search for rules, stopped at every place: no memory, a cancel, a limit
 *
 * The requests lead to all code paths: streamed, stored, sorted, the best rules, tests, a held-out
 * part, an item that every rule has. The k-th request for memory is refused, or the job is stopped
 * at its k-th poll. The status must say so, the rules so far must be right, and no memory or file
 * may be left. Every fourth attempt has 8 threads, and every eighth has 16; each poll lets another
 * thread run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>

#include "rule_runs.h"

#include "faulty.h"
#include "jobs.h"

#define MOST_TRIES BY_BUILD(60, 12, 6)

#define CROWD 8 /* threads, at least: more than there are cores in most places */

typedef enum ending {
    ENDING_NONE,
    ENDING_MEMORY,
    ENDING_CANCEL,
    ENDING_LIMIT,
    ENDING_PATTERNS
} ending;

typedef struct trial {
    const scene *s;
    run_way way;
    ending ending;
    uint64_t at;
    unsigned threads;
    lode_job *job;
    _Atomic uint64_t polls;
    faulty memory;
    lode_status status;
    found_rules found;
} trial;

static void trial_poll(void *user) {
    trial *t = user;
    if (t->threads >= CROWD) sched_yield();
    if (atomic_fetch_add(&t->polls, 1) < t->at) return;
    if (t->ending == ENDING_CANCEL) lode_job_cancel(t->job);
    if (t->ending == ENDING_LIMIT) job_halt(t->job, JOB_LIMIT_TIME);
}

/* Mines, and takes what the sink has. */
static void trial_mine(trial *t) {
    static run_options o;
    run_result r = {.job = t->job};
    const table *rows = &t->s->t;
    t->status = lode_dataset_from_arrays(t->job, &r.data, rows->n, rows->offsets, rows->items,
                                         t->s->weights);
    if (t->status == LODE_OK) t->status = sink_create(t->job, &run_kind, &r.sink);
    if (t->status == LODE_OK) {
        ((run_sink *)r.sink)->s = t->s;
        run_make_options(&o, t->s);
        o.o.algorithm = t->way == WAY_ADAPTIVE ? "adaptive" : "brute";
        o.o.limit_seconds = 1e6; /* so that polls are seen */
        o.o.limit_patterns = t->ending == ENDING_PATTERNS ? 1 + t->at : 0;
        t->job->on_poll = trial_poll;
        t->job->on_poll_user = t;
        t->status = run_mine(&r, &o.o, t->way);
        CHECK((lode_job_error(t->job)[0] == 0) == (t->status == LODE_OK));
        run_sink *sink = (run_sink *)r.sink;
        t->found = sink->found;
        sink->found = (found_rules){0};
    }
    lode_sink_free(r.sink);
    lode_dataset_free(r.data);
}

static void trial_run(trial *t) {
    lode_job_options c = {.size = sizeof c, .device = "cpu", .threads = t->threads};
    t->memory.fail_at = t->ending == ENDING_MEMORY ? t->at : UINT64_MAX;
    pthread_mutex_init(&t->memory.lock, NULL);
    t->status = job_with_memory(&t->job, &c, faulty_resize, &t->memory);
    if (t->status == LODE_OK) trial_mine(t);
    if (t->job) CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(t->job)), 0);
    lode_job_free(t->job);
    CHECK_EQUAL(t->memory.live, 0);
    CHECK(!t->memory.wrong_size);
    pthread_mutex_destroy(&t->memory.lock);
}

/* Whether every rule that came is one of all, and none came twice. */
static bool is_part(found_rules *some, const found_rules *all) {
    size_t k = 0;
    for (size_t i = 0; i < some->n; i++) some->rules[i].key = 0;
    if (some->n > 0) qsort(some->rules, some->n, sizeof *some->rules, found_compare);
    for (size_t i = 0; i < some->n; i++, k++) {
        while (k < all->n && found_compare(&all->rules[k], &some->rules[i]) < 0) k++;
        if (k == all->n || found_compare(&all->rules[k], &some->rules[i]) != 0) return false;
    }
    return true;
}

static void check_end(trial *t, const found_rules *all) {
    lode_status ended = t->ending == ENDING_CANCEL ? LODE_CANCELLED : LODE_STOPPED;
    if (t->ending == ENDING_MEMORY) {
        CHECK(t->status == LODE_NOMEM || t->status == LODE_OK); /* some make do with less */
    } else if (t->ending == ENDING_PATTERNS) {
        CHECK(t->status == LODE_STOPPED || t->status == LODE_OK);
        if (t->status == LODE_STOPPED) CHECK_EQUAL(t->found.n, 1 + t->at);
    } else if (t->ending != ENDING_NONE) {
        CHECK_EQUAL(t->status, t->polls > t->at ? ended : LODE_OK);
    }
    if (!CHECK(is_part(&t->found, all))) fprintf(stderr, "  of %zu rules\n", t->found.n);
    found_free(&t->found);
}

/* ---- requests ------------------------------------------------------------------------------- */

static scene plain_scene(const table *t) {
    return (scene){.t = *t, .n_items = 8, .min_count = 4, .confidence = {1, 2}};
}

enum { N_REQUESTS = 9 };

static scene request(unsigned i, const table *t) {
    scene s = plain_scene(t);
    if (i == 1) s.max_rhs = UINT32_MAX;
    if (i == 2) s.productive = true;
    if (i == 3) s.sort_by = "lift";
    if (i == 4) {
        s.sort_by = "fisher";
        s.top = 5;
    }
    if (i == 5) {
        s.adjust = LODE_ADJUST_HOLM;
        s.significant = 0.9;
    }
    if (i == 6) s.holdout = 30;
    if (i == 7) s.include[0] = 4;
    if (i == 8) {
        s.include_lhs[0] = 8;
        s.exclude = 1;
        s.bounds[0] = (scene_bound){"lift", 0.9, false};
        s.n_bounds = 1;
        s.adjust = LODE_ADJUST_BY;
        s.rhs = 0x73;
        s.max_rhs = 2;
    }
    return s;
}

/* All rules that could come: whatever is left out in the end may have been there before. */
static found_rules all_of(const scene *s) {
    scene plain = *s;
    uint64_t tests;
    plain.adjust = LODE_ADJUST_NONE;
    plain.significant = 0;
    plain.sort_by = NULL;
    plain.top = 0;
    found_rules all = scene_rules(&plain, &tests);
    scene_order(&plain, &all);
    return all;
}

static void try_request(const scene *s, run_way way) {
    static const unsigned threads[] = {1, 2, CROWD, 2, 1, 2, 2 * CROWD, 2};
    found_rules all = all_of(s);
    trial clean = {.s = s, .way = way, .threads = 1};
    trial_run(&clean);
    CHECK_EQUAL(clean.status, LODE_OK);
    uint64_t requests = clean.memory.calls, polls = clean.polls, n_rules = clean.found.n;
    CHECK(polls > 0 || way == WAY_DRIVER); /* which does not ask */
    check_end(&clean, &all);
    for (ending e = ENDING_MEMORY; e <= ENDING_PATTERNS; e++) {
        uint64_t n = e == ENDING_MEMORY ? requests : e == ENDING_PATTERNS ? n_rules : polls;
        uint64_t tries = n < MOST_TRIES ? n : MOST_TRIES;
        for (uint64_t k = 0; k < tries; k++) {
            trial t = {.s = s, .way = way, .ending = e, .at = n * k / tries};
            t.threads = threads[k % (sizeof threads / sizeof *threads)];
            trial_run(&t);
            check_end(&t, &all);
        }
    }
    found_free(&all);
}

static void test_ends(void) {
    table t = table_random(77, 40, 8, 30, 70);
    for (unsigned i = 0; i < N_REQUESTS; i++) {
        scene s = request(i, &t);
        int before = check_failures;
        try_request(&s, WAY_ADAPTIVE);
        try_request(&s, i % 2 ? WAY_DRIVER : WAY_STORED);
        if (check_failures > before) fprintf(stderr, "  request %u\n", i);
    }
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_ends);
    return check_result();
}
