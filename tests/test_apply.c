/* test_apply.c - stored rules applied to transactions, compared with plain loops over all pairs
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "faulty.h"
#include "jobs.h"
#include "runtime/job.h"
#include "stores.h"

static rng dice;
static lode_job *job;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (!CHECK_EQUAL(call, LODE_OK)) fprintf(stderr, "  said: %s\n", lode_job_error(job));     \
    } while (0)

#define BASKETS 300

/* Baskets of names of the store, and of some that it does not have. */
typedef struct baskets {
    bool has[BASKETS][STORE_NAMES];
    lode_dataset *data;
} baskets;

static void make_baskets(baskets *b, unsigned most) {
    static char text[BASKETS * 600];
    size_t n = 0;
    memset(b, 0, sizeof *b);
    for (unsigned i = 0; i < BASKETS; i++) {
        unsigned wanted = (unsigned)rng_below(&dice, most + 1);
        for (unsigned k = 0; k < wanted; k++) b->has[i][rng_below(&dice, STORE_NAMES)] = true;
        n += (size_t)snprintf(text + n, sizeof text - n, "other%u", i % 7);
        for (unsigned c = 0; c < STORE_NAMES; c++) {
            if (!b->has[i][c]) continue;
            if (strchr(store_names[c], '"')) { /* cells with quotes are in quotes */
                n += (size_t)snprintf(text + n, sizeof text - n, ";\"p\"\"q\"\"\"");
            } else {
                n += (size_t)snprintf(text + n, sizeof text - n, ";%s", store_names[c]);
            }
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ';'};
    OK(lode_dataset_parse(job, &b->data, text, n, "baskets", &o));
}

/* ---- the plain way -------------------------------------------------------------------------- */

typedef struct plain {
    const store_data *rules;
    const baskets *baskets;
    const char *by;
    lode_apply_options how;
    lode_advice *want;
    size_t n_want, cap, next;
    uint64_t wrong;
    uint64_t stop_after;
} plain;

static bool holds_all(const bool *has, const int32_t *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!has[items[i]]) return false;
    }
    return true;
}

