/* test_arrow.c - Arrow files: a reader gets what was written, and detects damage
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/rng.h"
#include "check.h"
#include "faulty.h"
#include "jobs.h"
#include "results/arrow/arrow.h"
#include "stores.h"

#define N_TYPES 6

/* ---- a table to write ----------------------------------------------------------------------- */

/* Bytes in memory, at a multiple of 64. */
typedef struct buffer {
    char *bytes;
    size_t n, cap;
} buffer;

static int buffer_write(void *user, const char *bytes, size_t n) {
    buffer *b = user;
    if (b->cap - b->n < n) {
        size_t cap = (2 * (b->n + n) + 64) / 64 * 64;
        char *more = aligned_alloc(64, cap);
        if (!more) exit(2);
        if (b->n > 0) memcpy(more, b->bytes, b->n);
        free(b->bytes);
        b->bytes = more;
        b->cap = cap;
    }
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
    return 0;
}

static const char names_text[] = "breadmilkb\xc3\xa4r";
static const uint64_t names_offsets[] = {0, 5, 9, 9, 13};
static const uint64_t colours_offsets[] = {3, 6};
static const arrow_dictionary dictionaries[] = {{4, names_offsets, names_text},
                                                {1, colours_offsets, "xxxredxxx"}};
static const arrow_column columns[N_TYPES] = {
    {"a", ARROW_U32, 0},  {"b", ARROW_U64, 0},  {"c", ARROW_F64, 0},
    {"d", ARROW_TEXT, 0}, {"e", ARROW_LIST, 0}, {"f", ARROW_NAMES, 0},
};
static const arrow_key first_keys[] = {{"lode.kind", "test"}};
static const arrow_key last_keys[] = {{"lode.complete", "true"}, {"odd", ""}};

/* Values of a row, which depend on its number only. */
static uint32_t row_a(uint64_t row) {
    return (uint32_t)(row * 2654435761u);
}
static uint64_t row_b(uint64_t row) {
    return row * 0x9e3779b97f4a7c15u;
}
static uint32_t row_length(uint64_t row) {
    return (uint32_t)(row * 7 % 5);
}
static int32_t row_code(uint64_t row, uint32_t i) {
    return (int32_t)((row + i) % 4);
}

typedef struct rows {
    uint32_t a[1000];
    uint64_t b[1000];
    double c[1000];
    char d[8000];
    uint32_t e[8000];
    int32_t f[8000], offsets[1001];
} rows;

static void fill_rows(rows *r, uint64_t first, uint32_t n) {
    r->offsets[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t row = first + i;
        uint32_t at = (uint32_t)r->offsets[i], length = row_length(row);
        r->a[i] = row_a(row);
        r->b[i] = row_b(row);
        r->c[i] = (double)row / 8;
        for (uint32_t k = 0; k < length; k++) {
            r->d[at + k] = (char)('a' + k);
            r->e[at + k] = row_a(row) + k;
            r->f[at + k] = row_code(row, k);
        }
        r->offsets[i + 1] = (int32_t)(at + length);
    }
}

static lode_status write_rows(arrow_writer *w, uint64_t first, uint32_t n) {
    static rows r;
    fill_rows(&r, first, n);
    arrow_cells cells[] = {{NULL, r.a, 0},      {NULL, r.b, 0},      {NULL, r.c, 0},
                           {r.offsets, r.d, 0}, {r.offsets, r.e, 0}, {r.offsets, r.f, 0}};
    return arrow_write_batch(w, n, cells);
}

/* Writes n_batches of `each` rows and one of `last`. */
static lode_status write_table(lode_job *job, output *to, uint32_t n_batches, uint32_t each,
                               uint32_t last) {
    lode_status status = LODE_OK;
    arrow_writer *w = NULL;
    arrow_table table = {columns, N_TYPES, dictionaries, 2, first_keys, 1, ARROW_PLAIN};
    uint64_t row = 0;
    LODE_TRY(arrow_write_begin(job, to, &table, &w));
    for (uint32_t i = 0; i < n_batches; i++, row += each) LODE_TRY(write_rows(w, row, each));
    LODE_TRY(write_rows(w, row, last));
    LODE_TRY(arrow_write_end(w, last_keys, 2));
done:
    arrow_write_free(w);
    return status;
}

