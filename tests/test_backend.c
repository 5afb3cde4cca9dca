/* test_backend.c - the operations of every backend against plain loops, and the --device grammar
 *
 * The operations are called as the miners call them: with permanent rows, lists after them, and
 * work in runs of equal left rows. Sparse and dense left rows, short and long runs, and low and
 * high thresholds lead to each of the CPU's ways to count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "device/api/backend.h"

#define N_ROWS   24u
#define N_LISTS  96u
#define N_ALL    (N_ROWS + N_LISTS)
#define MAX_WORK 64u

/* A device beside a model of it: all rows, permanent ones first. */
typedef struct bench {
    lode_job *job;
    const lode_backend *backend;
    backend_device *device;
    size_t words;
    uint64_t *rows;  /* what the device was given */
    uint64_t *model; /* N_ALL rows; lists hold what was last stored */
    bool known[N_ALL];
} bench;

static lode_job *job_make(const char *device, uint64_t budget) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .device = device, .memory_bytes = budget, .threads = 2};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

/* Even rows are dense, odd ones hold bits in few lines; row 0 is empty and row 2 full. */
static void bench_fill_row(const bench *b, uint32_t row, rng *r) {
    uint64_t *at = b->rows + row * b->words;
    size_t n_lines = b->words / BACKEND_LINE_WORDS;
    for (size_t i = 0; i < b->words && row > 0; i++) {
        if (row % 2 == 0) at[i] = row == 2 ? UINT64_MAX : rng_u64(r) | rng_u64(r);
    }
    for (unsigned i = 0; i < 1 + n_lines / 5 && n_lines > 0 && row % 2; i++) {
        size_t line = (size_t)rng_below(r, n_lines);
        at[line * BACKEND_LINE_WORDS + rng_below(r, BACKEND_LINE_WORDS)] |= rng_u64(r);
    }
}

static bench bench_make(const lode_backend *backend, size_t words, uint64_t seed) {
    bench b = {.job = job_make("auto", 0), .backend = backend, .words = words};
    rng r = rng_make(seed, words);
    size_t bytes = N_ALL * words * sizeof *b.rows;
    b.rows = aligned_alloc(64, bytes + 64);
    b.model = calloc(1, bytes + 64);
    if (!b.rows || !b.model) exit(2);
    memset(b.rows, 0, bytes);
    for (uint32_t row = 0; row < N_ROWS; row++) {
        bench_fill_row(&b, row, &r);
        b.known[row] = true;
    }
    memcpy(b.model, b.rows, N_ROWS * words * sizeof *b.rows);
    return b;
}

/* Brings the rows to the device, from when on they must not change. */
static void bench_start(bench *b) {
    uint32_t granted = 0;
    CHECK(b->backend->open(b->job, 0, 1, &b->device) == LODE_OK);
    CHECK(b->backend->set_rows(b->device, b->rows, N_ROWS, b->words) == LODE_OK);
    CHECK(b->backend->reserve_lists(b->device, N_LISTS, &granted) == LODE_OK);
    CHECK_EQUAL(granted, N_LISTS);
    CHECK(b->backend->back_lists(b->device, N_LISTS) == LODE_OK);
    CHECK(b->backend->fill(b->device, b->words) > 0);
}

static bench bench_open(const lode_backend *backend, size_t words, uint64_t seed) {
    bench b = bench_make(backend, words, seed);
    bench_start(&b);
    return b;
}

static void bench_close(bench *b) {
    size_t bytes = N_ROWS * b->words * sizeof *b->rows;
    CHECK(memcmp(b->rows, b->model, bytes) == 0); /* permanent rows are read only */
    b->backend->close(b->device);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(b->job)), 0);
    lode_job_free(b->job);
    free(b->rows);
    free(b->model);
}

static uint64_t *bench_model(const bench *b, uint32_t row) {
    return b->model + row * b->words;
}

static uint32_t slow_and(uint64_t *dst, const uint64_t *x, const uint64_t *y, size_t words) {
    uint32_t n = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t both = x[i] & y[i];
        if (dst) dst[i] = both;
        for (; both; both &= both - 1) n++;
    }
    return n;
}

