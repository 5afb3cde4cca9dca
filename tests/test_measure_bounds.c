/* test_measure_bounds.c - the bounds of bound.h, compared with every table of a region
 *
 * For all totals up to 26 and all consequents, every rectangle of n11 and n10 is tried: no table of
 * the rectangle may have a better value than the corners that measures.def names. Larger totals are
 * tried at random, because some properties hold only for small tables. `test_measure_bounds --find`
 * prints for each measure which corners would be right.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "rules/measures/bound.h"
#include "rules/measures/measure.h"

#define LARGEST 26 /* total of which every rectangle is tried */
#define MASKS   16
#define NEARLY  1e-12

/* Values of a measure for one consequent: [n11][n10]. */
static double values[LARGEST + 1][LARGEST + 1];

static double value_at(size_t i, uint64_t n11, uint64_t n10, uint64_t rhs, uint64_t total) {
    lode_counts c = {n11, n11 + n10, rhs, total};
    return measure_value(i, &c);
}

static void fill_values(size_t i, unsigned rhs, unsigned total) {
    for (unsigned n11 = 0; n11 <= rhs; n11++) {
        for (unsigned n10 = 0; n10 <= total - rhs; n10++) {
            values[n11][n10] = value_at(i, n11, n10, rhs, total);
        }
    }
}

static bool same_or_beyond(double corner, double value, int direction) {
    if (isnan(corner) || corner == value) return true;
    double slack = NEARLY * fabs(value);
    return direction > 0 ? corner >= value - slack : corner <= value + slack;
}

/* Of the sets of corners in `good`, those that reach a value. */
static unsigned masks_left(unsigned good, const double corner[4], double value, int direction) {
    unsigned reach = 0;
    for (int k = 0; k < 4; k++) {
        if (same_or_beyond(corner[k], value, direction)) reach |= 1u << k;
    }
    unsigned left = 0;
    for (unsigned mask = 1; mask < MASKS; mask++) {
        if (mask & reach) left |= 1u << mask;
    }
    return good & left;
}

typedef struct extremes {
    double high, low;
} extremes;

static void add_row(extremes *e, unsigned least, unsigned most, unsigned n10) {
    for (unsigned n11 = least; n11 <= most; n11++) {
        double v = values[n11][n10];
        if (isnan(v)) continue;
        e->high = fmax(e->high, v);
        e->low = fmin(e->low, v);
    }
}

/* Takes away from good[0] (high) and good[1] (low) what fails for one consequent. */
static void try_rectangles(unsigned rhs, unsigned total, unsigned good[2]) {
    for (unsigned least = 1; least <= rhs; least++) {
        for (unsigned most = least; most <= rhs; most++) {
            extremes e = {-INFINITY, INFINITY};
            for (unsigned n10 = 0; n10 <= total - rhs; n10++) {
                add_row(&e, least, most, n10);
                if (e.high < e.low) continue;
                const double corner[4] = {values[least][0], values[most][0], values[least][n10],
                                          values[most][n10]};
                good[0] = masks_left(good[0], corner, e.high, 1);
                good[1] = masks_left(good[1], corner, e.low, -1);
            }
        }
    }
}

static void good_masks(size_t i, unsigned good[2]) {
    good[0] = good[1] = 0xfffe;
    for (unsigned total = 1; total <= LARGEST; total++) {
        for (unsigned rhs = 1; rhs <= total; rhs++) {
            fill_values(i, rhs, total);
            try_rectangles(rhs, total, good);
        }
    }
}

static void every_rectangle(void) {
    for (size_t i = 0; i < measure_count; i++) {
        const measure_row *row = &measure_table[i];
        if (!row->of) continue;
        unsigned good[2];
        good_masks(i, good);
        bool right =
            (!row->high || good[0] >> row->high & 1) && (!row->low || good[1] >> row->low & 1);
        if (!CHECK(right)) fprintf(stderr, "  %s\n", row->shown.name);
    }
}

/* The fewest corners that are enough; 0 = all four are not. */
static unsigned best_mask(unsigned good) {
    unsigned best = 0;
    for (unsigned mask = 1; mask < MASKS; mask++) {
        if (!(good >> mask & 1)) continue;
        if (!best || __builtin_popcount(mask) < __builtin_popcount(best)) best = mask;
    }
    return best;
}

static void find_masks(void) {
    for (size_t i = 0; i < measure_count; i++) {
        unsigned good[2];
        if (!measure_table[i].of) continue;
        good_masks(i, good);
        printf("%-22s high %2u (here %2u)  low %2u (here %2u)\n", measure_table[i].shown.name,
               best_mask(good[0]), measure_table[i].high, best_mask(good[1]), measure_table[i].low);
    }
}

static uint64_t up_to(rng *random, uint64_t most) {
    return rng_below(random, most + 1);
}

/* A region within `total` transactions; half of them are small, or thin. */
static bound_region random_region(rng *random, uint64_t largest) {
    bound_region r;
    r.total = 2 + up_to(random, largest - 2);
    r.rhs = 1 + up_to(random, r.total - 1);
    r.both = 1 + up_to(random, r.rhs - 1);
    r.least = 1 + up_to(random, r.both - 1);
    uint64_t alone = up_to(random, r.total - r.rhs);
    if (up_to(random, 1)) alone %= 30;
    if (up_to(random, 1) && r.both > 20) r.least = r.both - up_to(random, 20);
    r.lhs = r.both + alone;
    return r;
}

