/* decimal.h - the shortest decimal text that reads back as the same double
 *
 * What:  0.1 is written as "0.1", and 1/3 as "0.3333333333333333". If there are several shortest
 *        texts, the one nearest to the number is written. Numbers from 1e-7 to below 1e17 are
 *        written without an exponent. Infinity is written as "inf", and NaN as "nan".
 * Why:   printf depends on the locale, and writes 17 digits where two are enough.
 * How:   every number nearer to x than to the neighbouring doubles is read as x. The bounds of this
 *        interval are computed exactly, as integers, and digits are dropped from the end as long as
 *        the result lies in the interval. For numbers from 1e-10 to 2^52, the integers have 128
 *        bits. For other numbers, such as tiny p-values, the integers are longer, and the
 *        conversion takes a microsecond.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_DECIMAL_H
#define LODE_BASE_DECIMAL_H

#define DECIMAL_BYTES 48 /* the maximum number of bytes that decimal_put() writes */

/* Writes the text, without a terminating zero, and returns the end of the text. */
char *decimal_put(char *to, double x);

/* Does the same with the number rounded to six digits, for display. Whole numbers keep all
 * digits. */
char *decimal_put_short(char *to, double x);

#endif
