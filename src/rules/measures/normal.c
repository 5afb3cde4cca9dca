/* normal.c - see normal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/normal.h"

#include <math.h>

#define NORMAL_PI    3.14159265358979323846
#define NORMAL_FAR   800.0 /* from this x on, the series is exact to the last bit */
#define NORMAL_TERMS 12
#define NORMAL_STEPS 60
#define NORMAL_CLOSE 1e-15

/* P = erfc(√(x / 2)). Far out, with z² = x / 2,
 *     erfc(z) = exp(-z²) / (z √π) (1 - 1/(2z²) + 1·3/(2z²)² - …),   2z² = x. */
double normal_log_chi_p(double x) {
    if (x < NORMAL_FAR) return log(erfc(sqrt(x / 2.0)));
    if (isinf(x)) return -INFINITY;
    double term = 1.0, sum = 0.0;
    for (int k = 1; k <= NORMAL_TERMS; k++) {
        term *= -(2.0 * k - 1.0) / x;
        sum += term;
    }
    return -x / 2.0 - 0.5 * log(x / 2.0 * NORMAL_PI) + log1p(sum);
}

/* Newton's method for log P(X >= z²) = log(1 - level): that function bends downwards all the way,
 * so that the first step goes beyond the solution, and the others come back without passing it. */
double normal_within(double level) {
    double want = log1p(-level), z = 0.0;
    for (int step = 0; step < NORMAL_STEPS; step++) {
        double at = normal_log_chi_p(z * z);
        double slope = -sqrt(2.0 / NORMAL_PI) * exp(-z * z / 2.0 - at);
        double move = (want - at) / slope;
        z += move;
        if (fabs(move) <= NORMAL_CLOSE * z) break;
    }
    return z;
}
