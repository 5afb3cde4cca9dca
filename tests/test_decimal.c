/* test_decimal.c - doubles as the shortest text that reads back as the same double
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/rng.h"
#include "check.h"
#include "lode.h"

static const char *text_of(double x) {
    static char text[DECIMAL_BYTES + 1];
    *decimal_put(text, x) = 0;
    return text;
}

static void known_values(void) {
    CHECK_TEXT(text_of(0), "0");
    CHECK_TEXT(text_of(1), "1");
    CHECK_TEXT(text_of(-2.5), "-2.5");
    CHECK_TEXT(text_of(0.1), "0.1");
    CHECK_TEXT(text_of(1.0 / 3), "0.3333333333333333");
    CHECK_TEXT(text_of(5.0 / 6), "0.8333333333333334");
    CHECK_TEXT(text_of(0.1 + 0.2), "0.30000000000000004");
    CHECK_TEXT(text_of(1e-7), "0.0000001");
    CHECK_TEXT(text_of(1e-8), "1e-8");
    CHECK_TEXT(text_of(123456.789), "123456.789");
    CHECK_TEXT(text_of(1e15), "1000000000000000");
    CHECK_TEXT(text_of(1e16), "10000000000000000");
    CHECK_TEXT(text_of(1e17), "1e17");
    CHECK_TEXT(text_of(9007199254740993.0), "9007199254740992");
    CHECK_TEXT(text_of(1.5e-300), "1.5e-300");
    CHECK_TEXT(text_of(5e-324), "5e-324");
    CHECK_TEXT(text_of(2.2250738585072014e-308), "2.2250738585072014e-308");
    CHECK_TEXT(text_of(1.7976931348623157e308), "1.7976931348623157e308");
    CHECK_TEXT(text_of(INFINITY), "inf");
    CHECK_TEXT(text_of(-INFINITY), "-inf");
    CHECK_TEXT(text_of(NAN), "nan");
}

static const char *short_text(double x) {
    static char text[DECIMAL_BYTES + 1];
    *decimal_put_short(text, x) = 0;
    return text;
}

static void six_digits(void) {
    CHECK_TEXT(short_text(0), "0");
    CHECK_TEXT(short_text(-2.5), "-2.5");
    CHECK_TEXT(short_text(2.0 / 3), "0.666667");
    CHECK_TEXT(short_text(-1.0 / 3), "-0.333333");
    CHECK_TEXT(short_text(11.23526936026936), "11.2353");
    CHECK_TEXT(short_text(123456.789), "123457");
    CHECK_TEXT(short_text(123456.4), "123456");
    CHECK_TEXT(short_text(123456789), "123456789");
    CHECK_TEXT(short_text(1234567.5), "1234568");
    CHECK_TEXT(short_text(999999.7), "1000000");
    CHECK_TEXT(short_text(-99.99999), "-100");
    CHECK_TEXT(short_text(0.99999999), "1");
    CHECK_TEXT(short_text(0.10000001), "0.1");
    CHECK_TEXT(short_text(0.0000123456789), "0.0000123457");
    CHECK_TEXT(short_text(1.23456789e-83), "1.23457e-83");
    CHECK_TEXT(short_text(9.9999999e-83), "9.99999e-83");
    CHECK_TEXT(short_text(2e-300), "2e-300");
    CHECK_TEXT(short_text(INFINITY), "inf");
    CHECK_TEXT(short_text(NAN), "nan");
}

/* As printf rounds, or the last of six digits differs by one: of a half, and of nines. */
static void random_six_digits(void) {
    rng r = rng_make(8, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_u64(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x) || i % 2) x = (double)(bits % 99999 + 1) / (double)(bits >> 32 | 1);
        double read = strtod(short_text(x), NULL);
        CHECK(fabs(read - x) <= 1.001e-5 * fabs(x) && strlen(short_text(x)) <= 24);
        if (fabs(x) < 1e6) CHECK(strlen(short_text(x)) <= 15);
    }
}

/* The digits of a number, without its point, exponent and outer zeros. */
static size_t digits_of(const char *text, char *out) {
    size_t n = 0;
    for (; *text && *text != 'e'; text++) {
        bool digit = *text >= '0' && *text <= '9';
        if (digit && (n > 0 || *text != '0')) out[n++] = *text;
    }
    while (n > 0 && out[n - 1] == '0') n--;
    out[n] = 0;
    return n;
}

/* It is read as the same, and printf has the same digits, or needs more: at powers of two, some
 * numbers are read as x that are not the nearest of their length. */
static void check_value(double x) {
    char wanted[64], digits[64], other[64];
    int n = 1;
    do {
        snprintf(wanted, sizeof wanted, "%.*e", n - 1, x);
    } while (strtod(wanted, NULL) != x && n++ < 17);
    const char *text = text_of(x);
    size_t length = digits_of(text, digits), most = digits_of(wanted, other);
    bool same = length < most || strcmp(digits, other) == 0;
    if (!same) fprintf(stderr, "%s instead of %s\n", text, wanted);
    CHECK(same && strtod(text, NULL) == x);
}

static void random_values(void) {
    rng r = rng_make(7, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_u64(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        check_value((double)(bits % 9999 + 1) / (double)(bits >> 32 & 0xffff));
        check_value((double)(bits >> 11) * 0x1p-53);
        if (isfinite(x) && x != 0 && i % 8 == 0) check_value(fabs(x));
    }
    for (int e = -1074; e < 1024; e++) check_value(ldexp(1, e));
}

static void json_numbers(void) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},          {-2.5, "-2.5"},          {1e300, "1e300"},  {NAN, "null"},
                 {INFINITY, "\"inf\""}, {-INFINITY, "\"-inf\""}, {5e-324, "5e-324"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[LODE_NUMBER_BYTES + 1];
        text[lode_json_number(text, cases[i].value)] = 0;
        CHECK_TEXT(text, cases[i].text);
    }
}

int main(void) {
    CHECK_RUN(json_numbers);
    CHECK_RUN(known_values);
    CHECK_RUN(random_values);
    CHECK_RUN(six_digits);
    CHECK_RUN(random_six_digits);
    return check_result();
}
