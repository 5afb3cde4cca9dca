/* date.c - see date.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/date.h"

#include <stdio.h>

/* Reads a number of `least` to `most` digits. */
static bool date_number(const char **p, const char *end, int least, int most, int *out) {
    int digits = 0;
    *out = 0;
    for (; *p < end && **p >= '0' && **p <= '9' && digits < most; ++*p, digits++) {
        *out = *out * 10 + (**p - '0');
    }
    return digits >= least;
}

static bool date_sign(const char **p, const char *end, char sign) {
    if (*p == end || **p != sign) return false;
    ++*p;
    return true;
}

/* Reads 8:26, 08:26:30 or 08:26:30.5Z; fractions of seconds and zones do not count. */
static bool date_time(const char *p, const char *end, int *seconds) {
    int hour, minute, second = 0, ignored;
    if (!date_number(&p, end, 1, 2, &hour) || !date_sign(&p, end, ':') ||
        !date_number(&p, end, 2, 2, &minute)) {
        return false;
    }
    if (date_sign(&p, end, ':')) {
        if (!date_number(&p, end, 2, 2, &second)) return false;
        if (date_sign(&p, end, '.') && !date_number(&p, end, 1, 9, &ignored)) return false;
    }
    if (!date_sign(&p, end, 'Z') && p < end && (*p == '+' || *p == '-')) {
        p++;
        if (!date_number(&p, end, 2, 2, &ignored)) return false;
        date_sign(&p, end, ':');
        if (!date_number(&p, end, 2, 2, &ignored)) return false;
    }
    *seconds = (hour * 60 + minute) * 60 + second;
    return p == end && hour < 24 && minute < 60 && second < 61;
}

/* Reads the day, and moves behind it. */
static bool date_day(const char **p, const char *end, int *year, int *month, int *day) {
    const char *start = *p;
    if (date_number(p, end, 4, 4, year) && *p < end && (**p == '-' || **p == '/')) {
        const char sign = *(*p)++;
        return date_number(p, end, 1, 2, month) && date_sign(p, end, sign) &&
               date_number(p, end, 1, 2, day);
    }
    *p = start;
    return date_number(p, end, 1, 2, day) && date_sign(p, end, '.') &&
           date_number(p, end, 1, 2, month) && date_sign(p, end, '.') &&
           date_number(p, end, 4, 4, year);
}

/* The last day of a month. */
static int date_last(int year, int month) {
    if (month != 2) return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
}

bool date_parse(const char *text, size_t n, int64_t *seconds) {
    const char *p = text, *end = text + n;
    int year, month, day, time = 0;
    if (n < 8 || *p < '0' || *p > '9') return false;
    if (!date_day(&p, end, &year, &month, &day)) return false;
    if (month < 1 || month > 12 || day < 1 || day > date_last(year, month)) return false;
    if (p < end && (*p == ' ' || *p == 'T')) {
        if (!date_time(p + 1, end, &time)) return false;
        p = end;
    }
    *seconds = ((int64_t)(year * 12 + month - 1) * 31 + day - 1) * DATE_DAY_SECONDS + time;
    return p == end;
}

void date_write(int64_t seconds, char out[DATE_BYTES]) {
    const int64_t days = seconds / DATE_DAY_SECONDS;
    const int64_t months = days / 31;
    snprintf(out, DATE_BYTES, "%04d-%02d-%02d", (int)(months / 12), (int)(months % 12) + 1,
             (int)(days % 31) + 1);
}
