/* test_project.c - projections of data sets: which transactions and items they have, and what they
 * share
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/project.h"
#include "faulty.h"
#include "mining.h"
#include "read_util.h"

#define N_ITEMS 12

static const char baskets[] = "milk,bread\nbread,beer\nmilk,bag,beer\nmilk\nbag\n";

static lode_dataset *read_baskets(lode_job *job) {
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ','};
    if (lode_dataset_parse(job, &data, baskets, sizeof baskets - 1, "baskets", &o) != LODE_OK)
        exit(2);
    return data;
}

/* The transactions that have the groups' items, as one line. */
static void expect(const lode_dataset *data, lode_job *job, const char *include,
                   const char *without, const char *text) {
    select_groups groups, drop;
    uint8_t marks[8] = {0};
    lode_dataset *part = NULL;
    read_outcome *o = calloc(1, sizeof *o);
    const char *reason = NULL;
    if (!o) exit(2);
    CHECK_EQUAL(select_parse(job, data, include, "must", false, &groups), LODE_OK);
    CHECK_EQUAL(select_parse(job, data, without, "exclude", false, &drop), LODE_OK);
    select_mark(&drop, marks, 1);
    if (CHECK_EQUAL(dataset_project(job, data, &groups, marks, &part), LODE_OK)) {
        if (!CHECK(dataset_validate(part, &reason))) fprintf(stderr, "  %s\n", reason);
        read_dump(part, o);
        CHECK_TEXT(o->text, text);
        lode_dataset_free(part);
    }
    select_clear(&groups);
    select_clear(&drop);
    free(o);
}

static void names(void) {
    lode_job *job = mining_job("cpu");
    lode_dataset *data = read_baskets(job);
    expect(data, job, NULL, NULL, "bread milk|beer bread|bag beer milk|milk|bag|");
    expect(data, job, "milk", "milk\nbag", "bread|beer||");
    expect(data, job, "milk\nbeer", NULL, "bag beer milk|");
    expect(data, job, "b*", "b*", "milk||milk||");
    expect(data, job, "bread\nbag", NULL, "");
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* ---- random data ----------------------------------------------------------------------------- */

typedef struct sample {
    select_group groups[2];
    uint32_t ids[2][N_ITEMS];
    uint8_t drop[N_ITEMS];
    uint32_t *weights;
    table rows;
} sample;

static sample make_sample(uint64_t seed) {
    sample s = {.rows = table_random(seed, 150, N_ITEMS, 10, 60)};
    rng r = rng_make(seed, 1);
    for (unsigned g = 0; g < 2; g++) {
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            if (rng_below(&r, 3) == 0) s.ids[g][s.groups[g].n++] = i;
        }
        s.groups[g].least = 1 + (uint32_t)rng_below(&r, 2);
    }
    for (uint32_t i = 0; i < N_ITEMS; i++) s.drop[i] = rng_below(&r, 4) == 0;
    s.weights = seed % 2 ? malloc(s.rows.n * sizeof *s.weights) : NULL;
    for (uint64_t t = 0; s.weights && t < s.rows.n; t++) s.weights[t] = (uint32_t)rng_below(&r, 4);
    return s;
}

static uint32_t count_in(const select_group *g, const uint32_t *row, size_t n) {
    uint32_t found = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < g->n; k++) found += g->ids[k] == row[i];
    }
    return found;
}

/* Compares with what is left of every row, taken one by one. */
static void compare(const sample *s, const lode_dataset *part) {
    uint64_t at = 0, total = 0;
    for (uint64_t t = 0; t < s->rows.n; t++) {
        size_t n;
        uint32_t n_got, k = 0;
        const uint32_t *row = table_row(&s->rows, t, &n), *got;
        uint32_t weight = s->weights ? s->weights[t] : 1;
        if (count_in(&s->groups[0], row, n) < s->groups[0].least) continue;
        if (count_in(&s->groups[1], row, n) < s->groups[1].least) continue;
        CHECK_EQUAL(lode_dataset_transaction_weight(part, at), weight);
        got = dataset_row(part, at++, &n_got);
        total += weight;
        for (size_t i = 0; i < n; i++) {
            if (s->drop[row[i]]) continue;
            if (!CHECK(k < n_got) || !CHECK_EQUAL(got[k], row[i])) return;
            k++;
        }
        CHECK_EQUAL(k, n_got);
    }
    CHECK_EQUAL(at, part->profile.n_transactions);
    CHECK_EQUAL(total, part->total_weight);
}