static buffer make_file(lode_job *job, uint32_t n_batches, uint32_t each, uint32_t last) {
    buffer b = {0};
    output to;
    output_call(&to, job, buffer_write, &b);
    CHECK_EQUAL(write_table(job, &to, n_batches, each, last), LODE_OK);
    output_discard(&to);
    return b;
}

static lode_job *plain_job(void) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

/* ---- what is read --------------------------------------------------------------------------- */

static void check_row(const arrow_cells *cells, uint64_t row, uint32_t i) {
    CHECK_EQUAL(((const uint32_t *)cells[0].values)[i], row_a(row));
    CHECK_EQUAL(((const uint64_t *)cells[1].values)[i], row_b(row));
    CHECK(((const double *)cells[2].values)[i] == (double)row / 8);
    for (uint32_t c = 3; c < N_TYPES; c++) {
        CHECK_EQUAL(cells[c].offsets[i + 1] - cells[c].offsets[i], row_length(row));
    }
    for (uint32_t k = 0; k < row_length(row); k++) {
        CHECK_EQUAL(((const char *)cells[3].values)[cells[3].offsets[i] + (int32_t)k], 'a' + k);
        CHECK_EQUAL(((const uint32_t *)cells[4].values)[cells[4].offsets[i] + (int32_t)k],
                    row_a(row) + k);
        CHECK_EQUAL(((const int32_t *)cells[5].values)[cells[5].offsets[i] + (int32_t)k],
                    row_code(row, k));
    }
}

static void check_names_of(arrow_file *f) {
    uint64_t n = 0;
    size_t bytes = 0;
    CHECK_EQUAL(arrow_n_dictionaries(f), 2);
    CHECK_EQUAL(arrow_names(f, 0, &n), LODE_OK);
    CHECK_EQUAL(n, 4);
    const char *name = arrow_name(f, 0, 3, &bytes);
    CHECK(bytes == 4 && memcmp(name, "b\xc3\xa4r", 4) == 0);
    arrow_name(f, 0, 2, &bytes);
    CHECK_EQUAL(bytes, 0);
    CHECK_EQUAL(arrow_names(f, 1, &n), LODE_OK);
    name = arrow_name(f, 1, 0, &bytes);
    CHECK(n == 1 && bytes == 3 && memcmp(name, "red", 3) == 0);
    CHECK_EQUAL(arrow_names(f, 2, &n), LODE_PARSE);
}

static void check_table(arrow_file *f, uint32_t n_batches, uint32_t each, uint32_t last) {
    CHECK_EQUAL(arrow_n_columns(f), N_TYPES);
    for (uint32_t i = 0; i < arrow_n_columns(f); i++) {
        CHECK_TEXT(arrow_column_at(f, i)->name, columns[i].name);
        CHECK_EQUAL(arrow_column_at(f, i)->type, columns[i].type);
        CHECK_EQUAL(arrow_column_find(f, columns[i].name), i);
    }
    CHECK_EQUAL(arrow_column_find(f, "none"), UINT32_MAX);
    CHECK_EQUAL(arrow_n_batches(f), n_batches + (last > 0));
    CHECK_EQUAL(arrow_n_rows(f), (uint64_t)n_batches * each + last);
    CHECK_TEXT(arrow_key_value(f, "lode.kind"), "test");
    CHECK_TEXT(arrow_key_value(f, "lode.complete"), "true");
    CHECK_TEXT(arrow_key_value(f, "odd"), "");
    CHECK(arrow_key_value(f, "even") == NULL);
    check_names_of(f);
    for (uint32_t b = 0; b < arrow_n_batches(f); b++) {
        arrow_cells cells[N_TYPES];
        uint64_t first = (uint64_t)b * each;
        CHECK_EQUAL(arrow_batch_first(f, b), first);
        CHECK_EQUAL(arrow_batch_rows(f, b), b < n_batches ? each : last);
        CHECK_EQUAL(arrow_batch_of(f, first), b);
        CHECK_EQUAL(arrow_batch_of(f, first + arrow_batch_rows(f, b) - 1), b);
        for (uint32_t c = 0; c < N_TYPES; c++) {
            if (!CHECK_EQUAL(arrow_cells_at(f, b, c, true, &cells[c]), LODE_OK)) return;
        }
        for (uint32_t i = 0; i < arrow_batch_rows(f, b); i++) check_row(cells, first + i, i);
    }
    CHECK_EQUAL(arrow_batch_of(f, arrow_n_rows(f)), arrow_n_batches(f));
}