static int compare_advice(const void *x, const void *y) {
    const lode_advice *a = x, *b = y;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static void want(plain *p, lode_advice a) {
    if (p->n_want == p->cap) {
        p->cap = 2 * p->cap + 1000;
        p->want = realloc(p->want, p->cap * sizeof *p->want);
        if (!p->want) exit(2);
    }
    p->want[p->n_want++] = a;
}

/* Adds an item, unless an earlier rule of the basket says it as well, or better. */
static void want_item(plain *p, size_t first, lode_advice a) {
    for (size_t i = first; i < p->n_want; i++) {
        if (p->want[i].item != a.item) continue;
        if (a.score > p->want[i].score) p->want[i] = a;
        return;
    }
    want(p, a);
}

static void plain_basket(plain *p, unsigned basket) {
    const bool *has = p->baskets->has[basket];
    size_t first = p->n_want;
    for (uint32_t r = 0; r < p->rules->n; r++) {
        const store_row *row = &p->rules->rows[r];
        double score = store_value(p->rules, row, p->by);
        if (isnan(score) || !holds_all(has, row->lhs, row->n_lhs)) continue;
        lode_advice a = {.transaction = basket, .row = r, .score = score, .item = UINT32_MAX};
        a.held = holds_all(has, row->rhs, row->n_rhs);
        if (p->how.every_rule) want(p, a);
        a.held = false;
        for (uint32_t i = 0; i < row->n_rhs && !p->how.every_rule; i++) {
            a.item = (uint32_t)row->rhs[i];
            if (!has[a.item]) want_item(p, first, a);
        }
    }
    size_t n = p->n_want - first, top = p->how.top ? p->how.top : 5;
    qsort(p->want + first, n, sizeof *p->want, compare_advice);
    if (!p->how.every_rule && n > top) p->n_want = first + top;
    for (size_t i = first; i < p->n_want; i++) p->want[i].rank = (uint32_t)(i - first);
}

/* ---- against the other ---------------------------------------------------------------------- */

static int compare_one(void *user, const lode_advice *a) {
    plain *p = user;
    if (p->stop_after > 0 && p->next == p->stop_after) return 1;
    const lode_advice *w = &p->want[p->next];
    bool same = p->next < p->n_want && a->size == sizeof *a && a->transaction == w->transaction &&
                a->row == w->row && fabs(a->score - w->score) <= 1e-12 * fabs(w->score) &&
                a->item == w->item && a->rank == w->rank && a->held == w->held;
    if (isinf(a->score)) same = a->score == w->score;
    p->wrong += !same;
    p->next++;
    return 0;
}

static void try_one(const store_data *d, const baskets *b, lode_store *s, plain *p) {
    static const char *const columns[] = {"confidence", "odd", "both", "lift"};
    p->rules = d;
    p->baskets = b;
    p->by = columns[rng_below(&dice, 4)];
    p->how = (lode_apply_options){.size = sizeof p->how,
                                  .by = p->by,
                                  .top = (uint32_t)rng_below(&dice, 8),
                                  .every_rule = rng_below(&dice, 2)};
    if (p->how.every_rule) p->how.top = 0;
    p->n_want = p->next = 0;
    p->wrong = 0;
    for (unsigned i = 0; i < BASKETS; i++) plain_basket(p, i);
    OK(lode_store_apply(s, b->data, &p->how, compare_one, p));
    CHECK_EQUAL(p->wrong, 0);
    CHECK_EQUAL(p->next, p->n_want);
}

static void test_random(void) {
    static const uint32_t sizes[] = {1, 40, 2000};
    plain p = {0};
    baskets *b = malloc(sizeof *b);
    if (!b) exit(2);
    for (unsigned threads = BY_BUILD(1, 1, 4); threads <= 4; threads += 3) {
        lode_job_options o = {.size = sizeof o, .threads = threads};
        if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
        for (unsigned i = 0; i < 3; i++) {
            lode_store *s = NULL;
            store_data d = store_make(job, LODE_RULES, sizes[i], 700, &dice);
            make_baskets(b, 16);
            OK(lode_store_open(job, &s, d.path));
            for (unsigned k = 0; k < 6; k++) try_one(&d, b, s, &p);
            lode_store_free(s);
            lode_dataset_free(b->data);
            store_drop(&d);
        }
        lode_job_free(job);
    }
    free(p.want);
    free(b);
}

static int ignore_advice(void *user, const lode_advice *a) {
    (void)user;
    (void)a;
    return 0;
}

/* n_want: lines; next: transactions that have some. */
static int count_advice(void *user, const lode_advice *a) {
    plain *p = user;
    p->n_want++;
    p->next += a->rank == 0;
    return 0;
}

static int cancel_advice(void *user, const lode_advice *a) {
    (void)user;
    if (a->transaction > 20) lode_job_cancel(job);
    return 0;
}

static void test_stops(void) {
    lode_job_options o = {.size = sizeof o, .threads = 3};
    plain p = {.stop_after = 50};
    baskets *b = malloc(sizeof *b);
    if (!b || lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    lode_store *s = NULL;
    store_data d = store_make(job, LODE_RULES, 2000, 700, &dice);
    lode_apply_options every = {.size = sizeof every, .every_rule = true};
    make_baskets(b, 16);
    OK(lode_store_open(job, &s, d.path));
    p.want = calloc(50, sizeof *p.want);
    CHECK_EQUAL(lode_store_apply(s, b->data, &every, compare_one, &p), LODE_STOPPED);
    CHECK_EQUAL(p.next, 50);
    CHECK_EQUAL(lode_store_apply(s, b->data, &every, cancel_advice, NULL), LODE_CANCELLED);
    lode_job_reset(job);
    OK(lode_store_apply(s, b->data, &every, ignore_advice, NULL));
    every.by = "head";
    CHECK_EQUAL(lode_store_apply(s, b->data, &every, ignore_advice, NULL), LODE_INVALID);
    lode_store_free(s);
    lode_dataset_free(b->data);
    store_drop(&d);
    free(p.want);
    free(b);
    lode_job_free(job);
}

static void test_memory_faults(void) {
    faulty f = {.fail_at = UINT64_MAX};
    baskets *b = malloc(sizeof *b);
    pthread_mutex_init(&f.lock, NULL);
    lode_job_options o = {.size = sizeof o, .threads = 2};
    if (!b || lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    lode_job *reader = job;
    store_data d = store_make(job, LODE_RULES, 300, 100, &dice);
    make_baskets(b, 10);
    for (uint64_t k = 0, done = 0; !done; k++) {
        lode_store *s = NULL;
        f.fail_at = UINT64_MAX;
        if (job_with_memory(&job, &o, faulty_resize, &f) != LODE_OK) exit(2);
        f.calls = 0;
        f.fail_at = k;
        lode_apply_options csv = {.size = sizeof csv, .format = LODE_STORE_CSV};
        lode_status status = lode_store_open(job, &s, d.path);
        if (status == LODE_OK) {
            status = lode_store_apply_file(s, b->data, &csv, "/dev/null", NULL);
        }
        done = f.calls <= k;
        CHECK(done ? status == LODE_OK : status == LODE_NOMEM);
        lode_store_free(s);
        lode_job_free(job);
        CHECK_EQUAL(f.live, 0);
        CHECK(!f.wrong_size);
    }
    store_drop(&d);
    lode_dataset_free(b->data);
    lode_job_free(reader);
    free(b);
}

/* ---- ids, columns without a direction, and the summary -------------------------------------- */

static lode_dataset *parse_orders(void) {
    static const char text[] = "order,item\nA,milk\nB,Milk\nB,bread\nA,other\nC,other\n";
    lode_dataset *orders = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_TABLE, .keep_ids = true};
    OK(lode_dataset_parse(job, &orders, text, sizeof text - 1, "orders", &o));
    return orders;
}

static void check_summary(lode_store *s, const lode_dataset *orders, const lode_apply_options *o) {
    lode_apply_summary got = LODE_INIT(lode_apply_summary);
    char name[16];
    plain counted = {0};
    OK(lode_store_apply_file(s, orders, o, "/dev/null", &got));
    OK(lode_store_apply(s, orders, o, count_advice, &counted));
    CHECK(strcmp(got.by, "confidence") == 0);
    CHECK_EQUAL(got.lines, counted.n_want);
    CHECK_EQUAL(got.advised, counted.next);
    CHECK_EQUAL(got.transactions, 3);
    CHECK_EQUAL(got.items, 4);
    CHECK_EQUAL(got.unknown, 2);
    CHECK_EQUAL(got.n_named, 2);
    CHECK_EQUAL(lode_dataset_item_name(orders, got.most_unknown[0], name, sizeof name), 5);
    CHECK(memcmp(name, "other", 5) == 0);
    CHECK_EQUAL(lode_dataset_item_name(orders, got.most_unknown[1], name, sizeof name), 4);
    CHECK(memcmp(name, "Milk", 4) == 0);
    got.size = 0;
    CHECK_EQUAL(lode_store_apply_file(s, orders, o, "/dev/null", &got), LODE_INVALID);
}

static void test_summary(void) {
    lode_job_options o = {.size = sizeof o, .threads = 2};
    lode_store *s = NULL;
    uint32_t column = 0;
    lode_column c = LODE_INIT(lode_column);
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    store_data d = store_make(job, LODE_RULES, 500, 700, &dice);
    lode_dataset *orders = parse_orders();
    OK(lode_store_open(job, &s, d.path));
    for (unsigned every = 0; every < 2; every++) {
        for (unsigned format = LODE_STORE_TEXT; format <= LODE_STORE_JSONL; format++) {
            lode_apply_options how = {
                .size = sizeof how, .every_rule = every, .format = (lode_store_format)format};
            check_summary(s, orders, &how);
        }
    }
    lode_apply_options by = {.size = sizeof by, .by = "n10"};
    CHECK_EQUAL(lode_store_apply(s, orders, &by, ignore_advice, NULL), LODE_INVALID);
    CHECK_EQUAL(lode_store_apply_file(s, orders, &by, "/dev/null", NULL), LODE_INVALID);
    CHECK(lode_store_column_find(s, "table.n10", &column) && lode_store_column(s, column, &c));
    CHECK_EQUAL(c.better, 0);
    CHECK(lode_store_column_find(s, "n11", &column) && lode_store_column(s, column, &c));
    CHECK(strcmp(c.name, "both") == 0);
    lode_store_free(s);
    lode_dataset_free(orders);
    store_drop(&d);
    lode_job_free(job);
}

int main(void) {
    dice = rng_make(20172, 0);
    CHECK_RUN(test_random);
    CHECK_RUN(test_stops);
    CHECK_RUN(test_summary);
    if (BY_BUILD(true, true, false)) CHECK_RUN(test_memory_faults); /* on one thread */
    return check_result();
}
