/* reals.h - reads and writes decimal numbers, whatever the locale
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_REALS_H
#define LODE_BASE_REALS_H

#include <stdbool.h>
#include <stddef.h>

#define REALS_BYTES 40

/* Parses n bytes, such as "1.5", "-2e-3", "12%" or "inf". Returns false if they are not a
 * number. */
bool reals_read(const char *text, size_t n, double *out);

/* Writes a number with a closing zero, and returns its length. The text has `digits` digits or, if
 * `digits` is 0, is the shortest text that reads back as the same number. The text may be "inf",
 * "-inf" or "nan". */
size_t reals_put(char text[REALS_BYTES], double value, int digits);

#endif
