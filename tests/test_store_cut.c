/* test_store_cut.c - stores whose file is truncated or changed while it is open
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/mapped.h"
#include "check.h"
#include "jobs.h"
#include "runtime/job.h"
#include "stores.h"

#define ROWS  5000
#define BATCH 1500

static rng dice;

static lode_job *make_job(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct bytes {
    char *data;
    size_t n;
} bytes;

static bytes read_file(const char *path) {
    bytes b = {malloc(1 << 20), 0};
    FILE *f = fopen(path, "rb");
    if (!f || !b.data) exit(2);
    b.n = fread(b.data, 1, 1 << 20, f);
    fclose(f);
    CHECK(b.n > 0 && b.n < 1 << 20);
    return b;
}

/* Another file of the same name: who has the old one open keeps it. */
static void write_anew(const char *path, const bytes *b) {
    unlink(path);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b->data, 1, b->n, f) != b->n || fclose(f) != 0) exit(2);
}

static void cut(const char *path, size_t n) {
    if (truncate(path, (off_t)n) != 0) exit(2);
}

/* ---- questions ------------------------------------------------------------------------------ */

static lode_dataset *some_baskets(lode_job *job) {
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET};
    const char text[] = "milk,bread\nbeer,chips,ham\nmilk,eggs,rice,tea\n";
    if (lode_dataset_parse(job, &data, text, sizeof text - 1, NULL, &o) != LODE_OK) exit(2);
    return data;
}

static int ignore_advice(void *user, const lode_advice *advice) {
    (void)user, (void)advice;
    return 0;
}

#define QUESTIONS 9

/* The k-th question that can be asked of all rows; those that the kind has not are others. */
static lode_status ask(lode_store *s, lode_job *job, lode_pattern_kind kind, unsigned k) {
    uint64_t n = 0, rows[50], offsets[] = {0, 2}, supports[1];
    uint32_t items[] = {0, 15};
    size_t found = 0;
    bool graphs = kind == LODE_GRAPHS;
    lode_histogram h = LODE_INIT(lode_histogram);
    lode_histogram_options ho = {.size = sizeof ho, .x = "odd", .y = "small"};
    lode_query_options q = {.size = sizeof q, .match = graphs ? "A" : "e", .minima = "count=5"};
    lode_query_options has = {.size = sizeof has, .include = graphs ? NULL : "beer*\nmilk"};
    lode_query_write_options w = {.size = sizeof w, .format = LODE_STORE_CSV};
    lode_apply_options a = {.size = sizeof a, .format = LODE_STORE_JSONL};
    lode_dataset *data = NULL;
    lode_status status = LODE_OK;
    if (k >= 7 && kind == LODE_RULES) data = some_baskets(job);
    if (k == 3) q.sort_by = "odd";
    switch (k) {
    case 0: status = lode_store_count(s, &q, &n); break;
    case 1: status = lode_store_count(s, &has, &n); break;
    case 2:
    case 3: status = lode_store_rows(s, &q, 200, rows, 50, &found); break;
    case 4: status = lode_store_histogram(s, NULL, &ho, &h); break;
    case 5: status = lode_store_write(s, &q, "/dev/null", &w, &n); break;
    case 6:
        status = kind == LODE_ITEMSETS ? lode_store_supports(s, 1, offsets, items, supports, NULL)
                                       : lode_store_histogram(s, &q, &ho, &h);
        break;
    case 7:
        status = data ? lode_store_apply(s, data, NULL, ignore_advice, NULL)
                      : lode_store_rows(s, NULL, ROWS - 5, rows, 50, &found);
        break;
    default:
        status = data ? lode_store_apply_file(s, data, &a, "/dev/null", NULL)
                      : lode_store_rows(s, &has, 0, rows, 50, &found);
        break;
    }
    lode_dataset_free(data);
    return status;
}

/* Reads all that some rows lend, and the names. IO or PARSE are fine if the file was cut. */
static lode_status look_at_rows(lode_store *s, uint32_t step) {
    lode_status status = LODE_OK;
    uint64_t sum = 0;
    uint32_t n_items = 0;
    double value = 0;
    size_t n = 0;
    LODE_TRY(lode_store_items(s, &n_items));
    for (uint64_t i = 0; i < ROWS; i += step) {
        lode_store_row row = LODE_INIT(lode_store_row);
        LODE_TRY(lode_store_row_at(s, i, &row));
        for (uint32_t k = 0; k < row.n_items; k++) {
            const char *name = lode_store_item_name(s, row.items[k], &n);
            for (size_t c = 0; c < n; c++) sum += (unsigned char)name[c];
        }
        for (uint32_t k = 0; k < row.n_rhs; k++) sum += row.rhs[k];
        for (size_t c = 0; c < row.text_bytes; c++) sum += (unsigned char)row.text[c];
        LODE_TRY(lode_store_value(s, i, 2, &value));
    }
    CHECK(sum < UINT64_MAX);
    LODE_TRY(lode_store_check(s));
done:
    return status;
}

