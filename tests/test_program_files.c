/* test_program_files.c - files that programs write: their names, files left behind, and obstacles
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/os.h"
#include "generated.h"

static char partial[96], second[96], temp[96];

/* Whether a file has this text; it is removed. */
static bool takes(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(found, 1, sizeof found - 1, file) : 0;
    if (file) fclose(file);
    return file && n == strlen(text) && strcmp(found, text) == 0 && unlink(path) == 0;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
}

static lode_file *begin(const char *text) {
    lode_file *file = NULL;
    CHECK_EQUAL(lode_file_create(&file, generated_path, true), LODE_OK);
    CHECK_EQUAL(lode_file_write(file, text, strlen(text)), LODE_OK);
    return file;
}

static void test_names(void) {
    lode_file *file = begin("one\n"), *other = begin("two\n"); /* at the same time */
    CHECK_TEXT(lode_file_path(file), temp);
    CHECK(strcmp(lode_file_path(other), temp) != 0 && access(generated_path, F_OK) != 0);
    CHECK_EQUAL(lode_file_commit(file, false), LODE_OK);
    CHECK_TEXT(lode_file_path(file), generated_path);
    CHECK_EQUAL(lode_file_descriptor(file), -1);
    CHECK_EQUAL(lode_file_commit(file, false), LODE_INVALID);
    CHECK_EQUAL(lode_file_write(file, "x", 1), LODE_INVALID);
    lode_file_free(file);
    lode_file_free(other); /* never committed */
    CHECK(takes(generated_path, "one\n"));

    put(partial, "earlier\n");
    file = begin("three\n");
    CHECK_EQUAL(lode_file_commit(file, true), LODE_OK);
    CHECK_TEXT(lode_file_path(file), second);
    lode_file_free(file);
    CHECK(takes(second, "three\n") && takes(partial, "earlier\n"));
}

/* A file that stays: made once, gone on with, named. */
static void test_kept(void) {
    lode_file *file = NULL, *other = NULL;
    char text[8] = "";
    CHECK_EQUAL(lode_file_resume(&file, generated_path, ".partial"), LODE_IO);
    CHECK(errno == ENOENT && !file);
    CHECK_EQUAL(lode_file_keep(&file, generated_path, ".partial"), LODE_OK);
    CHECK_EQUAL(lode_file_write(file, "four", 4), LODE_OK);
    CHECK_EQUAL(lode_file_keep(&other, generated_path, ".partial"), LODE_IO);
    CHECK(errno == EEXIST && strstr(lode_job_error(NULL), "out.partial': File exists"));
    lode_file_free(file);
    CHECK_EQUAL(lode_file_resume(&file, generated_path, ".partial"), LODE_OK);
    CHECK_TEXT(lode_file_path(file), partial);
    CHECK(read(lode_file_descriptor(file), text, sizeof text) == 4 && !strcmp(text, "four"));
    CHECK_EQUAL(lode_file_write(file, "\n", 1), LODE_OK);
    CHECK_EQUAL(lode_file_commit(file, false), LODE_OK);
    lode_file_free(file);
    CHECK(takes(generated_path, "four\n") && access(partial, F_OK) != 0);

    /* Another process has put its own file there: it does not get the name. */
    CHECK_EQUAL(lode_file_keep(&file, generated_path, ".partial"), LODE_OK);
    CHECK(unlink(partial) == 0);
    put(partial, "other\n");
    CHECK_EQUAL(lode_file_commit(file, false), LODE_IO);
    CHECK(strstr(lode_job_error(NULL), "another process replaced the file"));
    lode_file_free(file);
    CHECK(takes(partial, "other\n") && access(generated_path, F_OK) != 0);

    CHECK(symlink("elsewhere", partial) == 0);
    CHECK_EQUAL(lode_file_keep(&file, generated_path, ".partial"), LODE_IO);
    CHECK_EQUAL(lode_file_resume(&file, generated_path, ".partial"), LODE_IO);
    CHECK(errno == ELOOP && unlink(partial) == 0);
    CHECK(mkfifo(partial, 0600) == 0); /* nobody waits for its reader */
    CHECK_EQUAL(lode_file_resume(&file, generated_path, ".partial"), LODE_IO);
    CHECK(unlink(partial) == 0);
}

