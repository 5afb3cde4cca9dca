/* lease.c - see lease.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/lease.h"

#include "base/check.h"
#include "base/os.h"
#include "runtime/job.h"

/* While waiting: the interval at which the cancel flag is checked, and the time after which a call
 * takes the free threads even if they are less than its share. */
#define LEASE_POLL_SECONDS  0.02
#define LEASE_SHARE_SECONDS 0.05

/* What the calling thread does for lode at the moment. */
static _Thread_local struct {
    lode_job *job; /* it is in a call of this job */
    bool worker;   /* it was started by parallel_run() */
    bool gave;     /* lease_gives() has told it to end */
} lease_here;

void lease_pool_init(lease_pool *pool, unsigned threads) {
    *pool = (lease_pool){.allowed = threads, .free = threads};
    pthread_mutex_init(&pool->lock, NULL);
    cond_init(&pool->changed);
}

#if LODE_DEBUG
/* Under the lock: every thread is free, held by one running job, or leaving. */
static void lease_validate(const lode_ctx *ctx) {
    const lease_pool *pool = &ctx->pool;
    unsigned held = 0, active = 0, n_running = 0, n_waiting = 0;
    size_t promised = 0;
    for (const lode_job *job = pool->running; job; job = job->lease.next) {
        LODE_DEBUG_CHECK(job->lease.within && job->lease.held > 0, "a running job has no thread");
        n_running++;
        held += job->lease.held;
        active += job->lease.active;
        promised += job->lease.promised;
    }
    for (const lode_job *job = pool->waiting; job; job = job->lease.next) {
        LODE_DEBUG_CHECK(job->lease.held == 0, "a waiting job holds %u threads", job->lease.held);
        n_waiting++;
        promised += job->lease.promised;
    }
    LODE_DEBUG_CHECK(pool->free + held + pool->leaving == pool->allowed,
                     "%u threads free, %u held and %u leaving do not add up to %u", pool->free,
                     held, pool->leaving, pool->allowed);
    LODE_DEBUG_CHECK(active <= pool->active && pool->active <= pool->peak,
                     "jobs have %u active threads, the pool counts %u active threads, and their "
                     "recorded peak is %u",
                     active, pool->active, pool->peak);
    LODE_DEBUG_CHECK(n_running == pool->n_running && n_waiting == atomic_load(&pool->n_waiting),
                     "%u jobs run and %u wait, but %u and %u are counted", n_running, n_waiting,
                     pool->n_running, atomic_load(&pool->n_waiting));
    LODE_DEBUG_CHECK(promised == atomic_load(&ctx->mem.promises),
                     "jobs have reserved %zu bytes, but %zu are counted", promised,
                     atomic_load(&ctx->mem.promises));
}
#endif

void lease_pool_clear(lease_pool *pool) {
    LODE_DEBUG_CHECK(pool->free == pool->allowed && pool->active == 0,
                     "%u threads of %u were not given back", pool->allowed - pool->free,
                     pool->allowed);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->changed);
}

void lease_share(lode_ctx *ctx) {
    pthread_mutex_lock(&ctx->pool.lock);
    ctx->pool.shared = true;
    pthread_mutex_unlock(&ctx->pool.lock);
}

/* ---- threads, under the lock ----------------------------------------------------------------- */

static unsigned lease_pool_waiting(const lease_pool *pool) {
    return atomic_load_explicit(&pool->n_waiting, memory_order_relaxed);
}

/* How many threads each job may hold, counting those that wait. */
static unsigned lease_pool_share(const lease_pool *pool) {
    unsigned n = pool->n_running + lease_pool_waiting(pool);
    return n > 0 && pool->allowed > n ? pool->allowed / n : 1;
}

/* Whether a job should give one of its threads back; `idle`: it has no work for it. */
static bool lease_pool_wants(const lode_job *job, bool idle) {
    const lease_pool *pool = &job->ctx->pool;
    const lease *l = &job->lease;
    if (lease_pool_waiting(pool) == 0 || l->borrowed || l->held <= 1 || l->held <= l->least)
        return false;
    return idle || l->held > lease_pool_share(pool);
}

static void lease_pool_give_back(lease_pool *pool, unsigned n) {
    pool->free += n;
    pthread_cond_broadcast(&pool->changed);
}

static void lease_pool_activate(lode_job *job) {
    lease_pool *pool = &job->ctx->pool;
    job->lease.active++;
    if (++pool->active > pool->peak) pool->peak = pool->active;
}

static void lease_pool_deactivate(lode_job *job) {
    LODE_DEBUG_CHECK(job->lease.active > 0, "a thread ends that was not active");
    job->lease.active--;
    job->ctx->pool.active--;
}