/* The bits of a list, seen through the device: against the full row and the random ones. */
static void bench_check_list(const bench *b, uint32_t row) {
    backend_work work[N_ROWS];
    uint32_t counts[N_ROWS];
    for (uint32_t i = 0; i < N_ROWS; i++) work[i] = (backend_work){row, i, BACKEND_NO_ROW};
    CHECK(b->backend->and_count(b->device, work, N_ROWS, 0, counts) == LODE_OK);
    for (uint32_t i = 0; i < N_ROWS; i++) {
        uint64_t *list = bench_model(b, row);
        CHECK_EQUAL(counts[i], slow_and(NULL, list, bench_model(b, i), b->words));
    }
}

static uint32_t bench_any_known(const bench *b, rng *r) {
    for (;;) {
        uint32_t row = (uint32_t)rng_below(r, N_ALL);
        if (b->known[row]) return row;
    }
}

/* A list that is no source of the batch. */
static uint32_t bench_free_list(bool *busy, rng *r) {
    for (;;) {
        uint32_t row = N_ROWS + (uint32_t)rng_below(r, N_LISTS);
        if (busy[row]) continue;
        busy[row] = true;
        return row;
    }
}

/* Runs of equal left rows, of 1 to 12; every third candidate without a destination. */
static size_t bench_make_work(const bench *b, rng *r, backend_work *work) {
    bool busy[N_ALL] = {false};
    size_t n = 0, wanted = 1 + (size_t)rng_below(r, MAX_WORK);
    while (n < wanted) {
        uint32_t a = bench_any_known(b, r);
        for (uint64_t run = 1 + rng_below(r, 12); run > 0 && n < wanted; run--) {
            work[n++] = (backend_work){a, bench_any_known(b, r), BACKEND_NO_ROW};
        }
    }
    for (size_t i = 0; i < n; i++) busy[work[i].a] = busy[work[i].b] = true;
    unsigned n_free = 0;
    for (uint32_t row = N_ROWS; row < N_ALL; row++) n_free += !busy[row];
    for (size_t i = 0; i < n && n_free > 0; i++) {
        if (i % 3 == 2) continue;
        work[i].dst = bench_free_list(busy, r);
        n_free--;
    }
    return n;
}

static void bench_step(bench *b, rng *r, uint32_t min_count) {
    backend_work work[MAX_WORK];
    uint32_t counts[MAX_WORK];
    size_t n = bench_make_work(b, r, work);
    memset(counts, 0xa5, sizeof counts);
    CHECK(b->backend->and_count(b->device, work, n, min_count, counts) == LODE_OK);
    for (size_t i = 0; i < n; i++) {
        uint32_t dst = work[i].dst;
        uint64_t *to = dst == BACKEND_NO_ROW ? NULL : bench_model(b, dst);
        uint32_t want =
            slow_and(to, bench_model(b, work[i].a), bench_model(b, work[i].b), b->words);
        CHECK_EQUAL(counts[i], want);
        if (dst != BACKEND_NO_ROW) b->known[dst] = want >= min_count;
    }
    for (size_t i = 0; i < n; i++) {
        if (work[i].dst != BACKEND_NO_ROW && b->known[work[i].dst])
            bench_check_list(b, work[i].dst);
    }
    if (n < MAX_WORK) CHECK_EQUAL(counts[n], 0xa5a5a5a5u); /* not one more than asked for */
}

static void check_and_count(const lode_backend *backend) {
    /* On a GPU 64, 128, 256, 1,024, 2,048 and 4,096 are where one kind of launch ends. */
    static const size_t widths[] = {0,   8,   16,  24,   32,   64,   72,  80,
                                    128, 176, 264, 1032, 2056, 4096, 4104};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        bench b = bench_open(backend, widths[i], 3);
        rng r = rng_make(4, i);
        uint32_t bits = (uint32_t)widths[i] * 64;
        uint32_t thresholds[] = {0, 1, bits / 8, bits / 3, bits, UINT32_MAX};
        for (unsigned round = 0; round < 36; round++) bench_step(&b, &r, thresholds[round / 2 % 6]);
        CHECK(backend->and_count(b.device, NULL, 0, 0, NULL) == LODE_OK);
        bench_close(&b);
    }
}

/* A row with one bit in the first or last word of a single line, against every other line: what
 * looks only at lines that hold bits must find exactly that one, and store zeros elsewhere. */
