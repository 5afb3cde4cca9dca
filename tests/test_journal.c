/* test_journal.c - journals: the pieces left follow from the records, however a process ended
 *
 * A model of several processes does pieces of a range of numbers, gives parts of them away, and is
 * killed at random places. After every resume, and at the end, each number must either be left or
 * be in exactly one record that counts. Files are also truncated at every byte, and changed in
 * every byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "check.h"
#include "faulty.h"
#include "lode.h"

#define N_ROOTS   6
#define WIDTH     40 /* numbers in a root piece */
#define N_NUMBERS (N_ROOTS * WIDTH)

static const lode_journal_search the_search = {sizeof the_search, 11, 22, "count=3 target=all"};
static lode_job *job;
static char folder[] = "/dev/shm/lode-journal-XXXXXX"; /* where syncing takes no time */

static const char *path_of(unsigned i) {
    static char paths[4][64];
    snprintf(paths[i], sizeof paths[i], "%s/%u.journal", folder, i);
    return paths[i];
}

static void remove_all(void) {
    for (unsigned i = 0; i < 4; i++) unlink(path_of(i));
}

/* ---- whole files ----------------------------------------------------------------------------- */

typedef struct bytes {
    char *data;
    size_t n;
} bytes;

static bytes file_read(const char *path) {
    FILE *file = fopen(path, "rb");
    bytes b = {malloc(1 << 20), 0};
    if (!file || !b.data) exit(2);
    b.n = fread(b.data, 1, 1 << 20, file);
    fclose(file);
    return b;
}

static size_t file_bytes(const char *path) {
    struct stat file;
    return stat(path, &file) == 0 ? (size_t)file.st_size : 0;
}

static void file_write(const char *path, const bytes *b, size_t n) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(b->data, 1, n, file) != n || fclose(file) != 0) exit(2);
}

/* ---- three records --------------------------------------------------------------------------- */

static const uint32_t prefix[] = {7, 5, 1};
static const lode_task the_task = {.size = sizeof the_task,
                                   .prefix = prefix,
                                   .n_prefix = 3,
                                   .first = 2,
                                   .end = 9,
                                   .own = true,
                                   .work = 2.5};

/* Writes: root 1; root 3, which gives a task away; that task. `ends`: the length after each. */
static void write_three(const char *path, size_t ends[4]) {
    lode_journal *j = NULL;
    const lode_task *given = &the_task;
    const uint64_t sizes[] = {0, 5, 6};
    uint64_t one = 1, three = 3, id;
    lode_journal_record r = {.size = sizeof r, .done = &one, .n_done = 1, .bytes = 10};
    CHECK_EQUAL(lode_journal_create(job, &j, path, &the_search), LODE_OK);
    ends[0] = file_bytes(path);
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    ends[1] = file_bytes(path);
    id = lode_journal_id(j);
    CHECK(lode_journal_id(j) != id);
    r = (lode_journal_record){sizeof r, &three, 1, &given, &id, 1, sizes, 3, 77, 20, 88};
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    ends[2] = file_bytes(path);
    r = (lode_journal_record){.size = sizeof r, .done = &id, .n_done = 1, .bytes = 30};
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    ends[3] = file_bytes(path);
    lode_journal_free(j);
}

static lode_journals *read_one(const char *path) {
    lode_journals *s = NULL;
    lode_status status = lode_journals_read(job, &s, &path, 1, &the_search, 5);
    if (!CHECK_EQUAL(status, LODE_OK)) fprintf(stderr, "  %s\n", lode_job_error(job));
    return s;
}

