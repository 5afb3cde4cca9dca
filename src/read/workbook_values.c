/* workbook_values.c - see workbook_values.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/workbook_values.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_DIGITS   15        /* any decimal number of so few digits survives as a double */
#define VALUE_PLAIN    21        /* numbers below 10^21 are written without an exponent */
#define VALUE_TINY     (-7)      /* and so are those from 10^-7 on */
#define VALUE_DAY_MOST 2958466.0 /* the day after 9999-12-31 */
#define VALUE_SECONDS  86400

static bool value_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* ---- formats --------------------------------------------------------------------------------- */

/* Formats that are not listed in the file, some of them only in East Asian versions of Excel. */
value_kind value_of_builtin(unsigned number) {
    static const struct {
        unsigned char from, to, kind;
    } ranges[] = {{14, 17, VALUE_DAY},  {18, 21, VALUE_TIME},  {22, 22, VALUE_BOTH},
                  {27, 31, VALUE_DAY},  {32, 35, VALUE_TIME},  {36, 36, VALUE_DAY},
                  {45, 45, VALUE_TIME}, {46, 46, VALUE_HOURS}, {47, 47, VALUE_TIME},
                  {50, 58, VALUE_DAY}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (number >= ranges[i].from && number <= ranges[i].to) return ranges[i].kind;
    }
    return VALUE_NUMBER;
}

/* Passes what a format code shows as it is: "text", \c, _c, *c. Returns the next place. */
static const char *value_pass_text(const char *p) {
    if (*p == '"') {
        const char *end = strchr(p + 1, '"');
        return end ? end + 1 : p + strlen(p);
    }
    return p[1] ? p + 2 : p + 1;
}

/* Passes [Red], [$-409] or [h]. Returns the next place; *hours if it is [h] or [mm]. */
static const char *value_pass_bracket(const char *p, bool *hours) {
    const char *end = strchr(p, ']');
    size_t n = end ? (size_t)(end - p) - 1 : 0;
    if (n > 0 && strspn(p + 1, "hHmMsS") == n) *hours = true;
    return end ? end + 1 : p + strlen(p);
}

