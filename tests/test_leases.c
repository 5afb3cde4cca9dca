/* test_leases.c - threads that jobs share: lent, waited for in order, given back
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/os.h"
#include "base/rng.h"
#include "check.h"
#include "runtime/parallel.h"

static lode_ctx *make_ctx(unsigned threads) {
    lode_ctx_options o = {.size = sizeof o, .threads = threads};
    lode_ctx *ctx = NULL;
    if (lode_ctx_create(&ctx, &o) != LODE_OK) exit(2);
    return ctx;
}

static lode_job *make_job(lode_ctx *ctx, unsigned threads) {
    lode_job_options o = {.size = sizeof o, .threads = threads};
    lode_job *job = NULL;
    if (lode_job_create(&job, ctx, &o) != LODE_OK) exit(2);
    return job;
}

static lode_usage usage_of(lode_ctx *ctx) {
    lode_usage u = {.size = sizeof u};
    CHECK(lode_ctx_usage(ctx, &u));
    return u;
}

static void await_waiting(lode_ctx *ctx, unsigned n) {
    while (usage_of(ctx).jobs_waiting != n) os_pause(200);
}

static void enter(lode_job *job, lease_call *call) {
    *call = (lease_call){0};
    CHECK_EQUAL(lease_enter(job, LEASE_ANY, call), LODE_OK);
}

static void test_usage(void) {
    lode_ctx *ctx = make_ctx(4);
    lode_job *job = make_job(ctx, 0), *small = make_job(ctx, 3);
    lease_call call;
    enter(job, &call);
    CHECK_EQUAL(job->threads, 4);
    lode_usage u = usage_of(ctx);
    CHECK(u.threads == 4 && u.threads_used == 1 && u.jobs_running == 1 && u.jobs_waiting == 0);
    lease_leave(&call);
    lease_leave(&call); /* does nothing */
    enter(small, &call);
    CHECK_EQUAL(small->threads, 3);
    lease_leave(&call);
    CHECK_EQUAL(lease_enter(job, 1, &call), LODE_OK);
    CHECK_EQUAL(job->threads, 1);
    lease_leave(&call);
    u = usage_of(ctx);
    CHECK(u.threads_used == 0 && u.threads_peak == 1 && u.jobs_running == 0);
    u.size = 3;
    CHECK(!lode_ctx_usage(ctx, &u));
    lode_job_free(job);
    lode_job_free(small);
    lode_ctx_free(ctx);
}

/* ---- waiting --------------------------------------------------------------------------------- */

#define N_LINE 5

typedef struct line {
    lode_ctx *ctx;
    _Atomic unsigned n_served;
} line;

typedef struct waiter {
    line *in;
    lode_job *job;
    unsigned served; /* which it was */
    lode_status status;
    double seconds;
    pthread_t thread;
} waiter;

static void *waiter_main(void *arg) {
    waiter *w = arg;
    lease_call call = {0};
    double start = os_seconds();
    w->status = lease_enter(w->job, LEASE_ANY, &call);
    w->seconds = os_seconds() - start;
    if (w->status == LODE_OK) w->served = atomic_fetch_add(&w->in->n_served, 1);
    lease_leave(&call);
    return NULL;
}

/* Puts them in line, one behind the other, while somebody holds all threads. */
static void line_up(waiter *w, unsigned n, line *in, lode_job *const *jobs) {
    for (unsigned i = 0; i < n; i++) {
        w[i] = (waiter){.in = in, .job = jobs[i]};
        pthread_create(&w[i].thread, NULL, waiter_main, &w[i]);
        await_waiting(in->ctx, i + 1);
    }
}

static void test_first_come_first_served(void) {
    line in = {.ctx = make_ctx(1)};
    lode_job *holder = make_job(in.ctx, 0), *jobs[N_LINE];
    waiter w[N_LINE];
    lease_call call;
    for (unsigned i = 0; i < N_LINE; i++) jobs[i] = make_job(in.ctx, 0);
    enter(holder, &call);
    line_up(w, N_LINE, &in, jobs);
    CHECK_EQUAL(atomic_load(&in.n_served), 0);
    lease_leave(&call);
    for (unsigned i = 0; i < N_LINE; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK_EQUAL(w[i].served, i);
        lode_job_free(jobs[i]);
    }
    CHECK_EQUAL(usage_of(in.ctx).threads_peak, 1);
    lode_job_free(holder);
    lode_ctx_free(in.ctx);
}

