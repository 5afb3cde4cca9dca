/* test_names.c - millions of names, weights, and common item numbers for parts in several processes
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "data/transactions/dataset.h"
#include "mining.h"

static lode_job *job_of(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads, .device = "cpu*1"};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static void job_done(lode_job *job) {
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static lode_dataset *parse(lode_job *job, const char *text) {
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ' '};
    CHECK_EQUAL(lode_dataset_parse(job, &data, text, strlen(text), "text", &o), LODE_OK);
    return data;
}

/* ---- names in bulk -------------------------------------------------------------------------- */

static void check_bulk(const lode_dataset *data) {
    uint32_t bound = lode_dataset_item_bound(data), items[64];
    uint64_t offsets[65], supports[64];
    char text[1024], name[64];
    bool found[64];
    CHECK(bound > 2 && bound <= 64);
    for (uint32_t first = 0; first <= bound + 1; first++) {
        uint32_t n = bound > first ? bound - first : 0;
        size_t bytes = lode_dataset_item_names(data, first, 64, offsets, NULL, 0);
        CHECK(bytes <= sizeof text && offsets[0] == 0 && offsets[64] == bytes);
        memset(text, '#', sizeof text);
        if (bytes > 0) lode_dataset_item_names(data, first, n, NULL, text, bytes - 1);
        CHECK_EQUAL(text[0], '#'); /* no room for all of it: nothing */
        CHECK_EQUAL(lode_dataset_item_names(data, first, n, offsets, text, bytes), bytes);
        CHECK_EQUAL(lode_dataset_items(data, first, 64, items, supports), n);
        for (uint32_t i = 0; i < n; i++) {
            CHECK_EQUAL(items[i], lode_dataset_item_at(data, first + i));
            CHECK_EQUAL(supports[i], lode_dataset_item_support(data, items[i]));
            size_t length = lode_dataset_item_name(data, items[i], name, sizeof name);
            CHECK_EQUAL(offsets[i + 1] - offsets[i], length);
            CHECK(memcmp(text + offsets[i], name, length) == 0);
        }
    }
    lode_dataset_item_names(data, 0, bound, offsets, text, sizeof text);
    uint64_t hits = lode_dataset_items_find(data, bound, offsets, text, items, found);
    for (uint32_t i = 0; i < bound; i++) {
        bool occurs = lode_dataset_item_support(data, lode_dataset_item_at(data, i)) > 0;
        CHECK_EQUAL(found[i], occurs);
        if (occurs) CHECK_EQUAL(items[i], lode_dataset_item_at(data, i));
        hits -= occurs;
    }
    CHECK_EQUAL(hits, 0);
}

static void test_bulk(void) {
    static const char *const texts[] = {"b a\nccc a\n\xc3\xa4 7\n", "0 3 12\n3 9\n",
                                        "5 4294967295\n10000001 5\n77\n"};
    lode_job *job = job_of(1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lode_dataset *data = parse(job, texts[i]);
        check_bulk(data);
        lode_dataset_free(data);
    }
    lode_dataset *data = parse(job, texts[0]);
    const uint64_t offsets[] = {0, 1, 4, 4, 3, 6}; /* one falls: as if it were empty */
    uint32_t items[] = {90, 91, 92, 93, 94};
    bool found[5];
    CHECK_EQUAL(lode_dataset_items_find(data, 5, offsets, "acccno", items, found), 2);
    CHECK(found[0] && found[1] && !found[2] && !found[3] && !found[4]);
    CHECK(items[0] == 1 && items[1] == 3 && items[2] == 92 && items[4] == 94);
    lode_dataset_free(data);
    job_done(job);
}

static void test_weights(void) {
    static const uint64_t offsets[] = {0, 2, 3, 4};
    static const uint32_t items[] = {1, 2, 2, 5}, weights[] = {3, 0, 7};
    lode_job *job = job_of(1);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 3, offsets, items, weights), LODE_OK);
    CHECK_EQUAL(lode_dataset_total_weight(data), 10);
    for (uint64_t t = 0; t < 3; t++) {
        CHECK_EQUAL(lode_dataset_transaction_weight(data, t), weights[t]);
    }
    CHECK_EQUAL(lode_dataset_transaction_weight(data, 3), 0);
    lode_dataset_free(data);
    data = parse(job, "a b\nc\n");
    CHECK_EQUAL(lode_dataset_total_weight(data), 2);
    CHECK_EQUAL(lode_dataset_transaction_weight(data, 1), 1);
    CHECK_EQUAL(lode_dataset_transaction_weight(data, 2), 0);
    lode_dataset_free(data);
    job_done(job);
}

