/* hunt.c - see hunt.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "suggest/hunt.h"

#include <math.h>

#include "base/os.h"
#include "suggest/draws.h"
#include "suggest/heads.h"
#include "suggest/long_set.h"
#include "suggest/support_levels.h"

#define HUNT_BEYOND     3.0  /* times the number wanted: more is of no interest */
#define HUNT_FAR        30.0 /* times the number wanted: not worth counting */
#define HUNT_STEP       3.5  /* by which the threshold falls at most */
#define HUNT_LOW        64   /* below this threshold, numbers may grow all of a sudden: … */
#define HUNT_STEP_LOW   2.0  /* … smaller steps */
#define HUNT_PARTS      16   /* parts that are searched at least, … */
#define HUNT_MOST_PARTS 1024 /* … of so many at most */
#define HUNT_SOME       0.125 /* the share that is enough on the way down, unless all is cheap: … */
#define HUNT_LEAST      ((double)HUNT_PARTS / HUNT_MOST_PARTS)
#define HUNT_SCOUT      0.06 /* … it takes at most this share of the time left */
#define HUNT_WHOLE      0.15 /* … or everything, if that takes at most this share */
#define HUNT_FIRST      200  /* frequent items to begin with, at most */
#define HUNT_ROOTS      300  /* frequent items from which on parts are told by the first alone */
#define HUNT_FEW_ROOTS  48   /* … of which so many are searched at least */
#define HUNT_THIN       40   /* … if fewer than one in so many pairs of item and basket occurs */
#define HUNT_DEEPER     32   /* by which the data are prepared for a lower threshold, … */
#define HUNT_CHEAP      0.02 /* seconds that are not worth a probe */
#define HUNT_OVERSHOOT  1.2  /* times the number wanted, to aim at: the next step shall pass it */
#define HUNT_GROWTH     0.9  /* costs grow by this power of the number of patterns, at most … */
#define HUNT_SHRINK     0.4  /* … and at least; … */
#define HUNT_FUTURE     0.75 /* … in the long run */
#define HUNT_PLAIN      0.5  /* of the cost: counting without telling supports apart */
#define HUNT_NEAR       1.5  /* times the number known is near enough to the one wanted */
#define HUNT_TRIES      3    /* that improve an answer */
#define HUNT_RISK       0.5  /* share of the time left that a probe on the way down may take */
#define HUNT_HOPE                                                                                  \
    2.0              /* times the time left, up to which a whole count is tried, if few branches
                              * seem to have most of the patterns */
#define HUNT_TRY 0.6 /* share of the time left that each of them may take */
#define HUNT_WHOLE_THIN                                                                            \
    0.35 /* on thin data, whole counts are preferred: the share that one may take */
#define HUNT_RISK_THIN 0.42 /* … on thin data, so that there is time for whole counts */
#define HUNT_LOOKS     0.07 /* share of all time for looking for long sets on the way down */
#define HUNT_RESERVE   0.04 /* seconds for a last look at long baskets */
#define HUNT_MANY      4.0  /* times the number wanted is too many for certain */
#define HUNT_SUBSETS   64   /* of a long set, from which its rules are estimated */
#define HUNT_DRAWN     1    /* the highest threshold for which sets are drawn from baskets */
#define HUNT_GLANCE    0.25 /* of the effort for rules, far from the number wanted */

/* ---- what is known --------------------------------------------------------------------------- */

/* The lowest threshold of the probes. */
static uint64_t hunt_curve_end(const hunt *h) {
    if (h->part.tally.counts) return h->part.min_count;
    return h->whole.tally.counts ? h->whole.min_count : 0;
}

uint64_t hunt_lowest(const hunt *h) {
    uint64_t end = hunt_curve_end(h);
    return end > 0 && end <= h->too_low ? h->too_low + 1 : end;
}