/* Whether what is left is right after so many records. */
static bool check_left(const lode_journals *s, unsigned records) {
    static const uint64_t left[4][5] = {{0, 1, 2, 3, 4}, {0, 2, 3, 4}, {0, 2, 4}, {0, 2, 4}};
    static const size_t n[4] = {5, 4, 3, 3};
    lode_task t = LODE_INIT(lode_task);
    uint64_t id = 9;
    bool fine = CHECK_EQUAL(lode_journals_left(s), n[records] + (records == 2));
    for (size_t i = 0; i < n[records] && fine; i++) {
        fine = CHECK(lode_journals_left_at(s, i, &id, &t)) && CHECK_EQUAL(id, left[records][i]) &&
               CHECK(t.size == sizeof t && t.prefix == NULL && t.end == 0);
    }
    if (records == 2 && fine) {
        fine = CHECK(lode_journals_left_at(s, 3, &id, &t)) && CHECK(id >> 63 == 1) &&
               CHECK(t.n_prefix == 3 && memcmp(t.prefix, prefix, sizeof prefix) == 0) &&
               CHECK(t.first == 2 && t.end == 9 && t.own && t.work == 2.5);
    }
    return fine && CHECK(!lode_journals_left_at(s, 5, &id, &t) && id == 0);
}

static int see_record(void *user, size_t journal, const lode_journal_record *r, bool counts) {
    unsigned *n = user;
    CHECK(journal == 0 && counts && r->n_done == 1);
    CHECK_EQUAL(r->bytes, ++*n * 10);
    if (*n == 2) {
        CHECK(r->hash == 77 && r->bytes_hash == 88 && r->n_sizes == 3 && r->sizes[2] == 6);
        CHECK(r->n_given == 1 && r->given[0]->first == 2);
    }
    return 0;
}

static int stop_at_once(void *user, size_t journal, const lode_journal_record *r, bool counts) {
    (void)user, (void)journal, (void)r, (void)counts;
    return 1;
}

static void test_round_trip(void) {
    size_t ends[4];
    unsigned n = 0;
    write_three(path_of(0), ends);
    lode_journals *s = read_one(path_of(0));
    check_left(s, 3);
    CHECK_EQUAL(lode_journals_torn(s), 0);
    CHECK_EQUAL(lode_journals_each(s, see_record, &n), LODE_OK);
    CHECK_EQUAL(n, 3);
    CHECK_EQUAL(lode_journals_each(s, stop_at_once, &n), LODE_STOPPED);
    lode_journals_free(s);
    remove_all();
}

/* The number of records that end before a byte. */
static unsigned records_before(const size_t ends[4], size_t at) {
    unsigned n = 0;
    while (n < 3 && ends[n + 1] <= at) n++;
    return n;
}

/* Resumes a file of which so many records are whole, adds one, and reads it again. */
static bool check_goes_on(const char *path, unsigned records) {
    lode_journal *j = NULL;
    uint64_t zero = 0;
    lode_journal_record r = {.size = sizeof r, .done = &zero, .n_done = 1};
    bool fine = CHECK_EQUAL(lode_journal_open(job, &j, path, &the_search), LODE_OK) &&
                CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    lode_journal_free(j);
    lode_journals *s = read_one(path);
    lode_task t = LODE_INIT(lode_task);
    uint64_t id = 9;
    size_t n = records == 2 ? 4 : records == 3 ? 3 : 5 - records;
    fine = fine && CHECK_EQUAL(lode_journals_left(s), n - 1) &&
           CHECK(lode_journals_left_at(s, 0, &id, &t)) && CHECK(id != 0) &&
           CHECK_EQUAL(lode_journals_torn(s), 0);
    lode_journals_free(s);
    return fine;
}

static void test_torn_at_every_byte(void) {
    size_t ends[4];
    write_three(path_of(0), ends);
    bytes b = file_read(path_of(0));
    for (size_t cut = 0; cut <= b.n; cut++) {
        lode_journals *s = NULL;
        const char *path = path_of(1);
        file_write(path, &b, cut);
        if (cut < ends[0]) {
            CHECK_EQUAL(lode_journals_read(job, &s, &path, 1, &the_search, 5), LODE_PARSE);
            continue;
        }
        s = read_one(path);
        unsigned n = records_before(ends, cut);
        bool fine = check_left(s, n) && CHECK_EQUAL(lode_journals_torn(s), cut - ends[n]) &&
                    check_goes_on(path, n);
        lode_journals_free(s);
        if (!fine) break;
    }
    free(b.data);
    remove_all();
}

