/* test_rules_sorted.c - sorted rules, byte for byte, against a plain sort by comparison
 *
 * Random rules, many with the same antecedent, are passed to a sorting sink from several threads,
 * with and without enough memory; and the same rules, sorted by qsort, are passed from one thread
 * to a sink that keeps their order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>

#include "base/rng.h"
#include "generated.h"
#include "write/rules/rule_file.h"

#define MOST_LHS   7
#define MOST_RHS   3
#define MOST_RULES 40000
#define THREADS    4

typedef struct drawn_rule {
    uint32_t lhs[MOST_LHS], rhs[MOST_RHS], n_lhs, n_rhs;
    lode_rule rule;
} drawn_rule;

static drawn_rule *drawn;
static const drawn_rule **in_order;
static size_t n_drawn;

/* ---- rules at random ------------------------------------------------------------------------- */

static uint32_t draw_side(rng *random, uint32_t n, uint32_t n_items, uint32_t *items) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) items[i] = (uint32_t)rng_below(random, n_items);
    sort_u32(items, n);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || items[kept - 1] != items[i]) items[kept++] = items[i];
    }
    return kept;
}

static uint64_t mix_items(uint64_t mix, const uint32_t *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) mix = (mix ^ (items[i] + 1)) * 0x9e3779b97f4a7c15u;
    return mix * 31 + n;
}

/* Numbers that follow from the items, so that rules that are drawn twice are the same. */
static void set_numbers(drawn_rule *d, uint64_t total, bool extras) {
    uint64_t of_lhs = mix_items(1, d->lhs, d->n_lhs);
    rng random = rng_make(mix_items(of_lhs, d->rhs, d->n_rhs), 0);
    uint64_t both = rng_below(&random, total + 1);
    rng other = rng_make(of_lhs, 1); /* an antecedent has one count */
    uint64_t lhs = rng_below(&other, total + 1);
    if (both > lhs) both = lhs;
    d->rule = (lode_rule){.size = sizeof d->rule,
                          .lhs = d->lhs,
                          .n_lhs = d->n_lhs,
                          .rhs = d->rhs,
                          .n_rhs = d->n_rhs,
                          .counts = {both, lhs, both + rng_below(&random, total - both + 1), total},
                          .best_confidence = NAN,
                          .best_lift = NAN,
                          .adjusted_p = NAN};
    if (!extras) return;
    if (rng_below(&random, 3) > 0) d->rule.best_confidence = (double)both / (double)total;
    d->rule.best_lift = 1.25;
    d->rule.adjusted_p = 1 / (1 + (double)both);
    d->rule.held_out = (lode_counts){both / 2, lhs / 2 + 1, total / 2, total};
}

/* Half of the rules have the antecedent of the one before, and consequents of one item. */
static void draw_rules(rng *random, size_t n, uint32_t n_items, uint64_t total, bool extras) {
    n_drawn = n;
    for (size_t i = 0; i < n; i++) {
        drawn_rule *d = &drawn[i];
        bool again = i > 0 && rng_below(random, 2) == 0;
        uint32_t n_lhs = 1 + (uint32_t)rng_below(random, MOST_LHS);
        uint32_t n_rhs = again ? 1 : 1 + (uint32_t)rng_below(random, MOST_RHS);
        if (again) memcpy(d->lhs, d[-1].lhs, sizeof d->lhs);
        d->n_lhs = again ? d[-1].n_lhs : draw_side(random, n_lhs, n_items, d->lhs);
        d->n_rhs = draw_side(random, n_rhs, n_items, d->rhs);
        set_numbers(d, total, extras);
        in_order[i] = d;
    }
}

