/* figures.c - see figures.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/figures.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *figure_count(uint64_t value, char text[FIGURE_BYTES]) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), k = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = 0;
    return text;
}

const char *figure_bytes(uint64_t bytes, char text[FIGURE_BYTES]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double scaled = (double)bytes;
    for (; scaled >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) scaled /= 1024;
    snprintf(text, FIGURE_BYTES, unit ? "%.1f %s" : "%.0f %s", scaled, units[unit]);
    return text;
}

/* Nearly all is not all: as many decimals as tell it from 100. */
static void figure_nearly_all(double percent, char text[FIGURE_BYTES]) {
    double tenth = 0.1;
    for (int decimals = 1; decimals <= 3; decimals++, tenth /= 10) {
        snprintf(text, FIGURE_BYTES, "%.*f", decimals, percent);
        if (percent < 100 - tenth / 2) return;
    }
    snprintf(text, FIGURE_BYTES, "above 99.999");
}

const char *figure_percent(double share, char text[FIGURE_BYTES]) {
    double percent = 100 * share;
    if (percent > 0 && percent < 0.001) {
        snprintf(text, FIGURE_BYTES, "below 0.001");
    } else if (share < 1 && percent >= 99.5) {
        figure_nearly_all(percent, text);
    } else { /* two digits, or all digits of a whole number: not 1e+02 */
        snprintf(text, FIGURE_BYTES, percent < 9.95 ? "%.2g" : "%.0f", percent);
    }
    return text;
}

/* ---- a text in an array, to which more is appended as long as there is room ------------------ */

bool append_text(char *text, size_t room, const char *format, ...) {
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + n, room - n, format, args);
    va_end(args);
    bool fits = more >= 0 && (size_t)more < room - n;
    if (!fits) text[n] = 0;
    return fits;
}
