/* test_prepared.c - prepared data: shared, waited for, replaced, freed
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/prepared.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "data/transactions/dataset.h"
#include "faulty.h"
#include "jobs.h"

static void pause_ms(long ms) {
    struct timespec t = {.tv_nsec = ms * 1000000};
    nanosleep(&t, NULL);
}

/* A thing of so many bytes that serves thresholds from `least` on. */
typedef struct thing {
    uint32_t least;
    size_t bytes;
    char *block;
    uint32_t older; /* `least` of the one that it was extended from */
} thing;

/* What a build does, and what it has seen. */
typedef struct plan {
    lode_status fails;
    bool once;
    uint32_t deeper;     /* serves thresholds from so much lower on */
    _Atomic int *gate;   /* the build waits until it is 1 */
    _Atomic int started; /* builds begun */
} plan;

static bool thing_fits(const void *key, const void *wanted) {
    return *(const uint32_t *)key <= *(const uint32_t *)wanted;
}

static bool thing_extends(const void *key, const void *wanted) {
    return *(const uint32_t *)key <= *(const uint32_t *)wanted + 5;
}

static void thing_free(mem *m, void *value) {
    thing *t = value;
    mem_free(m, t->block, t->bytes);
    mem_free(m, t, sizeof *t);
}

static lode_status thing_build(prepared_build *b) {
    plan *p = (plan *)(uintptr_t)b->arg;
    lode_status status = LODE_OK;
    thing *t = NULL;
    atomic_fetch_add(&p->started, 1);
    while (p->gate && atomic_load(p->gate) == 0) {
        LODE_TRY(job_check(b->job));
        pause_ms(1);
    }
    LODE_TRY(mem_zalloc(b->mem, (void **)&t, sizeof *t));
    t->bytes = 1000;
    LODE_TRY(mem_zalloc(b->mem, (void **)&t->block, t->bytes));
    LODE_TRY(p->fails);
    *(uint32_t *)b->key -= p->deeper;
    t->least = *(uint32_t *)b->key;
    b->once = p->once;
    if (b->older) {
        t->older = ((const thing *)prepared_value(b->older))->least;
        b->extended = true;
    }
    b->value = t;
    t = NULL;
done:
    if (t) mem_free(b->mem, t->block, t->block ? t->bytes : 0);
    mem_free(b->mem, t, t ? sizeof *t : 0);
    return status;
}

#define THING(title)                                                                               \
    .name = (title), .key_bytes = sizeof(uint32_t), .fits = thing_fits, .build = thing_build,      \
    .free = thing_free

static const prepared_kind plain_kind = {THING("plain")};
static const prepared_kind other_kind = {THING("other")};
static const prepared_kind growing_kind = {THING("growing"), .extends = thing_extends};

/* A context with a data set, and two jobs. */
typedef struct world {
    lode_ctx *ctx;
    lode_job *job, *other;
    lode_dataset *data;
    uint64_t empty; /* bytes in use with nothing prepared */
} world;

static world world_open(uint64_t budget) {
    static const uint64_t offsets[] = {0, 2};
    static const uint32_t items[] = {1, 2};
    world w = {0};
    lode_ctx_options o = {.size = sizeof o, .memory_bytes = budget, .threads = 2};
    CHECK_EQUAL(lode_ctx_create(&w.ctx, &o), LODE_OK);
    CHECK_EQUAL(lode_job_create(&w.job, w.ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_job_create(&w.other, w.ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_from_arrays(w.job, &w.data, 1, offsets, items, NULL), LODE_OK);
    w.empty = lode_ctx_memory_used(w.ctx);
    return w;
}

static void world_close(world *w) {
    CHECK_EQUAL(lode_job_memory_used(w->job), 0);
    CHECK_EQUAL(lode_job_memory_used(w->other), 0);
    lode_dataset_free(w->data);
    lode_job_free(w->job);
    lode_job_free(w->other);
    CHECK_EQUAL(lode_ctx_memory_used(w->ctx), 0);
    lode_ctx_free(w->ctx);
}

static lode_status take(const world *w, lode_job *job, const prepared_kind *kind, uint32_t wanted,
                        plan *p, prepared **out, prepared_origin *origin) {
    prepared_request request = {w->data->prepared, kind, &wanted, p};
    return prepared_take(job, &request, out, origin);
}

static uint32_t least_of(const prepared *p) {
    return ((const thing *)prepared_value(p))->least;
}

static void shared(void) {
    world w = world_open(0);
    plan p = {0};
    prepared *a = NULL, *b = NULL, *c = NULL;
    prepared_origin origin;
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 10, &p, &a, &origin), LODE_OK);
    CHECK_TEXT(prepared_origin_text(origin), "built");
    CHECK(lode_job_memory_used(w.job) >= 1000); /* counts in the job that uses it, … */
    CHECK_EQUAL(take(&w, w.other, &plain_kind, 12, &p, &b, &origin), LODE_OK);
    CHECK_TEXT(prepared_origin_text(origin), "reused");
    CHECK(a == b);
    CHECK_EQUAL(lode_job_memory_used(w.other), 0);
    CHECK_EQUAL(take(&w, w.other, &other_kind, 12, &p, &c, &origin), LODE_OK);
    CHECK(c != b && origin == PREPARED_BUILT);
    prepared_drop(w.job, a);
    CHECK_EQUAL(lode_job_memory_used(w.job), 0); /* … and in the context alone when it has done */
    CHECK_EQUAL(least_of(b), 10);
    prepared_drop(w.other, b);
    prepared_drop(w.other, c);
    CHECK(lode_ctx_memory_used(w.ctx) >= w.empty + 2000); /* they stay */
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 10, &p, &a, &origin), LODE_OK);
    CHECK(a == b && origin == PREPARED_REUSED);
    prepared_drop(w.job, a);
    CHECK_EQUAL(p.started, 2);
    CHECK(prepared_reclaim(w.data->prepared) >= 2000);
    CHECK_EQUAL(lode_ctx_memory_used(w.ctx), w.empty);
    world_close(&w);
}

