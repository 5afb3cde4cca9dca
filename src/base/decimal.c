/* decimal.c - see decimal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

typedef unsigned __int128 wide;

/* A positive number: m * 2^e. */
typedef struct binary {
    uint64_t m;
    int e;
    bool is_edge; /* the neighbour below is only half as far away as the one above */
} binary;

/* digits * 10^exponent; the last digits may be zeros */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* The integers that read back as x: those above `below`, up to `most`. `at` is x with the fraction
 * cut off; `rest` compares that fraction with one half. */
typedef struct decimal_range {
    uint64_t below, at, most;
    int rest;   /* -1 = less than half, 0 = half, 1 = more */
    bool exact; /* nothing was cut */
} decimal_range;

/* ---- cutting digits ------------------------------------------------------------------------ */

static decimal range_shorten(const decimal_range *r, int exponent) {
    uint64_t below = r->below, at = r->at, most = r->most;
    bool exact = r->exact; /* nothing but zeros was cut */
    int rest = r->rest;
    while (most / 10 > below / 10) {
        uint64_t last = at % 10;
        rest = last > 5 || (last == 5 && !exact) ? 1 : last == 5 ? 0 : -1;
        exact = exact && last == 0;
        at /= 10;
        below /= 10;
        most /= 10;
        exponent++;
    }
    bool up = rest > 0 || (rest == 0 && !exact && at % 2 == 1);
    uint64_t digits = at + up;
    if (digits <= below) digits = below + 1;
    if (digits > most) digits = most;
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

static const uint64_t whole_tens[] = {1u,
                                      10u,
                                      100u,
                                      1000u,
                                      10000u,
                                      100000u,
                                      1000000u,
                                      10000000u,
                                      100000000u,
                                      1000000000u,
                                      10000000000u,
                                      100000000000u,
                                      1000000000000u,
                                      10000000000000u,
                                      100000000000000u,
                                      1000000000000000u,
                                      10000000000000000u,
                                      100000000000000000u,
                                      1000000000000000000u};

static const double tens[] = {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2,
                              1e-1,  1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,   1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

/* Finds the k for which x * 10^k has 17 digits before the point; x = m * 2^e, 1e-10 <= x < 2^52.
 * The approximation 1233 / 4096 is slightly less than log10(2), so the guess is right or one too
 * low. */
static int decimal_scale(double x, int e) {
    int guess = (e + 52) * 1233 / 4096 - (e + 52 < 0);
    return 16 - guess - (x >= tens[guess + 11]);
}

/* x * 10^k with x = m * 2^e, in fixed point: `bits` of the integers are the fraction. */
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
    return range_shorten(&r, -k);
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

/* Returns a / b, which must be below 2^64, and leaves the remainder in a. The top bit of b's top
 * word is set, so each guess from the top words is close to the true quotient. */
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
    return range_shorten(&r, -k);
}

/* Finds the k for which x * 10^k has about 17 digits before the point, for very large or small x.
 * Approximates log10(2) by 1233 / 4096. */
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

static inline void put_pair(char *to, uint64_t value) {
    memcpy(to,
           &"00010203040506070809101112131415161718192021222324"
            "25262728293031323334353637383940414243444546474849"
            "50515253545556575859606162636465666768697071727374"
            "75767778798081828384858687888990919293949596979899"[2 * value],
           2);
}

/* A number below 10^8, with zeros in front. */
static inline char *put_eight(char *to, uint64_t value) {
    uint64_t high = value / 10000, low = value % 10000;
    put_pair(to, high / 100);
    put_pair(to + 2, high % 100);
    put_pair(to + 4, low / 100);
    put_pair(to + 6, low % 100);
    return to + 8;
}

#define EIGHT 100000000u

/* Writes the 16 digits after the first, without trailing zeros; returns their end. */
static inline char *put_rest(char *to, uint64_t rest) {
    to = put_eight(put_eight(to, rest / EIGHT), rest % EIGHT);
    while (to[-1] == '0') to--;
    return to;
}

/* Writes the first digit right before the point, or after `zeros` decimals. */
static char *put_fraction(char *to, uint64_t first, uint64_t rest, int zeros) {
    if (zeros >= 0) {
        memcpy(to, "0.000000", 8);
        to += 2 + zeros;
    }
    *to++ = (char)('0' + first);
    if (zeros < 0) *to++ = '.';
    if (rest > 0) return put_rest(to, rest);
    return zeros < 0 ? to - 1 : to;
}

/* `whole` digits stand before the point: two or more. */
static char *put_large(char *to, uint64_t first, uint64_t rest, int whole) {
    char digits[24];
    digits[0] = (char)('0' + first);
    int n = rest > 0 ? (int)(put_rest(digits + 1, rest) - digits) : 1;
    for (int i = 0; i < n || i < whole; i++) {
        if (i == whole) *to++ = '.';
        *to++ = i < n ? digits[i] : '0';
    }
    return to;
}

static char *put_scientific(char *to, uint64_t first, uint64_t rest, int whole) {
    unsigned exponent = (unsigned)(whole > 0 ? whole - 1 : 1 - whole);
    to = put_fraction(to, first, rest, -1);
    *to++ = 'e';
    if (whole <= 0) *to++ = '-';
    if (exponent >= 100) *to++ = (char)('0' + exponent / 100);
    if (exponent >= 10) *to++ = (char)('0' + exponent / 10 % 10);
    *to++ = (char)('0' + exponent % 10);
    return to;
}

/* 1 to 18 digits. */
static int count_digits(uint64_t value) {
    int n = (64 - __builtin_clzll(value)) * 1233 / 4096; /* right, or one too low */
    return n + (value >= whole_tens[n]);
}

static char *put_decimal(char *to, decimal d) {
    int n = count_digits(d.digits), whole = n + d.exponent;
    if (n == 18) d.digits /= 10; /* a rounded up 10^17: its last digit is a zero */
    uint64_t all = n < 17 ? d.digits * whole_tens[17 - n] : d.digits;
    uint64_t first = all / whole_tens[16], rest = all % whole_tens[16];
    if (whole > 17 || whole <= -7) return put_scientific(to, first, rest, whole);
    return whole > 1 ? put_large(to, first, rest, whole) : put_fraction(to, first, rest, -whole);
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
    if (is_short) return put_decimal(to, decimal_short(b, decimal_scale(x, b.e)));
    return put_decimal(to, decimal_long(b, decimal_scale_long(b)));
}

/* ---- for people ------------------------------------------------------------------------------ */

#define SHORT_DIGITS 6

static bool short_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Adds one to the digit at `last`, with carry back to `from`; returns false if all were nines. */
static bool short_round_up(char *from, char *last) {
    for (char *p = last; p >= from; p--) {
        if (!short_is_digit(*p)) continue;
        if (*p != '9') {
            ++*p;
            return true;
        }
        *p = '0';
    }
    return false;
}

/* Returns where to cut the digits that begin at `p`: after the sixth significant digit, and not
 * before the point. Returns `end` if there are fewer digits. */
static char *short_cut(char *p, char *end) {
    int n = 0;
    bool point = false;
    for (; p < end; p++) {
        if (n >= SHORT_DIGITS && point) return p;
        if (*p == '.') {
            if (n >= SHORT_DIGITS) return p;
            point = true;
        } else {
            n += n > 0 || *p != '0';
        }
    }
    return end;
}

/* Handles rounding up to a power of ten: adds a digit in front. With an exponent there is no room
 * for another digit, so the number is cut (9.99… stays) instead. */
static char *short_carry(char *from, char *cut, bool has_exponent) {
    if (has_exponent) {
        for (char *p = from; p < cut; p++) {
            if (short_is_digit(*p)) *p = '9';
        }
        return cut;
    }
    memmove(from + 1, from, (size_t)(cut - from));
    *from = '1';
    return cut + 1;
}

char *decimal_put_short(char *to, double x) {
    char *end = decimal_put(to, x), *from = to + (*to == '-'), *e = from;
    while (e < end && (short_is_digit(*e) || *e == '.')) e++;
    char *cut = short_cut(from, e);
    if (cut == e) return end;
    char next = *cut == '.' ? cut[1] : *cut;
    bool has_point = *cut != '.';
    if (next >= '5' && !short_round_up(from, cut - 1)) {
        cut = short_carry(from, cut, e < end);
    }
    while (has_point && cut[-1] == '0') cut--;
    if (has_point && cut[-1] == '.') cut--;
    memmove(cut, e, (size_t)(end - e));
    return cut + (end - e);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

_Static_assert(LODE_NUMBER_BYTES >= DECIMAL_BYTES, "");

size_t lode_json_number(char *to, double value) {
    const char *word = isnan(value) ? "null" : value > 0 ? "\"inf\"" : "\"-inf\"";
    if (!to) return 0;
    if (isfinite(value)) return (size_t)(decimal_put(to, value) - to);
    memcpy(to, word, strlen(word));
    return strlen(word);
}