static void expect_lost(lode_store *s, lode_job *job, lode_pattern_kind kind) {
    for (unsigned k = 0; k < QUESTIONS; k++) {
        CHECK_EQUAL(ask(s, job, kind, k), LODE_IO);
        CHECK(strstr(lode_job_error(job), "while it was open"));
    }
    CHECK_EQUAL(look_at_rows(s, 7), LODE_IO);
    CHECK_EQUAL(lode_store_check(s), LODE_IO);
}

/* ---- cuts ----------------------------------------------------------------------------------- */

static void cut_everywhere(lode_pattern_kind kind) {
    lode_job *job = make_job(2);
    store_data d = store_make(job, kind, ROWS, BATCH, &dice);
    store_data other = store_make(job, LODE_RULES, 1000, 300, &dice);
    bytes whole = read_file(d.path);
    lode_store *second = NULL;
    unsigned steps = BY_BUILD(23, 12, 8);
    CHECK_EQUAL(lode_store_open(job, &second, other.path), LODE_OK);
    for (unsigned i = 0; i <= steps + 2; i++) {
        size_t at = i <= steps ? whole.n * i / steps : i == steps + 1 ? 5 : whole.n - 2;
        lode_store *s = NULL;
        write_anew(d.path, &whole);
        CHECK_EQUAL(lode_store_open(job, &s, d.path), LODE_OK);
        for (unsigned k = 0; i % 2 && k < QUESTIONS; k++) {
            CHECK_EQUAL(ask(s, job, kind, k), LODE_OK);
        }
        if (i % 2) CHECK_EQUAL(look_at_rows(s, 7), LODE_OK);
        cut(d.path, at < whole.n ? at : whole.n - 1);
        expect_lost(s, job, kind);
        write_anew(d.path, &whole); /* for others; this one stays lost */
        CHECK_EQUAL(lode_store_check(s), LODE_IO);
        CHECK_EQUAL(ask(second, job, LODE_RULES, i % QUESTIONS), LODE_OK);
        lode_store_free(s);
    }
    lode_store_free(second);
    free(whole.data);
    store_drop(&d);
    store_drop(&other);
    lode_job_free(job);
}

static void test_itemsets(void) {
    cut_everywhere(LODE_ITEMSETS);
}

static void test_rules(void) {
    cut_everywhere(LODE_RULES);
}

static void test_graphs(void) {
    cut_everywhere(LODE_GRAPHS);
}

/* ---- in the middle of a pass ---------------------------------------------------------------- */

typedef struct poll_cut {
    const char *path;
    size_t at;
    uint64_t left;
} poll_cut;

static void on_poll(void *user) {
    poll_cut *p = user;
    if (p->left > 0 && --p->left == 0) cut(p->path, p->at);
}

/* The file is cut at the k-th poll of a question. */
static void test_polls(void) {
    lode_job *job = make_job(1);
    for (unsigned kind = 0; kind < 3; kind++) {
        store_data d = store_make(job, (lode_pattern_kind)kind, ROWS, BATCH, &dice);
        bytes whole = read_file(d.path);
        for (unsigned i = 0; i < BY_BUILD(90, 45, 27); i++) {
            poll_cut p = {d.path, rng_below(&dice, whole.n), 1 + i / QUESTIONS};
            lode_store *s = NULL;
            write_anew(d.path, &whole);
            CHECK_EQUAL(lode_store_open(job, &s, d.path), LODE_OK);
            job->deadline = 1e300; /* so that every poll looks */
            job->on_poll = on_poll;
            job->on_poll_user = &p;
            lode_status status = ask(s, job, (lode_pattern_kind)kind, i % QUESTIONS);
            job->on_poll = NULL;
            job->deadline = 0;
            CHECK(status == (p.left > 0 ? LODE_OK : LODE_IO));
            lode_store_free(s);
        }
        free(whole.data);
        store_drop(&d);
    }
    lode_job_free(job);
}

/* ---- changes of other kinds ----------------------------------------------------------------- */

