/* fmath.h - the logarithm, the same to the last bit on every machine
 *
 * The mathematics libraries of systems differ, and generated data must not. This uses only + - * /
 * on doubles, which IEEE 754 defines exactly, without contraction (see CMakeLists.txt).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_FMATH_H
#define LODE_BASE_FMATH_H

/* Natural logarithm of a positive normal number; within 2 units of the last place. */
double fmath_log(double x);

#endif
