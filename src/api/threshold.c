/* threshold.c - turns the text of a support into an exact count, without floating point
 *
 * "0.28" of 25 transactions is 7, not 7.000000000000001 as in binary floating point, which rounded
 * up is 8. So the digits become a numerator over a power of ten, and the count is one division of
 * integers, rounded up.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "lode.h"

#define MAX_DIGITS 18 /* a numerator and a denominator of 10^18 fit 64 bits */

typedef struct decimal {
    uint64_t digits;
    int scale; /* value = digits / 10^scale */
} decimal;

static bool decimal_digit(decimal *d, char c, unsigned *used) {
    if (d->digits == 0 && c == '0') return true; /* leading zeros cost nothing */
    if (++*used > MAX_DIGITS) return false;
    d->digits = d->digits * 10 + (uint64_t)(c - '0');
    return true;
}

/* Reads 12, 0.5, .5, 1e-3; returns the end, or NULL. */
static const char *decimal_read(const char *p, decimal *out) {
    decimal d = {0, 0};
    unsigned used = 0, seen = 0;
    for (; *p >= '0' && *p <= '9'; p++, seen++) {
        if (!decimal_digit(&d, *p, &used)) return NULL;
    }
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9'; p++, seen++, d.scale++) {
            if (!decimal_digit(&d, *p, &used)) return NULL;
        }
    }
    if (seen == 0) return NULL;
    if (*p == 'e' || *p == 'E') {
        bool negative = p[1] == '-';
        p += 1 + (p[1] == '-' || p[1] == '+');
        int exponent = 0;
        if (*p < '0' || *p > '9') return NULL;
        for (; *p >= '0' && *p <= '9' && exponent < 100; p++) exponent = exponent * 10 + (*p - '0');
        d.scale += negative ? exponent : -exponent;
    }
    *out = d;
    return p;
}

/* Removes factors of ten that numerator and denominator share, and a negative scale. */
static bool decimal_normalise(decimal *d) {
    while (d->scale > 0 && d->digits % 10 == 0 && d->digits > 0) {
        d->digits /= 10;
        d->scale--;
    }
    while (d->scale < 0) {
        if (d->digits > UINT64_MAX / 10) return false;
        d->digits *= 10;
        d->scale++;
    }
    return d->scale <= MAX_DIGITS;
}

static uint64_t power_of_ten(int n) {
    uint64_t value = 1;
    while (n-- > 0) value *= 10;
    return value;
}

static lode_status refuse(char *message, size_t bytes, const char *text, const char *what) {
    if (message && bytes > 0) snprintf(message, bytes, "'%s': %s", text, what);
    return LODE_INVALID;
}

lode_status lode_threshold_parse(const char *text, lode_threshold *out, char *message,
                                 size_t message_bytes) {
    decimal d;
    if (!text || !out)
        return refuse(message, message_bytes, text ? text : "", "an argument is NULL");
    const char *end = decimal_read(text, &d);
    if (!end && strspn(text, "0123456789.") > MAX_DIGITS) {
        return refuse(message, message_bytes, text, "too many digits; at most 18 are supported");
    }
    if (strchr(text, ',')) {
        return refuse(message, message_bytes, text,
                      "use a decimal point, and no commas, as in 0.5% or 1000");
    }
    bool percent = end && *end == '%';
    if (!end || end[percent] != 0) {
        return refuse(message, message_bytes, text,
                      "expected a share such as 1% or 0.01, or a count such as 250");
    }
    if (d.digits == 0)
        return refuse(message, message_bytes, text, "the support must be above zero");
    if (percent) d.scale += 2;
    if (!decimal_normalise(&d))
        return refuse(message, message_bytes, text, "too many digits; at most 18 are supported");

    uint64_t denominator = power_of_ten(d.scale);
    if (percent || d.digits < denominator) { /* a ratio */
        if (d.digits > denominator) {
            return refuse(message, message_bytes, text, "a share above 100% can never be reached");
        }
        *out = (lode_threshold){d.digits, denominator};
        return LODE_OK;
    }
    if (d.scale > 0) {
        return refuse(message, message_bytes, text,
                      "a count must be a whole number; for a percentage, add the % sign");
    }
    if (d.digits == 1 && strchr(text, '.')) { /* ambiguous: a share or a count */
        return refuse(message, message_bytes, text,
                      "write 1 for a count of 1, or 100% for a share");
    }
    *out = (lode_threshold){d.digits, 0};
    return LODE_OK;
}

uint64_t lode_threshold_count(lode_threshold t, uint64_t n) {
    if (t.denominator == 0) return t.numerator > 0 ? t.numerator : 1;
    unsigned __int128 product = (unsigned __int128)t.numerator * n;
    uint64_t count = (uint64_t)((product + t.denominator - 1) / t.denominator);
    return count > 0 ? count : 1;
}
