/* runner.c - all tests in C as one program
 *
 *     lode-tests                     lists the tests
 *     lode-tests NAME [ARGUMENT]     runs tests/test_NAME.c
 *     lode-tests NAME+NAME...        runs several tests in one process
 *
 * tests.def is generated; it has a line TEST(NAME) for each file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#define SKIPPED 77 /* the exit status of a test that cannot run here */

const char *check_argument;

#define TEST(name) int test_##name##_main(void);
#include <tests.def>
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_##name##_main},
#include <tests.def>
};

static int run_one(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (strncmp(tests[i].name, name, length) == 0 && tests[i].name[length] == 0)
            return tests[i].run();
    }
    fprintf(stderr, "lode-tests: there is no test '%.*s'\n", (int)length, name);
    return 2;
}

int main(int argc, char **argv) {
    int status = 0;
    if (argc < 2) {
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) puts(tests[i].name);
        return 0;
    }
    check_argument = argc > 2 ? argv[2] : NULL;
    for (const char *name = argv[1]; *name;) {
        size_t length = strcspn(name, "+");
        int result = run_one(name, length);
        if (result != 0 && (status == 0 || status == SKIPPED)) status = result;
        name += length + (name[length] == '+');
    }
    return status;
}