/* Other bytes of the same length, written over the old ones: nothing worse than a wrong row. */
static void test_overwritten(void) {
    for (unsigned kind = 0; kind < 3; kind++) {
        lode_job *job = make_job(2);
        store_data d = store_make(job, (lode_pattern_kind)kind, ROWS, BATCH, &dice);
        bytes whole = read_file(d.path);
        lode_store *s = NULL;
        CHECK_EQUAL(lode_store_open(job, &s, d.path), LODE_OK);
        for (unsigned k = 0; k < QUESTIONS; k++) {
            CHECK_EQUAL(ask(s, job, (lode_pattern_kind)kind, k), LODE_OK);
        }
        usleep(20000); /* file systems count time in steps */
        FILE *f = fopen(d.path, "r+b");
        for (size_t i = 0; i < whole.n; i++) whole.data[i] = (char)rng_below(&dice, 256);
        if (!f || fwrite(whole.data, 1, whole.n, f) != whole.n || fclose(f) != 0) exit(2);
        for (unsigned k = 0; k < QUESTIONS; k++) {
            CHECK_EQUAL(ask(s, job, (lode_pattern_kind)kind, k), LODE_IO);
        }
        lode_store_free(s);
        free(whole.data);
        store_drop(&d);
        lode_job_free(job);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

#define THREADS 4

typedef struct visitor {
    pthread_t thread;
    const store_data *cut, *whole;
    _Atomic bool *stop;
    _Atomic unsigned *lost;
    unsigned number;
} visitor;

/* Asks a result whose file is cut again and again, and one that is left alone. */
static void *visit(void *arg) {
    visitor *v = arg;
    lode_job *job = make_job(1);
    lode_store *whole = NULL;
    CHECK_EQUAL(lode_store_open(job, &whole, v->whole->path), LODE_OK);
    for (unsigned k = v->number; !atomic_load(v->stop); k++) {
        lode_store *s = NULL;
        lode_status status = lode_store_open(job, &s, v->cut->path);
        for (unsigned i = 0; status == LODE_OK && i < 3; i++) {
            status = ask(s, job, v->cut->kind, (k + i) % QUESTIONS);
        }
        if (status == LODE_OK) status = look_at_rows(s, 31);
        if (status != LODE_OK) atomic_fetch_add(v->lost, 1);
        CHECK(status == LODE_OK || status == LODE_IO || status == LODE_PARSE ||
              status == LODE_NOTFOUND); /* it was opened while it was cut, or missing */
        lode_store_free(s);
        CHECK_EQUAL(ask(whole, job, v->whole->kind, k % QUESTIONS), LODE_OK);
    }
    lode_store_free(whole);
    lode_job_free(job);
    return NULL;
}

static void test_threads(void) {
    lode_job *job = make_job(1);
    store_data d = store_make(job, LODE_ITEMSETS, ROWS, BATCH, &dice);
    store_data other = store_make(job, LODE_RULES, 1000, 300, &dice);
    bytes whole = read_file(d.path);
    _Atomic bool stop = false;
    visitor visitors[THREADS];
    _Atomic unsigned lost = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        visitors[i] =
            (visitor){.cut = &d, .whole = &other, .stop = &stop, .lost = &lost, .number = 2 * i};
        if (pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]) != 0) exit(2);
    }
    for (unsigned i = 0; i < 60 || (lost == 0 && i < 20000); i++) { /* else it shows nothing */
        usleep(3000);
        cut(d.path, rng_below(&dice, whole.n));
        write_anew(d.path, &whole);
    }
    atomic_store(&stop, true);
    for (unsigned i = 0; i < THREADS; i++) pthread_join(visitors[i].thread, NULL);
    CHECK(lost > 0);
    free(whole.data);
    store_drop(&d);
    store_drop(&other);
    lode_job_free(job);
}

/* ---- signals of others ---------------------------------------------------------------------- */

static void on_bus(int number) {
    (void)number;
    _exit(7);
}

/* A fault in a file that lode has not mapped. */
static void foreign_fault(void) {
    char path[] = "/tmp/lode-cut-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, 8192) != 0) _exit(9);
    unlink(path);
    volatile char *at = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED || ftruncate(fd, 0) != 0) _exit(9);
    (void)at[5000];
}

/* How a child ends: 0 to 255, or 1000 and a signal. */
static int end_of(void (*child)(void)) {
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(9);
        child();
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) exit(2);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void child_plain(void) {
    signal(SIGBUS, SIG_DFL); /* a sanitizer has a handler */
    lode_store_guard();
    foreign_fault();
}

static void child_sent(void) {
    signal(SIGBUS, SIG_DFL);
    lode_store_guard();
    raise(SIGBUS);
}

static void child_before(void) {
    signal(SIGBUS, on_bus);
    lode_store_guard();
    foreign_fault();
}

static struct sigaction first_of_circle;

/* Passes on to the handler that was there before. */
static void on_bus_circle(int number, siginfo_t *info, void *context) {
    first_of_circle.sa_sigaction(number, info, context);
}

static void child_circle(void) {
    struct sigaction mine = {.sa_sigaction = on_bus_circle, .sa_flags = SA_SIGINFO};
    signal(SIGBUS, SIG_DFL);
    lode_store_guard();
    sigaction(SIGBUS, &mine, &first_of_circle);
    lode_store_guard();
    foreign_fault();
}

static void test_signals(void) {
    CHECK_EQUAL(end_of(child_plain), 1000 + SIGBUS);
    CHECK_EQUAL(end_of(child_sent), 1000 + SIGBUS);
    CHECK_EQUAL(end_of(child_before), 7);
    CHECK_EQUAL(end_of(child_circle), 1000 + SIGBUS);
}

int main(void) {
    dice = rng_make(5150, 0);
    lode_store_guard();
    lode_store_guard();
    CHECK_RUN(test_signals);
    CHECK_RUN(test_itemsets);
    CHECK_RUN(test_rules);
    CHECK_RUN(test_graphs);
    CHECK_RUN(test_polls);
    CHECK_RUN(test_overwritten);
    CHECK_RUN(test_threads);
    return check_result();
}
