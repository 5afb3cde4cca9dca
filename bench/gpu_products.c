/* gpu_products.c - all pairs of a class: products against the classic kernel, shape by shape
 *
 * usage: bench-gpu-products DEVICE KERNEL ROWSxCOLUMNS …
 *
 * KERNEL is auto, popc, mma or wgmma. For each shape: the median time, by the device's own clock,
 * of counting all pairs of the rows as a product (clearing counts and listing tasks included), and
 * that of the classic kernel (a block or a group of lanes per pair, two rows from memory), measured
 * on the first pairs in order and scaled to all. Both are launched while the device is busy, with
 * clearing or copying, so that neither waits for its launch. Prints a line of CSV per shape.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/api/backend.h"

#define RUNS          5
#define SMALL_RUNS    101 /* for shapes that take microseconds */
#define SMALL_BITS    1e11
#define RANDOM_WORDS  ((size_t)1 << 23)
#define WARMUP_BYTES  ((size_t)16 << 20)
#define CLASSIC_PAIRS 200000
#define CLASSIC_BYTES 4e11 /* the most bytes of rows to read */

typedef struct shape {
    uint32_t rows;
    uint64_t columns;
    size_t words;
} shape;

static lode_job *job;

static void give_up(const char *what) {
    fprintf(stderr, "gpu_products: %s: %s\n", what, job ? lode_job_error(job) : "");
    exit(1);
}

