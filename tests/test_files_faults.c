/* test_files_faults.c - running out of memory at every allocation of several files, names and
 * look-ups
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "faulty.h"
#include "jobs.h"
#include "read/open.h"
#include "structs.h"

/* Files of one kind, and what their items are afterwards. */
static const read_source kinds[][3] = {
    {{"a", "order,item\n1,milk\n1,bread\n2,\"a\"\"b\"\n", 31, NULL},
     {"b", "item,order\nmilk,2\n", 18, NULL},
     {"c", "", 0, NULL}},
    {{"a", "n,milk,bread\n11,1,0\n12,1,1\n13,0,1\n", 34, NULL},
     {"b", "bread,n,eggs\n1,1,1\n", 19, NULL},
     {"c", "n,milk,bread\n14,1,1\n", 20, NULL}},
    {{"a", "@ITEM=1=milk\n1 2\n1 3\n", 21, NULL},
     {"b", "@ITEM=2=eggs\n1 2\n", 17, NULL},
     {"c", "2 1 3\n", 6, NULL}},
    {{"a", "a,b,c\na,b\n", 10, NULL}, {"b", "a,c\n", 4, NULL}, {"c", "milk\n", 5, NULL}}};

static int take(void *user, const char *text, size_t bytes) {
    uint64_t *sum = user;
    (void)text;
    *sum += bytes;
    return 0;
}

/* Mines into memory and into a function, and looks up what was found. */
static lode_status mine_and_ask(lode_job *job, const lode_dataset *data, uint64_t *sum) {
    lode_status status = LODE_OK;
    lode_sink *closed = NULL, *text = NULL;
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}, .target = LODE_TARGET_CLOSED};
    lode_write_options w = {
        .size = sizeof w, .format = LODE_WRITE_CSV, .csv_items = LODE_CSV_COLUMNS, .bom = true};
    LODE_TRY(lode_sink_memory(job, &closed));
    LODE_TRY(lode_mine(job, data, &o, closed));
    for (uint32_t i = 0; i + 1 < lode_dataset_item_bound(data); i++) {
        uint32_t pair[2] = {lode_dataset_item_at(data, i + 1), lode_dataset_item_at(data, i)};
        uint64_t support = 0;
        LODE_TRY(lode_result_support(closed, pair, 2, &support, NULL));
        *sum += support << 20;
    }
    LODE_TRY(lode_sink_write(job, &text, data, take, sum, &w));
    LODE_TRY(lode_mine(job, data, &o, text));
    LODE_TRY(lode_sink_finish(text, false));
done:
    lode_sink_free(closed);
    lode_sink_free(text);
    return status;
}

static lode_status run(faulty *f, const read_source *files, uint64_t *sum) {
    static const char other[] = "x y\nzebra\n12 4294967295\n";
    lode_status status = LODE_OK;
    lode_job *job = NULL;
    lode_dataset *data = NULL, *part = NULL;
    char names[1024];
    lode_job_options o = {.size = sizeof o, .threads = 1, .device = "cpu"};
    *sum = 0;
    LODE_TRY(job_with_memory(&job, &o, faulty_resize, f));
    LODE_TRY(open_parse(job, &data, files, 3, NULL, 16));
    LODE_TRY(lode_dataset_parse(job, &part, other, sizeof other - 1, "other", NULL));
    size_t n = lode_dataset_names_export(data, names, sizeof names);
    n += lode_dataset_names_export(part, names + n, sizeof names - n);
    CHECK(n <= sizeof names);
    LODE_TRY(lode_dataset_adopt_names(job, data, names, n));
    *sum = profile_of(data).n_occurrences << 40;
    LODE_TRY(mine_and_ask(job, data, sum));
done:
    lode_dataset_free(data);
    lode_dataset_free(part);
    if (job) CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return status;
}

static void test_every_allocation(void) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t want = 0, got = 0, k = 0;
        faulty clean = {.fail_at = UINT64_MAX};
        pthread_mutex_init(&clean.lock, NULL);
        CHECK_EQUAL(run(&clean, kinds[i], &want), LODE_OK);
        CHECK(clean.live == 0 && want > 0);
        for (bool failed = true; failed; k++) {
            faulty f = {.fail_at = k};
            pthread_mutex_init(&f.lock, NULL);
            lode_status status = run(&f, kinds[i], &got);
            failed = f.calls > k;
            if (status != LODE_OK) CHECK_EQUAL(status, LODE_NOMEM);
            if (status == LODE_OK) CHECK_EQUAL(got, want); /* it may do without */
            CHECK(f.live == 0 && !f.wrong_size);
            pthread_mutex_destroy(&f.lock);
        }
        CHECK(k > 60);
        pthread_mutex_destroy(&clean.lock);
    }
}

int main(void) {
    CHECK_RUN(test_every_allocation);
    return check_result();
}
