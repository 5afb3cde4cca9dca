/* decimal.c - see decimal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 wide;

/* A positive number: m * 2^e. */
typedef struct binary {
    uint64_t m;
    int e;
    bool is_edge; /* the neighbour below is only half as far away as the one above */
} binary;

/* digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* What is read as x: integers above `below`, up to `most`. `at` is x, cut to an integer; `rest`
 * says how what was cut compares with one half. */
typedef struct decimal_range {
    uint64_t below, at, most;
    int rest;   /* -1 = less than half, 0 = half, 1 = more */
    bool exact; /* nothing was cut */
} decimal_range;

/* ---- cutting digits ------------------------------------------------------------------------ */

static void range_cut_digit(decimal_range *r) {
    uint64_t last = r->at % 10;
    bool more = !r->exact; /* digits cut before make it more than the last one says */
    r->rest = last > 5 || (last == 5 && more) ? 1 : last == 5 ? 0 : -1;
    r->exact = r->exact && last == 0;
    r->at /= 10;
    r->below /= 10;
    r->most /= 10;
}

static decimal range_shorten(decimal_range r, int exponent) {
    while (r.most / 10 > r.below / 10) {
        range_cut_digit(&r);
        exponent++;
    }
    bool up = r.rest > 0 || (r.rest == 0 && !r.exact && r.at % 2 == 1);
    uint64_t digits = r.at + up;
    if (digits <= r.below) digits = r.below + 1;
    if (digits > r.most) digits = r.most;
    while (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (decimal){digits, exponent};
}

/* ---- 128 bits ------------------------------------------------------------------------------ */

static const uint64_t fives[] = {1u,
                                 5u,
                                 25u,
                                 125u,
                                 625u,
                                 3125u,
                                 15625u,
                                 78125u,
                                 390625u,
                                 1953125u,
                                 9765625u,
                                 48828125u,
                                 244140625u,
                                 1220703125u,
                                 6103515625u,
                                 30517578125u,
                                 152587890625u,
                                 762939453125u,
                                 3814697265625u,
                                 19073486328125u,
                                 95367431640625u,
                                 476837158203125u,
                                 2384185791015625u,
                                 11920928955078125u,
                                 59604644775390625u,
                                 298023223876953125u,
                                 1490116119384765625u,
                                 7450580596923828125u};

static const double tens[] = {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2,
                              1e-1,  1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,   1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

/* The power of ten that makes an integer of 17 digits of x: 1e-10 <= x < 2^52. */
static int decimal_scale(double x) {
    int i = x < 1 ? 0 : 10;
    while (x >= tens[i + 1]) i++;
    return 16 - (i - 10);
}

/* x * 10^k with x = m * 2^e, in fixed point: `bits` of the integers are behind the point. */
static decimal decimal_short(binary b, int k) {
    uint64_t five = fives[k];
    int bits = -(b.e + k) + 2; /* of 4m, 4m - 2 or 4m - 1, and 4m + 2 */
    wide at = (wide)(4 * b.m) * five;
    wide low = at - (b.is_edge ? 1 : 2) * (wide)five, high = at + 2 * (wide)five;
    bool even = b.m % 2 == 0; /* then the bounds themselves are read as x */
    wide mask = ((wide)1 << bits) - 1, half = (wide)1 << (bits - 1);
    decimal_range r = {.below = (uint64_t)(low >> bits),
                       .at = (uint64_t)(at >> bits),
                       .most = (uint64_t)(high >> bits)};
    if (even && (low & mask) == 0) r.below--;
    if (!even && (high & mask) == 0) r.most--;
    wide rest = at & mask;
    r.exact = rest == 0;
    r.rest = rest > half ? 1 : rest == half ? 0 : -1;
    return range_shorten(r, -k);
}

/* ---- longer integers ------------------------------------------------------------------------ */

#define BIG_WORDS 40 /* 1280 bits: 2^1077 or 10^324, times 2^56, and 32 bits to move */

typedef struct big {
    uint32_t words[BIG_WORDS]; /* the lowest first; zero from n on */
    int n;
} big;

static void big_trim(big *b) {
    while (b->n > 0 && b->words[b->n - 1] == 0) b->n--;
}

static void big_multiply(big *b, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->words[i] * factor;
        b->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) b->words[b->n++] = (uint32_t)carry;
}

static void big_shift(big *b, unsigned bits) {
    unsigned whole = bits / 32;
    memmove(b->words + whole, b->words, (size_t)b->n * sizeof *b->words);
    memset(b->words, 0, whole * sizeof *b->words);
    b->n += (int)whole;
    big_multiply(b, (uint32_t)1 << bits % 32);
}

/* value * 10^scale * 2^bits */
static big big_of(uint64_t value, unsigned bits, int scale) {
    big b = {{(uint32_t)value, (uint32_t)(value >> 32)}, 2};
    big_trim(&b);
    for (; scale >= 9; scale -= 9) big_multiply(&b, 1000000000u);
    for (; scale > 0; scale--) big_multiply(&b, 10);
    big_shift(&b, bits);
    return b;
}

/* Compares a with b * 2^(32 * shift). */
static int big_compare(const big *a, const big *b, int shift) {
    if (a->n != b->n + shift) return a->n < b->n + shift ? -1 : 1;
    for (int i = a->n - 1; i >= shift; i--) {
        if (a->words[i] != b->words[i - shift]) return a->words[i] < b->words[i - shift] ? -1 : 1;
    }
    for (int i = 0; i < shift; i++) {
        if (a->words[i] > 0) return 1;
    }
    return 0;
}

/* Takes factor * b * 2^(32 * shift) away from a, which is at least that. */
static void big_subtract(big *a, const big *b, uint32_t factor, int shift) {
    uint64_t carry = 0, borrow = 0;
    for (int i = shift; i < a->n; i++) {
        carry += i - shift < b->n ? (uint64_t)b->words[i - shift] * factor : 0;
        uint64_t left = (uint64_t)a->words[i] - (uint32_t)carry - borrow;
        a->words[i] = (uint32_t)left;
        borrow = left >> 63;
        carry >>= 32;
    }
    big_trim(a);
}

/* a / b, which is below 2^64; leaves the remainder in a. The top bit of b's top word is set, so
 * that every guess from the top words is nearly all of what fits. */
static uint64_t big_divide(big *a, const big *b) {
    uint64_t quotient = 0;
    for (int shift = 1; shift >= 0; shift--) {
        while (big_compare(a, b, shift) >= 0) {
            int top = b->n + shift;
            uint64_t above = a->n > top ? a->words[top] : 0;
            uint64_t guess = (above << 32 | a->words[top - 1]) / ((uint64_t)b->words[b->n - 1] + 1);
            if (guess == 0) guess = 1;
            if (guess > UINT32_MAX) guess = UINT32_MAX;
            big_subtract(a, b, (uint32_t)guess, shift);
            quotient += guess << 32 * shift;
        }
    }
    return quotient;
}

/* The same as decimal_short() for any k. */
static decimal decimal_long(binary b, int k) {
    int e = b.e - 2, scale = k > 0 ? k : 0;
    unsigned up = e > 0 ? (unsigned)e : 0, down = e < 0 ? (unsigned)-e : 0;
    big whole = big_of(1, down, k < 0 ? -k : 0);
    unsigned more = (unsigned)__builtin_clz(whole.words[whole.n - 1]);
    big_shift(&whole, more);
    big at = big_of(4 * b.m, up + more, scale), high = big_of(4 * b.m + 2, up + more, scale);
    big low = big_of(4 * b.m - (b.is_edge ? 1 : 2), up + more, scale);
    bool even = b.m % 2 == 0;
    decimal_range r = {.below = big_divide(&low, &whole),
                       .at = big_divide(&at, &whole),
                       .most = big_divide(&high, &whole)};
    if (even && low.n == 0) r.below--;
    if (!even && high.n == 0) r.most--;
    r.exact = at.n == 0;
    big_multiply(&at, 2);
    r.rest = big_compare(&at, &whole, 0);
    return range_shorten(r, -k);
}

/* The power of ten that makes an integer of about 17 digits of x, far from 1: log10(2) is a little
 * more than 1233 / 4096. */
static int decimal_scale_long(binary b) {
    int top = b.e;
    for (uint64_t m = b.m; m > 1; m >>= 1) top++;
    int digits = top * 1233;
    digits = digits >= 0 ? digits / 4096 : -((4095 - digits) / 4096);
    return 16 - digits;
}

/* ---- text ---------------------------------------------------------------------------------- */

static char *put_text(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

static char *put_number(char *to, unsigned value) {
    char digits[12];
    int n = 0;
    for (; value > 0 || n == 0; value /= 10) digits[n++] = (char)('0' + value % 10);
    while (n > 0) *to++ = digits[--n];
    return to;
}

/* digits[0 … n - 1], of which `whole` stand before the point. */
static char *put_plain(char *to, const char *digits, int n, int whole) {
    if (whole <= 0) {
        to = put_text(to, "0.");
        for (int i = whole; i < 0; i++) *to++ = '0';
        memcpy(to, digits, (size_t)n);
        return to + n;
    }
    int first = whole < n ? whole : n;
    memcpy(to, digits, (size_t)first);
    to += first;
    for (int i = n; i < whole; i++) *to++ = '0';
    if (whole >= n) return to;
    *to++ = '.';
    memcpy(to, digits + whole, (size_t)(n - whole));
    return to + (n - whole);
}

static char *put_scientific(char *to, const char *digits, int n, int whole) {
    *to++ = digits[0];
    if (n > 1) {
        *to++ = '.';
        memcpy(to, digits + 1, (size_t)(n - 1));
        to += n - 1;
    }
    *to++ = 'e';
    int exponent = whole - 1;
    if (exponent < 0) *to++ = '-';
    return put_number(to, (unsigned)(exponent < 0 ? -exponent : exponent));
}

static char *put_decimal(char *to, decimal d) {
    char text[20];
    int n = 0;
    for (uint64_t digits = d.digits; digits > 0; digits /= 10) {
        text[sizeof text - 1 - (size_t)n++] = (char)('0' + digits % 10);
    }
    const char *first = text + sizeof text - (size_t)n;
    int whole = n + d.exponent;
    return whole > -7 && whole <= 17 ? put_plain(to, first, n, whole)
                                     : put_scientific(to, first, n, whole);
}

static binary binary_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0) return (binary){fraction, -1074, false};
    return (binary){fraction | (uint64_t)1 << 52, exponent - 1075, fraction == 0 && exponent > 1};
}

char *decimal_put(char *to, double x) {
    if (x != x) return put_text(to, "nan");
    if (x < 0) {
        *to++ = '-';
        x = -x;
    }
    if (x == 0) return put_text(to, "0");
    if (x > 1.7976931348623157e308) return put_text(to, "inf");
    if (x < 1e15 && x == (double)(uint64_t)x) {
        return put_decimal(to, (decimal){(uint64_t)x, 0});
    }
    binary b = binary_of(x);
    bool is_short = x >= tens[0] && b.e < 0;
    if (is_short) return put_decimal(to, decimal_short(b, decimal_scale(x)));
    return put_decimal(to, decimal_long(b, decimal_scale_long(b)));
}
