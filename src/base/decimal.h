/* decimal.h - the shortest decimal text that reads back as the same double
 *
 * What:  0.1 is "0.1", 1/3 is "0.3333333333333333". Of several shortest texts, the nearest one. No
 *        exponent from 1e-7 to below 1e17. Infinity is "inf", NaN is "nan".
 * Why:   printf depends on the locale, and writes 17 digits where two are enough.
 * How:   every number nearer to x than to its neighbours is read as x. The bounds of this interval
 *        are computed exactly, as integers, and digits are dropped from the end as long as a number
 *        of the interval remains. From 1e-10 to 2^52 the integers have 128 bits; elsewhere, for
 *        example for tiny p-values, they are longer, and it takes a microsecond.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_DECIMAL_H
#define LODE_BASE_DECIMAL_H

#define DECIMAL_BYTES 48 /* most bytes that decimal_put() may write to */

/* Writes the text, without a closing zero; returns its end. */
char *decimal_put(char *to, double x);

/* The same, rounded to six digits for display. Whole numbers keep all digits. */
char *decimal_put_short(char *to, double x);

#endif
