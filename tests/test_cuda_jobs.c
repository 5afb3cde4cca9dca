/* test_cuda_jobs.c - several jobs at once on one GPU: right results, within one memory budget
 *
 * A job that finds less memory than it needs waits until another job has left the GPU. Each job
 * mines several times, so that jobs begin and end at different times.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sched.h>

#include "device/api/backend.h"
#include "mining.h"
#include "runtime/ledger.h"

#define N_JOBS   6
#define N_ROUNDS 4

typedef struct gpu_work {
    lode_ctx *ctx;
    const lode_dataset *data;
    const char *algorithm;
    uint64_t min_count, found[N_ROUNDS];
    bool fine;
    char message[300];
} gpu_work;

static lode_status count(lode_job *job, const lode_dataset *data, const lode_mine_options *o,
                         uint64_t *found) {
    lode_sink *sink = NULL;
    lode_status status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, o, sink);
    *found = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return status;
}

static void *work_main(void *arg) {
    gpu_work *w = arg;
    lode_job *job = NULL;
    lode_job_options c = {.size = sizeof c, .device = "cuda", .threads = 2};
    w->fine = lode_job_create(&job, w->ctx, &c) == LODE_OK;
    for (unsigned i = 0; i < N_ROUNDS && w->fine; i++) {
        lode_mine_options o = mining_options(w->algorithm, w->min_count + i);
        w->fine = count(job, w->data, &o, &w->found[i]) == LODE_OK;
    }
    snprintf(w->message, sizeof w->message, "%s", lode_job_error(job));
    lode_job_free(job);
    return NULL;
}

typedef struct gpu_watcher {
    lode_ctx *ctx;
    _Atomic bool stop;
    size_t most;
    unsigned most_accounts;
} gpu_watcher;

static void *watch_main(void *arg) {
    gpu_watcher *w = arg;
    while (!atomic_load(&w->stop)) {
        size_t used = 0;
        unsigned accounts = 0;
        pthread_mutex_lock(&w->ctx->pool.lock);
        for (const ledger_account *a = w->ctx->accounts; a; a = a->next, accounts++) {
            used += a->used;
        }
        pthread_mutex_unlock(&w->ctx->pool.lock);
        if (used > w->most) w->most = used;
        if (accounts > w->most_accounts) w->most_accounts = accounts;
        sched_yield();
    }
    return NULL;
}

static void run_jobs(const table *t, uint64_t device_memory) {
    static const char *const algorithms[] = {"tensor", "frontier", "gpapriori"};
    lode_ctx *ctx = NULL;
    lode_ctx_options c = {.size = sizeof c, .threads = 12, .device_memory_bytes = device_memory};
    if (lode_ctx_create(&ctx, &c) != LODE_OK) exit(2);
    lode_job *alone = NULL;
    lode_job_options on_cpu = {.size = sizeof on_cpu, .device = "cpu"};
    if (lode_job_create(&alone, ctx, &on_cpu) != LODE_OK) exit(2);
    lode_dataset *data = mining_data(alone, t);
    gpu_work works[N_JOBS];
    gpu_watcher watcher = {.ctx = ctx};
    pthread_t threads[N_JOBS], watching;
    if (pthread_create(&watching, NULL, watch_main, &watcher) != 0) exit(2);
    for (unsigned i = 0; i < N_JOBS; i++) {
        works[i] = (gpu_work){.ctx = ctx, .data = data, .algorithm = algorithms[i % 3]};
        works[i].min_count = t->n * 45 / 100 + 5 * i;
        if (pthread_create(&threads[i], NULL, work_main, &works[i]) != 0) exit(2);
    }
    for (unsigned i = 0; i < N_JOBS; i++) pthread_join(threads[i], NULL);
    atomic_store(&watcher.stop, true);
    pthread_join(watching, NULL);
    for (unsigned i = 0; i < N_JOBS; i++) {
        if (!CHECK(works[i].fine)) puts(works[i].message);
        for (unsigned k = 0; k < N_ROUNDS; k++) {
            lode_mine_options o = mining_options("adaptive", works[i].min_count + k);
            uint64_t want = 0;
            CHECK_EQUAL(count(alone, data, &o, &want), LODE_OK);
            CHECK(want > 100);
            CHECK_EQUAL(works[i].found[k], want);
        }
    }
    printf("    budget %zu MiB: most %zu MiB, %u jobs there\n", (size_t)(device_memory >> 20),
           watcher.most >> 20, watcher.most_accounts);
    CHECK(watcher.most > 0 && watcher.most_accounts > 1);
    CHECK(device_memory == 0 || watcher.most <= device_memory);
    lode_dataset_free(data);
    lode_job_free(alone);
    lode_ctx_free(ctx);
}

static void test_jobs(void) {
    table t = table_random(77, 60000, 26, 50, 90);
    run_jobs(&t, 0);
    run_jobs(&t, (uint64_t)1 << 30);
    run_jobs(&t, (uint64_t)200 << 20);
    table_free(&t);
}

int main(void) {
    char detail[LODE_REPORT_TEXT] = "this build has no CUDA backend";
    const lode_backend *cuda = NULL;
    for (size_t i = 0; backend_at(i); i++) {
        if (strcmp(backend_at(i)->name, "cuda") == 0) cuda = backend_at(i);
    }
    if (!cuda || !cuda->probe(detail, sizeof detail)) {
        printf("skip: %s\n", detail);
        return 77;
    }
    CHECK_RUN(test_jobs);
    return check_result();
}