static void test_changed_bits(void) {
    size_t ends[4];
    write_three(path_of(0), ends);
    bytes b = file_read(path_of(0));
    for (size_t i = 0; i < b.n; i++) {
        const char *path = path_of(1);
        lode_journals *s = NULL;
        b.data[i] = (char)(b.data[i] ^ 1 << i % 8);
        file_write(path, &b, b.n);
        lode_status status = lode_journals_read(job, &s, &path, 1, &the_search, 5);
        bool fine = true;
        if (i < ends[0]) {
            fine = CHECK_EQUAL(status, LODE_PARSE);
        } else {
            fine = CHECK_EQUAL(status, LODE_OK) && check_left(s, records_before(ends, i)) &&
                   check_goes_on(path, records_before(ends, i));
        }
        lode_journals_free(s);
        b.data[i] = (char)(b.data[i] ^ 1 << i % 8);
        if (!fine) break;
    }
    free(b.data);
    remove_all();
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void check_refused(const lode_journal_search *search, lode_status expected,
                          const char *text) {
    lode_journal *j = NULL;
    lode_journals *s = NULL;
    const char *path = path_of(0);
    CHECK_EQUAL(lode_journal_open(job, &j, path, search), expected);
    if (!CHECK(strstr(lode_job_error(job), text) != NULL)) {
        fprintf(stderr, "  %s\n", lode_job_error(job));
    }
    CHECK_EQUAL(lode_journals_read(job, &s, &path, 1, search, 5), expected);
}

static void test_refusals(void) {
    size_t ends[4];
    lode_journal *a = NULL, *b = NULL;
    lode_journal_search other = the_search;
    check_refused(&the_search, LODE_NOTFOUND, "cannot open");
    write_three(path_of(0), ends);
    other.data = 12;
    check_refused(&other, LODE_INVALID, "data differ");
    other = the_search;
    other.tasks = 23;
    check_refused(&other, LODE_INVALID, "divided differently");
    other = the_search;
    other.options = "count=4 target=all";
    check_refused(&other, LODE_INVALID, "'count=3 target=all', and now are 'count=4");
    other.options = "count=3";
    check_refused(&other, LODE_INVALID, "now are 'count=3'");
    CHECK_EQUAL(lode_journal_create(job, &a, path_of(0), &the_search), LODE_IO);
    CHECK_EQUAL(lode_journal_open(job, &a, path_of(0), &the_search), LODE_OK);
    CHECK_EQUAL(lode_journal_open(job, &b, path_of(0), &the_search), LODE_IO);
    CHECK(strstr(lode_job_error(job), "another process") != NULL);
    lode_journal_free(a);
    CHECK_EQUAL(lode_journal_create(job, &a, "/nowhere/at/all", &the_search), LODE_IO);
    remove_all();
}

/* The same piece in two records, and a task that was given by two. */
static void test_contradictions(void) {
    lode_journal *j = NULL;
    lode_journals *s = NULL;
    const char *path = path_of(0);
    const lode_task *given = &the_task;
    uint64_t one = 1, two = 2, id;
    lode_journal_record r = {.size = sizeof r, .done = &one, .n_done = 1};
    CHECK_EQUAL(lode_journal_create(job, &j, path, &the_search), LODE_OK);
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    CHECK_EQUAL(lode_journals_read(job, &s, &path, 1, &the_search, 5), LODE_PARSE);
    CHECK(strstr(lode_job_error(job), "completed twice") != NULL);
    lode_journal_free(j);
    remove_all();
    CHECK_EQUAL(lode_journal_create(job, &j, path, &the_search), LODE_OK);
    id = lode_journal_id(j);
    r = (lode_journal_record){sizeof r, &one, 1, &given, &id, 1, NULL, 0, 0, 0, 0};
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    r.done = &two;
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    CHECK_EQUAL(lode_journals_read(job, &s, &path, 1, &the_search, 5), LODE_PARSE);
    CHECK(strstr(lode_job_error(job), "handed out twice") != NULL);
    id = 17;
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_INVALID);
    lode_journal_free(j);
    remove_all();
}

