/* test_rng.c - random numbers, the logarithm and the distributions drawn from them
 *
 * All seeds are fixed, so that a check either always holds or never. Limits are about five standard
 * deviations wide.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fmath.h"
#include "base/rng.h"
#include "check.h"
#include "extras/generate/draw.h"

#define SAMPLES (1 << 18)

/* The i-th number of one of the sequences that must look random. */
typedef uint64_t (*sequence_fn)(uint64_t i);

static uint64_t along_counter(uint64_t i) {
    rng r = rng_make(1, 0);
    return rng_at(&r, i);
}

static uint64_t along_streams(uint64_t i) {
    rng r = rng_make(1, i);
    return rng_at(&r, 0);
}

static uint64_t along_seeds(uint64_t i) {
    rng r = rng_make(i, 3);
    return rng_at(&r, 7);
}

static uint64_t along_high_counter_bits(uint64_t i) {
    rng r = rng_make(1, 0);
    return rng_at(&r, i << 40);
}

/* Whether x is within `width` of `centre`. */
static bool near(double x, double centre, double width) {
    if (x >= centre - width && x <= centre + width) return true;
    fprintf(stderr, "%.17g is not within %g of %.17g\n", x, width, centre);
    return false;
}

static void check_mean_and_variance(sequence_fn sequence) {
    double sum = 0, squares = 0, neighbours = 0, last = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double u = (double)(sequence(i) >> 11) / (double)(1ull << 53) - 0.5;
        sum += u;
        squares += u * u;
        neighbours += u * last;
        last = u;
    }
    CHECK(near(sum / SAMPLES, 0.0, 0.003));
    CHECK(near(squares / SAMPLES, 1.0 / 12, 0.0008));
    CHECK(near(neighbours / SAMPLES, 0.0, 0.0008));
}

/* Sum over the 64 bits of (ones - n/2)^2 / (n/4): chi-square with 64 degrees of freedom. */
static void check_bits(sequence_fn sequence) {
    uint64_t ones[64] = {0};
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t x = sequence(i);
        for (int b = 0; b < 64; b++) ones[b] += x >> b & 1;
    }
    double chi = 0;
    for (int b = 0; b < 64; b++) {
        double d = (double)ones[b] - SAMPLES / 2.0;
        chi += d * d / (SAMPLES / 4.0);
    }
    CHECK(near(chi, 64, 5 * 11.3));
}

/* Each of the eight bytes takes its 256 values equally often: 255 degrees of freedom each. */
static void check_bytes(sequence_fn sequence) {
    static uint32_t seen[8][256];
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t x = sequence(i);
        for (int b = 0; b < 8; b++) seen[b][x >> 8 * b & 255]++;
    }
    for (int b = 0; b < 8; b++) {
        double chi = 0, expected = SAMPLES / 256.0;
        for (int v = 0; v < 256; v++) {
            double d = seen[b][v] - expected;
            chi += d * d / expected;
        }
        CHECK(near(chi, 255, 5 * 22.6));
    }
}

static void test_quality(void) {
    const sequence_fn sequences[] = {along_counter, along_streams, along_seeds,
                                     along_high_counter_bits};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        check_mean_and_variance(sequences[i]);
        check_bits(sequences[i]);
        check_bytes(sequences[i]);
    }
}

/* Flipping any one bit of counter, stream or seed changes every bit in about half of the cases. */
static void test_avalanche(void) {
    enum { ROUNDS = 4096 };
    for (int input = 0; input < 192; input += 7) {
        uint32_t flipped = 0;
        for (uint64_t i = 0; i < ROUNDS; i++) {
            uint64_t in[3] = {i, i * 3, i * 5};
            rng a = rng_make(in[0], in[1]);
            uint64_t x = rng_at(&a, in[2]);
            in[input / 64] ^= (uint64_t)1 << input % 64;
            rng b = rng_make(in[0], in[1]);
            flipped += (uint32_t)__builtin_popcountll(x ^ rng_at(&b, in[2]));
        }
        CHECK(near(flipped / (64.0 * ROUNDS), 0.5, 0.005));
    }
}

static void test_below(void) {
    rng r = rng_make(2, 0);
    uint32_t seen[7] = {0};
    for (int i = 0; i < 70000; i++) seen[rng_below(&r, 7)]++;
    for (int v = 0; v < 7; v++) CHECK(near(seen[v], 10000, 465));

    /* Two thirds of the range of 64 bits: without rejection, even numbers would come twice as often
     * as odd ones. */
    uint32_t odd = 0;
    for (int i = 0; i < 10000; i++) odd += (uint32_t)rng_below(&r, UINT64_MAX / 3 * 2) & 1;
    CHECK(near(odd, 5000, 250));
    CHECK_EQUAL(rng_below(&r, 1), 0);
}

