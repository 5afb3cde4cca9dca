/* reals.c - see reals.h
 *
 * The C library reads and writes the decimal point of the process's locale, which the program
 * controls. So texts are translated: from a point to the locale's separator, and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/reals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

static size_t reals_digits(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') i++;
    return i;
}

/* Returns the length of a number such as "-12.5e-3" at the start of a text; 0 if there is none.
 * Sets *point to its decimal point, or to the end of the integer part. */
static size_t reals_span(const char *text, size_t n, size_t *point) {
    size_t i = n > 0 && (text[0] == '-' || text[0] == '+');
    size_t whole = reals_digits(text + i, n - i), part = 0;
    i += whole;
    *point = i;
    if (i < n && text[i] == '.') {
        part = reals_digits(text + i + 1, n - i - 1);
        i += 1 + part;
    }
    if (whole + part == 0) return 0;
    if (i + 1 < n && (text[i] == 'e' || text[i] == 'E')) {
        size_t sign = text[i + 1] == '-' || text[i + 1] == '+';
        size_t power = reals_digits(text + i + 1 + sign, n - i - 1 - sign);
        if (power > 0) i += 1 + sign + power;
    }
    return i;
}

/* What the locale has for a point: the text between the digits of 1.5. */
static size_t reals_locale_point(char out[REALS_BYTES]) {
    int n = snprintf(out, REALS_BYTES, "%.1f", 1.5);
    size_t bytes = n > 2 && n < REALS_BYTES ? (size_t)n - 2 : 0;
    memmove(out, out + 1, bytes);
    return bytes;
}

static bool reals_read_infinity(const char *text, size_t n, double *out) {
    bool negative = n > 0 && text[0] == '-';
    if (n - negative != 3 || memcmp(text + negative, "inf", 3) != 0) return false;
    *out = negative ? -INFINITY : INFINITY;
    return true;
}

bool reals_read(const char *text, size_t n, double *out) {
    char copy[256], point[REALS_BYTES];
    size_t at, used = reals_span(text, n, &at);
    bool percent = used > 0 && used + 1 == n && text[used] == '%';
    if (used == 0 || used + percent != n) return reals_read_infinity(text, n, out);
    size_t point_bytes = reals_locale_point(point), k = 0;
    if (used + point_bytes >= sizeof copy) return false;
    memcpy(copy, text, at);
    k = at;
    if (at < used && text[at] == '.') {
        memcpy(copy + k, point, point_bytes);
        k += point_bytes;
        at++;
    }
    memcpy(copy + k, text + at, used - at);
    copy[k + used - at] = 0;
    *out = strtod(copy, NULL) / (percent ? 100 : 1);
    return true;
}

/* Makes a point of whatever the locale has put there. */
static size_t reals_set_point(char *text) {
    static const char known[] = "+-0123456789e";
    size_t start = strspn(text, known), n = strlen(text);
    if (start == n) return n;
    size_t end = start;
    while (end < n && !strchr(known, text[end])) end++;
    text[start] = '.';
    memmove(text + start + 1, text + end, n - end + 1);
    return n - (end - start) + 1;
}

size_t reals_put(char text[REALS_BYTES], double value, int digits) {
    if (isnan(value) || isinf(value)) {
        const char *word = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
        memcpy(text, word, strlen(word) + 1);
        return strlen(word);
    }
    if (digits > 0) {
        snprintf(text, REALS_BYTES, "%.*g", digits, value);
        return reals_set_point(text);
    }
    char *end = decimal_put(text, value);
    *end = 0;
    return (size_t)(end - text);
}
