/* check.h - a minimal test harness, which prints what went wrong
 *
 * A test is a list of functions; main() runs them through CHECK_RUN and returns check_result(). A
 * failed check prints file, line, expression and values, and the test goes on. All tests are linked
 * into one program, lode-tests, which calls the main() of the test that its command line names. The
 * build renames each main() to test_NAME_main().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_CHECK_H
#define LODE_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A number that depends on the build. Sanitizers make everything five to thirty times slower, but
 * find errors in fewer rounds. */
#if defined(__SANITIZE_THREAD__)
#define BY_BUILD(plain, asan, tsan) (tsan)
#elif defined(__SANITIZE_ADDRESS__)
#define BY_BUILD(plain, asan, tsan) (asan)
#else
#define BY_BUILD(plain, asan, tsan) (plain)
#endif

int main(void);                    /* the signature that runner.c expects */
extern const char *check_argument; /* the word after the name of the test; NULL if there is none */

static _Atomic int check_failures; /* checks may be made by any thread */
static _Atomic int check_count;

static inline bool check_that(bool ok, const char *file, int line, const char *expression) {
    check_count++;
    if (!ok) {
        check_failures++;
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, expression);
    }
    return ok;
}

static inline bool check_equal(uint64_t a, uint64_t b, const char *file, int line,
                               const char *text) {
    check_count++;
    if (a != b) {
        check_failures++;
        fprintf(stderr, "%s:%d: failed: %s: %" PRIu64 " != %" PRIu64 "\n", file, line, text, a, b);
    }
    return a == b;
}

static inline bool check_text(const char *a, const char *b, const char *file, int line,
                              const char *text) {
    check_count++;
    bool same = strcmp(a, b) == 0;
    if (!same) {
        check_failures++;
        fprintf(stderr, "%s:%d: failed: %s:\n  got  \"%s\"\n  want \"%s\"\n", file, line, text, a,
                b);
    }
    return same;
}

#define CHECK(expression) check_that((expression), __FILE__, __LINE__, #expression)
#define CHECK_EQUAL(a, b)                                                                          \
    check_equal((uint64_t)(a), (uint64_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_TEXT(a, b)    check_text((a), (b), __FILE__, __LINE__, #a)
#define CHECK_RUN(function) check_function(#function, function)

/* Prints the name of a test function, runs it and, if it took at least 0.1 seconds of CPU time on
 * all processors together, prints this time. */
static inline void check_function(const char *name, void (*function)(void)) {
    printf("  %s", name);
    fflush(stdout);
    clock_t start = clock();
    function();
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds >= 0.1) printf("  %.1f s", seconds);
    printf("\n");
}

static inline int check_result(void) {
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures ? 1 : 0;
}

#endif