/* ---- processes that are killed -------------------------------------------------------------- */

#define N_PROCESSES 3
#define N_PIECES    20000

/* A piece of the model: numbers from `from` to `to`. */
typedef struct piece {
    uint64_t id;
    uint32_t from, to;
} piece;

/* What a record has: its numbers, in a list of all. */
typedef struct model {
    rng random;
    piece open[N_PIECES]; /* nobody has begun */
    size_t n_open;
    uint32_t numbers[N_PIECES]; /* of the records of all journals, in the order of writing */
    size_t n_numbers;
    size_t first[N_PROCESSES][N_PIECES], n_records[N_PROCESSES];
    size_t length[N_PROCESSES][N_PIECES];
    uint32_t seen[N_NUMBERS];
    size_t n_ignored;
} model;

static model m;

/* One process does some pieces, gives parts away, and writes a record, if it is not killed. */
static void model_step(unsigned process, lode_journal *j) {
    lode_task tasks[8];
    const lode_task *list[8];
    uint64_t done[4], ids[8];
    piece given[8];
    size_t n = 1 + (size_t)rng_below(&m.random, 3), n_given = 0, start = m.n_numbers;
    lode_journal_record r = {.size = sizeof r, .done = done};
    while (r.n_done < n && m.n_open > 0) {
        size_t k = (size_t)rng_below(&m.random, m.n_open);
        piece p = m.open[k];
        m.open[k] = m.open[--m.n_open];
        done[r.n_done++] = p.id;
        while (p.to - p.from > 1 && n_given < 7 && rng_below(&m.random, 2)) {
            uint32_t middle = p.from + 1 + (uint32_t)rng_below(&m.random, p.to - p.from - 1);
            given[n_given++] = (piece){lode_journal_id(j), middle, p.to};
            p.to = middle;
        }
        for (uint32_t x = p.from; x < p.to; x++) m.numbers[m.n_numbers++] = x;
    }
    for (size_t i = 0; i < n_given; i++) {
        tasks[i] = (lode_task){.size = sizeof tasks[i], .first = given[i].from, .end = given[i].to};
        list[i] = &tasks[i];
        ids[i] = given[i].id;
        m.open[m.n_open++] = given[i]; /* others have it, whether or not this record is written */
    }
    r.given = list;
    r.given_ids = ids;
    r.n_given = n_given;
    if (rng_below(&m.random, 12) == 0) {
        m.n_numbers = start;
        return;
    }
    CHECK_EQUAL(lode_journal_append(j, &r), LODE_OK);
    m.first[process][m.n_records[process]] = start;
    m.length[process][m.n_records[process]++] = m.n_numbers - start;
}

typedef struct model_reader {
    size_t at[N_PROCESSES];
} model_reader;

static int model_see(void *user, size_t journal, const lode_journal_record *r, bool counts) {
    model_reader *reader = user;
    size_t k = reader->at[journal]++;
    (void)r;
    for (size_t i = 0; i < m.length[journal][k] && counts; i++) {
        m.seen[m.numbers[m.first[journal][k] + i]]++;
    }
    m.n_ignored += !counts;
    return 0;
}

/* Reads all journals: each number must be in one record that counts, or left. */
static bool model_resume(void) {
    const char *paths[N_PROCESSES];
    lode_journals *s = NULL;
    lode_task t = LODE_INIT(lode_task);
    model_reader reader = {{0}};
    uint64_t id = 0;
    bool fine = true;
    for (unsigned i = 0; i < N_PROCESSES; i++) paths[i] = path_of(i);
    lode_status status = lode_journals_read(job, &s, paths, N_PROCESSES, &the_search, N_ROOTS);
    if (!CHECK_EQUAL(status, LODE_OK)) return false;
    memset(m.seen, 0, sizeof m.seen);
    CHECK_EQUAL(lode_journals_each(s, model_see, &reader), LODE_OK);
    m.n_open = 0;
    for (size_t i = 0; lode_journals_left_at(s, i, &id, &t); i++) {
        piece p = {id, t.first, t.end};
        if (id < N_ROOTS) p = (piece){id, (uint32_t)id * WIDTH, (uint32_t)(id + 1) * WIDTH};
        for (uint32_t x = p.from; x < p.to; x++) m.seen[x]++;
        m.open[m.n_open++] = p;
    }
    for (unsigned i = 0; i < N_NUMBERS && fine; i++) fine = CHECK_EQUAL(m.seen[i], 1);
    lode_journals_free(s);
    return fine;
}

