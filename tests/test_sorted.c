/* test_sorted.c - sorted output: rows of words, keys of patterns, and whole results compared with
 * the sort of a memory sink, which shares no code with it
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/radix.h"
#include "base/rng.h"
#include "runtime/job.h"
#include "sink_feed.h"
#include "write/itemsets/sort_keys.h"

static uint32_t draw(rng *random, uint32_t below) {
    return (uint32_t)rng_below(random, below);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static unsigned compared_words;

static int compare_rows(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    for (unsigned i = 0; i < compared_words; i++) {
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

/* Rows that differ everywhere, at the end only, in one bit of each word, or seldom. */
static uint64_t shaped_word(unsigned shape, unsigned word, unsigned words, size_t i, rng *random) {
    switch (shape) {
    case 0: return rng_u64(random);
    case 1: return word + 1 < words ? 7 : rng_below(random, 1000);
    case 2: return (uint64_t)rng_below(random, 2) << (word * 5 + 3);
    case 3: return rng_below(random, 50) == 0 ? rng_u64(random) : 0;
    case 4: return i; /* in order */
    case 5: return UINT64_MAX - i / 3;
    default: return 1;
    }
}

static bool stop_at_once(void *user) {
    ++*(int *)user;
    return true;
}

/* Takes one row of fifty out, and merges them with the others, as the first and as the second. */
static void check_lopsided(const uint64_t *rows, uint64_t *parts, uint64_t *merged, size_t n,
                           unsigned words) {
    size_t n_few = (n + 49) / 50, n_many = n - n_few, few = 0, many = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = i % 50 == 0 ? n_many + few++ : many++;
        memcpy(parts + at * words, rows + i * words, words * sizeof *rows);
    }
    const uint64_t *second = parts + n_many * words;
    radix_merge(parts, n_many, second, n_few, words, merged);
    CHECK(memcmp(rows, merged, n * words * sizeof *rows) == 0);
    radix_merge(second, n_few, parts, n_many, words, merged);
    CHECK(memcmp(rows, merged, n * words * sizeof *rows) == 0);
}

static void check_rows(unsigned shape, unsigned words, size_t n, rng *random) {
    size_t bytes = n * words * sizeof(uint64_t) + 1;
    uint64_t *rows = malloc(bytes), *want = malloc(bytes), *scratch = malloc(bytes);
    if (!rows || !want || !scratch) exit(2);
    for (size_t i = 0; i < n * words; i++) {
        rows[i] = shaped_word(shape, (unsigned)(i % words), words, i / words, random);
    }
    memcpy(want, rows, bytes - 1);
    compared_words = words;
    qsort(want, n, words * sizeof *want, compare_rows);
    CHECK(radix_sort(rows, scratch, n, words, NULL));
    CHECK(memcmp(rows, want, bytes - 1) == 0);
    for (size_t i = n; i-- > 1;) { /* in any order */
        size_t other = (size_t)rng_below(random, (uint32_t)i);
        for (unsigned k = 0; k < words; k++) {
            uint64_t word = rows[i * words + k];
            rows[i * words + k] = rows[other * words + k];
            rows[other * words + k] = word;
        }
    }
    int asked = 0;
    sort_stop stop = {stop_at_once, &asked};
    memcpy(scratch, rows, bytes - 1);
    bool ended = !radix_sort(rows, want, n, words, &stop); /* nothing may be lost */
    CHECK(ended == (asked > 0));
    CHECK(radix_sort_in_place(rows, n, words, NULL));
    qsort(scratch, n, words * sizeof *scratch, compare_rows);
    CHECK(memcmp(rows, scratch, bytes - 1) == 0);
    CHECK(radix_is_sorted(rows, n, words));
    size_t cut = n / 3;
    radix_merge(rows + cut * words, n - cut, rows, cut, words, want);
    CHECK(memcmp(rows, want, bytes - 1) == 0);
    check_lopsided(rows, scratch, want, n, words);
    if (n > 0) {
        size_t below = radix_below(rows, n, words, rows + cut * words);
        CHECK(below <= cut && compare_rows(rows + below * words, rows + cut * words) == 0);
        CHECK(below == 0 || compare_rows(rows + (below - 1) * words, rows + cut * words) < 0);
    }
    free(rows);
    free(want);
    free(scratch);
}

static void test_rows(void) {
    static const size_t lengths[] = {0, 1, 2, 17, 100, 1000, 20000};
    rng random = rng_make(11, 0);
    for (unsigned shape = 0; shape < 7; shape++) {
        for (unsigned words = 1; words < 5; words++) {
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                check_rows(shape, words, lengths[i], &random);
            }
        }
    }
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void random_set(uint32_t *items, uint32_t size, uint32_t n, rng *random) {
    for (uint32_t at = 0, i = 0; at < size; i++) { /* each with the same chance */
        if (draw(random, n - i) < size - at) items[at++] = i;
    }
}

