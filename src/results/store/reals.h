/* reals.h - numbers with a point as text, whatever the country's habits are
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_REALS_H
#define LODE_RESULTS_STORE_REALS_H

#include <stdbool.h>
#include <stddef.h>

#define REALS_BYTES 40

/* Reads all of n bytes: "1.5", "-2e-3", "12%", "inf". False: they are something else. */
bool reals_read(const char *text, size_t n, double *out);

/* Writes a number, with a closing zero: with so many digits or, for 0, as few as tell it from all
 * others. "inf", "-inf" and "nan" where it is none. Returns its length. */
size_t reals_put(char text[REALS_BYTES], double value, int digits);

#endif
