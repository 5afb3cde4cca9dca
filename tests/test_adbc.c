/* test_adbc.c - queries by a driver: what it returns, its errors, damaged tables, cancelling
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "read_util.h"

static read_outcome *ask(const char *sql, const char *database, const char *driver) {
    static read_outcome o;
    lode_job *job = read_context(2, 0);
    lode_dataset *data = NULL;
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    options.sql = sql;
    options.database = database;
    options.driver = driver;
    o.status = lode_dataset_open(job, &data, ":memory:", &options);
    read_settle(job, data, &o);
    return &o;
}

static void says(const read_outcome *o, lode_status status, const char *message) {
    CHECK_EQUAL(o->status, status);
    if (!strstr(o->text, message)) CHECK_TEXT(o->text, message);
}

static void answers(void) {
    const read_outcome *o = ask("table", NULL, TEST_DRIVER);
    CHECK_EQUAL(o->status, LODE_OK);
    CHECK_TEXT(o->text, "bread milk|milk|");
    CHECK_TEXT(o->profile.columns, "order, item");
    setenv("LODE_ADBC", TEST_DRIVER, 1);
    CHECK_EQUAL(ask("table", NULL, NULL)->status, LODE_OK);
    unsetenv("LODE_ADBC");
    setenv("ADBC_TEST_OLD", "1", 1);
    CHECK_EQUAL(ask("table", NULL, TEST_DRIVER)->status, LODE_OK);
    unsetenv("ADBC_TEST_OLD");
}

static void errors(void) {
    says(ask("wrong", NULL, TEST_DRIVER), LODE_INVALID, "the query: no such table");
    CHECK(!strstr(ask("wrong", NULL, TEST_DRIVER)->text, "LINE"));
    says(ask("fail", NULL, TEST_DRIVER), LODE_INVALID, "the query: Out of Memory Error: no more");
    says(ask("nothing", NULL, TEST_DRIVER), LODE_INVALID, "the query returns no table");
    says(ask("cable", NULL, TEST_DRIVER), LODE_IO, "the cable was cut");
    says(ask("table", "closed", TEST_DRIVER), LODE_INVALID, "closed: closed today");
    says(ask("table", NULL, "/no/such/driver.so"), LODE_UNSUPPORTED,
         "the driver '/no/such/driver.so' cannot be loaded");
    says(ask(NULL, "x", NULL), LODE_INVALID, "a database requires a query");
}

static void damaged(void) {
    static const char *const how[] = {"format", "length", "children", "null", "offsets"};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        const read_outcome *o = ask(how[i], NULL, TEST_DRIVER);
        CHECK(o->status == LODE_PARSE || o->status == LODE_UNSUPPORTED);
    }
}

/* Whatever a driver returns gives a data set or a message. LODE_ADBC_SEEDS tries more of them. */
static void hostile(void) {
    const char *asked = getenv("LODE_ADBC_SEEDS");
    const unsigned long seeds = asked ? strtoul(asked, NULL, 10) : 600;
    static const lode_format formats[] = {LODE_FORMAT_AUTO, LODE_FORMAT_TABLE, LODE_FORMAT_ONEHOT,
                                          LODE_FORMAT_BASKET};
    unsigned long fine = 0;
    for (unsigned long seed = 0; seed < seeds; seed++) {
        char sql[40];
        lode_job *job = read_context(1 + (unsigned)(seed % 2), 0);
        lode_dataset *data = NULL;
        lode_read_options options = read_options(formats[seed % 4]);
        snprintf(sql, sizeof sql, "hostile %lu", seed);
        options.sql = sql;
        options.driver = TEST_DRIVER;
        options.drop_rows = seed % 5 == 0 ? "1=3" : NULL;
        options.keep_ids = seed % 3 == 0;
        lode_status status = lode_dataset_open(job, &data, ":memory:", &options);
        fine += status == LODE_OK;
        CHECK(!data == (status != LODE_OK));
        CHECK(status == LODE_OK || lode_job_error(job)[0] != 0);
        lode_dataset_free(data);
        lode_job_free(job);
    }
    CHECK(fine > seeds / 50 && fine < seeds);
}

