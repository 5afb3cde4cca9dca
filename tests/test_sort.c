/* test_sort.c - sorting in place: the order, the worst case, and stopping
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sort.h"
#include "check.h"

typedef struct record {
    uint32_t key, number;
} record;

static size_t n_compared;

static inline bool record_before(const record *a, const record *b) {
    n_compared++;
    return a->key < b->key;
}

#define SORT_NAME   sort_records
#define SORT_TYPE   record
#define SORT_BEFORE record_before
#include "base/sort_body.h"

static uint32_t shape_value(int shape, size_t i, size_t n, rng *random) {
    switch (shape) {
    case 0: return (uint32_t)rng_u64(random);
    case 1: return (uint32_t)rng_below(random, 4);
    case 2: return (uint32_t)i;
    case 3: return (uint32_t)(n - i);
    case 4: return (uint32_t)(i < n / 2 ? i : n - i); /* up and down */
    case 5: return (uint32_t)(i % 7 == 0 ? rng_u64(random) : i);
    default: return 7;
    }
}

static bool is_ordered(const record *r, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (r[i - 1].key > r[i].key) return false;
    }
    return true;
}

static bool is_complete(const record *r, size_t n, const uint32_t *keys, char *seen) {
    memset(seen, 0, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = r[i].number;
        if (number >= n || seen[number] || keys[number] != r[i].key) return false;
        seen[number] = 1;
    }
    return true;
}

static void check_shapes(void) {
    enum { MOST = 70000 };
    record *r = malloc(MOST * sizeof *r);
    uint32_t *keys = malloc(MOST * sizeof *keys), *words = malloc(MOST * sizeof *words);
    char *seen = malloc(MOST);
    rng random = rng_make(5, 0);
    for (int shape = 0; shape < 7; shape++) {
        for (size_t n = 0; n <= MOST; n = n < 60 ? n + 1 : n * 3 + 1) {
            for (size_t i = 0; i < n; i++) {
                words[i] = keys[i] = shape_value(shape, i, n, &random);
                r[i] = (record){keys[i], (uint32_t)i};
            }
            CHECK(sort_records(r, n, NULL));
            CHECK(is_ordered(r, n) && is_complete(r, n, keys, seen));
            sort_u32(words, n);
            bool same = true;
            for (size_t i = 0; i < n; i++) same = same && words[i] == r[i].key;
            CHECK(same);
        }
    }
    free(r);
    free(keys);
    free(words);
    free(seen);
}

/* ---- the worst case: keys are fixed only when they are compared, as badly as can be -------- */

enum { N_BAD = 100000 };
#define BAD_OPEN (UINT32_MAX - 1) /* above all keys that are fixed later */
static uint32_t bad_key[N_BAD], bad_next, bad_candidate;

static inline bool bad_before(const uint32_t *a, const uint32_t *b) {
    n_compared++;
    if (bad_key[*a] == BAD_OPEN && bad_key[*b] == BAD_OPEN) {
        bad_key[*a == bad_candidate ? *a : *b] = bad_next++;
    }
    if (bad_key[*a] == BAD_OPEN) {
        bad_candidate = *a;
    } else if (bad_key[*b] == BAD_OPEN) {
        bad_candidate = *b;
    }
    return bad_key[*a] < bad_key[*b];
}

#define SORT_NAME   sort_bad
#define SORT_TYPE   uint32_t
#define SORT_BEFORE bad_before
#include "base/sort_body.h"

static void check_worst(void) {
    static uint32_t order[N_BAD];
    for (uint32_t i = 0; i < N_BAD; i++) {
        bad_key[i] = BAD_OPEN;
        order[i] = i;
    }
    bad_key[0] = UINT32_MAX; /* not in order, as the first look shows, and above all others */
    bad_key[1] = 0;
    bad_next = 1;
    n_compared = 0;
    CHECK(sort_bad(order, N_BAD, NULL));
    printf("an enemy's %d values: %zu comparisons\n", N_BAD, n_compared);
    CHECK(n_compared < (size_t)N_BAD * 17 * 5); /* log2 n = 16.6 */
    bool ordered = true;
    for (uint32_t i = 1; i < N_BAD; i++) {
        ordered = ordered && bad_key[order[i - 1]] <= bad_key[order[i]];
    }
    CHECK(ordered);
}

/* ---- being ended --------------------------------------------------------------------------- */

typedef struct patience {
    size_t asked, says_yes;
} patience;

static bool patience_asked(void *user) {
    patience *p = user;
    return ++p->asked > p->says_yes;
}

static void check_stop(void) {
    enum { N = 1 << 20 };
    record *r = malloc(N * sizeof *r);
    uint32_t *keys = malloc(N * sizeof *keys);
    char *seen = malloc(N);
    rng random = rng_make(5, 0);
    for (size_t says_yes = 0;; says_yes = says_yes * 2 + 1) {
        for (uint32_t i = 0; i < N; i++) {
            keys[i] = (uint32_t)rng_u64(&random);
            r[i] = (record){keys[i], i};
        }
        patience p = {0, says_yes};
        sort_stop stop = {patience_asked, &p};
        n_compared = 0;
        bool done = sort_records(r, N, &stop);
        CHECK(done == (p.asked <= says_yes));
        CHECK(p.asked > 50 || !done); /* 20 million comparisons are not done in one go */
        if (!done) CHECK(n_compared < (p.asked + 1) * 600000);
        CHECK(is_complete(r, N, keys, seen));
        CHECK(is_ordered(r, N) == done);
        if (done) break;
    }
    free(r);
    free(keys);
    free(seen);
}

int main(void) {
    CHECK_RUN(check_shapes);
    CHECK_RUN(check_worst);
    CHECK_RUN(check_stop);
    return check_result();
}
