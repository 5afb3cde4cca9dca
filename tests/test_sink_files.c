/* test_sink_files.c - the file of a sink: its name, a cancel, folders and disks that cannot be
 * written to
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "sink_feed.h"

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static void write_old(const char *text) {
    FILE *file = fopen(generated_path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
}

static void test_rename(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "1 2\n");
    char temp[128], partial[128];
    lode_batch batch = {.items = (const uint32_t[]){1}, .supports = (const uint64_t[]){1}, .n = 1};
    snprintf(temp, sizeof temp, "%s.tmp.%u", generated_path, (unsigned)getpid());
    snprintf(partial, sizeof partial, "%s.partial", generated_path);

    write_old("old\n");
    lode_sink *sink = text_sink(job, data, LODE_WRITE_FIMI, false);
    emit_one(sink, &batch);
    CHECK(exists(temp)); /* beside the old file, which stays as it is */
    lode_sink_free(sink);
    CHECK(!exists(temp)); /* never finished: removed */
    char *text = generated_take(NULL);
    CHECK_TEXT(text, "old\n");
    free(text);

    write_old("old\n");
    sink = text_sink(job, data, LODE_WRITE_FIMI, false);
    emit_one(sink, &batch);
    CHECK_EQUAL(lode_sink_finish(sink, true), LODE_OK);
    lode_sink_free(sink);
    CHECK(!exists(temp) && exists(partial));
    CHECK(remove(partial) == 0);

    sink = text_sink(job, data, LODE_WRITE_FIMI, false);
    emit_one(sink, &batch);
    text = finish_text(sink);
    CHECK_TEXT(text, "1 (1)\n"); /* replaced */
    free(text);
    CHECK(!exists(temp));
    lode_dataset_free(data);
    generated_done(job);
}

/* A cancel while the result is sorted: nothing is lost, and the file says that it is not what was
 * asked for. */
static void test_sort_cancelled(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
    lode_write_options w = {.size = sizeof w, .sort = true};
    lode_sink *memory = NULL, *file = NULL;
    uint32_t all[17];
    uint64_t n_lines = 0;
    char partial[128];
    for (uint32_t i = 0; i < 17; i++) all[i] = i;
    lode_batch batch = {.items = all + 16,
                        .supports = (const uint64_t[]){1},
                        .n = 1,
                        .perfect = all,
                        .n_perfect = 16};
    CHECK_EQUAL(lode_sink_memory(job, &memory), LODE_OK);
    CHECK_EQUAL(lode_sink_file(job, &file, data, generated_path, &w), LODE_OK);
    emit_one(memory, &batch);
    emit_one(file, &batch);
    lode_job_cancel(job);
    CHECK_EQUAL(lode_sink_finish(memory, false), LODE_CANCELLED);
    CHECK(lode_job_error(job)[0] != 0);
    CHECK_EQUAL(result_of(memory).n, 1 << 16);
    CHECK_EQUAL(lode_sink_finish(file, false), LODE_CANCELLED);
    lode_sink_free(file);
    snprintf(partial, sizeof partial, "%s.partial", generated_path);
    CHECK(!exists(generated_path) && rename(partial, generated_path) == 0);
    char *text = generated_take(NULL);
    for (const char *c = text; *c; c++) n_lines += *c == '\n';
    CHECK(n_lines > 0 && n_lines <= 1 << 16); /* as many as a moment allows */
    free(text);
    CHECK_EQUAL(lode_sink_finish(memory, true), LODE_OK); /* known to be partial: in order */
    lode_result result = result_of(memory);
    check_columns(&result);
    lode_sink_free(memory);
    lode_dataset_free(data);
    generated_done(job);
}

static void check_refused(lode_job *job, const lode_dataset *data, const char *path,
                          const char *reason) {
    lode_sink *sink = NULL;
    char want[256];
    CHECK_EQUAL(lode_sink_file(job, &sink, data, path, NULL), LODE_IO);
    CHECK(sink == NULL);
    snprintf(want, sizeof want, "cannot write '%s': %s", path, reason);
    CHECK(strncmp(lode_job_error(job), want, strlen(want)) == 0); /* and what to do */
}

static void test_unwritable(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "1 2\n");
    char path[128];
    check_refused(job, data, generated_directory, "Is a directory");
    snprintf(path, sizeof path, "%s/none/out", generated_directory);
    check_refused(job, data, path, "No such file or directory");
    check_refused(job, data, "", "No such file or directory");
    if (geteuid() != 0) {
        CHECK(chmod(generated_directory, 0500) == 0);
        check_refused(job, data, generated_path, "Permission denied");
        CHECK(chmod(generated_directory, 0700) == 0);
    }
    lode_dataset_free(data);
    generated_done(job);
}

/* A full disk is noticed when a block is written or, at the latest, when the worker closes. */
static void test_full(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "1 2\n");
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    lode_batch batch = {.items = (const uint32_t[]){1}, .supports = (const uint64_t[]){1}, .n = 1};
    lode_write_options flowing = {.size = sizeof flowing, .unsorted = true};
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/full", &flowing), LODE_OK);
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, &batch), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_IO);
    CHECK_TEXT(lode_job_error(job), "cannot write '/dev/full': No space left on device");
    lode_sink_free(sink);

    lode_write_options csv = {.size = sizeof csv, .format = LODE_WRITE_CSV};
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/full", &csv), LODE_IO); /* the header */
    lode_write_options sorted = {.size = sizeof sorted, .sort = true};
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/full", &sorted), LODE_OK);
    emit_one(sink, &batch);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_IO);
    CHECK_TEXT(lode_job_error(job), "cannot write '/dev/full': No space left on device");
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/full", NULL), LODE_OK); /* held back */
    emit_one(sink, &batch);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_IO);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_rename);
    CHECK_RUN(test_sort_cancelled);
    CHECK_RUN(test_unwritable);
    CHECK_RUN(test_full);
    generated_teardown();
    return check_result();
}