static void check_sparse_edges(const lode_backend *backend) {
    const size_t words = 5 * BACKEND_LINE_WORDS;
    for (size_t bit = 0; bit < words * 64; bit += 21) {
        bench b = bench_make(backend, words, 5);
        backend_work work[8];
        uint32_t counts[8];
        uint64_t *row = b.rows + 3 * words;
        memset(row, 0, words * sizeof *row);
        row[bit / 64] = (uint64_t)1 << (bit % 64);
        memcpy(bench_model(&b, 3), row, words * sizeof *row);
        bench_start(&b);
        for (uint32_t i = 0; i < 8; i++) work[i] = (backend_work){2, 2, N_ROWS + i};
        CHECK(backend->and_count(b.device, work, 8, 1, counts) == LODE_OK); /* dirty lists */
        for (uint32_t i = 0; i < 8; i++) work[i] = (backend_work){3, 2 * i, N_ROWS + i};
        CHECK(backend->and_count(b.device, work, 8, 0, counts) == LODE_OK);
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t *to = bench_model(&b, N_ROWS + i);
            CHECK_EQUAL(counts[i], slow_and(to, row, bench_model(&b, 2 * i), words));
            bench_check_list(&b, N_ROWS + i);
        }
        bench_close(&b);
    }
}

static void check_and_rows(const lode_backend *backend) {
    static const size_t widths[] = {0, 8, 24, 80};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        bench b = bench_open(backend, widths[w], 6);
        rng r = rng_make(7, w);
        for (size_t n = 1; n <= 6; n++) {
            uint32_t rows[6], dst = N_ROWS + (uint32_t)n;
            for (size_t i = 0; i < n; i++) rows[i] = bench_any_known(&b, &r);
            if (n > 2) rows[2] = 4;
            CHECK(backend->and_rows(b.device, &dst, rows, (uint32_t)n, 1) == LODE_OK);
            uint64_t *to = bench_model(&b, dst);
            memcpy(to, bench_model(&b, rows[0]), b.words * sizeof *to);
            for (size_t i = 1; i < n; i++) slow_and(to, to, bench_model(&b, rows[i]), b.words);
            b.known[dst] = true;
            bench_check_list(&b, dst);
        }
        bench_close(&b);
    }
}

