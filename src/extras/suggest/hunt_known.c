/* hunt_known.c - what has been found out about a curve, and what follows from it; see hunt_parts.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/hunt_parts.h"

#include <math.h>

#include "extras/suggest/support_levels.h"

#define HUNT_NEAR 1.5 /* times the number known is near enough to the one wanted */

uint64_t hunt_curve_end(const hunt *h) {
    if (h->part.tally.counts) return h->part.min_count;
    return h->whole.tally.counts ? h->whole.min_count : 0;
}

uint64_t hunt_lowest(const hunt *h) {
    uint64_t end = hunt_curve_end(h);
    return end > 0 && end <= h->too_low ? h->too_low + 1 : end;
}

const hunt_point *hunt_spot(const hunt *h, uint64_t min_count) {
    for (uint32_t i = 0; i < h->n_spots; i++) {
        if (h->spots[i].min_count == min_count) return &h->spots[i];
    }
    return NULL;
}

uint64_t hunt_spot_below(const hunt *h, uint64_t min_count) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < h->n_spots; i++) {
        uint64_t at = h->spots[i].min_count;
        if (at < min_count && at > found) found = at;
    }
    return found;
}

/* What is known to be there is part of an estimate from parts. */
static estimate hunt_above_floor(const hunt *h, uint64_t min_count, estimate e) {
    double least = min_count <= h->floor.min_count ? h->floor.e.n : 0;
    if (e.low < least) e.low = least;
    if (e.n < least) e.n = least;
    if (e.high < e.n) e.high = e.n;
    return e;
}

bool hunt_look_up(const hunt *h, uint64_t min_count, estimate *out) {
    bool rules = h->target == LODE_SUGGEST_RULES;
    const hunt_point *spot = hunt_spot(h, min_count);
    if (h->known.min_count == min_count && min_count > 0 && !rules) {
        *out = (estimate){h->known.n, h->known.n, h->known.n, true};
    } else if (h->whole.tally.counts && min_count >= h->whole.min_count) {
        *out = probe_estimate(&h->whole, NULL, min_count);
    } else if (spot) {
        *out = spot->e;
    } else if (h->part.tally.counts && min_count >= h->part.min_count) {
        *out = hunt_above_floor(h, min_count, probe_estimate(&h->part, &h->known, min_count));
    } else {
        return false;
    }
    return true;
}

double hunt_expected(const hunt *h, uint64_t min_count) {
    estimate e;
    return hunt_look_up(h, min_count, &e) ? e.n : 0;
}

/* The lowest level that can be asked for. */
static uint32_t hunt_first_level(const hunt *h) {
    return level_above(hunt_lowest(h));
}

uint32_t hunt_level_of(const hunt *h, double n) {
    uint32_t low = hunt_first_level(h), high = level_of(h->most) + 1;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (hunt_expected(h, level_support(middle)) >= n) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

double hunt_slope(const hunt *h, uint64_t lowest) {
    double n = hunt_expected(h, lowest);
    uint64_t above = level_support(hunt_level_of(h, n / 3));
    double fewer = hunt_expected(h, above), slope;
    if (above <= lowest || fewer <= 0 || n <= 0) return 1;
    slope = log(n / fewer) / log((double)above / (double)lowest);
    return slope > 0.3 ? slope : 0.3;
}

/* Beyond the end of the curve: as if it went on in the same direction. The interval goes from the
 * last number that is known to twice the slope. */
static estimate hunt_guess(const hunt *h, uint64_t min_count) {
    uint64_t lowest = hunt_lowest(h);
    estimate e;
    if (!hunt_look_up(h, lowest, &e)) return (estimate){0};
    double grows = pow((double)lowest / (double)min_count, hunt_slope(h, lowest));
    const hunt_point *below = hunt_spot(h, hunt_spot_below(h, min_count));
    e = (estimate){e.n * grows, e.low, e.high * grows * grows, false};
    if (below && e.high < below->e.n) e.high = below->e.n;
    return hunt_above_floor(h, min_count, e);
}

/* Rules at a point of the curve, by the probe that knew most of them. */
static bool hunt_recall(const hunt *h, uint64_t min_count, estimate *out) {
    for (uint32_t i = 0; i < h->n_rules; i++) {
        if (h->rules[i].min_count != min_count) continue;
        *out = h->rules[i].e;
        return true;
    }
    return false;
}

bool hunt_number(const hunt *h, uint64_t min_count, estimate *out) {
    if (hunt_recall(h, min_count, out) || hunt_look_up(h, min_count, out)) return true;
    if (hunt_lowest(h) == 0 || min_count == 0) return false;
    *out = hunt_guess(h, min_count);
    return out->n > 0;
}

/* The threshold below the end of the curve at which the number that is wanted may be. */
static uint64_t hunt_guess_answer(const hunt *h, uint64_t lowest, double n) {
    double at = (double)lowest * pow(n / h->want, 1 / hunt_slope(h, lowest));
    if (at < (double)h->too_low + 1) at = (double)h->too_low + 1;
    return at > 1 ? (uint64_t)at : 1;
}

/* The answer by the curve alone. */
static uint64_t hunt_curve_answer(const hunt *h, uint64_t lowest) {
    estimate e = {0};
    double last = hunt_look_up(h, lowest, &e) ? e.n : 0;
    bool may_be = last * HUNT_BEYOND > h->want && e.high > h->want;
    bool ended = lowest == h->too_low + 1 || (h->ended && lowest == hunt_curve_end(h)) || may_be;
    if (lowest > 1 && !ended && last > 0 && last * HUNT_NEAR < h->want) {
        return hunt_guess_answer(h, lowest, last);
    }
    uint64_t reached = level_support(hunt_level_of(h, h->want));
    uint64_t above = level_support(level_of(reached) + 1);
    double n = hunt_expected(h, reached), fewer = hunt_expected(h, above);
    return n < h->want || fewer <= 0 || n / h->want < h->want / fewer ? reached : above;
}

/* By how much a number is away from the one wanted, as a logarithm. */
static double hunt_off(const hunt *h, const estimate *e) {
    return e->n > 0 ? fabs(log(e->n / h->want)) : INFINITY;
}

uint64_t hunt_answer(const hunt *h) {
    uint64_t lowest = hunt_lowest(h);
    estimate e;
    if (lowest == 0) return 0;
    uint64_t best = hunt_curve_answer(h, lowest);
    double off = hunt_number(h, best, &e) ? hunt_off(h, &e) : INFINITY;
    for (uint32_t i = 0; i < h->n_spots; i++) {
        const hunt_point *spot = &h->spots[i];
        bool only_least = !spot->e.exact && spot->e.low >= spot->e.n;
        if (spot->min_count >= lowest || only_least || hunt_off(h, &spot->e) >= off) continue;
        best = spot->min_count;
        off = hunt_off(h, &spot->e);
    }
    return best;
}