/* Only the first section counts, which is that of positive numbers. */
value_kind value_of_code(const char *code) {
    bool day = false, time = false, month = false, hours = false;
    for (const char *p = code; *p && *p != ';';) {
        if (strchr("\"\\_*", *p)) {
            p = value_pass_text(p);
        } else if (*p == '[') {
            p = value_pass_bracket(p, &hours);
        } else if (strncmp(p, "General", 7) == 0) {
            p += 7;
        } else {
            day = day || strchr("yYdDeE", *p) != NULL;
            time = time || strchr("hHsS", *p) != NULL;
            month = month || strchr("mM", *p) != NULL;
            if (strchr("eE", *p) && (p[1] == '+' || p[1] == '-')) return VALUE_NUMBER; /* 0.0E+00 */
            p++;
        }
    }
    if (hours) return VALUE_HOURS;
    if (day) return time ? VALUE_BOTH : VALUE_DAY;
    return time ? VALUE_TIME : month ? VALUE_DAY : VALUE_NUMBER;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Copies a plain number of few digits, as most are, without zeros at its end; 0 = it is another. */
static size_t value_copy(char to[VALUE_BYTES], const char *text, size_t n) {
    size_t at = n > 0 && text[0] == '-', digits = 0, point = 0;
    bool leads = n > at + 1 && text[at] == '0' && text[at + 1] != '.'; /* 007 */
    if (leads) return 0;
    for (size_t i = at; i < n; i++) {
        if (text[i] == '.' && point == 0 && i > at && i + 1 < n) {
            point = i;
        } else if (value_is_digit(text[i])) {
            digits++;
        } else {
            return 0;
        }
    }
    if (digits == 0 || digits > VALUE_DIGITS) return 0;
    while (point > 0 && text[n - 1] == '0') n--;
    if (point > 0 && n == point + 1) n = point;
    if (at == 1 && n == 2 && text[1] == '0') text++, n = 1; /* -0 */
    memcpy(to, text, n);
    return n;
}

/* Reads a number; the C library's functions expect the decimal point of the locale. */
static bool value_parse(const char *text, size_t n, double *out) {
    char copy[VALUE_BYTES], half[8];
    char *end;
    if (n == 0 || n >= sizeof copy) return false;
    snprintf(half, sizeof half, "%.1f", 0.5);
    for (size_t i = 0; i < n; i++) {
        if (!value_is_digit(text[i]) && !strchr("+-.eE", text[i])) return false;
        copy[i] = text[i] == '.' ? half[1] : text[i];
    }
    copy[n] = 0;
    *out = strtod(copy, &end);
    return end == copy + n && isfinite(*out);
}

/* Finds the shortest digits that are read as the same number d.ddd * 10^exponent, which is not
 * negative. Numbers below the least normal one have fewer digits than others. */
static size_t value_shorten(double value, char digits[20], int *exponent) {
    char text[40];
    size_t n = 0;
    for (int places = value < DBL_MIN ? 0 : VALUE_DIGITS - 1; places < 17; places++) {
        snprintf(text, sizeof text, "%.*e", places, value);
        if (strtod(text, NULL) == value) break;
    }
    char *e = strchr(text, 'e');
    *exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    for (const char *p = text; p < e; p++) {
        if (value_is_digit(*p)) digits[n++] = *p;
    }
    while (n > 1 && digits[n - 1] == '0') n--;
    return n;
}

static size_t value_write_number(char to[VALUE_BYTES], double value) {
    char digits[20];
    int exponent;
    size_t at = 0, n = value_shorten(fabs(value), digits, &exponent);
    if (value < 0) to[at++] = '-';
    bool plain = exponent >= VALUE_TINY && exponent < VALUE_PLAIN;
    int before = plain ? exponent + 1 : 1; /* digits before the point */
    if (before <= 0) {
        to[at++] = '0';
        to[at++] = '.';
        for (int i = before; i < 0; i++) to[at++] = '0';
    }
    for (int i = 0; i < (int)n || i < before; i++) {
        if (i == before && before > 0) to[at++] = '.';
        to[at++] = i < (int)n ? digits[i] : '0';
    }
    int n_more = plain ? 0 : snprintf(to + at, VALUE_BYTES - at, "e%+d", exponent);
    return at + (size_t)n_more;
}

/* ---- dates ----------------------------------------------------------------------------------- */

/* Writes a day, counted from 1970-01-01 as day 0 of the proleptic Gregorian calendar. The year is
 * taken to begin in March, so that the day that is sometimes missing is its last. */
static size_t value_write_day(char to[VALUE_BYTES], int64_t day) {
    int64_t shifted = day + 719468; /* days since 0000-03-01 */
    int64_t era = shifted / 146097, of_era = shifted % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    int date = (int)(of_year - (153 * month + 2) / 5 + 1);
    int number = (int)(month < 10 ? month + 3 : month - 9);
    return (size_t)snprintf(to, VALUE_BYTES, "%04d-%02d-%02d",
                            (int)(year + era * 400 + (number <= 2)), number, date);
}

/* Excel's days from 1900 contain a 29 February 1900, which there was not. */
static size_t value_write_serial(char to[VALUE_BYTES], int64_t day, bool from_1904) {
    if (from_1904) return value_write_day(to, day - 24107);
    if (day == 60) return (size_t)snprintf(to, VALUE_BYTES, "1900-02-29");
    return value_write_day(to, day - (day < 60 ? 25568 : 25569));
}

/* *n is 0 if the number is no date, such as a negative one. */
static size_t value_write_date(char to[VALUE_BYTES], double value, value_kind kind,
                               bool from_1904) {
    size_t at = 0;
    if (!(value >= 0 && value < VALUE_DAY_MOST)) return 0;
    int64_t seconds = (int64_t)(value * VALUE_SECONDS + 0.5);
    int64_t day = seconds / VALUE_SECONDS, hour = seconds / 3600;
    bool no_day = day == 0 && !from_1904;
    if (kind == VALUE_DAY && no_day) return 0;
    if (kind == VALUE_DAY) return value_write_serial(to, (int64_t)value, from_1904);
    if (kind == VALUE_BOTH && !no_day) {
        at = value_write_serial(to, day, from_1904);
        to[at++] = 'T';
    }
    if (kind != VALUE_HOURS) hour %= 24;
    int n = snprintf(to + at, VALUE_BYTES - at, "%02d:%02d:%02d", (int)hour,
                     (int)(seconds / 60 % 60), (int)(seconds % 60));
    return at + (size_t)n;
}

size_t value_write(char to[VALUE_BYTES], const char *text, size_t n, value_kind kind,
                   bool from_1904) {
    double value;
    if (kind == VALUE_NUMBER) {
        size_t copied = value_copy(to, text, n);
        if (copied > 0) return copied;
    }
    if (!value_parse(text, n, &value)) return 0;
    size_t written = kind == VALUE_NUMBER ? 0 : value_write_date(to, value, kind, from_1904);
    return written > 0 ? written : value_write_number(to, value);
}
