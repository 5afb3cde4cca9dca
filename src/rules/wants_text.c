/* wants_text.c - see wants_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/wants_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/nearest.h"

#define TEXT_NAME_BYTES 64
#define TEXT_MEASURES   128 /* more than there are */
#define TEXT_DIGITS     18
#define TEXT_EXPONENT   400

/* ---- names ---------------------------------------------------------------------------------- */

static lode_status text_unknown(lode_job *job, const char *option, const char *name) {
    const char *names[TEXT_MEASURES];
    char list[JOB_MESSAGE_BYTES - 200] = "", hint[NEAREST_BYTES + 32];
    size_t n = 0;
    lode_measure m = {.size = sizeof m};
    for (; n < TEXT_MEASURES && lode_measure_at(n, &m); n++) {
        names[n] = m.name;
        append_text(list, sizeof list, "%s%s", n ? ", " : "", m.name);
    }
    return job_fail(job, LODE_INVALID, "%s: there is no measure '%s'; %sexpected one of %s", option,
                    name, nearest_hint(hint, name, names, n), list);
}

lode_status wants_text_measure(lode_job *job, const char *option, const char *text, size_t n,
                               size_t *measure) {
    char name[TEXT_NAME_BYTES];
    size_t kept = n < sizeof name - 1 ? n : sizeof name - 1;
    memcpy(name, text, kept);
    name[kept] = 0;
    if (kept == n && lode_measure_find(name, measure)) return LODE_OK;
    return text_unknown(job, option, name);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool text_is(const char *p, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - p) == n && strncmp(p, word, n) == 0;
}

static bool text_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Digits and a point; digits beyond what a number holds only count for its size. */
static const char *text_digits(const char *p, const char *end, uint64_t *digits, int *scale) {
    bool point = false, any = false;
    unsigned used = 0;
    for (; p < end && (text_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (used < TEXT_DIGITS) {
            *digits = *digits * 10 + (uint64_t)(*p - '0');
            used += *digits > 0;
            *scale -= point;
        } else {
            *scale += !point;
        }
    }
    return any ? p : NULL;
}

static const char *text_exponent(const char *p, const char *end, int *scale) {
    int exponent = 0;
    if (p == end || (*p != 'e' && *p != 'E')) return p;
    bool negative = ++p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !text_digit(*p)) return NULL;
    for (; p < end && text_digit(*p); p++) {
        if (exponent < TEXT_EXPONENT) exponent = exponent * 10 + (*p - '0');
    }
    *scale += negative ? -exponent : exponent;
    return p;
}

/* Exact for what people write: a few digits, and a power of ten that a double holds. */
static double text_scale(uint64_t digits, int scale) {
    long double value = (long double)digits, ten = 1;
    for (int i = scale < 0 ? -scale : scale; i > 0; i--) ten *= 10;
    return (double)(scale < 0 ? value / ten : value * ten);
}

bool wants_text_number(const char *text, size_t n, double *value) {
    const char *p = text, *end = text + n;
    uint64_t digits = 0;
    int scale = 0;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (text_is(p, end, "inf")) {
        *value = negative ? -INFINITY : INFINITY;
        return true;
    }
    p = text_digits(p, end, &digits, &scale);
    if (p) p = text_exponent(p, end, &scale);
    if (p && p + 1 == end && *p == '%') {
        scale -= 2;
        p++;
    }
    if (p != end || !p) return false;
    double read = text_scale(digits, scale);
    *value = negative ? -read : read;
    return true;
}

lode_status wants_text_bound(lode_job *job, const char *option, const char *text, size_t n,
                             size_t *measure, double *value) {
    const char *end = text + n, *sign = memchr(text, '=', n);
    if (!sign) {
        return job_fail(job, LODE_INVALID,
                        "%s: '%.*s': expected a measure and a value, as lift=1.5", option, (int)n,
                        text);
    }
    const char *name_end = sign, *number = sign + 1;
    while (name_end > text && name_end[-1] == ' ') name_end--;
    while (number < end && *number == ' ') number++;
    while (end > number && end[-1] == ' ') end--;
    lode_status status = wants_text_measure(job, option, text, (size_t)(name_end - text), measure);
    if (status != LODE_OK) return status;
    if (wants_text_number(number, (size_t)(end - number), value)) return LODE_OK;
    return job_fail(job, LODE_INVALID, "%s: '%.*s': expected a number after the =, as in lift=1.5",
                    option, (int)n, text);
}