static void *stop(void *job) {
    struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
    nanosleep(&pause, NULL);
    lode_job_cancel(job);
    return NULL;
}

static void cancelled(void) {
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    pthread_t thread;
    options.sql = "slow";
    options.driver = TEST_DRIVER;
    CHECK_EQUAL(pthread_create(&thread, NULL, stop, job), 0);
    CHECK_EQUAL(lode_dataset_open(job, &data, ":memory:", &options), LODE_CANCELLED);
    pthread_join(thread, NULL);
    lode_job_free(job);
}

/* ---- Parquet, with a driver that behaves like DuckDB ---- */

#define PARQUET "build/test_adbc.parquet"

static void parquet_in(void) {
    FILE *file = fopen(PARQUET, "w");
    CHECK(file && fputs("PAR1", file) >= 0 && fclose(file) == 0);
    setenv("LODE_ADBC", TEST_DUCKDB, 1);
    for (int both = 0; both < 2; both++) { /* columns that are recognised, and named ones */
        const char *paths[] = {PARQUET, PARQUET};
        /* several threads may hold rows of the first file when its driver is released */
        lode_job *job = read_context(2 - (unsigned)both, 0);
        lode_dataset *data = NULL;
        read_outcome o;
        lode_read_options options = read_options(LODE_FORMAT_AUTO);
        options.item_column = both ? "item" : NULL;
        o.status = lode_dataset_open_files(job, &data, paths, 1 + (size_t)both, &options);
        CHECK_EQUAL(o.status, LODE_OK);
        read_settle(job, data, &o);
        CHECK_TEXT(o.text, "bread milk|milk|");
        CHECK_TEXT(o.profile.columns, "order, item");
    }
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    options.drop_rows = "x=a"; /* a column that options need is read, too */
    CHECK_EQUAL(lode_dataset_open(job, &data, PARQUET, &options), LODE_PARSE);
    CHECK(strstr(lode_job_error(job), "x was read"));
    lode_job_free(job);
    unsetenv("LODE_ADBC");
    remove(PARQUET);
}

/* Writes all itemsets of two baskets; *text becomes the file. */
static lode_status parquet_write(lode_job *job, char text[1024]) {
    lode_status status;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_mine_options mine = {.size = sizeof mine, .min_support = {.numerator = 1}};
    lode_write_options write = {.size = sizeof write, .format = LODE_WRITE_PARQUET, .sort = true};
    text[0] = 0;
    remove(PARQUET);
    CHECK_EQUAL(lode_dataset_parse(job, &data, "milk,bread\nmilk\n", 16, "in", NULL), LODE_OK);
    status = lode_sink_file(job, &sink, data, PARQUET, &write);
    if (status == LODE_OK) status = lode_mine(job, data, &mine, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    lode_sink_free(sink);
    lode_dataset_free(data);
    FILE *file = fopen(PARQUET, "r");
    if (!file) return status;
    text[fread(text, 1, 1023, file)] = 0;
    fclose(file);
    remove(PARQUET);
    return status;
}

static void parquet_out(void) {
    lode_job *job = read_context(2, 0);
    char text[1024];
    setenv("LODE_ADBC", TEST_DUCKDB, 1);
    CHECK_EQUAL(parquet_write(job, text), LODE_OK);
    CHECK(strncmp(text, "PAR1 bread 1,milk 2,bread+milk 1, (FORMAT parquet", 48) == 0);
    CHECK(strstr(text, "'lode.kind': 'itemsets', ") && strstr(text, "'lode.min_count': '1'"));
    setenv("LODE_ADBC", TEST_DRIVER, 1);
    CHECK_EQUAL(parquet_write(job, text), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "writing Parquet files takes DuckDB's library"));
    setenv("LODE_ADBC", "/no/such/folder", 1);
    CHECK_EQUAL(parquet_write(job, text), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "cannot be loaded"));
    CHECK_TEXT(text, "");
    unsetenv("LODE_ADBC");
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(answers);
    CHECK_RUN(errors);
    CHECK_RUN(parquet_in);
    CHECK_RUN(parquet_out);
    CHECK_RUN(damaged);
    CHECK_RUN(hostile);
    CHECK_RUN(cancelled);
    return check_result();
}
