/* gpu_rows.c - how fast a device intersects and counts rows, against its memory bandwidth
 *
 * usage: bench-gpu-rows DEVICE TRANSACTIONS POOL_MIB CANDIDATES store|count
 *
 * Fills a pool of rows that is too large for any cache, then counts random pairs of them, without
 * or with a stored result, ten times after a warm-up. Prints the median by the device's own clock:
 * candidates a second, and the bytes of the rows read and written a second.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/api/backend.h"

#define N_ITEMS 64u
#define RUNS    10

typedef struct pool {
    lode_job *job;
    const lode_backend *backend;
    backend_device *device;
    uint64_t *rows;
    size_t words;
    uint32_t n_lists;
} pool;

static void give_up(const pool *p, const char *what) {
    fprintf(stderr, "gpu_rows: %s: %s\n", what, p->job ? lode_job_error(p->job) : "");
    exit(1);
}

static void pool_open(pool *p, const char *name, uint64_t transactions, size_t bytes) {
    size_t bits = BACKEND_LINE_WORDS * 64;
    rng r = rng_make(1, transactions);
    uint32_t granted = 0;
    for (size_t i = 0; backend_at(i); i++) {
        if (strcmp(backend_at(i)->name, name) == 0) p->backend = backend_at(i);
    }
    if (!p->backend || lode_job_create(&p->job, NULL, NULL) != LODE_OK)
        give_up(p, "no such device");
    p->words = (size_t)((transactions + bits - 1) / bits) * BACKEND_LINE_WORDS;
    p->rows = aligned_alloc(64, N_ITEMS * p->words * sizeof *p->rows);
    p->n_lists = (uint32_t)(bytes / (p->words * sizeof *p->rows));
    if (!p->rows) give_up(p, "memory");
    for (size_t i = 0; i < N_ITEMS * p->words; i++) p->rows[i] = rng_u64(&r) | rng_u64(&r);
    if (p->backend->open(p->job, 0, 1, &p->device) != LODE_OK ||
        p->backend->set_rows(p->device, p->rows, N_ITEMS, p->words) != LODE_OK ||
        p->backend->reserve_lists(p->device, p->n_lists, &granted) != LODE_OK ||
        granted < p->n_lists || p->backend->back_lists(p->device, p->n_lists) != LODE_OK) {
        give_up(p, "opening the device");
    }
}

/* Each list becomes the intersection of two items. */
static void pool_fill(pool *p, rng *r) {
    uint32_t *dst = malloc(p->n_lists * sizeof *dst), *from = malloc(2 * p->n_lists * sizeof *from);
    if (!dst || !from) give_up(p, "memory");
    for (uint32_t i = 0; i < p->n_lists; i++) {
        dst[i] = N_ITEMS + i;
        from[2 * i] = (uint32_t)rng_below(r, N_ITEMS);
        from[2 * i + 1] = (uint32_t)rng_below(r, N_ITEMS);
    }
    if (p->backend->and_rows(p->device, dst, from, 2, p->n_lists) != LODE_OK) {
        give_up(p, "filling the pool");
    }
    free(dst);
    free(from);
}

/* Random pairs of the first half of the lists; results go to the second half. */
static void make_work(const pool *p, rng *r, backend_work *work, size_t n, bool store) {
    uint32_t half = p->n_lists / 2, sources = store ? half : p->n_lists;
    for (size_t i = 0; i < n; i++) {
        work[i].a = N_ITEMS + (uint32_t)rng_below(r, sources);
        work[i].b = N_ITEMS + (uint32_t)rng_below(r, sources);
        work[i].dst = store ? N_ITEMS + half + (uint32_t)(i % half) : BACKEND_NO_ROW;
    }
}

static int compare(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double measure(pool *p, const backend_work *work, size_t n, uint32_t *counts) {
    double seconds[RUNS];
    for (int run = -1; run < RUNS; run++) {
        double before = p->backend->counters(p->device).kernel_seconds;
        if (p->backend->and_count(p->device, work, n, 0, counts) != LODE_OK) give_up(p, "counting");
        if (run >= 0) seconds[run] = p->backend->counters(p->device).kernel_seconds - before;
    }
    qsort(seconds, RUNS, sizeof *seconds, compare);
    return seconds[RUNS / 2];
}

int main(int n_args, char **args) {
    pool p = {0};
    if (n_args != 6) {
        fprintf(stderr, "usage: %s DEVICE TRANSACTIONS POOL_MIB CANDIDATES store|count\n", args[0]);
        return 2;
    }
    uint64_t transactions = strtoull(args[2], NULL, 10);
    size_t n = (size_t)strtoull(args[4], NULL, 10);
    bool store = strcmp(args[5], "store") == 0;
    rng r = rng_make(2, transactions);
    pool_open(&p, args[1], transactions, (size_t)strtoull(args[3], NULL, 10) << 20);
    pool_fill(&p, &r);
    backend_work *work = malloc(n * sizeof *work);
    uint32_t *counts = malloc(n * sizeof *counts);
    if (!work || !counts) give_up(&p, "memory");
    if (store && n > p.n_lists / 2) n = p.n_lists / 2; /* a list is written once a batch */
    make_work(&p, &r, work, n, store);
    double seconds = measure(&p, work, n, counts);
    double bytes = (double)n * (store ? 3 : 2) * (double)(p.words * sizeof(uint64_t));
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += counts[i];
    printf("candidates/s %.4g\nGB/s %.1f\nseconds %.6g\ntotal %llu\n", (double)n / seconds,
           bytes / seconds / 1e9, seconds, (unsigned long long)sum);
    p.backend->close(p.device);
    lode_job_free(p.job);
    free(p.rows);
    free(work);
    free(counts);
    return 0;
}
