/* reals.h - reads and writes decimal numbers, whatever the locale
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_REALS_H
#define LODE_RESULTS_STORE_REALS_H

#include <stdbool.h>
#include <stddef.h>

#define REALS_BYTES 40

/* Parses all of n bytes: "1.5", "-2e-3", "12%", "inf". False: not a number. */
bool reals_read(const char *text, size_t n, double *out);

/* Writes a number, with a closing zero: with this many digits or, for 0, the shortest that reads
 * back the same. "inf", "-inf" and "nan" are possible. Returns its length. */
size_t reals_put(char text[REALS_BYTES], double value, int digits);

#endif