static bool model_run(uint64_t seed) {
    lode_journal *j[N_PROCESSES] = {0};
    bool fine = true;
    m = (model){.random = rng_make(seed, 1), .n_open = 1};
    for (unsigned run = 0; m.n_open > 0 && run < 500 && fine; run++) {
        for (unsigned i = 0; i < N_PROCESSES; i++) {
            lode_status status = run == 0 ? lode_journal_create(job, &j[i], path_of(i), &the_search)
                                          : lode_journal_open(job, &j[i], path_of(i), &the_search);
            CHECK_EQUAL(status, LODE_OK);
        }
        fine = model_resume();
        uint64_t steps = rng_below(&m.random, 12);
        for (uint64_t i = 0; i < steps && m.n_open > 0; i++) {
            unsigned process = (unsigned)rng_below(&m.random, N_PROCESSES);
            model_step(process, j[process]);
        }
        for (unsigned i = 0; i < N_PROCESSES; i++) lode_journal_free(j[i]);
        fine = fine && model_resume();
    }
    remove_all();
    return fine && CHECK_EQUAL(m.n_open, 0);
}

static void test_killed_processes(void) {
    size_t ignored = 0;
    for (uint64_t seed = 0; seed < 40 && model_run(seed); seed++) ignored += m.n_ignored;
    CHECK(ignored > 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Refuses one request after the other: the status says so, and nothing is left behind. */
static void test_refused_memory(void) {
    size_t ends[4];
    const char *path = path_of(0);
    write_three(path, ends);
    faulty f = {.lock = PTHREAD_MUTEX_INITIALIZER, .fail_at = UINT64_MAX};
    lode_status status = LODE_NOMEM;
    for (uint64_t at = 0; at < 100 && status != LODE_OK; at++) {
        lode_ctx_options o = {.size = sizeof o, .resize = faulty_resize, .resize_user = &f};
        lode_ctx *ctx = NULL;
        lode_job *other = NULL;
        lode_journals *s = NULL;
        lode_journal *j = NULL;
        f.fail_at = UINT64_MAX;
        CHECK_EQUAL(lode_ctx_create(&ctx, &o), LODE_OK);
        CHECK_EQUAL(lode_job_create(&other, ctx, NULL), LODE_OK);
        f.fail_at = f.calls + at;
        status = lode_journal_open(other, &j, path, &the_search);
        if (status == LODE_OK) {
            status = lode_journals_read(other, &s, &path, 1, &the_search, 5);
        }
        CHECK(status == LODE_OK || status == LODE_NOMEM);
        lode_journals_free(s);
        lode_journal_free(j);
        lode_job_free(other);
        lode_ctx_free(ctx);
        CHECK(f.live == 0 && !f.wrong_size);
    }
    CHECK_EQUAL(status, LODE_OK);
    remove_all();
}

int main(void) {
    if (access("/dev/shm", W_OK) != 0) memcpy(folder, "/tmp/lode-journal-XXXXXX", 25);
    if (!mkdtemp(folder) || lode_job_create(&job, NULL, NULL) != LODE_OK) return 2;
    CHECK_RUN(test_round_trip);
    CHECK_RUN(test_torn_at_every_byte);
    CHECK_RUN(test_changed_bits);
    CHECK_RUN(test_refusals);
    CHECK_RUN(test_contradictions);
    CHECK_RUN(test_killed_processes);
    CHECK_RUN(test_refused_memory);
    lode_job_free(job);
    rmdir(folder);
    return check_result();
}
