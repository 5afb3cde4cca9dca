/* runner.c - all tests in C as one program
 *
 *     lode-tests                     lists the tests
 *     lode-tests NAME [ARGUMENT]     runs tests/test_NAME.c
 *
 * tests.def is generated: a line TEST(NAME) for each file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

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

int main(int argc, char **argv) {
    size_t n = sizeof tests / sizeof *tests;
    check_argument = argc > 2 ? argv[2] : NULL;
    for (size_t i = 0; i < n; i++) {
        if (argc < 2)
            puts(tests[i].name);
        else if (strcmp(tests[i].name, argv[1]) == 0)
            return tests[i].run();
    }
    if (argc < 2) return 0;
    fprintf(stderr, "lode-tests: there is no test '%s'\n", argv[1]);
    return 2;
}
