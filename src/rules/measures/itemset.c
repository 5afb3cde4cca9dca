/* itemset.c - measures of itemsets: lift, leverage, all-confidence
 *
 * For a set of k items with the support c, whose items have the supports c1 … ck, let
 *
 *     A = c n^(k - 1)      B = c1 c2 … ck
 *
 * Then lift is A / B, and leverage is (A - B) / n^k. Both products are computed with 106 bits and
 * an exponent of their own, so that they are exact for small sets and never overflow, and so that
 * the difference of nearly equal products has all its digits. The factors are multiplied in
 * ascending order: the value is the same, to the last bit, in whichever order a search has found
 * the items. For sets of two items, lift and leverage are those of the rule between the items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "rules/measures/exact.h"
#include "rules/measures/measure.h"

/* ---- the table ------------------------------------------------------------------------------ */

enum { ITEMSET_LIFT, ITEMSET_LEVERAGE, ITEMSET_ALL_CONFIDENCE, ITEMSET_MEASURES };

static const lode_measure itemset_table[ITEMSET_MEASURES] = {
    [ITEMSET_LIFT] = {sizeof(lode_measure), "lift", "interest", "c n^(k - 1) / (c1 c2 … ck)",
                      "how many times more often the items occur together than if they were "
                      "independent",
                      "none", 0, INFINITY, 1, 1, LODE_NEEDS_COUNTS},
    [ITEMSET_LEVERAGE] = {sizeof(lode_measure), "leverage", "PS piatetsky_shapiro",
                          "c / n - (c1 / n) (c2 / n) … (ck / n)",
                          "support minus the support expected if the items were independent",
                          "none", -0.36787944117144233, 1, 0, 1, LODE_NEEDS_COUNTS},
    [ITEMSET_ALL_CONFIDENCE] = {sizeof(lode_measure), "allConfidence", "hConfidence",
                                "c / max(c1, c2, …, ck)",
                                "lowest confidence of all rules that the items of the set can form",
                                "none", 0, 1, NAN, 1, LODE_NEEDS_COUNTS},
};

bool lode_itemset_measure_at(size_t i, lode_measure *out) {
    return sized_fill(out, i < ITEMSET_MEASURES ? &itemset_table[i] : NULL);
}

bool lode_itemset_measure_find(const char *name, size_t *i) {
    for (size_t k = 0; k < ITEMSET_MEASURES; k++) {
        if (!measure_has_name(&itemset_table[k], name)) continue;
        if (i) *i = k;
        return true;
    }
    return false;
}

/* ---- numbers with 106 bits ------------------------------------------------------------------ */

/* (high + low) 2^exponent, with 0.5 <= high < 1 and |low| at most half a unit of high; or 0. */
typedef struct wide {
    double high, low;
    int64_t exponent;
} wide;

#define DOUBLE_EXPONENT 52    /* where the bits of a double's exponent begin */
#define DOUBLE_BIAS     1022  /* the exponent of numbers from 0.5 to 1 */
#define DOUBLE_MOST     0x7ff /* the exponent of what is no number */

static double double_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* frexp() and ldexp() are slow, and millions of sets have a value. Ordinary numbers are scaled by a
 * power of two instead, which gives the same bits. */
static wide wide_normal(double high, double low, int64_t exponent) {
    int shift;
    uint64_t bits;
    double sum = high + low;
    low -= sum - high;
    memcpy(&bits, &sum, sizeof bits);
    shift = (int)(bits >> DOUBLE_EXPONENT & DOUBLE_MOST) - DOUBLE_BIAS;
    if (shift <= -DOUBLE_BIAS / 2 || shift >= DOUBLE_BIAS / 2) { /* 0, too */
        high = frexp(sum, &shift);
        return (wide){high, ldexp(low, -shift), exponent + shift};
    }
    double scale = double_of_bits((uint64_t)(DOUBLE_BIAS + 1 - shift) << DOUBLE_EXPONENT);
    return (wide){sum * scale, low * scale, exponent + shift};
}

