/* options_get.c - returns the value of an option as text; setting the option to this text gives the
 * same value
 *
 * Numbers are not written with %f, which depends on the locale.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "api/options_table.h"
#include "base/figures.h"
#include "pipeline/engine/targets.h"

#define GET_BYTES 64 /* of a value that is not kept as text */

static void get_number(char *text, uint64_t value) {
    if (value > 0) snprintf(text, GET_BYTES, "%llu", (unsigned long long)value);
}

/* number / 10^scale, without zeros at its end. */
static void get_decimal(char *text, uint64_t number, int scale, const char *unit) {
    while (scale > 0 && number % 10 == 0) {
        number /= 10;
        scale--;
    }
    uint64_t parts = 1;
    for (int i = 0; i < scale; i++) parts *= 10;
    snprintf(text, GET_BYTES, "%llu", (unsigned long long)(number / parts));
    if (scale > 0) {
        append_text(text, GET_BYTES, ".%0*llu", scale, (unsigned long long)(number % parts));
    }
    append_text(text, GET_BYTES, "%s", unit);
}

/* A share as lode_threshold_parse() makes it: the denominator is a power of ten. */
static void get_threshold(char *text, lode_threshold t) {
    int scale = -2; /* of percents */
    if (t.denominator == 0) {
        get_number(text, t.numerator);
        return;
    }
    for (uint64_t d = t.denominator; d >= 10; d /= 10) scale++;
    for (; scale < 0; scale++) t.numerator *= 10;
    get_decimal(text, t.numerator, scale, "%");
}

/* The largest unit that divides it. */
static void get_bytes(char *text, uint64_t bytes) {
    static const char *const units[] = {"", "K", "M", "G", "T"};
    size_t unit = 0;
    if (bytes == 0) return;
    for (; bytes % 1024 == 0 && unit < 4; unit++) bytes /= 1024;
    snprintf(text, GET_BYTES, "%llu%s", (unsigned long long)bytes, units[unit]);
}

/* The shortest text, in seconds if possible, that is read as the same number. */
static void get_seconds(char *text, double seconds) {
    static const char *const names[] = {"", "m", "h"};
    static const double units[] = {1, 60, 3600};
    if (!(seconds > 0)) return;
    for (int i = 0; i < 3; i++) {
        double value = seconds / units[i], parts = 1, read = 0;
        for (int scale = 0; value * parts < 1e18 && scale < 18; scale++, parts *= 10) {
            get_decimal(text, (uint64_t)(value * parts + 0.5), scale, names[i]);
            if (option_seconds(text, &read) && read == seconds) return;
        }
    }
}

static void get_target(char *text, lode_target target, uint64_t top_k) {
    if (target == LODE_TARGET_TOP) {
        snprintf(text, GET_BYTES, "top:%llu", (unsigned long long)top_k);
    } else {
        snprintf(text, GET_BYTES, "%s", target_words[target].name);
    }
}

static void get_separator(char *text, char separator) {
    if (separator == '\t') {
        snprintf(text, GET_BYTES, "tab");
    } else {
        snprintf(text, GET_BYTES, "%c", separator);
    }
}

static void get_bits(char *text, const char *const *words, unsigned bits) {
    text[0] = 0;
    for (unsigned i = 0; words[i]; i++) {
        if (bits >> i & 1) append_text(text, GET_BYTES, "%s%s", text[0] ? "," : "", words[i]);
    }
}

/* The value of a field that is not itself a text. */
static void get_field(const option_row *row, const lode_options *options, char *text) {
    const void *field = (const char *)options + row->offset;
    uint64_t number = 0;
    unsigned choice = 0;
    text[0] = 0;
    switch (row->kind) {
    case KIND_SWITCH:
        snprintf(text, GET_BYTES, "%s", *(const bool *)field ? "true" : "false");
        break;
    case KIND_COUNT32: get_number(text, *(const uint32_t *)field); break;
    case KIND_MOST:
        get_number(text, *(const uint32_t *)field);
        if (*(const uint32_t *)field == UINT32_MAX) snprintf(text, GET_BYTES, "any");
        break;
    case KIND_THREADS: get_number(text, *(const unsigned *)field); break;
    case KIND_COUNT64: get_number(text, *(const uint64_t *)field); break;
    case KIND_SHARE: {
        const uint32_t *share = field;
        snprintf(text, GET_BYTES, "%u/%u", share[0], share[1]);
        break;
    }
    case KIND_EPSILON:
        memcpy(&number, field, sizeof number);
        get_number(text, number);
        if (number == UINT64_MAX) snprintf(text, GET_BYTES, "unlimited");
        break;
    case KIND_ROWS:
        memcpy(&number, field, sizeof number);
        get_number(text, number);
        if (number == UINT64_MAX) snprintf(text, GET_BYTES, "all");
        break;
    case KIND_BYTES: get_bytes(text, *(const uint64_t *)field); break;
    case KIND_MEMORY:
        snprintf(text, GET_BYTES, "unlimited");
        get_bytes(text, *(const uint64_t *)field); /* if it is not */
        break;
    case KIND_RATIO:
        if (((const lode_threshold *)field)->denominator) {
            get_threshold(text, *(const lode_threshold *)field);
        }
        break;
    case KIND_REAL: get_seconds(text, *(const double *)field); break;
    case KIND_SECONDS: get_seconds(text, *(const double *)field); break;
    case KIND_THRESHOLD: get_threshold(text, *(const lode_threshold *)field); break;
    case KIND_TARGET: get_target(text, options->mine.target, options->mine.top_k); break;
    case KIND_GRAPH_TARGET: get_target(text, options->graph.target, options->graph.top_k); break;
    case KIND_SUGGEST_TARGETS:
        get_bits(text, option_words(row->kind), *(const unsigned *)field);
        break;
    case KIND_SIGNIFICANCE:
        snprintf(text, GET_BYTES, "%s", option_words(row->kind)[options->classes.by]);
        if (options->classes.permutations > 0) {
            append_text(text, GET_BYTES, "=%llu",
                        (unsigned long long)options->classes.permutations);
        }
        break;
    case KIND_SEPARATOR: get_separator(text, *(const char *)field); break;
    default: /* an enum, whose words come in its order */
        memcpy(&choice, field, sizeof choice);
        snprintf(text, GET_BYTES, "%s", option_words(row->kind)[choice]);
    }
}

size_t lode_options_get_in(const lode_options *options, unsigned groups, const char *name,
                           char *buffer, size_t buffer_bytes) {
    const option_row *row = options && name ? option_find(groups, name) : NULL;
    char text[GET_BYTES] = "";
    const char *value = text;
    if (row && option_is_text(row->kind)) {
        const char *kept = options->texts[row - option_table];
        if (kept) value = kept;
    } else if (row) {
        get_field(row, options, text);
    }
    size_t n = strlen(value);
    if (buffer && buffer_bytes > 0) {
        size_t fits = n < buffer_bytes ? n : buffer_bytes - 1;
        memcpy(buffer, value, fits);
        buffer[fits] = 0;
    }
    return n;
}

size_t lode_options_get(const lode_options *options, const char *name, char *buffer,
                        size_t buffer_bytes) {
    return lode_options_get_in(options, UINT_MAX, name, buffer, buffer_bytes);
}
