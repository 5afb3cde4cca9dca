/* row_advice.c - see row_advice.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/row_advice.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ADVICE_BYTES 160 /* bytes of a part of a message */

/* Finds a word between blanks, in upper or lower case. */
static const char *rows_word(const char *text, size_t n, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 1; i + length <= n; i++) {
        if (text[i - 1] != ' ' || strncasecmp(text + i, word, length) != 0) continue;
        if (i + length == n || text[i + length] == ' ') return text + i;
    }
    return NULL;
}

static bool rows_compares(const char *text, const char *end) {
    for (; text < end; text++) {
        if (memchr("=<>", *text, 3)) return true;
    }
    return false;
}

bool rows_is_double(const char *value, size_t n) {
    static const char *const words[] = {"and", "or", "&&", "||"};
    const char *end = value + n, *comma = memchr(value, ',', n), *word;
    for (unsigned i = 0; i < 4; i++) {
        word = rows_word(value, n, words[i]);
        if (word && rows_compares(word, end)) return true;
    }
    return comma && rows_compares(comma, end);
}

static size_t rows_span(const char *text, size_t n, const char *characters) {
    size_t i = 0;
    while (i < n && text[i] && strchr(characters, text[i])) i++;
    return i;
}

/* What is wrong with a value that should be a number or a date. */
static void rows_blame_value(const char *value, size_t n, char out[ADVICE_BYTES]) {
    size_t digits = rows_span(value, n, "0123456789"), dated = rows_span(value, n, "0123456789/-.");
    bool figures = false, letters = false;
    for (size_t i = 0; i < n; i++) {
        figures |= value[i] >= '0' && value[i] <= '9';
        letters |= (value[i] | 32) >= 'a' && (value[i] | 32) <= 'z';
    }
    const char *text;
    if (n == 0) {
        text = "a number or a date is missing after the comparison";
    } else if (digits == 4 && dated == 7 && dated == n) {
        text = "the date has no day; write it as YYYY-MM-DD, such as 2011-01-01";
    } else if (digits == 4 && dated >= 8 && value[4] != '.') {
        text = "this day or time does not exist; write dates as YYYY-MM-DD, such as 2011-02-28";
    } else if (digits > 0 && digits <= 2 && digits < n && strchr("/-.", value[digits]) &&
               dated >= 6 && rows_span(value + digits + 1, n - digits - 1, "0123456789") <= 2) {
        text = "write dates as YYYY-MM-DD, such as 2011-01-02; days and months are written in "
               "different orders";
    } else if (figures && !letters) {
        text = "write the number without signs for thousands or currency, such as 1500 or 0.5";
    } else {
        text = "<, <=, > and >= expect a number, such as 0.5, or a date, such as 2011-06-01";
    }
    snprintf(out, ADVICE_BYTES, "%s", text);
}

/* Rewrites "Invoice LIKE 'C%'" as "Invoice=C*". */
static void rows_unlike(const char *text, const char *like, const char *end,
                        char out[ADVICE_BYTES]) {
    const char *value = like + 4, *name = like;
    size_t n = 0;
    while (name > text && name[-1] == ' ') name--;
    bool not = name - text > 4 && strncasecmp(name - 4, " not", 4) == 0;
    if (not ) name -= 4;
    n = (size_t)snprintf(out, ADVICE_BYTES / 2, "write %.*s%s=", (int)(name - text), text,
                         not ? "!" : "");
    if (n >= ADVICE_BYTES / 2) n = ADVICE_BYTES / 2 - 1;
    while (value < end && *value == ' ') value++;
    for (; value < end && n + 1 < ADVICE_BYTES; value++) {
        if (*value == '\'' || *value == '"') continue;
        out[n++] = *value == '%' ? '*' : *value == '_' ? '?' : *value;
    }
    out[n] = 0;
}

/* What is wrong with a text without a comparison. */
static void rows_blame_text(const char *text, size_t n, char out[ADVICE_BYTES]) {
    const char *end = text + n, *like = rows_word(text, n, "like"), *is = rows_word(text, n, "is");
    if (like) {
        rows_unlike(text, like, end, out);
        return;
    }
    if (is && rows_word(text, n, "null")) {
        const bool not = rows_word(text, n, "not") != NULL;
        snprintf(out, ADVICE_BYTES, "write %.*s%s, which holds if the cell is %sempty",
                 (int)(is - text - 1 < 60 ? is - text - 1 : 60), text, not ? "!=" : "=",
                 not ? "not " : "");
        return;
    }
    snprintf(out, ADVICE_BYTES,
             "it has no column or no comparison; write the condition in quotes, such as "
             "'Status=cancelled', 'Invoice=C*' or 'Quantity<=0'");
}

lode_status rows_advise(lode_job *job, const char *text, size_t n, const char *value,
                        size_t n_value) {
    char what[ADVICE_BYTES];
    const char *twice = memchr(text, '=', n);
    if (value && rows_is_double(value, n_value)) {
        snprintf(what, sizeof what,
                 "two conditions; repeat --drop-rows for each (rows that meet any of them are left "
                 "out), or write a text in quotes");
    } else if (value && n_value > 0 && value[-1] == '<' && *value == '>') {
        snprintf(what, sizeof what, "write != instead of <>");
    } else if (twice && twice > text && twice + 1 < text + n && twice[1] == '=') {
        return job_fail(job, LODE_INVALID,
                        "--drop-rows: '%.*s' has two equals signs; write %.*s%.*s", (int)n, text,
                        (int)(twice - text), text, (int)(text + n - twice - 1), twice + 1);
    } else if (value) {
        rows_blame_value(value, n_value, what);
    } else {
        rows_blame_text(text, n, what);
    }
    return job_fail(job, LODE_INVALID, "--drop-rows: '%.*s': %s", (int)n, text, what);
}