static void replaced(void) {
    world w = world_open(0);
    plan p = {0}, deep = {.deeper = 4};
    prepared *a = NULL, *b = NULL;
    prepared_origin origin;
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 10, &p, &a, &origin), LODE_OK);
    CHECK_EQUAL(take(&w, w.other, &plain_kind, 9, &deep, &b, &origin), LODE_OK);
    CHECK(a != b && origin == PREPARED_BUILT && least_of(b) == 5);
    CHECK_EQUAL(least_of(a), 10); /* in use until it is dropped */
    uint64_t both = lode_ctx_memory_used(w.ctx);
    prepared_drop(w.job, a);
    CHECK(lode_ctx_memory_used(w.ctx) <= both - 1000);
    prepared_drop(w.other, b);
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 5, &p, &a, &origin), LODE_OK);
    CHECK(a == b && origin == PREPARED_REUSED); /* it serves what it says it does */
    prepared_drop(w.job, a);
    world_close(&w);
}

static void extended(void) {
    world w = world_open(0);
    plan p = {0};
    prepared *a = NULL, *b = NULL, *c = NULL;
    prepared_origin origin;
    CHECK_EQUAL(take(&w, w.job, &growing_kind, 20, &p, &a, &origin), LODE_OK);
    prepared_drop(w.job, a);
    CHECK_EQUAL(take(&w, w.job, &growing_kind, 16, &p, &b, &origin), LODE_OK);
    CHECK_TEXT(prepared_origin_text(origin), "extended");
    CHECK_EQUAL(((const thing *)prepared_value(b))->older, 20);
    prepared_drop(w.job, b);
    CHECK_EQUAL(take(&w, w.job, &growing_kind, 3, &p, &c, &origin), LODE_OK);
    CHECK_EQUAL(origin, PREPARED_BUILT); /* too far */
    prepared_drop(w.job, c);
    world_close(&w);
}

static void once(void) {
    world w = world_open(0);
    plan p = {.once = true};
    prepared *a = NULL, *b = NULL;
    prepared_origin origin;
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 10, &p, &a, &origin), LODE_OK);
    CHECK_EQUAL(take(&w, w.other, &plain_kind, 10, &p, &b, &origin), LODE_OK);
    CHECK(a != b && origin == PREPARED_BUILT);
    prepared_drop(w.job, a);
    prepared_drop(w.other, b);
    CHECK_EQUAL(lode_ctx_memory_used(w.ctx), w.empty);
    world_close(&w);
}

static void failing(void) {
    world w = world_open(0);
    plan bad = {.fails = LODE_IO}, good = {0};
    prepared *a = NULL;
    prepared_origin origin;
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 10, &bad, &a, &origin), LODE_IO);
    CHECK(a == NULL);
    CHECK_EQUAL(lode_ctx_memory_used(w.ctx), w.empty);
    CHECK_EQUAL(take(&w, w.other, &plain_kind, 10, &good, &a, &origin), LODE_OK);
    CHECK_EQUAL(origin, PREPARED_BUILT);
    prepared_drop(w.other, a);
    world_close(&w);
}