/* Names that a program makes up: a link is replaced, and what is no file is in the way. */
static void test_made_up(void) {
    lode_file *file = NULL;
    put(partial, "victim\n");
    CHECK(symlink(partial, generated_path) == 0);
    CHECK_EQUAL(lode_file_create(&file, generated_path, false), LODE_OK);
    CHECK_EQUAL(lode_file_write(file, "five\n", 5), LODE_OK);
    CHECK_EQUAL(lode_file_commit(file, false), LODE_OK);
    lode_file_free(file);
    CHECK(takes(generated_path, "five\n") && takes(partial, "victim\n"));
    CHECK(mkfifo(generated_path, 0600) == 0);
    CHECK_EQUAL(lode_file_create(&file, generated_path, false), LODE_IO);
    CHECK_EQUAL(lode_file_check(generated_path), LODE_OK); /* it would be written in place */
    CHECK(unlink(generated_path) == 0);
}

static void test_check(void) {
    CHECK_EQUAL(lode_file_check("-"), LODE_OK);
    CHECK_EQUAL(lode_file_check("/dev/full"), LODE_OK);
    CHECK_EQUAL(lode_file_check(generated_path), LODE_OK);
    CHECK_EQUAL(lode_file_check(generated_directory), LODE_IO);
    CHECK(errno == EISDIR && strstr(lode_job_error(NULL), "name a file, not a folder"));
    CHECK_EQUAL(lode_file_check(""), LODE_IO);
    CHECK_EQUAL(lode_file_check("/dev/null/x"), LODE_IO);
}

/* A write that fails says why, and leaves nothing. */
static void test_full(void) {
    lode_file *file = NULL;
    CHECK_EQUAL(lode_file_create(&file, "/dev/full", true), LODE_OK);
    CHECK_EQUAL(lode_file_write(file, "x", 1), LODE_IO);
    CHECK_EQUAL(errno, ENOSPC);
    CHECK_TEXT(lode_job_error(NULL), "cannot write '/dev/full': No space left on device");
    lode_file_free(file);
}

/* A file that ends too early is an error with a reason of its own, not "Success". */
static void test_end_of_file(void) {
    char bytes[8];
    lode_file *file = begin("six\n");
    int fd = lode_file_descriptor(file);
    errno = 0;
    CHECK(os_read_at(fd, bytes, 4, 0) && !os_read_at(fd, bytes, sizeof bytes, 0));
    CHECK_EQUAL(errno, ENODATA);
    lode_file_free(file);
}

static void test_discard(void) {
    lode_file *file = begin("seven\n");
    CHECK(access(temp, F_OK) == 0);
    lode_outputs_discard();
    CHECK(access(temp, F_OK) != 0);
    lode_file_free(file);
}

/* A limit that the program sets: what goes beyond it is refused as on a full disk. */
static bool take_of(void *user, uint64_t bytes) {
    uint64_t *left = user;
    if (bytes > *left) return false;
    *left -= bytes;
    return true;
}

static void test_limit(void) {
    uint64_t left = 10;
    lode_files_limit(take_of, &left);
    lode_file *file = begin("12345678");
    CHECK_EQUAL(lode_file_write(file, "9ab", 3), LODE_IO);
    CHECK(errno == EDQUOT && strstr(lode_job_error(NULL), "quota"));
    CHECK_EQUAL(lode_file_write(file, "9a", 2), LODE_OK);
    lode_files_limit(NULL, NULL);
    CHECK_EQUAL(lode_file_write(file, "bc", 2), LODE_OK);
    CHECK_EQUAL(lode_file_commit(file, false), LODE_OK);
    lode_file_free(file);
    CHECK(takes(generated_path, "123456789abc") && left == 0);
}

int main(void) {
    generated_setup();
    snprintf(partial, sizeof partial, "%s.partial", generated_path);
    snprintf(second, sizeof second, "%s.partial.2", generated_path);
    snprintf(temp, sizeof temp, "%s.tmp.%u", generated_path, (unsigned)getpid());
    CHECK_RUN(test_names);
    CHECK_RUN(test_kept);
    CHECK_RUN(test_made_up);
    CHECK_RUN(test_check);
    CHECK_RUN(test_full);
    CHECK_RUN(test_limit);
    CHECK_RUN(test_end_of_file);
    CHECK_RUN(test_discard);
    generated_teardown();
    return check_result();
}
