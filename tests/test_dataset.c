/* test_dataset.c - data sets from arrays and from parts, and what the validator detects
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/builder.h"
#include "read_util.h"

static void arrays(void) {
    static read_outcome o;
    const uint64_t offsets[] = {0, 3, 3, 5};
    const uint32_t items[] = {5, 1, 5, 2, 1};
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    o.status = lode_dataset_from_arrays(job, &data, 3, offsets, items, NULL);
    CHECK_EQUAL(lode_dataset_item_bound(data), 6);
    CHECK_EQUAL(lode_dataset_item_support(data, 1), 2);
    CHECK_EQUAL(lode_dataset_item_support(data, 4), 0);
    CHECK_EQUAL(lode_dataset_item_support(data, 77), 0);
    uint32_t held[2] = {9, 9};
    CHECK_EQUAL(lode_dataset_transaction(data, 3, held, 2), 0);
    CHECK_EQUAL(lode_dataset_transaction(data, 0, held, 1), 2);
    CHECK(held[0] == 1 && held[1] == 9);
    CHECK_EQUAL(lode_dataset_transaction(data, 0, NULL, 0), 2);
    char two[2];
    CHECK_EQUAL(lode_dataset_item_name(data, 4, two, sizeof two), 1);
    CHECK_EQUAL(lode_dataset_item_name(data, 4, NULL, 0), 1);
    read_settle(job, data, &o);
    CHECK_TEXT(o.text, "1 5||1 2|");
    CHECK_EQUAL(o.profile.n_repeated, 1);
}

static void arrays_of_large_items(void) {
    static read_outcome o;
    const uint64_t offsets[] = {0, 4};
    const uint32_t items[] = {UINT32_MAX, 4194304, 4194303, 7};
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    o.status = lode_dataset_from_arrays(job, &data, 1, offsets, items, NULL);
    read_settle(job, data, &o);
    CHECK_TEXT(o.text, "7 4194303 4194304 4294967295|");
    CHECK(o.numeric && !o.named);
}

static void weights(void) {
    static read_outcome o;
    const uint64_t offsets[] = {0, 2, 3};
    const uint32_t items[] = {1, 2, 2};
    const uint32_t weights_in[] = {10, 5};
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    lode_dataset *both = NULL;
    o.status = lode_dataset_from_arrays(job, &data, 2, offsets, items, weights_in);
    CHECK_EQUAL(lode_dataset_item_support(data, 1), 10);
    CHECK_EQUAL(lode_dataset_item_support(data, 2), 15);
    CHECK_EQUAL(data->total_weight, 15);
    const lode_dataset *parts[] = {data, data};
    CHECK_EQUAL(lode_dataset_merge(job, &both, parts, 2), LODE_OK);
    CHECK_EQUAL(lode_dataset_item_support(both, 2), 30);
    CHECK_EQUAL(both->total_weight, 30);
    lode_dataset_free(both);
    read_settle(job, data, &o);
}

static void wrong_arrays(void) {
    const uint64_t falling[] = {0, 2, 1};
    const uint64_t fine[] = {0, 1, 2};
    const uint32_t items[] = {1, 2};
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, falling, items, NULL), LODE_INVALID);
    CHECK_TEXT(lode_job_error(job),
               "offsets[2] is less than the one before; offsets must not decrease");
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, NULL, items, NULL), LODE_INVALID);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, fine, NULL, NULL), LODE_INVALID);
    CHECK(data == NULL);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 0, NULL, NULL, NULL), LODE_OK);
    CHECK_EQUAL(profile_of(data).n_transactions, 0);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* Parts with different kinds of names: integers here, words there. */
static void merging(void) {
    static read_outcome o;
    lode_job *job = read_context(2, 0);
    lode_dataset *parts[3] = {0};
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_parse(job, &parts[0], "1 12\n", 5, "a", NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_parse(job, &parts[1], "fig,1\n\n", 7, "b", NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_parse(job, &parts[2], "007 1\n", 6, "c", NULL), LODE_OK);
    o.status = lode_dataset_merge(job, &data, (const lode_dataset *const *)parts, 3);
    for (int i = 0; i < 3; i++) lode_dataset_free(parts[i]);
    read_settle(job, data, &o);
    CHECK_TEXT(o.text, "1 12|1 fig||007 1|");
    CHECK(!o.numeric);
}

/* Many blocks, so that looking up a transaction has to search. */
static void many_blocks(void) {
    lode_job *job = read_context(1, 0);
    builder *b = NULL;
    lode_dataset *data = NULL;
    CHECK_EQUAL(builder_create(job, &b, 2, "test"), LODE_OK);
    for (uint32_t block = 10; block-- > 0;) { /* in any order, by two workers */
        builder_worker *w = builder_get_worker(b, block % 2);
        worker_begin_block(w, block);
        for (uint32_t i = 0; i < block; i++) {
            uint32_t code;
            CHECK_EQUAL(worker_code_number(w, block * 10 + i, &code), LODE_OK);
            CHECK_EQUAL(worker_reserve(w, 1), LODE_OK);
            worker_push(w, code);
            CHECK_EQUAL(worker_end_transaction(w), LODE_OK);
        }
        CHECK_EQUAL(worker_end_block(w), LODE_OK);
    }
    CHECK_EQUAL(builder_finish(b, &data), LODE_OK);
    builder_free(b);
    CHECK_EQUAL(data->n_blocks, 9); /* block 0 had none */
    uint64_t t = 0;
    for (uint32_t block = 0; block < 10; block++) {
        for (uint32_t i = 0; i < block; i++, t++) {
            uint32_t item = 0;
            CHECK_EQUAL(lode_dataset_transaction(data, t, &item, 1), 1);
            CHECK_EQUAL(item, block * 10 + i);
        }
    }
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* The validator must see every kind of damage. */
static void validator(void) {
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    const char *reason;
    CHECK_EQUAL(lode_dataset_parse(job, &data, "b,a\nc,b\n\n", 9, "in", NULL), LODE_OK);
    uint32_t *items = data->blocks[0].items;
    CHECK(dataset_validate(data, &reason));
    items[0] = 1;
    CHECK(!dataset_validate(data, &reason));
    CHECK_TEXT(reason, "items of a transaction are not ascending");
    items[0] = 0;
    items[3] = 3;
    CHECK(!dataset_validate(data, &reason));
    CHECK_TEXT(reason, "an item is not below item_bound");
    items[3] = 2;
    data->item_supports[1]++;
    CHECK(!dataset_validate(data, &reason));
    CHECK_TEXT(reason, "item_supports is wrong");
    data->item_supports[1]--;
    data->profile.n_empty = 0;
    CHECK(!dataset_validate(data, &reason));
    CHECK_TEXT(reason, "n_empty is wrong");
    lode_dataset_free(data);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(arrays);
    CHECK_RUN(arrays_of_large_items);
    CHECK_RUN(weights);
    CHECK_RUN(wrong_arrays);
    CHECK_RUN(merging);
    CHECK_RUN(many_blocks);
    CHECK_RUN(validator);
    return check_result();
}
