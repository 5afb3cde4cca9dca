/* test_held.c - short results are sorted, with any memory; also suggestions for misspelt words
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sink_text.h"

#include "base/figures.h"
#include "base/nearest.h"
#include "device/cpu/kernels.h"
#include "generated.h"
#include "jobs.h"
#include "mining.h"
#include "pipeline/engine/item_task.h"
#include "write/itemsets/item_count.h"

/* ---- one run into a file -------------------------------------------------------------------- */

typedef struct run_case {
    const table *t;
    uint64_t min_count;
    uint64_t memory;
    unsigned threads;
    lode_write_options write;
} run_case;

/* The lines of the file, or NULL with the status of what failed. */
static char *run_file(const run_case *c, lode_status *status) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_job_options o = {.size = sizeof o, .threads = c->threads, .memory_bytes = c->memory};
    lode_mine_options mine = {.size = sizeof mine, .min_support = {c->min_count, 0}};
    lode_write_options write = c->write;
    size_t n = 0;
    write.size = sizeof write;
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    *status = lode_dataset_from_arrays(job, &data, c->t->n, c->t->offsets, c->t->items, NULL);
    if (*status == LODE_OK) *status = lode_sink_file(job, &sink, data, generated_path, &write);
    if (*status == LODE_OK) *status = lode_mine(job, data, &mine, sink);
    if (*status == LODE_OK) *status = lode_sink_finish(sink, false);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return *status == LODE_OK ? generated_take(&n) : NULL;
}

static uint64_t line_support(const char *line) {
    const char *at = strchr(line, '(');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* How many lines there are, and whether supports never rise from one to the next. */
static size_t look_at(const char *text, bool *falls) {
    size_t n = 0;
    uint64_t before = UINT64_MAX;
    *falls = true;
    for (const char *line = text; line && *line; n++) {
        uint64_t support = line_support(line);
        *falls = *falls && support <= before;
        before = support;
        line = strchr(line, '\n');
        if (line) line++;
    }
    return n;
}

/* Every subset of n items occurs; some more often than others. */
static table all_subsets(uint32_t n) {
    table t = {0};
    uint32_t items[32];
    for (uint32_t i = 0; i < n; i++) items[i] = i;
    for (uint32_t i = 0; i < n; i++) table_add(&t, items + i, n - i);
    return t;
}

static void test_limit(void) {
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        for (uint32_t n = 12; n <= 15; n++) {
            table t = all_subsets(n);
            lode_status status;
            bool falls;
            run_case c = {.t = &t, .min_count = 1, .threads = threads};
            char *text = run_file(&c, &status);
            size_t want = ((size_t)1 << n) - 1;
            CHECK_EQUAL(look_at(text, &falls), want);
            CHECK(falls == (want <= HELD_PATTERNS));
            free(text);
            c.write.unsorted = true;
            text = run_file(&c, &status);
            CHECK_EQUAL(look_at(text, &falls), want);
            CHECK(!falls);
            free(text);
            table_free(&t);
        }
    }
}

/* A budget that leaves no room for holding back costs the order, and nothing else. */
static void test_budget(void) {
    table t = all_subsets(13);
    bool sorted = false, flowed = false;
    for (uint64_t kib = 300; kib < 16384; kib += kib / 6) {
        lode_status status;
        bool falls;
        run_case c = {.t = &t, .min_count = 1, .threads = 1, .memory = kib << 10};
        char *text = run_file(&c, &status);
        if (!CHECK(status == LODE_OK || status == LODE_BUDGET)) continue;
        if (status != LODE_OK) {
            CHECK(!sorted); /* enough memory stays enough */
            continue;
        }
        CHECK_EQUAL(look_at(text, &falls), 8191);
        sorted = sorted || falls;
        flowed = flowed || !falls;
        free(text);
    }
    CHECK(sorted && flowed);
    table_free(&t);
}

static void test_take(void) {
    mem m;
    held h;
    mem_init(&m, NULL, NULL, 0);
    held_init(&h, &m);
    CHECK(held_take(&h, HELD_PATTERNS, 1) && !held_flows(&h));
    CHECK(!held_take(&h, 1, 1) && held_flows(&h));
    held_init(&h, &m);
    CHECK(held_take(&h, 1, HELD_BYTES) && !held_take(&h, 1, 1));
    held_init(&h, &m);
    CHECK(!held_take(&h, UINT64_MAX, UINT64_MAX) && held_flows(&h));
    mem_init(&m, NULL, NULL, 32 << 10);
    held_init(&h, &m);
    CHECK(held_take(&h, 2, 1000) && !held_take(&h, 1, 25));
}

/* ---- every allocation fails once ------------------------------------------------------------ */

typedef struct failing {
    uint64_t calls, fail_at;
} failing;

static void *failing_resize(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                            size_t align) {
    failing *f = user;
    if (new_bytes == 0) {
        free(pointer);
        return NULL;
    }
    if (++f->calls == f->fail_at) return NULL;
    void *fresh = aligned_alloc(align, (new_bytes + align - 1) / align * align);
    if (!fresh) return NULL;
    if (pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(pointer);
    return fresh;
}

static lode_status run_failing(failing *f, const table *t, const lode_write_options *write) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1};
    lode_mine_options mine = {.size = sizeof mine, .min_support = {1, 0}};
    lode_status status = job_with_memory(&job, &o, failing_resize, f);
    if (status != LODE_OK) return status;
    status = lode_dataset_from_arrays(job, &data, t->n, t->offsets, t->items, NULL);
    if (status == LODE_OK) status = lode_sink_file(job, &sink, data, generated_path, write);
    if (status == LODE_OK) status = lode_mine(job, data, &mine, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return status;
}