static void random_parts(void) {
    for (uint64_t seed = 0; seed < 60; seed++) {
        sample s = make_sample(seed);
        for (unsigned g = 0; g < 2; g++) s.groups[g].ids = s.ids[g];
        select_groups groups = {.groups = s.groups, .n = 2};
        lode_job *job = mining_job("cpu");
        lode_dataset *data = NULL, *part = NULL;
        const char *reason = NULL;
        CHECK_EQUAL(
            lode_dataset_from_arrays(job, &data, s.rows.n, s.rows.offsets, s.rows.items, s.weights),
            LODE_OK);
        if (data->item_bound == N_ITEMS &&
            CHECK_EQUAL(dataset_project(job, data, &groups, s.drop, &part), LODE_OK)) {
            if (!CHECK(dataset_validate(part, &reason))) fprintf(stderr, "  %s\n", reason);
            compare(&s, part);
        }
        lode_dataset_free(part);
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
        free(s.weights);
        table_free(&s.rows);
    }
}

/* Many blocks: more rows than one holds. */
static void large(void) {
    table t = table_random(5, 30000, 20, 20, 60);
    lode_job *job = mining_job("cpu");
    lode_dataset *data = mining_data(job, &t), *part = NULL;
    uint32_t id = 7;
    select_group group = {.ids = &id, .n = 1, .least = 1};
    select_groups groups = {.groups = &group, .n = 1};
    const char *reason = NULL;
    CHECK(data->n_blocks > 1);
    CHECK_EQUAL(dataset_project(job, data, &groups, NULL, &part), LODE_OK);
    CHECK(dataset_validate(part, &reason));
    CHECK_EQUAL(part->profile.n_transactions, data->item_supports[id]);
    lode_dataset_free(part);
    lode_job_cancel(job);
    part = NULL;
    CHECK_EQUAL(dataset_project(job, data, &groups, NULL, &part), LODE_CANCELLED);
    CHECK(!part);
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* ---- no memory ------------------------------------------------------------------------------- */

static lode_status part_without(faulty *f, uint64_t refused) {
    lode_ctx *ctx = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL, *part = NULL;
    select_groups groups = {0};
    uint8_t drop[8] = {0, 1};
    *f = (faulty){.fail_at = UINT64_MAX};
    pthread_mutex_init(&f->lock, NULL);
    lode_ctx_options o = {.size = sizeof o, .resize = faulty_resize, .resize_user = f};
    if (lode_ctx_create(&ctx, &o) != LODE_OK) exit(2);
    if (lode_job_create(&job, ctx, NULL) != LODE_OK) exit(2);
    data = read_baskets(job);
    f->fail_at = f->calls + refused;
    lode_status status = select_parse(job, data, "m*\nb[e]er", "must", false, &groups);
    if (status == LODE_OK) status = dataset_project(job, data, &groups, drop, &part);
    select_clear(&groups);
    lode_dataset_free(part);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_ctx_free(ctx);
    CHECK_EQUAL(f->live, 0);
    CHECK(!f->wrong_size);
    return status;
}

static void refused(void) {
    faulty f;
    uint64_t k = 0;
    while (k < 200 && part_without(&f, k) == LODE_NOMEM) k++;
    CHECK(k > 5 && k < 200);
    CHECK_EQUAL(part_without(&f, UINT32_MAX), LODE_OK);
}

int main(void) {
    CHECK_RUN(names);
    CHECK_RUN(random_parts);
    CHECK_RUN(large);
    CHECK_RUN(refused);
    return check_result();
}