static int cancel_in_wait(void *user, const lode_progress *progress) {
    _Atomic unsigned *n = user;
    CHECK_TEXT(progress->phase, "wait");
    atomic_fetch_add(n, 1);
    return 1;
}

/* By another thread, and by the program's own progress function; those behind go on. */
static void test_cancel_while_waiting(void) {
    line in = {.ctx = make_ctx(1)};
    _Atomic unsigned n_told = 0;
    lode_job_options o = {
        .size = sizeof o, .progress = cancel_in_wait, .progress_user = (void *)&n_told};
    lode_job *holder = make_job(in.ctx, 0), *jobs[3] = {make_job(in.ctx, 0), NULL, NULL};
    waiter w[3];
    lease_call call;
    CHECK_EQUAL(lode_job_create(&jobs[1], in.ctx, &o), LODE_OK);
    jobs[2] = make_job(in.ctx, 0);
    enter(holder, &call);
    line_up(w, 1, &in, jobs);
    lode_job_cancel(jobs[0]);
    pthread_join(w[0].thread, NULL); /* although the holder stays */
    CHECK_EQUAL(w[0].status, LODE_CANCELLED);
    line_up(w + 1, 1, &in, jobs + 1);
    w[2] = (waiter){.in = &in, .job = jobs[2]};
    pthread_create(&w[2].thread, NULL, waiter_main, &w[2]);
    pthread_join(w[1].thread, NULL);
    CHECK_EQUAL(w[1].status, LODE_CANCELLED);
    CHECK_EQUAL(atomic_load(&n_told), 1);
    lease_leave(&call);
    pthread_join(w[2].thread, NULL);
    CHECK_EQUAL(w[2].status, LODE_OK);
    for (unsigned i = 0; i < 3; i++) lode_job_free(jobs[i]);
    lode_job_free(holder);
    lode_ctx_free(in.ctx);
}

/* ---- calls in calls -------------------------------------------------------------------------- */

typedef struct intruder {
    lode_job *job;
    lode_status status;
} intruder;

static void *intrude(void *arg) {
    intruder *x = arg;
    lease_call call = {0};
    x->status = lease_enter(x->job, LEASE_ANY, &call);
    lease_leave(&call);
    return NULL;
}

static void test_calls_in_calls(void) {
    lode_ctx *ctx = make_ctx(2);
    lode_job *job = make_job(ctx, 0), *other = make_job(ctx, 0);
    lease_call outer, same, inner;
    enter(job, &outer);
    enter(job, &same); /* a part of it */
    lease_leave(&same);
    CHECK_EQUAL(job->threads, 2);
    enter(other, &inner); /* as from a callback: on this thread, and at once */
    CHECK_EQUAL(other->threads, 1);
    CHECK_EQUAL(usage_of(ctx).threads_used, 1);
    intruder x = {.job = job};
    pthread_t thread;
    pthread_create(&thread, NULL, intrude, &x);
    pthread_join(thread, NULL);
    CHECK_EQUAL(x.status, LODE_INVALID);
    CHECK_TEXT(lode_job_error(job), "another thread is in a call with this job");
    lease_leave(&inner);
    CHECK_EQUAL(other->threads, 2);
    lease_leave(&outer);
    CHECK_EQUAL(usage_of(ctx).threads_used, 0);
    lode_job_free(job);
    lode_job_free(other);
    lode_ctx_free(ctx);
}

/* ---- shares ---------------------------------------------------------------------------------- */

typedef struct region {
    lode_job *job;
    _Atomic unsigned n_calls, n_gave;
    _Atomic bool stop;
} region;

/* Works in small pieces, and leaves when others wait. */
static lode_status work_in_pieces(void *arg, unsigned worker) {
    region *r = arg;
    (void)worker;
    atomic_fetch_add(&r->n_calls, 1);
    while (!atomic_load(&r->stop)) {
        if (lease_gives(r->job)) {
            atomic_fetch_add(&r->n_gave, 1);
            break;
        }
        os_pause(200);
    }
    return LODE_OK;
}

