/* test_dict.c - maps names to numbers and back; the print order
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/sort.h"
#include "check.h"
#include "data/transactions/dict.h"

static mem memory;

static uint32_t add(dict *d, const char *name) {
    uint32_t id = DICT_NONE;
    CHECK_EQUAL(dict_add(d, name, strlen(name), &id), LODE_OK);
    return id;
}

static void check_name(const dict *d, uint32_t id, const char *expected) {
    size_t n;
    const char *name = dict_name(d, id, &n);
    CHECK(n == strlen(expected) && memcmp(name, expected, n) == 0);
}

static void names(void) {
    dict *d = NULL;
    CHECK_EQUAL(dict_create(&memory, &d), LODE_OK);
    CHECK_EQUAL(dict_find(d, "a", 1), DICT_NONE);
    CHECK_EQUAL(add(d, ""), 0);
    CHECK_EQUAL(add(d, "pear"), 1);
    CHECK_EQUAL(add(d, "apple"), 2);
    CHECK_EQUAL(add(d, "pear"), 1);
    CHECK_EQUAL(dict_count(d), 3);
    CHECK_EQUAL(dict_find(d, "apple", 5), 2);
    CHECK_EQUAL(dict_find(d, "appl", 4), DICT_NONE);
    check_name(d, 0, "");
    check_name(d, 1, "pear");
    dict_free(d);
}

static void many_names(void) {
    dict *d = NULL;
    CHECK_EQUAL(dict_create(&memory, &d), LODE_OK);
    char name[32];
    for (uint32_t i = 0; i < 50000; i++) {
        snprintf(name, sizeof name, "item %u of many", i);
        if (add(d, name) != i) CHECK(false);
    }
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 50000; i++) {
        int n = snprintf(name, sizeof name, "item %u of many", i);
        wrong += dict_find(d, name, (size_t)n) != i;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK(dict_bytes(d) <= atomic_load(&memory.used));
    dict_free(d);
}

static void check_order(const char *const *in, const char *const *sorted, size_t n, bool numbers) {
    dict *d = NULL;
    CHECK_EQUAL(dict_create(&memory, &d), LODE_OK);
    uint32_t new_ids[16];
    bool numeric = !numbers;
    for (size_t i = 0; i < n; i++) add(d, in[i]);
    CHECK_EQUAL(dict_sort(d, new_ids, &numeric), LODE_OK);
    CHECK_EQUAL(numeric, numbers);
    for (uint32_t i = 0; i < n; i++) {
        check_name(d, i, sorted[i]);
        check_name(d, new_ids[i], in[i]);
        CHECK_EQUAL(dict_find(d, sorted[i], strlen(sorted[i])), i);
    }
    dict_free(d);
}

static void print_order(void) {
    const char *const words[] = {"pear",     "apple",      "apples", "Zoo",
                                 "\xc3\xa9", "applesauce", "appl"};
    const char *const by_bytes[] = {"Zoo",        "appl", "apple",   "apples",
                                    "applesauce", "pear", "\xc3\xa9"};
    check_order(words, by_bytes, 7, false);
    const char *const digits[] = {
        "10", "9", "007", "7", "0", "18446744073709551617", "18446744073709551616", "07", "00"};
    const char *const by_value[] = {
        "0", "00", "7", "07", "007", "9", "10", "18446744073709551616", "18446744073709551617"};
    check_order(digits, by_value, 9, true);
    const char *const mixed[] = {"10", "9", "a"};
    check_order(mixed, mixed, 3, false);
    check_order(NULL, NULL, 0, true);
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Many lengths and shapes: random, few values, ascending, descending, sawtooth. */
static void sorting(void) {
    static uint32_t a[3000], b[3000];
    uint32_t seed = 1;
    for (size_t n = 0; n < 3000; n = n < 70 ? n + 1 : n * 2) {
        for (unsigned shape = 0; shape < 5; shape++) {
            for (size_t i = 0; i < n; i++) {
                seed = seed * 1664525 + 1013904223;
                uint32_t values[] = {seed, seed >> 30, (uint32_t)i, (uint32_t)(n - i),
                                     (uint32_t)(i % 7)};
                a[i] = b[i] = values[shape];
            }
            sort_u32(a, n);
            qsort(b, n, sizeof *b, compare);
            CHECK(memcmp(a, b, n * sizeof *a) == 0);
        }
    }
}

int main(void) {
    mem_init(&memory, NULL, NULL, 0);
    CHECK_RUN(names);
    CHECK_RUN(many_names);
    CHECK_RUN(print_order);
    CHECK_RUN(sorting);
    CHECK_EQUAL(atomic_load(&memory.used), 0);
    return check_result();
}