/* ---- parts ---------------------------------------------------------------------------------- */

#define N_PARTS 3
#define N_ROWS  240

/* Rows of words that the numbers 0 … 14 stand for. */
typedef struct words {
    const char *of[15];
} words;

static const words vocabularies[] = {
    {{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14"}},
    {{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "9999999", "4294967295"}},
    {{"milk", "1", "2", "bread", "4", "5", "eggs", "7", "\xc3\xa4", "9", "10", "011", "b", "c",
      "d"}},
    {{"0", "10", "2", "30", "4", "5", "60", "7", "8", "9", "100", "x", "12", "9999999", "70"}}};

/* Part k has rows k, k + N_PARTS, …; words of high number are in the last part only, so that parts
 * differ in kind and bound. */
static void make_text(const words *w, unsigned index, char *out, size_t bytes) {
    rng r = rng_make(8, 8);
    size_t at = 0;
    for (unsigned row = 0; row < N_ROWS; row++) {
        bool mine = index == N_PARTS || row % N_PARTS == index, first = true;
        for (unsigned i = 0; i < 15; i++) {
            bool has = rng_below(&r, 100) < 20 + 4 * i && (i < 11 || row % N_PARTS == N_PARTS - 1);
            if (!has || !mine) continue;
            at += (size_t)snprintf(out + at, bytes - at, "%s%s", first ? "" : " ", w->of[i]);
            first = false;
        }
        if (mine) at += (size_t)snprintf(out + at, bytes - at, "\n");
    }
}

typedef struct shared {
    pthread_barrier_t barrier;
    uint64_t *counts[N_PARTS];
} shared;

typedef struct part {
    shared *all;
    unsigned index;
    lode_job *job;
    lode_dataset *data;
    lode_sink *sink;
    lode_status status;
} part;

static lode_status reduce(void *user, uint64_t *counts, size_t n) {
    part *p = user;
    uint64_t *sums = calloc(n + 1, sizeof *sums);
    if (!sums) exit(2);
    p->all->counts[p->index] = counts;
    pthread_barrier_wait(&p->all->barrier);
    for (unsigned k = 0; k < N_PARTS; k++) {
        for (size_t i = 0; i < n; i++) sums[i] += p->all->counts[k][i];
    }
    pthread_barrier_wait(&p->all->barrier);
    memcpy(counts, sums, n * sizeof *sums);
    free(sums);
    return LODE_OK;
}

static void *part_main(void *arg) {
    part *p = arg;
    lode_mine_options o = mining_options("frontier", 12);
    o.reduce = reduce;
    o.reduce_user = p;
    o.max_lists = 50;
    o.n_transactions_total = N_ROWS;
    p->status = lode_mine(p->job, p->data, &o, p->sink);
    return NULL;
}

static void check_mining(part *parts, const lode_dataset *whole) {
    shared all = {.counts = {0}};
    pthread_t threads[N_PARTS];
    lode_sink *want = NULL;
    lode_mine_options o = mining_options("frontier", 12);
    pthread_barrier_init(&all.barrier, NULL, N_PARTS);
    for (unsigned k = 0; k < N_PARTS; k++) {
        parts[k].all = &all;
        parts[k].index = k;
        CHECK_EQUAL(lode_sink_hash(parts[k].job, &parts[k].sink, parts[k].data), LODE_OK);
        if (pthread_create(&threads[k], NULL, part_main, &parts[k]) != 0) exit(2);
    }
    for (unsigned k = 0; k < N_PARTS; k++) pthread_join(threads[k], NULL);
    lode_job *job = job_of(1);
    CHECK_EQUAL(lode_sink_hash(job, &want, whole), LODE_OK);
    CHECK_EQUAL(lode_mine(job, whole, &o, want), LODE_OK);
    CHECK(lode_sink_patterns(want) > 50);
    for (unsigned k = 0; k < N_PARTS; k++) {
        CHECK_EQUAL(parts[k].status, LODE_OK);
        CHECK_EQUAL(lode_sink_hash_value(parts[k].sink), lode_sink_hash_value(want));
        lode_sink_free(parts[k].sink);
    }
    lode_sink_free(want);
    lode_job_free(job);
    pthread_barrier_destroy(&all.barrier);
}

/* The part has the numbering of the whole, and its own transactions. */
static void check_part(const lode_dataset *data, const lode_dataset *whole, unsigned index) {
    const char *reason = NULL;
    if (!CHECK(dataset_validate(data, &reason))) fprintf(stderr, "  %s\n", reason);
    CHECK_EQUAL(lode_dataset_item_bound(data), lode_dataset_item_bound(whole));
    CHECK_EQUAL(lode_dataset_has_numbers(data), lode_dataset_has_numbers(whole));
    for (uint32_t i = 0; i < lode_dataset_item_bound(whole); i++) {
        uint32_t item = lode_dataset_item_at(data, i);
        char a[32] = "", b[32] = "";
        CHECK_EQUAL(item, lode_dataset_item_at(whole, i));
        lode_dataset_item_name(data, item, a, sizeof a - 1);
        lode_dataset_item_name(whole, item, b, sizeof b - 1);
        CHECK_TEXT(a, b);
    }
    for (uint64_t t = 0; t < N_ROWS / N_PARTS; t++) {
        uint32_t a[16], b[16], n = lode_dataset_transaction(data, t, a, 16);
        CHECK_EQUAL(lode_dataset_transaction(whole, t * N_PARTS + index, b, 16), n);
        CHECK(memcmp(a, b, n * sizeof *a) == 0);
    }
}

static void check_parts(const words *w) {
    static char text[40000], names[40000];
    part parts[N_PARTS];
    size_t bytes = 0;
    lode_job *job = job_of(1);
    make_text(w, N_PARTS, text, sizeof text);
    lode_dataset *whole = parse(job, text);
    for (unsigned k = 0; k < N_PARTS; k++) {
        parts[k] = (part){.job = job_of(1 + k)};
        make_text(w, k, text, sizeof text);
        parts[k].data = parse(parts[k].job, text);
        size_t n = lode_dataset_names_export(parts[k].data, NULL, 0);
        CHECK(n % 8 == 0 && bytes + n <= sizeof names);
        CHECK_EQUAL(lode_dataset_names_export(parts[k].data, names + bytes, n), n);
        bytes += n;
    }
    for (unsigned k = 0; k < N_PARTS; k++) {
        lode_dataset *data = parts[k].data;
        CHECK_EQUAL(lode_dataset_adopt_names(parts[k].job, data, names, bytes), LODE_OK);
        check_part(data, whole, k);
        CHECK_EQUAL(lode_dataset_adopt_names(parts[k].job, data, names, bytes), LODE_OK);
        check_part(data, whole, k); /* once more changes nothing */
    }
    check_mining(parts, whole);
    for (unsigned k = 0; k < N_PARTS; k++) {
        lode_dataset_free(parts[k].data);
        job_done(parts[k].job);
    }
    lode_dataset_free(whole);
    job_done(job);
}

static void test_parts(void) {
    for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++) {
        check_parts(&vocabularies[i]);
    }
}

/* Damage of any byte is found; nothing changes the data set then. */
static void test_damage(void) {
    char names[4096], spoilt[4096], before[64], after[64];
    lode_job *job = job_of(1);
    lode_dataset *data = parse(job, "pear apple\nfig 12\n"), *other = parse(job, "1 2\n");
    size_t n = lode_dataset_names_export(data, names, sizeof names);
    CHECK(n <= sizeof names);
    size_t length = lode_dataset_item_names(data, 0, 4, NULL, before, sizeof before);
    for (size_t i = 0; i < 80; i++) {
        memcpy(spoilt, names, n);
        spoilt[i] = (char)(spoilt[i] ^ 0x41);
        lode_status status = lode_dataset_adopt_names(job, data, spoilt, n);
        CHECK_EQUAL(status, LODE_INVALID);
        CHECK(strstr(lode_job_error(job), "names") != NULL);
    }
    for (size_t cut = 1; cut < n; cut++) {
        CHECK_EQUAL(lode_dataset_adopt_names(job, data, names, cut), LODE_INVALID);
    }
    CHECK_EQUAL(lode_dataset_adopt_names(job, other, names, n), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "are missing from") != NULL);
    size_t numbers = lode_dataset_names_export(other, names, sizeof names);
    for (size_t i = 0; i < numbers; i++) { /* numbers have no text that could look wrong */
        memcpy(spoilt, names, numbers);
        spoilt[i] = (char)(spoilt[i] ^ 0x41);
        CHECK_EQUAL(lode_dataset_adopt_names(job, other, spoilt, numbers), LODE_INVALID);
    }
    CHECK_EQUAL(lode_dataset_item_bound(other), 3);
    CHECK_EQUAL(lode_dataset_item_names(data, 0, 4, NULL, after, sizeof after), length);
    CHECK(memcmp(before, after, length) == 0);
    lode_dataset_free(data);
    lode_dataset_free(other);
    job_done(job);
}

int main(void) {
    CHECK_RUN(test_bulk);
    CHECK_RUN(test_weights);
    CHECK_RUN(test_parts);
    CHECK_RUN(test_damage);
    return check_result();
}