static int compare(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double all_bits(const shape *s) {
    return (double)s->rows * (s->rows - 1) / 2 * (double)s->columns;
}

static int runs_of(const shape *s) {
    return all_bits(s) < SMALL_BITS ? SMALL_RUNS : RUNS;
}

static double median(double *seconds, int n) {
    qsort(seconds, (size_t)n, sizeof *seconds, compare);
    return seconds[n / 2];
}

/* A few random words, over and over: rows end at odd places of them, so that they differ. */
static uint64_t *make_rows(const shape *s) {
    size_t n = s->rows * s->words;
    uint64_t *rows = aligned_alloc(64, (n + 7) / 8 * 64);
    rng r = rng_make(1, s->columns);
    if (!rows) give_up("memory");
    for (size_t i = 0; i < n && i < RANDOM_WORDS; i++) rows[i] = rng_u64(&r) & rng_u64(&r);
    for (size_t at = RANDOM_WORDS; at < n; at += RANDOM_WORDS) {
        memcpy(rows + at, rows, (n - at < RANDOM_WORDS ? n - at : RANDOM_WORDS) * sizeof *rows);
    }
    return rows;
}

static double time_product(const lode_backend *b, const shape *s, const uint64_t *rows,
                           product_kernel kernel, char *name) {
    uint32_t *supports = calloc(s->rows, sizeof *supports);
    product_root root = {.n_rows = s->rows,
                         .supports = supports,
                         .n_columns = s->columns,
                         .rows = rows,
                         .row_words = s->words};
    product_config config = {
        .target = LODE_TARGET_ALL, .kernel = kernel, .warmup_bytes = WARMUP_BYTES};
    product_device *d = NULL;
    double seconds[SMALL_RUNS];
    int runs = runs_of(s);
    if (!supports || b->products->open(job, 0, 1, &root, &config, &d) != LODE_OK)
        give_up("opening");
    for (int run = -1; run < runs; run++) {
        double before = b->products->report(d).counting;
        for (uint32_t first = 0; first < s->rows;) {
            product_request request = {
                .first = first, .end = s->rows, .min_count = UINT32_MAX, .max_added = UINT32_MAX};
            product_counted counted;
            if (b->products->count(d, &request, &counted) != LODE_OK) give_up("counting");
            first = counted.end;
        }
        if (run >= 0) seconds[run] = b->products->report(d).counting - before;
    }
    snprintf(name, 64, "%s", b->products->report(d).kernel);
    name[strcspn(name, ":")] = 0;
    b->products->close(d);
    free(supports);
    return median(seconds, runs);
}

static size_t classic_work(const shape *s, backend_work **work) {
    double pairs = (double)s->rows * (s->rows - 1) / 2;
    double most = CLASSIC_BYTES / (double)(2 * s->words * sizeof(uint64_t));
    size_t n = 0, wanted = pairs < CLASSIC_PAIRS ? (size_t)pairs : CLASSIC_PAIRS;
    if ((double)wanted > most) wanted = (size_t)most;
    *work = calloc(wanted, sizeof **work);
    if (!*work) give_up("memory");
    for (uint32_t a = 0; a < s->rows && n < wanted; a++) {
        for (uint32_t c = a + 1; c < s->rows && n < wanted; c++) {
            (*work)[n++] = (backend_work){a, c, BACKEND_NO_ROW};
        }
    }
    return n;
}

static double time_classic(const lode_backend *b, const shape *s, const uint64_t *rows) {
    backend_device *d = NULL;
    backend_work *work = NULL;
    uint32_t granted;
    size_t n = classic_work(s, &work);
    uint32_t *counts = calloc(n, sizeof *counts);
    double seconds[SMALL_RUNS];
    int runs = runs_of(s);
    if (!counts || b->open(job, 0, 1, &d) != LODE_OK ||
        b->set_rows(d, rows, s->rows, s->words) != LODE_OK ||
        b->reserve_lists(d, 1, &granted) != LODE_OK) {
        give_up("opening");
    }
    for (int run = -1; run < runs; run++) {
        double before = b->counters(d).kernel_seconds;
        if (b->and_count(d, work, n, 0, counts) != LODE_OK) give_up("counting");
        if (run >= 0) seconds[run] = b->counters(d).kernel_seconds - before;
    }
    b->close(d);
    free(work);
    free(counts);
    return median(seconds, runs) * ((double)s->rows * (s->rows - 1) / 2 / (double)n);
}

static void measure(const lode_backend *b, const char *text, product_kernel kernel) {
    char *rest = NULL, name[64];
    shape s = {.rows = (uint32_t)strtoul(text, &rest, 10)};
    s.columns = *rest == 'x' ? strtoull(rest + 1, NULL, 10) : 0;
    if (s.rows < 2 || s.columns == 0) give_up("shapes are written 4096x1000000");
    s.words = (size_t)((s.columns + 511) / 512) * BACKEND_LINE_WORDS;
    uint64_t *rows = make_rows(&s);
    double product = time_product(b, &s, rows, kernel, name);
    double classic = time_classic(b, &s, rows);
    double bits = all_bits(&s);
    printf("%u,%llu,%s,%.4g,%.4g,%.4g,%.4g,%.4g\n", s.rows, (unsigned long long)s.columns, name,
           product, bits / product, classic, bits / classic, classic / product);
    fflush(stdout);
    free(rows);
}

int main(int n_args, char **args) {
    static const char *const names[] = {"auto", "popc", "mma", "wgmma"};
    const lode_backend *b = NULL;
    int kernel = -1;
    if (n_args < 4) {
        fprintf(stderr, "usage: %s DEVICE auto|popc|mma|wgmma ROWSxCOLUMNS …\n", args[0]);
        return 2;
    }
    for (size_t i = 0; backend_at(i); i++) {
        if (strcmp(backend_at(i)->name, args[1]) == 0) b = backend_at(i);
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(names[i], args[2]) == 0) kernel = i;
    }
    if (!b || !b->products || kernel < 0) give_up("no such device or kernel");
    printf(
        "rows,columns,kernel,product s,product pair-bits/s,classic s,classic pair-bits/s,ratio\n");
    for (int i = 3; i < n_args; i++) {
        if (lode_job_create(&job, NULL, NULL) != LODE_OK) give_up("context");
        measure(b, args[i], (product_kernel)kernel);
        lode_job_free(job);
        job = NULL;
    }
    return 0;
}