static void test_round_trip(void) {
    static const uint32_t cases[][3] = {{0, 10, 0}, {0, 10, 1},      {1, 1, 0},
                                        {3, 7, 5},  {40, 1000, 999}, {300, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_job *job = plain_job();
        arrow_file *f = NULL;
        buffer b = make_file(job, cases[i][0], cases[i][1], cases[i][2]);
        if (CHECK_EQUAL(arrow_open_memory(job, b.bytes, b.n, &f), LODE_OK)) {
            check_table(f, cases[i][0], cases[i][1], cases[i][2]);
        }
        arrow_close(f);
        free(b.bytes);
        lode_job_free(job);
    }
}

/* Batches of several lengths, as they may come where memory is short. */
static void test_uneven(void) {
    lode_job *job = plain_job();
    arrow_writer *w = NULL;
    arrow_file *f = NULL;
    buffer b = {0};
    output to;
    output_call(&to, job, buffer_write, &b);
    arrow_table table = {columns, N_TYPES, dictionaries, 2, first_keys, 1, ARROW_PLAIN};
    static const uint32_t sizes[] = {3, 3, 5, 1, 0, 1, 1, 3};
    CHECK_EQUAL(arrow_write_begin(job, &to, &table, &w), LODE_OK);
    for (size_t i = 0; i < 8; i++) CHECK_EQUAL(write_rows(w, 0, sizes[i]), LODE_OK);
    CHECK_EQUAL(arrow_write_end(w, NULL, 0), LODE_OK);
    arrow_write_free(w);
    CHECK_EQUAL(arrow_open_memory(job, b.bytes, b.n, &f), LODE_OK);
    CHECK_EQUAL(arrow_n_batches(f), 7);
    CHECK_EQUAL(arrow_n_rows(f), 17);
    CHECK_TEXT(arrow_key_value(f, "lode.batch_rows"), "3*2,5,1*3,3");
    for (uint64_t row = 0; row < 17; row++) {
        uint32_t at = arrow_batch_of(f, row);
        CHECK(arrow_batch_first(f, at) <= row);
        CHECK(row < arrow_batch_first(f, at) + arrow_batch_rows(f, at));
    }
    arrow_close(f);
    free(b.bytes);
    lode_job_free(job);
}

/* ---- damage --------------------------------------------------------------------------------- */

/* Looks at everything that can be looked at; whether all of it is there. */
static bool look_at_all(lode_job *job, const void *bytes, size_t n) {
    arrow_file *f = NULL;
    arrow_cells cells;
    uint64_t names = 0, sum = 0;
    size_t length;
    lode_status status = arrow_open_memory(job, bytes, n, &f);
    bool whole = status == LODE_OK;
    CHECK(whole || (status == LODE_PARSE && *lode_job_error(job)));
    for (uint32_t d = 0; whole && d < arrow_n_dictionaries(f); d++) {
        if (arrow_names(f, d, &names) != LODE_OK) whole = false;
        for (uint64_t i = 0; whole && i < names; i++) {
            const char *name = arrow_name(f, d, i, &length);
            for (size_t k = 0; k < length; k++) sum += (unsigned char)name[k];
        }
    }
    for (uint32_t b = 0; whole && b < arrow_n_batches(f); b++) {
        for (uint32_t c = 0; whole && c < arrow_n_columns(f); c++) {
            whole = arrow_cells_at(f, b, c, true, &cells) == LODE_OK;
            uint32_t n_rows = arrow_batch_rows(f, b);
            if (!whole || !cells.offsets) continue;
            for (uint32_t i = 0; i < n_rows; i++) whole &= cells.offsets[i] <= cells.offsets[i + 1];
        }
    }
    CHECK(sum < UINT64_MAX);
    arrow_close(f);
    return whole;
}

static char *exact_copy(const buffer *b, size_t n) {
    char *copy = malloc(n > 0 ? n : 1); /* of exactly this size, so that the sanitizer sees more */
    if (!copy) exit(2);
    memcpy(copy, b->bytes, n);
    return copy;
}

static void test_cut(void) {
    lode_job *job = plain_job();
    buffer b = make_file(job, 2, 3, 1);
    for (size_t n = 0; n < b.n; n++) {
        char *copy = exact_copy(&b, n);
        CHECK(!look_at_all(job, copy, n));
        free(copy);
    }
    free(b.bytes);
    lode_job_free(job);
}

static void change_bytes(bool checked) {
    lode_job *job = plain_job();
    buffer b = make_file(job, 2, 3, 1);
    if (!checked) store_forget_checksums(b.bytes, b.n);
    static const unsigned char changes[] = {1, 4, 0x80, 0xff};
    char *copy = exact_copy(&b, b.n);
    for (size_t i = 0; i < b.n; i++) {
        for (size_t k = 0; k < sizeof changes; k++) {
            copy[i] = (char)(b.bytes[i] ^ (char)changes[k]);
            look_at_all(job, copy, b.n);
        }
        copy[i] = b.bytes[i];
    }
    CHECK(look_at_all(job, copy, b.n));
    rng random = rng_make(17, 0);
    for (int i = 0; i < (checked ? 2000 : 20000);
         i++) { /* several changes, most of them in the footer */
        memcpy(copy, b.bytes, b.n);
        for (int k = 0; k < 3; k++) {
            size_t at = b.n - 1 - (size_t)rng_below(&random, i % 4 ? 900 : b.n);
            copy[at] = (char)rng_below(&random, i % 3 ? 256 : 3);
        }
        look_at_all(job, copy, b.n);
    }
    free(copy);
    free(b.bytes);
    lode_job_free(job);
}

static void test_changed(void) {
    change_bytes(true);
    change_bytes(false);
}

/* Checksums are part of the format: what was written once must fit for ever. Each bit counts. */
static void test_checksums(void) {
    static const struct {
        size_t n;
        uint64_t sum;
    } known[] = {{0, 0x6749c8a8c1ed0db5u},   {1, 0x01f36edfe769fb39u},
                 {16, 0xb3759798f95f0401u},  {100, 0x57c89152d77416ceu},
                 {128, 0xe3819f505ffd16a6u}, {1000, 0x2fe56c6d0ed6ed6fu}};
    unsigned char bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i % 251);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_EQUAL(checksum_add(17, bytes, known[i].n), known[i].sum);
    }
    static const unsigned char zeros[3 * CHECKSUM_PIECE / 2];
    uint64_t first = checksum_add(17, zeros, CHECKSUM_PIECE);
    CHECK_EQUAL(checksum_add(17, zeros, sizeof zeros),
                checksum_add(first, zeros, sizeof zeros - CHECKSUM_PIECE));
    uint64_t whole = checksum_add(0, bytes, 300);
    for (size_t bit = 0; bit < 8 * 300; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(checksum_add(0, bytes, 300) != whole);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* ---- how much is looked at ------------------------------------------------------------------ */

#define PAGE ((size_t)4096)

static char *guarded;
static size_t guarded_bytes;
static volatile sig_atomic_t pages_touched;

/* Opens a page that is touched for the first time, and counts it. */
static void on_touch(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    size_t at = (size_t)((char *)info->si_addr - guarded);
    if (at >= guarded_bytes) _exit(3);
    pages_touched++;
    if (mprotect(guarded + at / PAGE * PAGE, PAGE, PROT_READ) != 0) _exit(3);
}

/* Pages that opening a file touches, and the same again with the last cells of a column. */
static void count_pages(lode_job *job, const buffer *b, int *opening, int *reading) {
    struct sigaction action = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO}, before;
    arrow_file *f = NULL;
    arrow_cells cells;
    guarded_bytes = (b->n + PAGE - 1) / PAGE * PAGE;
    guarded = mmap(NULL, guarded_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guarded == MAP_FAILED) exit(2);
    memcpy(guarded, b->bytes, b->n);
    if (mprotect(guarded, guarded_bytes, PROT_NONE) != 0) exit(2);
    sigaction(SIGSEGV, &action, &before);
    pages_touched = 0;
    CHECK_EQUAL(arrow_open_memory(job, guarded, b->n, &f), LODE_OK);
    *opening = pages_touched;
    CHECK_EQUAL(arrow_cells_at(f, arrow_n_batches(f) - 1, 1, true, &cells), LODE_OK);
    *reading = pages_touched;
    arrow_close(f);
    sigaction(SIGSEGV, &before, NULL);
    munmap(guarded, guarded_bytes);
}