static int compare_lists(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m) {
    for (uint32_t i = 0; i < n && i < m; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return n == m ? 0 : n < m ? -1 : 1;
}

static int compare_drawn(const void *x, const void *y) {
    const drawn_rule *a = *(const drawn_rule *const *)x, *b = *(const drawn_rule *const *)y;
    uint32_t size = a->n_lhs + a->n_rhs, other = b->n_lhs + b->n_rhs;
    if (size != other) return size < other ? -1 : 1;
    int order = compare_lists(a->lhs, a->n_lhs, b->lhs, b->n_lhs);
    return order != 0 ? order : compare_lists(a->rhs, a->n_rhs, b->rhs, b->n_rhs);
}

/* ---- sinks ----------------------------------------------------------------------------------- */

/* Every item is in the first transaction. */
static lode_dataset *data_of(lode_job *job, uint32_t n_items, uint64_t total) {
    vec_char text = {0};
    mem *m = &job->mem;
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_FIMI};
    for (uint32_t i = 0; i < n_items; i++) {
        CHECK_EQUAL(vec_char_printf(m, &text, "%u ", i), LODE_OK);
    }
    CHECK_EQUAL(vec_char_append(m, &text, "\n", 1), LODE_OK);
    for (uint64_t i = 1; i < total; i++) CHECK_EQUAL(vec_char_append(m, &text, "0\n", 2), LODE_OK);
    CHECK_EQUAL(lode_dataset_parse(job, &data, text.data, text.n, "items", &o), LODE_OK);
    vec_char_free(m, &text);
    return data;
}

typedef struct feeder {
    lode_sink *sink;
    size_t first, end;
    bool batches;
} feeder;

/* How many rules from here on are of one antecedent and one consequent. */
static uint32_t length_of_batch(const feeder *f, size_t i) {
    uint32_t n = 0;
    const drawn_rule *d = &drawn[i];
    while (f->batches && i + n < f->end && n < 16 && d[n].n_rhs == 1 &&
           compare_lists(d->lhs, d->n_lhs, d[n].lhs, d[n].n_lhs) == 0) {
        n++;
    }
    return n;
}

static lode_status feed_batch(sink_worker *worker, const drawn_rule *d, uint32_t n) {
    uint32_t consequents[16];
    uint64_t both[16], of_rhs[16];
    for (uint32_t i = 0; i < n; i++) {
        consequents[i] = d[i].rhs[0];
        both[i] = d[i].rule.counts.both;
        of_rhs[i] = d[i].rule.counts.rhs;
    }
    rule_batch b = {d->lhs, d->n_lhs, d->rule.counts.lhs, consequents, both, of_rhs, n};
    return rule_sink_emit_batch(worker, &b);
}

static void *feed_part(void *arg) {
    const feeder *f = arg;
    sink_worker *worker = NULL;
    CHECK_EQUAL(rule_sink_open_worker(f->sink, &worker), LODE_OK);
    for (size_t i = f->first; i < f->end;) {
        uint32_t n = length_of_batch(f, i);
        lode_status status =
            n > 0 ? feed_batch(worker, &drawn[i], n) : rule_sink_emit(worker, &drawn[i].rule);
        if (!CHECK_EQUAL(status, LODE_OK)) break;
        i += n > 0 ? n : 1;
    }
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    return NULL;
}

static void feed_threads(lode_sink *sink, unsigned threads, bool batches) {
    pthread_t ids[THREADS];
    feeder f[THREADS];
    for (unsigned i = 0; i < threads; i++) {
        f[i] = (feeder){sink, n_drawn * i / threads, n_drawn * (i + 1) / threads, batches};
        if (pthread_create(&ids[i], NULL, feed_part, &f[i]) != 0) exit(2);
    }
    for (unsigned i = 0; i < threads; i++) pthread_join(ids[i], NULL);
}

static void feed_in_order(lode_sink *sink) {
    sink_worker *worker = NULL;
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    for (size_t i = 0; i < n_drawn; i++) {
        CHECK_EQUAL(rule_sink_emit(worker, &in_order[i]->rule), LODE_OK);
    }
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
}

typedef struct shape {
    lode_rule_write_options write;
    size_t n;
    uint32_t n_items;
    uint64_t total;
    bool extras;
} shape;

typedef struct setting {
    unsigned threads;
    uint64_t memory;
    bool plain; /* rules are sorted before */
} setting;

