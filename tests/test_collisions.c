/* test_collisions.c - hash tables whose names, keys and words were chosen to collide
 *
 * Earlier versions used hashes without a key, which can be inverted: this gives any number of
 * inputs that all fell into one slot. Entering such inputs must now take about as long as entering
 * others. The test compares CPU seconds of this thread with each other, so a busy machine or a
 * sanitizer makes no difference. If all inputs shared one slot, the times would differ by a factor
 * of thousands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/os.h"
#include "check.h"
#include "data/graphs/keymap.h"
#include "data/transactions/dict.h"
#include "itemsets/adaptive/merge.h"

#define N     60000
#define TIMES 30     /* as long as others, at the most */
#define LEAST 0.0005 /* seconds, below which nothing is compared */

static mem memory;

/* The factor that undoes a multiplication by an odd one: each step doubles the bits that are
 * right. */
static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (unsigned bits = 3; bits < 64; bits *= 2) x *= 2 - odd * x;
    return x;
}

/* What bits_mix() makes this of. */
static uint64_t unmix(uint64_t x) {
    uint64_t back = inverse(0xd6e8feb86659fd93u);
    x ^= x >> 32;
    x = x * back;
    x ^= x >> 32;
    x = x * back;
    return x ^ (x >> 32);
}

/* A name of eight bytes that bits_hash() makes this of. */
static void unhash(uint64_t hash, char name[8]) {
    uint64_t h = unmix(hash);
    h ^= h >> 29 ^ h >> 58;
    uint64_t word = (h * inverse(0xff51afd7ed558ccdu)) ^ (0x9e3779b97f4a7c15u ^ 8u);
    memcpy(name, &word, 8);
}

/* Different numbers, whose low halves are all the same if they were chosen. */
static uint64_t number(uint32_t i, bool chosen) {
    return chosen ? (uint64_t)i << 32 | 77 : bits_mix(i);
}

static double time_names(bool chosen) {
    dict *d = NULL;
    char name[8];
    uint32_t id, wrong = 0;
    CHECK_EQUAL(dict_create(&memory, &d), LODE_OK);
    double start = os_thread_seconds();
    for (uint32_t i = 0; i < N; i++) {
        unhash(number(i, chosen), name);
        wrong += dict_add(d, name, 8, &id) != LODE_OK || id != i;
    }
    double seconds = os_thread_seconds() - start;
    unhash(number(N / 2, chosen), name);
    CHECK_EQUAL(bits_hash(name, 8), number(N / 2, chosen));
    CHECK_EQUAL(dict_find(d, name, 8), N / 2);
    CHECK_EQUAL(wrong, 0);
    dict_free(d);
    return seconds;
}

static double time_keys(bool chosen) {
    keymap map = {0};
    uint32_t wrong = 0;
    bool found;
    double start = os_thread_seconds();
    for (uint32_t i = 0; i < N; i++) {
        wrong += keymap_put(&map, &memory, unmix(number(i, chosen)), i, &found) != LODE_OK || found;
    }
    double seconds = os_thread_seconds() - start;
    CHECK_EQUAL(keymap_find(&map, unmix(number(N / 2, chosen)))->value, N / 2);
    CHECK_EQUAL(wrong, 0);
    keymap_free(&map, &memory);
    return seconds;
}

/* Words whose products with the factor of the table all begin with zeros. */
static double time_words(bool chosen) {
    static uint64_t words[2 * N];
    static uint32_t weights[2 * N];
    uint64_t back = inverse(0x9e3779b97f4a7c15u);
    word_buffer b = {.words = words, .weights = weights, .n = 2 * N};
    size_t wrong = 0;
    arena lender;
    arena_init(&lender, &memory);
    for (uint32_t i = 0; i < 2 * N; i++) {
        words[i] = (chosen ? back : 0xd6e8feb86659fd93u) * (i % N + (uint64_t)1);
        weights[i] = 1 + i % 2;
    }
    double start = os_thread_seconds();
    CHECK_EQUAL(merge_words(&lender, ~(uint64_t)0, &b), LODE_OK);
    double seconds = os_thread_seconds() - start;
    CHECK_EQUAL(b.n, N);
    for (uint32_t i = 0; i < N; i++) {
        wrong += words[i] != (chosen ? back : 0xd6e8feb86659fd93u) * (i + (uint64_t)1);
        wrong += weights[i] != 2 * (1 + i % 2);
    }
    CHECK_EQUAL(wrong, 0);
    arena_clear(&lender);
    return seconds;
}

static void compare(double (*time)(bool chosen)) {
    double others = time(false), chosen = time(true);
    printf("    %.5f s, chosen ones %.5f s\n", others, chosen);
    CHECK(chosen < TIMES * (others > LEAST ? others : LEAST));
}

static void names(void) {
    compare(time_names);
}

static void keys(void) {
    compare(time_keys);
}

static void words(void) {
    compare(time_words);
}

/* Numbers and short names that differ little spread well: no bucket of 64 has far more than its
 * share, at either end of the hash. */
static void spread(void) {
    static uint32_t low[4][1024], high[4][1024];
    const keyed *k = keyed_process();
    uint32_t most = 0;
    for (uint32_t i = 0; i < 1 << 16; i++) {
        char name[32] = "product number ";
        int n = snprintf(name + 15, sizeof name - 15, "%u", i);
        uint64_t hashes[4] = {keyed_number(k, i), keyed_number(k, (uint64_t)i << 32),
                              keyed_bytes(k, name, 15 + (size_t)n),
                              keyed_bytes(k, name + 15, (size_t)n)};
        for (unsigned j = 0; j < 4; j++) {
            low[j][hashes[j] % 1024]++;
            high[j][hashes[j] >> 54]++;
        }
    }
    for (unsigned j = 0; j < 4; j++) {
        for (unsigned i = 0; i < 1024; i++) {
            if (low[j][i] > most) most = low[j][i];
            if (high[j][i] > most) most = high[j][i];
        }
    }
    CHECK(most < 160); /* 64 on average, with a deviation of 8 */
}

/* Every length reads exactly its bytes, and each of them counts. */
static void lengths(void) {
    const keyed *k = keyed_process();
    for (size_t n = 1; n <= 70; n++) {
        char name[71], other[71];
        for (size_t i = 0; i < n; i++) name[i] = (char)('a' + i % 26);
        uint64_t hash = keyed_bytes(k, name, n);
        CHECK(hash != keyed_bytes(k, name, n - 1));
        for (size_t i = 0; i < n; i++) {
            memcpy(other, name, n);
            other[i] ^= 1;
            CHECK(keyed_bytes(k, other, n) != hash);
        }
    }
}

int main(void) {
    mem_init(&memory, NULL, NULL, 0);
    CHECK_RUN(names);
    CHECK_RUN(keys);
    CHECK_RUN(words);
    CHECK_RUN(spread);
    CHECK_RUN(lengths);
    CHECK_EQUAL(atomic_load(&memory.used), 0);
    return check_result();
}