static int compare_sets(const uint32_t *a, const uint32_t *b, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static void check_keys(const sort_keys *k, uint32_t n, rng *random) {
    uint32_t size = 1 + draw(random, n < 40 ? n : 40), sets[2][40], read[40];
    uint64_t rows[2][64], supports[2];
    unsigned words = keys_words(k, size);
    for (int i = 0; i < 2; i++) {
        random_set(sets[i], size, n, random);
        if (i == 1 && draw(random, 2)) memcpy(sets[1], sets[0], size / 2 * sizeof **sets);
        sort_u32(sets[i], size);
        supports[i] = rng_u64(random) & k->most;
    }
    for (uint32_t i = 1; i < size; i++) {
        if (sets[1][i] == sets[1][i - 1]) return; /* the common part has met an item twice */
    }
    for (int i = 0; i < 2; i++) keys_put(k, sets[i], size, supports[i], rows[i]);
    compared_words = words;
    int order = compare_sets(sets[0], sets[1], size);
    if (order != 0) CHECK_EQUAL(compare_rows(rows[0], rows[1]), order);
    CHECK_EQUAL(keys_items(k, size, rows[0], NULL, read), 0);
    CHECK_EQUAL(compare_sets(read, sets[0], size), 0);
    uint32_t same = keys_items(k, size, rows[1], rows[0], read), want = 0;
    while (want < size && sets[0][want] == sets[1][want]) want++;
    CHECK_EQUAL(same, want);
    CHECK_EQUAL(compare_sets(read, sets[1], size), 0);
    CHECK_EQUAL(keys_support(k, words, rows[1]), supports[1]);
}

static void test_keys(void) {
    static const uint64_t mosts[] = {1, 255, 0xffffffff, UINT64_MAX};
    rng random = rng_make(12, 0);
    lode_job *job = generated_job(1);
    for (uint32_t n = 1; n < 300; n += 1 + n / 4) {
        char text[2000] = "";
        for (uint32_t i = 0; i < n; i++) snprintf(text + strlen(text), 12, "%u ", i);
        text[strlen(text) - 1] = '\n';
        lode_dataset *data = line_data(job, text);
        for (int m = 0; m < 4; m++) {
            sort_keys keys = {0};
            CHECK_EQUAL(keys_init(&keys, &job->mem, data, 1, mosts[m]), LODE_OK);
            CHECK_EQUAL(keys.n_ranks, n);
            for (int i = 0; i < 50; i++) check_keys(&keys, n, &random);
            keys_free(&keys);
        }
        lode_dataset_free(data);
    }
    generated_done(job);
}

/* ---- whole results -------------------------------------------------------------------------- */

#define MARKS 6 /* these items tell emissions apart, so that no pattern comes twice */

typedef struct scene {
    uint32_t n_items, n_emissions, longest;
    uint32_t n_free; /* items of a lattice, at the most */
    unsigned n_workers, threads;
    uint64_t memory, most; /* budget in bytes, 0 = none; the highest support */
    lode_write_format format;
    bool
        marks_last; /* the marks are the last items, and families are interleaved; else the first */
    bool no_gaps;   /* of lattices: what is below a rare set is rare */
    bool cancels;   /* the job, after half of the emissions */
} scene;

/* The prefix of an emission: some marks, and some more items; `others` is what may follow. */
static uint32_t scene_prefix(const scene *s, uint32_t emission, uint32_t *prefix, uint32_t *others,
                             rng *random) {
    uint32_t n = 0, n_others = s->n_items - MARKS, more = draw(random, s->longest + 1);
    for (uint32_t i = 0; i < MARKS; i++) {
        if (emission >> i & 1) prefix[n++] = i + (s->marks_last ? n_others : 0);
    }
    for (uint32_t i = 0; i < n_others; i++) others[i] = i + (s->marks_last ? 0 : MARKS);
    for (uint32_t i = n_others; i-- > 1;) {
        uint32_t other = draw(random, i + 1), item = others[i];
        others[i] = others[other];
        others[other] = item;
    }
    for (uint32_t i = 0; i < more; i++) prefix[n++] = others[--n_others];
    return n;
}

static void emit_batch(sink_worker *w, const scene *s, const lode_batch *like,
                       const uint32_t *others, rng *random) {
    uint64_t supports[8];
    lode_batch batch = *like;
    batch.n = 1 + draw(random, 8);
    batch.items = others + batch.n_perfect;
    batch.supports = supports;
    for (uint32_t i = 0; i < batch.n; i++) supports[i] = 1 + rng_u64(random) % s->most;
    CHECK_EQUAL(sink_emit(w, &batch), LODE_OK);
}

/* A support that is no higher than those of the subsets. */
static uint32_t lattice_support(const uint32_t *supports, uint32_t set, uint32_t most,
                                rng *random) {
    uint32_t support = most - (uint32_t)(rng_u64(random) % (most / 3 + 1));
    for (uint32_t left = set; left; left &= left - 1) {
        uint32_t without = set & ~(left & -left);
        if (without && supports[without] < support) support = supports[without];
    }
    uint32_t step = most / 40 + 1, less = draw(random, 3) * step; /* some are just the minimum */
    return support > less + step ? (support - less) / step * step : 1;
}

static void emit_lattice(sink_worker *w, const scene *s, const lode_batch *like,
                         const uint32_t *others, rng *random) {
    uint64_t sizes[SINK_LATTICE_ITEMS + 1] = {0};
    uint32_t n = 1 + draw(random, s->n_free), *supports = calloc((size_t)1 << n, sizeof *supports);
    if (!supports) exit(2);
    uint32_t most = s->most < UINT32_MAX ? (uint32_t)s->most : UINT32_MAX,
             min = 10 * (most / 40 + 1);
    for (uint32_t set = 1; set < 1u << n; set++) {
        supports[set] = 1 + (uint32_t)(rng_u64(random) % most);
        if (s->no_gaps) supports[set] = lattice_support(supports, set, most, random);
        if (supports[set] >= min) sizes[__builtin_popcount(set)]++;
    }
    sink_lattice lattice = {.prefix = like->prefix,
                            .n_prefix = like->n_prefix,
                            .perfect = like->perfect,
                            .n_perfect = like->n_perfect,
                            .items = others + like->n_perfect,
                            .n_items = n,
                            .supports = supports,
                            .has_gaps = !s->no_gaps,
                            .min = min,
                            .sizes = sizes};
    CHECK_EQUAL(sink_emit_lattice(w, &lattice), LODE_OK);
    free(supports);
}

/* The same emissions for the same seed, whatever the number of workers. */
static void feed(lode_sink *sink, const scene *s, uint64_t seed) {
    sink_worker *workers[8];
    rng random = rng_make(seed, 0);
    sink_bounds bounds = {.least = 1, .most = s->most, .longest = UINT32_MAX};
    sink_expect(sink, &bounds);
    uint32_t *prefix = malloc(2 * s->n_items * sizeof *prefix), *others = prefix + s->n_items;
    if (!prefix) exit(2);
    for (unsigned i = 0; i < s->n_workers; i++) {
        CHECK_EQUAL(sink_open_worker(sink, &workers[i]), LODE_OK);
    }
    for (uint32_t e = 1; e <= s->n_emissions; e++) {
        lode_batch batch = {.prefix = prefix, .perfect = others};
        sink_worker *w = workers[e % s->n_workers];
        if (s->cancels && e == s->n_emissions / 2) lode_job_cancel(sink->job);
        batch.n_prefix = scene_prefix(s, e, prefix, others, &random);
        batch.n_perfect = draw(&random, 3) ? 0 : draw(&random, 6);
        if (draw(&random, 3)) {
            emit_lattice(w, s, &batch, others, &random);
        } else {
            emit_batch(w, s, &batch, others, &random);
        }
    }
    for (unsigned i = 0; i < s->n_workers; i++) {
        CHECK_EQUAL(sink_close_worker(workers[i]), LODE_OK);
    }
    free(prefix);
}

static lode_job *scene_job(const scene *s) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = s->threads, .memory_bytes = s->memory};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static lode_dataset *scene_data(lode_job *job, const scene *s) {
    char *text = malloc((size_t)12 * s->n_items);
    size_t n = 0;
    if (!text) exit(2);
    for (uint32_t i = 0; i < s->n_items; i++) {
        n += (size_t)snprintf(text + n, 12, "%u%c", i, i + 1 < s->n_items ? ' ' : '\n');
    }
    lode_dataset *data = line_data(job, text);
    free(text);
    return data;
}

