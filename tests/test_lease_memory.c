/* test_lease_memory.c - memory that jobs share: reserved, waited for, and never lent twice
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/os.h"
#include "check.h"
#include "runtime/job.h"
#include "structs.h"

#define MIB ((size_t)1 << 20)

static lode_ctx *make_ctx(size_t budget) {
    lode_ctx_options o = {.size = sizeof o, .threads = 4, .memory_bytes = budget};
    lode_ctx *ctx = NULL;
    if (lode_ctx_create(&ctx, &o) != LODE_OK) exit(2);
    return ctx;
}

static lode_job *make_job(lode_ctx *ctx, size_t budget) {
    lode_job_options o = {.size = sizeof o, .memory_bytes = budget, .threads = 2};
    lode_job *job = NULL;
    if (lode_job_create(&job, ctx, &o) != LODE_OK) exit(2);
    return job;
}

static void enter(lode_job *job, lease_call *call) {
    *call = (lease_call){0};
    CHECK_EQUAL(lease_enter(job, LEASE_ANY, call), LODE_OK);
}

static unsigned n_waiting(lode_ctx *ctx) {
    lode_usage u = {.size = sizeof u};
    CHECK(lode_ctx_usage(ctx, &u));
    return u.jobs_waiting;
}

/* --- another job, on a thread of its own ------------------------------------------------------ */

typedef struct other {
    lode_job *job;
    size_t wants, takes; /* asks for, and uses */
    lode_status entered, reserved, taken;
    bool waited;
    _Atomic bool go, there;
    pthread_t thread;
} other;

static void *other_main(void *arg) {
    other *o = arg;
    lease_call call = {0};
    o->entered = lease_enter(o->job, LEASE_ANY, &call);
    o->reserved = lease_reserve(o->job, o->wants, &o->waited);
    o->taken = o->reserved == LODE_OK ? mem_charge(&o->job->mem, o->takes) : o->reserved;
    atomic_store(&o->there, true);
    while (!atomic_load(&o->go)) os_pause(200);
    if (o->taken == LODE_OK) mem_discharge(&o->job->mem, o->takes);
    lease_leave(&call);
    return NULL;
}

static void other_start(other *o) {
    pthread_create(&o->thread, NULL, other_main, o);
}

static void other_await(other *o) {
    while (!atomic_load(&o->there)) os_pause(200);
}

static void other_end(other *o) {
    atomic_store(&o->go, true);
    pthread_join(o->thread, NULL);
    lode_job_free(o->job);
}

/* What was promised to one cannot be had by another, and is there when it is wanted. */
static void test_promise(void) {
    lode_ctx *ctx = make_ctx(100 * MIB);
    lode_job *job = make_job(ctx, 0);
    other o = {.job = make_job(ctx, 0), .wants = 60 * MIB, .takes = 10 * MIB};
    lease_call call;
    bool waited;
    other_start(&o);
    other_await(&o);
    CHECK(!o.waited && o.taken == LODE_OK);
    enter(job, &call);
    CHECK_EQUAL(mem_left(&job->mem), 40 * MIB);
    CHECK_EQUAL(mem_left(&o.job->mem), 90 * MIB);
    CHECK_EQUAL(mem_charge(&job->mem, 41 * MIB), LODE_BUDGET);
    CHECK_EQUAL(mem_charge(&job->mem, 40 * MIB), LODE_OK);
    CHECK_EQUAL(mem_charge(&job->mem, 1), LODE_BUDGET);
    CHECK_EQUAL(mem_charge(&o.job->mem, 51 * MIB), LODE_BUDGET); /* more than was promised */
    CHECK_EQUAL(mem_charge(&o.job->mem, 50 * MIB), LODE_OK);
    CHECK_EQUAL(mem_used(&ctx->mem), 100 * MIB);
    mem_discharge(&o.job->mem, 50 * MIB);
    mem_discharge(&job->mem, 40 * MIB);
    CHECK_EQUAL(lease_reserve(job, 40 * MIB, &waited), LODE_OK);
    CHECK(!waited);
    CHECK_EQUAL(mem_left(&o.job->mem), 50 * MIB); /* of 100, without 10 and 40 */
    lease_leave(&call);
    other_end(&o);
    CHECK_EQUAL(mem_left(&job->mem), 100 * MIB);
    lode_job_free(job);
    lode_ctx_free(ctx);
}

static void test_wait_for_others(void) {
    lode_ctx *ctx = make_ctx(100 * MIB);
    lode_job *job = make_job(ctx, 0);
    other first = {.job = make_job(ctx, 0), .wants = 80 * MIB, .takes = 80 * MIB};
    other second = {.job = make_job(ctx, 0), .wants = 10 * MIB};
    lease_call call;
    enter(job, &call);
    CHECK_EQUAL(mem_charge(&job->mem, 50 * MIB), LODE_OK);
    other_start(&first);
    while (n_waiting(ctx) < 1) os_pause(200);
    other_start(&second); /* would fit, but is not its turn */
    while (n_waiting(ctx) < 2) os_pause(200);
    CHECK(!atomic_load(&first.there) && !atomic_load(&second.there));
    mem_discharge(&job->mem, 50 * MIB);
    lease_leave(&call);
    other_await(&first);
    CHECK(first.waited && first.taken == LODE_OK && first.job->threads == 2);
    other_await(&second);
    other_end(&first);
    other_end(&second);
    CHECK_EQUAL(atomic_load(&ctx->mem.promises), 0);
    lode_job_free(job);
    lode_ctx_free(ctx);
}