/* Either the call fails, or the result is whole: in order or not. */
static void test_failing_memory(void) {
    table t = all_subsets(7);
    lode_write_options kinds[] = {
        {.size = sizeof *kinds},
        {.size = sizeof *kinds, .unsorted = true},
        {.size = sizeof *kinds, .format = LODE_WRITE_CSV, .csv_items = LODE_CSV_COLUMNS},
        {.size = sizeof *kinds,
         .format = LODE_WRITE_CSV,
         .csv_items = LODE_CSV_COLUMNS,
         .unsorted = true},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool done = false;
        for (uint64_t at = 1; !done && at < 1000; at++) {
            failing f = {.fail_at = at};
            lode_status status = run_failing(&f, &t, &kinds[k]);
            done = f.calls < at;
            CHECK(status == LODE_NOMEM || status == LODE_OK);
            if (status != LODE_OK) continue;
            size_t n = 0;
            bool falls;
            char *text = generated_take(&n);
            CHECK_EQUAL(look_at(text, &falls), 127 + (kinds[k].format == LODE_WRITE_CSV));
            free(text);
        }
        CHECK(done);
    }
    table_free(&t);
}

/* ---- columns -------------------------------------------------------------------------------- */

static void test_width(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = NULL;
    const uint64_t offsets[] = {0, 4, 7, 9, 9};
    const uint32_t items[] = {1, 2, 3, 9, 1, 2, 3, 1, 2}, weights[] = {1, 1, 5, 1};
    uint32_t width = 99;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 4, offsets, items, NULL), LODE_OK);
    const uint32_t want[] = {4, 3, 2, 0}; /* at 1, 2, 3 and 4 transactions */
    for (uint64_t i = 0; i < 4; i++) {
        CHECK_EQUAL(width_bound(job, data, i + 1, &width), LODE_OK);
        CHECK_EQUAL(width, want[i]);
    }
    lode_dataset_free(data);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 4, offsets, items, weights), LODE_OK);
    CHECK_EQUAL(width_bound(job, data, 6, &width), LODE_OK);
    CHECK_EQUAL(width, 2);
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- words ---------------------------------------------------------------------------------- */

static void test_nearest(void) {
    const char *names[] = {"min-support", "min-size", "sort", "cpu", "adaptive"};
    const char *pairs[][2] = {{"min-suport", "min-support"},
                              {"minsup", "min-support"},
                              {"MIN_SIZE", "min-size"},
                              {"sotr", "sort"},
                              {"gpu", "cpu"},
                              {"adpative", "adaptive"},
                              {"sorted", "sort"},
                              {"zebra", NULL},
                              {"", NULL},
                              {"-", NULL},
                              {"s", NULL},
                              {"max", NULL}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *got = lode_nearest(pairs[i][0], names, 5), *want = pairs[i][1];
        if (!CHECK(got == NULL ? want == NULL : want && strcmp(got, want) == 0)) {
            fprintf(stderr, "  %s: %s\n", pairs[i][0], got ? got : "none");
        }
    }
    char long_word[200];
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    CHECK(lode_nearest(long_word, names, 5) == NULL);
}

static void test_percent(void) {
    char text[FIGURE_BYTES];
    CHECK_TEXT(figure_percent(1, text), "100");
    CHECK_TEXT(figure_percent(0.9972, text), "99.7");
    CHECK_TEXT(figure_percent(0.9949, text), "99");
    CHECK_TEXT(figure_percent(0.9996, text), "99.96");
    CHECK_TEXT(figure_percent(0.999996, text), "above 99.999");
    CHECK_TEXT(figure_percent(0.0999, text), "10");
    CHECK_TEXT(figure_percent(0.082, text), "8.2");
    CHECK_TEXT(figure_percent(0.00012, text), "0.012");
    CHECK_TEXT(figure_percent(1e-9, text), "below 0.001");
    CHECK_TEXT(figure_percent(0, text), "0");
}

static void test_build(void) {
    lode_build b = LODE_INIT(lode_build);
    lode_build_info(&b);
    char list[128] = "";
    for (size_t i = 0; cpu_kernels_at(i); i++) {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", cpu_kernels_at(i)->name);
    }
    CHECK_TEXT(b.instruction_sets, list);
    CHECK(b.type[0] && b.compiler[0]);
    CHECK(b.chosen && strstr(list, b.chosen));
    CHECK((b.cuda != NULL) == (backend_at(1) != NULL));
}

/* ---- the best without a threshold ----------------------------------------------------------- */

static void test_top(void) {
    table t = table_random(3, 300, 30, 5, 60);
    for (uint64_t k = 1; k < 5000; k *= 7) {
        lode_job *job = generated_job(2);
        lode_dataset *data = NULL;
        uint64_t found[2];
        CHECK_EQUAL(lode_dataset_from_arrays(job, &data, t.n, t.offsets, t.items, NULL), LODE_OK);
        for (uint64_t given = 0; given < 2; given++) {
            lode_sink *sink = NULL;
            lode_mine_options o = {.size = sizeof o, .target = LODE_TARGET_TOP, .top_k = k};
            o.min_support.numerator = given;
            o.min_size = 2;
            CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
            CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
            CHECK(lode_sink_patterns(sink) >= k);
            found[given] = lode_sink_hash_value(sink);
            lode_sink_free(sink);
        }
        CHECK_EQUAL(found[0], found[1]);
        lode_dataset_free(data);
        generated_done(job);
    }
    table_free(&t);
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_limit);
    CHECK_RUN(test_budget);
    CHECK_RUN(test_take);
    CHECK_RUN(test_failing_memory);
    CHECK_RUN(test_width);
    CHECK_RUN(test_nearest);
    CHECK_RUN(test_percent);
    CHECK_RUN(test_build);
    CHECK_RUN(test_top);
    generated_teardown();
    return check_result();
}