static const hunt_point *hunt_spot(const hunt *h, uint64_t min_count) {
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

/* As hunt_number(), within what is known. */
static bool hunt_look_up(const hunt *h, uint64_t min_count, estimate *out) {
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

static double hunt_expected(const hunt *h, uint64_t min_count) {
    estimate e;
    return hunt_look_up(h, min_count, &e) ? e.n : 0;
}

/* The lowest level that can be asked for. */
static uint32_t hunt_first_level(const hunt *h) {
    return level_above(hunt_lowest(h));
}

/* The highest level that at least n patterns reach, as far as is known. */
static uint32_t hunt_level_of(const hunt *h, double n) {
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

/* By how much the logarithm of the number grows as that of the threshold falls. */
static double hunt_slope(const hunt *h, uint64_t lowest) {
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

/* ---- probes ---------------------------------------------------------------------------------- */

static uint32_t hunt_frequent_items(const hunt *h, uint64_t min_count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        n += h->data->item_supports[i] >= min_count;
    }
    return n;
}

static lode_target hunt_mined(const hunt *h) {
    if (h->target == LODE_SUGGEST_CLOSED) return LODE_TARGET_CLOSED;
    return h->target == LODE_SUGGEST_MAXIMAL ? LODE_TARGET_MAXIMAL : LODE_TARGET_ALL;
}

/* Rules for each set, where the threshold is lowest. */
static double hunt_rules_each(const hunt *h) {
    const probe *p = h->part.tally.counts ? &h->part : &h->whole;
    if (h->target != LODE_SUGGEST_RULES || !p->heads) return 1;
    double sum = 0.1;
    for (size_t i = 0; i < p->tally.sets.supports.n; i++) sum += p->heads[i];
    return sum / ((double)p->tally.sets.supports.n + 0.1);
}

static double hunt_left(const hunt *h) {
    uint64_t lowest = hunt_lowest(h);
    bool low = isfinite(h->want) && lowest > 0 && lowest <= LONG_SET_MOST;
    return h->budget - h->spent - (low ? HUNT_RESERVE : 0);
}

/* Whether the data are so thin, from a threshold on, that they are searched as lists. */
static bool hunt_is_thin(const hunt *h, uint64_t min_count) {
    double occurrences = 0, n = 0;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        if (h->data->item_supports[i] < min_count) continue;
        occurrences += (double)h->data->item_supports[i];
        n++;
    }
    return occurrences * HUNT_THIN < n * (double)h->data->total_weight;
}

/* Lists hardly get longer for a lower threshold: so they are made once. */
static uint64_t hunt_base(hunt *h, uint64_t min_count) {
    if (!hunt_is_thin(h, min_count)) return 0;
    if (h->base == 0 || h->base > min_count) h->base = min_count / HUNT_DEEPER + 1;
    return h->base;
}

uint64_t hunt_next_point(double *next) {
    if (*next < 1) return 0;
    uint64_t support = level_support(level_of((uint64_t)*next));
    while ((uint64_t)*next >= support) *next *= pow(10, -1.0 / HUNT_DECADE);
    return support;
}

/* Whether an estimate says more than an earlier one; where no rule was seen, it says nothing. */
static bool hunt_is_better(const estimate *e, const estimate *old) {
    if (old->exact || e->exact) return e->exact;
    if (e->low <= 0 || old->low <= 0) return e->low > old->low;
    return e->high / e->low < old->high / old->low;
}

/* Rules: sets that are kept are mostly those just above the threshold, so that a probe at a higher
 * one knows more about higher supports. */
static void hunt_remember(hunt *h, const probe *p) {
    double next = (double)h->most;
    uint32_t i = 0;
    for (uint64_t at; (at = hunt_next_point(&next)) >= p->min_count && at > 0; i++) {
        estimate e = probe_estimate(p, &h->known, at);
        if (i == HUNT_POINTS) return;
        if (i == h->n_rules) h->rules[h->n_rules++] = (hunt_point){.min_count = at};
        if (hunt_is_better(&e, &h->rules[i].e)) h->rules[i].e = e;
    }
}

/* ---- numbers apart from the curve ------------------------------------------------------------ */

static void hunt_note(hunt *h, uint64_t min_count, const estimate *e) {
    hunt_point *spot = (hunt_point *)hunt_spot(h, min_count);
    if (!spot && h->n_spots == HUNT_SPOTS) return;
    if (!spot) spot = &h->spots[h->n_spots++];
    bool draws = e->low < e->n;
    if (spot->min_count == 0 || draws || e->n > spot->e.n) *spot = (hunt_point){min_count, *e};
    if (e->low >= HUNT_MANY * h->want && min_count > h->too_low) h->too_low = min_count;
}

/* At least n patterns are there. */
static void hunt_note_least(hunt *h, uint64_t min_count, double n) {
    double most = draws_bound(h->data, min_count, h->target == LODE_SUGGEST_RULES);
    estimate e = {n, n, most > n ? most : n, false};
    if (n >= HUNT_MANY * h->want) {
        hunt_note(h, min_count, &e);
    } else if (n > h->floor.e.n) {
        h->floor = (hunt_point){min_count, e};
    }
}

static bool hunt_counts_subsets(const hunt *h) {
    return isfinite(h->want) && (h->target == LODE_SUGGEST_ALL || h->target == LODE_SUGGEST_RULES);
}

/* Rules of the subsets of a set, for each of these. */
static lode_status hunt_rules_of_set(hunt *h, const vec_u32 *items, double *each) {
    lode_status status = LODE_OK;
    probe p = {0};
    heads_request request = {h->confidence, HUNT_GLANCE};
    rng random = rng_make(h->seed, 4);
    double sum = 0;
    p.tally.n_rows = 1;
    p.tally.sets.thinned = 1;
    for (unsigned i = 0; i < HUNT_SUBSETS; i++) {
        LODE_TRY(draws_keep_subset(&h->job->mem, &random, items, &p));
    }
    LODE_TRY(heads_count(h->job, h->data, &request, &p));
    for (size_t i = 0; i < p.tally.sets.supports.n; i++) sum += p.heads[i];
    *each = sum / (double)p.tally.sets.supports.n;
done:
    probe_free(h->job, &p);
    return status;
}

/* Looks for a long set at a threshold, whose subsets alone are more than is known there. */
static lode_status hunt_look_for_set(hunt *h, uint64_t min_count, double known) {
    lode_status status = LODE_OK;
    vec_u32 items = {0};
    double start = os_thread_seconds(), each = 1;
    if (known < 1) known = 1;
    if (!hunt_counts_subsets(h) || min_count > LONG_SET_MOST) return LODE_OK;
    uint32_t least = (uint32_t)log2(known / (h->target == LODE_SUGGEST_RULES ? 8 : 1) + 1);
    LODE_TRY(long_set_find(h->job, h->data, min_count, least, &items));
    if (items.n > 0 && h->target == LODE_SUGGEST_RULES) {
        LODE_TRY(hunt_rules_of_set(h, &items, &each));
    }
    if (items.n > 0) {
        double n = each * (ldexp(1, items.n < 900 ? (int)items.n : 900) - 1);
        if (n > known) hunt_note_least(h, min_count, n);
    }
    job_log(h->job, LODE_LOG_DEBUG, "draws: a set of %zu items at %llu, %.3f s", items.n,
            (unsigned long long)min_count, os_thread_seconds() - start);
done:
    vec_u32_free(&h->job->mem, &items);
    h->spent += os_thread_seconds() - start;
    h->looked += os_thread_seconds() - start;
    return status;
}

/* Draws sets from baskets, at a threshold of very few. */
static lode_status hunt_draw(hunt *h, uint64_t min_count) {
    lode_status status = LODE_OK;
    estimate e, old;
    double start = os_thread_seconds();
    draws_request r = {h->confidence, min_count, h->target == LODE_SUGGEST_RULES, h->seed};
    if (!hunt_counts_subsets(h) || min_count > HUNT_DRAWN) return LODE_OK;
    LODE_TRY(draws_estimate(h->job, h->data, &r, &e));
    job_log(h->job, LODE_LOG_DEBUG, "draws: %g (%g to %g) at %llu, %.3f s", e.n, e.low, e.high,
            (unsigned long long)min_count, os_thread_seconds() - start);
    bool known = hunt_look_up(h, min_count, &old);
    if (e.n > 0 && (!known || hunt_is_better(&e, &old))) hunt_note(h, min_count, &e);
done:
    h->spent += os_thread_seconds() - start;
    return status;
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* Runs a probe of a share of everything, which may take so long. *kept: it has ended, and is the
 * one to go by from now on. */
static lode_status hunt_probe(hunt *h, uint64_t min_count, double share, double seconds,
                              bool *kept) {
    lode_status status = LODE_OK;
    probe p = {0};
    double start = os_thread_seconds();
    uint32_t n_roots = hunt_frequent_items(h, min_count);
    bool by_root = n_roots >= HUNT_ROOTS;
    double least = HUNT_FEW_ROOTS / (double)n_roots;
    probe_request r = {.target = hunt_mined(h),
                       .min_count = min_count,
                       .base = hunt_base(h, min_count),
                       .parts = HUNT_PARTS,
                       .of = HUNT_PARTS,
                       .by_root = by_root,
                       .keeps_sets = h->target == LODE_SUGGEST_RULES,
                       .enough = HUNT_BEYOND * h->want / hunt_rules_each(h),
                       .too_many = HUNT_FAR * h->want / hunt_rules_each(h),
                       .seconds = seconds,
                       .deadline = h->deadline,
                       .seed = h->seed};
    if (by_root && share < least) share = least;
    while (r.parts > share * r.of && r.of < HUNT_MOST_PARTS) r.of *= 2;
    if (r.parts < r.of) r.parts = (uint32_t)(share * r.of);
    if (r.parts < HUNT_PARTS) r.parts = HUNT_PARTS;
    LODE_TRY(probe_run(h->job, h->data, &r, &p));
    *kept = p.complete;
    h->reached = p.min_count;
    h->overran = p.too_many;
    if (p.too_many && !r.keeps_sets) hunt_note_least(h, p.min_count, p.tally.at_least);
    job_log(h->job, LODE_LOG_DEBUG,
            "probe: threshold %llu, %u of %u parts%s, at most %.3f s: %.3f s (%.3f s), %s, reached "
            "%llu",
            (unsigned long long)min_count, r.parts, r.of, r.by_root ? " by root" : "", seconds,
            p.seconds, p.searching, p.complete ? "complete" : "given up",
            (unsigned long long)p.min_count);
    bool far = probe_sets(&p, p.min_count) * hunt_rules_each(h) * HUNT_FAR < h->want;
    heads_request heads = {h->confidence, far && isfinite(h->want) ? HUNT_GLANCE : 1};
    if (*kept && r.keeps_sets) LODE_TRY(heads_count(h->job, h->data, &heads, &p));
    if (*kept && r.keeps_sets) hunt_remember(h, &p);
    if (*kept) {
        probe *to = probe_is_whole(&p) ? &h->whole : &h->part;
        if (to == &h->whole && h->part.tally.counts && h->part.min_count >= p.min_count) {
            probe_free(h->job, &h->part);
        }
        probe_free(h->job, to);
        *to = p;
        if (to == &h->whole) h->known = (anchor){p.min_count, probe_sets(&p, p.min_count)};
        p = (probe){0};
    }
done:
    probe_free(h->job, &p);
    h->spent += os_thread_seconds() - start;
    return status;
}

/* Counts all at a threshold, and nothing else. */
static lode_status hunt_count(hunt *h, uint64_t min_count) {
    probe p = {0};
    probe_request r = {.target = hunt_mined(h),
                       .min_count = min_count,
                       .parts = 1,
                       .of = 1,
                       .plain = true,
                       .enough = HUNT_MANY * h->want / 2,
                       .too_many = HUNT_MANY * h->want,
                       .seconds = h->budget - h->spent,
                       .deadline = h->deadline,
                       .seed = h->seed};
    lode_status status = probe_run(h->job, h->data, &r, &p);
    job_log(h->job, LODE_LOG_DEBUG, "count: threshold %llu, %.3f s, %s",
            (unsigned long long)min_count, p.seconds, p.complete ? "complete" : "given up");
    if (status == LODE_OK && p.complete) h->known = (anchor){min_count, p.tally.counts[0]};
    if (status == LODE_OK && !p.complete) hunt_note_least(h, min_count, p.tally.counts[0]);
    h->spent += p.seconds;
    probe_free(h->job, &p);
    return status;
}

/* ---- the next step --------------------------------------------------------------------------- */

/* Seconds that a search of everything would take at the lowest threshold so far. */
static double hunt_cost(const hunt *h) {
    const probe *p = h->part.tally.counts ? &h->part : &h->whole;
    return (p->searching + 1e-4) / probe_share(p);
}

/* The same where the number of patterns is another, by a power of their ratio. */
static double hunt_cost_of(const hunt *h, double n, double power) {
    double now = hunt_expected(h, hunt_curve_end(h));
    return hunt_cost(h) * pow(n / (now > 1 ? now : 1), power);
}

/* The probe at `next` was given up, or there were far too many: something between that and the
 * lowest threshold so far; 0: there is nothing. */
static uint64_t hunt_retreat(uint64_t lowest, uint64_t next) {
    if (lowest <= next + 1) return 0;
    uint64_t between = (uint64_t)sqrt((double)lowest * (double)next);
    return between > next ? between : next + 1;
}

/* The threshold of the next step, below `lowest` and above one that failed, and the number of
 * patterns expected there. */
static uint64_t hunt_next(const hunt *h, uint64_t lowest, uint64_t failed, double *expected) {
    double n = hunt_expected(h, lowest), slope = hunt_slope(h, lowest);
    double step = HUNT_STEP;
    if (n < 1) n = 1;
    if (isfinite(h->want)) step = pow(HUNT_OVERSHOOT * h->want / n, 1 / slope);
    if (step > HUNT_STEP) step = HUNT_STEP;
    if (step > HUNT_STEP_LOW && lowest < HUNT_LOW) step = HUNT_STEP_LOW;
    if (!isfinite(h->want) && step > 2) step = 2;
    uint64_t next = (uint64_t)((double)lowest / step);
    if (next >= lowest) next = lowest - 1;
    if (next == 0) next = 1;
    if (next <= failed) next = hunt_retreat(lowest, failed);
    if (next == 0) return 0;
    *expected = n * pow((double)lowest / (double)next, slope);
    return next;
}

/* The share that can be searched in so many seconds, if everything takes `cost`. */
static double hunt_affordable(double seconds, double cost) {
    return seconds < cost ? seconds / cost : 1;
}

/* The share for a step on the way down. */
static double hunt_scouts(const hunt *h, uint64_t min_count, double cost) {
    if (cost < hunt_left(h) * (hunt_is_thin(h, min_count) ? HUNT_WHOLE_THIN : HUNT_WHOLE)) return 1;
    double share = hunt_affordable(hunt_left(h) * HUNT_SCOUT, cost);
    return share > HUNT_SOME ? HUNT_SOME : share;
}

/* Where counting what is wanted takes long, more time may be spent. */
static void hunt_extend(hunt *h) {
    if (!h->part.tally.counts || !isfinite(h->want)) return;
    double n = hunt_expected(h, h->part.min_count);
    if (h->part.min_count > 1) n *= HUNT_FAR;
    double cost = hunt_cost_of(h, n < h->want ? n : h->want, HUNT_FUTURE);
    h->budget = h->share * cost > h->least ? h->share * cost : h->least;
}

static uint64_t hunt_begin(const hunt *h) {
    uint64_t most = 1, wanted = h->data->profile.n_items / 8 + 1;
    if (wanted > HUNT_FIRST) wanted = HUNT_FIRST;
    if (h->want / 4 + 1 < (double)wanted) wanted = (uint64_t)(h->want / 4) + 1;
    for (uint64_t step = h->most; step > 0; step /= 2) {
        while (most + step <= h->most && hunt_frequent_items(h, most + step) >= wanted) {
            most += step;
        }
    }
    return most;
}

static uint64_t hunt_most(const hunt *h) {
    uint64_t most = 1;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        if (h->data->item_supports[i] > most) most = h->data->item_supports[i];
    }
    return most;
}

/* ---- the way down ---------------------------------------------------------------------------- */

/* What a probe that was given up still tells: at thresholds up to *failed it takes too long, or
 * there are too many. */
static void hunt_note_failure(hunt *h, uint64_t next, uint64_t *failed) {
    *failed = next;
    if (h->reached > next) *failed = h->reached;
}

/* Goes down until the number that is wanted has been passed, or there is no time left. */
static lode_status hunt_descend(hunt *h) {
    lode_status status = LODE_OK;
    uint64_t failed = 0, next = hunt_begin(h);
    double share = 1;
    bool too_many = false;
    while (next > 0 && hunt_left(h) > HUNT_CHEAP) {
        double expected = 1;
        bool kept = false, first = hunt_lowest(h) == 0, thin = hunt_is_thin(h, next);
        if ((share < 1 || thin) && h->looked < HUNT_LOOKS * h->budget) {
            LODE_TRY(hunt_look_for_set(h, next, HUNT_MANY * h->want));
        }
        h->overran = next <= h->too_low;
        if (h->overran) {
            h->reached = next;
        } else {
            double risk = first ? 1 : thin ? HUNT_RISK_THIN : HUNT_RISK;
            LODE_TRY(hunt_probe(h, next, share, hunt_left(h) * risk, &kept));
        }
        uint64_t lowest = hunt_lowest(h) ? hunt_lowest(h) : h->most + 1;
        if (h->deadline > 0 && os_seconds() >= h->deadline) break;
        if (kept && (lowest <= 1 || hunt_expected(h, lowest) >= h->want)) break;
        bool raised = !kept && h->reached > next;
        if (!kept && share > HUNT_LEAST && !h->overran && !raised) {
            share = share / 8 > HUNT_LEAST ? share / 8 : HUNT_LEAST;
            continue;
        }
        if (!kept) hunt_note_failure(h, next, &failed);
        next =
            hunt_lowest(h) ? hunt_next(h, lowest, failed, &expected) : hunt_retreat(lowest, failed);
        if (!kept) too_many = h->overran;
        h->ended = next == 0 && too_many;
        hunt_extend(h);
        bool scouts = kept || h->overran || raised;
        double cost = hunt_lowest(h) ? hunt_cost_of(h, expected, HUNT_GROWTH) : 0;
        share = scouts ? hunt_scouts(h, next, cost) : HUNT_LEAST;
    }
done:
    return status;
}

/* Improves the answer once, as far as there is time: *more says whether to try again. */
static lode_status hunt_refine_once(hunt *h, bool *more) {
    estimate e;
    bool kept, sets = h->target != LODE_SUGGEST_RULES;
    uint64_t answer = hunt_answer(h);
    *more = false;
    if (!hunt_look_up(h, answer, &e) || e.exact) return LODE_OK;
    if (e.n < h->want / 2 && answer > 1) return LODE_OK;
    hunt_extend(h);
    /* After an exact count, no time is needed for long baskets. */
    double cost = hunt_cost_of(h, e.n, HUNT_SHRINK), left = (h->budget - h->spent) * 0.8;
    double plain = h->target == LODE_SUGGEST_ALL ? cost * HUNT_PLAIN : cost;
    double margin = sqrt(e.high / e.n), share = hunt_affordable(left, cost);
    if (margin < HUNT_OVERSHOOT) margin = HUNT_OVERSHOOT;
    if (share < 1 && plain < left && sets) {
        *more = h->known.min_count != answer;
        return hunt_count(h, answer);
    }
    if (share < 1.5 * probe_share(&h->part)) return LODE_OK;
    uint64_t from = level_support(hunt_level_of(h, margin * h->want));
    *more = share == 1;
    return hunt_probe(h, from, share, hunt_left(h), &kept);
}

/* The next threshold at which everything shall be searched: between the lowest one where it was,
 * and the highest one that has too many or failed. 0: there is none, or no time for it. */
static uint64_t hunt_next_whole(const hunt *h, uint64_t failed) {
    uint64_t answer = hunt_answer(h);
    uint64_t high = h->whole.tally.counts ? h->whole.min_count : h->most + 1;
    double n = hunt_expected(h, hunt_curve_end(h));
    estimate e;
    if (answer == 0 || !h->part.tally.counts || !hunt_is_thin(h, answer)) return 0;
    if (hunt_look_up(h, answer, &e) && e.high < HUNT_FAR * e.n) return 0;
    if (h->whole.tally.counts && hunt_expected(h, high) >= h->want) return 0;
    if (failed < h->too_low) failed = h->too_low;
    if (answer <= failed) answer = failed + 1;
    /* Costs may explode as well: a third of the way. */
    double low = (double)(failed > 0 ? failed : answer);
    uint64_t between = (uint64_t)(cbrt((double)high / low * (double)high / low) * low);
    if (between > answer) answer = between;
    if (answer >= high || hunt_left(h) < HUNT_CHEAP) return 0;
    double there = hunt_expected(h, answer), cost = hunt_cost(h);
    if (there > 0 && there < n) cost = hunt_cost_of(h, there, HUNT_SHRINK);
    return cost < HUNT_HOPE * hunt_left(h) ? answer : 0;
}

/* On thin data, few branches may have nearly all of the patterns, and random parts miss them; but
 * counting everything is cheap just there. So it is tried, as long as there is time. */
static lode_status hunt_close_in(hunt *h) {
    lode_status status = LODE_OK;
    bool kept = true;
    uint64_t failed = 0;
    for (uint64_t next; isfinite(h->want) && (next = hunt_next_whole(h, failed)) > 0;) {
        LODE_TRY(hunt_probe(h, next, 1, hunt_left(h) * HUNT_TRY, &kept));
        if (!kept) hunt_note_failure(h, next, &failed);
    }
done:
    return status;
}

/* The number that is wanted has been passed by a probe of parts: a better answer. */
static lode_status hunt_refine(hunt *h) {
    lode_status status = LODE_OK;
    bool more = h->part.tally.counts && isfinite(h->want);
    LODE_TRY(hunt_close_in(h));
    for (unsigned i = 0; i < HUNT_TRIES && more && status == LODE_OK; i++) {
        status = hunt_refine_once(h, &more);
    }
done:
    return status;
}

/* What long sets and sets that are drawn tell of the answer and of the next lower threshold. */
static lode_status hunt_look_below(hunt *h) {
    lode_status status = LODE_OK;
    for (uint64_t last = 0, answer; (answer = hunt_answer(h)) != last && answer > 0;) {
        estimate e;
        bool known = hunt_number(h, answer, &e);
        if (known && !e.exact) LODE_TRY(hunt_draw(h, answer));
        if (known && !e.exact) LODE_TRY(hunt_look_for_set(h, answer, e.low));
        if (answer > 1 && hunt_lowest(h) >= answer && answer - 1 >= h->too_low) {
            LODE_TRY(hunt_draw(h, answer - 1));
            LODE_TRY(hunt_look_for_set(h, answer - 1, HUNT_MANY * h->want));
        }
        last = answer;
    }
done:
    return status;
}

lode_status hunt_run(hunt *h) {
    lode_status status = LODE_OK;
    h->most = hunt_most(h);
    h->budget = h->least;
    LODE_TRY(hunt_descend(h));
    LODE_TRY(hunt_refine(h));
    if (isfinite(h->want)) status = hunt_look_below(h);
done:
    return status;
}

void hunt_free(hunt *h) {
    probe_free(h->job, &h->whole);
    probe_free(h->job, &h->part);
}