/* The bytes that a sink writes. */
static char *written(const shape *s, const setting *by, size_t *n) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = by->threads, .memory_bytes = by->memory};
    lode_rule_write_options w = s->write;
    lode_sink *sink = NULL;
    bool arrow = w.format == LODE_RULE_WRITE_ARROW; /* its file says whether it was sorted */
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    lode_dataset *data = data_of(job, s->n_items, s->total);
    w.sort = !by->plain || arrow;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, &w), LODE_OK);
    if (!w.sort) rule_sink_keep_order(sink);
    sink_set_data(sink, data);
    if (by->plain) {
        feed_in_order(sink);
    } else {
        feed_threads(sink, by->threads, !s->extras);
    }
    sink_set_data(sink, NULL);
    bool spilled = ((const rule_file *)sink)->store.base.fd >= 0;
    CHECK(spilled ? by->memory > 0 : by->memory == 0 || by->plain || s->n < MOST_RULES);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
    return generated_take(n);
}

#define SHAPE(format_, measures_, ...)                                                             \
    {                                                                                              \
        .write = {.size = sizeof(lode_rule_write_options),                                         \
                  .format = LODE_RULE_WRITE_##format_,                                             \
                  .measures = measures_},                                                          \
        __VA_ARGS__                                                                                \
    }

static void check_orders(const shape *s, unsigned threads, uint64_t memory) {
    size_t n_wanted = 0, n_got = 0;
    char *wanted = written(s, &(setting){threads, memory, true}, &n_wanted);
    char *got = written(s, &(setting){threads, memory, false}, &n_got);
    bool same = n_got == n_wanted && memcmp(got, wanted, n_got) == 0;
    if (!CHECK(same)) fprintf(stderr, "format %d, %u threads\n", (int)s->write.format, threads);
    free(got);
    free(wanted);
}

static void orders(void) {
    static const shape shapes[] = {
        SHAPE(TEXT, NULL, MOST_RULES, 9, 200, false),
        SHAPE(TEXT, NULL, MOST_RULES, 3000, 70, false),
        SHAPE(TEXT, NULL, 300, 1, 1, false), /* an item of one bit, and many rules that are equal */
        SHAPE(SPMF, NULL, 2000, 255, 255, false),
        SHAPE(CSV, "lift,improvement", MOST_RULES, 256, 1000, true),
        SHAPE(CSV, "adjustedP,heldOutCount,improvement", 3000, 64, 1000, true),
        SHAPE(JSONL, "adjustedP", 3000, 63, 1000, true),
        SHAPE(JSONL, NULL, MOST_RULES, 500, 3000, true),
        SHAPE(ARROW, "lift", MOST_RULES, 500, 3000, false),
        SHAPE(TEXT, NULL, 0, 5, 5, false),
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        rng random = rng_make(i, 0);
        draw_rules(&random, s->n, s->n_items, s->total, s->extras);
        qsort(in_order, n_drawn, sizeof *in_order, compare_drawn);
        for (unsigned threads = BY_BUILD(1, 1, THREADS); threads <= THREADS; threads++) {
            if (threads % 2 == 1) check_orders(s, threads, 0);
            check_orders(s, threads, (uint64_t)4 << 20);
        }
    }
}

/* Rows have no place for what comes after rules that lack it. */
static void check_unlike(bool held_out, const char *why) {
    lode_job *job = generated_job(1);
    lode_dataset *data = data_of(job, 9, 10);
    lode_rule_write_options w = {.size = sizeof w, .format = LODE_RULE_WRITE_JSONL, .sort = true};
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    drawn_rule d = {.lhs = {1}, .rhs = {2}, .n_lhs = 1, .n_rhs = 1};
    set_numbers(&d, 10, false);
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, &w), LODE_OK);
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit(worker, &d.rule), LODE_OK);
    if (held_out) d.rule.held_out = (lode_counts){1, 1, 1, 4};
    d.rule.counts.total = held_out ? 10 : 11;
    CHECK_EQUAL(rule_sink_emit(worker, &d.rule), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), why) != NULL);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

static void unlike(void) {
    check_unlike(true, "without held-out counts");
    check_unlike(false, "from one data set");
}

int main(void) {
    drawn = malloc(MOST_RULES * sizeof *drawn);
    in_order = malloc(MOST_RULES * sizeof *in_order);
    if (!drawn || !in_order) exit(2);
    generated_setup();
    CHECK_RUN(orders);
    CHECK_RUN(unlike);
    generated_teardown();
    free(drawn);
    free(in_order);
    return check_result();
}