static void *region_main(void *arg) {
    region *r = arg;
    lease_call call;
    enter(r->job, &call);
    CHECK_EQUAL(r->job->threads, 4);
    CHECK_EQUAL(parallel_run(r->job, 4, true, work_in_pieces, r), LODE_OK);
    CHECK_EQUAL(r->job->threads, 2); /* for good */
    atomic_store(&r->n_calls, 0);
    CHECK_EQUAL(parallel_run(r->job, 4, false, work_in_pieces, r), LODE_OK);
    CHECK_EQUAL(atomic_load(&r->n_calls), 4); /* two of them one after the other */
    lease_leave(&call);
    return NULL;
}

static void test_shares(void) {
    lode_ctx *ctx = make_ctx(4);
    region r = {.job = make_job(ctx, 0)};
    lode_job *newcomer = make_job(ctx, 0);
    pthread_t thread;
    lease_call call;
    pthread_create(&thread, NULL, region_main, &r);
    while (atomic_load(&r.n_calls) < 4) os_pause(200);
    enter(newcomer, &call);
    CHECK_EQUAL(newcomer->threads, 2);
    CHECK_EQUAL(atomic_load(&r.n_gave), 2);
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
    lease_leave(&call);
    CHECK_EQUAL(usage_of(ctx).threads_peak, 4);
    lode_job_free(newcomer);
    lode_job_free(r.job);
    lode_ctx_free(ctx);
}

/* A job that cannot give anything away is waited for; what one thread leaves is taken. */
static void test_takes_what_there_is(void) {
    lode_ctx *ctx = make_ctx(8);
    lode_job *holder = make_job(ctx, 7), *newcomer = make_job(ctx, 0);
    line in = {.ctx = ctx};
    waiter w = {.in = &in, .job = newcomer};
    lease_call call;
    enter(holder, &call);
    pthread_create(&w.thread, NULL, waiter_main, &w);
    pthread_join(w.thread, NULL);
    CHECK_EQUAL(w.status, LODE_OK);
    CHECK(w.seconds >= 0.05); /* and it did not wait for the holder, who stays */
    lease_leave(&call);
    lode_job_free(holder);
    lode_job_free(newcomer);
    lode_ctx_free(ctx);
}

/* ---- many at once ---------------------------------------------------------------------------- */

#define N_CROWD 12

typedef struct crowd {
    lode_ctx *ctx;
    uint64_t seed;
    _Atomic unsigned at_work, most; /* counted by the test */
} crowd;

typedef struct member {
    crowd *in;
    unsigned index;
    pthread_t thread;
} member;

static lode_status crowd_work(void *arg, unsigned worker) {
    crowd *c = arg;
    (void)worker;
    unsigned now = atomic_fetch_add(&c->at_work, 1) + 1, most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now)) {
    }
    os_pause(300);
    atomic_fetch_sub(&c->at_work, 1);
    return LODE_OK;
}

static void *member_main(void *arg) {
    member *m = arg;
    lode_job *job = make_job(m->in->ctx, m->index % 3 == 0 ? 2 : 0);
    rng r = rng_make(m->index, 7);
    for (unsigned i = 0; i < 20; i++) {
        lease_call call;
        enter(job, &call);
        for (unsigned k = 0; k < 3; k++) {
            bool all = rng_below(&r, 2);
            unsigned n = all ? job->threads : 4;
            CHECK_EQUAL(parallel_run(job, n, all, crowd_work, m->in), LODE_OK);
        }
        lease_leave(&call);
    }
    lode_job_free(job);
    return NULL;
}

static void test_crowd(void) {
    crowd c = {.ctx = make_ctx(3)};
    member m[N_CROWD];
    for (unsigned i = 0; i < N_CROWD; i++) {
        m[i] = (member){.in = &c, .index = i};
        pthread_create(&m[i].thread, NULL, member_main, &m[i]);
    }
    for (unsigned i = 0; i < N_CROWD; i++) pthread_join(m[i].thread, NULL);
    lode_usage u = usage_of(c.ctx);
    CHECK(atomic_load(&c.most) <= 3 && u.threads_peak <= 3);
    CHECK(u.threads_used == 0 && u.jobs_running == 0 && u.jobs_waiting == 0);
    lode_ctx_free(c.ctx);
}

int main(void) {
    CHECK_RUN(test_usage);
    CHECK_RUN(test_first_come_first_served);
    CHECK_RUN(test_cancel_while_waiting);
    CHECK_RUN(test_calls_in_calls);
    CHECK_RUN(test_shares);
    CHECK_RUN(test_takes_what_there_is);
    CHECK_RUN(test_crowd);
    return check_result();
}