/* The value of a table of the region, often on its edge. */
static double random_value(rng *random, size_t i, const bound_region *r) {
    uint64_t n11 = r->least + up_to(random, r->both - r->least);
    uint64_t n10 = up_to(random, r->lhs - r->both);
    switch (up_to(random, 5)) {
    case 0: n10 = 0; break;
    case 1: n10 = r->lhs - r->both; break;
    case 2: n11 = r->least; break;
    case 3: n11 = r->both; break;
    default: break;
    }
    return value_at(i, n11, n10, r->rhs, r->total);
}

/* A bound that a table of the region meets is never given up. */
static void random_regions(void) {
    const uint64_t totals[] = {30, 60, 300, 5000, 1000000, 1000000000000};
    rng random = rng_make(5, 1);
    for (size_t i = 0; i < measure_count; i++) {
        if (!measure_can_prune(i, 1) && !measure_can_prune(i, -1)) continue;
        for (unsigned k = 0; k < 1500; k++) {
            bound_region r = random_region(&random, totals[k % 6]);
            for (int times = 0; times < 12; times++) {
                double v = random_value(&random, i, &r);
                if (isnan(v)) continue;
                bool may = measure_may_reach(i, &r, 1, v) && measure_may_reach(i, &r, -1, v);
                if (!CHECK(may)) fprintf(stderr, "  %s\n", measure_table[i].shown.name);
            }
        }
    }
}

/* No rule below the threshold of a consequent meets the bound, and one at the threshold does. */
static void thresholds_of_consequents(void) {
    rng random = rng_make(6, 1);
    for (size_t i = 0; i < measure_count; i++) {
        for (unsigned k = 0; k < 400 && measure_can_prune(i, 1); k++) {
            int direction = measure_table[i].shown.better < 0 ? -1 : 1;
            bound_region r = random_region(&random, 5000);
            double v = random_value(&random, i, &r);
            if (isnan(v)) continue;
            uint64_t both = measure_least_both(i, r.rhs, r.total, direction, v);
            CHECK(both >= 1 && both <= r.both);
            bound_region below = {r.rhs, r.total, 1, both - 1, r.total - r.rhs + both - 1};
            if (!CHECK(!measure_may_reach(i, &below, direction, v))) {
                fprintf(stderr, "  %s\n", measure_table[i].shown.name);
            }
        }
    }
}

static size_t number_of(const char *name) {
    size_t i = 0;
    if (!lode_measure_find(name, &i)) exit(2);
    return i;
}

/* And one that none can meet is. */
static void prunes(void) {
    bound_region r = {.rhs = 50, .total = 100, .least = 5, .both = 10, .lhs = 40};
    CHECK(!measure_may_reach(number_of("lift"), &r, 1, 2.1));
    CHECK(measure_may_reach(number_of("lift"), &r, 1, 2.0));
    CHECK(!measure_may_reach(number_of("leverage"), &r, 1, 0.051));
    CHECK(measure_may_reach(number_of("leverage"), &r, 1, 0.05));
    CHECK(!measure_may_reach(number_of("fisher"), &r, -1, 1e-4));
    CHECK(measure_may_reach(number_of("fisher"), &r, -1, 1e-3));
    CHECK(!measure_may_reach(number_of("jaccard"), &r, 1, 0.21));
    CHECK(!measure_may_reach(number_of("chiSquared"), &r, 1, 50.0));
    CHECK(!measure_may_reach(number_of("confidence"), &r, -1, 0.1));
    CHECK(!measure_may_reach(number_of("support"), &r, 1, 0.11));
    CHECK(measure_may_reach(number_of("conviction"), &r, 1, INFINITY));
    CHECK(measure_may_reach(number_of("hyperLift"), &r, 1, 1e9)); /* nothing is known */
    CHECK(measure_may_reach(number_of("boost"), &r, 1, 1e9));
    CHECK(measure_may_reach(SIZE_MAX, &r, 1, 1e9) && !measure_can_prune(SIZE_MAX, 1));
    CHECK_EQUAL(measure_least_both(number_of("support"), 50, 100, 1, 0.2), 20);
    CHECK_EQUAL(measure_least_both(number_of("leverage"), 50, 100, 1, 0.2), 40);
    CHECK_EQUAL(measure_least_both(number_of("lift"), 50, 100, 1, 2.1), 51);
    CHECK_EQUAL(measure_least_both(number_of("fisher"), 50, 100, -1, 0.26), 2);
    CHECK_EQUAL(measure_least_both(number_of("chiSquared"), 50, 100, 1, 99.0), 1);
    r.least = 11;
    CHECK(!measure_may_reach(number_of("hyperLift"), &r, 1, 0));
}

int main(void) {
    if (check_argument && strcmp(check_argument, "--find") == 0) {
        find_masks();
        return 0;
    }
    CHECK_RUN(every_rectangle);
    CHECK_RUN(random_regions);
    CHECK_RUN(thresholds_of_consequents);
    CHECK_RUN(prunes);
    return check_result();
}
