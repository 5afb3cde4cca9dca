/* bound.c - see bound.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/bound.h"

#include <math.h>

#include "rules/measures/measure.h"

#define BOUND_SLACK   1e-9 /* p-values at two corners may be wrong by some 10^-12 of themselves */
#define BOUND_CORNERS 4

static unsigned corners_of(size_t measure, int direction) {
    if (measure >= measure_count || !measure_table[measure].of) return 0;
    return direction > 0 ? measure_table[measure].high : measure_table[measure].low;
}

bool measure_can_prune(size_t measure, int direction) {
    return corners_of(measure, direction) != 0;
}

static lode_counts corner_counts(const bound_region *r, int corner) {
    uint64_t both = corner & 1 ? r->both : r->least;
    uint64_t alone = corner & 2 ? r->lhs - r->both : 0;
    return (lode_counts){both, both + alone, r->rhs, r->total};
}

/* A corner without a value says nothing of its neighbours. */
static bool corner_reaches(double value, int direction, double bound) {
    double slack = BOUND_SLACK * fabs(bound);
    if (isnan(value)) return true;
    if (isinf(bound)) return measure_reaches(value, bound, direction);
    return direction > 0 ? value >= bound - slack : value <= bound + slack;
}

bool measure_may_reach(size_t measure, const bound_region *region, int direction, double bound) {
    if (region->least > region->both) return false;
    unsigned corners = corners_of(measure, direction);
    if (corners == 0 || region->least == 0) return true;
    for (int corner = 0; corner < BOUND_CORNERS; corner++) {
        if (!(corners & 1u << corner)) continue;
        lode_counts counts = corner_counts(region, corner);
        if (corner_reaches(measure_value(measure, &counts), direction, bound)) return true;
    }
    return false;
}

/* If a measure is best at MOST_NONE alone, the best antecedent never occurs without the consequent,
 * and such an antecedent is the better the more often it occurs. */
uint64_t measure_least_both(size_t measure, uint64_t rhs, uint64_t total, int direction,
                            double bound) {
    if (corners_of(measure, direction) != BOUND_MOST_NONE) return 1;
    uint64_t low = 1, high = rhs + 1;
    while (low < high) {
        uint64_t both = low + (high - low) / 2;
        lode_counts best = {both, both, rhs, total};
        if (corner_reaches(measure_value(measure, &best), direction, bound)) {
            high = both;
        } else {
            low = both + 1;
        }
    }
    return low;
}