/* What a memory sink keeps, as lines. */
static char *lines_of(const lode_sink *sink) {
    lode_result r = {.size = sizeof r};
    CHECK(lode_sink_result(sink, &r));
    char *text = malloc(12 * r.offsets[r.n] + 32 * r.n + 1), *to = text;
    if (!text) exit(2);
    for (uint64_t i = 0; i < r.n; i++) {
        for (uint64_t k = r.offsets[i]; k < r.offsets[i + 1]; k++) {
            to += snprintf(to, 12, "%u ", r.items[k]);
        }
        to += snprintf(to, 32, "(%" PRIu64 ")\n", r.supports[i]);
    }
    *to = 0;
    return text;
}

static char *expected_lines(const scene *s, uint64_t seed, uint64_t *n_patterns) {
    lode_job *job = generated_job(1);
    lode_dataset *data = scene_data(job, s);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    feed(sink, s, seed);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    char *text = lines_of(sink);
    *n_patterns = lode_sink_patterns(sink);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
    return text;
}

static void check_scene(const scene *s, uint64_t seed) {
    uint64_t n_patterns = 0;
    char *want = expected_lines(s, seed, &n_patterns);
    lode_job *job = scene_job(s);
    lode_dataset *data = scene_data(job, s);
    lode_sink *sink = text_sink(job, data, LODE_WRITE_FIMI, true);
    feed(sink, s, seed);
    CHECK_EQUAL(lode_sink_patterns(sink), n_patterns);
    char *text = finish_text(sink);
    bool same = CHECK(strcmp(text, want) == 0);
    if (!same) printf("seed %" PRIu64 ", %u items, most %" PRIu64 "\n", seed, s->n_items, s->most);
    free(text);
    free(want);
    lode_dataset_free(data);
    generated_done(job);
}

