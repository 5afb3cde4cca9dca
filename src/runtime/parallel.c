/* parallel.c - see parallel.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/parallel.h"

#include "base/os.h"

typedef struct parallel_region {
    pthread_mutex_t gate; /* held until every thread has been started */
    bool call_off;        /* written before the gate opens */
    bool all_or_none;
    lode_job *job;
    parallel_fn fn;
    void *arg;
} parallel_region;

typedef struct parallel_worker {
    parallel_region *region;
    pthread_t thread;
    bool started;
    unsigned index;
    lode_status status;
    double seconds;
} parallel_worker;

static void parallel_call(parallel_worker *w) {
    double start = os_thread_seconds();
    w->status = w->region->fn(w->region->arg, w->index);
    w->seconds = os_thread_seconds() - start;
}

static void *parallel_main(void *arg) {
    parallel_worker *w = arg;
    pthread_mutex_lock(&w->region->gate);
    bool call_off = w->region->call_off;
    pthread_mutex_unlock(&w->region->gate);
    lease_begin_thread(w->region->job);
    if (!call_off) parallel_call(w);
    lease_end_thread(w->region->job, w->region->all_or_none);
    return NULL;
}

static void parallel_account(lode_job *job, const parallel_worker *w) {
    if (w->index >= LODE_REPORT_THREADS) return;
    job->worker_seconds[w->index] += w->seconds;
    if (job->n_worker_seconds <= w->index) job->n_worker_seconds = w->index + 1;
}

/* Requests stacks of the default size, but at least PARALLEL_STACK_BYTES: the default follows the
 * stack limit, which may be lower than lode needs. */
static bool parallel_attributes(pthread_attr_t *attributes) {
    size_t bytes = 0;
    if (pthread_attr_init(attributes) != 0) return false;
    if (pthread_attr_getstacksize(attributes, &bytes) == 0 && bytes < PARALLEL_STACK_BYTES) {
        pthread_attr_setstacksize(attributes, PARALLEL_STACK_BYTES);
    }
    return true;
}

/* Starts a worker, if the job has a thread left for it. */
static bool parallel_start_one(parallel_worker *w, const pthread_attr_t *attributes) {
    lode_job *job = w->region->job;
    if (!lease_start_thread(job, w->region->all_or_none)) return false;
    if (pthread_create(&w->thread, attributes, parallel_main, w) == 0) return true;
    lease_take_back_thread(job);
    return false;
}

/* Starts workers 1 … n - 1; true if all could be started. */
static bool parallel_start(parallel_worker *workers, unsigned n) {
    pthread_attr_t attributes;
    bool all = true, have = n > 1 && parallel_attributes(&attributes);
    for (unsigned i = 1; i < n; i++) {
        workers[i].started = parallel_start_one(&workers[i], have ? &attributes : NULL);
        all = all && workers[i].started;
    }
    if (have) pthread_attr_destroy(&attributes);
    return all;
}

static lode_status parallel_finish(lode_job *job, parallel_worker *workers, unsigned n) {
    lode_status status = LODE_OK;
    for (unsigned i = 0; i < n; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
        parallel_account(job, &workers[i]);
        if (status == LODE_OK) status = workers[i].status;
    }
    return status;
}

lode_status parallel_run(lode_job *job, unsigned n, bool all_or_none, parallel_fn fn, void *arg) {
    parallel_region region = {.fn = fn, .arg = arg, .all_or_none = all_or_none, .job = job};
    parallel_worker *workers = NULL;
    if (n == 0) n = 1;
    if (n > PARALLEL_MAX) n = PARALLEL_MAX;
    size_t bytes = n * sizeof *workers;
    lode_status status = mem_zalloc(&job->mem, (void **)&workers, bytes);
    if (status != LODE_OK) return status;
    for (unsigned i = 0; i < n; i++) {
        workers[i].region = &region;
        workers[i].index = i;
    }

    pthread_mutex_init(&region.gate, NULL);
    pthread_mutex_lock(&region.gate);
    bool all = parallel_start(workers, n);
    region.call_off = all_or_none && !all;
    pthread_mutex_unlock(&region.gate);

    if (region.call_off) {
        status = parallel_finish(job, workers, n);
        status = job_fail(job, LODE_NOMEM, "the system cannot start %u more thread%s", n - 1,
                          n == 2 ? "" : "s");
    } else {
        for (unsigned i = 0; i < n; i++) {
            if (!workers[i].started) parallel_call(&workers[i]);
        }
        status = parallel_finish(job, workers, n);
    }
    pthread_mutex_destroy(&region.gate);
    mem_free(&job->mem, workers, bytes);
    lease_settle(job);
    return status;
}
