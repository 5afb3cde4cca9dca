/* fmath.c - see fmath.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fmath.h"

#include <stdint.h>
#include <string.h>

#define FMATH_LN2_HIGH   0x1.62e42fee00000p-1 /* few bits, so that exponent * this is exact */
#define FMATH_LN2_LOW    0x1.a39ef35793c76p-33
#define FMATH_SQRT2      0x1.6a09e667f3bcdp+0
#define FMATH_FRACTION   0x000fffffffffffffu
#define FMATH_ONE        0x3ff0000000000000u
#define FMATH_LAST_POWER 23

/* x = 2^e * m with m near 1, and log m = 2 atanh(f) = 2 (f + f^3/3 + f^5/5 + …), f = (m-1)/(m+1).
 * Since |f| <= 0.172, the first omitted term is below 2^-63. */
double fmath_log(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & FMATH_FRACTION) | FMATH_ONE;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > FMATH_SQRT2) {
        m *= 0.5;
        exponent++;
    }
    double f = (m - 1.0) / (m + 1.0);
    double square = f * f;
    double series = 0.0;
    for (int power = FMATH_LAST_POWER; power >= 3; power -= 2) {
        series = (series + 1.0 / power) * square;
    }
    double e = exponent;
    return e * FMATH_LN2_HIGH + (2.0 * f + (2.0 * f * series + e * FMATH_LN2_LOW));
}
