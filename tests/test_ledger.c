/* test_ledger.c - the memory of a device under the budget of a context
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/os.h"
#include "check.h"
#include "runtime/ledger.h"

static lode_ctx *make_ctx(uint64_t device_memory) {
    lode_ctx_options o = {.size = sizeof o, .threads = 4, .device_memory_bytes = device_memory};
    lode_ctx *ctx = NULL;
    if (lode_ctx_create(&ctx, &o) != LODE_OK) exit(2);
    return ctx;
}

static lode_job *make_job(lode_ctx *ctx) {
    lode_job_options o = {.size = sizeof o, .threads = 2};
    lode_job *job = NULL;
    if (lode_job_create(&job, ctx, &o) != LODE_OK) exit(2);
    return job;
}

static void test_budget(void) {
    lode_ctx *ctx = make_ctx(1000);
    lode_job *a = make_job(ctx), *b = make_job(ctx);
    ledger_account first, second, elsewhere, other_kind;
    ledger_join(&first, a, "cuda", 0);
    ledger_join(&second, b, "cuda", 0);
    ledger_join(&elsewhere, b, "cuda", 1);
    ledger_join(&other_kind, b, "cpu", 0);
    CHECK_EQUAL(ledger_charge(&first, 600), LODE_OK);
    CHECK_EQUAL(ledger_left(&second), 400);
    CHECK_EQUAL(ledger_left(&elsewhere), 1000);
    CHECK_EQUAL(ledger_left(&other_kind), 1000);
    CHECK_EQUAL(ledger_charge(&second, 401), LODE_BUDGET);
    CHECK_EQUAL(ledger_charge(&second, 400), LODE_OK);
    CHECK_EQUAL(ledger_held_by_others(&second), 600);
    CHECK_EQUAL(ledger_held_by_others(&first), 400);
    CHECK_EQUAL(ledger_held_by_others(&elsewhere), 0);
    CHECK_EQUAL(ledger_charge(&elsewhere, 1000), LODE_OK);
    ledger_discharge(&first, 600);
    CHECK_EQUAL(ledger_left(&second), 600);
    ledger_discharge(&second, 400);
    ledger_discharge(&elsewhere, 1000);
    ledger_leave(&first);
    ledger_leave(&second);
    ledger_leave(&elsewhere);
    ledger_leave(&other_kind);
    lode_job_free(a);
    lode_job_free(b);
    lode_ctx_free(ctx);

    ctx = make_ctx(0);
    a = make_job(ctx);
    ledger_join(&first, a, "cuda", 0);
    CHECK_EQUAL(ledger_left(&first), SIZE_MAX);
    CHECK_EQUAL(ledger_charge(&first, (size_t)1 << 40), LODE_OK);
    ledger_discharge(&first, (size_t)1 << 40);
    ledger_leave(&first);
    lode_job_free(a);
    lode_ctx_free(ctx);
}

typedef struct waiter {
    ledger_account account;
    uint64_t departures;
    lode_status status;
    pthread_t thread;
} waiter;

static void *waiter_main(void *arg) {
    waiter *w = arg;
    w->status = ledger_wait(&w->account, w->departures);
    return NULL;
}

static void waiter_start(waiter *w, lode_job *job) {
    ledger_join(&w->account, job, "cuda", 0);
    w->departures = ledger_departures(&w->account);
    pthread_create(&w->thread, NULL, waiter_main, w);
    unsigned n = 0;
    while (n == 0) {
        pthread_mutex_lock(&job->ctx->pool.lock);
        n = w->account.n_waiting;
        pthread_mutex_unlock(&job->ctx->pool.lock);
    }
}

static void test_wait(void) {
    lode_ctx *ctx = make_ctx(1000);
    lode_job *a = make_job(ctx), *b = make_job(ctx);
    ledger_account account;
    ledger_join(&account, a, "cuda", 0);
    CHECK_EQUAL(ledger_wait(&account, 0), LODE_BUDGET); /* nobody to wait for */

    waiter w;
    waiter_start(&w, b);
    CHECK_EQUAL(ledger_wait(&account, ledger_departures(&account)),
                LODE_BUDGET); /* it waits for us */
    ledger_leave(&account);
    pthread_join(w.thread, NULL);
    CHECK_EQUAL(w.status, LODE_OK);
    CHECK_EQUAL(ledger_wait(&w.account, 0), LODE_OK); /* somebody has left since */
    ledger_leave(&w.account);

    ledger_join(&account, a, "cuda", 0);
    waiter_start(&w, b);
    lode_job_cancel(b);
    pthread_join(w.thread, NULL); /* although nobody leaves */
    CHECK_EQUAL(w.status, LODE_CANCELLED);
    ledger_leave(&w.account);
    ledger_leave(&account);
    lode_job_free(a);
    lode_job_free(b);
    lode_ctx_free(ctx);
}

/* -- a search on a device that another job has nearly for itself ------------------------------- */

typedef struct search {
    lode_job *job;
    lode_graphs *data;
    uint64_t patterns;
    lode_status status;
    pthread_t thread;
} search;

static void *search_main(void *arg) {
    search *s = arg;
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o, .algorithm = "frontier"};
    o.min_support.numerator = 2;
    s->status = lode_sink_count(s->job, &sink);
    if (s->status == LODE_OK) s->status = lode_graphs_mine(s->job, s->data, &o, sink);
    s->patterns = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return NULL;
}

static void test_search_waits(void) {
    static const char text[] = "t # 0\nv 0 a\nv 1 b\nv 2 c\ne 0 1 x\ne 1 2 y\n"
                               "t # 1\nv 0 a\nv 1 b\nv 2 c\ne 0 1 x\ne 1 2 y\n";
    const size_t budget = (size_t)64 << 20;
    lode_ctx *ctx = make_ctx(budget);
    lode_job *holder = make_job(ctx);
    search s = {.job = make_job(ctx)};
    ledger_account account;
    lease_call call = {0};
    CHECK_EQUAL(lode_graphs_parse(s.job, &s.data, text, sizeof text - 1, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lease_enter(holder, 1, &call), LODE_OK);
    ledger_join(&account, holder, "cpu", 0);
    CHECK_EQUAL(ledger_charge(&account, budget - 64), LODE_OK);
    pthread_create(&s.thread, NULL, search_main, &s);
    lode_usage u = {.size = sizeof u};
    while (u.jobs_waiting == 0) {
        CHECK(lode_ctx_usage(ctx, &u));
        os_pause(500);
    }
    ledger_discharge(&account, budget - 64);
    ledger_leave(&account);
    lease_leave(&call);
    pthread_join(s.thread, NULL);
    CHECK_EQUAL(s.status, LODE_OK);
    CHECK_EQUAL(s.patterns, 3);
    lode_graphs_free(s.data);
    lode_job_free(s.job);
    lode_job_free(holder);
    lode_ctx_free(ctx);
}

int main(void) {
    CHECK_RUN(test_budget);
    CHECK_RUN(test_wait);
    CHECK_RUN(test_search_waits);
    return check_result();
}