/* However many batches there are: 763 are 50 million patterns. */
static void test_touched(void) {
    static const uint32_t batches[] = {15, 763, 10000};
    for (size_t i = 0; i < 3; i++) {
        lode_job *job = plain_job();
        buffer b = make_file(job, batches[i], 100, 1);
        int opening = 0, reading = 0;
        count_pages(job, &b, &opening, &reading);
        CHECK(opening > 0 && opening <= 6); /* 24 KiB; the bound is 64 */
        CHECK(reading <= opening + 3);
        free(b.bytes);
        lode_job_free(job);
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

#define LONG_ROWS ((uint32_t)1 << 20)

static uint64_t long_zeros[LONG_ROWS];

/* Writes a file with holes where the zeros are. */
static int sparse_write(void *user, const char *bytes, size_t n) {
    int fd = *(int *)user;
    if (bytes == (const char *)long_zeros) return lseek(fd, (off_t)n, SEEK_CUR) < 0;
    return write(fd, bytes, n) != (ssize_t)n;
}

/* More than 2^32 bytes. */
static void test_long_file(void) {
    lode_job *job = plain_job();
    char path[] = "/tmp/lode-test-XXXXXX";
    int fd = mkstemp(path);
    arrow_column column = {"x", ARROW_U64, 0};
    arrow_table table = {&column, 1, NULL, 0, NULL, 0, false};
    arrow_writer *w = NULL;
    arrow_file *f = NULL;
    arrow_cells cells = {NULL, long_zeros, 0};
    output to;
    output_call(&to, job, sparse_write, &fd);
    CHECK_EQUAL(arrow_write_begin(job, &to, &table, &w), LODE_OK);
    for (int i = 0; i < 600; i++) CHECK_EQUAL(arrow_write_batch(w, LONG_ROWS, &cells), LODE_OK);
    cells.values = (const uint64_t[]){17, 18};
    CHECK_EQUAL(arrow_write_batch(w, 2, &cells), LODE_OK);
    CHECK_EQUAL(arrow_write_end(w, NULL, 0), LODE_OK);
    arrow_write_free(w);
    close(fd);
    CHECK_EQUAL(arrow_open(job, path, &f), LODE_OK);
    CHECK_EQUAL(arrow_n_rows(f), 600 * (uint64_t)LONG_ROWS + 2);
    CHECK_EQUAL(arrow_cells_at(f, 600, 0, true, &cells), LODE_OK);
    CHECK_EQUAL(((const uint64_t *)cells.values)[1], 18);
    CHECK_EQUAL(arrow_cells_at(f, 599, 0, true, &cells), LODE_OK);
    CHECK_EQUAL(((const uint64_t *)cells.values)[LONG_ROWS - 1], 0);
    arrow_close(f);
    remove(path);
    lode_job_free(job);
}

static void check_refused(const char *path, lode_status expected, const char *words) {
    lode_job *job = plain_job();
    arrow_file *f = NULL;
    CHECK_EQUAL(arrow_open(job, path, &f), expected);
    CHECK(strstr(lode_job_error(job), words));
    CHECK(f == NULL);
    lode_job_free(job);
}

static void test_not_arrow(void) {
    char path[] = "/tmp/lode-test-XXXXXX";
    int fd = mkstemp(path);
    check_refused(path, LODE_PARSE, "empty");
    CHECK(write(fd, "1 2 3\n", 6) == 6);
    check_refused(path, LODE_PARSE, "not an Arrow file");
    CHECK(pwrite(fd, "ARROW1\0\0 and then nothing of it", 32, 0) == 32);
    check_refused(path, LODE_PARSE, "truncated");
    close(fd);
    remove(path);
    check_refused(path, LODE_NOTFOUND, "cannot open");
    check_refused("/tmp", LODE_NOTFOUND, "folder");
    check_refused("/dev/null", LODE_IO, "mapped");
}

/* ---- failures ------------------------------------------------------------------------------- */

/* The k-th request for memory is refused, while writing and while reading. */
static void test_memory(void) {
    bool done = false;
    for (uint64_t k = 0; !done && k < 1000; k++) {
        faulty memory = {.fail_at = UINT64_MAX};
        lode_job *job = NULL;
        lode_job_options o = {.size = sizeof o, .threads = 1};
        arrow_file *f = NULL;
        buffer b = {0};
        output to;
        pthread_mutex_init(&memory.lock, NULL);
        CHECK_EQUAL(job_with_memory(&job, &o, faulty_resize, &memory), LODE_OK);
        size_t live = memory.live;
        memory.fail_at = memory.calls + k;
        output_call(&to, job, buffer_write, &b);
        lode_status status = write_table(job, &to, 20, 3, 2);
        if (status == LODE_OK) status = arrow_open_memory(job, b.bytes, b.n, &f);
        done = status == LODE_OK;
        CHECK(done || status == LODE_NOMEM);
        arrow_close(f);
        output_discard(&to);
        CHECK_EQUAL(memory.live, live);
        CHECK(!memory.wrong_size);
        lode_job_free(job);
        free(b.bytes);
    }
    CHECK(done);
}

static int stop_writing(void *user, const char *bytes, size_t n) {
    (void)bytes, (void)n;
    return --*(int *)user < 0;
}

/* A function that stops, at its k-th call. */
static void test_stopped(void) {
    lode_status status = LODE_STOPPED;
    int k = 0;
    for (; status != LODE_OK && k < 1000; k++) {
        lode_job *job = plain_job();
        int left = k;
        output to;
        output_call(&to, job, stop_writing, &left);
        status = write_table(job, &to, 2, 3, 2);
        CHECK(status == LODE_OK || status == LODE_STOPPED);
        output_discard(&to);
        lode_job_free(job);
    }
    CHECK(k > 10 && k < 1000);
}

static void test_full_disk(void) {
    lode_job *job = plain_job();
    output to;
    if (output_open(&to, job, "/dev/full") == LODE_OK) {
        CHECK_EQUAL(write_table(job, &to, 2, 3, 2), LODE_IO);
        CHECK(strstr(lode_job_error(job), "/dev/full"));
    }
    output_discard(&to);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_round_trip);
    CHECK_RUN(test_uneven);
    CHECK_RUN(test_cut);
    CHECK_RUN(test_changed);
    CHECK_RUN(test_checksums);
    CHECK_RUN(test_touched);
    CHECK_RUN(test_long_file);
    CHECK_RUN(test_not_arrow);
    CHECK_RUN(test_memory);
    CHECK_RUN(test_stopped);
    CHECK_RUN(test_full_disk);
    return check_result();
}