/* One word, several words, packed ranks; with and without a budget that needs the scratch file and
 * more than one round of merging. */
static void test_scenes(void) {
    static const uint32_t items[] = {30, 52, 64, 100, 200, 3000};
    for (uint64_t seed = 0; seed < 36; seed += BY_BUILD(1, 3, 11)) {
        scene s = {.n_items = items[seed % 6],
                   .n_emissions = seed % 4 == 3 ? 63 : 20,
                   .longest = seed % 3 ? 2 : 10,
                   .n_free = 10,
                   .n_workers = 1 + (unsigned)seed % 5,
                   .threads = 1 + (unsigned)seed % 4,
                   .memory = seed % 2 ? 0 : (uint64_t)(2 + seed % 5) << 20,
                   .most = seed % 5 == 4 ? UINT64_MAX : 4000};
        check_scene(&s, seed);
    }
}

/* Families that share their first items: of masks of one word, of two that share the last items,
 * and packed; some with so little memory that they become many segments. */
static void test_families(void) {
    static const uint32_t items[] = {24, 40, 64, 70, 73, 110, 140};
    for (uint64_t seed = 0; seed < 42; seed += BY_BUILD(1, 2, 11)) {
        scene s = {.n_items = items[seed % 7],
                   .n_emissions = 63,
                   .longest = (uint32_t)seed % 4,
                   .n_free = seed % 5 == 0 ? 12 : 8,
                   .n_workers = 1 + (unsigned)seed % 2,
                   .threads = 1 + (unsigned)seed % 3,
                   .memory = seed % 3 ? 0 : (uint64_t)(400 + 300 * (seed % 4)) << 10,
                   .most = seed % 11 == 10 ? UINT64_MAX : 4000,
                   .marks_last = true,
                   .no_gaps = seed % 2 == 0};
        check_scene(&s, 200 + seed);
    }
}

/* Text that a function gets. */
typedef struct gathered {
    char *text;
    size_t n;
} gathered;

static int gather(void *user, const char *text, size_t n) {
    gathered *g = user;
    g->text = realloc(g->text, g->n + n + 1);
    if (!g->text) exit(2);
    memcpy(g->text + g->n, text, n);
    g->n += n;
    g->text[g->n] = 0;
    return 0;
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether two texts have the same lines, in any order; divides them. */
static bool same_lines(char *a, char *b) {
    char *texts[] = {a, b}, **lines[2];
    size_t n[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        lines[i] = malloc((strlen(texts[i]) + 1) * sizeof **lines);
        if (!lines[i]) exit(2);
        for (char *at = texts[i]; *at; at += strlen(at) + 1) {
            at[strcspn(at, "\n")] = 0; /* every line ends with one */
            lines[i][n[i]++] = at;
        }
        qsort(lines[i], n[i], sizeof **lines, compare_lines);
    }
    bool same = n[0] == n[1];
    for (size_t i = 0; same && i < n[0]; i++) same = strcmp(lines[0][i], lines[1][i]) == 0;
    free(lines[0]);
    free(lines[1]);
    return same;
}

static void check_cancelled(scene s, uint64_t seed, bool again) {
    uint64_t n_patterns = 0;
    gathered g = {calloc(1, 1), 0};
    lode_sink *sink = NULL;
    lode_write_options options = {.size = sizeof options, .format = LODE_WRITE_FIMI, .sort = true};
    char *want = expected_lines(&s, seed, &n_patterns);
    lode_job *job = scene_job(&s);
    lode_dataset *data = scene_data(job, &s);
    s.cancels = true;
    CHECK_EQUAL(lode_sink_write(job, &sink, data, gather, &g, &options), LODE_OK);
    feed(sink, &s, seed);
    if (again) { /* another job, whose keys are others */
        sink_worker *worker = NULL;
        sink_expect(sink, &(sink_bounds){1, 16 * s.most, UINT32_MAX});
        CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
        CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    }
    lode_job_reset(job); /* there is no hurry */
    CHECK_EQUAL(lode_sink_finish(sink, true), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), n_patterns);
    CHECK_EQUAL(sink_unwritten(sink), 0);
    if (!CHECK(same_lines(g.text, want))) printf("seed %" PRIu64 "\n", seed);
    lode_sink_free(sink);
    free(g.text);
    free(want);
    lode_dataset_free(data);
    generated_done(job);
}