static wide wide_of(uint64_t x) {
    double high = (double)x; /* at most 2^62 */
    return wide_normal(high, (double)(int64_t)(x - (uint64_t)high), 0);
}

static wide wide_times(wide a, wide b) {
    double product = a.high * b.high;
    double rest = fma(a.high, b.high, -product);
    rest += a.high * b.low + a.low * b.high;
    return wide_normal(product, rest, a.exponent + b.exponent);
}

/* Moves the point. Beyond the range of a double, it is 0 or infinite. */
static double wide_shift(double x, int64_t exponent) {
    if (exponent > 4096) exponent = 4096;
    if (exponent < -4096) exponent = -4096;
    return ldexp(x, (int)exponent);
}

static wide wide_minus(wide a, wide b) {
    int64_t exponent = a.exponent > b.exponent ? a.exponent : b.exponent;
    double x = wide_shift(a.high, a.exponent - exponent);
    double y = -wide_shift(b.high, b.exponent - exponent);
    double sum = x + y, back = sum - x;
    double rest = (x - (sum - back)) + (y - back); /* what the sum has lost */
    rest += wide_shift(a.low, a.exponent - exponent) - wide_shift(b.low, b.exponent - exponent);
    return wide_normal(sum, rest, exponent);
}

static double wide_ratio(wide a, wide b) {
    double quotient = a.high / b.high;
    double rest = fma(-quotient, b.high, a.high) + (a.low - quotient * b.low);
    return wide_shift(quotient + rest / b.high, a.exponent - b.exponent);
}

/* ---- values --------------------------------------------------------------------------------- */

#define ITEMSET_SHORT 32 /* items of a set that are sorted on the stack */

/* The product of the supports of a short set, in ascending order. */
static wide itemset_short_product(const uint64_t *supports, size_t n) {
    uint64_t sorted[ITEMSET_SHORT];
    wide product = wide_of(1);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1] > supports[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = supports[i];
    }
    for (size_t i = 0; i < n; i++) product = wide_times(product, wide_of(sorted[i]));
    return product;
}

/* The product of the supports, in ascending order. None is 0. */
static wide itemset_product(const uint64_t *supports, size_t n) {
    if (n <= ITEMSET_SHORT) return itemset_short_product(supports, n);
    wide product = wide_of(1);
    uint64_t done = 0;
    for (size_t left = n; left > 0;) {
        uint64_t next = UINT64_MAX;
        size_t times = 0;
        for (size_t i = 0; i < n; i++) {
            if (supports[i] <= done || supports[i] > next) continue;
            times = supports[i] < next ? 1 : times + 1;
            next = supports[i];
        }
        left -= times;
        for (; times > 0; times--) product = wide_times(product, wide_of(next));
        done = next;
    }
    return product;
}

static wide itemset_power(uint64_t total, size_t n) {
    wide power = wide_of(1), factor = wide_of(total);
    for (; n > 0; n--) power = wide_times(power, factor);
    return power;
}

double lode_itemset_measure_value(size_t i, const uint64_t *item_supports, size_t n_items,
                                  uint64_t support, uint64_t total) {
    uint64_t least = UINT64_MAX, most = 0;
    if (i >= ITEMSET_MEASURES || !item_supports || n_items == 0) return NAN;
    for (size_t k = 0; k < n_items; k++) {
        if (item_supports[k] < least) least = item_supports[k];
        if (item_supports[k] > most) most = item_supports[k];
    }
    if (total == 0 || total > EXACT_MOST || most > total || support > least) return NAN;
    if (i == ITEMSET_ALL_CONFIDENCE) return exact_ratio(support, most); /* 0 / 0: NaN */
    if (least == 0) return i == ITEMSET_LEVERAGE ? 0 : NAN;
    wide alone = itemset_product(item_supports, n_items);
    wide together = wide_times(itemset_power(total, n_items - 1), wide_of(support));
    if (i == ITEMSET_LIFT) return wide_ratio(together, alone);
    return wide_ratio(wide_minus(together, alone), itemset_power(total, n_items));
}