/* Lists in memory of the device's own: as many as its budget holds beside the rest. */
static void check_device_budget(const lode_backend *backend) {
    const uint64_t budget = (uint64_t)16 << 20;
    const size_t words = 1024; /* 8 KiB a list: 2,048 of them would fill the budget */
    lode_job_options o = {.size = sizeof o, .device_memory_bytes = budget};
    lode_job *job = NULL;
    uint64_t *row = calloc(words, sizeof *row);
    backend_device *device = NULL;
    uint32_t granted = 0, n = 0;
    if (!row || lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    CHECK(backend->open(job, 0, 1, &device) == LODE_OK);
    CHECK(backend->set_rows(device, row, 1, words) == LODE_OK);
    size_t room = backend->list_room(device);
    CHECK(room < budget && room > budget / 4);
    CHECK(backend->reserve_lists(device, 100000, &granted) == LODE_OK);
    CHECK(granted > 2048);
    while (n < granted && backend->back_lists(device, n + 1) == LODE_OK) n++;
    CHECK(n > room / (words * sizeof *row) / 2 && n < 2048);
    CHECK(backend->counters(device).memory_peak <= budget);
    CHECK(backend->back_lists(device, n) == LODE_OK);
    backend->close(device);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    free(row);
}

/* Lists are counted as they are backed, never above the budget, and given back on close. */
static void check_budget(const lode_backend *backend) {
    const uint64_t budget = (uint64_t)2 << 20;
    const size_t words = 1024; /* 8 KiB a list: 256 of them fill the budget */
    lode_job *job = job_make("auto", budget);
    uint64_t *row = aligned_alloc(64, words * sizeof *row);
    backend_device *device = NULL;
    uint32_t granted = 0, n = 0;
    if (!row) exit(2);
    memset(row, 0, words * sizeof *row);
    CHECK(backend->open(job, 0, 1, &device) == LODE_OK);
    CHECK(backend->set_rows(device, row, 1, words) == LODE_OK);
    CHECK(backend->reserve_lists(device, 100000, &granted) == LODE_OK);
    CHECK(granted > 256);
    uint64_t before = lode_ctx_memory_used(lode_job_ctx(job));
    CHECK(before < 1 << 20); /* reserving is not using */
    lode_status status = LODE_OK;
    while (n < granted && status == LODE_OK) {
        status = backend->back_lists(device, ++n);
        if (status != LODE_OK) break;
        CHECK(lode_ctx_memory_used(lode_job_ctx(job)) >= before + n * words * sizeof *row);
        CHECK(lode_ctx_memory_used(lode_job_ctx(job)) <= budget);
    }
    CHECK(status == LODE_BUDGET);
    CHECK(n > 200 && n <= 257);
    CHECK(backend->back_lists(device, n - 1) == LODE_OK); /* those that are there stay */
    CHECK(backend->back_lists(device, 1) == LODE_OK);
    backend->close(device);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    CHECK(lode_ctx_memory_peak(lode_job_ctx(job)) <= budget);
    lode_job_free(job);
    free(row);
}

static void test_operations(void) {
    for (size_t i = 0; backend_at(i); i++) {
        const lode_backend *backend = backend_at(i);
        char detail[LODE_REPORT_TEXT] = "";
        bool usable = backend->probe(detail, sizeof detail);
        printf("    %s: %s\n", backend->name, detail);
        CHECK(detail[0] != 0);
        if (!usable) continue;
        CHECK(backend->count() >= 1);
        check_and_count(backend);
        check_sparse_edges(backend);
        check_and_rows(backend);
        if (i == 0) {
            check_budget(backend);
        } else {
            check_device_budget(backend);
        }
    }
}

/* The CPU backend with each of its kernel tables. */
static void test_kernel_tables(void) {
    static const char *const names[] = {"avx512", "avx2", "neon", "scalar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char detail[LODE_REPORT_TEXT] = "";
        setenv("LODE_CPU", names[i], 1);
        if (!backend_at(0)->probe(detail, sizeof detail)) continue;
        CHECK_TEXT(detail, names[i]);
        check_and_count(backend_at(0));
        check_and_rows(backend_at(0));
    }
    setenv("LODE_CPU", "no such table", 1);
    lode_job *job = job_make("cpu", 0);
    backend_plan plan;
    CHECK(backend_make_plan(job, "cpu", &plan) == LODE_DEVICE);
    CHECK(strstr(lode_job_error(job), "LODE_CPU") != NULL);
    lode_job_free(job);
    unsetenv("LODE_CPU");
}

/* ---- device texts -------------------------------------------------------------------------- */

typedef struct plan_case {
    const char *spec;
    lode_status status;
    unsigned n;       /* consumers */
    const char *text; /* the plan's text starts with this, or the message has it */
    bool noted;
} plan_case;

/* With two threads in the job, so that a plain cpu is two consumers. */
static const plan_case plans[] = {
    {"cpu", LODE_OK, 2, "cpu*2 (", false},
    {"cpu*1", LODE_OK, 1, "cpu*1 (", false},
    {"cpu*3", LODE_OK, 3, "cpu*3 (", false},
    {"cpu*256", LODE_OK, 256, "cpu*256 (", false},
    {"cpu:0", LODE_OK, 1, "cpu*1 (", false},
    {"cpu:0*2", LODE_OK, 2, "cpu*2 (", false},
    {"cpu:5%", LODE_OK, 1, "cpu*1 (", false},
    {"cpu:0,7%*2", LODE_OK, 4, "cpu*4 (", false},
    {"cpu%", LODE_INVALID, 0, "cpu%", false},
    {"cpu:0,0*2", LODE_OK, 4, "cpu*4 (", false},
    {"cpu+cpu*2", LODE_OK, 4, "cpu*4 (", false},
    {"cpu:0,7", LODE_OK, 1, "cpu*1 (", true},
    {"cpu*1+cpu:7", LODE_OK, 1, "cpu*1 (", true},
    {"cpu*200+cpu*200", LODE_OK, 256, "cpu*256 (", true},
    {"cpu:7", LODE_DEVICE, 0, "cpu:7", false},
    {"", LODE_INVALID, 0, "unknown device", false},
    {"gpu", LODE_INVALID, 0, "gpu", false},
    {"CPU", LODE_INVALID, 0, "CPU", false},
    {"cpux", LODE_INVALID, 0, "cpux", false},
    {"cpu ", LODE_INVALID, 0, "cpu ", false},
    {"cpu:", LODE_INVALID, 0, "number", false},
    {"cpu:x", LODE_INVALID, 0, "number", false},
    {"cpu:0,", LODE_INVALID, 0, "number", false},
    {"cpu:-1", LODE_INVALID, 0, "number", false},
    {"cpu:99999999999", LODE_INVALID, 0, "number", false},
    {"cpu*", LODE_INVALID, 0, "number", false},
    {"cpu*0", LODE_INVALID, 0, "number", false},
    {"cpu*257", LODE_INVALID, 0, "256", false},
    {"cpu*4294967297", LODE_INVALID, 0, "256", false},
    {"cpu*2x", LODE_INVALID, 0, "x", false},
    {"cpu*2*2", LODE_INVALID, 0, "*2", false},
    {"cpu*2:0", LODE_INVALID, 0, ":0", false},
    {"cpu+", LODE_INVALID, 0, "unknown device", false},
    {"+cpu", LODE_INVALID, 0, "unknown device", false},
    {"cpu++cpu", LODE_INVALID, 0, "unknown device", false},
};

static void check_plan(const plan_case *c) {
    lode_job *job = job_make(c->spec, 0);
    backend_plan plan;
    char message[LODE_REPORT_TEXT] = "";
    bool ok = backend_check_spec(c->spec, message, sizeof message);
    lode_status status = backend_make_plan(job, c->spec, &plan);
    bool fine = CHECK_EQUAL(status, c->status) & CHECK(ok == (c->status != LODE_INVALID)) &
                CHECK((message[0] != 0) == !ok);
    if (c->status == LODE_OK) {
        fine &= CHECK_EQUAL(plan.n, c->n) & CHECK((plan.note[0] != 0) == c->noted) &
                CHECK(strncmp(plan.text, c->text, strlen(c->text)) == 0);
        for (unsigned i = 0; i < plan.n; i++) fine &= CHECK(plan.slots[i].backend != NULL);
    } else {
        fine &= CHECK(strstr(lode_job_error(job), c->text) != NULL);
    }
    if (!fine) fprintf(stderr, "  device '%s': %s\n", c->spec, lode_job_error(job));
    CHECK(backend_check_spec(c->spec, NULL, 0) == ok);
    lode_job_free(job);
}

static bool has_cuda(void) {
    lode_device device = LODE_INIT(lode_device);
    for (size_t i = 0; lode_device_at(i, &device); i++) {
        if (strcmp(device.name, "cuda") == 0) return device.usable;
    }
    CHECK(false); /* a build without it says so, and lists it */
    return false;
}

/* With a GPU, and without one. */
static const plan_case cuda_plans[] = {
    {"cuda:0", LODE_OK, 1, "cuda*1 (", false},
    {"cuda:0*4", LODE_OK, 4, "cuda*4 (", false},
    {"cuda:0+cpu*2", LODE_OK, 3, "cuda*1+cpu*2 (", false},
    {"cuda:0,999", LODE_OK, 1, "cuda*1 (", true},
    {"cuda:999", LODE_DEVICE, 0, "cuda:999", false},
};
static const plan_case no_cuda_plans[] = {
    {"cuda", LODE_DEVICE, 0, "cuda", false},
    {"cuda:0*4", LODE_DEVICE, 0, "cuda", false},
    {"cpu+cuda", LODE_DEVICE, 0, "cuda", false},
};

static void test_specs(void) {
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) check_plan(&plans[i]);
    bool cuda = has_cuda();
    const plan_case *more = cuda ? cuda_plans : no_cuda_plans;
    size_t n = cuda ? sizeof cuda_plans : sizeof no_cuda_plans;
    for (size_t i = 0; i < n / sizeof *more; i++) check_plan(&more[i]);
}

int main(void) {
    unsetenv("LODE_CPU");
    CHECK_RUN(test_operations);
    CHECK_RUN(test_kernel_tables);
    CHECK_RUN(test_specs);
    return check_result();
}