static void list_append(lode_job **list, lode_job *job) {
    while (*list) list = &(*list)->lease.next;
    job->lease.next = NULL;
    *list = job;
}

static void list_remove(lode_job **list, const lode_job *job) {
    while (*list != job) list = &(*list)->lease.next;
    *list = job->lease.next;
}

/* ---- memory, under the lock ------------------------------------------------------------------ */

static size_t lease_used(const lode_job *job) {
    return mem_used(&job->mem);
}

/* Bytes that all running jobs but this one have reserved and do not use yet. */
static size_t lease_pool_promised(const lease_pool *pool, const mem *but) {
    size_t sum = 0;
    for (const lode_job *job = pool->running; job; job = job->lease.next) {
        size_t used = lease_used(job);
        if (&job->mem != but && job->lease.promised > used) sum += job->lease.promised - used;
    }
    return sum;
}

size_t lease_promised(void *user, const mem *inner) {
    lode_ctx *ctx = user;
    pthread_mutex_lock(&ctx->pool.lock);
    size_t sum = lease_pool_promised(&ctx->pool, inner);
    pthread_mutex_unlock(&ctx->pool.lock);
    return sum;
}

/* Whether this many bytes are left, after those in use and those reserved by others. */
static bool lease_fits(const lode_job *job, size_t bytes) {
    const mem *m = &job->ctx->mem;
    size_t taken = mem_used(m) + lease_pool_promised(&job->ctx->pool, &job->mem);
    return taken <= m->budget && bytes <= m->budget - taken;
}

/* Whether there is enough memory for a waiting job to go on. */
static bool lease_has_room(const lode_job *job) {
    const lease *l = &job->lease;
    if (job->ctx->pool.n_running == 0) return true; /* waiting would free no more */
    if (l->again) return job->ctx->pool.n_ended > l->after;
    return l->wants == 0 || lease_fits(job, l->wants);
}