static void test_cancel_while_waiting(void) {
    lode_ctx *ctx = make_ctx(100 * MIB);
    lode_job *job = make_job(ctx, 0);
    other o = {.job = make_job(ctx, 0), .wants = 80 * MIB};
    lease_call call;
    enter(job, &call);
    CHECK_EQUAL(mem_charge(&job->mem, 50 * MIB), LODE_OK);
    other_start(&o);
    while (n_waiting(ctx) < 1) os_pause(200);
    lode_job_cancel(o.job);
    other_await(&o); /* although nothing is given back */
    CHECK_EQUAL(o.reserved, LODE_CANCELLED);
    other_end(&o);
    mem_discharge(&job->mem, 50 * MIB);
    lease_leave(&call);
    lode_job_free(job);
    lode_ctx_free(ctx);
}

/* Too much for the budget in any case: it waits until it is alone, and then makes do. */
static void test_never_fits(void) {
    lode_ctx *ctx = make_ctx(100 * MIB);
    lode_job *job = make_job(ctx, 0);
    other o = {.job = make_job(ctx, 0), .wants = 200 * MIB, .takes = 90 * MIB};
    lease_call call;
    bool waited;
    enter(job, &call);
    other_start(&o);
    while (n_waiting(ctx) < 1) os_pause(200);
    lease_leave(&call);
    other_await(&o);
    CHECK(o.waited && o.taken == LODE_OK);
    other_end(&o);
    enter(job, &call); /* alone: at once */
    CHECK_EQUAL(lease_reserve(job, 200 * MIB, &waited), LODE_OK);
    CHECK(!waited);
    CHECK_EQUAL(lease_again(job), LODE_BUDGET); /* nobody is to blame */
    lease_leave(&call);
    lode_job_free(job);
    lode_ctx_free(ctx);
}

/* -- a read that finds no room beside others --------------------------------------------------- */

typedef struct reading {
    lode_job *job;
    lode_dataset *data;
    lode_status status;
    const char *text;
    size_t n;
    pthread_t thread;
} reading;

static void *reading_main(void *arg) {
    reading *r = arg;
    r->status = lode_dataset_parse(r->job, &r->data, r->text, r->n, NULL, NULL);
    return NULL;
}

static char *numbers(size_t n_lines, size_t *n) {
    char *text = malloc(n_lines * 16);
    *n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        *n += (size_t)snprintf(text + *n, 16, "%zu %zu\n", i % 997, 1000 + i % 991);
    }
    return text;
}

static void test_read_again(void) {
    size_t n;
    char *text = numbers(200000, &n);
    lode_ctx *ctx = make_ctx(16 * MIB);
    lode_job *holder = make_job(ctx, 0);
    reading r = {.job = make_job(ctx, 0), .text = text, .n = n};
    lease_call call;
    enter(holder, &call);
    CHECK_EQUAL(mem_charge(&holder->mem, 15 * MIB), LODE_OK);
    pthread_create(&r.thread, NULL, reading_main, &r);
    while (n_waiting(ctx) < 1) os_pause(200);
    mem_discharge(&holder->mem, 15 * MIB);
    lease_leave(&call);
    pthread_join(r.thread, NULL);
    CHECK_EQUAL(r.status, LODE_OK);
    CHECK_TEXT(lode_job_error(r.job), "");
    CHECK_EQUAL(profile_of(r.data).n_transactions, 200000);
    lode_dataset_free(r.data);

    /* A job that exceeds a budget of its own has nothing to wait for. */
    reading own = {.job = make_job(ctx, MIB), .text = text, .n = n};
    enter(holder, &call);
    pthread_create(&own.thread, NULL, reading_main, &own);
    pthread_join(own.thread, NULL);
    CHECK_EQUAL(own.status, LODE_BUDGET);
    CHECK(!strstr(lode_job_error(own.job), "other jobs"));
    lease_leave(&call);
    lode_job_free(own.job);
    lode_job_free(r.job);
    lode_job_free(holder);
    lode_ctx_free(ctx);
    free(text);
}

/* The message of a job that cannot wait, since it is in the way of the other. */
static void test_message(void) {
    size_t n;
    char *text = numbers(200000, &n);
    lode_ctx *ctx = make_ctx(16 * MIB);
    lode_job *holder = make_job(ctx, 0);
    reading r = {.job = make_job(ctx, 0), .text = text, .n = n};
    lease_call call;
    enter(holder, &call);
    CHECK_EQUAL(mem_charge(&holder->mem, 15 * MIB), LODE_OK);
    reading_main(&r); /* within the call of the other, as from a callback */
    CHECK_EQUAL(r.status, LODE_BUDGET);
    CHECK(strstr(lode_job_error(r.job), "; other jobs hold 15.1 MiB"));
    mem_discharge(&holder->mem, 15 * MIB);
    lease_leave(&call);
    lode_job_free(r.job);
    lode_job_free(holder);
    lode_ctx_free(ctx);
    free(text);
}

int main(void) {
    CHECK_RUN(test_promise);
    CHECK_RUN(test_wait_for_others);
    CHECK_RUN(test_cancel_while_waiting);
    CHECK_RUN(test_never_fits);
    CHECK_RUN(test_read_again);
    CHECK_RUN(test_message);
    return check_result();
}
