/* decimal.h - the shortest decimal text that is read as the same double
 *
 * What:  0.1 is "0.1", 1/3 is "0.3333333333333333". Of several shortest texts, the one that is
 *        nearest. From 1e-7 on and below 1e17 without an exponent. Infinity is "inf", what is not a
 *        number is "nan".
 * Why:   printf writes by the habits of the country, and takes 17 digits where two are enough.
 * How:   x has neighbours; every number nearer to x than to them is read as x. The bounds of this
 *        interval are computed exactly, as integers, and digits are cut from the end as long as
 *        something is left within. From 1e-10 to 2^52 the integers have 128 bits; elsewhere, where
 *        tiny p-values are, they are longer, and it takes a microsecond.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_DECIMAL_H
#define LODE_BASE_DECIMAL_H

#define DECIMAL_BYTES 48 /* that decimal_put() may touch */

/* Writes the text, without a closing zero; returns its end. */
char *decimal_put(char *to, double x);

/* The same, rounded to six digits: for people. Whole numbers keep all of theirs. */
char *decimal_put_short(char *to, double x);

#endif
