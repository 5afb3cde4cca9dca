/* fmath.h - the logarithm, the same to the last bit on every machine
 *
 * Generated data must be the same everywhere, but mathematics libraries differ in the last bits. So
 * this code uses only + - * / on doubles, which IEEE 754 defines exactly. The compiler must not
 * fuse these operations (see CMakeLists.txt).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_FMATH_H
#define LODE_BASE_FMATH_H

/* Returns the natural logarithm of x, which must be positive and normal. The error is at most 2
 * units in the last place. */
double fmath_log(double x);

#endif