/* What nobody uses makes room where a budget is short; a build that does not fit says so. */
static void budget(void) {
    world w = world_open(1 << 20);
    plan p = {0};
    prepared *a = NULL;
    prepared_origin origin;
    CHECK_EQUAL(take(&w, w.job, &plain_kind, 10, &p, &a, &origin), LODE_OK);
    prepared_drop(w.job, a);
    CHECK(lode_ctx_memory_used(w.ctx) >= w.empty + 1000);
    void *large = NULL;
    size_t bytes = (1 << 20) - w.empty;
    CHECK_EQUAL(mem_zalloc(&w.job->mem, &large, bytes), LODE_OK);
    mem_free(&w.job->mem, large, bytes);
    CHECK_EQUAL(lode_ctx_memory_used(w.ctx), w.empty);
    lode_job_options o = {.size = sizeof o, .memory_bytes = 1200};
    lode_job *small = NULL;
    CHECK_EQUAL(lode_job_create(&small, w.ctx, &o), LODE_OK);
    a = NULL;
    CHECK_EQUAL(take(&w, small, &plain_kind, 10, &p, &a, &origin), LODE_OK);
    prepared_drop(small, a);
    lode_job_free(small);
    o.memory_bytes = 900;
    CHECK_EQUAL(lode_job_create(&small, w.ctx, &o), LODE_OK);
    a = NULL;
    prepared_reclaim(w.data->prepared);
    CHECK_EQUAL(take(&w, small, &plain_kind, 10, &p, &a, &origin), LODE_BUDGET);
    CHECK(a == NULL);
    lode_job_free(small);
    world_close(&w);
}

/* Whichever allocation fails, nothing is lost. */
static void faults(void) {
    for (uint64_t k = 0; k < 12; k++) {
        static const uint64_t offsets[] = {0, 2};
        static const uint32_t items[] = {1, 2};
        faulty f = {.fail_at = UINT64_MAX};
        pthread_mutex_init(&f.lock, NULL);
        lode_job_options o = {.size = sizeof o, .threads = 1};
        lode_job *job = NULL;
        lode_dataset *data = NULL;
        plan p = {0};
        prepared *a = NULL;
        uint32_t wanted = 7;
        CHECK_EQUAL(job_with_memory(&job, &o, faulty_resize, &f), LODE_OK);
        CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 1, offsets, items, NULL), LODE_OK);
        f.fail_at = f.calls + k;
        prepared_request request = {data->prepared, &plain_kind, &wanted, &p};
        lode_status status = prepared_take(job, &request, &a, NULL);
        CHECK(status == (a ? LODE_OK : LODE_NOMEM));
        if (k == 11) CHECK_EQUAL(status, LODE_OK); /* all have been tried */
        if (k == 0) CHECK_EQUAL(status, LODE_NOMEM);
        prepared_drop(job, a);
        lode_dataset_free(data);
        lode_job_free(job);
        CHECK(f.live == 0 && !f.wrong_size);
        pthread_mutex_destroy(&f.lock);
    }
}

/* ---- two at once ----------------------------------------------------------------------------- */

typedef struct taker {
    const world *world;
    lode_job *job;
    plan *plan;
    uint32_t wanted;
    lode_status status;
    prepared_origin origin;
    prepared *got;
} taker;

static void *taker_main(void *arg) {
    taker *t = arg;
    t->status = take(t->world, t->job, &plain_kind, t->wanted, t->plan, &t->got, &t->origin);
    return NULL;
}

/* Lets one job build, and another want it meanwhile; `cancel` is cancelled then. */
static void run_two(taker *builder, taker *waiter, plan *p, lode_job *cancel) {
    pthread_t threads[2];
    _Atomic int gate = 0;
    p->gate = &gate;
    pthread_create(&threads[0], NULL, taker_main, builder);
    while (atomic_load(&p->started) == 0) pause_ms(1);
    pthread_create(&threads[1], NULL, taker_main, waiter);
    pause_ms(30);
    CHECK_EQUAL(p->started, 1); /* it waits */
    if (cancel) lode_job_cancel(cancel);
    if (cancel == waiter->job) pthread_join(threads[1], NULL); /* before the build has ended */
    if (cancel != builder->job) atomic_store(&gate, 1);
    pthread_join(threads[0], NULL);
    atomic_store(&gate, 1);
    if (cancel != waiter->job) pthread_join(threads[1], NULL);
}

static void waits(void) {
    world w = world_open(0);
    plan p = {0};
    taker a = {&w, w.job, &p, 10, LODE_OK, PREPARED_BUILT, NULL};
    taker b = {&w, w.other, &p, 15, LODE_OK, PREPARED_BUILT, NULL};
    run_two(&a, &b, &p, NULL);
    CHECK(a.status == LODE_OK && b.status == LODE_OK && a.got == b.got);
    CHECK(a.origin == PREPARED_BUILT && b.origin == PREPARED_REUSED && p.started == 1);
    prepared_drop(w.job, a.got);
    prepared_drop(w.other, b.got);
    world_close(&w);
}