static void lease_promise(lode_job *job, size_t bytes) {
    mem *m = &job->ctx->mem;
    atomic_fetch_sub(&m->promises, job->lease.promised);
    job->lease.promised = bytes;
    atomic_fetch_add(&m->promises, bytes);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* How many threads a waiting job takes now; 0 = it waits on. */
static unsigned lease_offer(const lode_job *job, double waited) {
    const lease_pool *pool = &job->ctx->pool;
    if (pool->waiting != job || pool->free == 0 || !lease_has_room(job)) return 0;
    unsigned share = lease_pool_share(pool), wish = job->wish;
    if (job->lease.most < wish) wish = job->lease.most;
    unsigned most = wish < pool->free ? wish : pool->free;
    if (most < share && most < wish && waited < LEASE_SHARE_SECONDS) return 0;
    return lease_pool_waiting(pool) > 1 && share < most ? share : most;
}

static void lease_wait_briefly(lease_pool *pool) {
    cond_wait_for(&pool->changed, &pool->lock, LEASE_POLL_SECONDS);
}

static void lease_grant(lode_job *job, unsigned n) {
    lease_pool *pool = &job->ctx->pool;
    pool->free -= n;
    pool->n_running++;
    list_append(&pool->running, job);
    job->lease.held = n;
    job->threads = n;
    lease_pool_activate(job);
}

/* Waits in line. Called with the lock, which is released while waiting. */
static lode_status lease_queue(lode_job *job) {
    lease_pool *pool = &job->ctx->pool;
    lode_status status = LODE_OK;
    double start = os_seconds();
    unsigned n = 0;
    bool told = false;
    list_append(&pool->waiting, job);
    atomic_fetch_add(&pool->n_waiting, 1);
    while ((n = lease_offer(job, os_seconds() - start)) == 0 && status == LODE_OK) {
        lease_wait_briefly(pool);
        pthread_mutex_unlock(&pool->lock);
        if (!told) job_begin_phase(job, "wait");
        told = true;
        status = job_tick(job, 0, 0);
        if (status == LODE_STOPPED && job_is_raised(job)) status = LODE_OK; /* it still waits */
        pthread_mutex_lock(&pool->lock);
    }
    list_remove(&pool->waiting, job);
    if (n > 0) lease_grant(job, n);
    atomic_fetch_sub(&pool->n_waiting, 1);
    pthread_cond_broadcast(&pool->changed); /* another one is the first in line */
    LODE_VALIDATE(lease_validate(job->ctx));
    return n > 0 ? LODE_OK : status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* On the thread of another job's call: see lease.h. */
static void lease_borrow(lode_job *job) {
    job->lease.borrowed = true;
    job->lease.held = job->lease.active = 1;
    job->threads = 1;
}

static lode_status lease_begin(lode_job *job, unsigned most) {
    lode_status status = LODE_OK;
    job->lease.within = true;
    job->lease.most = most;
    if (lease_here.job) {
        lease_borrow(job);
    } else {
        status = lease_queue(job);
    }
    if (status != LODE_OK) job->lease.within = false;
    return status;
}

lode_status lease_enter(lode_job *job, unsigned most, lease_call *call) {
    lease_pool *pool = &job->ctx->pool;
    call->job = job;
    call->before = lease_here.job;
    if (call->before == job) return LODE_OK; /* a part of the call that was entered */
    pthread_mutex_lock(&pool->lock);
    bool elsewhere = job->lease.within;
    lode_status status = elsewhere ? LODE_INVALID : lease_begin(job, most);
    pthread_mutex_unlock(&pool->lock);
    if (elsewhere) return job_fail(job, status, "another thread is in a call with this job");
    if (status != LODE_OK) return status;
    call->entered = true;
    lease_here.job = job;
    /* lease_again() looks at it, to tell the job's own budget from the context's. */
    if (pool->shared) atomic_store(&job->mem.refused, 0);
    return LODE_OK;
}

void lease_leave(lease_call *call) {
    if (!call->entered) return;
    lode_job *job = call->job;
    lease_pool *pool = &job->ctx->pool;
    call->entered = false;
    lease_here.job = call->before;
    pthread_mutex_lock(&pool->lock);
    LODE_DEBUG_CHECK(
        job->lease.active == 1,
        "%u threads are active at the end of the call; expected only the thread that made it",
        job->lease.active);
    lease_promise(job, 0);
    if (!job->lease.borrowed) {
        lease_pool_deactivate(job);
        list_remove(&pool->running, job);
        pool->n_running--;
        lease_pool_give_back(pool, job->lease.held);
    }
    pool->n_ended++;
    job->lease = (lease){0};
    job->threads = job->wish;
    LODE_VALIDATE(lease_validate(job->ctx));
    pthread_mutex_unlock(&pool->lock);
}

unsigned lease_width(lode_job *job, unsigned n) {
    pthread_mutex_lock(&job->ctx->pool.lock);
    bool within = job->lease.within;
    unsigned held = job->lease.held;
    pthread_mutex_unlock(&job->ctx->pool.lock);
    return within && held < n ? held : n;
}

unsigned lease_extend(lode_job *job, unsigned wanted) {
    lease_pool *pool = &job->ctx->pool;
    pthread_mutex_lock(&pool->lock);
    unsigned held = job->lease.held, extra = wanted > held ? wanted - held : 0;
    if (!job->lease.within || job->lease.borrowed) extra = 0;
    if (!pool->shared && extra > pool->free) { /* no other job is affected */
        pool->allowed += extra - pool->free;
        pool->free = extra;
    }
    if (extra > pool->free) extra = pool->free;
    if (lease_pool_waiting(pool) > 0) extra = 0;
    pool->free -= extra;
    job->lease.held += extra;
    LODE_VALIDATE(lease_validate(job->ctx));
    pthread_mutex_unlock(&pool->lock);
    return lease_width(job, wanted);
}

void lease_keep(lode_job *job, unsigned n) {
    pthread_mutex_lock(&job->ctx->pool.lock);
    job->lease.least = n;
    pthread_mutex_unlock(&job->ctx->pool.lock);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Gives all threads back and waits in line again, for at most as many as it had. */
static lode_status lease_step_back(lode_job *job) {
    lease_pool *pool = &job->ctx->pool;
    job->lease.most = job->threads;
    lease_pool_deactivate(job);
    list_remove(&pool->running, job);
    pool->n_running--;
    lease_pool_give_back(pool, job->lease.held);
    job->lease.held = job->lease.least = 0;
    lode_status status = lease_queue(job);
    if (status != LODE_OK) lease_borrow(job); /* the call is about to end, with no thread lent */
    return status;
}

/* Whether there is a budget of which other jobs may hold a part. */
static bool lease_shares_memory(const lode_job *job) {
    const lode_ctx *ctx = job->ctx;
    return ctx->pool.shared && !job->lease.borrowed && job->lease.within &&
           ctx->mem.budget != SIZE_MAX;
}

lode_status lease_reserve(lode_job *job, size_t bytes, bool *waited) {
    lease_pool *pool = &job->ctx->pool;
    lode_status status = LODE_OK;
    *waited = false;
    pthread_mutex_lock(&pool->lock);
    if (lease_shares_memory(job)) {
        *waited = !lease_fits(job, bytes) && pool->n_running > 1;
        job->lease.wants = bytes;
        if (*waited) status = lease_step_back(job);
        job->lease.wants = 0;
        if (status == LODE_OK && lease_fits(job, bytes))
            lease_promise(job, lease_used(job) + bytes);
        LODE_VALIDATE(lease_validate(job->ctx));
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}

lode_status lease_again(lode_job *job) {
    lease_pool *pool = &job->ctx->pool;
    lode_status status = LODE_BUDGET;
    pthread_mutex_lock(&pool->lock);
    bool memory = lease_shares_memory(job) && mem_refused(&job->mem) == 0;
    bool device = job->lease.device_short && !job->lease.borrowed;
    if ((memory || device) && pool->n_running > 1) {
        lease_promise(job, 0);
        job->lease.device_short = false;
        job->lease.again = true;
        job->lease.after = pool->n_ended;
        status = lease_step_back(job);
        job->lease.again = false;
    }
    pthread_mutex_unlock(&pool->lock);
    if (status != LODE_BUDGET) job_clear_message(job);
    return status;
}

size_t lease_held_by_others(lode_job *job) {
    const lease_pool *pool = &job->ctx->pool;
    size_t sum = 0;
    pthread_mutex_lock(&job->ctx->pool.lock);
    for (const lode_job *other = pool->running; other; other = other->lease.next) {
        if (other != job) sum += lease_used(other);
    }
    pthread_mutex_unlock(&job->ctx->pool.lock);
    return sum;
}

/* ---- threads --------------------------------------------------------------------------------- */

bool lease_start_thread(lode_job *job, bool firmly) {
    lease_pool *pool = &job->ctx->pool;
    pthread_mutex_lock(&pool->lock);
    bool may = firmly || job->lease.active < job->lease.held;
    if (may) lease_pool_activate(job);
    pthread_mutex_unlock(&pool->lock);
    return may;
}

void lease_take_back_thread(lode_job *job) {
    pthread_mutex_lock(&job->ctx->pool.lock);
    lease_pool_deactivate(job);
    pthread_mutex_unlock(&job->ctx->pool.lock);
}

void lease_begin_thread(lode_job *job) {
    lease_here.job = job;
    lease_here.worker = true;
}

void lease_end_thread(lode_job *job, bool idle) {
    lease_pool *pool = &job->ctx->pool;
    pthread_mutex_lock(&pool->lock);
    lease_pool_deactivate(job);
    bool gives = !lease_here.gave && lease_pool_wants(job, idle);
    if (gives) job->lease.held--;
    if (lease_here.gave) pool->leaving--;
    if (gives || lease_here.gave) lease_pool_give_back(pool, 1);
    LODE_VALIDATE(lease_validate(job->ctx));
    pthread_mutex_unlock(&pool->lock);
    lease_here.gave = false;
}

lode_status lease_poll(lode_job *job) {
    bool entered = lease_here.job == job && !lease_here.worker;
    return entered ? job_tick(job, 0, 0) : job_check(job);
}

void lease_settle(lode_job *job) {
    if (lease_here.worker || lease_here.job != job) return;
    lease_pool *pool = &job->ctx->pool;
    pthread_mutex_lock(&pool->lock);
    if (job->lease.held < job->threads) job->threads = job->lease.held;
    pthread_mutex_unlock(&pool->lock);
}

void lease_rest(lode_job *job) {
    if (job->lease.borrowed) return; /* the thread is another job's */
    pthread_mutex_lock(&job->ctx->pool.lock);
    lease_pool_deactivate(job);
    pthread_mutex_unlock(&job->ctx->pool.lock);
}

void lease_resume(lode_job *job) {
    if (job->lease.borrowed) return;
    pthread_mutex_lock(&job->ctx->pool.lock);
    lease_pool_activate(job);
    pthread_mutex_unlock(&job->ctx->pool.lock);
}

bool lease_gives_now(lode_job *job) {
    lease_pool *pool = &job->ctx->pool;
    if (!lease_here.worker || lease_here.job != job || lease_here.gave) return lease_here.gave;
    pthread_mutex_lock(&pool->lock);
    bool gives = lease_pool_wants(job, false);
    if (gives) job->lease.held--;
    if (gives) pool->leaving++;
    LODE_VALIDATE(lease_validate(job->ctx));
    pthread_mutex_unlock(&pool->lock);
    lease_here.gave = gives;
    return gives;
}

/* ---- for the program ------------------------------------------------------------------------- */

void lease_usage(lode_ctx *ctx, lode_usage *out) {
    lease_pool *pool = &ctx->pool;
    pthread_mutex_lock(&pool->lock);
    out->threads = pool->allowed;
    out->threads_used = pool->active;
    out->threads_peak = pool->peak;
    out->jobs_running = pool->n_running;
    out->jobs_waiting = lease_pool_waiting(pool);
    pthread_mutex_unlock(&pool->lock);
}