/* What was found until a cancel is all there, once. */
static void test_cancelled(void) {
    static const uint32_t items[] = {24, 40, 73, 140};
    for (uint64_t seed = 0; seed < 16; seed += BY_BUILD(1, 2, 7)) {
        scene s = {.n_items = items[seed % 4],
                   .n_emissions = 63,
                   .longest = (uint32_t)seed % 4,
                   .n_free = 9,
                   .n_workers = 1 + (unsigned)seed % 2,
                   .threads = 1 + (unsigned)seed % 3,
                   .most = 4000,
                   .marks_last = true,
                   .no_gaps = seed % 2 == 0};
        check_cancelled(s, 300 + seed, seed % 3 == 0);
    }
}

/* So many that segments in the file have several blocks, sizes several pieces, and a size more
 * segments than there is memory to merge. */
static void test_many_segments(void) {
    for (uint64_t seed = BY_BUILD(0, 0, 2); seed < 4; seed++) {
        scene s = {.n_items = seed == 3 ? 90 : 40,
                   .n_emissions = 63,
                   .longest = 3,
                   .n_free = 12,
                   .n_workers = 1 + 2 * (unsigned)(seed % 2),
                   .threads = 1 + (unsigned)seed,
                   .memory = (uint64_t)(seed < 2 ? 1100 : 2000) << 10,
                   .most = 4000};
        check_scene(&s, 100 + seed);
    }
}

/* Two jobs into one sink, of which the second finds rarer items and higher supports. */
static void test_two_jobs(void) {
    lode_job *job = generated_job(2);
    lode_dataset *data = line_data(job, "1 2 3\n1 2 3\n1 2\n0 4\n");
    lode_sink *sink = text_sink(job, data, LODE_WRITE_FIMI, true);
    const uint32_t often[] = {2, 3}, rare[] = {0, 4, 1};
    lode_batch first = {.prefix = often, .n_prefix = 1, .items = often + 1, .n = 1};
    lode_batch second = {.prefix = rare, .n_prefix = 1, .items = rare + 1, .n = 2};
    first.supports = (const uint64_t[]){2};
    second.supports = (const uint64_t[]){1, 300};
    sink_expect(sink, &(sink_bounds){2, 4, UINT32_MAX});
    emit_one(sink, &first);
    sink_expect(sink, &(sink_bounds){1, 1000, UINT32_MAX});
    emit_one(sink, &second);
    char *text = finish_text(sink);
    CHECK_TEXT(text, "0 1 (300)\n0 4 (1)\n2 3 (2)\n");
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

/* What bounds exclude is a mistake of an engine, and is not written. */
static void test_out_of_bounds(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "1 2\n1\n");
    lode_sink *sink = text_sink(job, data, LODE_WRITE_FIMI, true);
    sink_worker *worker = NULL;
    lode_batch batch = {.items = (const uint32_t[]){2}, .supports = (const uint64_t[]){2}, .n = 1};
    sink_expect(sink, &(sink_bounds){2, 2, UINT32_MAX});
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, &batch), LODE_INTERNAL);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_rows);
    CHECK_RUN(test_keys);
    CHECK_RUN(test_scenes);
    CHECK_RUN(test_families);
    CHECK_RUN(test_cancelled);
    CHECK_RUN(test_many_segments);
    CHECK_RUN(test_two_jobs);
    CHECK_RUN(test_out_of_bounds);
    generated_teardown();
    return check_result();
}