static void cancelled_waiting(void) {
    world w = world_open(0);
    plan p = {0};
    taker a = {&w, w.job, &p, 10, LODE_OK, PREPARED_BUILT, NULL};
    taker b = {&w, w.other, &p, 15, LODE_OK, PREPARED_BUILT, NULL};
    run_two(&a, &b, &p, w.other);
    CHECK(a.status == LODE_OK && b.status == LODE_CANCELLED && !b.got);
    prepared_drop(w.job, a.got);
    world_close(&w);
}

/* Who waits builds for itself when the other is cancelled. */
static void cancelled_building(void) {
    world w = world_open(0);
    plan p = {0};
    taker a = {&w, w.job, &p, 10, LODE_OK, PREPARED_BUILT, NULL};
    taker b = {&w, w.other, &p, 15, LODE_OK, PREPARED_BUILT, NULL};
    run_two(&a, &b, &p, w.job);
    CHECK(a.status == LODE_CANCELLED && !a.got);
    CHECK(b.status == LODE_OK && b.origin == PREPARED_BUILT && p.started == 2);
    prepared_drop(w.other, b.got);
    world_close(&w);
}

/* Many threads that take, drop and reclaim at random. */
typedef struct crowd {
    world *world;
    unsigned seed;
} crowd;

static void *crowd_main(void *arg) {
    crowd *c = arg;
    lode_job *job = NULL;
    plan p = {0};
    uint64_t x = c->seed * 2654435761u + 1;
    if (lode_job_create(&job, c->world->ctx, NULL) != LODE_OK) abort();
    for (int i = 0; i < 300; i++) {
        prepared *got = NULL;
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint32_t wanted = (uint32_t)(x >> 33) % 20 + 5;
        const prepared_kind *kind = x >> 60 & 1 ? &plain_kind : &growing_kind;
        p.deeper = (uint32_t)(x >> 40) % 3;
        lode_status status = take(c->world, job, kind, wanted, &p, &got, NULL);
        if (status != LODE_OK || least_of(got) > wanted) abort();
        prepared_drop(job, got);
        if ((x >> 50) % 8 == 0) prepared_reclaim(c->world->data->prepared);
    }
    lode_job_free(job);
    return NULL;
}

static void many(void) {
    world w = world_open(0);
    pthread_t threads[4];
    crowd crowds[4];
    for (unsigned i = 0; i < 4; i++) {
        crowds[i] = (crowd){&w, i};
        pthread_create(&threads[i], NULL, crowd_main, &crowds[i]);
    }
    for (unsigned i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    world_close(&w);
}

/* ---- a broken kind ------------------------------------------------------------------------- */

static lode_job *greedy_job;
static lode_status greedy_status;

/* Takes memory under the lock of the store, which no kind may: all that the budget allows, so that
 * what was prepared would have to make room. */
static bool greedy_fits(const void *key, const void *wanted) {
    void *block = NULL;
    size_t bytes = (size_t)1 << 20;
    greedy_status = mem_zalloc(&greedy_job->mem, &block, bytes);
    if (block) mem_free(&greedy_job->mem, block, bytes);
    return thing_fits(key, wanted);
}

/* It is refused, and does not wait for ever for itself. In Debug builds it ends the program. */
static void greedy(void) {
    static const prepared_kind kind = {.name = "greedy",
                                       .key_bytes = sizeof(uint32_t),
                                       .fits = greedy_fits,
                                       .build = thing_build,
                                       .free = thing_free};
    plan p = {0};
    if (LODE_DEBUG) return;
    world w = world_open(((size_t)1 << 20) + 512);
    greedy_job = w.job;
    for (unsigned i = 0; i < 2; i++) { /* the second looks at the first, which nobody uses */
        prepared *got = NULL;
        CHECK_EQUAL(take(&w, w.job, &kind, 10, &p, &got, NULL), LODE_OK);
        prepared_drop(w.job, got);
    }
    CHECK_EQUAL(greedy_status, LODE_BUDGET);
    world_close(&w);
}

int main(void) {
    alarm(60); /* who waits for itself would wait for ever */
    CHECK_RUN(greedy);
    CHECK_RUN(shared);
    CHECK_RUN(replaced);
    CHECK_RUN(extended);
    CHECK_RUN(once);
    CHECK_RUN(failing);
    CHECK_RUN(budget);
    CHECK_RUN(faults);
    CHECK_RUN(waits);
    CHECK_RUN(cancelled_waiting);
    CHECK_RUN(cancelled_building);
    CHECK_RUN(many);
    return check_result();
}