static void test_chances(void) {
    rng r = rng_make(3, 0);
    uint32_t never = 0, always = 0, third = 0;
    for (int i = 0; i < 30000; i++) {
        never += rng_happens(&r, rng_chance(0.0));
        always += rng_happens(&r, rng_chance(1.0));
        third += rng_happens(&r, rng_chance(1.0 / 3));
    }
    CHECK_EQUAL(never, 0);
    CHECK_EQUAL(always, 30000);
    CHECK(near(third, 10000, 410));
    for (int i = 0; i < 1000; i++) {
        double u = rng_unit(&r);
        CHECK(u >= 0.0 && u < 1.0);
    }
}

static void test_log(void) {
    CHECK(fmath_log(1.0) == 0.0);
    CHECK(near(fmath_log(2.0), 0.69314718055994530942, 2e-16));
    CHECK(near(fmath_log(10.0), 2.30258509299404568402, 5e-16));
    CHECK(near(fmath_log(0.5), -0.69314718055994530942, 2e-16));
    CHECK(near(fmath_log(1e-300), -690.77552789821370521, 2.3e-13));
    CHECK(near(fmath_log(0x1p-53), -36.736800569677101400, 1.5e-14));
    rng r = rng_make(4, 0);
    for (int i = 0; i < 1000; i++) {
        double a = 1.0 + rng_unit(&r), b = 1.0 + rng_unit(&r);
        CHECK(near(fmath_log(a * b), fmath_log(a) + fmath_log(b), 6e-16));
    }
}

static void test_exponential_and_normal(void) {
    rng r = rng_make(5, 0);
    double sum = 0, squares = 0, normal = 0, normal2 = 0, normal4 = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double e = draw_exponential(&r), x = draw_normal(&r);
        CHECK(e >= 0.0);
        sum += e;
        squares += e * e;
        normal += x;
        normal2 += x * x;
        normal4 += x * x * x * x;
    }
    CHECK(near(sum / SAMPLES, 1.0, 0.01));
    CHECK(near(squares / SAMPLES, 2.0, 0.045));
    CHECK(near(normal / SAMPLES, 0.0, 0.01));
    CHECK(near(normal2 / SAMPLES, 1.0, 0.014));
    CHECK(near(normal4 / SAMPLES, 3.0, 0.1));
}

/* The chance of an outcome, added up over the columns, is its weight. */
static void test_weights(void) {
    const double weights[] = {5.0, 0.0, 1.0, 1.0, 0.25, 8.75};
    double chances[6] = {0};
    mem m;
    draw_table t = {0};
    mem_init(&m, NULL, NULL, 0);
    CHECK_EQUAL(draw_table_weights(&t, &m, weights, 6), LODE_OK);
    for (uint32_t i = 0; i < 6; i++) {
        chances[i] += t.columns[i].cut;
        chances[t.columns[i].other] += 4294967296.0 - t.columns[i].cut;
    }
    for (uint32_t i = 0; i < 6; i++) CHECK(near(chances[i] / 6, weights[i] * 268435456.0, 1.0));

    rng r = rng_make(6, 0);
    uint32_t seen[6] = {0};
    for (int i = 0; i < 160000; i++) seen[draw_table_next(&t, &r)]++;
    CHECK_EQUAL(seen[1], 0);
    CHECK(near(seen[0], 50000, 930));
    CHECK(near(seen[4], 2500, 250));
    CHECK(near(seen[5], 87500, 1000));
    draw_table_free(&t);
    CHECK_EQUAL(m.used, 0);
}

static void check_lengths(double mean) {
    enum { DRAWS = 100000 };
    mem m;
    draw_table t = {0};
    rng r = rng_make(7, 0);
    double sum = 0, squares = 0;
    mem_init(&m, NULL, NULL, 0);
    CHECK_EQUAL(draw_table_lengths(&t, &m, mean), LODE_OK);
    for (int i = 0; i < DRAWS; i++) {
        double x = draw_table_next(&t, &r);
        CHECK(x >= 1.0);
        sum += x - mean;
        squares += (x - mean) * (x - mean);
    }
    double variance = mean - 1.0;
    CHECK(near(sum / DRAWS * (sum / DRAWS), 0.0, 25.0 * variance / DRAWS));
    CHECK(near(squares / DRAWS, variance, 0.05 * variance));
    draw_table_free(&t);
    CHECK_EQUAL(m.used, 0);
}

static void test_lengths(void) {
    const double means[] = {1.0, 1.5, 4.0, 10.0, 40.0, 3000.0, 1e6};
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) check_lengths(means[i]);
}

int main(void) {
    CHECK_RUN(test_quality);
    CHECK_RUN(test_avalanche);
    CHECK_RUN(test_below);
    CHECK_RUN(test_chances);
    CHECK_RUN(test_log);
    CHECK_RUN(test_exponential_and_normal);
    CHECK_RUN(test_weights);
    CHECK_RUN(test_lengths);
    return check_result();
}
